# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How far the verdict of any family of tests is from another one: which task it loses first."""

from collections.abc import Sequence
from dataclasses import replace

from laxity.analysis.bound_cache_sets import responses_by_sets
from laxity.analysis.bound_edf import counts_from_wakeup, find_overload
from laxity.analysis.bound_fixed_priority import take_turns
from laxity.analysis.bound_global import find_unproven
from laxity.analysis.bound_setup import Setup
from laxity.analysis.bound_tasks import has_costs, share_turns, tasks_of
from laxity.analysis.overheads import PlatformCosts
from laxity.analysis.sensitivity import FindLate, Sensitivity, find_late_response, sensitivity
from laxity.analysis.task_model import Task
from laxity.analysis.verdicts import SCHEDULABLE
from laxity.model.task_set import DeclaredTask


def find_sensitivity(
    declared: Sequence[DeclaredTask], costs: PlatformCosts | None, setup: Setup
) -> Sensitivity | None:
    """Find the factors with which the test still proves all deadlines.

    Args:
        declared: As the file states them, or as a partition placed them.
        costs: None: one is missing.
        setup: Who schedules them.

    Returns:
        None: it is not asked for, a cost is missing, tasks take turns, or the test proves nothing
        of such tasks, however short they are.
    """
    if not setup.has_sensitivity:
        return None
    if costs is None or not declared or _take_turns(declared, costs, setup):
        return None
    tasks = tasks_of(declared)
    late = _late_test(declared, setup)
    if late is not find_late_response:
        shortest = [replace(one, wcet_ns=1) for one in tasks]
        if late(shortest, PlatformCosts(block_reload_ns=min(1, costs.block_reload_ns))):
            return None
    return sensitivity(tasks, costs, late)


def _take_turns(declared: Sequence[DeclaredTask], costs: PlatformCosts, setup: Setup) -> bool:
    if setup.scheduler.is_edf:
        return False
    if setup.scheduler.is_global:
        return share_turns(declared) and has_costs(costs)
    return bool(take_turns(declared, costs))


def _late_test(declared: Sequence[DeclaredTask], setup: Setup) -> FindLate:
    """Choose the test that names a task which is not proven to keep its deadline."""
    sets, from_wakeup = setup.sets, counts_from_wakeup(declared)

    def by_sets(tasks: Sequence[Task], costs: PlatformCosts) -> str | None:
        found = responses_by_sets(tasks, costs, sets) if sets is not None else ()
        return next((one.name for one in found if one.verdict != SCHEDULABLE), None)

    def by_demand(tasks: Sequence[Task], costs: PlatformCosts) -> str | None:
        for cpu in sorted({one.cpu for one in tasks}):
            here = [one for one in tasks if one.cpu == cpu]
            late = find_overload(here, costs, from_wakeup=from_wakeup, sets=sets)
            if late is not None:
                return late
        return None

    def anywhere(tasks: Sequence[Task], costs: PlatformCosts) -> str | None:
        return find_unproven(tasks, costs, setup, from_wakeup=from_wakeup)

    if setup.scheduler.is_global:
        return anywhere
    if setup.scheduler.is_edf:
        return by_demand
    return find_late_response if sets is None else by_sets
