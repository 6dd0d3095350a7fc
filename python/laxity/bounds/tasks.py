# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""From the tasks that a file declares to those that the tests read."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from laxity.bounds.overheads import PlatformCosts
from laxity.bounds.platform_costs import PPM
from laxity.bounds.response_time import utilisation
from laxity.core.spec import Policy
from laxity.core.task_set import CertainNs, DeclaredTask
from laxity.tasksets.task_model import Task

# The CPU of a task set that names none.
ONE_CPU = 0
# What proves of a task that it is late under any scheduler.
ALONE_TEST = "jitter and wcet of a job alone"
ALONE_SOURCE = "the deadline is shorter"


@dataclass(frozen=True, slots=True, kw_only=True)
class CertainTask(Task):
    """A task with nothing in it but what happens for certain: neither margin nor blocking.

    What concludes that a deadline is missed takes such tasks, and no others.
    """

    wcet_ns: CertainNs


def tasks_of(declared: Sequence[DeclaredTask]) -> tuple[Task, ...]:
    """Make the tasks that prove deadlines: C has its margin and, rounded up, contention."""
    return tuple(
        Task(
            name=one.name,
            wcet_ns=_contended_ns(one),
            period_ns=one.period_ns,
            deadline_ns=one.deadline_ns,
            jitter_ns=one.keys.jitter_ns,
            blocking_ns=one.keys.blocking_ns,
            priority=one.priority,
            cpu=ONE_CPU if one.cpu is None else one.cpu,
            contention_ns=_contended_ns(one) - one.wcet_ns,
            working_set_bytes=one.keys.working_set_bytes,
            gamma_ns=one.keys.gamma_ns,
            gamma_n=one.keys.gamma_n,
            ucb=one.keys.ucb,
            ecb=one.keys.ecb,
        )
        for one in declared
    )


def certain_tasks_of(declared: Sequence[DeclaredTask]) -> tuple[CertainTask, ...]:
    """Make the tasks that prove misses: C is what a job does take, and nothing blocks a task."""
    return tuple(
        CertainTask(
            name=one.name,
            wcet_ns=one.certain_wcet_ns,
            period_ns=one.period_ns,
            deadline_ns=one.deadline_ns,
            jitter_ns=one.keys.jitter_ns,
            priority=one.priority,
            cpu=ONE_CPU if one.cpu is None else one.cpu,
        )
        for one in declared
    )


def exceeds_cpus(tasks: Sequence[CertainTask], n_cpus: int) -> bool:
    """Tell whether tasks need more time than the CPUs have, whatever schedules them."""
    return utilisation(tasks) > n_cpus


def starts_together(declared: Sequence[DeclaredTask]) -> bool:
    """Tell whether tasks have one offset, so that they are released together."""
    return len({one.offset_ns for one in declared}) <= 1


def is_late_alone(one: DeclaredTask) -> bool:
    """Tell whether a job misses its deadline though nothing delays it but its own jitter."""
    return one.keys.jitter_ns + one.certain_wcet_ns > one.deadline_ns


def share_turns(declared: Sequence[DeclaredTask]) -> bool:
    """Tell whether tasks of policy rr and equal priority take turns."""
    levels = Counter(one.priority for one in declared)
    return any(one.policy is Policy.RR and levels[one.priority] > 1 for one in declared)


def counts_from_wakeup(declared: Sequence[DeclaredTask]) -> bool:
    """Tell whether the kernel counts deadlines from when a job wakes up, not from its release."""
    return any(one.policy is Policy.DEADLINE for one in declared)


def has_costs(costs: PlatformCosts | None) -> bool:
    """Tell whether the platform costs anything; None: what, is missing."""
    return costs is not None and costs != PlatformCosts()


def utilisation_ppm(tasks: Sequence[Task]) -> int:
    """Return the share of one processor that tasks ask for, parts per million, rounded up."""
    return math.ceil(utilisation(tasks) * PPM)


def _contended_ns(one: DeclaredTask) -> int:
    return -(-one.wcet_ns * (PPM + one.keys.overhead_ppm) // PPM)
