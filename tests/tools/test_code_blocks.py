# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""docs/tutorial.md and docs/c-api.md: what they tell to type is typed, in its order."""

import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.commands import needs_fifo, needs_two_cpus
from tests.cli.laxity_command import ROOT, make_laxity

from laxity.store.npy import read_stream
from laxity.store.run_directory import read_manifest

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


@pytest.fixture
def typed(tmp_path: Path) -> Callable[[Path], int]:
    """Type what a page tells to type, and return how much that was."""
    laxity = make_laxity(tmp_path)
    command = tmp_path / "bin" / "laxity"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m laxity "$@"\n')
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    # The checkout, whichever build of it is used.
    (tmp_path / "checkout").mkdir()
    for name in ("include", "examples"):
        (tmp_path / "checkout" / name).symlink_to(ROOT / name)
    (tmp_path / "checkout" / "build").symlink_to(laxity.tools.absolute())
    environment = {
        **laxity.environment(),
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "LAXITY": str(tmp_path / "checkout"),
    }

    def type_all(page: Path) -> int:
        ran = 0
        for language, name, text in BLOCK.findall(page.read_text()):
            if name:
                (tmp_path / name).write_text(text)
            for line in text.splitlines() if language == "sh" else ():
                done = subprocess.run(
                    ["/bin/sh", "-c", line], cwd=tmp_path, env=environment,
                    capture_output=True, text=True, timeout=PATIENCE_S, check=False,
                )  # fmt: skip
                assert done.returncode in expected_codes(line), (line, done.stdout, done.stderr)
                ran += 1
        return ran

    return type_all


@pytest.mark.slow
@pytest.mark.serial
@needs_fifo
@needs_two_cpus
def test_what_the_tutorial_tells_to_type_ends_as_it_says(typed: Callable[[Path], int]):
    text = PAGE.read_text()
    assert typed(PAGE) == sum(text.count(f"\n{word} ") for word in ("laxity", "cc", "cp"))


@pytest.mark.serial
@needs_fifo
def test_a_workload_of_ones_own_is_built_and_run_as_its_page_says(
    tmp_path: Path, typed: Callable[[Path], int]
):
    assert typed(ROOT / "docs" / "c-api.md") == 2
    (task,) = read_manifest(tmp_path / "phases").tasks
    assert (task.name, task.started) == ("mine", 100)
    assert set(read_stream(tmp_path / "phases" / "probe.npy")["probe"]) == {1, 2}
