# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Tasks shared out to CPUs by a test with all costs: where each may run, or why none was found.

That no place is found proves nothing, another order might have one. Proven is only what holds for
every way to share tasks out: more work than the CPUs have, or a task that is late even alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from laxity.bounds.overheads import PlatformCosts
from laxity.bounds.partition import place_tasks
from laxity.bounds.response_time import utilisation
from laxity.bounds.schedulability_tests import choose_test
from laxity.bounds.setup import Setup
from laxity.bounds.tasks import (
    ALONE_SOURCE,
    ALONE_TEST,
    certain_tasks_of,
    exceeds_cpus,
    is_late_alone,
    tasks_of,
    utilisation_ppm,
)
from laxity.bounds.verdicts import (
    NOT_PROVABLE,
    NOT_SCHEDULABLE,
    CpuBound,
    Placement,
    TaskBound,
    TasksOfCpu,
    Verdict,
)
from laxity.core.cpus import format_cpus
from laxity.core.schedulers import Fit
from laxity.core.task_set import DeclaredTask
from laxity.tasksets.task_model import Task

SOURCE = "Coffman, Garey, Johnson 1996; Oh, Son 1995"


@dataclass(frozen=True, slots=True)
class Shared:
    """Tasks with their new `cpu`, in the order of the file, and those that found none."""

    placed: tuple[DeclaredTask, ...]
    unplaced: tuple[DeclaredTask, ...]
    placement: Placement


def share_out(
    declared: Sequence[DeclaredTask], costs: PlatformCosts | None, setup: Setup, fit: Fit
) -> Shared:
    """Place tasks in order of falling utilisation.

    Args:
        declared: Their `cpu` is not read.
        costs: None: one is missing, so no test passes and no task is placed.
        setup: The test, and the CPUs.
        fit: Which CPU is tried first.
    """
    by_name = {one.name: one for one in declared}

    def is_schedulable(tasks: Sequence[Task]) -> bool:
        if costs is None:
            return False
        here = [replace(by_name[one.name], cpu=one.cpu) for one in tasks]
        return _fits(here, tasks, costs, setup)

    found = place_tasks(tasks_of(declared), setup.cpus, is_schedulable, fit)
    cpu_of = {one.name: cpu for cpu, tasks in found.placed.items() for one in tasks}
    return Shared(
        placed=tuple(
            replace(one, cpu=cpu_of[one.name], cpus=(cpu_of[one.name],))
            for one in declared
            if one.name in cpu_of
        ),
        unplaced=tuple(one for one in declared if one.name not in cpu_of),
        placement=Placement(
            fit=f"{fit} fit",
            cpus=tuple(
                TasksOfCpu(cpu, tuple(one.name for one in tasks))
                for cpu, tasks in found.placed.items()
            ),
            unplaced=tuple(one.name for one in declared if one.name not in cpu_of),
        ),
    )


def judge_unplaced(one: DeclaredTask, costs: PlatformCosts | None, setup: Setup) -> TaskBound:
    """Answer for a task that no CPU had room for."""
    verdict: Verdict = NOT_PROVABLE
    cpus = format_cpus(setup.cpus)
    reason = f"no CPU of {cpus} has room for it beside tasks of larger utilisation"
    alone = replace(one, cpu=setup.cpus[0])
    if costs is None:
        reason = "a cost is missing"
    elif not _fits((alone,), tasks_of((alone,)), costs, setup):
        reason = "its deadline is not proven even on a CPU of its own"
    if is_late_alone(one):
        verdict, reason = NOT_SCHEDULABLE, "it is late even alone"
    return TaskBound(
        name=one.name,
        cpu=None,
        priority=one.priority,
        verdict=verdict,
        response_time_ns=None,
        deadline_ns=one.deadline_ns,
        period_ns=one.period_ns,
        test=ALONE_TEST if verdict == NOT_SCHEDULABLE else "partition",
        source=ALONE_SOURCE if verdict == NOT_SCHEDULABLE else SOURCE,
        exact=verdict == NOT_SCHEDULABLE,
        jobs=None,
        jitter_ns=one.keys.jitter_ns,
        window_ns=None,
        breakdown=None,
        reason=reason,
    )


def why_impossible(declared: Sequence[DeclaredTask], cpus: Sequence[int]) -> CpuBound | None:
    """Find what no way to share tasks out gets round; None: nothing."""
    tasks = certain_tasks_of(declared)
    halves = [one for one in tasks if 2 * one.wcet_ns > one.period_ns]
    reason = None
    if exceeds_cpus(tasks, len(cpus)):
        reason = f"utilisation {float(utilisation(tasks)):.3f} exceeds {len(cpus)}"
    elif len(halves) > len(cpus):
        reason = f"{len(halves)} tasks need more than half a CPU each, of {len(cpus)}"
    if reason is None:
        return None
    return CpuBound(
        cpus=tuple(cpus),
        verdict=NOT_SCHEDULABLE,
        test="utilisation",
        source="Liu, Layland 1973",
        exact=True,
        utilisation_ppm=utilisation_ppm(tasks),
        interval_ns=None,
        demand_ns=None,
        reason=reason,
    )


def _fits(
    declared: Sequence[DeclaredTask], tasks: Sequence[Task], costs: PlatformCosts, setup: Setup
) -> bool:
    """Tell whether the tasks of one CPU are schedulable with all costs."""
    test = choose_test(setup)
    return not test.has_turns(declared, costs) and test.keeps_deadlines(tasks, costs, setup)
