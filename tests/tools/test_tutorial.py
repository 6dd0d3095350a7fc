# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""docs/tutorial.md: what it tells to type is typed, in its order."""

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.commands import needs_fifo, needs_two_cpus
from tests.cli.laxity_command import ROOT, make_laxity

PAGE = ROOT / "docs" / "tutorial.md"
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# compare: 4 is no verdict, of a machine that is too noisy; bound: 1 and 4 as well.
MAY_END_SO = {"laxity compare mine beside": {0, 4}, "laxity bound": {0, 1, 4}}
PATIENCE_S = 400


def expected_codes(line: str) -> set[int]:
    return next((codes for start, codes in MAY_END_SO.items() if line.startswith(start)), {0})


def test_page_has_commands_of_each_of_its_questions():
    for part in PAGE.read_text().split("\n## ")[1:5]:
        assert "```sh\n" in part, part.splitlines()[0]


@pytest.mark.slow
@pytest.mark.serial
@needs_fifo
@needs_two_cpus
def test_what_the_tutorial_tells_to_type_ends_as_it_says(tmp_path: Path):
    laxity = make_laxity(tmp_path)
    command = tmp_path / "bin" / "laxity"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m laxity "$@"\n')
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    shutil.copy(ROOT / "examples" / "three-tasks.toml", tmp_path)
    path = f"{command.parent}:{os.environ['PATH']}"
    ran = 0
    for language, name, text in BLOCK.findall(PAGE.read_text()):
        if name:
            (tmp_path / name).write_text(text)
        for line in text.splitlines() if language == "sh" else ():
            done = subprocess.run(
                ["/bin/sh", "-c", line], cwd=tmp_path, env={**laxity.environment(), "PATH": path},
                capture_output=True, text=True, timeout=PATIENCE_S, check=False,
            )  # fmt: skip
            assert done.returncode in expected_codes(line), (line, done.stdout, done.stderr)
            ran += 1
    assert ran == PAGE.read_text().count("\nlaxity ") + PAGE.read_text().count("\ncc ")
