# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Bounds held against schedules that are played unit by unit; the witness itself, by hand."""

import math
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.bounds.exact_schedule import Job, Kernel, play

from laxity.bounds.edf import edf_verdict
from laxity.bounds.edf_overheads import with_edf_overheads
from laxity.bounds.edf_response import edf_response_times
from laxity.bounds.overheads import PlatformCosts, Tick, load_cpu
from laxity.bounds.response_time import interfering_tasks, response_time, utilisation
from laxity.bounds.verdicts import NOT_SCHEDULABLE, SCHEDULABLE
from laxity.tasksets.task_model import Task

# All divide 120, so that a synchronous schedule repeats after 120.
_PERIODS = (4, 5, 6, 8, 10, 12, 15, 20, 24, 30, 40, 60)
_HYPERPERIOD = 120
_HORIZON = 200
# With costs all is so much longer: they stay small beside the tasks.
_COSTLY = 8
_COSTLY_HORIZON = 900
FEW = 150
MANY = 10_000


def how_many(*, seeds: int = 4) -> pytest.MarkDecorator:
    """Some sets in each check, the many only where there is time."""
    few = [(seed, FEW // seeds) for seed in range(seeds)]
    many = [
        pytest.param(100 + seed, MANY // seeds, marks=pytest.mark.slow) for seed in range(seeds)
    ]
    return pytest.mark.parametrize(("seed", "n_sets"), [*few, *many])


def numbers_of(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - reproducible, no secret


def drawn(numbers: random.Random, *, arbitrary: bool = False) -> list[Task]:
    """Two to five tasks, U at most 1; deadlines up to the period, or up to three of them."""
    while True:
        periods = numbers.choices(_PERIODS, k=numbers.randint(2, 5))
        tasks = []
        for index, period in enumerate(periods):
            wcet = numbers.randint(1, max(1, 2 * period // len(periods)))
            most = 3 * period if arbitrary else period
            tasks.append(
                Task(
                    name=str(index), wcet_ns=wcet, period_ns=period, priority=9 - index,
                    deadline_ns=numbers.randint(min(wcet, most), most),
                )
            )  # fmt: skip
        if utilisation(tasks) <= 1:
            return tasks


def jobs_of(
    task: Task, numbers: random.Random, *, latency: int = 0, until: int = _HORIZON
) -> list[Job]:
    """Sporadic releases, mostly as dense as may be, each late by any part of its jitter."""
    jobs = []
    release = numbers.choice([-task.jitter_ns, 0, numbers.randint(0, task.period_ns)])
    late = task.jitter_ns + latency
    is_first = True
    while release < until:
        # The worst there is: the first as late as may be, the others not at all.
        delay = late if is_first else numbers.choice([0, 0, late, numbers.randint(0, late)])
        ready = max(0, release + delay)
        jobs.append(Job(task.name, release, ready, task.wcet_ns, -task.priority))
        release += task.period_ns + numbers.choice([0, 0, 0, 1, numbers.randint(0, 5)])
        is_first = False
    in_order = 0
    for job in jobs:
        in_order = max(in_order, job.ready)
        job.ready = in_order
    return jobs


def synchronous(tasks: Sequence[Task]) -> list[Job]:
    return [
        Job(one.name, release, release, one.wcet_ns, -one.priority)
        for one in tasks
        for release in range(0, _HYPERPERIOD, one.period_ns)
    ]


def bound_ns(task: Task, tasks: Sequence[Task]) -> int | None:
    return response_time(task, interfering_tasks(task, tasks)).response_ns


def test_witness_plays_preemption_reload_and_switches_by_hand():
    # low: switch 0-1, runs 1-4; high is ready at 4: switch 4-5, runs 5-7, switch 7-8; low loads 3
    # again and runs its last 2: 8-13.
    jobs = [Job("low", 0, 0, 5, 2), Job("high", 4, 4, 2, 1)]
    found = play(jobs, Kernel(half_switch=1, reload={"low": 3}))
    assert (found.longest, found.preemptions) == ({"low": 13, "high": 3}, 1)


def test_witness_plays_timers_of_less_urgent_jobs_and_ticks_by_hand():
    # high: switch 0-2, the tick of 1 2-3, the timer of low 3-5, runs 5-6, a tick 6-7, runs 7-9,
    # switch 9-11. A tick 11-12; the switch of low was its timer, so it runs 12-13.
    jobs = [Job("high", 0, 0, 3, 1), Job("low", 2, 2, 1, 2)]
    found = play(jobs, Kernel(half_switch=2, timer=2, tick=1, tick_period=5, first_tick=1))
    assert found.longest == {"high": 9, "low": 11}


def test_witness_plays_a_section_that_nobody_preempts_by_hand():
    # low has begun at 0 and keeps the CPU for 3; high, ready at 1, runs 3-5.
    found = play([Job("low", 0, 0, 4, 2, section=3), Job("high", 1, 1, 2, 1)])
    assert found.longest == {"high": 4, "low": 6}


@how_many()
def test_synchronous_schedule_responds_exactly_as_bounded(seed: int, n_sets: int):
    # Liu and Layland 1973: all released together is the worst; Lehoczky 1990 beyond the period.
    numbers = numbers_of(seed)
    for _ in range(n_sets):
        tasks = drawn(numbers, arbitrary=True)
        seen = play(synchronous(tasks)).longest
        for one in tasks:
            assert bound_ns(one, tasks) == seen[one.name], tasks


@how_many()
def test_no_jitter_nor_blocking_makes_a_response_exceed_its_bound(seed: int, n_sets: int):
    numbers = numbers_of(seed)
    n_reached = 0
    for _ in range(n_sets):
        tasks = drawn(numbers, arbitrary=True)
        sections = {
            one.name: numbers.choice([0, 0, numbers.randint(0, one.wcet_ns)]) for one in tasks
        }
        tasks = [
            replace(
                one,
                priority=numbers.choice([one.priority, one.priority, 7]),
                jitter_ns=numbers.choice([0, 1, one.period_ns, 2 * one.period_ns - 1]),
            )
            for one in tasks
        ]  # fmt: skip
        tasks = [replace(one, blocking_ns=_blocking(one, tasks, sections)) for one in tasks]
        if utilisation(tasks) == 1:
            continue
        jobs = [job for one in tasks for job in jobs_of(one, numbers)]
        for job in jobs:
            job.section = sections[job.task]
        seen = play(jobs).longest
        for one in tasks:
            most = bound_ns(one, tasks)
            assert seen.get(one.name, 0) <= most, tasks
            n_reached += seen.get(one.name) == most
    # Else the witness would not come near what is bounded.
    assert n_reached > n_sets // 10


def _blocking(task: Task, tasks: Sequence[Task], sections: dict[str, int]) -> int:
    """The longest section below; of equal priority it is counted as interference."""
    return max((sections[one.name] for one in tasks if one.priority < task.priority), default=0)


def costly(numbers: random.Random) -> tuple[list[Task], Kernel, PlatformCosts]:
    """Tasks that are long beside what a kernel takes, that kernel, and the same as costs."""
    tasks = [
        replace(
            one,
            wcet_ns=max(1, one.wcet_ns * _COSTLY * 2 // 3),
            period_ns=one.period_ns * _COSTLY,
            deadline_ns=one.period_ns * _COSTLY,
            jitter_ns=numbers.choice([0, 0, 5, 40]),
            priority=numbers.choice([one.priority, one.priority, 7]),
        )
        for one in drawn(numbers)
    ]
    half = numbers.randint(0, 3)
    kernel = Kernel(
        half_switch=half,
        reload={one.name: numbers.randint(0, 5) for one in tasks},
        timer=numbers.randint(0, half),
        tick=numbers.choice([0, 1]),
        tick_period=numbers.randint(20, 50),
        first_tick=numbers.randint(0, 10),
    )
    costs = PlatformCosts(
        switch_ns=2 * half,
        gamma_ns=kernel.reload,
        timer_latency_ns=numbers.choice([0, 0, 3]),
        release_isr_ns=kernel.timer,
        tick=Tick(kernel.tick, kernel.tick_period) if kernel.tick else None,
    )
    return tasks, kernel, costs


def costly_jobs(tasks: Sequence[Task], costs: PlatformCosts, numbers: random.Random) -> list[Job]:
    latency = costs.timer_latency_ns
    every = [jobs_of(one, numbers, latency=latency, until=_COSTLY_HORIZON) for one in tasks]
    return [job for jobs in every for job in jobs]


@how_many()
def test_no_cost_of_the_platform_makes_a_response_exceed_its_bound(seed: int, n_sets: int):
    numbers = numbers_of(seed)
    n_compared = n_preemptions = 0
    for _ in range(n_sets):
        tasks, kernel, costs = costly(numbers)
        cpu = load_cpu(tasks, costs)
        loaded = [cpu.of(one) for one in tasks]
        if any(utilisation((one.task, *one.interfering, *one.interrupts)) >= 1 for one in loaded):
            continue
        seen = play(costly_jobs(tasks, costs, numbers), kernel)
        n_preemptions += seen.preemptions
        for one in tasks:
            most = cpu.response(one).response_ns
            n_compared += 1
            assert seen.longest.get(one.name, 0) <= most, (tasks, kernel, costs)
    assert n_compared > n_sets
    assert n_preemptions > n_sets


@how_many()
def test_no_cost_of_the_platform_makes_edf_miss_what_it_is_said_to_meet(seed: int, n_sets: int):
    numbers = numbers_of(seed)
    n_met = n_preemptions = 0
    for _ in range(n_sets):
        tasks, kernel, costs = costly(numbers)
        loaded = with_edf_overheads(tasks, costs)
        if edf_verdict(loaded.tasks, interrupts=loaded.interrupts).verdict != SCHEDULABLE:
            continue
        jobs = costly_jobs(tasks, costs, numbers)
        assert not _misses(tasks, jobs, kernel), (tasks, kernel, costs)
        n_met += 1
        n_preemptions += sum(job.was_preempted for job in jobs)
    assert n_met > n_sets // 4
    assert n_preemptions > n_met


@how_many()
def test_no_response_under_edf_exceeds_its_bound(seed: int, n_sets: int):
    numbers = numbers_of(seed)
    n_compared = n_reached = 0
    for _ in range(n_sets):
        tasks, kernel, costs = costly(numbers)
        if numbers.random() < 0.5:
            # Without costs some bounds are reached.
            kernel, costs = Kernel(), PlatformCosts()
        tasks = [
            replace(one, deadline_ns=one.period_ns * numbers.randint(5, 25) // 10) for one in tasks
        ]
        loaded = with_edf_overheads(tasks, costs)
        bounds = edf_response_times(loaded.tasks, loaded.interrupts)
        if None in bounds:
            continue
        jobs = costly_jobs(tasks, costs, numbers)
        by_deadline(tasks, jobs)
        longest = play(jobs, kernel).longest
        for one, most in zip(tasks, bounds, strict=True):
            assert longest.get(one.name, 0) <= most, (tasks, kernel, costs)
            n_compared += 1
            n_reached += longest.get(one.name) == most
    assert n_compared > n_sets
    assert n_reached > n_sets // 10


@how_many()
def test_verdict_of_edf_is_that_of_the_schedule(seed: int, n_sets: int):
    numbers = numbers_of(seed)
    verdicts = {SCHEDULABLE: 0, NOT_SCHEDULABLE: 0}
    for _ in range(n_sets):
        tasks = [
            replace(one, jitter_ns=numbers.choice([0, 0, 1, 3]))
            for one in drawn(numbers, arbitrary=numbers.random() < 0.5)
        ]
        found = edf_verdict(tasks)
        assert found.exact
        verdicts[found.verdict] += 1
        if found.verdict == SCHEDULABLE:
            jobs = [job for one in tasks for job in jobs_of(one, numbers)]
        else:
            # All ready together, each as late as may be, then as dense as may be.
            until = 2 * _HYPERPERIOD + 3 * max(_PERIODS)
            jobs = [
                Job(one.name, release, max(0, release), one.wcet_ns, 0)
                for one in tasks
                for release in range(-one.jitter_ns, until, one.period_ns)
            ]
        assert _misses(tasks, jobs) == (found.verdict == NOT_SCHEDULABLE), tasks
    assert min(verdicts.values()) > n_sets // 20


def by_deadline(tasks: Sequence[Task], jobs: list[Job]) -> None:
    """Let the earliest deadline run first."""
    deadlines = {one.name: one.deadline_ns for one in tasks}
    for job in jobs:
        job.urgency = job.release + deadlines[job.task]


def _misses(tasks: Sequence[Task], jobs: list[Job], kernel: Kernel | None = None) -> bool:
    """Tell whether a job misses its deadline where the earliest deadline runs first."""
    by_deadline(tasks, jobs)
    longest = play(jobs, kernel).longest
    return any(longest.get(one.name, 0) > one.deadline_ns for one in tasks)


def test_hyperperiod_holds_every_period():
    assert math.lcm(*_PERIODS) == _HYPERPERIOD
