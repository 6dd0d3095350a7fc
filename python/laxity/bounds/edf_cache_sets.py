# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Preemption delays under EDF from the cache sets that tasks use.

Each job of j pays, once, for what it and others evict (BRT: the time to load a block again):

    ECB only      |ECB_j|
    UCB only      max of |UCB_k|
    UCB union     |ECB_j and the union of UCB_k|
    ECB union     max of |UCB_k and the union of ECB_h over all h that may preempt k|
    multiset      the same for all jobs of j in an interval together, but each k is preempted by j
                  at most P_j(k) E_k(t) times

over all k that j may preempt (edf_overheads.py). What makes them safe is what makes those of fixed
priorities safe (crpd_sets.py): of the jobs that run while k is preempted the one of latest deadline
pays (among those that use a set, for UCB union). Intervals in which jobs are preempted are nested
or apart, and the inner victim runs within the outer one and has a later deadline than whoever
pays for it, so that no job pays twice. All that run within it have deadlines before that of k and
are ready after it: they are among those that may preempt k. (The paper takes the ECB of tasks with
D_h <= D_j. One that is released before j's job may have a longer D, so here all count.)

Multisets: in an interval t lie E_k(t) = floor((t + J_k - D_k) / T_k) + 1 jobs of k with their
deadlines, and jobs with later ones load nothing again in it. Those of j that preempt one of k are
ready after it and have deadlines up to its own: P_j(k) = floor((D_k - D_j + J_j) / T_j) + 1.

Source: Lunniss, Altmeyer, Maiza and Davis, "Integrating cache related pre-emption delay analysis
into EDF scheduling" (2013).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from laxity.bounds.crpd_sets import Cache, Method, why_refused
from laxity.bounds.edf import Less
from laxity.bounds.edf_overheads import Charge, edf_victims, may_preempt
from laxity.tasksets.task_model import Task

SOURCE = "Lunniss, Altmeyer, Maiza, Davis 2013"
# Combined: either of the two may prove it.
EDF_PARTS: Mapping[Method, tuple[Method, ...]] = MappingProxyType(
    {
        Method.COMBINED: (Method.UCB_UNION, Method.ECB_UNION),
        Method.COMBINED_MULTISET: (Method.UCB_UNION_MULTISET, Method.ECB_UNION_MULTISET),
    }
)
# What a job is charged at most, whatever the interval.
_PER_JOB: Mapping[Method, Method] = MappingProxyType(
    {
        Method.UCB_UNION_MULTISET: Method.UCB_UNION,
        Method.ECB_UNION_MULTISET: Method.ECB_UNION,
    }
)


def is_multiset(method: Method) -> bool:
    """Tell whether a method counts all jobs in an interval together."""
    return method in _PER_JOB


def charge_by_sets(cache: Cache, method: Method) -> Charge:
    """Say what each job of a task makes others load again at most, in ns.

    Args:
        cache: Private to the processor.
        method: Not combined; of a multiset the method that counts most.
    """
    per_job = _PER_JOB.get(method, method)

    def charge(task: Task, tasks: Sequence[Task]) -> int:
        if cache.reload_ns == 0:
            return 0
        return _blocks(task, tasks, per_job) * cache.set_reload_ns

    return charge


def overcharged(tasks: Sequence[Task], cache: Cache, method: Method) -> Less:
    """Say by how much the charges of all jobs exceed what a multiset counts in an interval.

    Args:
        tasks: All of the processor, their jitter as in `with_edf_overheads`.
        cache: Private to the processor.
        method: Not combined.
    """
    if not is_multiset(method) or cache.reload_ns == 0:
        return lambda _: 0
    preemptors = [_preemptor(one, tasks, method) for one in tasks if edf_victims(one, tasks)]

    def less_ns(interval_ns: int) -> int:
        jobs = {one.name: _jobs_within(one, interval_ns) for one in tasks}
        return sum(one.overcounted(jobs) for one in preemptors) * cache.set_reload_ns

    return less_ns


@dataclass(frozen=True, slots=True)
class _Victim:
    """A task that may be preempted: `times` by the jobs of another one for each of its own."""

    name: str
    blocks: frozenset[int]
    times: int


@dataclass(frozen=True, slots=True)
class _Preemptor:
    """A task that may preempt, what each of its jobs is charged, and whom they may preempt.

    Attributes:
        name: Of the task.
        charged: Cache sets.
        victims: With the sets that each loses, those that lose most first.
        is_by_set: Each set is counted on its own, as often as there are jobs that lose it.
    """

    name: str
    charged: int
    victims: tuple[_Victim, ...]
    is_by_set: bool

    def overcounted(self, jobs_of: Mapping[str, int]) -> int:
        """Return the sets that all jobs in an interval are charged too many.

        Args:
            jobs_of: How many of each task lie in it.
        """
        jobs = jobs_of[self.name]
        if jobs == 0:
            return 0
        lost = ((one.blocks, min(jobs, one.times * jobs_of[one.name])) for one in self.victims)
        return jobs * self.charged - (_by_set if self.is_by_set else _by_victim)(lost, jobs)


def _preemptor(task: Task, tasks: Sequence[Task], method: Method) -> _Preemptor:
    is_by_set = method is Method.UCB_UNION_MULTISET
    victims = []
    for one in edf_victims(task, tasks):
        evicting = _evicting(task) if is_by_set else _evicting_within(one, tasks)
        times = (one.deadline_ns - task.deadline_ns + task.jitter_ns) // task.period_ns + 1
        victims.append(_Victim(one.name, _useful(one) & evicting, times))
    dearest = tuple(sorted(victims, key=lambda one: -len(one.blocks)))
    return _Preemptor(task.name, _blocks(task, tasks, _PER_JOB[method]), dearest, is_by_set)


def _by_set(lost: Iterable[tuple[frozenset[int], int]], jobs: int) -> int:
    """Count each set as often as it is lost, and at most once for each job."""
    copies = Counter[int]()
    for blocks, times in lost:
        for cache_set in blocks:
            copies[cache_set] += times
    return sum(min(times, jobs) for times in copies.values())


def _by_victim(lost: Iterable[tuple[frozenset[int], int]], jobs: int) -> int:
    """Sum the dearest preemptions, which come first, as many as there are jobs."""
    total = 0
    for blocks, times in lost:
        total += min(jobs, times) * len(blocks)
        jobs -= min(jobs, times)
        if jobs == 0:
            break
    return total


def _jobs_within(task: Task, interval_ns: int) -> int:
    first_ns = task.deadline_ns - task.jitter_ns
    return max(0, (interval_ns - first_ns) // task.period_ns + 1)


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
    """Return the sets of all tasks that may run while one is preempted."""
    return _union(_evicting(one) for one in tasks if may_preempt(one, victim))


def _useful(task: Task) -> frozenset[int]:
    return task.ucb or task.ecb


def _evicting(task: Task) -> frozenset[int]:
    """Return the sets that a task uses: what is useful to it, it has loaded."""
    return task.ecb | task.ucb


def _union(sets: Iterable[frozenset[int]]) -> frozenset[int]:
    return frozenset[int]().union(*sets)
