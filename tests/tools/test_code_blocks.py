# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Code blocks of the documents: what they tell to type is typed, and what they show is read.

The word behind the fence says what a block is: `sh` is typed line by line, `console` shows what was
typed elsewhere (`$`) and what it said, and a name behind the language is that of the file.
"""

import json
import os
import re
import shlex
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.cli.commands import needs_fifo, needs_two_cpus
from tests.cli.laxity_command import ROOT, make_laxity
from tests.cli.typed_lines import check_taken
from tests.golden.stored_runs import costs_of

from laxity.core.spec_reader import read_spec_toml
from laxity.platform.platform_file import parse_platform
from laxity.store.npy import read_stream
from laxity.store.run_directory import read_manifest
from laxity.suites import manifest
from laxity.sweep.grid import read_grid
from laxity.tasksets.experiment_spec import read_experiment
from laxity.workingset.annotations import read_annotations

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LANGUAGES = {"sh", "console", "text", "toml", "c", "sql", "{toctree}"}
FENCE = re.compile(r"^```", re.MULTILINE)
BLOCK = re.compile(r"^```(\S+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# A line of sh that is laxity's, from a checkout or installed.
OURS = re.compile(r"^(?:\$ )?(?:\./)?laxity ")
PATIENCE_S = 900


@dataclass(frozen=True, slots=True)
class Block:
    """A code block; `file`: what it is the content of, if it says so."""

    language: str
    file: str | None
    text: str


def blocks_of(page: Path) -> list[Block]:
    return [Block(*groups) for groups in BLOCK.findall(page.read_text())]


def lines_of(page: Path) -> Iterator[str]:
    """Give what a page tells to type, and what it shows that was typed."""
    for block in blocks_of(page):
        for line in block.text.splitlines():
            if block.language == "sh" or (block.language == "console" and line.startswith("$ ")):
                yield line.removeprefix("$ ")


def ours_in(line: str) -> Iterator[list[str]]:
    """Give the words of each command of ours in a line."""
    for part in line.split(" && "):
        if OURS.match(part):
            words = shlex.split(part, comments=True)
            yield words[1 : words.index("|") if "|" in words else None]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_each_block_says_what_it_is(page: Path):
    blocks = blocks_of(page)
    assert {block.language for block in blocks} <= LANGUAGES
    assert len(FENCE.findall(page.read_text())) == 2 * len(blocks)


@pytest.mark.parametrize(
    "words",
    [words for page in PAGES for line in lines_of(page) for words in ours_in(line)],
    ids=" ".join,
)
def test_commands_of_the_documents_are_taken_by_laxity(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "costs.json").write_bytes(costs_of("crpd"))
    monkeypatch.chdir(tmp_path)
    check_taken(words)


def completed(whole: str, part: str) -> str:
    """Put further keys behind the heads of their tables, and further tables behind all."""
    for head, body in re.findall(r"^(\[.*\])\n((?:(?!\[).*\n)*)", part, re.MULTILINE):
        if not head.startswith("[[") and f"\n{head}\n" in whole:
            whole = whole.replace(f"\n{head}\n", f"\n{head}\n{body}")
        else:
            whole += f"{head}\n{body}"
    return whole


def read_by_its_reader(text: str, whole: str) -> object:
    """Read a TOML file by its own reader; further tables complete the first file of the page."""
    data = text.encode()
    if "[sweep]" in text:
        return read_grid(data)
    if "[experiment]" in text:
        return read_experiment(data)
    if "[suite]" in text:
        return manifest.read_manifest(data)
    if "[recursion]" in text:
        return read_annotations(data)
    if "schema = 1" not in text and "[[task]]" not in text:
        data = completed(whole, text).encode()
    if b"[[task]]" in data:
        return read_spec_toml(data, {}, 1)
    return parse_platform(data, "page")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_toml_of_the_documents_is_accepted(page: Path):
    blocks = [block.text for block in blocks_of(page) if block.language == "toml"]
    for text in blocks:
        assert read_by_its_reader(text, blocks[0])


def test_loop_of_a_periodic_program_compiles(tmp_path: Path):
    (block,) = [one for one in blocks_of(ROOT / "docs/own-programs.md") if one.language == "c"]
    include, loop = block.text.split("\n\n", 1)
    (tmp_path / "loop.c").write_text(
        f"#include <time.h>\n{include}\nvoid control(void);\nvoid add_period(struct timespec *);\n"
        f"void loop(struct timespec next)\n{{\n{loop}}}\n"
    )
    words = ["cc", "-Wall", "-Werror", "-fsyntax-only", f"-I{ROOT}/include", "loop.c"]
    subprocess.run(words, cwd=tmp_path, check=True, timeout=PATIENCE_S)


# From here on, what is typed.

# compare: 4 is no verdict, of a machine that is too noisy, and 1 what its limits are for; bound: 1
# and 4 as well; a machine without PMU or huge pages says so.
MAY_END_SO = {
    "laxity compare": {0, 1, 4},
    "laxity bound": {0, 1, 4},
    "laxity report alone --pwcet": {0, 4},
    "laxity versus ./old ./new --fail-on": {0, 1, 4},
    "laxity measure cache-misses  ": {0, 3, 4},
    "laxity measure memory-latency --pages huge": {0, 3},
    "laxity monitor mem": {0, 3},
    # Its limit is what it is for.
    "laxity run examples/one-task.toml": {0, 1},
    "laxity run -p 10ms -t 400 -c 1 --max-response": {0, 1},
    "laxity profile wcet": {0, 4},
    # On a loaded machine a job may be longer than each of the profile.
    "laxity run tracking vga": {0, 4},
    "laxity profile schedulability": {0, 4},
}
# What a page takes for granted: files that it names and does not show, and what makes others.
TASKS = next(one.text for one in blocks_of(ROOT / "docs/bounds.md") if one.file == "tasks.toml")
T0 = {
    "policy": "SCHED_FIFO",
    "priority": 50,
    "run": 1000,
    "timer": {"ref": "unique", "period": 10000},
}
SET = json.dumps({"tasks": {"t0": T0}, "global": {"duration": 1}})
SHORT = TASKS.replace("[[task]]", '[run]\nduration = "1s"\n[[task]]')
(CONTROL,) = [one.text for one in blocks_of(ROOT / "docs/tutorial.md") if one.language == "c"]
(MINE,) = [one.text for one in blocks_of(ROOT / "docs/c-api.md") if one.language == "c"]
BUILD_MINE = next(line for line in lines_of(ROOT / "docs/c-api.md") if line.startswith("cc "))
GRANTED = {
    "compare": {"tasks.toml": SHORT},
    "export": {"tasks.toml": SHORT},
    "run": {"tasks.toml": SHORT, "control.c": CONTROL, "mine.c": MINE},
    "monitor": {"tasks.toml": TASKS.replace('cpus = "1"', 'cpus = "0"')},
    "schedulers": {"tasks.toml": TASKS},
    "simulation": {"tasks.toml": TASKS.replace('cpus = "1"', 'cpus = "0"')},
    "rt-app": {"set.json": SET},
}
GOLDEN = ROOT / "tests/golden/runs"
MERGE = f"laxity costs merge {GOLDEN}/switch {GOLDEN}/crpd -o costs.json"
BEFORE = {
    "run": [
        "cc -O2 -o control control.c",
        "cp /usr/bin/yes batch; cp /usr/bin/true old; cp /usr/bin/true new",
        BUILD_MINE,
    ],
    "schedulers": [MERGE],
    "experiments": [MERGE],
}
TYPED = (
    *("bounds", "compare", "costs", "experiments", "export", "generated", "monitor", "profile"),
    *("rt-app", "run", "schedulers", "simulation", "simulation-platforms", "sweep", "tutorial"),
)
# What no machine of ours has, and third-party programs, which are not ours to keep.
LACKS = re.compile(r"ssh://|docker|tacle-bench|setup --with")


def expected_codes(line: str) -> set[int]:
    return next((codes for start, codes in MAY_END_SO.items() if line.startswith(start)), {0})


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
    for name in ("include", "examples", "docs"):
        (tmp_path / "checkout" / name).symlink_to(ROOT / name)
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "checkout" / "build").symlink_to(laxity.tools.absolute())
    environment = {
        **laxity.environment(),
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "LAXITY": str(tmp_path / "checkout"),
    }

    def type_all(page: Path) -> int:
        ran = 0
        for name, text in GRANTED.get(page.stem, {}).items():
            (tmp_path / name).write_text(text)
        blocks = blocks_of(page)
        for block in blocks:
            if block.file:
                (tmp_path / block.file).write_text(block.text)
        typed = [one.text for one in blocks if one.language == "sh"]
        for line in (*BEFORE.get(page.stem, ()), *"".join(typed).splitlines()):
            if LACKS.search(line):
                continue
            done = subprocess.run(
                ["/bin/sh", "-c", line], cwd=tmp_path, env=environment,
                capture_output=True, text=True, timeout=PATIENCE_S, check=False,
            )  # fmt: skip
            assert done.returncode in expected_codes(line), (line, done.stdout, done.stderr)
            ran += 1
        return ran

    return type_all


def test_tutorial_has_commands_of_each_of_its_questions():
    for part in (ROOT / "docs/tutorial.md").read_text().split("\n## ")[1:6]:
        assert "```sh\n" in part, part.splitlines()[0]


@pytest.mark.slow
@pytest.mark.serial
@needs_fifo
@needs_two_cpus
@pytest.mark.parametrize("page", TYPED)
def test_what_a_page_tells_to_type_ends_as_it_says(page: str, typed: Callable[[Path], int]):
    assert typed(ROOT / "docs" / f"{page}.md")


@pytest.mark.serial
@needs_fifo
@needs_two_cpus
def test_a_workload_of_ones_own_is_built_and_run_as_its_page_says(
    tmp_path: Path, typed: Callable[[Path], int]
):
    assert typed(ROOT / "docs" / "c-api.md") == 2
    (task,) = read_manifest(tmp_path / "phases").tasks
    assert (task.name, task.started) == ("mine", 100)
    assert set(read_stream(tmp_path / "phases" / "probe.npy")["probe"]) == {1, 2}
