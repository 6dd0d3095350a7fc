# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Mini-programs, each with one defect in the shape of one convention, and what vetting says."""

import shutil
from pathlib import Path

import pytest

from laxity.suites.classify import Vetted
from laxity.suites.discover import discover
from laxity.suites.jobs import require_tools
from laxity.suites.observed import Mode
from laxity.suites.toolchain import Toolchain
from laxity.suites.vetting import VetRequest, vet_all

PROGRAMS = Path(__file__).parent / "programs"
JOBS = 4

# Classes and mode of each; the defect is described at the top of its source.
EXPECTED: dict[str, tuple[set[str], Mode | None]] = {
    "clean_sum": ({"clean"}, Mode.NONE),
    "hooks_clean": ({"clean"}, Mode.NONE),
    "embench_clean": ({"clean"}, Mode.NONE),
    "embench_zero": ({"clean"}, Mode.NONE),
    "embench_threshold": ({"clean"}, Mode.NONE),
    "embench_any_value": ({"clean"}, Mode.NONE),
    "expected_value": ({"clean"}, Mode.NONE),
    "child_exits": ({"unwatched"}, Mode.FORK),
    "joined_threads": ({"clean"}, Mode.NONE),
    "static_jmp_buf": ({"clean"}, Mode.NONE),
    "aligned_blocks": ({"clean"}, Mode.NONE),
    "regions_of_interest": ({"clean"}, Mode.NONE),
    # Nobody compares what C++ allocates, nor puts it back.
    "cxx_clean": ({"unwatched"}, Mode.FORK),
    "cxx_stale": ({"unwatched", "stale state", "heap leak"}, Mode.FORK),
    "cxx_terminates": ({"crash"}, None),
    "stale_static": ({"stale state"}, Mode.RESTORE),
    "small_data": ({"stale state"}, Mode.RESTORE),
    "thread_local_state": ({"stale state"}, Mode.RESTORE),
    "own_section": ({"stale state"}, Mode.RESTORE),
    "crash_in_second_job": ({"stale state"}, Mode.RESTORE),
    "libc_state": ({"stale state", "process attributes left"}, Mode.FORK),
    "embench_unchecked": (
        {"vacuous check", "stale state", "process attributes left"},
        Mode.FORK,
    ),
    "init_outside_main": ({"stale state"}, Mode.REINIT),
    # Their state lies in the working directory.
    "appends_file": ({"stale state"}, Mode.RESTORE),
    "refuses_old_file": ({"stale state"}, Mode.RESTORE),
    "held_stream": ({"stale state", "process attributes left"}, Mode.RESTORE),
    "shrinking_work": ({"shrinking work"}, Mode.REINIT),
    "exits": ({"exit"}, Mode.NONE),
    "descriptor_leak": ({"fd leak", "process attributes left"}, Mode.RESTORE),
    "stream_leak": ({"fd leak", "heap leak", "process attributes left"}, Mode.RESTORE),
    "small_heap_leak": ({"heap leak"}, Mode.RESTORE),
    "large_heap_leak": ({"heap leak"}, Mode.RESTORE),
    "vacuous_check": ({"vacuous check"}, Mode.NONE),
    "uninitialised_read": ({"reads uninitialised memory"}, Mode.FORK),
    "uninitialised_frame": ({"reads uninitialised memory"}, Mode.RESTORE),
    "out_of_bounds": ({"layout dependent"}, Mode.NONE),
    # Nothing but a sanitizer sees these.
    "heap_overflow": ({"clean"}, Mode.NONE),
    "signed_overflow": ({"clean"}, Mode.NONE),
    "prints_time": ({"prints time"}, Mode.NONE),
    "thread_left": ({"thread left"}, Mode.FORK),
    "handler_left": ({"signal handler left"}, Mode.RESTORE),
    "reads_input": ({"needs input"}, None),
    "failing_check": ({"wrong result"}, None),
    "regions_wrong_check": ({"wrong result"}, None),
    "fails_at_once": ({"wrong result"}, None),
    "never_alike": ({"not repeatable"}, None),
}


