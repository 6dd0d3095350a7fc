# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What holds of every bound: more of anything never shortens it, and a verdict is kept."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from tests.bounds.exact_schedule import Job, play
from tests.bounds.test_bound import KEYS
from tests.bounds.test_exact_schedule import costly, drawn, how_many, numbers_of

from laxity.bounds.bound_fixed_priority import bound_fixed_priority
from laxity.bounds.edf import edf_verdict
from laxity.bounds.edf_overheads import with_edf_overheads
from laxity.bounds.overheads import PlatformCosts, Tick, load_cpus
from laxity.bounds.response_time import interfering_tasks, response_time, utilisation
from laxity.bounds.tasks import tasks_of
from laxity.bounds.verdicts import NOT_SCHEDULABLE, SCHEDULABLE
from laxity.core.spec import Policy
from laxity.core.task_set import DeclaredTask
from laxity.tasksets.task_model import Task

_HORIZON = 240


def responses(tasks: Sequence[Task], costs: PlatformCosts) -> list[float]:
    """Bounds of all; without end where there is none."""
    found = [load_cpus(tasks, costs)[one.cpu].response(one).response_ns for one in tasks]
    return [float("inf") if one is None else one for one in found]


def no_shorter(before: list[float], after: list[float]) -> bool:
    return all(less <= more for less, more in zip(before, after, strict=True))


MORE_COSTS: dict[str, Callable[[PlatformCosts, list[Task]], PlatformCosts]] = {
    "switch": lambda costs, _: replace(costs, switch_ns=costs.switch_ns + 2),
    "gamma": lambda costs, tasks: replace(
        costs, gamma_ns={**costs.gamma_ns, tasks[-1].name: 1 + costs.gamma_ns[tasks[-1].name]}
    ),
    "latency": lambda costs, _: replace(costs, timer_latency_ns=costs.timer_latency_ns + 1),
    "timer": lambda costs, _: replace(costs, release_isr_ns=costs.release_isr_ns + 1),
    "tick": lambda costs, _: replace(
        costs, tick=Tick(2, costs.tick.period_ns if costs.tick else 50)
    ),
}
MORE_WORK: dict[str, Callable[[Task], Task]] = {
    "wcet": lambda one: replace(one, wcet_ns=one.wcet_ns + 1),
    "rate": lambda one: replace(one, period_ns=one.period_ns - 1),
    "jitter": lambda one: replace(one, jitter_ns=one.jitter_ns + 1),
    "blocking": lambda one: replace(one, blocking_ns=one.blocking_ns + 1),
}


@pytest.mark.parametrize("more", MORE_COSTS)
def test_no_cost_that_grows_shortens_a_response(more: str):
    numbers = numbers_of(1)
    is_longer = False
    for _ in range(150):
        tasks, _, costs = costly(numbers)
        before = responses(tasks, costs)
        after = responses(tasks, MORE_COSTS[more](costs, tasks))
        assert no_shorter(before, after), (tasks, costs)
        is_longer |= before != after
    assert is_longer


@pytest.mark.parametrize("more", MORE_WORK)
def test_no_task_that_asks_for_more_shortens_a_response(more: str):
    numbers = numbers_of(2)
    is_longer = False
    for _ in range(150):
        tasks, _, costs = costly(numbers)
        chosen = numbers.randrange(len(tasks))
        changed = list(tasks)
        changed[chosen] = MORE_WORK[more](tasks[chosen])
        before, after = responses(tasks, costs), responses(changed, costs)
        assert no_shorter(before, after), (tasks, costs)
        is_longer |= before != after
    assert is_longer


def test_lower_priority_never_shortens_a_response_where_nothing_costs():
    # With costs it may: a job pays for the preemption that it makes itself (docs/bounds.md).
    numbers = numbers_of(5)
    is_longer = False
    for _ in range(150):
        tasks = drawn(numbers)
        chosen = numbers.randrange(len(tasks))
        changed = list(tasks)
        changed[chosen] = replace(tasks[chosen], priority=tasks[chosen].priority - 10)
        before = responses(tasks, PlatformCosts())[chosen]
        after = responses(changed, PlatformCosts())[chosen]
        assert before <= after, tasks
        is_longer |= before < after
    assert is_longer


