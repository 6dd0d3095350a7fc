# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Fixed priorities, each task on one CPU, preemption delays by cache sets in place of gamma.

Switches, latencies and interrupts count as everywhere; what they evict no set says, and nothing is
charged for it. What a preemption makes others load again comes from crpd_sets.py, which looks at
one job of each task: a response is bounded up to the period only.
"""

from collections.abc import Sequence
from dataclasses import astuple, replace

from laxity.bounds.bound_fixed_priority import COSTS_SOURCE, CertainMisses, take_turns, why_late
from laxity.bounds.crpd_sets import Cache, Kernel, response_times
from laxity.bounds.overheads import Breakdown, LoadedCpu, PlatformCosts, load_cpus
from laxity.bounds.response_time import Response
from laxity.bounds.setup import Setup
from laxity.bounds.tasks import has_costs, tasks_of
from laxity.bounds.verdicts import (
    NOT_PROVABLE,
    NOT_SCHEDULABLE,
    SCHEDULABLE,
    TaskBound,
    TaskVerdict,
    Verdict,
)
from laxity.core.task_set import DeclaredTask
from laxity.tasksets.task_model import Task


def bound_by_cache_sets(
    declared: Sequence[DeclaredTask], costs: PlatformCosts | None, setup: Setup
) -> tuple[TaskBound, ...]:
    """Bound the response times of all tasks.

    Args:
        declared: As the file states them.
        costs: With `block_reload_ns`; None: one is missing.
        setup: With the method and the cache.
    """
    tasks = tasks_of(declared)
    found = responses_by_sets(tasks, costs or PlatformCosts(), setup)
    certain = CertainMisses(declared)
    turns = take_turns(declared, costs or PlatformCosts())
    cpus = load_cpus(tasks, replace(costs or PlatformCosts(), gamma_ns={}))
    bounds = []
    for index, (task, one) in enumerate(zip(tasks, found, strict=True)):
        response_ns, reason = one.response_time_ns, one.reason
        if costs is None:
            response_ns, reason = None, "a cost is missing"
        elif index in turns:
            response_ns, reason = None, "tasks of policy rr and equal priority take turns"
        elif response_ns is not None and response_ns > task.deadline_ns:
            reason = why_late(response_ns, task)
        verdict: Verdict = SCHEDULABLE
        if reason is not None:
            verdict = NOT_SCHEDULABLE if certain.has(index) else NOT_PROVABLE
        judged = replace(one, verdict=verdict, response_time_ns=response_ns, reason=reason)
        bounds.append(_bound(task, judged, costs, cpus[task.cpu]))
    return tuple(bounds)


def find_late_by_sets(tasks: Sequence[Task], costs: PlatformCosts, setup: Setup) -> str | None:
    """Name the first task whose response time is not within its deadline."""
    found = responses_by_sets(tasks, costs, setup)
    return next((one.name for one in found if one.verdict != SCHEDULABLE), None)


def responses_by_sets(
    tasks: Sequence[Task], costs: PlatformCosts, setup: Setup
) -> tuple[TaskVerdict, ...]:
    """Bound response times from above: with all costs, in the order of the tasks."""
    sets = setup.sets
    assert sets is not None  # noqa: S101 - it selects this test
    cpus = load_cpus(tasks, replace(costs, gamma_ns={}))
    of_tasks = {one.name: cpus[one.cpu].of(one) for one in tasks}
    # Blocking is what the task set states: the switch under way comes with the kernel.
    loaded = [replace(of_tasks[one.name].task, blocking_ns=one.blocking_ns) for one in tasks]
    kernels = {
        name: Kernel(one.interrupts, one.switch_blocking_ns) for name, one in of_tasks.items()
    }
    cache = Cache(costs.block_reload_ns, sets.policy, sets.ways)
    return response_times(loaded, cache, sets.method, kernel=lambda one: kernels[one.name])


def _bound(
    task: Task, found: TaskVerdict, costs: PlatformCosts | None, cpu: LoadedCpu
) -> TaskBound:
    response_ns = found.response_time_ns
    jitter_ns = task.jitter_ns + (0 if costs is None else costs.timer_latency_ns)
    response = Response(None)
    if response_ns is not None:
        response = Response(response_ns, 1, response_ns - jitter_ns)
    is_bounded = costs is not None and response_ns is not None
    return TaskBound(
        name=task.name,
        cpu=task.cpu,
        priority=task.priority,
        verdict=found.verdict,
        response_time_ns=response_ns,
        deadline_ns=task.deadline_ns,
        period_ns=task.period_ns,
        test=found.test,
        source=f"{found.source}; {COSTS_SOURCE}" if has_costs(costs) else found.source,
        exact=False,
        jobs=response.jobs if is_bounded else None,
        jitter_ns=jitter_ns,
        window_ns=response.window_ns if is_bounded else None,
        breakdown=_parts(task, cpu, response) if is_bounded else None,
        reason=found.reason,
    )


def _parts(task: Task, cpu: LoadedCpu, response: Response) -> Breakdown:
    """Say where the window goes: what nothing else takes is loaded again."""
    parts = cpu.break_down(task, response)
    return replace(parts, gamma_ns=response.window_ns - sum(astuple(parts)))
