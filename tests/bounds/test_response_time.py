# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
import math
import random

import pytest
from tests.bounds.schedule_simulation import Job, play, synchronous_jobs

from laxity.bounds.response_time import Response, interfering_tasks, response_time, utilisation
from laxity.tasksets.task_model import Task

# All divide 120, so that a schedule repeats after 120.
_PERIODS = (4, 5, 6, 8, 10, 12, 15, 20, 24, 30, 40, 60)


def task(name: str, wcet: int, period: int, **more: int) -> Task:
    return Task(
        name=name,
        wcet_ns=wcet,
        period_ns=period,
        deadline_ns=more.get("deadline", period),
        jitter_ns=more.get("jitter", 0),
        blocking_ns=more.get("blocking", 0),
        priority=more.get("priority", 0),
        cpu=more.get("cpu", 0),
    )


def test_second_task_of_lehoczky_responds_last_in_its_fifth_job():
    # Lehoczky 1990: 26/70 and 62/100. w(q) = 62 (q + 1) + 26 ceil(w / 70): 114, 202, 316, 404, 518,
    # 606, 694; less 100 q: 114, 102, 116, 104, 118, 106, 94. The window ends at 694 <= 700.
    higher = task("1", 26, 70)
    assert response_time(task("2", 62, 100), (higher,)) == Response(118, 5, 518)


def test_jitter_counts_against_the_deadline():
    # C = 5, D = 10, J = 6: the job may become ready 6 after its release and needs 5: 11 > 10.
    # A test of w = 5 <= D before R = w + J is formed would call it schedulable.
    assert response_time(task("a", 5, 20, deadline=10, jitter=6), ()).response_ns == 11


def test_jitter_of_a_higher_task_brings_its_jobs_closer():
    # w = 4 + 2 ceil((w + 3) / 5): 4 -> 4 + 2*2 = 8 -> 4 + 2*3 = 10 -> 4 + 2*3 = 10.
    higher = task("1", 2, 5, jitter=3)
    assert response_time(task("2", 4, 20), (higher,)).response_ns == 10
    # Without jitter: 4 -> 4 + 2 = 6 -> 4 + 2*2 = 8 -> 8.
    assert response_time(task("2", 4, 20), (task("1", 2, 5),)).response_ns == 8


def test_blocking_delays_once_per_busy_window():
    # w = 3 + 4 + 2 ceil(w / 10): 7 -> 9 -> 9.
    assert response_time(task("2", 4, 20, blocking=3), (task("1", 2, 10),)).response_ns == 9


def test_two_jobs_that_jitter_brings_together_wait_for_each_other():
    # C = 4, T = 10, J = 12. Job 0 is ready at 0, 12 after its release: R = 16. Job 1 was released 2
    # before it and is ready at 0, too: w = 8, R = 12 + 8 - 10 = 10. Job 2 is ready at 8: the end.
    assert response_time(task("a", 4, 10, jitter=12), ()) == Response(16, 1, 4)


def test_window_ends_when_the_next_job_finds_the_processor_idle():
    # 5/10 and 5/10 fill the processor: w = 5 + 5 ceil(w / 10) = 10, and the next job comes at 10.
    assert response_time(task("2", 5, 10), (task("1", 5, 10),)).response_ns == 10
    assert response_time(task("2", 6, 10), (task("1", 5, 10),)) == Response(None)


def test_window_that_is_too_long_to_follow_is_not_decided():
    # 1/2 and 5/10 and a blocking of 1: the processor is full, the 1 is never worked off.
    endless = response_time(task("2", 5, 10, blocking=1), (task("1", 1, 2),), max_steps=1000)
    assert endless == Response(None, is_decided=False)


def test_full_processor_with_jitter_is_given_up():
    # C = T: each job ends when the next one is ready, and the jitter of 1 is never caught up.
    endless = response_time(task("a", 10, 10, jitter=1), (), max_steps=1000)
    assert endless == Response(None, is_decided=False)


def test_equal_priorities_delay_each_other_and_other_cpus_do_not():
    a, b = task("a", 1, 10, priority=5), task("b", 2, 10, priority=5)
    elsewhere = task("c", 3, 10, priority=9, cpu=1)
    assert interfering_tasks(a, (a, b, elsewhere)) == (b,)
    assert interfering_tasks(b, (a, b, elsewhere)) == (a,)


def _drawn(generator: random.Random) -> list[Task]:
    n_tasks = generator.randint(1, 5)
    return [
        task(f"{i}", generator.randint(1, max(1, 2 * period // n_tasks)), period, priority=-i)
        for i, period in enumerate(generator.choices(_PERIODS, k=n_tasks))
    ]


def test_bound_is_the_longest_response_of_the_synchronous_schedule():
    # The first busy window of a schedule in which all start together is the worst there is
    # (Liu and Layland 1973; Lehoczky 1990 for responses beyond the period), so both are equal.
    generator = random.Random(1)  # noqa: S311 - reproducible, no secret
    compared = late = 0
    while compared < 1000:
        tasks = _drawn(generator)
        if utilisation(tasks) > 1:
            assert response_time(tasks[-1], tasks[:-1]) == Response(None)
            continue
        compared += 1
        hyperperiod = math.lcm(*(one.period_ns for one in tasks))
        seen = play(synchronous_jobs(tasks, hyperperiod)).responses
        for one in tasks:
            bound = response_time(one, interfering_tasks(one, tasks)).response_ns
            assert bound == seen[one.name], tasks
            late += bound > one.period_ns
    # Else responses beyond the period would not have been compared at all.
    assert late > 50


def _released(one: Task, generator: random.Random, until: int) -> list[Job]:
    """Sporadic releases, each ready at any time within its jitter, jobs of any length."""
    jobs, release = [], generator.randint(0, one.period_ns)
    while release < until:
        ready = release + generator.choice((0, one.jitter_ns, generator.randint(0, one.jitter_ns)))
        wcet = generator.choice((one.wcet_ns, generator.randint(1, one.wcet_ns)))
        jobs.append(Job(one, release, ready, wcet))
        release += one.period_ns + generator.choice((0, 0, generator.randint(0, 5)))
    return jobs


@pytest.mark.parametrize("seed", range(4))
def test_no_schedule_with_jitter_exceeds_the_bound(seed: int):
    generator = random.Random(seed)  # noqa: S311 - reproducible, no secret
    for _ in range(100):
        drawn = [
            task(
                one.name, one.wcet_ns, one.period_ns, priority=generator.randint(1, 3),
                jitter=generator.randint(0, 2 * one.period_ns),
            )
            for one in _drawn(generator)
        ]  # fmt: skip
        if utilisation(drawn) >= 1:
            continue
        seen = play([job for one in drawn for job in _released(one, generator, 400)]).responses
        for one in drawn:
            bound = response_time(one, interfering_tasks(one, drawn)).response_ns
            assert seen.get(one.name, 0) <= bound, drawn
