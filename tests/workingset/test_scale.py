# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Many programs in one process, and what the analysis says beyond its budgets."""

import csv
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from bench.generated_programs import FAMILIES, generate

from laxity.errors import PlatformError, ToolError
from laxity.platform.tools import find_tool

FUNCTIONS = Path(__file__).parent / "functions"
CLASSES = ("stack", "global", "const", "heap", "volatile")
# A string that a pointer may point to, a loaded pointer that is only moved on, a table of functions
# through which the pointer of another function is overwritten: each is a short cut of the solver.
POINTERS = """\
@text = internal constant [4 x i8] c"abc\\00"
@x = internal global i64 1
@y = internal global i64 2
@pair = internal global { ptr, ptr } { ptr @x, ptr @text }
@table = internal global [2 x ptr] [ptr @to_y, ptr @nothing]
define internal void @to_y(ptr %where) {
  store ptr @y, ptr %where
  ret void
}
define internal void @nothing(ptr %where) {
  ret void
}
define i32 @main(i32 %n) {
  %slot = getelementptr [2 x ptr], ptr @table, i64 0, i32 %n
  %f = load ptr, ptr %slot
  call void %f(ptr @pair)
  %p = load ptr, ptr @pair
  %q = getelementptr i8, ptr %p, i64 4
  %r = getelementptr i8, ptr %q, i64 -4
  store i64 7, ptr %r
  %v = load i64, ptr @y
  ret i32 0
}
"""


def tool() -> Path:
    """Find the analysis, or skip."""
    try:
        return find_tool("laxity-workingset")
    except (PlatformError, ToolError):
        pytest.skip("needs LLVM 19 (laxity setup --with workingset)")


def run(*words: Path | str, code: int = 0) -> str:
    """Run it; what it says on stderr."""
    done = subprocess.run([tool(), *words], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stderr


def rows(folder: Path) -> list[dict[str, str]]:
    """Read the instructions."""
    with (folder / "workingset.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def notes(folder: Path) -> str:
    """Read what the figures rest on."""
    return "\n".join(json.loads((folder / "summary.json").read_text())["assumptions"])


def test_programs_of_one_process_get_the_tables_that_each_gets_alone(tmp_path: Path) -> None:
    programs = [FUNCTIONS / f"{name}.ll" for name in ("phi", "heap_block", "two_targets")]
    run(*programs, "--out", tmp_path / "all")
    for program in programs:
        run(program, "--out", tmp_path / program.stem)
        for alone in sorted((tmp_path / program.stem).iterdir()):
            assert (tmp_path / "all" / program.stem / alone.name).read_text() == alone.read_text()


def test_a_program_that_fails_says_so_in_its_summary_and_the_others_go_on(tmp_path: Path) -> None:
    broken = tmp_path / "broken.ll"
    broken.write_text("no module", encoding="utf-8")
    programs = [FUNCTIONS / "phi.ll", broken, FUNCTIONS / "switch.ll"]
    said = run(*programs, "--out", tmp_path / "all", code=4)
    summary = json.loads((tmp_path / "all" / "broken" / "summary.json").read_text())
    assert summary["status"] == "failed"
    assert summary["message"] in said
    assert f"read {broken}" in said
    assert rows(tmp_path / "all" / "phi")
    assert rows(tmp_path / "all" / "switch")


def test_two_programs_of_one_name_are_refused(tmp_path: Path) -> None:
    copied = tmp_path / "phi.ll"
    shutil.copy(FUNCTIONS / "phi.ll", copied)
    said = run(FUNCTIONS / "phi.ll", copied, "--out", tmp_path / "all", code=2)
    assert 'a second program "phi"' in said


def most_memory_kib(*words: Path | str) -> int:
    """Run it; its largest resident set."""
    with subprocess.Popen([tool(), *words]) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_maxrss


def test_memory_of_a_program_is_freed_before_the_next(tmp_path: Path) -> None:
    programs = [tmp_path / f"p{number}.ll" for number in range(5)]
    for program in programs:
        program.write_text(generate("light", 20_000, 4, seed=1), encoding="utf-8")
    alone = most_memory_kib(programs[0], "--out", tmp_path / "one")
    together = most_memory_kib(*programs, "--out", tmp_path / "all")
    # Five times what LLVM and a program need, were nothing freed; allocators keep some.
    assert together < 1.5 * alone


def test_short_cuts_of_the_pointer_analysis_lose_no_target(tmp_path: Path) -> None:
    program = tmp_path / "pointers.ll"
    program.write_text(POINTERS, encoding="utf-8")
    run(program, "--out", tmp_path / "out")
    found = {
        (row["function"], row["block"], row["index"]): row["live_global_bits"]
        for row in rows(tmp_path / "out")
    }
    # After the call: pair's first pointer (64) is read next; then the store may overwrite x or y,
    # so it kills neither, and y (64) is read behind it. Before the call the table's pointers count,
    # too: 2 * 64, of which either may be read.
    assert found["main", "0", "2"] == str(64 + 64)
    assert found["main", "0", "0"] == str(64 + 64 + 2 * 64)
    assert found["main", "0", "6"] == str(64)
    assert found["main", "0", "8"] == "0"


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--points-to-budget", "every pointer may point to every object"),
        ("--places-budget", "sets beyond their budget"),
    ],
)
def test_beyond_a_budget_nothing_that_was_live_is_lost_and_it_is_said(
    tmp_path: Path, family: str, option: str, words: str
) -> None:
    program = tmp_path / "program.ll"
    program.write_text(generate(family, 2_000, 4, seed=1), encoding="utf-8")
    run(program, "--out", tmp_path / "exact")
    run(program, "--out", tmp_path / "budget", option, "1")
    assert words in notes(tmp_path / "budget")
    assert words not in notes(tmp_path / "exact")
    for exact, coarse in zip(rows(tmp_path / "exact"), rows(tmp_path / "budget"), strict=True):
        assert exact["live_ssa_bits"] == coarse["live_ssa_bits"]
        for name in CLASSES:
            column = f"live_{name}_bits"
            assert coarse[column] == "" or int(coarse[column]) >= int(exact[column] or 0)


