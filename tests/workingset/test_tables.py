# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Columns that say which objects are live, who touches them, and what functions need."""

import csv
import json
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


# x = ... of b.h:2, inlined at b.h:5:7, that at a.c:9:3, that at a.c:12:1.
INLINED = """\
define i32 @main() !dbg !10 {
  %x = add i32 1, 2, !dbg !20
  ret i32 %x, !dbg !24
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, emissionKind: FullDebug)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !DIFile(filename: "a.c", directory: "/d")
!3 = !DIFile(filename: "b.h", directory: "/d")
!4 = !DISubroutineType(types: !{})
!10 = distinct !DISubprogram(name: "main", file: !2, line: 12, type: !4,
  unit: !0, spFlags: DISPFlagDefinition)
!11 = distinct !DISubprogram(name: "inner", file: !3, line: 1, type: !4,
  unit: !0, spFlags: DISPFlagDefinition)
!12 = distinct !DISubprogram(name: "middle", file: !3, line: 4, type: !4,
  unit: !0, spFlags: DISPFlagDefinition)
!13 = distinct !DISubprogram(name: "outer", file: !2, line: 8, type: !4,
  unit: !0, spFlags: DISPFlagDefinition)
!20 = !DILocation(line: 2, column: 4, scope: !11, inlinedAt: !21)
!21 = distinct !DILocation(line: 5, column: 7, scope: !12, inlinedAt: !22)
!22 = distinct !DILocation(line: 9, column: 3, scope: !13, inlinedAt: !23)
!23 = distinct !DILocation(line: 12, column: 1, scope: !10)
!24 = !DILocation(line: 13, column: 1, scope: !10)
"""


def test_where_something_was_inlined_names_a_file_where_it_changes(tmp_path: Path):
    add, leave = tables(tmp_path, INLINED)[0]
    assert (add["file"], add["line"], add["column"]) == ("b.h", "2", "4")
    assert add["inlined_at"] == "b.h:5:7 a.c:9:3 12:1"
    assert leave["inlined_at"] == ""


def assumptions_of(source: str, tmp_path: Path) -> list[str]:
    tables(tmp_path, source)
    summary = json.loads((tmp_path / "out/summary.json").read_text(encoding="utf-8"))
    assumptions: list[str] = summary["assumptions"]
    return assumptions


def test_functions_that_may_hand_out_memory_of_their_own_are_named(tmp_path: Path) -> None:
    # new(std::nothrow) returns an address and posix_memalign stores one; there is no row for them.
    # A reference is nothing new, and malloc has a row.
    assumptions = assumptions_of(
        "declare noalias ptr @_ZnwmRKSt9nothrow_t(i64, ptr)\n"
        "declare i32 @posix_memalign(ptr, i64, i64)\n"
        "declare dereferenceable(8) ptr @_ZNSolsEi(ptr, i32)\n"
        "declare ptr @malloc(i64)\n"
        "define i32 @main() {\n"
        "  %a = call ptr @_ZnwmRKSt9nothrow_t(i64 8, ptr null)\n"
        "  %b = call i32 @posix_memalign(ptr null, i64 8, i64 8)\n"
        "  %c = call ptr @_ZNSolsEi(ptr null, i32 8)\n"
        "  %d = call ptr @malloc(i64 8)\n"
        "  ret i32 0\n}\n",
        tmp_path,
    )
    assert [note for note in assumptions if note.startswith("outside:")] == [
        "outside: what memory is handed out by _ZnwmRKSt9nothrow_t, posix_memalign is in no "
        "figure; the model table has no row for them"
    ]


def test_a_recursion_that_only_a_missing_function_may_close_names_it(tmp_path: Path) -> None:
    # elsewhere is given a's address and may call it back; with its source there might be no circle.
    assumptions = assumptions_of(
        "declare void @elsewhere(ptr)\n"
        "define internal i32 @a(i32 %n) {\n  call void @elsewhere(ptr @a)\n"
        "  %r = add i32 %n, 1\n  ret i32 %r\n}\n"
        "define i32 @main(i32 %n) {\n  %r = call i32 @a(i32 %n)\n  ret i32 %r\n}\n",
        tmp_path,
    )
    assert [note for note in assumptions if note.startswith("no bound:")] == [
        "no bound: a calls itself, by way of elsewhere, which the program does not define: add the "
        "source if you can; an annotation [recursion] says how deep"
    ]
    summary = json.loads((tmp_path / "out/summary.json").read_text(encoding="utf-8"))
    assert summary["unbounded_recursions"] == [["a"]]
    # n, 32 bits, at most before its addition; of the levels above nobody knows.
    assert summary["bounded_most_bits"] == 32


def test_rows_of_handlers_are_said_to_lack_what_they_interrupt(tmp_path: Path) -> None:
    assumptions = assumptions_of(
        "declare ptr @signal(i32, ptr)\n"
        "define internal void @on(i32 %number) {\n  ret void\n}\n"
        "define i32 @main() {\n  %old = call ptr @signal(i32 2, ptr @on)\n  ret i32 0\n}\n",
        tmp_path,
    )
    assert (
        "threads or signals: rows of on and what they call are without what the function keeps "
        "that a signal interrupts"
    ) in assumptions
