# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Verdicts on jobs that are made up."""

from dataclasses import replace

import msgspec
import pytest

from laxity.suites.classify import Kind, Vetted, classify, deviations, reference_work
from laxity.suites.jobs import BASIC_BLOCKS, End, GuestFile, Job, OwnRun, Session
from laxity.suites.observed import Mode, Observed
from laxity.suites.program import Convention, Program
from laxity.suites.work import Work

PROGRAM = Program(
    name="p", directory="p", convention=Convention.INIT_MAIN_RETURN, prefix="p", sources=("p/p.c",)
)
ORDER = (Mode.NONE, Mode.RESTORE, Mode.FORK, Mode.EXEC)
RIGHT = Job(
    job=0,
    init=End("returned", 0),
    end=End("returned", 0),
    check=End("returned", 0),
    output_bytes=0,
    output="h",
    complaint="",
    input_bytes=0,
    state="s",
    heap_bytes=0,
    descriptors=0,
    threads=0,
    handlers=[],
    duration_ns=1,
    isolating_ns=1,
)


def job(number: int, **changes: object) -> Job:
    """A right job but for some fields."""
    return msgspec.structs.replace(RIGHT, job=number, **changes)


def session(*jobs: Job, work: tuple[int, ...] = ()) -> Session:
    """Jobs of one process."""
    return Session(jobs, work=work)


FRESH = session(RIGHT)
THREE = session(*(job(number) for number in range(3)))


def observed(none: Session = THREE, none_work: tuple[int, ...] = (1000, 1000, 1000)) -> Observed:
    """A program that is right but for mode none."""
    works = {
        Mode.NONE: replace(THREE, work=none_work),
        Mode.RESTORE: replace(THREE, work=(1000, 1000, 1000)),
    }
    return Observed(
        program=PROGRAM,
        fresh=(FRESH, FRESH),
        timeless=(FRESH, FRESH),
        filled=((FRESH, FRESH), (FRESH, FRESH)),
        other_layout=(FRESH, FRESH),
        sampled=FRESH,
        checked_only=session(job(0, check=End("returned", 1))),
        own=OwnRun(0, "h", 0),
        modes={Mode.NONE: none, Mode.RESTORE: THREE, Mode.FORK: THREE},
        works=works,
    )


def classes(seen: Observed) -> tuple[str, ...]:
    """The classes of a program of these."""
    return classify("p", seen, ORDER).classes


@pytest.mark.parametrize(
    ("imports", "is_clean"), [(frozenset(), False), ({"pthread_create"}, True)]
)
def test_waiting_for_a_thread_or_not_is_no_work_of_a_job(imports: frozenset[str], is_clean: bool):
    """One job of four of a static link took 107 of 9524 instructions less: no state shrinks it."""
    seen = replace(observed(none_work=(1000, 1000, 893)), imports=imports)
    assert (classes(seen) == ("clean",)) == is_clean
    assert classes(replace(observed(none_work=(9000, 9000, 4000)), imports=imports)) != ("clean",)


def test_a_program_whose_jobs_are_all_alike_is_clean_and_needs_no_isolation():
    vetted = classify("p", observed(), ORDER)
    assert (vetted.classes, vetted.mode) == (("clean",), Mode.NONE)


@pytest.mark.parametrize(("work", "mode"), [(9900, Mode.NONE), (9899, Mode.RESTORE)])
def test_a_job_may_be_one_percent_less_work_and_no_less(work: int, mode: Mode):
    # 1 % of 10000 is 100, more than the 64 instructions that are always allowed.
    seen = observed(none_work=(10000, work, work))
    works = {**seen.works, Mode.RESTORE: replace(THREE, work=(10000, 10000, 10000))}
    assert classify("p", replace(seen, works=works), ORDER).mode == mode


@pytest.mark.parametrize(("work", "mode"), [(1064, Mode.NONE), (1065, Mode.RESTORE)])
def test_a_short_job_may_differ_by_64_instructions_and_no_more(work: int, mode: Mode):
    assert classify("p", observed(none_work=(1000, work, work)), ORDER).mode == mode


