# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Tasks that may run on any CPU of a set, bounded with what preemptions and migrations cost.

The tests are sufficient only, so from above they say schedulable or nothing. From below there is
what no scheduler gets round: more work than the CPUs have, and a task that is late even alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from laxity.bounds.global_overheads import with_global_overheads
from laxity.bounds.global_tests import density_verdict, response_times
from laxity.bounds.overheads import PlatformCosts
from laxity.bounds.response_time import utilisation
from laxity.bounds.setup import Setup
from laxity.bounds.tasks import (
    ALONE_SOURCE,
    ALONE_TEST,
    certain_tasks_of,
    exceeds_cpus,
    has_costs,
    is_late_alone,
    share_turns,
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
    TaskVerdict,
    Verdict,
)
from laxity.core.task_set import DeclaredTask
from laxity.tasksets.task_model import Task

COSTS_SOURCE = (
    "C' = C + 2 delta + gamma: Sebek, section 1.3; each job pays for all of its resumptions: "
    "Brandenburg 2011, chapter 3"
)


def bound_global(
    declared: Sequence[DeclaredTask], costs: PlatformCosts | None, setup: Setup
) -> tuple[tuple[TaskBound, ...], tuple[CpuBound]]:
    """Judge all tasks together, and each by its response time.

    Args:
        declared: As the file states them; their `cpu` is not read.
        costs: None: one is missing.
        setup: The scheduler and the CPUs.
    """
    tasks = tasks_of(declared)
    above = _from_above(tasks, costs, setup)
    if not setup.scheduler.is_edf and share_turns(declared) and has_costs(costs):
        why = "tasks of policy rr and equal priority take turns, how often is open"
        above = replace(above, why_none=above.why_none or why)
    answers = tuple(
        _answer(one, task, found, above, costs, is_edf=setup.scheduler.is_edf)
        for one, task, found in zip(declared, tasks, above.tasks, strict=True)
    )
    return answers, (_of_cpus(answers, declared, above, costs, setup),)


def find_unproven(tasks: Sequence[Task], costs: PlatformCosts, setup: Setup) -> str | None:
    """Name the first task that is not proven to keep its deadline with all costs; None: all are."""
    above = _from_above(tasks, costs, setup)
    if above.is_dense and not above.why_none:
        return None
    late = (one.name for one in above.tasks if above.why_none or one.verdict != SCHEDULABLE)
    return next(late, None)


@dataclass(frozen=True, slots=True)
class _Above:
    """What is found with all costs.

    Attributes:
        tasks: By response times.
        together: By density; None: the test does not hold for this scheduler.
        why_none: Why neither counts; empty: they do.
    """

    tasks: tuple[TaskVerdict, ...]
    together: SetVerdict | None = None
    why_none: str = ""

    @property
    def is_dense(self) -> bool:
        """Whether density proves all deadlines."""
        return self.together is not None and self.together.verdict == SCHEDULABLE


def _from_above(tasks: Sequence[Task], costs: PlatformCosts | None, setup: Setup) -> _Above:
    n_cpus = len(setup.cpus)
    loaded = with_global_overheads(tasks, costs or PlatformCosts(), is_edf=setup.scheduler.is_edf)
    found = response_times(loaded or tasks, n_cpus, setup.scheduler)
    if costs is None:
        return _Above(found, None, "a cost is missing")
    if loaded is None:
        return _Above(found, None, "ticks leave no time")
    # That test is of deadlines which order jobs and are kept; those from the wake-up lie later.
    is_misled = setup.from_wakeup and any(one.jitter_ns for one in loaded)
    if not setup.scheduler.is_edf or is_misled:
        return _Above(found)
    return _Above(found, density_verdict(loaded, n_cpus))


def _why_impossible(declared: Sequence[DeclaredTask], n_cpus: int) -> str | None:
    """Say what no order of jobs gets round, without any cost that may be absent; None: nothing."""
    tasks = certain_tasks_of(declared)
    if exceeds_cpus(tasks, n_cpus):
        return f"utilisation {float(utilisation(tasks)):.3f} exceeds {n_cpus}"
    return None


def _answer(
    declared: DeclaredTask,
    task: Task,
    found: TaskVerdict,
    above: _Above,
    costs: PlatformCosts | None,
    *,
    is_edf: bool,
) -> TaskBound:
    verdict: Verdict = NOT_PROVABLE
    why = above.why_none
    reason: str | None = why or found.reason
    if is_late_alone(declared):
        verdict, reason = NOT_SCHEDULABLE, "it is late even alone"
    elif not why and (above.is_dense or found.verdict == SCHEDULABLE):
        verdict, reason = SCHEDULABLE, None
    test, source = found.test, found.source
    if verdict == NOT_SCHEDULABLE:
        test, source = ALONE_TEST, ALONE_SOURCE
    elif verdict == SCHEDULABLE and found.verdict != SCHEDULABLE and above.together is not None:
        test, source = above.together.test, above.together.source
    added_ns = 0 if costs is None else costs.timer_latency_ns + costs.switch_ns
    return TaskBound(
        name=task.name,
        cpu=None,
        priority=None if is_edf else task.priority,
        verdict=verdict,
        response_time_ns=None if why else found.response_time_ns,
        deadline_ns=task.deadline_ns,
        period_ns=task.period_ns,
        test=test,
        source=source
        if verdict == NOT_SCHEDULABLE or not has_costs(costs)
        else f"{source}; {COSTS_SOURCE}",
        exact=verdict == NOT_SCHEDULABLE,
        jobs=None,
        jitter_ns=task.jitter_ns + added_ns,
        window_ns=None,
        breakdown=None,
        reason=reason,
    )


def _of_cpus(
    answers: Sequence[TaskBound],
    declared: Sequence[DeclaredTask],
    above: _Above,
    costs: PlatformCosts | None,
    setup: Setup,
) -> CpuBound:
    """Answer for all CPUs: by density, else by all response times."""
    impossible = _why_impossible(declared, len(setup.cpus))
    together = above.together
    verdicts = {one.verdict for one in answers}
    verdict: Verdict = NOT_PROVABLE
    reason: str | None = above.why_none or "not every task is proven to keep its deadline"
    if impossible is not None or NOT_SCHEDULABLE in verdicts:
        verdict, reason = NOT_SCHEDULABLE, impossible or "a task is late even alone"
    elif verdicts == {SCHEDULABLE}:
        verdict, reason = SCHEDULABLE, None
    elif together is not None:
        reason = together.reason
    shown = next((one for one in answers if one.verdict == verdict), answers[0])
    test, source = shown.test, shown.source
    if impossible is not None:
        test, source = "utilisation", "Liu, Layland 1973"
    elif together is not None and above.is_dense:
        test = together.test
        source = f"{together.source}; {COSTS_SOURCE}" if has_costs(costs) else together.source
    return CpuBound(
        cpus=setup.cpus,
        verdict=verdict,
        test=test,
        source=source,
        exact=verdict == NOT_SCHEDULABLE,
        utilisation_ppm=utilisation_ppm(tasks_of(declared)),
        interval_ns=None,
        demand_ns=None,
        reason=reason,
    )
