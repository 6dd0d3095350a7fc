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

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from laxity.analysis.response_time import interfering_tasks, releases
from laxity.analysis.task_model import Task
from laxity.analysis.verdicts import NOT_PROVABLE, SCHEDULABLE, TaskVerdict

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
class _Victim:
    """A task that may be preempted: k.

    Attributes:
        task: The task.
        useful: UCB; where they are not known all that it uses.
        window_ns: From ready to finished at most, w_k; None: not known, or the task analysed.
    """

    task: Task
    useful: frozenset[int]
    window_ns: int | None


@dataclass(frozen=True, slots=True)
class _Preemptor:
    """A task that may preempt: j.

    Attributes:
        task: The task.
        evicting: ECB.
        evicting_above: ECB of all tasks of at least its priority.
        victims: aff(i, j).
    """

    task: Task
    evicting: frozenset[int]
    evicting_above: frozenset[int]
    victims: tuple[_Victim, ...]


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
    for task in sorted(tasks, key=lambda task: -task.priority):
        reason = why_refused(cache)
        preemptors: Sequence[_Preemptor] = ()
        if cache.reload_ns > 0 and not reason:
            preemptors = _preemptors(task, tasks, windows_ns)
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
    interfering = (*interfering_tasks(task, analysed.tasks), *kernel.interrupts)
    own_ns = task.blocking_ns + kernel.blocking_ns + task.wcet_ns
    window_ns = own_ns
    for _ in range(max_steps):
        if task.jitter_ns + window_ns > task.period_ns:
            return None
        blocks = sum(_BLOCKS[method](one, window_ns) for one in analysed.preemptors)
        work_ns = sum(releases(one, window_ns) * one.wcet_ns for one in interfering)
        longer_ns = own_ns + work_ns + blocks * analysed.cache.set_reload_ns
        if longer_ns == window_ns:
            return window_ns
        window_ns = longer_ns
    return None


def _preemptors(
    task: Task, tasks: Sequence[Task], windows_ns: Mapping[str, int]
) -> tuple[_Preemptor, ...]:
    """List the tasks that preempt while a task waits or runs, and whom."""
    higher = interfering_tasks(task, tasks)
    found = []
    for one in higher:
        victims = [other for other in (task, *higher) if other.priority < one.priority]
        above = [_evicting(other) for other in higher if other.priority >= one.priority]
        preemptor = _Preemptor(
            task=one,
            evicting=_evicting(one),
            evicting_above=frozenset().union(*above),
            victims=tuple(_victim(victim, task, windows_ns) for victim in victims),
        )
        # A task of the same priority as the one analysed delays it and preempts nobody.
        found += [preemptor] if victims else []
    return tuple(found)


def _victim(task: Task, analysed: Task, windows_ns: Mapping[str, int]) -> _Victim:
    """Describe a victim; of equal priorities one would have to be analysed before the other."""
    known_ns = windows_ns.get(task.name) if task.priority > analysed.priority else None
    return _Victim(task, task.ucb or task.ecb, known_ns)


def _evicting(task: Task) -> frozenset[int]:
    """Give the sets that a task uses: what is useful to it, it has loaded."""
    return task.ecb | task.ucb


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


def _count_ecb(one: _Preemptor, window_ns: int) -> int:
    return releases(one.task, window_ns) * len(one.evicting)


def _count_ucb(one: _Preemptor, window_ns: int) -> int:
    return releases(one.task, window_ns) * max(len(victim.useful) for victim in one.victims)


def _count_ucb_union(one: _Preemptor, window_ns: int) -> int:
    useful = frozenset[int]().union(*(victim.useful for victim in one.victims))
    return releases(one.task, window_ns) * len(useful & one.evicting)


def _count_ecb_union(one: _Preemptor, window_ns: int) -> int:
    most = max(len(victim.useful & one.evicting_above) for victim in one.victims)
    return releases(one.task, window_ns) * most


def _count_ucb_union_multiset(one: _Preemptor, window_ns: int) -> int:
    """Count the blocks in both multisets: copies of UCB and, one for each job, of ECB."""
    copies = Counter[int]()
    for victim in one.victims:
        times = _preemptions(one, victim, window_ns)
        for cache_set in victim.useful & one.evicting:
            copies[cache_set] += times
    jobs = releases(one.task, window_ns)
    return sum(min(times, jobs) for times in copies.values())


def _count_ecb_union_multiset(one: _Preemptor, window_ns: int) -> int:
    """Sum the dearest preemptions, as many as there are jobs that preempt."""
    jobs = releases(one.task, window_ns)
    dearest = sorted(
        ((len(victim.useful & one.evicting_above), victim) for victim in one.victims),
        key=lambda pair: -pair[0],
    )
    blocks = 0
    for cost, victim in dearest:
        times = min(jobs, _preemptions(one, victim, window_ns))
        blocks += times * cost
        jobs -= times
    return blocks


def _preemptions(one: _Preemptor, victim: _Victim, window_ns: int) -> int:
    """Count how often jobs of a victim are preempted by a task at most: E_j(w_k) E_k(w)."""
    jobs = releases(one.task, window_ns)
    if victim.window_ns is None:
        return jobs
    return min(jobs, releases(one.task, victim.window_ns) * releases(victim.task, window_ns))


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
