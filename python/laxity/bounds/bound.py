# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Is a task set schedulable with what the platform costs?

Two analyses answer. One never comes out too low: it has all costs in it, and if its bounds keep the
deadlines the tasks are schedulable. The other never comes out too high: it has nothing in it but
what happens for certain, and if its response times miss a deadline the tasks are not schedulable.
Between the two nothing is proven. Each family of tests has both, in a file of its own.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from laxity.bounds.bound_partition import judge_unplaced, share_out, why_impossible
from laxity.bounds.crpd_sets import is_refused
from laxity.bounds.overheads import PlatformCosts
from laxity.bounds.platform_costs import Accounted
from laxity.bounds.schedulability_tests import choose_test
from laxity.bounds.sensitivity import Sensitivity, sensitivity
from laxity.bounds.setup import USUAL, CacheSets, Setup
from laxity.bounds.tasks import counts_from_wakeup, tasks_of
from laxity.bounds.verdicts import (
    NOT_PROVABLE,
    NOT_SCHEDULABLE,
    SCHEDULABLE,
    SetBound,
    TaskBound,
    Verdict,
)
from laxity.core.schedulers import Fit
from laxity.core.spec import Policy
from laxity.core.task_set import DeclaredTask, TaskSet
from laxity.core.units import shown_duration


def bound_task_set(
    task_set: TaskSet, accounted: Accounted | None, setup: Setup = USUAL
) -> SetBound:
    """Bound all tasks and judge them.

    Args:
        task_set: At least one task.
        accounted: What the platform costs; None: nothing, as the user said.
        setup: Who schedules them.
    """
    declared = task_set.tasks
    setup = replace(setup, from_wakeup=counts_from_wakeup(declared))
    costs = _no_costs(setup) if accounted is None else accounted.costs
    if setup.fit is not None:
        found = _shared_out(declared, costs, setup, setup.fit)
    else:
        found = _judge(declared, costs, setup)
    return replace(found, notes=(*found.notes, *_notes(task_set, setup, found.tasks)))


def _no_costs(setup: Setup) -> PlatformCosts:
    """Return what counts beside --costs none: blocks to load again, whose time the user stated."""
    return PlatformCosts(block_reload_ns=0 if setup.sets is None else setup.sets.reload_ns or 0)


def _judge(declared: Sequence[DeclaredTask], costs: PlatformCosts | None, setup: Setup) -> SetBound:
    """Judge tasks where they are: by what is found of them together, else one by one."""
    test = choose_test(setup)
    bounds, cpus = test.bound(declared, costs, setup)
    return SetBound(
        verdict=_of_all([one.verdict for one in cpus or bounds]),
        tasks=bounds,
        cpus=cpus,
        sensitivity=_find_sensitivity(declared, costs, setup),
        notes=tuple(_notes_on_responses(bounds, test.why_no_response)),
    )


def _find_sensitivity(
    declared: Sequence[DeclaredTask], costs: PlatformCosts | None, setup: Setup
) -> Sensitivity | None:
    """Find the factors with which the test still proves all deadlines.

    None: it is not asked for, a cost is missing, tasks take turns, or the test proves nothing of
    such tasks, however short they are.
    """
    test = choose_test(setup)
    if not setup.has_sensitivity or costs is None or not declared:
        return None
    if test.has_turns(declared, costs):
        return None
    tasks = tasks_of(declared)
    if not test.covers_all:
        shortest = [replace(one, wcet_ns=1) for one in tasks]
        least = PlatformCosts(block_reload_ns=min(1, costs.block_reload_ns))
        if test.find_late(shortest, least, setup) is not None:
            return None
    return sensitivity(tasks, costs, lambda tried, counted: test.find_late(tried, counted, setup))


