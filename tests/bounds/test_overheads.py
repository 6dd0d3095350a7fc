# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
import random
from collections.abc import Mapping
from dataclasses import astuple, replace

import pytest
from tests.bounds.schedule_simulation import Job, Loads, play

from laxity.bounds.overheads import LoadedCpu, PlatformCosts, Tick, load_cpu
from laxity.bounds.response_time import Response, response_time, utilisation
from laxity.tasksets.task_model import Task

HIGH = Task(name="high", wcet_ns=10, period_ns=100, deadline_ns=100, priority=3)
MIDDLE = Task(name="middle", wcet_ns=20, period_ns=200, deadline_ns=200, priority=2)
LOW = Task(name="low", wcet_ns=30, period_ns=400, deadline_ns=400, priority=1)
TASKS = (HIGH, MIDDLE, LOW)
COSTS = PlatformCosts(switch_ns=4, gamma_ns={"high": 50, "middle": 7, "low": 3})


def reloads(gammas: Mapping[str, int]) -> Loads:
    return lambda task: gammas[task.name]


def cpu_of(task: Task, tasks: tuple[Task, ...], costs: PlatformCosts) -> LoadedCpu:
    """The CPU of a task, which stands for the one of its name."""
    others = [one for one in tasks if one.name != task.name and one.cpu == task.cpu]
    return load_cpu([task, *others], costs)


def bound(task: Task, tasks: tuple[Task, ...], costs: PlatformCosts) -> Response:
    return cpu_of(task, tasks, costs).response(task)


def test_each_job_pays_for_the_largest_working_set_that_it_may_preempt():
    # high may preempt middle (7) and low (3), middle only low (3), low nobody. high's own 50 is
    # paid by no one: nobody preempts it. 10 + 4 + 7, 20 + 4 + 3, 30 + 4.
    assert [one.wcet_ns for one in load_cpu(TASKS, COSTS).tasks] == [21, 27, 34]


def test_response_of_three_tasks_by_hand():
    # C': high 10 + 4 + 7 = 21, middle 20 + 4 + 3 = 27, low 30 + 4 = 34. high and middle may find a
    # switch of another one under way: 4.
    # high: 4 + 21 = 25. middle: 4 + 27 + 21 = 52. low: 34 + 27 + 21 = 82 (all before 100).
    assert [bound(one, TASKS, COSTS).response_ns for one in TASKS] == [25, 52, 82]


def test_charging_the_preempted_task_alone_would_be_too_low():
    # Charged once, in C' of b: w = (9 + 2) + 2 ceil(w / 5): 17, 19, 19.
    a = Task(name="a", wcet_ns=2, period_ns=5, deadline_ns=5, priority=2)
    b = Task(name="b", wcet_ns=9, period_ns=200, deadline_ns=200, priority=1)
    once = response_time(replace(b, wcet_ns=9 + 2), (a,)).response_ns
    jobs = [Job(a, at, at, 2) for at in range(0, 200, 5)] + [Job(b, 0, 0, 9)]
    seen = play(jobs, reload=lambda task: 2 if task is b else 0)
    # Of each 5 b gets 3; from the second on 2 of them go into the reload. 3 + 6 * 1 = 9, so b ends
    # with the seventh: 35.
    assert seen.responses["b"] == 35
    assert once == 19
    # C' of a = 2 + 2: w = 9 + 4 ceil(w / 5): 9 + 4 * 9 = 45.
    costs = PlatformCosts(gamma_ns={"b": 2})
    assert bound(b, (a, b), costs).response_ns == 45


def test_timer_latency_is_jitter_and_counts_in_the_response():
    # J' = 6: high responds after 6 + 10.
    assert bound(HIGH, TASKS, PlatformCosts(timer_latency_ns=6)).response_ns == 16


def test_timers_of_lower_tasks_and_ticks_interrupt():
    # high: 10, the timers of middle and low 2 * 5 (each once within 200 and 400), ticks 1 each 8,
    # ceil((w + 1) / 8): w = 20 + 3 = 23 -> ceil(24 / 8) = 3 -> 23.
    costs = PlatformCosts(release_isr_ns=5, tick=Tick(1, 8))
    assert bound(HIGH, TASKS, costs).response_ns == 23
    # low has no task below it, but its timer and that of middle may go off while high runs: 70 +
    # ticks: 70 -> 79 -> 80 -> 81: ceil(82 / 8) = 11.
    assert bound(LOW, TASKS, costs).response_ns == 81


def test_timers_and_ticks_that_come_late_come_closer_to_the_next_ones():
    # A timer of low late by 6 and the next one 50 after its release, so 44 apart: of 45 ns of high
    # both may hit. w = 45 + ceil((w + 6) / 50) 5: 45 -> 55 -> 55 (ceil(61 / 50) = 2), and 6 late.
    low = replace(LOW, period_ns=50)
    late = PlatformCosts(release_isr_ns=5, timer_latency_ns=6)
    assert bound(replace(HIGH, wcet_ns=45), (HIGH, low), late).response_ns == 61
    # In time: 45 + 5 = 50, ceil(50 / 50) = 1.
    in_time = replace(late, timer_latency_ns=0)
    assert bound(replace(HIGH, wcet_ns=45), (HIGH, low), in_time).response_ns == 50
    # A tick of 1 each 50 waits for the timer, 6, a switch, 4, and itself: w = 40 + 4 + 1 = 45 ->
    # ceil((45 + 11) / 50) = 2: 46.
    ticks = PlatformCosts(switch_ns=4, timer_latency_ns=6, tick=Tick(1, 50))
    assert bound(replace(HIGH, wcet_ns=40), (HIGH,), ticks).response_ns == 46 + 6


