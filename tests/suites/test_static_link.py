# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A guest and our harness in one executable: names that clash, and all places where state lies."""

from pathlib import Path

import pytest

from laxity.suites.discover import discover
from laxity.suites.jobs import Guest, How, Job, run_session
from laxity.suites.program import Convention, Program, entries_of
from laxity.suites.static_link import unknown_sections
from laxity.suites.target import Link, Wanted
from laxity.suites.toolchain import Layout, Toolchain, make_toolchain

LISTING = """There are 9 section headers, starting at offset 0x580:

Section Headers:
  [Nr] Name              Type            Addr     Off    Size   ES Flg Lk Inf Al
  [ 0]                   NULL            00000000 000000 000000 00      0   0  0
  [ 1] .text             PROGBITS        00000000 000034 000010 00  AX  0   0  1
  [ 2] laxity_guest_data PROGBITS        00000000 000188 000018 00  WA  0   0  4
  [ 3] .tbss             NOBITS          00000000 0001a4 000004 00 WAT  0   0  4
  [ 4] .init_array.00100 INIT_ARRAY      00000000 0001a4 000004 04  WA  0   0  4
  [ 5] .data.rel.ro      PROGBITS        00000000 0001a4 000008 00  WA  0   0  4
  [ 6] counters          PROGBITS        00000000 0001ac 000004 00  WA  0   0  4
  [ 7] nothing           PROGBITS        00000000 0001ac 000000 00  WA  0   0  4
  [ 8] .debug_str        PROGBITS        00000000 0001ac 000010 01  MS  0   0  1
"""
WIDE = "  [10] odd               PROGBITS        0000000000000000 000180 000004 00  WA  0   0  4\n"


@pytest.fixture(scope="module")
def static() -> Toolchain:
    """Static links on this machine."""
    return make_toolchain(Wanted(link=Link.STATIC))


def jobs_of(toolchain: Toolchain, tmp_path: Path, text: str, isolation: str) -> tuple[Job, ...]:
    """Link a program of one file; run three jobs."""
    tree, build = tmp_path / "one", tmp_path / "build"
    tree.mkdir()
    build.mkdir()
    (tree / "one.c").write_text(text)
    (program,) = discover(tree, build, toolchain).programs
    outcome = toolchain.compile(tree / "one.c", build / "one.o", (), Layout.GUEST)
    assert outcome.is_done, outcome.text
    guest = build / "guest"
    outcome = toolchain.link_guest([build / "one.o"], guest, entries_of(program))
    assert outcome.is_done, outcome.text
    how = How(isolation=isolation, jobs=3)
    session = run_session(Guest(program, guest, runner=toolchain.target.runner(guest)), how)
    assert not session.failure
    return session.jobs


def codes(jobs: tuple[Job, ...]) -> list[int | None]:
    """Return what each job returned."""
    return [one.end.code if one.end else None for one in jobs]


def test_a_writable_section_that_is_neither_ours_nor_the_linker_s_is_unknown():
    # Empty ones hold no state; constructors and what is relocated once are no state of a job.
    assert unknown_sections(LISTING) == ["counters"]
    assert unknown_sections(WIDE) == ["odd"]


def test_a_program_may_use_the_names_of_our_functions_and_of_the_c_library(
    static: Toolchain, tmp_path: Path
):
    text = """
    void *laxity_guest_call(int n) { static int kept; kept += n; return &kept; }
    int benchmark_init(void) { return 3; }
    unsigned long strlen(const char *text) { (void)text; return 40; }
    static const char *volatile any = "any";
    int main(void) { laxity_guest_call(1); return benchmark_init() + (int)strlen(any); }
    """
    # 3 + 40: its own functions answer it, and neither us nor the C library.
    assert codes(jobs_of(static, tmp_path, text, "none")) == [43, 43, 43]


@pytest.mark.parametrize(
    "variable",
    [
        "static int count;",
        "static int count = 0; static int other = 7;",
        "int count;",
        "int count __attribute__((common));",
        'static int count __attribute__((section(".sbss")));',
        'static int count __attribute__((section(".sdata"))) = 0;',
        'static int count __attribute__((section(".data.own"))) = 0;',
        "static _Thread_local int count;",
        "static _Thread_local int before = 3, count = 0;",
    ],
)
def test_state_is_put_back_wherever_the_compiler_puts_it(
    static: Toolchain, tmp_path: Path, variable: str
):
    text = f"{variable}\nint main(void) {{ return ++count; }}\n"
    assert codes(jobs_of(static, tmp_path, text, "restore")) == [1, 1, 1]


def test_without_restoring_the_same_state_is_stale(static: Toolchain, tmp_path: Path):
    text = "static _Thread_local int count;\nint main(void) { return ++count; }\n"
    assert codes(jobs_of(static, tmp_path, text, "none")) == [1, 2, 3]


def test_a_constructor_runs_once_and_what_it_has_set_is_put_back(static: Toolchain, tmp_path: Path):
    text = """
    static int count;
    __attribute__((constructor)) static void begin(void) { count += 10; }
    int main(void) { return ++count; }
    """
    assert codes(jobs_of(static, tmp_path, text, "restore")) == [11, 11, 11]


def test_each_convention_names_the_functions_of_its_steps():
    program = Program(
        name="a", directory=".", convention=Convention.INIT_MAIN_RETURN, prefix="b", sources=()
    )
    assert entries_of(program) == {"init": "b_init", "job": "b_main", "check": "b_return"}
