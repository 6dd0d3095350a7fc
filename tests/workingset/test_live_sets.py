# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Live bits at every instruction of small functions, one feature each, computed by hand.

The expected figures stand in functions/NAME.ll behind each instruction. `; = ssa=32 stack=64` are
the largest bits over all contexts; a class that is not named has 0, `-` is unbounded.
`min.CLASS` is the smallest, `total` the largest sum of one context, `bounded` that of what has a
bound, `level` what one more level of recursion or one more block of the heap adds.
`; annotations:` are what the tool is told beside the program.
"""

import csv
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from laxity.errors import PlatformError, ToolError
from laxity.platform.tools import find_tool

FUNCTIONS = sorted((Path(__file__).parent / "functions").glob("*.ll"))
CLASSES = ("ssa", "stack", "global", "const", "heap", "volatile")


def analyse(program: Path, out: Path, *options: str) -> list[dict[str, str]]:
    """Run the tool; the rows of workingset.csv."""
    try:
        tool = find_tool("laxity-workingset")
    except (PlatformError, ToolError):
        pytest.skip("needs LLVM 19 (laxity setup --with workingset)")
    subprocess.run([tool, program, "--out", out, *options], check=True)
    with (out / "workingset.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def expected_rows(program: Path) -> list[dict[str, str]]:
    """Read the figures behind the instructions."""
    return [
        dict(word.split("=") for word in line.split("; =")[1].split())
        for line in program.read_text(encoding="utf-8").splitlines()
        if "; =" in line
    ]


def column_of(name: str) -> str:
    """Name the column of workingset.csv that a word of an expectation is about."""
    if name in {"contexts", "status"}:
        return name
    if name in {"level", "bounded"}:
        return {"level": "level_bits", "bounded": "bounded_total_bits"}[name]
    if name.startswith("min."):
        return f"live_{name.removeprefix('min.')}_bits_min"
    return f"live_{name}_bits"


def found_figures(row: Mapping[str, str], expected: Mapping[str, str]) -> dict[str, str]:
    """Pick what an expectation is about: every class, and what else it names."""
    names = [*CLASSES, *(name for name in expected if name not in CLASSES)]
    return {name: row[column_of(name)] or "-" for name in names}


def annotation_words(program: Path, scratch: Path) -> list[str]:
    """Write what stands behind `; annotations:` where the tool reads it."""
    for line in program.read_text(encoding="utf-8").splitlines():
        if line.startswith("; annotations: "):
            path = scratch / "annotations.json"
            path.write_text(line.removeprefix("; annotations: "), encoding="utf-8")
            return ["--annotations", str(path)]
    return []


@pytest.mark.parametrize("program", FUNCTIONS, ids=lambda path: path.stem)
def test_every_instruction_has_the_bits_computed_by_hand(program: Path, tmp_path: Path) -> None:
    rows = analyse(program, tmp_path, *annotation_words(program, tmp_path))
    expected = expected_rows(program)
    assert len(rows) == len(expected)
    found = [
        (row["function"], row["opcode"], found_figures(row, want))
        for row, want in zip(rows, expected, strict=True)
    ]
    assert found == [
        (row["function"], row["opcode"], dict.fromkeys(CLASSES, "0") | want)
        for row, want in zip(rows, expected, strict=True)
    ]


def chain_program(levels: int) -> str:
    """Write f0, f1, ... that call the next one twice and keep a global across the first call only.

    The last function may write every global, so that each call string is a context of its own.
    """
    lines = ["@c = internal global i1 undef"]  # so that nobody may take it for a constant
    for level in range(levels):
        lines += [
            f"@g{level} = internal global i64 1",
            f"define internal void @f{level}() {{",
            f"  store i64 0, ptr @g{level}",
            f"  call void @f{level + 1}()",
            f"  %x = load i64, ptr @g{level}",
            f"  call void @f{level + 1}()",
            "  ret void",
            "}",
        ]
    lines += [f"define internal void @f{levels}() {{", "  %c = load i1, ptr @c"]
    lines += ["  br i1 %c, label %yes, label %no", "yes:"]
    lines += [f"  store i64 2, ptr @g{level}" for level in range(levels)]
    lines += ["  br label %no", "no:", "  ret void", "}"]
    lines += ["define i32 @main() {", "  call void @f0()", "  ret i32 0", "}"]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("levels", "contexts", "bits", "status"), [(5, 32, 328, "exact"), (17, 131072, 1096, "merged")]
)
def test_maximum_over_contexts_survives_their_limit(
    tmp_path: Path, levels: int, contexts: int, bits: int, status: str
) -> None:
    # n levels of two calls are 2^n call strings. In the string of first calls all n globals of 64
    # bits are still to be read, and c, 8 bits, by the last function's next call:
    # 5 * 64 + 8 = 328, 17 * 64 + 8 = 1096.
    program = tmp_path / "chain.ll"
    program.write_text(chain_program(levels), encoding="utf-8")
    rows = analyse(program, tmp_path / "out", "--contexts", "1000")
    row = next(row for row in reversed(rows) if row["function"] == f"f{levels}")
    assert row["opcode"] == "ret"
    found = (row["contexts"], row["live_global_bits"], row["status"])
    assert found == (str(contexts), str(bits), status)


def situations_program(count: int) -> str:
    """Write a function that is called once for each of `count` globals, which are read later."""
    lines = [f"@g{number} = internal global i32 1" for number in range(count)]
    lines += ["define internal void @set(ptr %p, i32 %v) {", "  store i32 %v, ptr %p", "  ret void"]
    lines += ["}", "define i32 @main(i32 %v, ptr %unused) {"]
    lines += [f"  call void @set(ptr @g{number}, i32 %v)" for number in range(count)]
    lines += [f"  %x{number} = load i32, ptr @g{number}" for number in range(count)]
    lines += ["  ret i32 %x0", "}"]
    return "\n".join(lines)


@pytest.mark.parametrize(("count", "bits"), [(32, 0), (33, 1056)])
def test_situations_beyond_their_limit_share_one_body(
    tmp_path: Path, count: int, bits: int
) -> None:
    # Up to 32 bodies: each overwrites its global, nothing is live before the calls. One more, and
    # the one body overwrites any of 33, so none for sure: 33 * 32 = 1056 are live.
    program = tmp_path / "situations.ll"
    program.write_text(situations_program(count), encoding="utf-8")
    rows = analyse(program, tmp_path / "out")
    first = next(row for row in rows if row["function"] == "main")
    assert (first["opcode"], first["live_global_bits"]) == ("call", str(bits))


def test_each_body_of_a_function_has_rows_of_its_own(tmp_path: Path) -> None:
    # At set's store the first call has nothing live, the second a, 32 bits, and both %p and %v, 96
    # bits; during the first, main keeps %n, 32 bits (functions/situation_pointer.ll).
    program = Path(__file__).parent / "functions/situation_pointer.ll"
    analyse(program, tmp_path)
    with (tmp_path / "situations.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    stores = [row for row in rows if (row["function"], row["index"]) == ("set", "0")]
    assert [row["situation"] for row in stores] == ["0", "1"]
    assert {row["live_total_bits"] for row in stores} == {"128"}  # 96 + 32 in either
    assert {row["contexts"] for row in stores} == {"1"}


def test_summary_names_form_triple_and_layout(tmp_path: Path) -> None:
    program = tmp_path / "p.ll"
    program.write_text(
        'target datalayout = "e-p:32:32"\ntarget triple = "armv7-none-eabi"\n'
        "@p = internal global ptr null\n"
        "define i32 @main() {\n  %x = load ptr, ptr @p\n"
        "  %y = ptrtoint ptr %x to i32\n  ret i32 %y\n}\n",
        encoding="utf-8",
    )
    rows = analyse(program, tmp_path / "out", "--form", "sroa")
    # A pointer is 32 bits there.
    assert [row["live_global_bits"] for row in rows] == ["32", "0", "0"]
    summary = json.loads((tmp_path / "out/summary.json").read_text(encoding="utf-8"))
    assert (summary["form"], summary["triple"]) == ("sroa", "armv7-none-eabi")
    assert summary["data_layout"] == "e-p:32:32"
    assert summary["most_bits"] == 32
