# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Which programs of a suite are left out on a simulated platform, and for what."""

from typing import Any

import pytest

from laxity.suites.observed import Mode
from laxity.suites.portable import why_asks_kernel, why_not_portable
from laxity.suites.program import Convention, Given, Input, Program
from laxity.suites.result import ProgramClass
from laxity.suites.vetting_file import VettedProgram

# FNV-1a of nothing: its offset basis, 14695981039346656037.
NOTHING = "cbf29ce484222325"


def why_not(
    mode: Mode = Mode.NONE,
    files: str = NOTHING,
    *classes: str,
    **given: Any,  # noqa: ANN401 - as Given
) -> str:
    program = Program(
        name="p", directory="p", convention=Convention.MAIN, sources=("p.c",), given=Given(**given)
    )
    vetted = VettedProgram(
        name="p", convention=Convention.MAIN, sources_sha256="0" * 64,
        classes=[*map(ProgramClass, classes)],
        verdict=str(mode), evidence=[], mode=mode, expected=f"returned:0:-:{NOTHING}:{files}",
    )  # fmt: skip
    return why_not_portable(program, vetted)


@pytest.mark.parametrize("mode", [Mode.NONE, Mode.REINIT, Mode.RESTORE])
def test_what_only_computes_is_portable_in_each_mode_of_one_process(mode: Mode):
    assert not why_not(mode)
    assert not why_not(mode, "-", "heap leak", words=("8",))


@pytest.mark.parametrize("mode", [Mode.FORK, Mode.EXEC])
def test_modes_that_make_processes_are_named(mode: Mode):
    assert why_not(mode) == f"mode {mode}: processes are not simulated; no cheaper mode is right"


def test_programs_that_read_or_write_files_are_named():
    reads = "it reads files, which are not simulated"
    assert why_not(stdin="/in.txt") == reads
    assert why_not(inputs=(Input(path="/a.pgm", name="in/a.pgm"),)) == reads
    assert why_not(Mode.NONE, "0" * 16) == "it writes files, which are not simulated"


def test_a_region_of_interest_that_was_asked_for_is_named():
    seen = "its region of interest is not seen in a static link"
    assert why_not(roi=(("begin", "end"),)) == seen
    assert why_not(roi_check="is_right") == seen


def test_what_only_restoring_a_process_would_cure_is_named():
    assert why_not(Mode.RESTORE, NOTHING, "stale state", "fd leak").startswith("fd leak: outside")
    assert not why_not(Mode.NONE, NOTHING, "fd leak")


def test_threads_and_processes_are_seen_by_what_a_program_calls():
    assert why_asks_kernel({"printf", "fork"}) == "it makes processes, which are not simulated"
    assert why_asks_kernel({"pthread_create"}) == "it makes threads, which are not simulated"
    assert not why_asks_kernel({"printf", "forklift", "time"})
