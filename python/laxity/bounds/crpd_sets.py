# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Cache-related preemption delays from the cache sets that tasks use, with fixed priorities.

A preempted task has useful cache blocks (UCB), which it will read again; a preempting one evicts
(ECB). With BRT the time to load a block again, the longest response of task i is J + w, w the least
fixed point of

    w = B + C_i + sum over the interfering tasks j of (E_j(w) C_j + BRT * blocks(i, j, w))

with E_j(w) = ceil((w + J_j) / T_j). The methods differ in `blocks`. Below, aff(i, j) are the tasks
that j may preempt while i waits or runs: priority at least that of i, less than that of j.

    ECB only      E_j(w) |ECB_j|
    UCB only      E_j(w) max over k in aff(i, j) of |UCB_k|
    UCB union     E_j(w) |ECB_j and the union of UCB_k over aff(i, j)|
    ECB union     E_j(w) max over k in aff(i, j) of |UCB_k and the union of ECB_h|,
                  over all h of at least the priority of j
    multiset      the same, but each k is preempted by j at most E_j(w_k) E_k(w) times
    combined      the smaller response time of UCB union and ECB union, task by task

What makes them safe. In a set of an LRU cache of n ways a preemption costs at most n further misses
(one per block that was in it), and none if nothing used that set meanwhile; a direct-mapped cache
has n = 1. While k is preempted only tasks above k run. Of the jobs that run then, let the one of
lowest priority (among those that use a set, for UCB union) pay. Preemptions are nested or apart,
and the inner victim runs within the outer preemption, so no job pays twice: each pays for one k in
aff(i, j), of which it can only evict what it or jobs above it use. A job j that pays for k has
started while k was not finished, hence the multisets. Additional misses are taken to cost BRT
each and nothing else: no timing anomalies.

Deadlines are up to the period and a response up to the period is bounded: beyond, a job would meet
its own predecessor. Tasks of equal priority run one after the other (SCHED_FIFO). Where a task, or
one above it, is blocked, the blocker may have lost blocks, too, and may run while a task above it
is preempted. The sets do not say what that costs: no verdict.

Sources: Busquets-Mataix et al. (1996), ECB only; Lee et al. (1998), UCB only; Tan and Mooney
(2007), UCB union; Altmeyer, Davis and Maiza, "Cache related pre-emption delay aware response time
analysis for fixed priority pre-emptive systems" (2011) and "Improved cache related pre-emption
delay aware response time analysis" (2012), the others; Burguière, Reineke and Altmeyer,
"Cache-related preemption delay computation for set-associative caches" (2009), which caches.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from operator import attrgetter, or_
from types import MappingProxyType

from laxity.bounds.response_time import demand_ns, interfering_tasks, releases
from laxity.bounds.verdicts import NOT_PROVABLE, SCHEDULABLE, TaskVerdict
from laxity.tasksets.task_model import Task

MAX_STEPS = 100_000


class Method(StrEnum):
    """How the evicted blocks are counted."""

    ECB_ONLY = "ECB only"
    UCB_ONLY = "UCB only"
    UCB_UNION = "UCB union"
    ECB_UNION = "ECB union"
    COMBINED = "combined"
    UCB_UNION_MULTISET = "UCB union multiset"
    ECB_UNION_MULTISET = "ECB union multiset"
    COMBINED_MULTISET = "combined multiset"


class Policy(StrEnum):
    """Which block of a cache set makes room for another one."""

    DIRECT_MAPPED = "direct-mapped"
    LRU = "lru"
    FIFO = "fifo"
    PLRU = "plru"
    RANDOM = "random"


SOURCES: Mapping[Method, str] = MappingProxyType(
    {
        Method.ECB_ONLY: "Busquets-Mataix et al. 1996",
        Method.UCB_ONLY: "Lee et al. 1998",
        Method.UCB_UNION: "Tan, Mooney 2007",
        Method.ECB_UNION: "Altmeyer, Davis, Maiza 2011",
        Method.COMBINED: "Altmeyer, Davis, Maiza 2011",
        Method.UCB_UNION_MULTISET: "Altmeyer, Davis, Maiza 2012",
        Method.ECB_UNION_MULTISET: "Altmeyer, Davis, Maiza 2012",
        Method.COMBINED_MULTISET: "Altmeyer, Davis, Maiza 2012",
    }
)
_PARTS: Mapping[Method, tuple[Method, Method]] = MappingProxyType(
    {
        Method.COMBINED: (Method.UCB_UNION, Method.ECB_UNION),
        Method.COMBINED_MULTISET: (Method.UCB_UNION_MULTISET, Method.ECB_UNION_MULTISET),
    }
)
_REFUSED: Mapping[Policy, str] = MappingProxyType(
    {
        Policy.FIFO: "one evicted block of a FIFO set can cost more misses than it has useful ones",
        Policy.PLRU: "one evicted block of a PLRU set can cost more misses than it has useful ones",
        Policy.RANDOM: "which blocks a cache with random replacement still holds is chance",
    }
)