def test_other_cpus_cost_nothing():
    elsewhere = replace(LOW, cpu=1)
    assert bound(HIGH, (HIGH, elsewhere), COSTS).response_ns == 14


def test_parts_sum_up_to_the_window():
    costs = replace(COSTS, release_isr_ns=5, tick=Tick(1, 8))
    for one in (replace(HIGH, blocking_ns=9), MIDDLE, LOW):
        tasks = tuple(one if other.name == one.name else other for other in TASKS)
        response = bound(one, tasks, costs)
        parts = cpu_of(one, tasks, costs).break_down(one, response)
        assert sum(astuple(parts)) == response.window_ns
        assert parts.blocking_ns == one.blocking_ns


def test_parts_of_a_response_by_hand():
    # low as above: 30 own, 3 jobs switch 4 each, high made middle load 7 and middle made low 3.
    parts = cpu_of(LOW, TASKS, COSTS).break_down(LOW, bound(LOW, TASKS, COSTS))
    assert (parts.wcet_ns, parts.interference_ns) == (30, 30)
    assert (parts.delta_ns, parts.gamma_ns) == (12, 10)


def test_contention_stands_apart_from_the_time_it_makes_longer():
    # 4 of the 10 of high and 5 of the 30 of low are contention: low's window of 82 has 30 - 5 = 25
    # of its own, 10 - 4 + 20 = 26 of others and 5 + 4 = 9 of contention; 12 + 10 as above.
    high, low = replace(HIGH, contention_ns=4), replace(LOW, contention_ns=5)
    tasks = (high, MIDDLE, low)
    response = bound(low, tasks, COSTS)
    parts = cpu_of(low, tasks, COSTS).break_down(low, response)
    assert (parts.wcet_ns, parts.interference_ns, parts.contention_ns) == (25, 26, 9)
    assert sum(astuple(parts)) == response.window_ns == 82


@pytest.mark.parametrize("seed", range(2))
def test_parts_sum_up_to_the_window_whatever_is_in_it(seed: int):
    generator = random.Random(seed)  # noqa: S311 - reproducible, no secret
    n_split = n_long = 0
    for _ in range(200):
        tasks = tuple(
            Task(
                name=f"{i}", wcet_ns=(wcet := generator.randint(2, 40)), deadline_ns=1000,
                period_ns=generator.randint(60, 300), priority=generator.randint(1, 3),
                jitter_ns=generator.randint(0, 9), blocking_ns=generator.randint(0, 9),
                contention_ns=generator.randint(0, wcet - 1),
            )
            for i in range(generator.randint(1, 4))
        )  # fmt: skip
        costs = PlatformCosts(
            switch_ns=generator.randint(0, 4),
            gamma_ns={one.name: generator.randint(0, 15) for one in tasks},
            timer_latency_ns=generator.randint(0, 9),
            release_isr_ns=generator.randint(0, 2),
            tick=generator.choice((None, Tick(1, 20))),
        )
        for one in tasks:
            response = bound(one, tasks, costs)
            if response.response_ns is None:
                continue
            n_split += 1
            n_long += response.jobs > 1
            parts = cpu_of(one, tasks, costs).break_down(one, response)
            assert sum(astuple(parts)) == response.window_ns, (one, tasks, costs)
            assert min(astuple(parts)) >= 0
            jitter_ns = one.jitter_ns + costs.timer_latency_ns
            later_ns = (response.jobs - 1) * one.period_ns
            assert response.response_ns == jitter_ns + response.window_ns - later_ns
    assert n_split > 200
    assert n_long > 5


@pytest.mark.parametrize("seed", range(4))
def test_no_schedule_with_switches_and_reloads_exceeds_the_bound(seed: int):
    generator = random.Random(seed)  # noqa: S311 - reproducible, no secret
    n_preemptions = n_compared = 0
    for _ in range(150):
        n_tasks = generator.randint(2, 4)
        tasks = tuple(
            Task(
                name=f"{i}", wcet_ns=generator.randint(1, 40), period_ns=generator.randint(40, 300),
                deadline_ns=300, priority=generator.randint(1, n_tasks),
            )
            for i in range(n_tasks)
        )  # fmt: skip
        half = generator.randint(0, 3)
        gammas = {one.name: generator.randint(0, 15) for one in tasks}
        costs = PlatformCosts(switch_ns=2 * half, gamma_ns=gammas)
        cpu = load_cpu(tasks, costs)
        loaded = [cpu.of(one) for one in tasks]
        if any(utilisation((one.task, *one.interfering)) >= 1 for one in loaded):
            continue
        seen = play(_jobs(tasks, generator), half, reloads(gammas))
        n_preemptions += seen.preemptions
        n_compared += 1
        for one in tasks:
            assert seen.responses[one.name] <= bound(one, tasks, costs).response_ns, (tasks, costs)
    # Else nothing that costs anything would have been compared.
    assert n_compared > 30
    assert n_preemptions > 100


def _jobs(tasks: tuple[Task, ...], generator: random.Random) -> list[Job]:
    """Sporadic jobs of full length, most of them as early as they may come."""
    jobs = []
    for one in tasks:
        release = generator.choice((0, generator.randint(0, 50)))
        while release < 2000:
            jobs.append(Job(one, release, release, one.wcet_ns))
            release += one.period_ns + generator.choice((0, 0, generator.randint(0, 9)))
    return jobs
