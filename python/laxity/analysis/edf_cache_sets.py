# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Preemption delays under EDF from the cache sets that tasks use.

Each job of j pays, once, for what it and others evict (BRT: the time to load a block again):

    ECB only      |ECB_j|
    UCB only      max of |UCB_k|
    UCB union     |ECB_j and the union of UCB_k|
    ECB union     max of |UCB_k and the union of ECB_h over all h that may preempt k|

over all k that j may preempt (edf_overheads.py). What makes them safe is what makes those of fixed
priorities safe (crpd_sets.py): of the jobs that run while k is preempted the one of latest deadline
pays (among those that use a set, for UCB union). Intervals in which jobs are preempted are nested
or apart, and the inner victim runs within the outer one and has a later deadline than whoever
pays for it, so that no job pays twice. All that run within it have deadlines before that of k and
are ready after it: they are among those that may preempt k. (The paper takes the ECB of tasks with
D_h <= D_j. One that is released before j's job may have a longer D, so here all count.)

Source: Lunniss, Altmeyer, Maiza and Davis, "Integrating cache related pre-emption delay analysis
into EDF scheduling" (2013).
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from laxity.analysis.crpd_sets import Cache, Method, why_refused
from laxity.analysis.edf_overheads import Charge, edf_victims
from laxity.analysis.task_model import Task

SOURCE = "Lunniss, Altmeyer, Maiza, Davis 2013"
# What is charged per preempting job and does not depend on the interval.
EDF_METHODS: Mapping[Method, tuple[Method, ...]] = MappingProxyType(
    {
        Method.ECB_ONLY: (Method.ECB_ONLY,),
        Method.UCB_ONLY: (Method.UCB_ONLY,),
        Method.UCB_UNION: (Method.UCB_UNION,),
        Method.ECB_UNION: (Method.ECB_UNION,),
        Method.COMBINED: (Method.UCB_UNION, Method.ECB_UNION),
    }
)


def charge_by_sets(cache: Cache, method: Method) -> Charge:
    """Say what each job of a task makes others load again at most, in ns.

    Args:
        cache: Private to the processor.
        method: One of those that `EDF_METHODS` takes apart.
    """

    def charge(task: Task, tasks: Sequence[Task]) -> int:
        if cache.reload_ns == 0:
            return 0
        return _blocks(task, tasks, method) * cache.set_reload_ns

    return charge


def why_no_charge(tasks: Sequence[Task], cache: Cache, method: Method) -> str:
    """Say why the sets of the tasks of one processor bound nothing; empty: they do."""
    refused = why_refused(cache)
    if refused or cache.reload_ns == 0:
        return refused
    for one in tasks:
        victims = edf_victims(one, tasks)
        if any(other.blocking_ns > 0 for other in (one, *victims)):
            return (
                f'what a task that blocks "{one.name}" or one that it preempts evicts is not known'
            )
        if victims and method is not Method.UCB_ONLY and not one.ecb:
            return f'ecb of task "{one.name}" is not known'
        unknown = next((other for other in victims if not _useful(other)), None)
        if unknown is not None and method is not Method.ECB_ONLY:
            return f'neither ucb nor ecb of task "{unknown.name}" is known'
    return ""


def _blocks(task: Task, tasks: Sequence[Task], method: Method) -> int:
    victims = edf_victims(task, tasks)
    if not victims:
        return 0
    if method is Method.ECB_ONLY:
        return len(_evicting(task))
    if method is Method.UCB_ONLY:
        return max(len(_useful(one)) for one in victims)
    if method is Method.UCB_UNION:
        return len(_evicting(task) & _union(_useful(one) for one in victims))
    return max(len(_useful(one) & _evicting_within(one, tasks)) for one in victims)


def _evicting_within(victim: Task, tasks: Sequence[Task]) -> frozenset[int]:
    """Give the sets of all tasks that may run while one is preempted."""
    return _union(_evicting(one) for one in tasks if victim in edf_victims(one, tasks))


def _useful(task: Task) -> frozenset[int]:
    return task.ucb or task.ecb


def _evicting(task: Task) -> frozenset[int]:
    """Give the sets that a task uses: what is useful to it, it has loaded."""
    return task.ecb | task.ucb


def _union(sets: Iterable[frozenset[int]]) -> frozenset[int]:
    return frozenset[int]().union(*sets)
