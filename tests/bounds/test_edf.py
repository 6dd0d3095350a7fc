# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""EDF on one processor: the quick test against every interval, and against schedules played."""

import math
import random
from dataclasses import replace

import pytest
from tests.bounds.schedules import (
    Job,
    densest_jobs,
    draw_tasks,
    earliest_deadline_first,
    random_jobs,
    responses_ns,
)

from laxity.bounds.edf import demand_ns, edf_verdict, find_overload_ns
from laxity.bounds.response_time import utilisation
from laxity.bounds.verdicts import NOT_PROVABLE, NOT_SCHEDULABLE, SCHEDULABLE
from laxity.tasksets.task_model import Task

N_SETS = 2000


def task(
    name: str,
    wcet_ns: int,
    deadline_ns: int,
    period_ns: int,
    jitter_ns: int = 0,
    blocking_ns: int = 0,
) -> Task:
    return Task(
        name=name,
        wcet_ns=wcet_ns,
        deadline_ns=deadline_ns,
        period_ns=period_ns,
        jitter_ns=jitter_ns,
        blocking_ns=blocking_ns,
    )


def looked_at_one_by_one(tasks: list[Task], until_ns: int) -> bool:
    """Whether no interval up to a length is overloaded."""
    return all(demand_ns(tasks, t) <= t for t in range(until_ns + 1))


def meets_deadlines(jobs: list[Job]) -> bool:
    found = responses_ns(jobs, earliest_deadline_first)
    return all(response_ns <= job.task.deadline_ns for job, response_ns in found.items())


def longest_period_ns(tasks: list[Task]) -> int:
    return math.lcm(*(one.period_ns for one in tasks))


def drawn_sets(seed: int, **how: bool) -> list[list[Task]]:
    numbers = random.Random(seed)  # noqa: S311 - reproducible, no secret
    return [draw_tasks(numbers, **how) for _ in range(N_SETS)]


def test_demand_counts_jobs_whose_deadlines_are_inside():
    tasks = [task("a", 2, 4, 5), task("b", 3, 8, 10)]
    # a has deadlines at 4, 9, 14; b at 8, 18.
    assert [demand_ns(tasks, t) for t in (3, 4, 7, 8, 9, 14)] == [0, 2, 2, 5, 7, 9]


def test_demand_of_jitter_begins_earlier():
    # The first job is ready 3 after its release: 4 - 3 = 1 is left. The next deadline is 5 later.
    assert [demand_ns([task("a", 1, 4, 5, jitter_ns=3)], t) for t in (0, 1, 5, 6)] == [0, 1, 1, 2]


def test_demand_of_blocking_counts_once_for_the_tasks_inside():
    tasks = [task("a", 1, 4, 10, blocking_ns=2), task("b", 1, 6, 10, blocking_ns=1)]
    # 4: a and 2; 6: a, b and the larger of 2 and 1.
    assert [demand_ns(tasks, t) for t in (3, 4, 6)] == [0, 3, 4]


def test_example_worked_by_hand_is_schedulable():
    # U = 2/5 + 3/10 + 3/15 = 0.9. Bound of Zhang and Burns: (0.4 * 1 + 0.3 * 2 + 0.2 * 5) / 0.1
    # = 20. Busy period: 2 + 3 + 3 = 8, then 2 * 2 + 3 + 3 = 10, and 10 again: L = 10.
    # h(10) = 2 * 2 + 3 + 3 = 10 = t: to the deadline before it, 9. h(9) = 4 + 3 = 7: t = 7.
    # h(7) = 2: t = 2, less than the shortest deadline, 4.
    tasks = [task("a", 2, 4, 5), task("b", 3, 8, 10), task("c", 3, 10, 15)]
    found = edf_verdict(tasks)
    assert (found.verdict, found.exact) == (SCHEDULABLE, True)
    assert (found.interval_ns, found.demand_ns) == (None, None)


