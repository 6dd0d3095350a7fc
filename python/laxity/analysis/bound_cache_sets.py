# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Fixed priorities, each task on one CPU, preemption delays by cache sets in place of gamma.

Switches, latencies and interrupts count as everywhere; what they evict no set says, and nothing is
charged for it. What a preemption makes others load again comes from crpd_sets.py, which looks at
one job of each task: a response is bounded up to the period only.
"""

from collections.abc import Sequence
from dataclasses import astuple, replace

from laxity.analysis.bound_fixed_priority import (
    COSTS_SOURCE,
    misses_for_certain,
    takes_turns,
    why_late,
)
from laxity.analysis.bound_setup import CacheSets
from laxity.analysis.bound_tasks import has_costs
from laxity.analysis.crpd_sets import Cache, Kernel, response_times
from laxity.analysis.overheads import Breakdown, PlatformCosts, break_down, with_overheads
from laxity.analysis.response_time import Response
from laxity.analysis.task_model import Task
from laxity.analysis.verdicts import (
    NOT_PROVABLE,
    NOT_SCHEDULABLE,
    SCHEDULABLE,
    TaskBound,
    TaskVerdict,
    Verdict,
)
from laxity.model.task_set import DeclaredTask


def bound_by_cache_sets(
    declared: Sequence[DeclaredTask],
    tasks: Sequence[Task],
    costs: PlatformCosts | None,
    sets: CacheSets,
) -> tuple[TaskBound, ...]:
    """Bound the response times of all tasks.

    Args:
        declared: As the file states them.
        tasks: The same, as the tests read them, in the same order.
        costs: With `block_reload_ns`; None: one is missing.
        sets: The method and the cache.
    """
    found = responses_by_sets(tasks, costs or PlatformCosts(), sets)
    return tuple(_bound(index, declared, tasks, costs, one) for index, one in enumerate(found))


def responses_by_sets(
    tasks: Sequence[Task], costs: PlatformCosts, sets: CacheSets
) -> tuple[TaskVerdict, ...]:
    """Bound response times from above: with all costs, in the order of the tasks."""
    without_gamma = replace(costs, gamma_ns={})
    # Blocking is what the task set states: the switch under way comes with the kernel.
    loaded = [
        replace(with_overheads(one, tasks, without_gamma).task, blocking_ns=one.blocking_ns)
        for one in tasks
    ]
    kernels = {one.name: _kernel(one, tasks, without_gamma) for one in tasks}
    cache = Cache(costs.block_reload_ns, sets.policy, sets.ways)
    return response_times(loaded, cache, sets.method, kernel=lambda one: kernels[one.name])


def _kernel(task: Task, tasks: Sequence[Task], costs: PlatformCosts) -> Kernel:
    loaded = with_overheads(task, tasks, costs)
    return Kernel(loaded.interrupts, loaded.switch_blocking_ns)


def _bound(
    index: int,
    declared: Sequence[DeclaredTask],
    tasks: Sequence[Task],
    costs: PlatformCosts | None,
    found: TaskVerdict,
) -> TaskBound:
    task = tasks[index]
    reason = found.reason
    response_ns = found.response_time_ns
    if costs is None:
        response_ns, reason = None, "a cost is missing"
    elif takes_turns(index, declared, costs):
        response_ns, reason = None, "tasks of policy rr and equal priority take turns"
    elif response_ns is not None and response_ns > task.deadline_ns:
        reason = why_late(response_ns, task)
    verdict: Verdict = SCHEDULABLE
    if reason is not None:
        verdict = NOT_SCHEDULABLE if misses_for_certain(index, declared) else NOT_PROVABLE
    jitter_ns = task.jitter_ns + (0 if costs is None else costs.release_latency_ns)
    response = Response(None)
    if response_ns is not None:
        response = Response(response_ns, 1, response_ns - jitter_ns)
    is_bounded = costs is not None and response_ns is not None
    return TaskBound(
        name=task.name,
        cpu=task.cpu,
        priority=task.priority,
        verdict=verdict,
        response_time_ns=response_ns,
        deadline_ns=task.deadline_ns,
        period_ns=task.period_ns,
        test=found.test,
        source=f"{found.source}; {COSTS_SOURCE}" if has_costs(costs) else found.source,
        exact=False,
        jobs=response.jobs if is_bounded else None,
        jitter_ns=jitter_ns,
        window_ns=response.window_ns if is_bounded else None,
        breakdown=None if costs is None or not is_bounded else _parts(task, tasks, costs, response),
        reason=reason,
    )


def _parts(
    task: Task, tasks: Sequence[Task], costs: PlatformCosts, response: Response
) -> Breakdown:
    """Say where the window goes: what nothing else takes is loaded again."""
    parts = break_down(task, tasks, replace(costs, gamma_ns={}), response)
    return replace(parts, gamma_ns=response.window_ns - sum(astuple(parts)))