@dataclass(frozen=True, slots=True)
class Cache:
    """The cache that `ucb` and `ecb` of the tasks refer to, private to their processor.

    Attributes:
        reload_ns: To load one block again (BRT), from 0, what is written back for it included.
        policy: Of replacement.
        ways: Blocks of a set; 1 if direct-mapped.

    Raises:
        ValueError: A number that makes no cache.
    """

    reload_ns: int
    policy: Policy = Policy.DIRECT_MAPPED
    ways: int = 1

    def __post_init__(self) -> None:
        if self.reload_ns < 0 or self.ways < 1:
            msg = f"a cache of {self.ways} ways that takes {self.reload_ns} ns to load a block"
            raise ValueError(msg)

    @property
    def set_reload_ns(self) -> int:
        """What a preemption costs in one cache set at most."""
        return self.reload_ns * self.ways


@dataclass(frozen=True, slots=True)
class Kernel:
    """What the kernel takes before a task; the sets it uses are not known, and none are counted.

    Attributes:
        interrupts: As tasks above all others.
        blocking_ns: A switch that is under way when the task becomes ready.
    """

    interrupts: tuple[Task, ...] = ()
    blocking_ns: int = 0


def is_refused(policy: Policy) -> bool:
    """Tell whether sets of useful and evicting blocks bound nothing under a policy."""
    return policy in _REFUSED


def why_refused(cache: Cache) -> str:
    """Say why sets of useful and evicting blocks bound nothing on a cache; empty: they do.

    Source:
        Burguière, Reineke and Altmeyer (2009).
    """
    return "" if cache.reload_ns == 0 else _REFUSED.get(cache.policy, "")


@dataclass(frozen=True, slots=True)
class _Blocks:
    """What a task uses, a bit for each cache set.

    Attributes:
        useful: UCB; where they are not known all that it uses.
        evicting: ECB; what is useful to it, it has loaded.
    """

    useful: int
    evicting: int


@dataclass(frozen=True, slots=True)
class _Victim:
    """A task that may be preempted by another one, j: k.

    Attributes:
        task: The task.
        useful: Cache sets with useful blocks.
        lost_above: How many of them a task of at least the priority of j uses.
        preemptions_per_job: E_j(w_k); None: w_k is not known, or k is the task analysed.
    """

    task: Task
    useful: int
    lost_above: int
    preemptions_per_job: int | None


@dataclass(frozen=True, slots=True)
class _Preemptor:
    """A task that may preempt: j.

    Attributes:
        task: The task.
        evicting: Cache sets that it uses.
        victims: aff(i, j), those that lose most in front.
        always_lost: How many of the cache sets that it uses are useful to a victim that each of its
            jobs may preempt.
        shared: How many of the others are useful to which victims, by their index.
    """

    task: Task
    evicting: int
    victims: tuple[_Victim, ...]
    always_lost: int
    shared: tuple[tuple[int, tuple[int, ...]], ...]


def response_times(
    tasks: Sequence[Task],
    cache: Cache,
    method: Method,
    max_steps: int = MAX_STEPS,
    kernel: Callable[[Task], Kernel] = lambda _: Kernel(),
) -> tuple[TaskVerdict, ...]:
    """Bound the response times of tasks with fixed priorities whose preemptions cost cache misses.

    Args:
        tasks: All tasks; those of other CPUs neither delay nor preempt. UCB that are not known
            count as all sets that the task uses.
        cache: Private to each CPU.
        method: How evicted blocks are counted.
        max_steps: Steps of each fixed point before it is given up.
        kernel: What delays a task beside tasks.

    Returns:
        One for each task, in the order of `tasks`. Never "not schedulable": the method counts more
        misses than may occur.

    Source:
        See the head of this file.
    """
    windows_ns: dict[str, int] = {}
    verdicts: dict[str, TaskVerdict] = {}
    blocks = _blocks_of(tasks)
    for task in sorted(tasks, key=lambda task: -task.priority):
        reason = why_refused(cache)
        preemptors: Sequence[_Preemptor] = ()
        if cache.reload_ns > 0 and not reason:
            preemptors = _preemptors(task, tasks, blocks, windows_ns)
            reason = _why_blocked(task, tasks) or _what_lacks(preemptors, method)
        window_ns = None
        if not reason:
            analysed = _Analysed(task, tasks, preemptors, cache, kernel(task))
            window_ns = _window_ns(analysed, method, max_steps)
            reason = "" if window_ns is not None else "no response time within its period is proven"
        if window_ns is not None:
            windows_ns[task.name] = window_ns
        verdicts[task.name] = _verdict(task, window_ns, method, reason)
    return tuple(verdicts[task.name] for task in tasks)


