# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Tasks that migrate, with what that costs: by hand, and against schedules that pay it."""

import random
from dataclasses import replace

import pytest
from tests.bounds.global_simulation import Kernel, Seen, play
from tests.bounds.schedule_simulation import (
    Job,
    Rank,
    by_deadline,
    by_deadline_from_wakeup,
    by_priority,
)
from tests.bounds.test_bound import KEYS, task

from laxity.bounds.bound import bound_task_set
from laxity.bounds.global_overheads import preemption_count, resumption_ns, with_global_overheads
from laxity.bounds.overheads import PlatformCosts, Tick
from laxity.bounds.platform_costs import Accounted
from laxity.bounds.setup import Setup
from laxity.bounds.tasks import tasks_of
from laxity.bounds.verdicts import SetBound
from laxity.core.schedulers import Scheduler
from laxity.core.spec import Policy
from laxity.core.task_set import DeclaredTask, TaskSet
from laxity.tasksets.task_model import Task


def judge(
    *tasks: DeclaredTask,
    scheduler: Scheduler = Scheduler.GLOBAL_FIXED_PRIORITY,
    costs: PlatformCosts | None = None,
    n_cpus: int = 2,
) -> SetBound:
    accounted = None if costs is None else Accounted(costs, (), (), (), ())
    setup = Setup(scheduler=scheduler, cpus=tuple(range(n_cpus)))
    return bound_task_set(TaskSet(tasks, has_corunners=False), accounted, setup)


def verdicts(result: SetBound) -> list[str]:
    return [one.verdict for one in result.tasks]


HIGH = Task(name="high", wcet_ns=10, period_ns=100, deadline_ns=60, priority=3)
MIDDLE = Task(name="middle", wcet_ns=20, period_ns=200, deadline_ns=150, priority=2)
LOW = Task(name="low", wcet_ns=30, period_ns=400, deadline_ns=350, priority=1)
TASKS = (HIGH, MIDDLE, LOW)


def test_job_may_be_preempted_by_each_that_becomes_ready_before_its_deadline():
    # middle: ceil(150 / 100); low: ceil(350 / 100) + ceil(350 / 200).
    counts = [preemption_count(one, TASKS, is_edf=False) for one in TASKS]
    assert counts == [0, 2, 6]
    # EDF: middle by high floor(90 / 100) + 1, low by high floor(290 / 100) + 1 = 3 and by middle
    # floor(200 / 200) + 1 = 2; high by none, 60 - 150 < 0.
    counts = [preemption_count(one, TASKS, is_edf=True) for one in TASKS]
    assert counts == [0, 1, 5]
    # middle is 90 late: its deadline may be before that of high, once.
    late = (HIGH, replace(MIDDLE, jitter_ns=90), LOW)
    assert preemption_count(HIGH, late, is_edf=True) == 1
    late = (HIGH, replace(MIDDLE, jitter_ns=89), LOW)
    assert preemption_count(HIGH, late, is_edf=True) == 0


def test_each_resumption_costs_the_larger_of_gamma_and_migration():
    costs = PlatformCosts(
        switch_ns=4, gamma_ns={"middle": 7, "low": 3}, migration_ns={"middle": 5, "low": 8}
    )
    assert [resumption_ns(one, costs) for one in TASKS] == [0, 7, 8]
    # A switch of 4 is jitter, so ceil((60 + 4) / 100) etc. as above: 10 + 4, 20 + 4 + 2 * 7,
    # 30 + 4 + 6 * 8.
    loaded = with_global_overheads(TASKS, costs, is_edf=False)
    assert loaded is not None
    assert [one.wcet_ns for one in loaded] == [14, 38, 82]
    assert [one.jitter_ns for one in loaded] == [4, 4, 4]


def test_timers_of_all_tasks_and_ticks_hit_every_job():
    # high: timers of all three, one each within 60: 10 + 3 * 5 = 25. Ticks of 1 each 10, one
    # piece: (25 + 1 * (2 / 10 + 1) * 1) / (9 / 10) = 29.1, rounded up.
    costs = PlatformCosts(release_isr_ns=5, tick=Tick(1, 10))
    loaded = with_global_overheads(TASKS, costs, is_edf=False)
    assert loaded is not None
    assert loaded[0].wcet_ns == 30
    assert with_global_overheads(TASKS, PlatformCosts(tick=Tick(10, 10)), is_edf=False) is None


