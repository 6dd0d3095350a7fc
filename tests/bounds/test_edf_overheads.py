# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""EDF with switches, reloads and interrupts: by hand, and against schedules that pay them."""

import random
from dataclasses import replace

import pytest
from tests.bounds.schedule_simulation import Job, by_deadline, by_deadline_from_wakeup, play
from tests.bounds.test_overheads import reloads

from laxity.bounds.bound_edf import keeps_deadlines
from laxity.bounds.edf import demand_ns, edf_verdict
from laxity.bounds.edf_overheads import edf_victims, gamma_charged_ns, with_edf_overheads
from laxity.bounds.overheads import PlatformCosts, Tick
from laxity.bounds.setup import Setup
from laxity.tasksets.task_model import Task

SHORT = Task(name="short", wcet_ns=10, period_ns=100, deadline_ns=50)
MIDDLE = Task(name="middle", wcet_ns=20, period_ns=200, deadline_ns=100)
LONG = Task(name="long", wcet_ns=30, period_ns=400, deadline_ns=400)
TASKS = (SHORT, MIDDLE, LONG)
COSTS = PlatformCosts(switch_ns=4, gamma_ns={"short": 50, "middle": 7, "long": 3})


def test_each_job_pays_for_the_largest_working_set_of_later_deadline():
    # short may preempt middle (7) and long (3), middle only long (3), long nobody.
    assert [gamma_charged_ns(one, TASKS, COSTS) for one in TASKS] == [7, 3, 0]


def test_job_that_is_ready_late_preempts_one_of_shorter_deadline():
    # middle is released at 0 and ready at 49 or 50, its deadline at 100; short at 50 - 1, deadline
    # 99 or 100. With D = 100 - J = 51 short's is earlier for certain.
    late = replace(MIDDLE, jitter_ns=49)
    assert [one.name for one in edf_victims(late, (SHORT, late, LONG))] == ["long"]
    late = replace(MIDDLE, jitter_ns=50)
    assert [one.name for one in edf_victims(late, (SHORT, late, LONG))] == ["short", "long"]


def test_loaded_tasks_by_hand():
    # C': 10 + 4 + 7 = 21, 20 + 4 + 3 = 27, 30 + 4 = 34; a switch of another task may be under way.
    loaded = with_edf_overheads(TASKS, COSTS)
    assert [one.wcet_ns for one in loaded.tasks] == [21, 27, 34]
    assert [one.blocking_ns for one in loaded.tasks] == [4, 4, 4]
    # h(50) = 21 + 4, h(100) = 21 + 27 + 4 = 52.
    assert [demand_ns(loaded.tasks, t) for t in (49, 50, 100)] == [0, 25, 52]
    assert loaded.interrupts == ()


def test_task_alone_pays_neither_a_switch_under_way_nor_gamma():
    loaded = with_edf_overheads((LONG,), replace(COSTS, release_isr_ns=5))
    assert (loaded.tasks[0].wcet_ns, loaded.tasks[0].blocking_ns) == (34, 0)
    assert loaded.interrupts == ()


def test_interrupts_leave_just_enough_or_one_too_little():
    # Ticks of 2 each 10, ceil((t + 2) / 10): in 20 there are 3. 14 + 6 = 20.
    costs = PlatformCosts(tick=Tick(2, 10))
    alone = Task(name="a", wcet_ns=14, period_ns=100, deadline_ns=20)
    assert keeps_deadlines((alone,), costs)
    assert not keeps_deadlines((replace(alone, wcet_ns=15),), costs)
    # One tick more falls into 19: no, ceil(21 / 10) = 3 as well, and 13 + 6 = 19.
    assert keeps_deadlines((replace(alone, wcet_ns=13, deadline_ns=19),), costs)


def test_interrupts_before_the_first_deadline_prove_no_miss():
    # Ticks of 5 each 8 exceed an interval of 1, but no deadline is in it: 2 + 5 * ceil(15 / 8) = 12
    # exceeds 10, in 20 2 + 5 * ceil(25 / 8) = 22 too, in 30 2 + 5 * 5 = 27 fits.
    costs = PlatformCosts(tick=Tick(5, 8))
    task = Task(name="a", wcet_ns=2, period_ns=100, deadline_ns=30)
    assert keeps_deadlines((task,), costs)
    assert not keeps_deadlines((replace(task, deadline_ns=10),), costs)
    found = edf_verdict((task,), interrupts=with_edf_overheads((task,), costs).interrupts)
    assert not found.exact