@pytest.mark.parametrize(
    ("own", "library", "mode"),
    [
        # 4096 of the libraries' are always allowed, 64 of the program's own.
        (1064, 5096, Mode.NONE),
        (1064, 5097, Mode.RESTORE),
        (1065, 1000, Mode.RESTORE),
        # Fewer of the one are not made up for by more of the other.
        (500, 1500, Mode.RESTORE),
    ],
)
def test_work_of_libraries_may_differ_by_4096_instructions_and_the_program_s_own_by_64(
    own: int, library: int, mode: Mode
):
    fresh = (1000, 1000)  # of both kinds

    def counted(*jobs: tuple[int, int]) -> Session:
        return replace(
            THREE,
            work=tuple(sum(one) for one in jobs),
            library_work=tuple(one[1] for one in jobs),
        )

    works = {
        Mode.NONE: counted(fresh, (own, library), fresh),
        Mode.RESTORE: counted(fresh, fresh, fresh),
    }
    assert classify("p", replace(observed(), works=works), ORDER).mode == mode


@pytest.mark.parametrize(("work", "mode"), [(108, Mode.NONE), (109, Mode.RESTORE)])
def test_a_short_job_may_differ_by_8_basic_blocks_and_no_more(work: int, mode: Mode):
    # 64 instructions at 8 a block; 1 % of 100 is 1.
    blocks = replace(THREE, work_unit=BASIC_BLOCKS)
    works = {
        Mode.NONE: replace(blocks, work=(100, work, work)),
        Mode.RESTORE: replace(blocks, work=(100, 100, 100)),
    }
    vetted = classify("p", replace(observed(), works=works), ORDER)
    assert vetted.mode == mode
    assert all("basic blocks" in one for one in vetted.evidence)


@pytest.mark.parametrize("more", [(), (1000,), (5000, 1000, 9000)])
def test_work_with_fresh_state_does_not_depend_on_the_number_of_jobs(more: tuple[int, ...]):
    # The second job with restored state, whatever comes after it.
    restored = replace(THREE, work=(5000, 1000, 1000, *more))
    seen = replace(observed(), works={Mode.NONE: THREE, Mode.RESTORE: restored})
    assert reference_work(seen) == Work(1000)


def test_a_first_job_that_is_other_work_of_the_program_itself_is_wrong():
    # 1065 - 1000 is more than 64; the library, which warms up in a first job, may be any.
    def counted(own: int, library: int) -> Session:
        jobs = [(own, library), (1000, 2000), (1000, 2000)]
        work = tuple(sum(parts) for parts in jobs)
        return replace(THREE, work=work, library_work=tuple(parts[1] for parts in jobs))

    for own, mode in ((1064, Mode.NONE), (1065, Mode.RESTORE)):
        works = {Mode.NONE: counted(own, 30000), Mode.RESTORE: counted(1000, 30000)}
        assert classify("p", replace(observed(), works=works), ORDER).mode == mode


def test_work_that_nobody_counted_is_said_to_be_uncounted():
    vetted = classify("p", replace(observed(), works={}), ORDER)
    assert vetted.mode == Mode.NONE
    assert "its work was not counted" in vetted.evidence[0]


def test_work_that_grows_is_wrong_and_is_called_changing():
    vetted = classify("p", observed(none_work=(1000, 2000, 3000)), ORDER)
    assert (vetted.classes, vetted.mode) == (("changing work",), Mode.RESTORE)