def test_example_with_one_deadline_less_by_one_is_not():
    # h(9) = 2 * 2 + 3 + 3 = 10 > 9.
    tasks = [task("a", 2, 4, 5), task("b", 3, 8, 10), task("c", 3, 9, 15)]
    found = edf_verdict(tasks)
    assert (found.verdict, found.exact) == (NOT_SCHEDULABLE, True)
    assert (found.interval_ns, found.demand_ns) == (9, 10)


def test_utilisation_of_one_is_schedulable_with_deadlines_at_the_periods():
    # 1/2 + 1/3 + 1/6 = 1: Liu and Layland, theorem 7.
    tasks = [task("a", 1, 2, 2), task("b", 1, 3, 3), task("c", 1, 6, 6)]
    assert edf_verdict(tasks).verdict == SCHEDULABLE


def test_utilisation_of_one_is_not_with_a_shorter_deadline():
    # At 5: a twice (2, 4), b once (3), c once (5): 2 + 1 + 1 = 4, nothing wrong; with D = 3 of c
    # 1 + 1 + 1 = 3 = t fits, with D = 2: 1 + 1 = 2 fits, at 3: 3 fits, at 4: 4 fits.
    fits = [task("a", 1, 2, 2), task("b", 1, 3, 3), task("c", 1, 2, 6)]
    assert edf_verdict(fits).verdict == SCHEDULABLE
    # With D = 2 of b, too, 1 + 1 + 1 = 3 > 2.
    over = [fits[0], task("b", 1, 2, 3), fits[2]]
    assert edf_verdict(over).verdict == NOT_SCHEDULABLE


def test_utilisation_above_one_is_not_schedulable_whatever_the_deadlines():
    tasks = [task("a", 1, 100, 2), task("b", 501, 100_000, 1000)]
    found = edf_verdict(tasks)
    assert (found.verdict, found.exact) == (NOT_SCHEDULABLE, True)
    assert found.reason == "utilisation 1.001 exceeds 1"


def test_full_utilisation_of_coprime_periods_is_given_up_not_followed_for_ever():
    # Jitter of 7 leaves no busy period that ends, and deadlines of T + 7 make up for it: as without
    # jitter and D = T the set is schedulable, but h(t) = t first at 999983 * 1000003 * ... (the
    # third period is what fills the processor up), and 10 steps do not lead down from there.
    a = task("a", 333_333, 999_990, 999_983, jitter_ns=7)
    b = task("b", 333_333, 1_000_010, 1_000_003, jitter_ns=7)
    rest = 1 - utilisation([a, b])
    c = task("c", rest.numerator, rest.denominator + 7, rest.denominator, jitter_ns=7)
    assert utilisation([a, b, c]) == 1
    found = edf_verdict([a, b, c], max_steps=10)
    assert (found.verdict, found.exact) == (NOT_PROVABLE, False)
    assert found.reason == "not all intervals are looked at after 10 steps"
    assert edf_verdict([a, b, c]).verdict == SCHEDULABLE


@pytest.mark.parametrize("jitter_ns", [4, 5])
def test_job_that_is_ready_at_its_deadline_or_later_misses_it(jitter_ns: int):
    found = edf_verdict([task("a", 1, 4, 9, jitter_ns=jitter_ns)])
    assert (found.verdict, found.interval_ns) == (NOT_SCHEDULABLE, 0)


def test_jitter_leaves_just_enough_or_one_too_little():
    # 4 - 2 = 2 are left for 2.
    assert edf_verdict([task("a", 2, 4, 9, jitter_ns=2)]).verdict == SCHEDULABLE
    assert edf_verdict([task("a", 2, 4, 9, jitter_ns=3)]).verdict == NOT_SCHEDULABLE


def test_blocking_that_does_not_fit_is_not_provable_because_it_may_not_happen():
    # At 4: 2 of a and 2 of blocking fit, 3 do not.
    tasks = [task("a", 2, 4, 10, blocking_ns=2), task("b", 3, 10, 10)]
    found = edf_verdict(tasks)
    assert (found.verdict, found.exact) == (SCHEDULABLE, False)
    found = edf_verdict([replace(tasks[0], blocking_ns=3), tasks[1]])
    assert (found.verdict, found.exact) == (NOT_PROVABLE, False)
    assert (found.interval_ns, found.demand_ns) == (4, 5)


