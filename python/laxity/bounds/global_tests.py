# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Tasks that may run on any of m identical processors: tests for global EDF and fixed priorities.

All are sufficient only. Jitter shortens what a task has at least: a job becomes ready up to J after
its release, so D - J and T - J remain. Blocking is not known to them, and neither are costs of
migration: those belong into the execution times, the largest over all pairs of processors.

Sources: Goossens, Funk and Baruah, "Priority-driven scheduling of periodic task systems on
multiprocessors" (2003), the density test; Bertogna and Cirinei, "Response-time analysis for
globally scheduled symmetric multiprocessor platforms" (2007).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from laxity.bounds.response_time import utilisation
from laxity.bounds.verdicts import (
    NOT_PROVABLE,
    NOT_SCHEDULABLE,
    SCHEDULABLE,
    SetVerdict,
    TaskVerdict,
    Verdict,
)
from laxity.core.schedulers import Scheduler
from laxity.tasksets.task_model import Task

GFB_SOURCE = "Goossens, Funk, Baruah 2003"
RESPONSE_SOURCE = "Bertogna, Cirinei 2007"
# Rounds over all tasks in which slack of one may shorten the response of another. Each round is
# sound by itself; more only make bounds smaller.
MAX_ROUNDS = 100
MAX_STEPS = 100_000


def density_verdict(tasks: Sequence[Task], n_cpus: int) -> SetVerdict:
    """Tell whether global EDF meets all deadlines, from the share that each task needs.

    With d_i = C_i / (min(D_i, T_i) - J_i): all deadlines are met if the sum of d_i is at most
    m - (m - 1) max d_i, because a slower platform could serve every task at the rate d_i.

    Args:
        tasks: Any order; their `cpu` and priority are not read.
        n_cpus: m, at least 1.

    Source:
        Goossens, Funk and Baruah (2003), with d_i in place of C_i / T_i.
    """
    used = utilisation(tasks)
    if used > n_cpus:
        reason = f"utilisation {float(used):.3f} exceeds {n_cpus}"
        return _density(NOT_SCHEDULABLE, reason)
    for task in tasks:
        if task.jitter_ns + task.wcet_ns > task.deadline_ns:
            reason = f'task "{task.name}" misses its deadline even alone'
            return _density(NOT_SCHEDULABLE, reason)
        if task.blocking_ns > 0:
            return _density(NOT_PROVABLE, _why_blocked(task))
        if task.jitter_ns >= task.period_ns:
            reason = f'jitter of task "{task.name}" is not below its period'
            return _density(NOT_PROVABLE, reason)
    densities = [
        Fraction(task.wcet_ns, min(task.deadline_ns, task.period_ns) - task.jitter_ns)
        for task in tasks
    ]
    limit = n_cpus - (n_cpus - 1) * max(densities, default=Fraction(0))
    needed = sum(densities, Fraction(0))
    if needed <= limit:
        return _density(SCHEDULABLE, None)
    return _density(NOT_PROVABLE, f"density {float(needed):.3f}, limit {float(limit):.3f}")


def response_times(
    tasks: Sequence[Task], n_cpus: int, scheduler: Scheduler
) -> tuple[TaskVerdict, ...]:
    """Bound response times on m processors.

    While job k waits all m processors are busy, so that

        R_k = C_k + floor(1/m sum over the interfering tasks i of min(W_i(R_k), R_k - C_k + 1))

    with W_i(L) the most work of i in L, its first job as late and the next ones as early as may be:
    n C_i + min(C_i, L + R_i - C_i - n T_i), n = floor((L + R_i - C_i) / T_i). Under EDF only jobs
    with earlier deadlines count. R_i is the deadline at first; a smaller one found helps the
    others.

    Args:
        tasks: Any order, deadlines up to the period; their `cpu` is not read.
        n_cpus: m, at least 1.
        scheduler: The m first jobs in its order run. Under fixed priorities tasks of equal priority
            delay one another. Under EDF a deadline may count from the release or from when the job
            is ready.

    Returns:
        One for each task, in the order of `tasks`; never "not schedulable".

    Source:
        Bertogna and Cirinei (2007), equations 4 and 8 (W), 5 and 9 (EDF). Jitter: as tasks of
        period T - J and deadline D - J; but jobs that go first under EDF have their deadlines, at
        least T - J apart, within D of that of the job that they delay.
    """
    reason = next((why for task in tasks if (why := _why_unfit(task))), "")
    if reason:
        return tuple(_verdict(task, scheduler, None, reason) for task in tasks)
    ready = [_from_ready(task) for task in tasks]
    ordering_ns = {task.name: task.deadline_ns for task in tasks}
    found = _proven_ns(ready, _Platform(n_cpus, scheduler, ordering_ns))
    verdicts = []
    for task, own in zip(tasks, ready, strict=True):
        others = _interfering(own, ready, scheduler)
        is_proven = all(found[one.name] is not None for one in (own, *others))
        response_ns = found[own.name] if is_proven else None
        verdicts.append(_verdict(task, scheduler, response_ns, ""))
    return tuple(verdicts)


