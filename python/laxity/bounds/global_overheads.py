# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the platform adds to tasks that may resume on another CPU.

On one CPU each job pays for the preemption that it makes. Here that would not do: the tests for
several CPUs count of each task no more than the time that a job waits, so what a task that preempts
all the time is charged beyond that would be lost, though others load it again on other CPUs. So
each job has in its own C what it may take itself, whoever causes it:

    C' = C + 2 delta + N (most that a resumption costs) + interrupts

with N the number of times that it may be preempted. It is, as long as it keeps its deadline, at
most once for each job of another task that becomes ready meanwhile and goes first: in D of k

    fixed priorities   sum of ceil((D_k + J_j) / T_j) over tasks j of higher or equal priority
    EDF                sum of floor((D_k - D_j + J_j) / T_j) + 1 over those with D_k >= D_j - J_j.

Up to the first deadline that is missed no job takes more than its C', and a test that holds for all
jobs of at most C' says that none is. A resumption costs the larger of gamma, on the same CPU, and
of the largest migration over all pairs of the CPUs.

Interrupts stop the job that they hit, on whatever CPU. Timers: one for each release of any task in
D, its own included, since the own one may hit the job that it waits for. Ticks: a job that runs x
in N + 1 pieces is hit at most x / P + (N + 1) (2 c / P + 1) times (each piece, and what was under
way at its start), so that

    x = (C' + (N + 1) (2 c / P + 1) c) / (1 - c / P).

A switch that is under way where a job is to run cannot be preempted: 2 delta of jitter.

Source: Devi, "Soft real-time scheduling on multiprocessors" (2006), and Brandenburg, "Scheduling
and locking in multiprocessor real-time operating systems" (2011), chapter 3, which charges by the
job ("task-centric") or by the preemption. This is the former.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from laxity.bounds.overheads import PlatformCosts, Tick
from laxity.bounds.response_time import releases
from laxity.tasksets.task_model import Task


def with_global_overheads(
    tasks: Sequence[Task], costs: PlatformCosts, *, is_edf: bool
) -> tuple[Task, ...] | None:
    """Add the platform's costs to all tasks.

    Args:
        tasks: All that share the CPUs.
        costs: With `migration_ns` of every task that may be preempted.
        is_edf: Deadlines order jobs, else priorities.

    Returns:
        In their order; None: ticks leave no time.
    """
    if costs.tick is not None and costs.tick.cost_ns >= costs.tick.period_ns:
        return None
    late = [
        replace(one, jitter_ns=one.jitter_ns + costs.timer_latency_ns + costs.switch_ns)
        for one in tasks
    ]
    return tuple(_loaded(one, late, costs, is_edf) for one in late)


def preemption_count(task: Task, tasks: Sequence[Task], *, is_edf: bool) -> int:
    """Count how often a job may be preempted while its deadline is not over."""
    others = [one for one in tasks if one.name != task.name]
    if not is_edf:
        return sum(
            _releases_in_deadline(task, one) for one in others if one.priority >= task.priority
        )
    return sum(
        (task.deadline_ns - one.deadline_ns + one.jitter_ns) // one.period_ns + 1
        for one in others
        if task.deadline_ns >= one.deadline_ns - one.jitter_ns
    )


def resumption_ns(task: Task, costs: PlatformCosts) -> int:
    """Return what a task loads again at most when it resumes, on the same CPU or another one."""
    return max(costs.gamma_ns.get(task.name, 0), costs.migration_ns.get(task.name, 0))


def _loaded(task: Task, tasks: Sequence[Task], costs: PlatformCosts, is_edf: bool) -> Task:
    count = preemption_count(task, tasks, is_edf=is_edf)
    timers = 0
    if costs.release_isr_ns:
        timers = sum(_releases_in_deadline(task, one) for one in tasks)
    wcet_ns = (
        task.wcet_ns
        + costs.switch_ns
        + count * resumption_ns(task, costs)
        + timers * costs.release_isr_ns
    )
    # Each timer that hits it makes one piece two: not more ticks, since it does not let go.
    return replace(task, wcet_ns=_with_ticks(wcet_ns, count + 1, costs.tick))


def _with_ticks(wcet_ns: int, pieces: int, tick: Tick | None) -> int:
    if tick is None:
        return wcet_ns
    share = Fraction(tick.cost_ns, tick.period_ns)
    return math.ceil((wcet_ns + pieces * (2 * share + 1) * tick.cost_ns) / (1 - share))


def _releases_in_deadline(task: Task, other: Task) -> int:
    """Count the jobs of another task that can become ready before the deadline of a job."""
    return releases(other, task.deadline_ns)
