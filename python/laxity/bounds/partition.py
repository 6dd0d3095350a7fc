# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Tasks shared out to processors, each of which is then analysed alone.

Tasks are placed in order of falling utilisation, each on the first, the fullest (best fit) or the
emptiest (worst fit) processor whose test still passes. The test is the caller's: it decides what
overheads count. That no place is found proves nothing: another order might have one.

Source: Coffman, Garey and Johnson, "Approximation algorithms for bin packing" (1996); for tasks,
Oh and Son, "Allocating fixed-priority periodic tasks on multiprocessor systems" (1995).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from laxity.bounds.response_time import utilisation
from laxity.core.schedulers import Fit
from laxity.tasksets.task_model import Task

IsSchedulable: TypeAlias = Callable[[Sequence[Task]], bool]


@dataclass(frozen=True, slots=True)
class Partition:
    """Which task runs where.

    Attributes:
        placed: Tasks with their new `cpu`, per processor in the order of placement.
        unplaced: Tasks that no processor had room for, as they were given.
    """

    placed: Mapping[int, tuple[Task, ...]]
    unplaced: tuple[Task, ...]

    @property
    def is_complete(self) -> bool:
        """Whether every task has its processor."""
        return not self.unplaced


def place_tasks(
    tasks: Sequence[Task], cpus: Sequence[int], is_schedulable: IsSchedulable, fit: Fit
) -> Partition:
    """Share tasks out to processors by utilisation, the largest one first.

    Args:
        tasks: Any order; their `cpu` is not read. Among equal utilisations the order stays.
        cpus: Numbers of the processors, no two alike, in the order in which first fit and ties
            take them.
        is_schedulable: Told all tasks of one processor, with its number in `cpu`.
        fit: Which processor is tried first.

    Returns:
        As many tasks as found a place; tasks after one that found none are still tried.
    """
    placed: dict[int, tuple[Task, ...]] = dict.fromkeys(cpus, ())
    unplaced = []
    for task in sorted(tasks, key=_utilisation, reverse=True):
        for cpu in _by_fit(placed, fit):
            together = (*placed[cpu], replace(task, cpu=cpu))
            if is_schedulable(together):
                placed[cpu] = together
                break
        else:
            unplaced.append(task)
    return Partition(placed, tuple(unplaced))


def _by_fit(placed: Mapping[int, Sequence[Task]], fit: Fit) -> list[int]:
    """Order the processors as they are to be tried; sorting leaves ties as they are."""
    if fit is Fit.FIRST:
        return list(placed)
    return sorted(placed, key=lambda cpu: utilisation(placed[cpu]), reverse=fit is Fit.BEST)


def _utilisation(task: Task) -> Fraction:
    return Fraction(task.wcet_ns, task.period_ns)
