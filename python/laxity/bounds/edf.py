# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Earliest deadline first on one processor: whether an interval can hold more work than time.

The work that must be done within an interval of length t is in the worst case

    h(t) = sum over the tasks with D - J <= t of (floor((t + J - D) / T) + 1) C

because releases of one task are at least T apart before jitter, the first job may become ready J
after its release and the others at once, and deadlines count from the release. One section of a
job with a later deadline may come on top: B(t), the largest blocking of a task with D - J <= t.
All deadlines are met if h(t) + B(t) <= t for every t, and without blocking only if.

Interrupts run before every job and have no deadlines: I(t) = sum of ceil((t + J) / T) C of them
come on top. In whole nanoseconds that is the demand of a task with D = 1, so it has steps like the
others.

Blocking of a task is here the longest section of a job *with a later deadline* that may delay one
of its jobs, once per job, as under the stack resource policy.

Sources: Zhang and Burns, "Schedulability analysis for real-time systems with EDF scheduling"
(2009), for the order in which intervals are looked at; Baruah, Rosier and Howell, "Algorithms and
complexity concerning the preemptive scheduling of periodic, real-time tasks on one processor"
(1990), for h(t); Spuri, "Analysis of deadline scheduled real-time systems" (1996), for J; Baruah,
"Resource sharing in EDF-scheduled systems: a closer look" (2006), for B(t); Jeffay and Stone,
"Accounting for interrupt handling costs in dynamic priority task systems" (1993), for I(t).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from laxity.bounds.response_time import ROUNDING, exceeds_capacity, releases, utilisation
from laxity.bounds.verdicts import NOT_PROVABLE, NOT_SCHEDULABLE, SCHEDULABLE, SetVerdict, Verdict
from laxity.tasksets.task_model import Task

TEST = "EDF processor demand (QPA)"
SOURCE = "Zhang, Burns 2009"
# A step looks at every task once: a set of 20 tasks gives up after about a second. Random sets
# need less than a hundred; only processors used to within a hair of their capacity come here.
MAX_STEPS = 100_000
# What is summed up in all steps together, some seconds: steps for many tasks are fewer.
MAX_SUMS = 20_000_000
# Above this utilisation deadlines within so many of the longest periods are looked at first: some
# thousand sums, where the exact test gives up after 100,000.
_NEARLY_ALL = 0.99
_LOOK_AHEAD = 4
_LOOK_AHEAD_STEPS = 20_000

# What tasks count too much within an interval, in ns, by its length in ns.
Less: TypeAlias = Callable[[int], int]


class _GivenUp(Exception):  # noqa: N818 - an outcome, caught in this file
    """The steps that a test may take are used up."""