@dataclass(frozen=True, slots=True)
class _Analysed:
    """A task under analysis and what may delay it."""

    task: Task
    tasks: Sequence[Task]
    preemptors: Sequence[_Preemptor]
    cache: Cache
    kernel: Kernel


def _window_ns(analysed: _Analysed, method: Method, max_steps: int) -> int | None:
    """Find the least fixed point w; None: beyond the period, or given up."""
    if method in _PARTS:
        found = (_window_ns(analysed, part, max_steps) for part in _PARTS[method])
        return min((window_ns for window_ns in found if window_ns is not None), default=None)
    task = analysed.task
    kernel = analysed.kernel
    interfering = interfering_tasks(task, analysed.tasks)
    own_ns = task.blocking_ns + kernel.blocking_ns + task.wcet_ns
    # Each has at least one job in any window.
    window_ns = own_ns + sum(one.wcet_ns for one in interfering)
    for _ in range(max_steps):
        if task.jitter_ns + window_ns > task.period_ns:
            return None
        jobs = {one.name: releases(one, window_ns) for one in interfering}
        blocks = sum(_BLOCKS[method](one, jobs) for one in analysed.preemptors)
        work_ns = demand_ns(kernel.interrupts, window_ns)
        work_ns += sum(jobs[one.name] * one.wcet_ns for one in interfering)
        longer_ns = own_ns + work_ns + blocks * analysed.cache.set_reload_ns
        if longer_ns == window_ns:
            return window_ns
        window_ns = longer_ns
    return None


def _preemptors(
    task: Task,
    tasks: Sequence[Task],
    blocks: Mapping[str, _Blocks],
    windows_ns: Mapping[str, int],
) -> tuple[_Preemptor, ...]:
    """List the tasks that preempt while a task waits or runs, and whom."""
    higher = interfering_tasks(task, tasks)
    # Of equal priorities one would have to be analysed before the other.
    known_ns = {
        one.name: windows_ns.get(one.name) for one in higher if one.priority > task.priority
    }
    found = []
    for one in higher:
        evicting_above = _union(
            blocks[other.name].evicting for other in higher if other.priority >= one.priority
        )
        victims = [
            _Victim(
                task=victim,
                useful=(useful := blocks[victim.name].useful),
                lost_above=(useful & evicting_above).bit_count(),
                preemptions_per_job=None if window_ns is None else releases(one, window_ns),
            )
            for victim in (task, *higher)
            if victim.priority < one.priority
            for window_ns in (known_ns.get(victim.name),)
        ]
        victims.sort(key=attrgetter("lost_above"), reverse=True)
        # A task of the same priority as the one analysed delays it and preempts nobody.
        found += [_preemptor(one, blocks[one.name].evicting, victims)] if victims else []
    return tuple(found)


def _preemptor(task: Task, evicting: int, victims: Sequence[_Victim]) -> _Preemptor:
    always = evicting & _union(one.useful for one in victims if one.preemptions_per_job is None)
    return _Preemptor(
        task=task,
        evicting=evicting,
        victims=tuple(victims),
        always_lost=always.bit_count(),
        shared=_shared(evicting & ~always, [one.useful for one in victims]),
    )


def _blocks_of(tasks: Sequence[Task]) -> Mapping[str, _Blocks]:
    """Turn sets of cache sets into bits: of those that occur, whatever their numbers."""
    used = sorted(frozenset[int]().union(*(one.ucb | one.ecb for one in tasks)))
    bits = {cache_set: 1 << index for index, cache_set in enumerate(used)}
    return {
        one.name: _Blocks(
            useful=sum(bits[cache_set] for cache_set in one.ucb or one.ecb),
            evicting=sum(bits[cache_set] for cache_set in one.ecb | one.ucb),
        )
        for one in tasks
    }


