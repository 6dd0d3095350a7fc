# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Tasks under EDF, each on one CPU, bounded with what the platform costs: one verdict per CPU.

Processor demand says whether a deadline of a CPU is missed, not whose: if none is, every task of it
is schedulable. Else those are whose response times keep their deadlines, and of the others only
one that is late even alone is known to miss it.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from laxity.bounds.crpd_sets import Cache, Method
from laxity.bounds.edf import SOURCE, TEST, edf_verdict, overloads_early
from laxity.bounds.edf_cache_sets import (
    EDF_PARTS,
    charge_by_sets,
    is_multiset,
    overcharged,
    why_no_charge,
)
from laxity.bounds.edf_overheads import Charge, with_edf_overheads, woken_late
from laxity.bounds.edf_response import edf_response_times
from laxity.bounds.overheads import PlatformCosts
from laxity.bounds.setup import USUAL, Setup
from laxity.bounds.tasks import (
    CertainTask,
    certain_tasks_of,
    exceeds_cpus,
    has_costs,
    is_late_alone,
    starts_together,
    tasks_of,
    utilisation_ppm,
)
from laxity.bounds.verdicts import (
    NOT_PROVABLE,
    NOT_SCHEDULABLE,
    SCHEDULABLE,
    CpuBound,
    SetVerdict,
    TaskBound,
    Verdict,
)
from laxity.core.task_set import DeclaredTask
from laxity.core.units import shown_duration
from laxity.tasksets.task_model import Task

COSTS_SOURCE = (
    "C' = C + 2 delta + gamma: Sebek, section 1.3; "
    "who pays under EDF: Lunniss, Altmeyer, Maiza, Davis 2013"
)


def bound_edf(
    declared: Sequence[DeclaredTask], costs: PlatformCosts | None, setup: Setup
) -> tuple[tuple[TaskBound, ...], tuple[CpuBound, ...]]:
    """Judge each CPU, and each task by the CPU that it is on.

    Args:
        declared: As the file states them.
        costs: None: one is missing.
        setup: How preemption delays are counted, and from when deadlines are.
    """
    tasks = tasks_of(declared)
    answers: dict[str, TaskBound] = {}
    bounds = []
    for cpu in sorted({one.cpu for one in tasks}):
        here = [index for index, task in enumerate(tasks) if task.cpu == cpu]
        ours, loaded = [declared[index] for index in here], [tasks[index] for index in here]
        bound = _judge(cpu, ours, costs, setup)
        responses_ns: dict[str, int | None] = {}
        if costs is not None:
            responses_ns = _responses_ns(loaded, costs, setup)
        bounds.append(bound)
        for one, task in zip(ours, loaded, strict=True):
            response_ns = responses_ns.get(task.name)
            answers[task.name] = _answer(one, task, bound, response_ns, costs)
    return tuple(answers[task.name] for task in tasks), tuple(bounds)


def keeps_deadlines(tasks: Sequence[Task], costs: PlatformCosts, setup: Setup = USUAL) -> bool:
    """Tell whether the tasks of one CPU are schedulable with all costs."""
    if setup.sets is not None:
        return _from_above(tasks, costs, setup).verdict == SCHEDULABLE
    loaded = with_edf_overheads(tasks, costs, from_wakeup=setup.from_wakeup)
    if overloads_early(loaded.tasks):
        return False
    return edf_verdict(loaded.tasks, interrupts=loaded.interrupts).verdict == SCHEDULABLE


def find_late(tasks: Sequence[Task], costs: PlatformCosts, setup: Setup) -> str | None:
    """Name a task whose deadline ends an interval with more work than time; None: there is none.

    Without an interval, above full utilisation, it is the task that asks for most.
    """
    cpus = sorted({one.cpu for one in tasks})
    found = (_find_overload([one for one in tasks if one.cpu == cpu], costs, setup) for cpu in cpus)
    return next((late for late in found if late is not None), None)