def test_a_first_job_that_warms_the_c_library_up_is_no_shrinking_work():
    # 1000 instructions with restored state, whatever a first job takes.
    assert classes(observed(none_work=(5000, 1000, 1000))) == ("clean",)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ((), "does not leave the file a, which is there in a fresh process"),
        ((GuestFile("a", 2, "y"),), "its file a has other contents (2 B, in a fresh process 1 B)"),
        (
            (GuestFile("a", 1, "x"), GuestFile("b", 0, "")),
            "leaves a file b, which is not there in a fresh process",
        ),
        # Beyond the files that are named.
        ((GuestFile("a", 1, "x"),), "leaves other files than a fresh process"),
    ],
)
def test_a_job_in_the_middle_that_leaves_other_files_is_wrong(
    files: tuple[GuestFile, ...], words: str
):
    golden = job(0, files_hash="f", files=(GuestFile("a", 1, "x"),))
    right = [msgspec.structs.replace(golden, job=number) for number in (0, 2)]
    seen = observed(session(right[0], job(1, files_hash="g", files=files), right[1]))
    seen = replace(seen, timeless=(session(golden), session(golden)))
    assert f"job 1: {words} (1 of 3 jobs)" in deviations(seen, Mode.NONE)[0].words


def test_heap_that_is_taken_once_is_no_leak():
    held = session(job(0, heap_bytes=0), job(1, heap_bytes=64), job(2, heap_bytes=64))
    assert classes(observed(held)) == ("clean",)


def test_heap_that_grows_in_every_job_is_a_leak():
    held = session(job(0, heap_bytes=1), job(1, heap_bytes=2), job(2, heap_bytes=3))
    assert classes(observed(held)) == ("heap leak",)


def test_heap_that_is_not_counted_is_no_leak():
    held = session(*(job(number, heap_bytes=None) for number in range(3)))
    assert classes(observed(held)) == ("clean",)


def test_a_descriptor_that_the_first_job_keeps_is_no_leak():
    kept = session(*(job(number, descriptors=1) for number in range(3)))
    assert classes(observed(kept)) == ("clean",)


def test_state_that_drifts_makes_a_mode_wrong_though_every_result_is_right():
    drifting = session(job(0), job(1, state="t"), job(2, state="u"))
    vetted = classify("p", observed(drifting), ORDER)
    assert (vetted.classes, vetted.mode) == (("stale state",), Mode.RESTORE)


def test_a_check_that_passes_without_the_job_is_vacuous():
    seen = replace(observed(), checked_only=FRESH)
    assert classes(seen) == ("vacuous check",)


def test_a_result_that_depends_on_the_same_byte_in_the_same_way_is_uninitialised_memory():
    other = session(job(0, output="i"))
    seen = replace(observed(), filled=((other, other), (FRESH, FRESH)))
    assert classes(seen) == ("reads uninitialised memory",)


def test_a_result_that_differs_under_the_same_byte_proves_nothing_of_memory():
    other = session(job(0, output="i"))
    seen = replace(observed(), filled=((other, FRESH), (FRESH, FRESH)))
    assert "reads uninitialised memory" not in classes(seen)


def test_a_result_that_differs_in_one_of_two_equal_layouts_proves_nothing_of_layout():
    other = session(job(0, output="i"))
    assert "layout dependent" not in classes(replace(observed(), other_layout=(other, FRESH)))


def test_a_difference_that_nothing_explains_gets_no_class():
    # Only a new process helps, and the result depends on what memory held before.
    other = session(job(0, output="i"))
    wrong = session(job(0), job(1, output="i"), job(2, output="i"))
    seen = observed(wrong)
    modes = {Mode.NONE: wrong, Mode.RESTORE: wrong, Mode.FORK: wrong}
    seen = replace(seen, modes=modes, filled=((other, other), (FRESH, FRESH)))
    vetted = classify("p", seen, ORDER)
    assert (vetted.classes, vetted.mode) == (("reads uninitialised memory",), Mode.EXEC)


def test_a_process_that_ended_before_its_last_job_is_wrong():
    ended = Session((job(0),), "ended its process: signal 11")
    assert {one.kind for one in deviations(observed(ended), Mode.NONE)} == {Kind.END}


def test_what_a_child_has_left_goes_with_it():
    left = session(*(job(n, threads=1, handlers=[10], descriptors=n) for n in range(3)))
    seen = observed(left)
    seen = replace(seen, modes={**seen.modes, Mode.RESTORE: left, Mode.FORK: left})
    assert classify("p", seen, ORDER).mode == Mode.FORK