def test_deadline_that_counts_from_the_wakeup_makes_the_latency_count_twice():
    # a and b, 10 each, latency 5. From the release: b needs 10 + 10 of 25 - 5.
    a = Task(name="a", wcet_ns=10, period_ns=100, deadline_ns=24)
    b = Task(name="b", wcet_ns=10, period_ns=100, deadline_ns=25)
    late = PlatformCosts(timer_latency_ns=5)
    assert keeps_deadlines((a, b), late)
    # Counted from the wake-up a job that is 5 late lets go first whose deadline is up to 5 later.
    assert not keeps_deadlines((a, b), late, Setup(from_wakeup=True))
    jobs = [Job(a, -5, 0, 10), Job(b, -1, 0, 10)]
    assert play(jobs, rank=by_deadline).responses == {"a": 15, "b": 21}
    # b becomes ready first by 0, so both have their deadlines at 24 and 25; with D = 24 for b and
    # 25 for a the one that was released first goes last: 5 + 20 = 25 of 25.
    jobs = [Job(replace(a, deadline_ns=25), -5, 0, 10), Job(replace(b, deadline_ns=24), 0, 0, 10)]
    assert play(jobs, rank=by_deadline_from_wakeup).responses == {"a": 25, "b": 10}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("from_wakeup", [False, True])
def test_no_schedule_that_pays_its_costs_misses_a_deadline(seed: int, from_wakeup: bool):
    numbers = random.Random(seed)  # noqa: S311 - reproducible, no secret
    rank = by_deadline_from_wakeup if from_wakeup else by_deadline
    n_preemptions = n_kept = n_tight = 0
    for _ in range(100):
        tasks = _draw(numbers)
        costs = _draw_costs(tasks, numbers)
        if not keeps_deadlines(tasks, costs, Setup(from_wakeup=from_wakeup)):
            continue
        n_kept += 1
        tasks = _fill(tasks, costs, from_wakeup, numbers)
        for _ in range(4):
            jobs = _jobs(tasks, costs.timer_latency_ns, numbers)
            due = _interrupts(jobs, costs, numbers)
            seen = play(jobs, costs.switch_ns // 2, reloads(costs.gamma_ns), rank, due)
            n_preemptions += seen.preemptions
            for one in tasks:
                assert seen.responses[one.name] <= one.deadline_ns, (tasks, costs)
                n_tight += seen.responses[one.name] > 0.8 * one.deadline_ns
    # Else nothing that costs anything would have been compared.
    assert n_kept > 20
    assert n_preemptions > 200
    assert n_tight > 100


def _draw(numbers: random.Random) -> tuple[Task, ...]:
    tasks = []
    n_tasks = numbers.randint(2, 4)
    for i in range(n_tasks):
        period = numbers.randint(60, 400)
        wcet = numbers.randint(1, max(2, period // (n_tasks + 1)))
        least = min(period, wcet + 20)
        tasks.append(
            Task(
                name=f"t{i}",
                wcet_ns=wcet,
                period_ns=period,
                deadline_ns=numbers.randint(least, numbers.choice((period, 2 * period))),
                jitter_ns=numbers.choice((0, 0, numbers.randint(0, 10))),
            )
        )
    return tuple(tasks)


def _draw_costs(tasks: tuple[Task, ...], numbers: random.Random) -> PlatformCosts:
    half, latency, isr = (numbers.randint(0, most) for most in (2, 6, 2))
    return PlatformCosts(
        switch_ns=2 * half,
        gamma_ns={one.name: numbers.randint(0, 12) for one in tasks},
        timer_latency_ns=latency,
        release_isr_ns=isr,
        tick=Tick(numbers.randint(1, 3), 40) if numbers.random() < 0.5 else None,
    )


def _fill(
    tasks: tuple[Task, ...], costs: PlatformCosts, from_wakeup: bool, numbers: random.Random
) -> tuple[Task, ...]:
    """Make jobs longer as long as the test allows it, so that no bound is an easy one."""
    for _ in range(25):
        i = numbers.randrange(len(tasks))
        longer = replace(tasks[i], wcet_ns=tasks[i].wcet_ns + numbers.randint(1, 12))
        filled = (*tasks[:i], longer, *tasks[i + 1 :])
        if keeps_deadlines(filled, costs, Setup(from_wakeup=from_wakeup)):
            tasks = filled
    return tasks


def _jobs(tasks: tuple[Task, ...], latency: int, numbers: random.Random) -> list[Job]:
    """Jobs of full length, most as early as they may come, each ready within jitter and latency."""
    jobs = []
    for one in tasks:
        most = one.jitter_ns + latency
        release = numbers.choice((-most, numbers.randint(0, 60)))
        last_ready = 0
        while release < 1500:
            ready = max(last_ready, release + numbers.choice((0, most, numbers.randint(0, most))))
            jobs.append(Job(one, release, ready, one.wcet_ns))
            last_ready = ready
            release += one.period_ns + numbers.choice((0, 0, 0, numbers.randint(0, 9)))
    return jobs


def _interrupts(
    jobs: list[Job], costs: PlatformCosts, numbers: random.Random
) -> list[tuple[int, int]]:
    """The timer of each job, and ticks."""
    found = [(job.release, costs.release_isr_ns) for job in jobs if costs.release_isr_ns]
    if costs.tick is not None:
        first = numbers.randint(0, costs.tick.period_ns)
        ticks = range(first, 2000, costs.tick.period_ns)
        found += [(at, costs.tick.cost_ns) for at in ticks]
    return found
