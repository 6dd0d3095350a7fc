# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Timers dear beside switches, that go off while their job may not run yet: bounds and schedules.

By hand, and held against schedules that are played unit by unit.
"""

import random
from collections.abc import Sequence
from dataclasses import astuple, replace

import pytest
from tests.bounds.exact_schedule import Job, Kernel, play
from tests.bounds.global_simulation import Kernel as GlobalKernel
from tests.bounds.global_simulation import play as play_globally
from tests.bounds.made_up_costs import entry, model
from tests.bounds.schedule_simulation import Job as GlobalJob
from tests.bounds.schedule_simulation import by_deadline as by_deadline_globally
from tests.bounds.schedule_simulation import by_priority
from tests.bounds.test_bound import KEYS
from tests.bounds.test_exact_schedule import by_deadline, drawn, how_many, jobs_of, numbers_of

from laxity.bounds.bound import bound_task_set
from laxity.bounds.edf import edf_verdict
from laxity.bounds.edf_overheads import with_edf_overheads
from laxity.bounds.edf_response import edf_response_times
from laxity.bounds.overheads import PlatformCosts, Tick, load_cpu
from laxity.bounds.platform_costs import Accounted, Choice, account
from laxity.bounds.response_time import Response, utilisation
from laxity.bounds.setup import Setup
from laxity.bounds.tasks import tasks_of
from laxity.bounds.verdicts import SCHEDULABLE, SetBound
from laxity.core.schedulers import Fit, Scheduler
from laxity.core.spec import Policy
from laxity.core.task_set import DeclaredTask, TaskSet
from laxity.tasksets.task_model import Task

US = 1000
_SCALE = 24
_HORIZON = 1500
_CPUS = (0, 1)
# Global schedules are played less long: they ask every CPU in each unit.
_GLOBAL_HORIZON = 900


def task(name: str, wcet_ns: int, period_ns: int, priority: int, deadline_ns: int = 0) -> Task:
    return Task(
        name=name, wcet_ns=wcet_ns, period_ns=period_ns, deadline_ns=deadline_ns or period_ns,
        priority=priority,
    )  # fmt: skip


def bound(one: Task, tasks: Sequence[Task], costs: PlatformCosts) -> Response:
    return load_cpu(tasks, costs).response(one)


def test_timers_of_middle_tasks_that_expire_above_them_make_a_deadline_late():
    # p99 of docs/costs.md: release_isr 54.5, preempt_in 40.1, preempt_out 14.6, delta 27.4 us.
    # high 1200 + 2 * 27.4 = 1254.8; middle 100 + 14.6 + 54.5 = 169.1, 8 jobs; low 400 + 69.1 =
    # 469.1: 1254.8 + 8 * 169.1 + 469.1 = 3076.7 us, where 10 * 54.8 + 2400 = 2948.0 was said.
    high = task("high", 1200 * US, 4000 * US, 3)
    middle = task("middle", 100 * US, 390 * US, 2)
    low = task("low", 400 * US, 4000 * US, 1, 2950 * US)
    costs = PlatformCosts(switch_ns=54_800, preempt_out_ns=14_600, release_isr_ns=54_500)
    found = bound(low, (high, middle, low), costs)
    assert (found.response_ns, found.window_ns) == (3_076_700, 3_076_700)
    assert bound(low, (high, middle, low), replace(costs, release_isr_ns=0)).response_ns == (
        2_948_000
    )
    # The excess of 9 jobs, 9 * (54.5 + 14.6 - 54.8) = 128.7, is interrupts.
    parts = load_cpu((high, middle, low), costs).break_down(low, found)
    assert (parts.interrupts_ns, parts.delta_ns) == (128_700, 548_000)
    assert sum(astuple(parts)) == found.window_ns


def test_timer_ten_times_a_switch_is_paid_by_all_but_the_highest():
    # 10, 10 and 30 of work. high: 10 + 2; middle 10 + 1 + 10; low 30 + 1 + 10: 12 + 21 + 41 = 74,
    # where 50 + 3 * 2 = 56 was said. Played: high's switch 0-1; middle's and low's timers, 10 each,
    # to 21, high runs to 31 and goes to 32; middle to 42, 43; low from 43 to 73 (and goes to 74).
    tasks = (task("high", 10, 500, 3), task("middle", 10, 500, 2), task("low", 30, 500, 1))
    costs = PlatformCosts(switch_ns=2, preempt_out_ns=1, release_isr_ns=10)
    assert bound(tasks[2], tasks, costs).response_ns == 74
    jobs = [Job(one.name, 0, 0, one.wcet_ns, -one.priority) for one in tasks]
    assert play(jobs, Kernel(half_switch=1, timer=10)).longest["low"] == 73


def test_halves_that_are_not_known_make_every_job_that_waits_pay_all_of_its_timer():
    # 2 delta + release_isr: 10 + 2, 10 + 2 + 10, 30 + 2 + 10 = 12 + 22 + 42.
    tasks = (task("high", 10, 500, 3), task("middle", 10, 500, 2), task("low", 30, 500, 1))
    costs = PlatformCosts(switch_ns=2, release_isr_ns=10)
    assert bound(tasks[2], tasks, costs).response_ns == 76


def test_timer_within_the_way_in_adds_nothing():
    # preempt_in 6, preempt_out 2: max(6, 6) + 2.
    tasks = (task("high", 10, 500, 2), task("low", 30, 500, 1))
    costs = PlatformCosts(switch_ns=8, preempt_out_ns=2, release_isr_ns=6)
    assert bound(tasks[1], tasks, costs).response_ns == 18 + 38
    longer = replace(costs, release_isr_ns=7)
    assert bound(tasks[1], tasks, longer).response_ns == 18 + 39


@pytest.mark.parametrize(
    ("highest", "response_ns"),
    [
        # Alone above all others: 5 + 2.
        (task("high", 5, 20, 2), 7),
        # It may find its own predecessor: 5 + 1 + 10.
        (task("high", 5, 20, 2, 21), 16),
        # It ends after 19 + 2 and so finds it: 19 + 11 of each 20 do not end.
        (task("high", 19, 20, 2), None),
        # A lower task's section keeps it waiting: 3 + 5 + 11.
        (replace(task("high", 5, 20, 2), blocking_ns=3), 19),
    ],
)
def test_highest_task_pays_for_waiting_only_where_it_may_wait(
    highest: Task, response_ns: int | None
):
    costs = PlatformCosts(switch_ns=2, preempt_out_ns=1, release_isr_ns=10)
    assert bound(highest, (highest,), costs).response_ns == response_ns


def test_tasks_of_one_priority_all_may_wait():
    # 5 + 11 each.
    tasks = (task("a", 5, 100, 2), task("b", 5, 100, 2))
    costs = PlatformCosts(switch_ns=2, preempt_out_ns=1, release_isr_ns=10)
    assert bound(tasks[0], tasks, costs).response_ns == 32


def test_lone_task_under_edf_pays_for_timers_that_hit_its_own_jobs():
    costs = PlatformCosts(switch_ns=2, preempt_out_ns=1, release_isr_ns=10)
    prompt = task("a", 5, 20, 1)
    assert with_edf_overheads((prompt,), costs).interrupts == ()
    for late in (replace(prompt, deadline_ns=21), replace(prompt, wcet_ns=19)):
        timers = with_edf_overheads((late,), costs).interrupts
        assert [(one.wcet_ns, one.period_ns) for one in timers] == [(10, 20)]


def test_halves_are_taken_from_what_was_measured_and_never_from_delta():
    tasks = (task("high", 1, 10, 2), replace(task("low", 1, 10, 1), working_set_bytes=1024))
    entries = [
        entry("preempt_in", 40_100, case="worst"), entry("preempt_out", 14_600, case="worst"),
        entry("release_isr", 54_500),
        entry("gamma", 0, working_set_bytes=1024, case="synchronous_chase", evict="write"),
    ]  # fmt: skip
    delta = entry("delta", 27_400, case="worst")
    # The larger of 40.1 + 14.6 and 2 * 27.4; out + isr - that = 14.3.
    for given, both_ns, out_ns, more_ns in (
        ([delta, *entries], 54_800, 14_600, 14_300),
        (entries, 54_700, 14_600, 14_400),
        # Without halves 2 delta + release_isr.
        ([delta, *entries[2:]], 54_800, None, 54_500),
    ):
        costs = account(model(*given), tasks, Choice()).costs
        assert costs is not None
        assert (costs.switch_ns, costs.preempt_out_ns, costs.waiting_ns) == (
            both_ns, out_ns, more_ns,
        )  # fmt: skip


def drawn_costs(numbers: random.Random, tasks: Sequence[Task]) -> tuple[Kernel, PlatformCosts]:
    """A kernel whose timers take up to ten times a switch, and the same as costs."""
    way_in, way_out = numbers.randint(1, 3), numbers.randint(0, 3)
    kernel = Kernel(
        half_switch=way_in,
        half_out=way_out,
        reload={one.name: numbers.randint(0, 5) for one in tasks},
        timer=numbers.randint(0, 10 * max(way_in, way_out)),
        is_cyclic=numbers.random() < 0.5,
        tick=numbers.choice([0, 0, 1]),
        tick_period=numbers.randint(20, 50),
        first_tick=numbers.randint(0, 10),
    )
    costs = PlatformCosts(
        switch_ns=way_in + way_out,
        preempt_out_ns=numbers.choice([way_out, way_out, None]),
        gamma_ns=kernel.reload,
        timer_latency_ns=numbers.choice([0, 0, 3]),
        release_isr_ns=kernel.timer,
        tick=Tick(kernel.tick, kernel.tick_period) if kernel.tick else None,
    )
    return kernel, costs


def drawn_tasks(numbers: random.Random) -> list[Task]:
    """Deadlines up to three periods, some priorities alike, some late: so that jobs queue."""
    is_arbitrary = numbers.random() < 0.5
    return [
        replace(
            one,
            wcet_ns=max(1, one.wcet_ns * _SCALE * numbers.randint(1, 9) // 10),
            period_ns=one.period_ns * _SCALE,
            deadline_ns=one.period_ns * _SCALE * numbers.choice([1, 2, 3] if is_arbitrary else [1]),
            jitter_ns=numbers.choice([0, 0, 5, 40]),
            priority=numbers.choice([one.priority, one.priority, 7]),
        )
        for one in drawn(numbers)
    ]


def played_jobs(
    tasks: Sequence[Task], costs: PlatformCosts, numbers: random.Random, until: int = _HORIZON
) -> list[Job]:
    latency = costs.timer_latency_ns
    every = [jobs_of(one, numbers, latency=latency, until=until) for one in tasks]
    return [job for jobs in every for job in jobs]


@how_many(seeds=2)
def test_no_timer_that_waits_makes_a_response_exceed_its_bound(seed: int, n_sets: int):
    numbers = numbers_of(seed)
    n_compared = n_waiting = n_above_old = 0
    while n_compared < n_sets:
        tasks = drawn_tasks(numbers)
        sections = {
            one.name: numbers.choice([0, 0, numbers.randint(0, one.wcet_ns)]) for one in tasks
        }
        tasks = [
            replace(
                one,
                blocking_ns=max(
                    (sections[low.name] for low in tasks if low.priority < one.priority), default=0
                ),
            )
            for one in tasks
        ]
        kernel, costs = drawn_costs(numbers, tasks)
        cpu = load_cpu(tasks, costs)
        loaded = [cpu.of(one) for one in tasks]
        if any(utilisation((one.task, *one.interfering, *one.interrupts)) >= 1 for one in loaded):
            continue
        jobs = played_jobs(tasks, costs, numbers)
        for job in jobs:
            job.section = sections[job.task]
        seen = play(jobs, kernel).longest
        n_compared += 1
        n_waiting += costs.waiting_ns > 0
        before = load_cpu(
            tasks, replace(costs, preempt_out_ns=0, release_isr_ns=kernel.half_switch)
        )
        for one in tasks:
            most = cpu.response(one).response_ns
            assert most is not None
            assert seen.get(one.name, 0) <= most, (tasks, kernel, costs, sections)
            old = before.response(one).response_ns
            n_above_old += old is not None and seen.get(one.name, 0) > old
    assert n_waiting > n_sets // 2
    # Else no schedule would tell this rule from the one that charges lower tasks' timers only.
    assert n_above_old > n_sets // 50


@how_many(seeds=2)
def test_no_timer_that_waits_makes_a_response_under_edf_exceed_its_bound(seed: int, n_sets: int):
    numbers = numbers_of(seed)
    n_compared = n_met = 0
    while n_compared < n_sets:
        tasks = [
            replace(one, deadline_ns=one.period_ns * numbers.randint(5, 25) // 10)
            for one in drawn_tasks(numbers)
        ]
        kernel, costs = drawn_costs(numbers, tasks)
        loaded = with_edf_overheads(tasks, costs)
        bounds = edf_response_times(loaded.tasks, loaded.interrupts)
        if None in bounds:
            continue
        is_kept = edf_verdict(loaded.tasks, interrupts=loaded.interrupts).verdict == SCHEDULABLE
        jobs = played_jobs(tasks, costs, numbers)
        by_deadline(tasks, jobs)
        longest = play(jobs, kernel).longest
        n_compared += 1
        n_met += is_kept
        for one, most in zip(tasks, bounds, strict=True):
            assert most is not None
            assert longest.get(one.name, 0) <= most, (tasks, kernel, costs)
            if is_kept:
                assert longest.get(one.name, 0) <= one.deadline_ns, (tasks, kernel, costs)
    assert n_met > n_sets // 20


def declared_tasks(numbers: random.Random, policy: Policy) -> list[DeclaredTask]:
    """What two CPUs may be enough for."""
    tasks = [replace(one, name=f"a{one.name}") for one in drawn_tasks(numbers)]
    tasks += [replace(one, name=f"b{one.name}") for one in drawn_tasks(numbers)][:2]
    return [
        DeclaredTask(
            name=one.name,
            period_ns=one.period_ns,
            deadline_ns=one.deadline_ns,
            offset_ns=0,
            policy=policy,
            priority=one.priority,
            cpu=None,
            wcet_ns=one.wcet_ns,
            keys=replace(KEYS, jitter_ns=min(one.jitter_ns, 5)),
        )
        for one in tasks
    ]


def judge(
    tasks: Sequence[DeclaredTask], costs: PlatformCosts, scheduler: Scheduler, fit: Fit | None
) -> SetBound:
    setup = Setup(scheduler=scheduler, fit=fit, cpus=_CPUS)
    accounted = Accounted(costs, (), (), (), ())
    return bound_task_set(TaskSet(tuple(tasks), has_corunners=False), accounted, setup)


@pytest.mark.parametrize("scheduler", [Scheduler.FIXED_PRIORITY, Scheduler.EDF])
@how_many(seeds=2)
def test_no_timer_that_waits_exceeds_a_bound_of_a_partition(
    seed: int, n_sets: int, scheduler: Scheduler
):
    numbers = numbers_of(seed)
    n_compared = n_bounds = 0
    while n_compared < n_sets // 2:
        tasks = declared_tasks(numbers, Policy.FIFO)
        kernel, costs = drawn_costs(numbers, tasks_of(tasks))
        found = judge(tasks, costs, scheduler, Fit.FIRST)
        cpu_of = {one.name: one.cpu for one in found.tasks}
        n_compared += 1
        for cpu in _CPUS:
            here = [one for one in tasks_of(tasks) if cpu_of[one.name] == cpu]
            jobs = played_jobs(here, costs, numbers)
            if scheduler is Scheduler.EDF:
                by_deadline(here, jobs)
            longest = play(jobs, kernel).longest
            for one in found.tasks:
                if one.cpu == cpu and one.response_time_ns is not None:
                    assert longest.get(one.name, 0) <= one.response_time_ns, (tasks, kernel, costs)
                    n_bounds += 1
    assert n_bounds > n_sets


@pytest.mark.parametrize("scheduler", [Scheduler.GLOBAL_FIXED_PRIORITY, Scheduler.GLOBAL_EDF])
@how_many(seeds=2)
def test_no_timer_on_any_cpu_makes_a_global_response_exceed_its_bound(
    seed: int, n_sets: int, scheduler: Scheduler
):
    numbers = numbers_of(seed)
    n_compared = n_bounds = 0
    while n_compared < n_sets // 2:
        tasks = declared_tasks(numbers, Policy.FIFO)
        half = numbers.randint(1, 2)
        costs = PlatformCosts(
            switch_ns=2 * half,
            preempt_out_ns=half,
            gamma_ns={one.name: numbers.randint(0, 3) for one in tasks},
            migration_ns={one.name: numbers.randint(0, 6) for one in tasks},
            timer_latency_ns=numbers.choice([0, 0, 3]),
            release_isr_ns=numbers.randint(0, 10 * half),
        )
        found = judge(tasks, costs, scheduler, None)
        if all(one.verdict != SCHEDULABLE for one in found.tasks):
            continue
        n_compared += 1
        seen = _play_globally(tasks_of(tasks), costs, scheduler, numbers)
        for one in found.tasks:
            most = one.response_time_ns
            if most is None and one.verdict == SCHEDULABLE:
                most = one.deadline_ns
            if most is not None:
                assert seen.get(one.name, 0) <= most, (tasks, costs)
                n_bounds += 1
    assert n_bounds > n_sets


def _play_globally(
    tasks: Sequence[Task], costs: PlatformCosts, scheduler: Scheduler, numbers: random.Random
) -> dict[str, int]:
    """Timers go off on any CPU, whoever runs there, and beside the whole switch of their job."""
    jobs = []
    for one in tasks:
        jobs += [
            GlobalJob(one, job.release, job.ready, job.length)
            for job in jobs_of(one, numbers, latency=costs.timer_latency_ns, until=_GLOBAL_HORIZON)
        ]
    timers = [
        (job.ready, numbers.choice(_CPUS), costs.release_isr_ns)
        for job in jobs
        if costs.release_isr_ns
    ]
    rank = by_priority if scheduler is Scheduler.GLOBAL_FIXED_PRIORITY else by_deadline_globally
    kernel = GlobalKernel(costs.switch_ns // 2, costs.gamma_ns, costs.migration_ns, timers)
    return play_globally(jobs, len(_CPUS), rank, kernel, numbers).responses
