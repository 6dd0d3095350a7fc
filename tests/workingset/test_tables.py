# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Columns that say which objects are live, who touches them, and what functions need."""

import csv
from pathlib import Path

from tests.workingset.test_live_sets import analyse

# big: 8 bytes, read in f; small: 4 bytes, overwritten before f; once: written and never read.
PROGRAM = """\
@big = internal global i64 1
@small = internal global i32 2
@once = internal global i32 3
define internal i64 @f() {
  %a = load i64, ptr @big
  %b = load i32, ptr @small
  %c = zext i32 %b to i64
  %d = add i64 %a, %c
  ret i64 %d
}
define i32 @main() {
  %local = alloca i16
  store i16 7, ptr %local
  store i32 5, ptr @small
  %r = call i64 @f()
  store i32 6, ptr @once
  %l = load i16, ptr %local
  %s = zext i16 %l to i32
  ret i32 %s
}
"""

# get is analysed once per object that it is told.
SITUATIONS = """\
@a = internal global i32 1
@b = internal global i32 2
define internal i32 @get(ptr %one) {
  %v = load i32, ptr %one
  ret i32 %v
}
define i32 @main() {
  store i32 3, ptr @a
  %x = call i32 @get(ptr @a)
  store i32 4, ptr @b
  %y = call i32 @get(ptr @b)
  %z = add i32 %x, %y
  ret i32 %z
}
"""


def tables(tmp_path: Path, source: str = PROGRAM) -> tuple[list[dict[str, str]], ...]:
    """Analyse a program; the rows of instructions, functions and objects."""
    program = tmp_path / "p.ll"
    program.write_text(source, encoding="utf-8")
    analyse(program, tmp_path / "out")
    found = []
    for name in ("workingset", "functions", "objects"):
        with (tmp_path / "out" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
            found.append(list(csv.DictReader(file)))
    return tuple(found)


def test_the_largest_live_objects_of_each_instruction_are_named(tmp_path: Path):
    rows, _, _ = tables(tmp_path)
    live = [row["objects"] for row in rows]
    local = "main:0:local:16"
    assert live[:5] == [
        f"big:64;small:32;{local}",  # before the load of big; main still reads local
        f"small:32;{local}",
        local,
        local,
        local,
    ]
    assert live[5:] == [
        "big:64",  # small is overwritten first, local was not written yet
        "big:64",
        f"big:64;{local}",
        f"big:64;small:32;{local}",
        local,
        local,
        "",
        "",
    ]


def test_objects_say_who_touches_them_and_at_how_many_instructions_they_are_live(tmp_path: Path):
    _, _, objects = tables(tmp_path)
    # Of 13 instructions; big is live at one of f's and four of main's.
    assert {
        row["name"]: (row["use"], row["live_instructions"], row["live_ratio"]) for row in objects
    } == {
        "big": ("read-only", "5", "0.3846"),
        "small": ("read-write", "3", "0.2308"),
        "once": ("never-read", "0", "0.0000"),
        "main:0:local": ("read-write", "9", "0.6923"),
    }


def test_functions_say_what_they_read_first_and_where_most_is_live(tmp_path: Path):
    _, functions, _ = tables(tmp_path)
    found = {
        row["function"]: [row[name] for name in ("entry_bits", "frame_bits", "most_bits")]
        + [row["most_block"], row["most_index"]]
        for row in functions
    }
    # f reads 64 + 32 bits; main overwrites small before. Most: before f's addition of two values of
    # 64 bits, while local waits; in main before the call, 64 + 32 + 16.
    assert found["f"] == ["96", "0", "144", "0", "3"]
    assert found["main"] == ["64", "16", "112", "0", "3"]


def test_what_is_live_in_any_situation_of_an_instruction_counts_once_for_it(tmp_path: Path):
    rows, functions, objects = tables(tmp_path, SITUATIONS)
    # Each call's object is live before the call and before the load, never both at once.
    assert [row["objects"] for row in rows] == ["a:32;b:32", "", "", "a:32", "", "b:32", "", ""]
    assert {row["name"]: (row["use"], row["live_instructions"]) for row in objects} == {
        "a": ("read-write", "2"),
        "b": ("read-write", "2"),
    }
    assert {row["function"]: row["entry_bits"] for row in functions} == {"get": "64", "main": "0"}
