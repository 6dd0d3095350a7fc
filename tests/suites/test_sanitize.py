# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What sanitizers find in mini-programs, and how their reports are read."""

from pathlib import Path

import pytest

from laxity.errors import PlatformError
from laxity.suites.classify import Vetted
from laxity.suites.discover import discover
from laxity.suites.jobs import Guest
from laxity.suites.observed import Mode
from laxity.suites.result import ProgramClass
from laxity.suites.sanitize import (
    Finding,
    Findings,
    find,
    read_asan,
    read_memcheck,
    read_ubsan,
    require_sanitizers,
    why_nothing_told,
    with_findings,
)
from laxity.suites.toolchain import Toolchain

PROGRAMS = Path(__file__).parent / "programs"
ROOT = Path("/suite")
TIMEOUT_S = 10.0

# Kind and line of each; lines are counted in the sources.
EXPECTED = {
    "out_of_bounds": {
        ("memory error", "out_of_bounds/out_of_bounds.c:19"),
        ("undefined behaviour", "out_of_bounds/out_of_bounds.c:19"),
    },
    "heap_overflow": {("memory error", "heap_overflow/heap_overflow.c:21")},
    "signed_overflow": {("undefined behaviour", "signed_overflow/signed_overflow.c:24")},
    "uninitialised_read": {
        ("reads uninitialised memory", "uninitialised_read/uninitialised_read.c:34")
    },
    # What is not freed at the end is no error.
    "large_heap_leak": set(),
    "stream_leak": set(),
    "clean_sum": set(),
    "hooks_clean": set(),
    "embench_clean": set(),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_each_kind_of_defect_is_found_at_its_line_and_nothing_else(name: str, tmp_path: Path):
    toolchain = Toolchain()
    (tmp_path / "discover").mkdir()
    program = next(
        one
        for one in discover(PROGRAMS / name, tmp_path / "discover", toolchain).programs
        if one.name == name
    )
    findings = find(
        toolchain, PROGRAMS / name, tmp_path, Guest(program, tmp_path / "none"), TIMEOUT_S
    )
    assert findings.failure == ""
    assert {(one.kind, f"{name}/{one.place}") for one in findings.found} == EXPECTED[name]


def test_a_compiler_without_sanitizers_is_told_with_what_to_install(tmp_path: Path):
    refusing = tmp_path / "cc"
    refusing.write_text('#!/bin/sh\necho "error: no libasan" >&2\nexit 1\n')
    refusing.chmod(0o755)
    with pytest.raises(PlatformError, match=r"no libasan.*libasan8"):
        require_sanitizers(Toolchain(cc=(str(refusing),)))


VETTED = Vetted(
    program="p", classes=(ProgramClass.CLEAN,), mode=Mode.NONE, verdict="right", evidence=()
)
FOUND = Finding(ProgramClass.MEMORY_ERROR, "a.c:3", "heap-use-after-free, read of 4 B")


def test_a_finding_is_a_class_and_evidence_and_changes_no_mode():
    told = with_findings(VETTED, Findings((FOUND,)))
    assert (told.classes, told.mode, told.verdict) == (("memory error",), Mode.NONE, "right")
    assert told.evidence == ("memory error at a.c:3: heap-use-after-free, read of 4 B",)


def test_a_program_without_findings_stays_clean():
    assert with_findings(VETTED, Findings(())) == VETTED


def test_a_sanitizer_that_told_nothing_is_no_clean_bill():
    told = with_findings(VETTED, Findings((), "memcheck: wrote no report"))
    assert told.evidence == ("sanitizers: memcheck: wrote no report",)


ASAN = """\
=================================================================
==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x1 bp 0x2 sp 0x3
READ of size 4 at 0x602000000010 thread T0
    #0 0x7f11 in __interceptor_memcpy ../../../../src/libsanitizer/asan/asan_interceptors.cc:827
    #1 0x5512 in helper(int) /usr/include/bits/string.h:29:3
    #2 0x5513 in job /suite/p/p.c:12:9
    #3 0x5514 in main /suite/p/p.c:30

freed by thread T0 here:
    #0 0x7f15 in free (/lib/libasan.so+0x1)
    #1 0x5516 in job /suite/p/p.c:10

"""


def test_the_place_of_an_access_is_the_first_frame_of_the_suite_s_own():
    words = "heap-use-after-free, read of 4 B"
    assert read_asan(ASAN, ROOT) == [Finding(ProgramClass.MEMORY_ERROR, "/suite/p/p.c:12", words)]


def test_a_program_that_was_killed_in_the_middle_of_its_report_is_told_without_a_place():
    cut = "==7==ERROR: AddressSanitizer: SEGV on unknown address 0x0 (pc 0x1 bp 0x2 sp 0x3 T0)"
    assert read_asan(cut, ROOT) == [
        Finding(ProgramClass.MEMORY_ERROR, "a place without a line", "SEGV")
    ]


def test_undefined_behaviour_is_read_line_by_line():
    text = "usage: p\n/suite/p.c:3:5: runtime error: signed integer overflow: 1 + 2\n"
    words = "signed integer overflow: 1 + 2"
    assert read_ubsan(text) == [Finding(ProgramClass.UNDEFINED, "/suite/p.c:3", words)]


ERROR = """\
<error><kind>UninitCondition</kind><what>Conditional jump</what>
<stack><frame><fn>printf</fn></frame>
<frame><dir>/suite/p</dir><file>p.c</file><line>9</line></frame></stack></error>
"""


def test_a_report_of_memcheck_that_ends_too_soon_is_read_as_far_as_it_goes():
    found = Finding(ProgramClass.UNINITIALISED, "/suite/p/p.c:9", "Conditional jump")
    assert read_memcheck(f"<valgrindoutput>{ERROR}<error><kind>Inv", ROOT) == [found]


def test_a_leak_in_memcheck_s_report_is_no_finding():
    leak = ERROR.replace("UninitCondition", "Leak_DefinitelyLost")
    assert read_memcheck(f"<valgrindoutput>{leak}</valgrindoutput>", ROOT) == []


def test_sanitizer_that_could_not_begin_found_no_error_of_the_program():
    # Under ulimit -v 4000000.
    text = (
        "==802==ERROR: AddressSanitizer failed to allocate 0xdfff0001000 (15392894357504) bytes at "
        "address 2008fff7000 (errno: 12)\n==802==ReserveShadowMemoryRange failed\n\n"
    )
    assert read_asan(text, ROOT) == []
    assert why_nothing_told(text, -6) == "failed to allocate what it needs (ulimit -v?)"


def test_program_that_a_signal_ended_silently_is_not_clean():
    assert why_nothing_told("", -9) == "ended by signal 9, and nothing was told"
    assert why_nothing_told("done\n", 0) == ""
