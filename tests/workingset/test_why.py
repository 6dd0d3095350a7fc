# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Paths of `--why`: there is one exactly where the analysis calls a cell live."""

import subprocess
from pathlib import Path

import pytest
from tests.workingset.oracle_runs import make_subject, need_tool
from tests.workingset.random_programs import random_program
from tests.workingset.test_live_sets import FUNCTIONS

from laxity.errors import PlatformError, ToolError
from laxity.platform.tools import find_tool
from laxity.workingset.analyse import explain

SEEDS = (1, 2, 3)


def compare(program: Path) -> tuple[int, int, int]:
    """Compare paths with live sets: points (instructions times cells), live ones, wrong ones."""
    try:
        tool = find_tool("laxity-workingset").with_name("workingset-why-agrees")
    except (PlatformError, ToolError):
        pytest.skip("needs LLVM 19 (laxity setup --with workingset)")
    if not tool.exists():
        pytest.skip("needs a build folder: the comparison is not installed")
    done = subprocess.run([tool, program], capture_output=True, text=True, check=False)
    assert done.returncode in {0, 1}, done.stderr
    points, live, wrong = (int(word) for word in done.stdout.split())
    assert wrong == 0, done.stderr
    return points, live, wrong


@pytest.mark.parametrize("program", FUNCTIONS, ids=lambda path: path.stem)
def test_a_path_to_a_read_exists_exactly_where_a_cell_is_live(program: Path) -> None:
    points, live, _ = compare(program)
    assert live <= points


@pytest.mark.parametrize("seed", SEEDS)
def test_paths_of_generated_programs_agree_with_the_live_sets(seed: int, tmp_path: Path) -> None:
    subject = make_subject(random_program(seed), tmp_path)
    _, live, _ = compare(subject.bitcode)
    assert live > 0


def test_a_value_that_one_caller_needs_is_explained_in_the_context_of_that_caller(
    tmp_path: Path,
) -> None:
    need_tool()
    # f is called twice; only behind the first call g is read.
    source = (
        "static int g, h;\n"  # 1
        "static __attribute__((noinline)) void f(void) {\n"
        "  h++;\n"  # 3
        "}\n"
        "int main(int argc, char **argv) {\n"
        "  (void)argv; g = argc;\n"
        "  f();\n"  # 7
        "  h += g;\n"  # 8
        "  f();\n"
        "  return h;\n"
        "}\n"
    )
    answer = explain(make_subject(source, tmp_path).bitcode, "g@3", None, 60)
    assert answer.verdict == "live"
    assert answer.path is not None
    assert answer.path.needs_context
    assert [call.line for call in answer.path.calls] == [7]
    assert [step.what for step in answer.path.steps] == ["leaves", "reads"]
    last = answer.path.steps[-1].at
    assert last is not None
    assert last.line == 8


# set is analysed once per call, since it is told another variable each time.
TWO_SITUATIONS = (
    "static int first, second;\n"  # 1
    "static __attribute__((noinline)) void set(int *one) {\n"
    "  *one = 1;\n"  # 3
    "}\n"
    "int main(int argc, char **argv) {\n"
    "  (void)argv; second = argc;\n"
    "  set(&first);\n"  # 7
    "  set(&second);\n"  # 8
    "  return first + second;\n"  # 9
    "}\n"
)


def test_a_path_through_one_of_several_situations_names_functions_and_lines_of_the_source(
    tmp_path: Path,
) -> None:
    need_tool()
    answer = explain(make_subject(TWO_SITUATIONS, tmp_path).bitcode, "first@3", None, 60)
    # Before the first call sets it, first holds what nobody reads; the second leaves it alone.
    assert answer.verdict == "live"
    assert answer.path is not None
    assert [(call.function, call.line) for call in answer.path.calls] == [("main", 8)]
    assert [(step.what, step.function) for step in answer.path.steps] == [
        ("leaves", "set"),
        ("reads", "main"),
    ]
    last = answer.path.steps[-1].at
    assert last is not None
    assert last.line == 9


def test_a_variable_that_each_situation_overwrites_or_leaves_dead_is_dead(tmp_path: Path) -> None:
    need_tool()
    answer = explain(make_subject(TWO_SITUATIONS, tmp_path).bitcode, "second@3", None, 60)
    # Where set is told second it overwrites that at once: the nearest end of what it holds.
    assert answer.verdict == "dead"
    assert answer.path is not None
    assert [call.line for call in answer.path.calls] == [8]
    assert [step.what for step in answer.path.steps] == ["overwrites"]
    last = answer.path.steps[-1].at
    assert last is not None
    assert (last.function, last.line) == ("set", 3)