@pytest.fixture(scope="module")
def vetted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Vetted]:
    """All of them, vetted once."""
    require_tools()
    toolchain = Toolchain()
    found = discover(PROGRAMS, tmp_path_factory.mktemp("discover"), toolchain)
    request = VetRequest(PROGRAMS, tmp_path_factory.mktemp("vet"), toolchain, JOBS)
    verdicts = vet_all(request, found.programs, lambda _: None)
    return {one.program: one for one in verdicts}


def test_every_mini_program_has_an_expected_verdict():
    assert {path.name for path in PROGRAMS.iterdir()} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_mini_program_gets_its_classes_and_its_cheapest_right_mode(
    vetted: dict[str, Vetted], name: str
):
    one = vetted[name]
    assert (set(one.classes), one.mode) == EXPECTED[name], (one.verdict, one.evidence)


def test_a_silent_defect_is_told_with_its_instructions(vetted: dict[str, Vetted]):
    # 63 values that move 63 places at most: thousands of instructions; sorted already: hundreds.
    evidence = vetted["shrinking_work"].evidence[0]
    words = evidence.split()
    shrunk, fresh = int(words[words.index("is") + 1]), int(words[words.index("state") + 1])
    assert shrunk * 5 < fresh
    assert "(3 of 4 jobs)" in evidence


def test_a_small_leak_is_told_to_the_byte(vetted: dict[str, Vetted]):
    assert "24 B of heap more after each job" in vetted["small_heap_leak"].evidence[0]


def test_a_large_leak_is_told_to_the_byte(vetted: dict[str, Vetted]):
    assert "1048576 B of heap more after each job" in vetted["large_heap_leak"].evidence[0]


def test_state_that_nobody_can_put_back_is_said_to_lie_elsewhere(vetted: dict[str, Vetted]):
    assert "outside the program's own data" in vetted["libc_state"].evidence[0]


def test_a_file_that_differs_is_told_by_name_and_job(vetted: dict[str, Vetted]):
    # "42" and a newline per job.
    assert (
        "job 1: its file result.txt has other contents (6 B, in a fresh process 3 B)"
        in (vetted["appends_file"].evidence[0])
    )


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("reads_input", "it reads standard input"),
        ("failing_check", "its own main ends with exit code 1"),
        ("regions_wrong_check", "its check returned -1, and 1 is right"),
        ("fails_at_once", "usage: fails_at_once FILE"),
        ("never_alike", "two fresh processes have different results: one writes other output"),
        ("never_alike", 'line 1 is "'),
        ("cxx_terminates", "a fresh process ends by signal 6"),
    ],
)
def test_a_program_without_a_golden_result_is_rejected_with_the_reason(
    vetted: dict[str, Vetted], name: str, reason: str
):
    assert vetted[name].verdict.startswith("rejected: ")
    assert reason in vetted[name].verdict


def test_output_that_differs_is_told_by_its_first_line(vetted: dict[str, Vetted]):
    # rand() without srand() begins so in glibc.
    assert (
        'line 1 is "846930886", in a fresh process "1804289383"'
        in (vetted["libc_state"].evidence[0])
    )


def test_a_check_that_checks_nothing_is_said_to_be_none(vetted: dict[str, Vetted]):
    assert (
        "returned -1, which says that it checks nothing"
        in (vetted["embench_unchecked"].evidence[0])
    )


def test_a_program_that_cannot_be_built_is_rejected_with_the_compiler_s_words(tmp_path: Path):
    tree, build = tmp_path / "tree", tmp_path / "build"
    shutil.copytree(PROGRAMS / "exits", tree / "exits")
    build.mkdir()
    toolchain = Toolchain()
    found = discover(tree, build, toolchain).programs[0]
    (tree / "exits" / "exits.c").write_text("int main(void) { return wrong; }\n")
    vetted = vet_all(VetRequest(tree, build, toolchain, JOBS), [found], lambda _: None)[0]
    assert (vetted.classes, vetted.mode) == (("build failure",), None)
    assert "wrong" in vetted.verdict
