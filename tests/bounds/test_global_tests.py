# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Tests for several processors: by hand, and against schedules played on them."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from tests.bounds.schedules import (
    Order,
    densest_jobs,
    draw_tasks,
    earliest_deadline_first,
    earliest_deadline_from_ready_first,
    highest_priority_first,
    longest_ns,
    random_jobs,
    responses_ns,
)

from laxity.bounds.global_tests import _work_ns, density_verdict, response_times
from laxity.bounds.verdicts import NOT_PROVABLE, NOT_SCHEDULABLE, SCHEDULABLE, Verdict
from laxity.core.schedulers import Scheduler
from laxity.tasksets.task_model import Task


def task(
    name: str,
    wcet_ns: int,
    deadline_ns: int,
    period_ns: int,
    priority: int = 0,
    jitter_ns: int = 0,
) -> Task:
    return Task(
        name=name,
        wcet_ns=wcet_ns,
        deadline_ns=deadline_ns,
        period_ns=period_ns,
        priority=priority,
        jitter_ns=jitter_ns,
    )


def drawn_sets(seed: int, n_sets: int, jitter: bool = False) -> list[tuple[list[Task], int]]:
    numbers = random.Random(seed)  # noqa: S311 - reproducible, no secret
    return [
        (draw_tasks(numbers, most_tasks=6, jitter=jitter), numbers.randint(2, 3))
        for _ in range(n_sets)
    ]


def test_density_at_its_limit_and_one_above():
    # m = 2, densities 1/2, 1/2, 1/2: 3/2 = 2 - 1 * 1/2.
    tasks = [task(name, 5, 10, 10) for name in "abc"]
    assert density_verdict(tasks, 2).verdict == SCHEDULABLE
    # 6/10 of one: 16/10 > 2 - 6/10 = 14/10.
    found = density_verdict([task("a", 6, 10, 10), *tasks[1:]], 2)
    assert (found.verdict, found.exact) == (NOT_PROVABLE, False)
    assert found.reason == "density 1.600, limit 1.400"


def test_density_counts_the_shorter_of_deadline_and_period_less_jitter():
    # 4 / (min(10, 9) - 1) = 1/2 and 4 / (min(8, 10) - 0) = 1/2: with 1/2 as above.
    tasks = [task("a", 4, 10, 9, jitter_ns=1), task("b", 4, 8, 10), task("c", 5, 10, 10)]
    assert density_verdict(tasks, 2).verdict == SCHEDULABLE
    tasks[0] = replace(tasks[0], jitter_ns=2)
    assert density_verdict(tasks, 2).verdict == NOT_PROVABLE


def test_heavy_task_beside_light_ones_is_not_provable():
    # Dhall's effect: 2 light ones run first, the heavy one misses. Densities 1/10, 1/10, 10/11:
    # 1.109 > 2 - 0.909 = 1.091.
    tasks = [task("a", 1, 10, 10), task("b", 1, 10, 10), task("c", 10, 11, 11)]
    assert density_verdict(tasks, 2).verdict == NOT_PROVABLE
    found = longest_ns(responses_ns(densest_jobs(tasks, 11), earliest_deadline_first, 2))
    assert found["c"] == 11
    late = [*tasks[:2], task("c", 11, 11, 11)]
    found = longest_ns(responses_ns(densest_jobs(late, 11), earliest_deadline_first, 2))
    assert found["c"] == 12


def test_more_work_than_processors_is_not_schedulable():
    tasks = [task(name, 7, 10, 10) for name in "abc"]
    found = density_verdict(tasks, 2)
    assert (found.verdict, found.exact) == (NOT_SCHEDULABLE, True)
    assert found.reason == "utilisation 2.100 exceeds 2"


def test_task_too_long_for_its_deadline_is_not_schedulable_anywhere():
    found = density_verdict([task("a", 4, 6, 100, jitter_ns=3)], 8)
    assert (found.verdict, found.exact) == (NOT_SCHEDULABLE, True)


def test_as_many_tasks_as_processors_do_not_delay_one_another():
    tasks = [task("a", 9, 10, 10, priority=2), task("b", 9, 9, 10, priority=1)]
    for scheduler in (Scheduler.GLOBAL_EDF, Scheduler.GLOBAL_FIXED_PRIORITY):
        found = response_times(tasks, 2, scheduler)
        assert [one.response_time_ns for one in found] == [9, 9]


def test_fixed_priorities_worked_by_hand():
    # m = 2. a and b: R = C = 2 and 3. c, C = 4, R = 4 at first: each counts up to 4 - 4 + 1 = 1:
    # 4 + (1 + 1) // 2 = 5; up to 2: 4 + (2 + 2) // 2 = 6; up to 3: a has W(6) with n = (6 + 2 - 2)
    # // 10 = 0, min(2, 6) = 2; b 3: 4 + 5 // 2 = 6.
    tasks = [
        task("a", 2, 10, 10, priority=3),
        task("b", 3, 10, 10, priority=2),
        task("c", 4, 10, 10, priority=1),
    ]
    found = response_times(tasks, 2, Scheduler.GLOBAL_FIXED_PRIORITY)
    assert [one.response_time_ns for one in found] == [2, 3, 6]
    # All together: a and b at 0, c from 2 to 6.
    played = longest_ns(responses_ns(densest_jobs(tasks, 10), highest_priority_first, 2))
    assert played == {"a": 2, "b": 3, "c": 6}