def test_a_program_whose_own_main_fails_is_rejected():
    vetted = classify("p", replace(observed(), own=OwnRun(3, "h", 0)), ORDER)
    assert vetted.mode is None
    assert "exit code 3" in vetted.verdict


def test_a_check_that_is_not_0_is_right_if_the_program_s_own_main_says_so():
    other = session(job(0, check=End("returned", 400)))
    three = session(*(job(number, check=End("returned", 400)) for number in range(3)))
    seen = replace(
        observed(),
        fresh=(other, other),
        timeless=(other, other),
        filled=((other, other),),
        other_layout=(other, other),
        modes=dict.fromkeys(ORDER[:3], three),
    )
    assert classes(seen) == ("clean",)


def test_a_check_that_is_not_0_without_a_main_that_could_say_so_is_rejected():
    other = session(job(0, check=End("returned", 400)))
    seen = replace(observed(), timeless=(other, other), own=None)
    assert "400" in classify("p", seen, ORDER).verdict


@pytest.mark.parametrize("code", [-1, 1, 25])
def test_a_check_of_embench_is_right_whatever_it_returns_but_0(code: int):
    assert embench(code).mode == Mode.NONE


def test_a_check_of_embench_that_returns_0_is_wrong():
    assert embench(0).verdict == "rejected: its check returned 0, and 0 is wrong"


def embench(code: int) -> Vetted:
    """A program of Embench's functions whose check returns a value after each job."""
    checked = [job(number, check=End("returned", code)) for number in range(3)]
    other, three = session(checked[0]), session(*checked)
    seen = replace(
        observed(),
        program=msgspec.structs.replace(PROGRAM, convention=Convention.EMBENCH),
        fresh=(other, other),
        timeless=(other, other),
        filled=((other, other),),
        other_layout=(other, other),
        own=None,
        modes=dict.fromkeys(ORDER[:3], three),
    )
    return classify("p", seen, ORDER)


def test_two_fresh_processes_that_differ_are_told_by_the_first_line_of_the_file_that_differs():
    files = [job(0, files_hash=one, files=(GuestFile("a", 4, one),)) for one in "xy"]
    sessions = [
        replace(session(one), contents={"a": text})
        for one, text in zip(files, (b"1\n2\n", b"1\n3\n"), strict=True)
    ]
    seen = replace(observed(), timeless=tuple(sessions), filled=())
    assert classify("p", seen, ORDER).verdict == (
        "rejected: two fresh processes have different results: one its file a has other contents "
        '(4 B, in the next one 4 B): line 2 is "2", in the next one "3"'
    )


PLACE = session(RIGHT)
ELSEWHERE = session(job(0, output="i"))


def test_a_job_that_leaves_other_heap_contents_is_stale_though_its_data_are_alike():
    drifting = session(job(0, heap="a"), job(1, heap="b"), job(2, heap="c"))
    seen = replace(observed(), states={Mode.NONE: drifting, Mode.RESTORE: THREE})
    vetted = classify("p", seen, ORDER)
    assert (vetted.classes, vetted.mode) == (("stale state",), Mode.RESTORE)
    assert "job 1 leaves other contents of its heap than job 0 (2 of 3 jobs)" in vetted.evidence[0]


def test_an_attribute_that_only_one_job_leaves_changed_is_left():
    # The third job undoes what the second one did.
    left = session(job(0), job(1, attributes=("nice value",)), job(2))
    vetted = classify("p", observed(left), ORDER)
    assert (vetted.classes, vetted.mode) == (("process attributes left",), Mode.RESTORE)
    assert "changed after a job: nice value" in vetted.evidence[0]


def test_a_result_that_is_another_one_elsewhere_depends_on_the_place():
    seen = replace(observed(), elsewhere=(PLACE, ELSEWHERE, PLACE))
    assert classes(seen) == ("depends on time or randomness",)