def _shared(evicting: int, useful: Sequence[int]) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Part the cache sets that a task uses by the victims that they are useful to.

    Args:
        evicting: Cache sets that it uses.
        useful: Those that are useful to each victim.

    Returns:
        How many are useful to these victims and to no other ones, and their indices.
    """
    parts: list[tuple[int, tuple[int, ...]]] = [(evicting, ())]
    for index, of_victim in enumerate(useful):
        parts = [
            part
            for sets, owners in parts
            for part in ((sets & of_victim, (*owners, index)), (sets & ~of_victim, owners))
            if part[0]
        ]
    return tuple((sets.bit_count(), owners) for sets, owners in parts if owners)


def _union(sets: Iterable[int]) -> int:
    return reduce(or_, sets, 0)


def _why_blocked(task: Task, tasks: Sequence[Task]) -> str:
    """Say why blocking leaves a task without a bound; empty: it does not."""
    for one in (task, *interfering_tasks(task, tasks)):
        if one.blocking_ns > 0:
            return f'what a task that blocks "{one.name}" loads again or evicts is not known'
    return ""


def _what_lacks(preemptors: Iterable[_Preemptor], method: Method) -> str:
    """Say which input is missing; empty: none."""
    for one in preemptors:
        if method is not Method.UCB_ONLY and not one.task.ecb:
            return f'ecb of task "{one.task.name}" is not known'
        for victim in one.victims:
            if method is not Method.ECB_ONLY and not victim.useful:
                return f'neither ucb nor ecb of task "{victim.task.name}" is known'
    return ""


def _count_ecb(one: _Preemptor, jobs: Mapping[str, int]) -> int:
    return jobs[one.task.name] * one.evicting.bit_count()


def _count_ucb(one: _Preemptor, jobs: Mapping[str, int]) -> int:
    most = max(victim.useful.bit_count() for victim in one.victims)
    return jobs[one.task.name] * most


def _count_ucb_union(one: _Preemptor, jobs: Mapping[str, int]) -> int:
    useful = _union(victim.useful for victim in one.victims)
    return jobs[one.task.name] * (useful & one.evicting).bit_count()


def _count_ecb_union(one: _Preemptor, jobs: Mapping[str, int]) -> int:
    return jobs[one.task.name] * max(victim.lost_above for victim in one.victims)


def _count_ucb_union_multiset(one: _Preemptor, jobs: Mapping[str, int]) -> int:
    """Count the blocks in both multisets: copies of UCB and, one for each job, of ECB."""
    most = jobs[one.task.name]
    times = [_preemptions(victim, most, jobs) for victim in one.victims]
    return most * one.always_lost + sum(
        blocks * min(most, sum([times[owner] for owner in owners])) for blocks, owners in one.shared
    )


def _count_ecb_union_multiset(one: _Preemptor, jobs: Mapping[str, int]) -> int:
    """Sum the dearest preemptions, as many as there are jobs that preempt."""
    most = left = jobs[one.task.name]
    blocks = 0
    for victim in one.victims:
        times = min(left, _preemptions(victim, most, jobs))
        blocks += times * victim.lost_above
        left -= times
        if not left:
            break
    return blocks


def _preemptions(victim: _Victim, most: int, jobs: Mapping[str, int]) -> int:
    """Count how often jobs of a victim are preempted by so many jobs: E_j(w_k) E_k(w) at most."""
    if victim.preemptions_per_job is None:
        return most
    return min(most, victim.preemptions_per_job * jobs[victim.task.name])


_BLOCKS = MappingProxyType(
    {
        Method.ECB_ONLY: _count_ecb,
        Method.UCB_ONLY: _count_ucb,
        Method.UCB_UNION: _count_ucb_union,
        Method.ECB_UNION: _count_ecb_union,
        Method.UCB_UNION_MULTISET: _count_ucb_union_multiset,
        Method.ECB_UNION_MULTISET: _count_ecb_union_multiset,
    }
)


def _verdict(task: Task, window_ns: int | None, method: Method, reason: str) -> TaskVerdict:
    response_ns = None if window_ns is None else task.jitter_ns + window_ns
    is_met = response_ns is not None and response_ns <= task.deadline_ns
    return TaskVerdict(
        name=task.name,
        deadline_ns=task.deadline_ns,
        response_time_ns=response_ns,
        verdict=SCHEDULABLE if is_met else NOT_PROVABLE,
        test=f"fixed-priority response time, CRPD by {method}",
        source=SOURCES[method],
        exact=False,
        reason=reason or None,
    )