# Bertogna and Cirinei by hand: 2, 3, 6 (test_global_tests.py).
A, B, C = task("a", 2, 10, 9), task("b", 3, 10, 8), task("c", 4, 10, 7)


def test_response_times_of_fixed_priorities():
    found = judge(A, B, C)
    assert (found.verdict, verdicts(found)) == ("schedulable", ["schedulable"] * 3)
    assert [one.response_time_ns for one in found.tasks] == [2, 3, 6]
    assert [one.cpu for one in found.tasks] == [None] * 3
    assert found.cpus[0].cpus == (0, 1)
    assert not found.tasks[0].exact


def test_migration_of_low_priority_counts():
    # c may be preempted by a and b, twice: 4 + 2 * 1; 6 + floor((2 + 3) / 2) = 8.
    found = judge(A, B, C, costs=PlatformCosts(migration_ns={"c": 1}))
    assert [one.response_time_ns for one in found.tasks] == [2, 3, 8]
    found = judge(A, B, C, costs=PlatformCosts(migration_ns={"c": 3}))
    assert verdicts(found) == ["schedulable", "schedulable", "not_provable"]


def test_density_proves_what_response_times_do_not():
    # Densities 5/10 * 3 = 1.5 = 2 - 0.5 (test_global_tests.py), while a response of 10 counts
    # 5 + floor((5 + 5) / 2) = 10.
    same = [task(name, 5, 10, 1) for name in "abc"]
    found = judge(*same, scheduler=Scheduler.GLOBAL_EDF)
    assert (found.verdict, found.cpus[0].test) == ("schedulable", "global EDF density")
    # One switch of 1: 3 * 6 / 9, limit 2 - 6 / 9.
    found = judge(*same, scheduler=Scheduler.GLOBAL_EDF, costs=PlatformCosts(switch_ns=1))
    assert (found.verdict, found.cpus[0].reason) == (
        "not_provable",
        "density 2.000, limit 1.333",
    )


def test_density_is_no_test_of_deadlines_that_count_from_the_wakeup():
    # Three tasks, D = 100 and latency 1: density is low, but a job may be overtaken by one that was
    # ready earlier; response times hold: 10 + floor(2 * 10 / 2) + 1 = 21.
    tasks = [replace(task(name, 10, 100, 1), policy=Policy.DEADLINE) for name in "abc"]
    costs = PlatformCosts(timer_latency_ns=1)
    found = judge(*tasks, scheduler=Scheduler.GLOBAL_EDF, costs=costs)
    assert (found.verdict, found.cpus[0].test) == ("schedulable", "global EDF response time")
    assert [one.response_time_ns for one in found.tasks] == [21, 21, 21]


def test_only_what_no_order_gets_round_is_not_schedulable():
    over = judge(*(task(name, 7, 10, 1) for name in "abc"))
    assert (over.verdict, over.cpus[0].reason) == (
        "not_schedulable",
        "utilisation 2.100 exceeds 2",
    )
    late = judge(replace(A, deadline_ns=1), B)
    assert (late.verdict, verdicts(late)) == (
        "not_schedulable",
        ["not_schedulable", "not_provable"],
    )
    # Contention may be absent.
    keys = replace(KEYS, overhead_ppm=200_000)
    busy = judge(*(replace(task(name, 6, 10, 1), keys=keys) for name in "abc"))
    assert busy.verdict == "not_provable"


def test_missing_cost_and_time_slices_prove_nothing():
    setup = Setup(scheduler=Scheduler.GLOBAL_EDF, cpus=(0, 1))
    accounted = Accounted(None, (), ("migration",), (), ())
    found = bound_task_set(TaskSet((A, B), has_corunners=False), accounted, setup)
    assert (found.verdict, found.tasks[0].reason) == ("not_provable", "a cost is missing")
    assert found.cpus[0].reason == "a cost is missing"
    sliced = [replace(one, policy=Policy.RR, priority=5) for one in (A, B)]
    assert judge(*sliced).verdict == "schedulable"
    assert judge(*sliced, costs=PlatformCosts(switch_ns=1)).verdict == "not_provable"