def _find_overload(tasks: Sequence[Task], costs: PlatformCosts, setup: Setup) -> str | None:
    """Do so for the tasks of one CPU."""
    above = _from_above(tasks, costs, setup)
    if above.verdict == SCHEDULABLE:
        return None
    by_share = sorted(tasks, key=lambda one: Fraction(one.wcet_ns, one.period_ns), reverse=True)
    interval_ns = above.interval_ns
    if interval_ns is None:
        return by_share[0].name
    latency_ns = costs.timer_latency_ns
    first_ns = {one.name: one.deadline_ns - one.jitter_ns - latency_ns for one in by_share}
    return next(
        (
            one.name
            for one in by_share
            if first_ns[one.name] <= interval_ns
            and (interval_ns - first_ns[one.name]) % one.period_ns == 0
        ),
        by_share[0].name,
    )


def _from_above(tasks: Sequence[Task], costs: PlatformCosts, setup: Setup) -> SetVerdict:
    sets = setup.sets
    if sets is None:
        loaded = with_edf_overheads(tasks, costs, from_wakeup=setup.from_wakeup)
        return edf_verdict(loaded.tasks, interrupts=loaded.interrupts)
    cache = Cache(costs.block_reload_ns, sets.policy, sets.ways)
    why = why_no_charge(woken_late(tasks, costs), cache, sets.method)
    if why:
        return SetVerdict(verdict=NOT_PROVABLE, test=TEST, source=SOURCE, exact=False, reason=why)
    found = [
        _by_sets(tasks, costs, setup.from_wakeup, cache, method)
        for method in EDF_PARTS.get(sets.method, (sets.method,))
    ]
    return next((one for one in found if one.verdict == SCHEDULABLE), found[-1])


def _by_sets(
    tasks: Sequence[Task], costs: PlatformCosts, from_wakeup: bool, cache: Cache, method: Method
) -> SetVerdict:
    charge = charge_by_sets(cache, method)
    loaded = with_edf_overheads(tasks, costs, from_wakeup=from_wakeup, charge=charge)
    plain = edf_verdict(loaded.tasks, interrupts=loaded.interrupts)
    if plain.verdict == SCHEDULABLE or not is_multiset(method):
        return plain
    less_ns = overcharged(loaded.tasks, cache, method)
    return edf_verdict(loaded.tasks, interrupts=loaded.interrupts, less_ns=less_ns)


def _responses_ns(
    tasks: Sequence[Task], costs: PlatformCosts, setup: Setup
) -> dict[str, int | None]:
    """Bound response times with all costs, by name of the task."""
    sets = setup.sets
    charges: list[Charge | None] = [None]
    if sets is not None:
        cache = Cache(costs.block_reload_ns, sets.policy, sets.ways)
        if why_no_charge(woken_late(tasks, costs), cache, sets.method):
            return dict.fromkeys(one.name for one in tasks)
        charges = [
            charge_by_sets(cache, method) for method in EDF_PARTS.get(sets.method, (sets.method,))
        ]
    is_misled = setup.from_wakeup and len(tasks) > 1
    least: dict[str, int | None] = dict.fromkeys(one.name for one in tasks)
    for charge in charges:
        loaded = with_edf_overheads(tasks, costs, charge=charge)
        found = edf_response_times(loaded.tasks, loaded.interrupts, from_wakeup=is_misled)
        for one, response_ns in zip(tasks, found, strict=True):
            known = [ns for ns in (least[one.name], response_ns) if ns is not None]
            least[one.name] = min(known, default=None)
    return least


