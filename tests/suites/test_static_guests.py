# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The mini-programs, each linked statically into one executable with the harness."""

import shutil
from pathlib import Path

import pytest
from tests.suites.test_vetting import EXPECTED, JOBS, PROGRAMS

from laxity.suites.classify import Vetted
from laxity.suites.discover import discover
from laxity.suites.jobs import require_tools
from laxity.suites.observed import Mode
from laxity.suites.target import Link, Wanted
from laxity.suites.toolchain import Toolchain, make_toolchain
from laxity.suites.vetting import VetRequest, vet_all

# What a static link makes of a program where that is not what a shared object makes of it, and why.
STATIC_DIFFERS: dict[str, tuple[set[str], Mode | None]] = {
    # Its section has neither bounds nor a known name: rather no mode than state that is missed.
    "own_section": ({"build failure"}, None),
    # Nobody hears its check within the job: rather no mode than wrong jobs that are called right.
    "regions_of_interest": ({"build failure"}, None),
    "regions_wrong_check": ({"build failure"}, None),
    # Where the C library is a part of the executable its work is not told apart.
    "aligned_blocks": ({"changing work"}, Mode.FORK),
    "cxx_clean": ({"unwatched"}, Mode.FORK),
}
# Each is judged by something else that a static link does otherwise than a loader: bounds of small
# data and of thread-local variables, order of data, names of exit(), allocator, streams and clocks,
# signals, threads and children of a process without a loader, instructions.
FEW = (
    "small_data",
    "thread_local_state",
    "own_section",
    "out_of_bounds",
    "exits",
    "stream_leak",
    "small_heap_leak",
    "prints_time",
    "crash_in_second_job",
    "thread_left",
    "shrinking_work",
    "libc_state",
    "child_exits",
    "joined_threads",
    "static_jmp_buf",
    "cxx_clean",
    "cxx_stale",
)


def expected_of(name: str, link: Link) -> tuple[set[str], Mode | None]:
    """Return classes and mode of a mini-program, however it is linked."""
    return STATIC_DIFFERS.get(name, EXPECTED[name]) if link is Link.STATIC else EXPECTED[name]


def programs_for(toolchain: Toolchain) -> tuple[str, ...]:
    """Name the mini-programs that a target's compilers can compile: not each has one of C++."""
    has_cxx = shutil.which(toolchain.cxx[0]) is not None
    return tuple(name for name in EXPECTED if has_cxx or not name.startswith("cxx_"))


def vet_some(wanted: Wanted, build: Path, names: tuple[str, ...]) -> dict[str, Vetted]:
    """Vet some mini-programs as a target has them."""
    toolchain = make_toolchain(wanted)
    require_tools(toolchain.target)
    found = discover(PROGRAMS, build, toolchain)
    assert {one.name for one in found.programs} == set(programs_for(toolchain))
    vetting = build / "vet"
    vetting.mkdir()
    programs = [one for one in found.programs if one.name in names]
    verdicts = vet_all(VetRequest(PROGRAMS, vetting, toolchain, JOBS), programs, lambda _: None)
    return {one.program: one for one in verdicts}


@pytest.fixture(scope="module")
def vetted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Vetted]:
    """A few of them, vetted once."""
    return vet_some(Wanted(link=Link.STATIC), tmp_path_factory.mktemp("few"), FEW)


@pytest.mark.parametrize("name", FEW)
def test_a_mini_program_is_judged_alike_in_a_static_link(vetted: dict[str, Vetted], name: str):
    one = vetted[name]
    assert (set(one.classes), one.mode) == expected_of(name, Link.STATIC), (
        one.verdict,
        one.evidence,
    )


def test_a_writable_section_that_nobody_knows_is_refused_by_name(vetted: dict[str, Vetted]):
    verdict = vetted["own_section"].verdict
    assert "writable section own_counters" in verdict
    assert "use --link dynamic" in verdict


@pytest.mark.slow
def test_every_mini_program_is_judged_alike_in_a_static_link(tmp_path: Path):
    verdicts = vet_some(Wanted(link=Link.STATIC), tmp_path, tuple(EXPECTED))
    got = {name: (set(one.classes), one.mode) for name, one in verdicts.items()}
    assert got == {name: expected_of(name, Link.STATIC) for name in EXPECTED}
