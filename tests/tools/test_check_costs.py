# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""tools/check-costs.py on made-up costs."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tools" / "check-costs.py"
IDENTITY = ("-c", "user.name=A", "-c", "user.email=a@example.org")
PAGE = """# Checks

| stage | run | commit | date | processor time (s) | time (s) | result | machine |
|---|---|---|---|---|---|---|---|
"""
MACHINE = "2 × some"


def row(stage: str, commit: str, cpu_s: float, run: str = "first", result: str = "ok") -> str:
    return f"| {stage} | {run} | {commit} | 2026-11-29 | {cpu_s} | 9 | {result} | {MACHINE} |\n"


def costs(*arguments: str | Path, directory: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, SCRIPT, *arguments],
        cwd=directory,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.splitlines()


def stage(directory: Path, name: str, cpu_s: float, run: str = "first", result: str = "ok") -> Path:
    folder = directory / "build" / "check" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cost").write_text(f"{name} abc {result} {run} {cpu_s} 7.0\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("cpu_s", "ending"),
    [
        # 20 % above 100 s are 120 s.
        (120.0, f"; 100 s at bbbb on {MACHINE}"),
        (120.1, f"; 100 s at bbbb on {MACHINE}: 20 % above the ledger"),
        (150.0, f"; 100 s at bbbb on {MACHINE}: 50 % above the ledger"),
    ],
)
def test_stage_is_compared_with_the_newest_row_of_its_kind_that_was_ok(
    tmp_path: Path, cpu_s: float, ending: str
) -> None:
    (tmp_path / "checks.md").write_text(
        PAGE
        + row("slow", "aaaa", 500)
        + row("slow", "bbbb", 100)
        + row("slow", "cccc", 10, run="later")
        + row("slow", "dddd", 900, result="FAILED")
        + row("lint", "eeee", 1),
        encoding="utf-8",
    )
    (line,) = costs("checks.md", stage(tmp_path, "slow", cpu_s), directory=tmp_path)
    assert line.endswith(ending)
    assert line.startswith("WARNING: ") == ("above" in ending)


def test_stage_without_a_row_is_said_to_have_none(tmp_path: Path) -> None:
    (tmp_path / "checks.md").write_text(PAGE + row("slow", "aaaa", 1), encoding="utf-8")
    (line,) = costs("checks.md", stage(tmp_path, "slow", 9, "later"), directory=tmp_path)
    assert line == (
        "slow                9 s of processor time,     7.0 s; the ledger has no later run"
    )


def git(directory: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *IDENTITY, *words],
        cwd=directory,
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout.strip()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with a ledger of one row."""
    (tmp_path / "checks.md").write_text(PAGE + row("slow", "aaaa", 1), encoding="utf-8")
    (tmp_path / ".gitignore").write_text("build\n", encoding="utf-8")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "first")
    return tmp_path


def recorded(tree: Path) -> list[list[str]]:
    lines = (tree / "checks.md").read_text(encoding="utf-8").splitlines()[4:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_row_names_stage_run_commit_date_times_and_result(tree: Path) -> None:
    assert costs("--record", "checks.md", stage(tree, "lint", 3.5), directory=tree) == []
    old, new = recorded(tree)
    assert old[:3] == ["slow", "first", "aaaa"]
    assert new[:3] == ["lint", "first", git(tree, "rev-parse", "--short=8", "HEAD")]
    assert new[4:7] == ["3.5", "7.0", "ok"]


def test_second_row_of_a_stage_replaces_only_that_of_its_commit(tree: Path) -> None:
    commit = git(tree, "rev-parse", "--short=8", "HEAD")
    for cpu_s, result in ((3, "FAILED"), (4, "ok")):
        costs("--record", "checks.md", stage(tree, "slow", cpu_s, result=result), directory=tree)
    assert [(cells[2], cells[4], cells[6]) for cells in recorded(tree)] == [
        ("aaaa", "1", "ok"),
        (commit, "4", "ok"),
    ]


def test_changed_tree_is_not_recorded_as_its_commit(tree: Path) -> None:
    (tree / ".gitignore").write_text("build/\n", encoding="utf-8")
    said = costs("--record", "checks.md", stage(tree, "lint", 3.5), directory=tree)
    assert said == ["check-costs: no row was recorded: the tree has changes that are not committed"]
    assert len(recorded(tree)) == 1


def test_stage_that_was_cut_short_has_no_row(tree: Path) -> None:
    (tree / "build" / "check" / "slow").mkdir(parents=True)
    costs("--record", "checks.md", tree / "build" / "check" / "slow", directory=tree)
    assert len(recorded(tree)) == 1
