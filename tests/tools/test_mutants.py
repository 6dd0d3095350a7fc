# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""tools/mutants.py in a small tree: which faults are drawn, and which of them tests catch."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.laxity_command import ROOT

MODULE = '''
def larger(a, b):
    """Compared by one operator, which a test holds to its value at the border."""
    return a >= b


def unseen(a, b):
    return a + b
'''
TEST = """
from laxity.bounds.small import larger


def test_border():
    assert larger(2, 2)
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in (
        ("python/laxity/__init__.py", ""),
        ("python/laxity/bounds/__init__.py", ""),
        ("python/laxity/bounds/small.py", MODULE),
        ("tests/bounds/test_small.py", TEST),
        ("pyproject.toml", '[tool.pytest.ini_options]\nmarkers = ["slow", "serial"]\n'),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "mutants.py", tmp_path / "tools")
    return tmp_path


def mutants(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "tools/mutants.py", "--count", "9", *words],
        cwd=tree,
        # Plugins take most of the time of so small a test.
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


CAUGHT = "caught python/laxity/bounds/small.py:.larger: a >= b -> a > b #1"
SURVIVED = "survived python/laxity/bounds/small.py:.unseen: a + b -> a - b #1"


def test_fault_that_a_test_sees_is_caught_and_another_survives(tree: Path) -> None:
    done = mutants(tree, "--out", "out.txt")
    assert done.returncode == 0, done.stderr
    *faults, summary = done.stdout.splitlines()
    assert sorted(faults) == [CAUGHT, SURVIVED]
    assert summary == "1 of 2 faults caught, 1 survived, 0 did not end within 600 s"
    assert (tree / "out.txt").read_text(encoding="utf-8").splitlines() == faults
    # The tree itself is as it was.
    assert (tree / "python/laxity/bounds/small.py").read_text(encoding="utf-8") == MODULE


def test_fault_that_was_caught_before_and_survives_is_lost(tree: Path) -> None:
    mutants(tree, "--out", "before.txt")
    test = tree / "tests" / "bounds" / "test_small.py"
    test.write_text(TEST.replace("larger(2, 2)", "larger(3, 2)"), encoding="utf-8")
    done = mutants(tree, "--before", "before.txt")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == f"LOST: {CAUGHT.removeprefix('caught ')}"


def test_tests_that_fail_without_a_fault_prove_nothing(tree: Path) -> None:
    test = tree / "tests" / "bounds" / "test_small.py"
    test.write_text(TEST.replace("larger(2, 2)", "larger(1, 2)"), encoding="utf-8")
    assert mutants(tree).returncode == 3
