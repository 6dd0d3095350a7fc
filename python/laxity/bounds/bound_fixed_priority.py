# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Tasks of fixed priorities, each on one CPU, bounded with what the platform costs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from laxity.bounds.overheads import LoadedCpu, PlatformCosts, load_cpus
from laxity.bounds.response_time import Response, exceeds_capacity, interfering_tasks, response_time
from laxity.bounds.tasks import (
    CertainTask,
    certain_tasks_of,
    has_costs,
    starts_together,
    tasks_of,
)
from laxity.bounds.verdicts import NOT_PROVABLE, NOT_SCHEDULABLE, SCHEDULABLE, TaskBound, Verdict
from laxity.core.spec import Policy
from laxity.core.task_set import DeclaredTask
from laxity.core.units import upper_duration
from laxity.tasksets.task_model import Task

TEST = "response time analysis of fixed priorities, busy windows"
SOURCE = "Joseph and Pandya 1986; Lehoczky 1990; Audsley et al. 1993"
COSTS_SOURCE = "C' = C + 2 delta + gamma: Sebek, The real cost of task pre-emptions, section 1.3"


def bound_fixed_priority(
    declared: Sequence[DeclaredTask], costs: PlatformCosts | None
) -> tuple[TaskBound, ...]:
    """Bound the response times of all tasks.

    Args:
        declared: As the file states them.
        costs: None: one is missing.
    """
    tasks = tasks_of(declared)
    found = _Set(
        declared=declared,
        tasks=tasks,
        costs=costs,
        cpus=load_cpus(tasks, costs or PlatformCosts()),
        certain=CertainMisses(declared),
        turns=take_turns(declared, costs or PlatformCosts()),
    )
    return tuple(_bound(index, found) for index in range(len(tasks)))


def keeps_deadlines(tasks: Sequence[Task], costs: PlatformCosts) -> bool:
    """Tell whether the bound of every task is within its deadline, with fewest sums."""
    cpus = load_cpus(tasks, costs).values()
    # The lowest priority is late first.
    return all(cpu.keeps_deadline(one) for cpu in cpus for one in reversed(cpu.plain))


@dataclass(frozen=True, slots=True)
class _Set:
    """A task set, and what is found out once for all of its tasks.

    Attributes:
        declared: As the file states them.
        tasks: The same, as the tests read them.
        costs: None: one is missing.
        cpus: With all costs; without any where one is missing.
        certain: Who is late without any that may be absent.
        turns: Places of the tasks that others, which take turns, delay for an unknown time.
    """

    declared: Sequence[DeclaredTask]
    tasks: Sequence[Task]
    costs: PlatformCosts | None
    cpus: Mapping[int, LoadedCpu]
    certain: "CertainMisses"
    turns: frozenset[int]


def _bound(index: int, of: _Set) -> TaskBound:
    task, costs = of.tasks[index], of.costs
    response, reason = _from_above(index, of)
    verdict: Verdict = NOT_PROVABLE
    if reason is None:
        verdict = SCHEDULABLE
    elif of.certain.has(index):
        verdict = NOT_SCHEDULABLE
    is_bounded = response.response_ns is not None
    breakdown = None
    if is_bounded and costs is not None:
        breakdown = of.cpus[task.cpu].break_down(task, response)
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
        exact=verdict != NOT_PROVABLE and _is_exact(index, of),
        jobs=response.jobs if is_bounded else None,
        jitter_ns=task.jitter_ns + (0 if costs is None else costs.timer_latency_ns),
        window_ns=response.window_ns if is_bounded else None,
        breakdown=breakdown,
        reason=reason,
    )


def _from_above(index: int, of: _Set) -> tuple[Response, str | None]:
    """Bound a response time from above, and say why that is not enough; None: it is."""
    if of.costs is None:
        return Response(None), "a cost is missing"
    if index in of.turns:
        return Response(None), "tasks of policy rr and equal priority take turns, how often is open"
    task = of.tasks[index]
    response = of.cpus[task.cpu].response(task)
    if not response.is_decided:
        return response, "the busy window is too long to be followed to its end"
    if response.response_ns is None:
        return response, "more is asked for than the processor has: the busy window does not end"
    if response.response_ns > task.deadline_ns:
        return response, why_late(response.response_ns, task)
    return response, None


def why_late(response_ns: int, task: Task) -> str:
    """Say by how much a bound is too long."""
    return f"the bound is beyond the deadline by {upper_duration(response_ns - task.deadline_ns)}"


class CertainMisses:
    """Who misses a deadline even without any cost that may be absent.

    Left out: the platform's costs, contention, blocking, tasks of equal priority. Tasks that start
    at different offsets may never meet, so then the task is taken alone, but for the utilisation.
    The task set states that a job may be late by its jitter, but not that another task becomes
    ready at that very instant: so once the task is late alone, and once nobody is.
    """

    def __init__(self, declared: Sequence[DeclaredTask]) -> None:
        self._declared = declared
        self._tasks = certain_tasks_of(declared)

    def has(self, index: int) -> bool:
        """Tell whether a job of the task at a place does."""
        task = self._tasks[index]
        before = interfering_tasks(task, self._tasks)
        higher = [one for one in before if one.priority > task.priority]
        shares = [(one.wcet_ns, one.period_ns) for one in (task, *higher)]
        if exceeds_capacity(shares) or _is_late(task, ()):
            return True
        if not _start_together(index, self._declared):
            return False
        punctual = [replace(one, jitter_ns=0) for one in higher]
        return _is_late(replace(task, jitter_ns=0), punctual)


def _is_late(task: CertainTask, higher: Sequence[CertainTask]) -> bool:
    response_ns = response_time(task, higher).response_ns
    return response_ns is not None and response_ns > task.deadline_ns


def _is_exact(index: int, of: _Set) -> bool:
    """Tell whether the bound from above is also one from below: nothing in it may be absent."""
    if of.costs != PlatformCosts():
        return False
    task = of.tasks[index]
    interfering = interfering_tasks(task, of.tasks)
    return (
        task.blocking_ns == 0
        and all(one.priority > task.priority for one in interfering)
        and (not interfering or all(one.jitter_ns == 0 for one in (task, *interfering)))
        and all(one.keys.overhead_ppm == 0 and one.observed_ns is None for one in of.declared)
        and _start_together(index, of.declared)
    )


def _start_together(index: int, declared: Sequence[DeclaredTask]) -> bool:
    """Tell whether a task and those that may run before it have one offset."""
    task = declared[index]
    return starts_together(
        [one for one in declared if one.cpu == task.cpu and one.priority >= task.priority]
    )


def take_turns(declared: Sequence[DeclaredTask], costs: PlatformCosts) -> frozenset[int]:
    """Find the places of tasks that switches of others, taking turns, delay: nothing bounds them.

    They are those of at most the priority of tasks that take turns.
    """
    if costs == PlatformCosts():
        return frozenset()
    levels = Counter((one.cpu, one.priority) for one in declared)
    highest: dict[int | None, int] = {}
    for one in declared:
        if one.policy is Policy.RR and levels[one.cpu, one.priority] > 1:
            highest[one.cpu] = max(one.priority, highest.get(one.cpu, one.priority))
    return frozenset(
        index
        for index, one in enumerate(declared)
        if one.cpu in highest and one.priority <= highest[one.cpu]
    )