@pytest.mark.parametrize(
    ("scheduler", "rank"),
    [
        (Scheduler.GLOBAL_FIXED_PRIORITY, by_priority),
        (Scheduler.GLOBAL_EDF, by_deadline),
        (Scheduler.GLOBAL_EDF, by_deadline_from_wakeup),
    ],
)
def test_no_schedule_that_pays_for_migrations_exceeds_a_bound(scheduler: Scheduler, rank: Rank):
    numbers = random.Random(11)  # noqa: S311 - reproducible, no secret
    n_bounds = n_dense = n_preemptions = n_migrations = 0
    for _ in range(120):
        tasks = _draw(numbers, rank is by_deadline_from_wakeup)
        half, latency, isr = (numbers.randint(0, 1) for _ in range(3))
        costs = PlatformCosts(
            switch_ns=2 * half,
            gamma_ns={one.name: numbers.randint(0, 3) for one in tasks},
            migration_ns={one.name: numbers.randint(0, 6) for one in tasks},
            timer_latency_ns=latency,
            release_isr_ns=isr,
            tick=Tick(1, 50) if numbers.random() < 0.5 else None,
        )
        found = judge(*tasks, scheduler=scheduler, costs=costs)
        if all(one.verdict != "schedulable" for one in found.tasks):
            continue
        seen = _play(tasks_of(tasks), costs, rank, numbers)
        n_preemptions += seen.preemptions
        n_migrations += seen.migrations
        for one in found.tasks:
            if one.response_time_ns is not None:
                assert seen.responses[one.name] <= one.response_time_ns, (tasks, costs)
                n_bounds += 1
            elif one.verdict == "schedulable":
                assert seen.responses[one.name] <= one.deadline_ns, (tasks, costs)
                n_dense += 1
    assert n_bounds > 100
    assert n_preemptions > 100
    assert n_migrations > 50


def _draw(numbers: random.Random, by_kernel: bool) -> list[DeclaredTask]:
    tasks = []
    n_tasks = numbers.randint(3, 5)
    for i in range(n_tasks):
        period = numbers.randint(60, 300)
        one = task(
            f"t{i}",
            numbers.randint(2, max(3, 2 * period // (n_tasks + 1))),
            period,
            n_tasks - i,
            period - numbers.choice((0, 0, period // 5)),
        )
        keys = replace(KEYS, jitter_ns=numbers.choice((0, 0, 3)))
        policy = Policy.DEADLINE if by_kernel else Policy.FIFO
        tasks.append(replace(one, keys=keys, policy=policy))
    return tasks


def _play(
    tasks: tuple[Task, ...], costs: PlatformCosts, rank: Rank, numbers: random.Random
) -> Seen:
    jobs = []
    for one in tasks:
        most = one.jitter_ns + costs.timer_latency_ns
        release, last_ready = numbers.randint(0, 40), 0
        while release < 1200:
            ready = max(last_ready, release + numbers.choice((0, most)))
            jobs.append(Job(one, release, ready, one.wcet_ns))
            last_ready = ready
            release += one.period_ns + numbers.choice((0, 0, numbers.randint(0, 9)))
    timers = [
        (job.release, numbers.randint(0, 1), costs.release_isr_ns)
        for job in jobs
        if costs.release_isr_ns
    ]
    ticks = []
    if costs.tick is not None:
        for cpu in (0, 1):
            first = numbers.randint(0, costs.tick.period_ns)
            every = range(first, 2500, costs.tick.period_ns)
            ticks += [(at, cpu, costs.tick.cost_ns) for at in every]
    kernel = Kernel(costs.switch_ns // 2, costs.gamma_ns, costs.migration_ns, (*timers, *ticks))
    return play(jobs, 2, rank, kernel, numbers)