def test_a_result_that_is_another_one_in_the_same_place_is_random():
    seen = replace(observed(), elsewhere=(PLACE, PLACE, ELSEWHERE))
    assert classes(seen) == ("depends on time or randomness",)


@pytest.mark.parametrize(("is_compared", "kind"), [(True, "depends on time"), (False, "clean")])
def test_states_of_two_places_are_compared_where_addresses_are_fixed(is_compared: bool, kind: str):
    other = session(job(0, state="t"))
    seen = replace(observed(), elsewhere=(PLACE, other, PLACE), compares_places=is_compared)
    assert classes(seen)[0].startswith(kind)


@pytest.mark.parametrize(("work", "is_clean"), [(1064, True), (1065, False)])
def test_work_elsewhere_may_differ_by_64_instructions_and_no_more(work: int, is_clean: bool):
    other = session(RIGHT, work=(work,))
    seen = replace(observed(), elsewhere=(PLACE, PLACE, PLACE), work_elsewhere=other)
    assert ("clean" in classes(seen)) is is_clean


def test_a_result_that_differs_because_of_its_clocks_prints_time():
    seen = replace(observed(), fresh=(FRESH, ELSEWHERE), elsewhere=(PLACE, ELSEWHERE, PLACE))
    assert classes(seen) == ("prints time",)


def test_a_result_that_a_first_process_changes_for_those_behind_it_is_no_time():
    # As of a counter in /dev/shm: the first process prints something else than all others.
    here = session(job(0, outside="/dev/shm/n"))  # noqa: S108 - the fault
    seen = replace(observed(), fresh=(ELSEWHERE, FRESH), elsewhere=(here, here, here))
    vetted = classify("p", seen, ORDER)
    assert vetted.mode is None
    assert "not because of their clocks; it works on /dev/shm/n" in vetted.verdict


@pytest.mark.parametrize(
    ("imports", "mode", "words"),
    [
        ({"shm_open"}, Mode.FORK, "program calls shm_open (shared memory)"),
        ({"mmap64", "mmap"}, Mode.FORK, "program calls mmap (mapped memory)"),
        # Restoring puts back the pointer to it, or learns no more than a new process.
        ({"__getdelim_chk"}, Mode.RESTORE,
         "program calls __getdelim_chk (memory that the C library allocates)"),
        ({"getpid"}, Mode.RESTORE, "program calls getpid (process number)"),
        # The list is of what is known to keep nothing: an unknown name is not on it.
        ({"frobnicate"}, Mode.FORK, "program calls frobnicate (its state is unknown)"),
    ],
)  # fmt: skip
def test_a_program_that_calls_what_is_not_listed_is_isolated(
    imports: set[str], mode: Mode, words: str
):
    vetted = classify("p", replace(observed(), imports=frozenset(imports)), ORDER)
    assert (vetted.classes, vetted.mode) == (("unwatched",), mode)
    assert vetted.evidence == (f"unwatched: {words}",)


def test_a_program_that_executes_what_is_not_listed_is_isolated():
    vetted = classify("p", replace(observed(), instructions=("rdtsc",)), ORDER)
    assert (vetted.classes, vetted.mode) == (("unwatched",), Mode.FORK)
    assert vetted.evidence == ("unwatched: program executes rdtsc",)


def test_functions_that_keep_nothing_leave_a_program_clean():
    imports = frozenset({"printf", "malloc", "memcpy", "sin", "clock_gettime", "__stack_chk_fail"})
    vetted = classify("p", replace(observed(), imports=imports), ORDER)
    assert vetted.classes == ("clean",)
    assert vetted.evidence[0].startswith("looked at: results, files of its directory, static data")


def test_a_library_with_data_of_its_own_is_not_watched():
    build = msgspec.structs.replace(PROGRAM.build, libraries=("-lz", "-lm"))
    seen = replace(observed(), program=msgspec.structs.replace(PROGRAM, build=build))
    vetted = classify("p", seen, ORDER)
    assert (vetted.classes, vetted.mode) == (("unwatched",), Mode.FORK)