@dataclass(frozen=True, slots=True)
class _Platform:
    """Where and in which order jobs run.

    Attributes:
        n_cpus: m.
        scheduler: The order.
        ordering_ns: The relative deadlines that order jobs under EDF, jitter included.
    """

    n_cpus: int
    scheduler: Scheduler
    ordering_ns: Mapping[str, int]


def _proven_ns(tasks: Sequence[Task], platform: _Platform) -> dict[str, int | None]:
    """Find bounds that hold together; None: a task may exceed its deadline.

    A bound of one task is one only if all that interfere with it have theirs.
    """
    bounds_ns = {task.name: task.deadline_ns for task in tasks}
    found: dict[str, int | None] = {}
    for _ in range(MAX_ROUNDS):
        before = dict(bounds_ns)
        for task in tasks:
            others = _interfering(task, tasks, platform.scheduler)
            response_ns = _response_ns(task, others, bounds_ns, platform)
            found[task.name] = response_ns
            if response_ns is not None:
                bounds_ns[task.name] = response_ns
        if bounds_ns == before:
            break
    return found


def _response_ns(
    task: Task, others: Sequence[Task], bounds_ns: Mapping[str, int], platform: _Platform
) -> int | None:
    """Find the least fixed point; None: beyond the deadline, or given up.

    While m of the others have more work than the time that the job waits, all m processors are
    taken: no fixed point lies there, and the steps of one nanosecond through it are left out.
    """
    response_ns = task.wcet_ns
    for _ in range(MAX_STEPS):
        if response_ns > task.deadline_ns:
            return None
        work_ns = sorted(
            (
                _interference_ns(one, bounds_ns[one.name], task, response_ns, platform)
                for one in others
            ),
            reverse=True,
        )
        longest_ns = response_ns - task.wcet_ns + 1
        waits_ns = sum(min(one_ns, longest_ns) for one_ns in work_ns) // platform.n_cpus
        if len(work_ns) >= platform.n_cpus:
            waits_ns = max(waits_ns, work_ns[platform.n_cpus - 1])
        if task.wcet_ns + waits_ns <= response_ns:
            return response_ns
        response_ns = task.wcet_ns + waits_ns
    return None


def _interference_ns(
    one: Task, bound_ns: int, task: Task, window_ns: int, platform: _Platform
) -> int:
    """Bound the work of one task that may run before a job of another one in a window of it."""
    most_ns = _work_ns(one, bound_ns, window_ns)
    if platform.scheduler.is_edf:
        deadline_ns = platform.ordering_ns[task.name]
        return min(most_ns, _earlier_work_ns(one, bound_ns, deadline_ns))
    return most_ns


def _work_ns(task: Task, bound_ns: int, window_ns: int) -> int:
    """Bound the work of a task in any window: W."""
    reach_ns = window_ns + bound_ns - task.wcet_ns
    n_jobs, rest_ns = divmod(reach_ns, task.period_ns)
    return n_jobs * task.wcet_ns + min(task.wcet_ns, rest_ns)


def _earlier_work_ns(task: Task, bound_ns: int, deadline_ns: int) -> int:
    """Bound the work of jobs whose deadlines are not after that of a job they interfere with."""
    slack_ns = task.deadline_ns - bound_ns
    n_jobs, rest_ns = divmod(deadline_ns, task.period_ns)
    return n_jobs * task.wcet_ns + min(task.wcet_ns, max(0, rest_ns - slack_ns))


def _interfering(task: Task, tasks: Sequence[Task], scheduler: Scheduler) -> tuple[Task, ...]:
    return tuple(
        one
        for one in tasks
        if one.name != task.name and (scheduler.is_edf or one.priority >= task.priority)
    )


def _from_ready(task: Task) -> Task:
    """Describe a task by when its jobs become ready, not by when they are released."""
    return replace(
        task,
        period_ns=task.period_ns - task.jitter_ns,
        deadline_ns=task.deadline_ns - task.jitter_ns,
        jitter_ns=0,
    )


def _why_unfit(task: Task) -> str:
    """Say why a set with this task cannot be tested; empty: it can."""
    if task.blocking_ns > 0:
        return _why_blocked(task)
    if task.deadline_ns > task.period_ns:
        return f'deadline of task "{task.name}" is beyond its period'
    if task.jitter_ns >= task.deadline_ns:
        return f'jitter of task "{task.name}" is not below its deadline'
    return ""


def _why_blocked(task: Task) -> str:
    return f'task "{task.name}" may be blocked'


def _density(verdict: Verdict, reason: str | None) -> SetVerdict:
    return SetVerdict(
        verdict=verdict,
        test="global EDF density",
        source=GFB_SOURCE,
        exact=verdict == NOT_SCHEDULABLE,
        reason=reason,
    )


def _verdict(task: Task, scheduler: Scheduler, response_ns: int | None, reason: str) -> TaskVerdict:
    if response_ns is None and not reason:
        reason = "no response time within the deadlines of all that interfere is proven"
    return TaskVerdict(
        name=task.name,
        deadline_ns=task.deadline_ns,
        response_time_ns=None if response_ns is None else task.jitter_ns + response_ns,
        verdict=NOT_PROVABLE if response_ns is None else SCHEDULABLE,
        test=f"global {'EDF' if scheduler.is_edf else 'fixed priority'} response time",
        source=RESPONSE_SOURCE,
        exact=False,
        reason=reason or None,
    )
