# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a verdict rests on, told job by job."""

from dataclasses import replace

from tests.suites.test_classify import ORDER, THREE, job, observed, session

from laxity.suites import vetting_section as vetting
from laxity.suites.classify import classify
from laxity.suites.detail import detail_of, outcome_words
from laxity.suites.jobs import End
from laxity.suites.observed import Mode, Observed
from laxity.suites.program import Convention, Program
from laxity.suites.result import VettedDetail

PROGRAM = Program(name="p", directory=".", convention=Convention.INIT_MAIN_RETURN, sources=())


def detail(seen: Observed) -> VettedDetail:
    return detail_of(PROGRAM, classify("p", seen, ORDER), seen)


def test_a_job_is_told_by_its_end_its_check_and_what_it_wrote():
    assert (
        outcome_words(job(0, output_bytes=5)) == "returned 0, its check returned 0, 5 B of output"
    )
    assert outcome_words(job(0, end=End("signalled", 11), check=None)) == "signal 11"
    assert outcome_words(job(0, end=None, check=None)) == "left out"


def test_wrong_jobs_and_other_state_are_told_job_by_job():
    wrong = session(job(0), job(1, check=End("returned", 1)), job(2, state="t"))
    (none, restore, fork) = detail(observed(wrong)).modes
    assert [one.is_right for one in none.jobs] == [True, False, True]
    assert [one.is_state_first for one in none.jobs] == [True, True, False]
    assert none.jobs[1].outcome == "returned 0, its check returned 1"
    assert none.deviations
    assert (restore.deviations, fork.deviations) == ([], [])


def test_instructions_stand_beside_their_jobs_and_are_absent_where_nobody_counted():
    found = detail(observed(none_work=(1000, 200, 100)))
    none, _, fork = found.modes
    assert [one.instructions for one in none.jobs] == [1000, 200, 100]
    assert [one.instructions for one in fork.jobs] == [None, None, None]
    # The later jobs with restored state: 1000 each.
    assert found.reference_instructions == 1000


def test_instructions_of_some_jobs_only_belong_to_none():
    seen = observed()
    works = {**seen.works, Mode.NONE: replace(THREE, work=(1000, 1000))}
    none = detail(replace(seen, works=works)).modes[0]
    assert [one.instructions for one in none.jobs] == [None, None, None]


def test_a_program_without_a_golden_result_has_none():
    seen = observed()
    other = session(job(0, check=End("returned", 3)))
    found = detail(replace(seen, timeless=(seen.timeless[0], other)))
    assert found.golden is None
    assert found.mode is None


def test_a_program_that_cannot_be_built_has_no_modes():
    found = detail_of(PROGRAM, classify("p", observed(), ORDER), None)
    assert (found.modes, found.golden, found.reference_instructions) == ([], None, None)


def test_a_job_that_waited_less_for_a_thread_is_not_marked_where_its_verdict_is_clean():
    seen = observed(none_work=(1000, 1000, 893))
    waits = replace(seen, imports=frozenset({"pthread_create"}))
    for found, is_clean in ((seen, False), (waits, True)):
        told = detail(found)
        assert (told.classes == ["clean"]) == is_clean
        assert vetting._is_as_much(told, told.modes[0].jobs[2], 893) == is_clean