def edf_verdict(
    tasks: Sequence[Task],
    max_steps: int = MAX_STEPS,
    interrupts: Sequence[Task] = (),
    less_ns: Less = lambda _: 0,
) -> SetVerdict:
    """Tell whether the tasks of one processor meet all deadlines under preemptive EDF.

    Args:
        tasks: Sporadic, any order; deadlines may exceed periods. Priorities are not read.
        max_steps: How often the work of all tasks is summed up at most.
        interrupts: What runs before every job; their deadlines are not read.
        less_ns: What the tasks count too much in an interval, of its length; the rest of the demand
            must not fall, and must change where that of a task does only.

    Returns:
        Exact without blocking and interrupts. With blocking, "not schedulable" where deadlines are
        missed without it, too; otherwise "not provable".

    Source:
        Zhang and Burns (2009).
    """
    everything = (*tasks, *interrupts)
    if exceeds_capacity((one.wcet_ns, one.period_ns) for one in everything):
        used = sum(one.wcet_ns / one.period_ns for one in everything)
        return _verdict(NOT_SCHEDULABLE, reason=f"utilisation {used:.3f} exceeds 1")
    max_steps = min(max_steps, MAX_SUMS // max(1, len(everything)))
    is_blocked = _most_blocking_ns(tasks) > 0
    unblocked = tuple(replace(task, blocking_ns=0) for task in tasks)
    try:
        overload_ns = find_overload_ns(unblocked, max_steps, interrupts, less_ns)
        if overload_ns is not None:
            demanded_ns = demand_ns((*unblocked, *_as_tasks(interrupts)), overload_ns)
            demanded_ns -= less_ns(overload_ns)
            return _verdict(NOT_SCHEDULABLE, overload_ns, demanded_ns)
        overload_ns = find_overload_ns(tasks, max_steps, interrupts, less_ns)
    except _GivenUp:
        reason = f"not all intervals are looked at after {max_steps} steps"
        return _verdict(NOT_PROVABLE, reason=reason)
    if overload_ns is not None:
        reason = "too much only if the longest blocking falls into the interval"
        demanded_ns = demand_ns((*tasks, *_as_tasks(interrupts)), overload_ns)
        demanded_ns -= less_ns(overload_ns)
        return _verdict(NOT_PROVABLE, overload_ns, demanded_ns, reason)
    return replace(_verdict(SCHEDULABLE), exact=not is_blocked and not interrupts)


def demand_ns(tasks: Sequence[Task], interval_ns: int) -> int:
    """Sum the work that must be done within an interval, h(t) + B(t).

    Args:
        tasks: Of one processor.
        interval_ns: Its length t, from 0.
    """
    inside = [task for task in tasks if _first_deadline_ns(task) <= interval_ns]
    work_ns = sum(
        ((interval_ns - _first_deadline_ns(task)) // task.period_ns + 1) * task.wcet_ns
        for task in inside
    )
    return work_ns + _most_blocking_ns(inside)


def overloads_early(tasks: Sequence[Task]) -> bool:
    """Look for more work than time in intervals that end at the first deadlines of each task.

    The exact test goes from the longest interval downwards, which is far where a processor is used
    to its capacity. What is found here it would find, or give up.

    Args:
        tasks: Of one processor; their blocking is not counted.
    """
    used = sum(one.wcet_ns / one.period_ns for one in tasks)
    if used > 1 + ROUNDING:
        return True
    upto_ns = 0
    # Where no deadline is before the end of its period only the utilisation counts.
    if used > _NEARLY_ALL and any(one.deadline_ns < one.period_ns for one in tasks):
        upto_ns = _LOOK_AHEAD * max(one.period_ns for one in tasks)
    demands = [(_first_deadline_ns(one), one.period_ns, one.wcet_ns) for one in tasks]
    # Of a task with a period much below the longest the later ones are left to the exact test.
    most = _LOOK_AHEAD_STEPS // max(1, len(tasks))
    return any(
        sum(
            ((interval_ns - first_ns) // period_ns + 1) * wcet_ns
            for first_ns, period_ns, wcet_ns in demands
            if first_ns <= interval_ns
        )
        > interval_ns
        for first, period, _ in demands
        for interval_ns in range(first, max(first, min(upto_ns, first + most * period)) + 1, period)
    )


def find_overload_ns(
    tasks: Sequence[Task],
    max_steps: int = MAX_STEPS,
    interrupts: Sequence[Task] = (),
    less_ns: Less = lambda _: 0,
) -> int | None:
    """Find an interval with more work than time: from the longest one that matters downwards.

    The demand f is a step function that never falls, so f(t) < t leaves nothing to look at between
    f(t) and t; from f(t) = t the search goes on at the step before t.

    Args:
        tasks: Of one processor, used to its capacity at most, the interrupts included.
        max_steps: How often the work of all tasks is summed up at most.
        interrupts: What runs before every job.
        less_ns: What the tasks count too much in an interval.

    Returns:
        Length of such an interval, not always the shortest; None: there is none.

    Source:
        Zhang and Burns (2009); B(t) is one more step function, which leaves the argument as it is.
    """
    if not tasks:
        return None
    shortest_ns = min(_first_deadline_ns(task) for task in tasks)
    if shortest_ns <= 0:
        return 0
    sources = (*tasks, *_as_tasks(interrupts))
    interval_ns = _last_step_ns(sources, _longest_interval_ns(sources, max_steps) + 1)
    for _ in range(max_steps):
        if interval_ns is None or interval_ns < shortest_ns:
            return None
        work_ns = demand_ns(sources, interval_ns) - less_ns(interval_ns)
        if work_ns > interval_ns:
            return interval_ns
        interval_ns = work_ns if work_ns < interval_ns else _last_step_ns(sources, interval_ns)
    raise _GivenUp


def _as_tasks(interrupts: Sequence[Task]) -> tuple[Task, ...]:
    """Describe interrupts by a deadline that gives ceil((t + J) / T) of them in whole ns t."""
    return tuple(replace(one, deadline_ns=1) for one in interrupts)


def _longest_interval_ns(tasks: Sequence[Task], max_steps: int) -> int:
    """Return a length beyond which no interval is overloaded unless a shorter one is, too.

    Below full utilisation U, h(t) <= sum U_i (t + max(0, T_i + J_i - D_i)), so that an overload
    needs t (1 - U) < sum U_i max(0, T_i + J_i - D_i) + max B. At full utilisation h(t) - t repeats
    itself after the least common multiple of the periods, once every task has its first step.
    """
    spare = 1 - utilisation(tasks)
    blocking_ns = _most_blocking_ns(tasks)
    if spare == 0:
        first_ns = max(_first_deadline_ns(task) for task in tasks)
        limit_ns = first_ns + math.lcm(*(task.period_ns for task in tasks))
    else:
        early_ns = sum(
            Fraction(task.wcet_ns, task.period_ns)
            * max(0, task.period_ns - _first_deadline_ns(task))
            for task in tasks
        )
        limit_ns = math.floor((early_ns + blocking_ns) / spare)
    return _busy_period_ns(tasks, limit_ns, max_steps)


def _busy_period_ns(tasks: Sequence[Task], limit_ns: int, max_steps: int) -> int:
    """Return the longest time without idling after a blocking section, or a limit if that is less.

    Were t the shortest overloaded interval and longer than this time w, then w + h(t - w) would be
    at least h(t), and t - w overloaded as well.
    """
    blocking_ns = _most_blocking_ns(tasks)
    busy_ns = blocking_ns + sum(task.wcet_ns for task in tasks)
    for _ in range(max_steps):
        if busy_ns >= limit_ns:
            break
        longer_ns = blocking_ns + sum(releases(task, busy_ns) * task.wcet_ns for task in tasks)
        if longer_ns == busy_ns:
            return busy_ns
        busy_ns = longer_ns
    return limit_ns


def _last_step_ns(tasks: Sequence[Task], before_ns: int) -> int | None:
    """Return the latest step of the demand before a length; None: there is none."""
    steps_ns = (
        first_ns + (before_ns - 1 - first_ns) // task.period_ns * task.period_ns
        for task in tasks
        if (first_ns := _first_deadline_ns(task)) < before_ns
    )
    return max(steps_ns, default=None)


def _first_deadline_ns(task: Task) -> int:
    """Return the shortest interval that a job must be done in: its jitter is spent already."""
    return task.deadline_ns - task.jitter_ns


def _most_blocking_ns(tasks: Sequence[Task]) -> int:
    return max((task.blocking_ns for task in tasks), default=0)


def _verdict(
    verdict: Verdict,
    interval_ns: int | None = None,
    demanded_ns: int | None = None,
    reason: str | None = None,
) -> SetVerdict:
    return SetVerdict(
        verdict=verdict,
        test=TEST,
        source=SOURCE,
        exact=verdict != NOT_PROVABLE,
        interval_ns=interval_ns,
        demand_ns=demanded_ns,
        reason=reason,
    )
