# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Priorities for a task set that states none, each CPU for itself, and what its verdict then means.

An order that is found is bounded like one that is stated. Where none is found the task set is not
schedulable only if no order could be: if Audsley's algorithm finds none with the test that leaves
out all that may be absent either. With that test no task fails at a level above one at which it
passes, provided that all start together; if they do not, only a task that is late alone, or more
work than the CPU can do, proves it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from laxity.bounds.bound_fixed_priority import CertainMisses
from laxity.bounds.overheads import PlatformCosts
from laxity.bounds.priority_assignment import (
    LevelTest,
    by_deadline,
    keeps_deadline,
    order_tasks,
    prioritised,
)
from laxity.bounds.sensitivity import find_late_response
from laxity.bounds.tasks import ONE_CPU, certain_tasks_of, exceeds_cpus, tasks_of
from laxity.bounds.verdicts import NOT_PROVABLE, NOT_SCHEDULABLE, SetBound
from laxity.core.spec import MAX_PRIORITY
from laxity.core.task_set import DeclaredTask, TaskSet
from laxity.errors import ConfigError
from laxity.tasksets.task_model import Task

# As those that `generate` gives: above kernel threads for interrupts, with room above.
HIGHEST_PRIORITY = 90


@dataclass(frozen=True, slots=True)
class Prioritised:
    """A task set with the priorities that were found for it.

    Attributes:
        task_set: With priorities, those of the last resort where none were found.
        is_found: Every CPU has an order with which its tasks pass the test.
        is_impossible: A CPU has no order at all, whatever the costs.
    """

    task_set: TaskSet
    is_found: bool
    is_impossible: bool


@dataclass(frozen=True, slots=True)
class _Order:
    """The tasks of one CPU, the highest priority first."""

    tasks: tuple[Task, ...]
    is_found: bool
    is_impossible: bool = False


def find_priorities(task_set: TaskSet, costs: PlatformCosts | None) -> Prioritised:
    """Find priorities, no two alike on one CPU.

    Args:
        task_set: Its priorities are not read.
        costs: With gamma of every task that shares a CPU; None: a cost is missing.

    Raises:
        ConfigError: More tasks on one CPU than there are priorities.
    """
    cpus: dict[int, list[DeclaredTask]] = {}
    for one in task_set.tasks:
        cpus.setdefault(ONE_CPU if one.cpu is None else one.cpu, []).append(one)
    orders = [_order(here, costs) for here in cpus.values()]
    found = {
        one.name: one.priority
        for order in orders
        for one in prioritised(order.tasks, _highest(len(order.tasks)))
    }
    tasks = tuple(replace(one, priority=found[one.name]) for one in task_set.tasks)
    return Prioritised(
        replace(task_set, tasks=tasks),
        is_found=all(order.is_found for order in orders),
        is_impossible=any(order.is_impossible for order in orders),
    )


def judge_found(bound: SetBound, found: Prioritised) -> SetBound:
    """Read the bound of a task set with priorities that were found: others might have done better.

    Only where no order could keep the deadlines is it not schedulable.
    """
    if found.is_impossible or bound.verdict != NOT_SCHEDULABLE:
        return bound
    tasks = tuple(
        replace(
            one,
            verdict=NOT_PROVABLE,
            exact=False,
            reason=f"{one.reason}, with these priorities; others were not ruled out",
        )
        if one.verdict == NOT_SCHEDULABLE
        else one
        for one in bound.tasks
    )
    return replace(bound, verdict=NOT_PROVABLE, tasks=tasks)


def _highest(n_tasks: int) -> int:
    if n_tasks > MAX_PRIORITY:
        msg = (
            f"{n_tasks} tasks without priority on one CPU, and {MAX_PRIORITY} priorities; give "
            "each task one, several the same"
        )
        raise ConfigError(msg)
    return max(HIGHEST_PRIORITY, n_tasks)


def _order(declared: Sequence[DeclaredTask], costs: PlatformCosts | None) -> _Order:
    tasks = tasks_of(declared)
    usual = by_deadline(tasks)
    if costs is not None:
        order = order_tasks(tasks, keeps_deadline(costs))
        # What Audsley's algorithm asks counts more than the bound of a given order does.
        if order is None and find_late_response(prioritised(usual, len(usual)), costs) is None:
            order = usual
        if order is not None:
            return _Order(order, is_found=True)
    order = order_tasks(tasks, _may_keep_deadline(declared))
    if order is not None:
        return _Order(order, is_found=False)
    return _Order(usual, is_found=False, is_impossible=_is_impossible(declared))


def _may_keep_deadline(declared: Sequence[DeclaredTask]) -> LevelTest:
    """Make the test that only fails a task which misses its deadline for certain."""
    by_name = {one.name: one for one in declared}

    def passes(task: Task, above: Sequence[Task], below: Sequence[Task]) -> bool:
        levels = ((1, (task,)), (2, above), (0, below))
        here = [replace(by_name[one.name], priority=p) for p, part in levels for one in part]
        return not CertainMisses(here).has(0)

    return passes


def _is_impossible(declared: Sequence[DeclaredTask]) -> bool:
    """Tell whether no order keeps all deadlines, given that Audsley's algorithm found none."""
    if len({one.offset_ns for one in declared}) == 1:
        return True
    if exceeds_cpus(certain_tasks_of(declared), 1):
        return True
    return any(CertainMisses((one,)).has(0) for one in declared)