def test_without_costs_a_bound_is_the_plain_one():
    numbers = numbers_of(3)
    for _ in range(300):
        tasks = drawn(numbers, arbitrary=True)
        for one in tasks:
            plain = response_time(one, interfering_tasks(one, tasks))
            assert load_cpus(tasks, PlatformCosts())[one.cpu].response(one) == plain


def test_edf_that_keeps_deadlines_with_costs_keeps_them_without():
    numbers = numbers_of(4)
    verdicts = set()
    for _ in range(300):
        tasks, _, costs = costly(numbers)
        loaded = with_edf_overheads(tasks, costs)
        with_costs = edf_verdict(loaded.tasks, interrupts=loaded.interrupts).verdict
        without = edf_verdict(tasks).verdict
        assert (with_costs, without) != (SCHEDULABLE, NOT_SCHEDULABLE), (tasks, costs)
        verdicts.add((with_costs == SCHEDULABLE, without == SCHEDULABLE))
    assert len(verdicts) == 3


def declared(tasks: Sequence[Task], numbers: random.Random) -> list[DeclaredTask]:
    """The same as a file states them, some with jitter, some with an offset of their own."""
    are_apart = numbers.random() < 0.3
    return [
        DeclaredTask(
            name=one.name,
            period_ns=one.period_ns,
            deadline_ns=one.deadline_ns,
            offset_ns=numbers.randrange(one.period_ns) if are_apart else 0,
            policy=Policy.FIFO,
            priority=one.priority,
            cpu=0,
            wcet_ns=one.wcet_ns,
            keys=replace(KEYS, jitter_ns=numbers.choice([0, 0, 1, 3])),
        )
        for one in tasks
    ]


def periodic(tasks: Sequence[DeclaredTask], delay: Callable[[DeclaredTask], int]) -> list[Job]:
    """Releases as the file says, each late by what `delay` gives."""
    jobs = []
    for one in tasks:
        ready = 0
        for release in range(one.offset_ns, _HORIZON, one.period_ns):
            ready = max(ready, release + delay(one))
            jobs.append(Job(one.name, release, ready, one.wcet_ns, -one.priority))
    return jobs


def late_tasks(tasks: Sequence[DeclaredTask], jobs: list[Job]) -> set[str]:
    longest = play(jobs).longest
    return {one.name for one in tasks if longest[one.name] > one.deadline_ns}


@how_many()
def test_verdict_of_a_file_is_kept_by_its_schedules(seed: int, n_sets: int):
    numbers = numbers_of(seed)
    n_late = n_in_time = 0
    for _ in range(n_sets):
        tasks = declared(drawn(numbers), numbers)
        plain = tasks_of(tasks)
        if utilisation(plain) == 1:
            # With jitter its busy windows do not end, and are followed for a long time.
            continue
        found = bound_fixed_priority(tasks, PlatformCosts())
        late = {one.name for one in found if one.verdict == NOT_SCHEDULABLE}
        in_time = {one.name for one in found if one.verdict == SCHEDULABLE}
        # Late for certain: then one of these shows it, nobody late or all as late as may be.
        shown = late_tasks(tasks, periodic(tasks, lambda _: 0))
        shown |= late_tasks(tasks, periodic(tasks, lambda one: one.keys.jitter_ns))
        assert late <= shown, tasks
        drawn_delays = periodic(tasks, lambda one: numbers.randint(0, one.keys.jitter_ns))
        assert not in_time & (shown | late_tasks(tasks, drawn_delays)), tasks
        n_late += len(late)
        n_in_time += len(in_time)
    assert n_late > n_sets // 4
    assert n_in_time > n_sets
