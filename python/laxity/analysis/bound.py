# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Is a task set schedulable with what the platform costs?

Two analyses answer. One never comes out too low: it has all costs in it, and if its bounds keep the
deadlines the tasks are schedulable. The other never comes out too high: it has nothing in it but
what happens for certain, and if its response times miss a deadline the tasks are not schedulable.
Between the two nothing is proven. Each family of tests has both, in a file of its own.
"""

from collections.abc import Sequence

from laxity.analysis.bound_fixed_priority import bound_fixed_priority, takes_turns
from laxity.analysis.bound_tasks import tasks_of
from laxity.analysis.overheads import PlatformCosts
from laxity.analysis.platform_costs import Accounted
from laxity.analysis.sensitivity import sensitivity
from laxity.analysis.verdicts import NOT_PROVABLE, NOT_SCHEDULABLE, SCHEDULABLE, SetBound, Verdict
from laxity.model.task_set import DeclaredTask, TaskSet


def bound_task_set(task_set: TaskSet, accounted: Accounted | None) -> SetBound:
    """Bound all tasks and judge them.

    Args:
        task_set: At least one task.
        accounted: What the platform costs; None: nothing, as the user said.
    """
    declared = task_set.tasks
    tasks = tasks_of(declared)
    costs = PlatformCosts() if accounted is None else accounted.costs
    bounds = bound_fixed_priority(declared, tasks, costs)
    spare = None
    if costs is not None and not any(takes_turns(i, declared, costs) for i in range(len(tasks))):
        spare = sensitivity(tasks, costs)
    verdict = _of_all([one.verdict for one in bounds])
    return SetBound(verdict, bounds, spare, tuple(_notes(task_set)))


def _of_all(verdicts: Sequence[Verdict]) -> Verdict:
    if NOT_SCHEDULABLE in verdicts:
        return NOT_SCHEDULABLE
    return NOT_PROVABLE if NOT_PROVABLE in verdicts else SCHEDULABLE


def _notes(task_set: TaskSet) -> list[str]:
    notes = []
    if any(one.cpu is None for one in task_set.tasks):
        notes.append("the file names no cpus: all tasks are taken to share one CPU")
    shared = [
        one for one in task_set.tasks if any(_are_equal(one, other) for other in task_set.tasks)
    ]
    if shared:
        names = ", ".join(one.name for one in shared)
        notes.append(f"equal priorities ({names}): each is counted before the other")
    if task_set.has_corunners and not any(one.keys.overhead_ppm for one in task_set.tasks):
        notes.append("co-runners ([[interfere]]) slow jobs down: wcet has to hold beside them")
    return notes


def _are_equal(one: DeclaredTask, other: DeclaredTask) -> bool:
    return one is not other and one.cpu == other.cpu and one.priority == other.priority
