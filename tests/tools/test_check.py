# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""./check --all in a small tree, whose set-up, compilers and linters do nothing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.laxity_command import ROOT

IDENTITY = ("-c", "user.name=A", "-c", "user.email=a@example.org")
OWN = ("check", "tools/check-costs.py", "tools/check-skips.py", "docs/checks.md")
BOOTSTRAP = """
for name in run_set set host_set pfm_set bpf_set workingset_set sim_set ninja; do
    eval "setup_$name() { :; }"
done
"""
# Each writes into a file outside the tree that it was started; `site` fails while "broken" exists.
SAYS = '#!/bin/sh\necho "${0##*/} $*" >>"$SAID/log"\n'
STAGES = (
    "set-up c c-sim lint cross python serial tidy cross-rest slow slow-serial asan tsan fuzz site"
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    for name in OWN:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tree / name)
    for name in (".venv/bin", "cross", "tests", "fuzz", "build-fuzz"):
        (tree / name).mkdir(parents=True)
    (tree / "tools" / "bootstrap.sh").write_text(BOOTSTRAP, encoding="utf-8")
    for name, more in (
        ("tools/lint", ""),
        ("tools/site", '[ ! -e "$SAID/broken" ]\n'),
        (".venv/bin/meson", ""),
        # The real interpreter, but for pytest, which takes a second each time.
        (
            ".venv/bin/python",
            f'case $* in *" -m pytest "*) exit 0 ;; esac\nexec {sys.executable} "$@"\n',
        ),
    ):
        (tree / name).write_text(SAYS + more, encoding="utf-8")
        (tree / name).chmod(0o755)
    (tree / "fuzz" / "fuzz_nothing.py").write_text("", encoding="utf-8")
    (tree / "cross" / "powerpc.txt").write_text("", encoding="utf-8")
    (tree / "tests" / "expected-skips.toml").write_text("", encoding="utf-8")
    (tree / ".gitignore").write_text("/build*\n", encoding="utf-8")
    git(tree, "init", "-q")
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "first")
    return tree


def git(directory: Path, *words: str) -> None:
    subprocess.run(
        ["git", *IDENTITY, *words], cwd=directory, check=True, capture_output=True, timeout=60
    )


def check(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [tree / "check", *arguments],
        env={**os.environ, "SAID": str(tree.parent)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def stages_of(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Names of the stages that ran."""
    return [
        line.removeprefix("-- ").partition(":")[0]
        for line in done.stdout.splitlines()
        if line.startswith("-- ")
    ]


def recorded(tree: Path) -> list[tuple[str, str, str]]:
    """Stage, run and result of each row of the ledger."""
    lines = (tree / "docs" / "checks.md").read_text(encoding="utf-8").splitlines()
    cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    return [(row[0], row[1], row[6]) for row in cells[1:]]


def test_interrupted_check_of_all_goes_on_with_what_has_not_passed(tree: Path) -> None:
    (tree.parent / "broken").write_text("", encoding="utf-8")
    before = len(recorded(tree))
    first = check(tree, "--all")
    assert stages_of(first) == STAGES.split()
    assert "FAILED: site" in first.stdout.splitlines()
    (tree.parent / "broken").unlink()
    second = check(tree, "--all")
    assert stages_of(second) == ["set-up", "site"]
    # A second run of a stage has a row of its own.
    assert recorded(tree)[before:] == [
        *((name, "first", "ok") for name in STAGES.split()[:-1]),
        ("site", "first", "FAILED"),
        ("set-up", "later", "ok"),
        ("site", "later", "ok"),
    ]


def test_changed_tree_is_checked_anew_without_a_row(tree: Path) -> None:
    check(tree, "--all", "site")
    assert stages_of(check(tree, "--all"))[-1] == "fuzz"
    rows = recorded(tree)
    (tree / "new.c").write_text("", encoding="utf-8")
    assert stages_of(check(tree, "--all")) == STAGES.split()
    assert recorded(tree) == rows


def test_named_stages_run_after_the_set_up_even_if_they_have_passed(tree: Path) -> None:
    for _ in range(2):
        done = check(tree, "--all", "tidy", "site")
        assert (done.returncode, stages_of(done)) == (0, ["set-up", "tidy", "site"])
    log = (tree.parent / "log").read_text(encoding="utf-8")
    assert log.count("lint --all clang-tidy\n") == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--all", "fuzzing"], 'check: unknown stage "fuzzing"; '),
        (["--fresh"], 'check: unknown option "--fresh"; '),
        (["lint"], "check: a stage is run by --all STAGE; "),
        (["--fast", "--all"], "check: --fast and --all exclude each other; "),
    ],
)
def test_wrong_use_is_named_with_the_stages(tree: Path, arguments: list[str], message: str) -> None:
    done = check(tree, *arguments)
    assert done.returncode == 2
    assert done.stderr == (
        f"{message}usage: ./check [--fast | --all [STAGE...]]; STAGE is one of: {STAGES}\n"
    )