def _judge(
    cpu: int, declared: Sequence[DeclaredTask], costs: PlatformCosts | None, setup: Setup
) -> CpuBound:
    tasks = tasks_of(declared)
    above = None
    if costs is not None:
        above = _from_above(tasks, costs, setup)
    below = _from_below(declared)
    verdict: Verdict = SCHEDULABLE
    if above is None or above.verdict != SCHEDULABLE:
        verdict = NOT_SCHEDULABLE if below.verdict == NOT_SCHEDULABLE else NOT_PROVABLE
    shown = below if verdict == NOT_SCHEDULABLE else above
    return CpuBound(
        cpus=(cpu,),
        verdict=verdict,
        test=TEST if setup.sets is None else f"{TEST}, CRPD by {setup.sets.method}",
        source=f"{SOURCE}; {COSTS_SOURCE}" if has_costs(costs) else SOURCE,
        exact=verdict == NOT_SCHEDULABLE
        or (verdict == SCHEDULABLE and _is_exact(declared, tasks, costs)),
        utilisation_ppm=utilisation_ppm(tasks),
        interval_ns=None if shown is None else shown.interval_ns,
        demand_ns=None if shown is None else shown.demand_ns,
        reason=_reason(verdict, shown),
    )


def _from_below(declared: Sequence[DeclaredTask]) -> SetVerdict:
    """Judge a CPU with nothing in it but what happens for certain.

    Left out: the platform's costs, contention, blocking, and jitter but of a task alone: that a job
    is late just when others become ready, the task set does not state. Tasks that start at
    different offsets may never meet, so then only utilisation and each task alone prove a miss.
    """
    tasks: Sequence[CertainTask] = certain_tasks_of(declared)
    for one in tasks:
        if one.jitter_ns + one.wcet_ns > one.deadline_ns:
            found = edf_verdict((one,))
            return replace(found, reason=f'task "{one.name}" is late even alone')
    punctual = [replace(one, jitter_ns=0) for one in tasks]
    found = edf_verdict(punctual)
    if starts_together(declared) or exceeds_cpus(punctual, 1):
        return found
    return replace(found, verdict=NOT_PROVABLE)


def _is_exact(
    declared: Sequence[DeclaredTask], tasks: Sequence[Task], costs: PlatformCosts | None
) -> bool:
    """Tell whether the test from above asks for nothing that may be absent."""
    return (
        costs == PlatformCosts()
        and all(one.blocking_ns == 0 for one in tasks)
        and (len(tasks) == 1 or all(one.jitter_ns == 0 for one in tasks))
        and all(one.keys.overhead_ppm == 0 and one.observed_ns is None for one in declared)
        and starts_together(declared)
    )


def _reason(verdict: Verdict, shown: SetVerdict | None) -> str | None:
    if verdict == SCHEDULABLE:
        return None
    if shown is None:
        return "a cost is missing"
    if shown.interval_ns is None or shown.demand_ns is None:
        return shown.reason
    if verdict == NOT_SCHEDULABLE and shown.reason:
        return shown.reason
    work = shown_duration(shown.demand_ns)
    return f"{work} of work within {shown_duration(shown.interval_ns)}"


def _answer(
    declared: DeclaredTask,
    task: Task,
    bound: CpuBound,
    response_ns: int | None,
    costs: PlatformCosts | None,
) -> TaskBound:
    """Answer for one task: by the verdict of its CPU, else by its own response time."""
    verdict, reason = bound.verdict, bound.reason
    if is_late_alone(declared):
        verdict, reason = NOT_SCHEDULABLE, "it is late even alone"
    elif verdict != SCHEDULABLE and response_ns is not None and response_ns <= task.deadline_ns:
        verdict, reason = SCHEDULABLE, None
    elif verdict == NOT_SCHEDULABLE:
        verdict, reason = NOT_PROVABLE, "a task of its CPU is late, which one is not known"
    if verdict == SCHEDULABLE and response_ns is not None:
        # Response times count the largest blocking of all tasks, demand that of those inside.
        response_ns = min(response_ns, task.deadline_ns)
    return TaskBound(
        name=task.name,
        cpu=task.cpu,
        priority=None,
        verdict=verdict,
        response_time_ns=response_ns,
        deadline_ns=task.deadline_ns,
        period_ns=task.period_ns,
        test=f"{bound.test}, response times",
        source=f"{bound.source}; Spuri 1996",
        exact=bound.exact and verdict == bound.verdict,
        jobs=None,
        jitter_ns=task.jitter_ns + (0 if costs is None else costs.timer_latency_ns),
        window_ns=None,
        breakdown=None,
        reason=reason,
    )