def called_with_eight_numbers(instructions: int) -> str:
    """Write a program whose function @work, of so many instructions, overwrites @a[n].

    main has 11 instructions, of which the last three read a[0].
    """
    sums = "\n".join(f"  %s{i + 1} = add i64 %s{i}, 1" for i in range(instructions - 4))
    calls = "\n".join(f"  call void @work(i64 {7 - number})" for number in range(8))
    return f"""\
@a = internal global [8 x i64] zeroinitializer
define internal void @work(i64 %n) {{
  %s0 = add i64 %n, 1
{sums}
  %p = getelementptr [8 x i64], ptr @a, i64 0, i64 %n
  store i64 %s{instructions - 4}, ptr %p
  ret void
}}
define i32 @main() {{
{calls}
  %v = load i64, ptr @a
  %r = trunc i64 %v to i32
  ret i32 %r
}}
"""


# Eight bodies add 7 * n instructions. Allowed are 3 * (n + 11) + 4096, so 4 * n may be 4129: 1032
# instructions fit, 1033 do not. With bodies of its own, work(0) overwrites a[0]: it is dead before.
# With one body any element may be written, so none surely is: a[0], 64 bits, is live all along.
@pytest.mark.parametrize(("instructions", "live_bits"), [(1032, "0"), (1033, "64")])
def test_beyond_the_budget_of_copies_sets_are_as_without_copies_and_it_is_said(
    tmp_path: Path, instructions: int, live_bits: str
) -> None:
    program = tmp_path / "program.ll"
    program.write_text(called_with_eight_numbers(instructions), encoding="utf-8")
    run(program, "--out", tmp_path / "out")
    found = rows(tmp_path / "out")
    assert sum(row["function"] == "work" for row in found) == instructions
    assert found[instructions]["function"] == "main"
    assert found[instructions]["live_global_bits"] == live_bits
    assert ("situations: of 1 functions not all" in notes(tmp_path / "out")) == (live_bits != "0")


@pytest.mark.parametrize(
    ("name", "recursions", "objects"),
    [
        ("recursion", [["f"]], []),
        ("heap_block", [], ["main:malloc:0"]),
        ("two_contexts", [], []),
    ],
)
def test_what_has_no_bound_is_named_with_the_annotation_that_would_give_one(
    tmp_path: Path, name: str, recursions: list[list[str]], objects: list[str]
) -> None:
    run(FUNCTIONS / f"{name}.ll", "--out", tmp_path / "out")
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["unbounded_recursions"] == recursions
    assert summary["unbounded_objects"] == objects
    said = notes(tmp_path / "out")
    assert ("no bound: f calls itself; an annotation [recursion]" in said) == bool(recursions)
    assert ("not known of main:malloc:0; an annotation [objects]" in said) == bool(objects)


def test_functions_that_call_each_other_are_one_recursion(tmp_path: Path) -> None:
    program = tmp_path / "program.ll"
    names = [f"f{number}" for number in range(7)]
    # Each keeps n across its call of the next, and the last calls the first.
    bodies = [
        f"define internal i64 @{name}(i64 %n) {{\n  %c = icmp eq i64 %n, 0\n"
        "  br i1 %c, label %end, label %more\nmore:\n  %m = sub i64 %n, 1\n"
        f"  %r = call i64 @{names[(number + 1) % 7]}(i64 %m)\n  %s = add i64 %r, %n\n"
        "  ret i64 %s\nend:\n  ret i64 0\n}"
        for number, name in enumerate(names)
    ]
    main = "define i64 @main() {\n  %x = call i64 @f0(i64 9)\n  ret i64 %x\n}\n"
    program.write_text("\n".join([*bodies, main]), encoding="utf-8")
    run(program, "--out", tmp_path / "out")
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["unbounded_recursions"] == [names]
    assert (
        "no bound: 7 functions call each other in a circle: f0, f1, f2, f3, f4 and 2 more"
        in notes(tmp_path / "out")
    )
