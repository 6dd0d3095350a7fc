# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Tasks of fixed priorities, each on one CPU, bounded with what the platform costs."""

from collections.abc import Sequence
from dataclasses import replace

from laxity.analysis.bound_tasks import has_costs, share_turns, starts_together, tasks_of
from laxity.analysis.overheads import PlatformCosts, break_down, with_overheads
from laxity.analysis.response_time import Response, interfering_tasks, response_time, utilisation
from laxity.analysis.task_model import Task
from laxity.analysis.verdicts import NOT_PROVABLE, NOT_SCHEDULABLE, SCHEDULABLE, TaskBound, Verdict
from laxity.model.task_set import DeclaredTask
from laxity.model.units import decimal_duration

TEST = "response time analysis of fixed priorities, busy windows"
SOURCE = "Joseph and Pandya 1986; Lehoczky 1990; Audsley et al. 1993"
COSTS_SOURCE = "C' = C + 2 delta + gamma: Sebek, The real cost of task pre-emptions, section 1.3"


def bound_fixed_priority(
    declared: Sequence[DeclaredTask], tasks: Sequence[Task], costs: PlatformCosts | None
) -> tuple[TaskBound, ...]:
    """Bound the response times of all tasks.

    Args:
        declared: As the file states them.
        tasks: The same, as the tests read them, in the same order.
        costs: None: one is missing.
    """
    return tuple(_bound(index, declared, tasks, costs) for index in range(len(tasks)))


def longest_response(task: Task, tasks: Sequence[Task], costs: PlatformCosts) -> Response:
    """Bound a response time from above: with all costs, equal priorities counted as higher."""
    loaded = with_overheads(task, tasks, costs)
    return response_time(loaded.task, (*loaded.interfering, *loaded.interrupts))


def _bound(
    index: int, declared: Sequence[DeclaredTask], tasks: Sequence[Task], costs: PlatformCosts | None
) -> TaskBound:
    task = tasks[index]
    response, reason = _from_above(index, declared, tasks, costs)
    verdict: Verdict = NOT_PROVABLE
    if reason is None:
        verdict = SCHEDULABLE
    elif misses_for_certain(index, declared):
        verdict = NOT_SCHEDULABLE
    is_bounded = response.response_ns is not None
    breakdown = None
    if is_bounded and costs is not None:
        breakdown = break_down(task, tasks, costs, response)
    return TaskBound(
        name=task.name,
        cpu=task.cpu,
        priority=task.priority,
        verdict=verdict,
        response_time_ns=response.response_ns,
        deadline_ns=task.deadline_ns,
        period_ns=task.period_ns,
        test=TEST,
        source=f"{SOURCE}; {COSTS_SOURCE}" if has_costs(costs) else SOURCE,
        exact=costs is not None and _is_exact(index, declared, costs),
        jobs=response.jobs if is_bounded else None,
        jitter_ns=task.jitter_ns + (0 if costs is None else costs.release_latency_ns),
        window_ns=response.window_ns if is_bounded else None,
        breakdown=breakdown,
        reason=reason,
    )


def _from_above(
    index: int, declared: Sequence[DeclaredTask], tasks: Sequence[Task], costs: PlatformCosts | None
) -> tuple[Response, str | None]:
    """Bound a response time from above, and say why that is not enough; None: it is."""
    if costs is None:
        return Response(None), "a cost is missing"
    if takes_turns(index, declared, costs):
        return Response(None), "tasks of policy rr and equal priority take turns, how often is open"
    task = tasks[index]
    response = longest_response(task, tasks, costs)
    if not response.is_decided:
        return response, "the busy window is too long to be followed to its end"
    if response.response_ns is None:
        return response, "more is asked for than the processor has: the busy window does not end"
    if response.response_ns > task.deadline_ns:
        return response, why_late(response.response_ns, task)
    return response, None


def why_late(response_ns: int, task: Task) -> str:
    """Say by how much a bound is too long."""
    return f"the bound is beyond the deadline by {decimal_duration(response_ns - task.deadline_ns)}"


def misses_for_certain(index: int, declared: Sequence[DeclaredTask]) -> bool:
    """Tell whether a job misses its deadline even without any cost that may be absent.

    Left out: the platform's costs, contention, blocking, tasks of equal priority. Tasks that start
    at different offsets may never meet, so then the task is taken alone, but for the utilisation.
    The task set states that a job may be late by its jitter, but not that another task becomes
    ready at that very instant: so once the task is late alone, and once nobody is.
    """
    tasks = tasks_of(declared, with_contention=False)
    task = replace(tasks[index], blocking_ns=0)
    higher = [one for one in interfering_tasks(task, tasks) if one.priority > task.priority]
    if utilisation((task, *higher)) > 1 or _is_late(task, ()):
        return True
    if not _start_together(index, declared):
        return False
    punctual = [replace(one, jitter_ns=0) for one in higher]
    return _is_late(replace(task, jitter_ns=0), punctual)


def _is_late(task: Task, higher: Sequence[Task]) -> bool:
    response_ns = response_time(task, higher).response_ns
    return response_ns is not None and response_ns > task.deadline_ns


def _is_exact(index: int, declared: Sequence[DeclaredTask], costs: PlatformCosts) -> bool:
    """Tell whether the bound from above is also one from below: nothing in it may be absent."""
    task = tasks_of(declared)[index]
    interfering = interfering_tasks(task, tasks_of(declared))
    return (
        costs == PlatformCosts()
        and task.blocking_ns == 0
        and all(one.priority > task.priority for one in interfering)
        and (not interfering or all(one.jitter_ns == 0 for one in (task, *interfering)))
        and all(one.keys.overhead_ppm == 0 and one.observed_ns is None for one in declared)
        and _start_together(index, declared)
    )


def _start_together(index: int, declared: Sequence[DeclaredTask]) -> bool:
    """Tell whether a task and those that may run before it have one offset."""
    task = declared[index]
    return starts_together(
        [one for one in declared if one.cpu == task.cpu and one.priority >= task.priority]
    )


def takes_turns(index: int, declared: Sequence[DeclaredTask], costs: PlatformCosts) -> bool:
    """Tell whether tasks that take turns cost a task switches that nothing bounds."""
    if costs == PlatformCosts():
        return False
    task = declared[index]
    return share_turns(
        [one for one in declared if one.cpu == task.cpu and one.priority >= task.priority]
    )
