# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Task sets that were published with their answers, worked by hand here once more.

Lehoczky's 26/70, 62/100 stands in test_response_time.py, the preemption that a charge once per job
misses in test_overheads.py. Of the papers on preemption delays by cache sets no text was at hand:
the examples in test_crpd_sets.py are our own, worked by the definitions of those papers.
"""

import pytest
from tests.bounds.exact_schedule import Job, play

from laxity.bounds.edf import demand_ns, edf_verdict
from laxity.bounds.global_tests import density_verdict, response_times
from laxity.bounds.response_time import interfering_tasks, response_time
from laxity.bounds.verdicts import NOT_PROVABLE, NOT_SCHEDULABLE, SCHEDULABLE
from laxity.core.schedulers import Scheduler
from laxity.tasksets.task_model import Task


def tasks_of(*rows: tuple[int, int, int]) -> list[Task]:
    """C, D, T, the first one of the highest priority."""
    return [
        Task(
            name=str(i), wcet_ns=wcet, deadline_ns=deadline, period_ns=period, priority=99 - i
        )
        for i, (wcet, deadline, period) in enumerate(rows, 1)
    ]  # fmt: skip


def responses(tasks: list[Task]) -> list[int | None]:
    return [response_time(one, interfering_tasks(one, tasks)).response_ns for one in tasks]


def test_response_times_of_three_processes_of_burns_and_wellings():
    # Burns and Wellings, Real-Time Systems and Programming Languages: 3/7, 3/12, 5/20.
    # b: 3 + 3 = 6. c: 5 + 3 + 3 = 11, 5 + 2*3 + 3 = 14, 5 + 2*3 + 2*3 = 17, 5 + 3*3 + 2*3 = 20.
    assert responses(tasks_of((3, 7, 7), (3, 12, 12), (5, 20, 20))) == [3, 6, 20]


def test_response_time_of_the_fourth_task_of_buttazzo():
    # Buttazzo, Hard Real-Time Computing Systems, response time analysis: C = 1, 1, 2, 1, D = 3, 4,
    # 5, 10, T = 4, 5, 6, 11. Task 4: 5, then 1 + 2 + 1 + 2 = 6, 1 + 2 + 2 + 2 = 7,
    # 1 + 2 + 2 + 4 = 9, 1 + 3 + 2 + 4 = 10, again 10.
    assert responses(tasks_of((1, 3, 4), (1, 4, 5), (2, 5, 6), (1, 10, 11))) == [1, 2, 4, 10]


def test_processor_demand_of_buttazzo():
    # Ibid., processor demand criterion: U = 2/6 + 2/8 + 3/9 = 11/12, L* = 25, lcm 72. Demand at the
    # deadlines up to 25, by hand: 13: 2 * 2 + 2 * 2 + 3; 16: 3 * 2 + 2 * 2 + 2 * 3.
    tasks = tasks_of((2, 4, 6), (2, 5, 8), (3, 7, 9))
    demand = {4: 2, 5: 4, 7: 7, 10: 9, 13: 11, 16: 16, 21: 18, 22: 20}
    assert {length: demand_ns(tasks, length) for length in demand} == demand
    found = edf_verdict(tasks)
    assert (found.verdict, found.exact) == (SCHEDULABLE, True)
    # One more of work anywhere, and 16 or 7 is full.
    assert edf_verdict(tasks_of((3, 4, 6), (2, 5, 8), (3, 7, 9))).verdict == NOT_SCHEDULABLE


# What tests of other implementations of QPA share: SchedCAT (tests/edf.py), rtsched. The sixth
# deadline exceeds its period.
QPA = (
    (6000, 18000, 31000),
    (2000, 9000, 9800),
    (1000, 12000, 17000),
    (90, 3000, 4200),
    (8, 78, 96),
    (2, 16, 12),
    (10, 120, 280),
    (26, 160, 660),
)


def test_task_set_that_implementations_of_qpa_are_tested_with():
    found = edf_verdict(tasks_of(*QPA))
    assert (found.verdict, found.exact) == (SCHEDULABLE, True)
    # The same with 10/100 and a deadline of 15 is not, they say.
    tasks = tasks_of(*QPA, (10, 15, 100))
    found = edf_verdict(tasks)
    assert found.verdict == NOT_SCHEDULABLE
    assert found.demand_ns > found.interval_ns
    # And the schedule says so, too: up to the interval found all jobs that must be done are.
    jobs = [
        Job(one.name, release, release, one.wcet_ns, release + one.deadline_ns)
        for one in tasks
        for release in range(0, found.interval_ns, one.period_ns)
    ]
    longest = play(jobs).longest
    assert any(longest[one.name] > one.deadline_ns for one in tasks)


@pytest.mark.parametrize("n_cpus", [2, 3, 8])
def test_dhall_effect_is_never_called_schedulable(n_cpus: int):
    # Dhall and Liu 1978: m tasks of 2e/1 and one of 1/(1 + e) fail on m processors however small e
    # is; here e = 1/1000. At 0 the light ones run first, the heavy one from 2 to 1002 > 1001.
    tasks = tasks_of(*[(2, 1000, 1000)] * n_cpus, (1000, 1001, 1001))
    found = density_verdict(tasks, n_cpus)
    # Goossens, Funk and Baruah 2003: m * 0.002 + 0.999 > m - (m - 1) * 0.999.
    assert (found.verdict, found.exact) == (NOT_PROVABLE, False)
    for scheduler in (Scheduler.GLOBAL_EDF, Scheduler.GLOBAL_FIXED_PRIORITY):
        heavy = response_times(tasks, n_cpus, scheduler)[-1]
        assert (heavy.verdict, heavy.response_time_ns) == (NOT_PROVABLE, None)
    # Fixed priorities let the light ones run before it again at 1000: 1000 + (m * 4) // m = 1004.
    fits = tasks_of(*[(2, 1000, 1000)] * n_cpus, (1000, 1004, 1004))
    heavy = response_times(fits, n_cpus, Scheduler.GLOBAL_FIXED_PRIORITY)[-1]
    assert (heavy.verdict, heavy.response_time_ns) == (SCHEDULABLE, 1004)
