# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Response times under EDF: by hand, and against every schedule of small sets."""

import random
import tracemalloc
from dataclasses import replace

import pytest
from tests.bounds.schedule_simulation import by_deadline, by_deadline_from_wakeup, play
from tests.bounds.schedules import Job, draw_tasks, earliest_deadline_first, responses_ns
from tests.bounds.test_edf_overheads import _draw, _draw_costs, _interrupts, _jobs
from tests.bounds.test_overheads import reloads

from laxity.bounds.edf import edf_verdict
from laxity.bounds.edf_overheads import with_edf_overheads
from laxity.bounds.edf_response import edf_response_times
from laxity.bounds.response_time import utilisation
from laxity.bounds.verdicts import SCHEDULABLE
from laxity.tasksets.task_model import Task


def task(name: str, wcet_ns: int, deadline_ns: int, period_ns: int, jitter_ns: int = 0) -> Task:
    return Task(
        name=name,
        wcet_ns=wcet_ns,
        deadline_ns=deadline_ns,
        period_ns=period_ns,
        jitter_ns=jitter_ns,
    )


A, B, C = task("a", 2, 4, 5), task("b", 3, 8, 10), task("c", 3, 10, 15)


def test_three_tasks_by_hand():
    # c released with the others, deadline 10: two jobs of a and one of b go before, 3 + 4 + 3 = 10.
    # b released 2 after them has the same deadline: 3 + 4 + 3 = 10, less 2. a 6 after them has it,
    # too, and another job before: 4 + 3 + 3 = 10, less 6.
    assert edf_response_times((A, B, C)) == (4, 8, 10)


def test_jitter_blocking_and_interrupts_by_hand():
    # Alone: 2, its jitter of 1, blocked 3; an interrupt of 1 each 10: w = 2 + 3 + 1.
    late = replace(A, jitter_ns=1, blocking_ns=3, period_ns=20)
    ticks = (Task(name="tick", wcet_ns=1, period_ns=10, deadline_ns=10),)
    assert edf_response_times((late,), ticks) == (7,)


def test_busy_window_without_end_has_no_bound():
    assert edf_response_times((task("a", 6, 10, 10), task("b", 5, 10, 10))) == (None, None)
    assert edf_response_times(()) == ()


def test_search_that_is_too_long_is_given_up():
    # The longest busy window takes three sums: 8, 10, 10.
    assert edf_response_times((A, B, C), max_steps=3) == (None, None, None)


def test_response_is_that_of_the_worst_of_all_releases():
    numbers = random.Random(8)  # noqa: S311 - reproducible, no secret
    n_compared = 0
    for _ in range(80):
        tasks = draw_tasks(numbers, most_tasks=3)
        if utilisation(tasks) > 1:
            continue
        found = edf_response_times(tasks)
        assert found == tuple(_worst_ns(one, tasks) for one in tasks), tasks
        is_met = all(
            ns is not None and ns <= one.deadline_ns for ns, one in zip(found, tasks, strict=True)
        )
        assert is_met == (edf_verdict(tasks).verdict == SCHEDULABLE)
        n_compared += len(tasks) > 1
    assert n_compared > 25


def _worst_ns(analysed: Task, tasks: list[Task]) -> int:
    """Play every release of one task against all others that start together, the least name last.

    Jobs of equal deadline are counted before it.
    """
    others = [replace(one, name=f"0{one.name}") for one in tasks if one is not analysed]
    worst = 0
    for first in range(45):
        # Own jobs before it, as often as may be.
        own = [
            Job(analysed, at, at)
            for at in range(first % analysed.period_ns, first + 1)
            if (first - at) % analysed.period_ns == 0
        ]
        jobs = [Job(one, at, at) for one in others for at in range(0, 100, one.period_ns)]
        found = responses_ns([*own, *jobs], earliest_deadline_first)
        worst = max(worst, found[own[-1]])
    return worst


@pytest.mark.parametrize("from_wakeup", [False, True])
def test_no_schedule_that_pays_its_costs_exceeds_a_response_time(from_wakeup: bool):
    numbers = random.Random(9)  # noqa: S311 - reproducible, no secret
    rank = by_deadline_from_wakeup if from_wakeup else by_deadline
    n_compared = n_near = n_missed = 0
    for _ in range(80):
        tasks = _draw(numbers)
        costs = _draw_costs(tasks, numbers)
        # Deadlines that cannot all be kept, too: a response is bounded beyond it.
        tasks = tuple(
            replace(one, deadline_ns=max(1, one.deadline_ns * numbers.choice((1, 3)) // 3))
            for one in tasks
        )
        loaded = with_edf_overheads(tasks, costs)
        bounds = edf_response_times(loaded.tasks, loaded.interrupts, from_wakeup=from_wakeup)
        if None in bounds:
            continue
        for _ in range(4):
            jobs = _jobs(tasks, costs.timer_latency_ns, numbers)
            due = _interrupts(jobs, costs, numbers)
            seen = play(jobs, costs.switch_ns // 2, reloads(costs.gamma_ns), rank, due)
            for one, bound_ns in zip(tasks, bounds, strict=True):
                assert seen.responses[one.name] <= bound_ns, (tasks, costs)
                n_compared += 1
                n_near += seen.responses[one.name] > 0.8 * bound_ns
                n_missed += seen.responses[one.name] > one.deadline_ns
    assert n_compared > 300
    assert n_near > 50
    assert n_missed > 10


def test_releases_of_a_long_window_are_not_all_held_at_once():
    # Of each 20 ns one is idle until the long job of 1 s / 30 has run: some 1.7 million releases of
    # the other task, of which the steps allow few.
    short = Task(name="short", wcet_ns=10, period_ns=20, deadline_ns=20)
    long = Task(name="long", wcet_ns=33_000_000, period_ns=1_000_000_000, deadline_ns=1_000_000_000)
    tracemalloc.start()
    try:
        found = edf_response_times((short, long), max_steps=1000)
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == (None, None)
    assert peak_bytes < 1_000_000