def test_work_of_a_window_begins_with_a_job_that_is_as_late_as_may_be():
    # C = 3, T = 10, R = 8: a job runs from 5 to 8 and the next one at 10. From 5 to 10 that is 3,
    # from 5 to 11 it is 3 + 1, from 5 to 13 and to 18 it is 6, from 5 to 21 it is 7.
    one = task("a", 3, 10, 10)
    assert [_work_ns(one, 8, length_ns) for length_ns in (5, 6, 8, 13, 16)] == [3, 4, 6, 6, 7]


def test_task_that_is_not_provable_leaves_those_below_without_bound():
    tasks = [
        task("a", 5, 10, 10, priority=4),
        task("b", 5, 10, 10, priority=3),
        # 4 + (a 1 + b 1) // 2 = 5 > 4.
        task("c", 4, 4, 10, priority=2),
        task("d", 1, 100, 100, priority=1),
    ]
    found = response_times(tasks, 2, Scheduler.GLOBAL_FIXED_PRIORITY)
    assert [one.response_time_ns for one in found] == [5, 5, None, None]
    assert {one.verdict for one in found[2:]} == {NOT_PROVABLE}
    # Under EDF every task may delay every other one.
    found = response_times(tasks, 2, Scheduler.GLOBAL_EDF)
    assert {one.response_time_ns for one in found} == {None}


@pytest.mark.parametrize(
    ("unfit", "scheduler", "word"),
    [
        (replace(task("a", 2, 10, 10), blocking_ns=1), Scheduler.GLOBAL_FIXED_PRIORITY, "blocked"),
        (task("a", 2, 11, 10), Scheduler.GLOBAL_FIXED_PRIORITY, "beyond its period"),
        (task("a", 2, 10, 10, jitter_ns=10), Scheduler.GLOBAL_EDF, "jitter"),
        (task("a", 2, 10, 10, jitter_ns=10), Scheduler.GLOBAL_FIXED_PRIORITY, "jitter"),
    ],
)
def test_what_the_test_does_not_know_is_not_provable(unfit: Task, scheduler: Scheduler, word: str):
    found = response_times([unfit], 2, scheduler)
    assert [one.verdict for one in found] == [NOT_PROVABLE]
    assert word in found[0].reason


def test_bound_is_the_least_fixed_point_of_the_equation():
    n_bounds = 0
    for tasks, n_cpus in drawn_sets(6, 500):
        bounds_ns: dict[str, int] = {}
        for found, one in zip(
            response_times(tasks, n_cpus, Scheduler.GLOBAL_FIXED_PRIORITY), tasks, strict=True
        ):
            # In draw_tasks priorities fall.
            expected = next(
                (
                    length_ns
                    for length_ns in range(one.wcet_ns, one.deadline_ns + 1)
                    if one.wcet_ns + delayed_ns(one, tasks, bounds_ns, length_ns) // n_cpus
                    == length_ns
                ),
                None,
            )
            assert found.response_time_ns == expected
            if expected is None:
                break
            bounds_ns[one.name] = expected
            n_bounds += 1
    assert n_bounds > 1000


def delayed_ns(one: Task, tasks: list[Task], bounds_ns: dict[str, int], length_ns: int) -> int:
    """The sum in the equation, over the tasks that have bounds: those above."""
    return sum(
        min(_work_ns(other, bounds_ns[other.name], length_ns), length_ns - one.wcet_ns + 1)
        for other in tasks
        if other.name in bounds_ns
    )


@pytest.mark.parametrize(
    ("scheduler", "order"),
    [
        (Scheduler.GLOBAL_FIXED_PRIORITY, highest_priority_first),
        (Scheduler.GLOBAL_EDF, earliest_deadline_first),
        (Scheduler.GLOBAL_EDF, earliest_deadline_from_ready_first),
    ],
)
def test_no_played_response_exceeds_a_bound(scheduler: Scheduler, order: Order):
    numbers = random.Random(2)  # noqa: S311 - reproducible, no secret
    n_verdicts, n_reached = Counter[Verdict](), 0
    for tasks, n_cpus in drawn_sets(3, 1500, jitter=True):
        found = response_times(tasks, n_cpus, scheduler)
        n_verdicts.update(one.verdict for one in found)
        for jobs in (densest_jobs(tasks, 60), random_jobs(tasks, 100, numbers)):
            played = longest_ns(responses_ns(jobs, order, n_cpus))
            for one in found:
                if one.response_time_ns is None:
                    continue
                assert played.get(one.name, 0) <= one.response_time_ns, (tasks, n_cpus)
                n_reached += played.get(one.name) == one.response_time_ns
    assert n_verdicts[SCHEDULABLE] > 1000
    assert n_verdicts[NOT_PROVABLE] > 500
    assert n_reached > 500


def test_no_set_of_low_density_misses_a_deadline():
    numbers = random.Random(4)  # noqa: S311 - reproducible, no secret
    n_played = 0
    for tasks, n_cpus in drawn_sets(5, 1500, jitter=True):
        verdict = density_verdict(tasks, n_cpus).verdict
        if verdict != SCHEDULABLE:
            continue
        for jobs in (densest_jobs(tasks, 60), random_jobs(tasks, 100, numbers)):
            found = responses_ns(jobs, earliest_deadline_first, n_cpus)
            assert all(took_ns <= job.task.deadline_ns for job, took_ns in found.items()), tasks
        n_played += len(tasks) > n_cpus
    assert n_played > 50