def _shared_out(
    declared: Sequence[DeclaredTask], costs: PlatformCosts | None, setup: Setup, fit: Fit
) -> SetBound:
    """Judge tasks where a partition puts them, and those that it cannot place."""
    shared = share_out(declared, costs, setup, fit)
    found = _judge(shared.placed, costs, setup)
    bounds = {one.name: one for one in found.tasks}
    for one in shared.unplaced:
        bounds[one.name] = judge_unplaced(one, costs, setup)
    tasks = tuple(bounds[one.name] for one in declared)
    impossible = why_impossible(declared, setup.cpus)
    cpus = found.cpus if impossible is None else (*found.cpus, impossible)
    return replace(
        found,
        verdict=_of_all([*(one.verdict for one in tasks), *(one.verdict for one in cpus)]),
        tasks=tasks,
        cpus=cpus,
        partition=shared.placement,
        sensitivity=None if shared.unplaced else found.sensitivity,
    )


def _notes_on_responses(bounds: Sequence[TaskBound], why: str) -> Iterator[str]:
    """Tell whose deadlines are proven though no response time was found."""
    names = [
        one.name for one in bounds if one.verdict == SCHEDULABLE and one.response_time_ns is None
    ]
    if names and why:
        yield f"no response times ({', '.join(names)}): {why}; deadlines are proven without"


def _of_all(verdicts: Sequence[Verdict]) -> Verdict:
    if NOT_SCHEDULABLE in verdicts:
        return NOT_SCHEDULABLE
    return NOT_PROVABLE if NOT_PROVABLE in verdicts else SCHEDULABLE


def _notes(task_set: TaskSet, setup: Setup, bounds: Sequence[TaskBound]) -> list[str]:
    declared = task_set.tasks
    notes = []
    if setup.fit is not None and any(one.cpus for one in declared):
        notes.append("the file's cpus are not read: --partition places the tasks")
    if any(one.cpu is None for one in declared) and not setup.cpus:
        notes.append("the file names no cpus: all tasks are taken to share one CPU")
    if setup.scheduler.is_edf:
        notes += _notes_on_edf(declared)
    else:
        notes += _notes_on_priorities(bounds, setup)
    if setup.sets is not None and not is_refused(setup.sets.policy):
        notes.append(_note_on_sets(setup.sets))
    uncharged = [task.name for task in declared if not task.keys.overhead_ppm]
    if task_set.has_corunners and uncharged:
        whose = "jobs" if len(uncharged) == len(declared) else f"jobs of {', '.join(uncharged)}"
        notes.append(f"co-runners ([[interfere]]) slow {whose} down: wcet has to hold beside them")
    return notes


def _note_on_sets(sets: CacheSets) -> str:
    blocks = "1 block" if sets.ways == 1 else f"{sets.ways} blocks"
    takes = "" if sets.reload_ns is None else f", {shown_duration(sets.reload_ns)} to load one"
    return (
        f"preemption delays are modelled: a cache of each CPU alone ({sets.policy}), {blocks} a "
        f"set{takes}; no miss costs more"
    )


def _notes_on_priorities(bounds: Sequence[TaskBound], setup: Setup) -> list[str]:
    levels = Counter(_level(one, setup) for one in bounds)
    shared = [
        one
        for one in bounds
        if (setup.scheduler.is_global or one.cpu is not None) and levels[_level(one, setup)] > 1
    ]
    if not shared:
        return []
    names = ", ".join(one.name for one in shared)
    return [f"equal priorities ({names}): each is counted before the other"]


def _notes_on_edf(declared: Sequence[DeclaredTask]) -> list[str]:
    if any(one.policy is not Policy.DEADLINE for one in declared):
        return ["the file's policies are of fixed priorities: under them this answer does not hold"]
    return [
        "SCHED_DEADLINE counts a deadline from the wake-up of its job: the timer latency counts "
        "twice",
        "SCHED_DEADLINE stops a job that has used its runtime: runtime has to hold wcet and all "
        "that preemptions add to a job",
    ]


def _level(one: TaskBound, setup: Setup) -> tuple[int | None, int | None]:
    return (None if setup.scheduler.is_global else one.cpu), one.priority