def test_sections_that_nothing_interrupts_never_break_a_verdict():
    numbers = random.Random(4)  # noqa: S311 - reproducible, no secret
    n_played = 0
    for tasks in drawn_sets(4, jitter=False):
        sections_ns = {one.name: numbers.randint(0, one.wcet_ns) for one in tasks}
        blocked = [replace(one, blocking_ns=_blocking_ns(one, tasks, sections_ns)) for one in tasks]
        if edf_verdict(blocked).verdict != SCHEDULABLE:
            continue
        jobs = random_jobs(blocked, 100, numbers)
        found = responses_ns(jobs, earliest_deadline_first, sections_ns=sections_ns)
        assert all(took_ns <= job.task.deadline_ns for job, took_ns in found.items()), blocked
        n_played += any(one.blocking_ns for one in blocked)
    assert n_played > 100


def _blocking_ns(one: Task, tasks: list[Task], sections_ns: dict[str, int]) -> int:
    later = [sections_ns[other.name] for other in tasks if other.deadline_ns > one.deadline_ns]
    return max(later, default=0)


def test_set_that_fails_without_blocking_fails_with_it():
    tasks = [task("a", 3, 4, 10, blocking_ns=1), task("b", 3, 5, 10)]
    found = edf_verdict(tasks)
    assert (found.verdict, found.exact) == (NOT_SCHEDULABLE, True)
    assert (found.interval_ns, found.demand_ns) == (5, 6)


def test_no_task_needs_nothing():
    assert edf_verdict([]).verdict == SCHEDULABLE


@pytest.mark.parametrize("jitter", [False, True])
def test_verdict_is_that_of_the_densest_schedule(jitter: bool):
    verdicts = set()
    for tasks in drawn_sets(1, jitter=jitter):
        if utilisation(tasks) > 1:
            assert edf_verdict(tasks).verdict == NOT_SCHEDULABLE
            continue
        # A miss comes within the first deadlines and one repetition (see _longest_interval_ns).
        until_ns = longest_period_ns(tasks) + 20
        is_met = meets_deadlines(densest_jobs(tasks, until_ns))
        found = edf_verdict(tasks)
        assert found.exact
        assert found.verdict == (SCHEDULABLE if is_met else NOT_SCHEDULABLE), tasks
        verdicts.add(found.verdict)
    assert len(verdicts) == 2


def test_quick_test_agrees_with_every_interval_looked_at():
    numbers = random.Random(2)  # noqa: S311 - reproducible, no secret
    results = set()
    for tasks in drawn_sets(2, jitter=True):
        # Deadlines beyond the period and blocking as well.
        wider = [
            replace(
                one,
                deadline_ns=one.deadline_ns + numbers.choice([0, 0, 3, one.period_ns]),
                blocking_ns=numbers.choice([0, 0, 1, 2, 5]),
            )
            for one in tasks
        ]
        if utilisation(wider) > 1:
            continue
        until_ns = 2 * longest_period_ns(wider) + 50
        overload_ns = find_overload_ns(wider)
        assert (overload_ns is None) == looked_at_one_by_one(wider, until_ns), wider
        assert overload_ns is None or demand_ns(wider, overload_ns) > overload_ns
        results.add(overload_ns is None)
    assert results == {True, False}


def test_no_release_pattern_misses_a_deadline_of_a_schedulable_set():
    numbers = random.Random(3)  # noqa: S311 - reproducible, no secret
    n_played = 0
    for tasks in drawn_sets(3, jitter=True):
        if edf_verdict(tasks).verdict != SCHEDULABLE:
            continue
        assert meets_deadlines(random_jobs(tasks, 100, numbers)), tasks
        n_played += 1
    assert n_played > 500
