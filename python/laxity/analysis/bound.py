# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Is a task set schedulable with what the platform costs? Fixed priorities, each task on one CPU.

Two analyses answer. One never comes out too low: it has all costs in it, and if its response times
keep the deadlines the tasks are schedulable. The other never comes out too high: it has nothing in
it but what happens for certain, and if its response times miss a deadline the tasks are not
schedulable. Between the two nothing is proven.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from laxity.analysis.overheads import Breakdown, PlatformCosts, break_down, with_overheads
from laxity.analysis.platform_costs import PPM, Accounted
from laxity.analysis.response_time import Response, interfering_tasks, response_time, utilisation
from laxity.analysis.sensitivity import Sensitivity, sensitivity
from laxity.analysis.task_model import Task
from laxity.model.spec import Policy
from laxity.model.task_set import DeclaredTask, TaskSet
from laxity.model.units import decimal_duration

SCHEDULABLE: Final = "schedulable"
NOT_SCHEDULABLE: Final = "not_schedulable"
NOT_PROVABLE: Final = "not_provable"
Verdict = Literal["schedulable", "not_schedulable", "not_provable"]

TEST = "response time analysis of fixed priorities, busy windows"
SOURCE = "Joseph and Pandya 1986; Lehoczky 1990; Audsley et al. 1993"
COSTS_SOURCE = "C' = C + 2 delta + gamma: Sebek, The real cost of task pre-emptions, section 1.3"
# The CPU of a task set that names none.
_ONE_CPU = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskBound:
    """What is proven of one task.

    Attributes:
        response_time_ns: The bound, also beyond the deadline; None: the busy window does not end,
            or a cost is missing.
        exact: The bound is reached: if it is beyond the deadline the task is not schedulable.
        jobs: Of the busy window, up to the one that responds last; response = jitter + window −
            (jobs − 1) · period.
        jitter_ns: With the release latency.
        window_ns: Length of the busy window; `breakdown` says where it goes.
        reason: Why nothing, or not the contrary, is proven; None: schedulable.
    """

    name: str
    cpu: int
    priority: int
    verdict: Verdict
    response_time_ns: int | None
    deadline_ns: int
    period_ns: int
    test: str
    source: str
    exact: bool
    jobs: int | None
    jitter_ns: int
    window_ns: int | None
    breakdown: Breakdown | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class SetBound:
    """The verdict of a task set, and that of each task in the order of the file.

    `sensitivity` None: a cost is missing, or tasks take turns.
    """

    verdict: Verdict
    tasks: tuple[TaskBound, ...]
    sensitivity: Sensitivity | None
    notes: tuple[str, ...]


def tasks_of(declared: Sequence[DeclaredTask], *, with_contention: bool = True) -> tuple[Task, ...]:
    """Make the tasks that the tests read.

    Args:
        declared: As the file states them.
        with_contention: Whether C has `overhead_ratio` on top: C (1 + overhead), rounded up.
    """
    return tuple(
        Task(
            name=one.name,
            wcet_ns=_contended_ns(one) if with_contention else one.wcet_ns,
            period_ns=one.period_ns,
            deadline_ns=one.deadline_ns,
            jitter_ns=one.keys.jitter_ns,
            blocking_ns=one.keys.blocking_ns,
            priority=one.priority,
            cpu=_ONE_CPU if one.cpu is None else one.cpu,
            working_set_bytes=one.keys.working_set_bytes,
            ucb=one.keys.ucb,
            ecb=one.keys.ecb,
        )
        for one in declared
    )


def bound_task_set(task_set: TaskSet, accounted: Accounted | None) -> SetBound:
    """Bound all tasks and judge them.

    Args:
        task_set: At least one task.
        accounted: What the platform costs; None: nothing, as the user said.
    """
    declared = task_set.tasks
    tasks = tasks_of(declared)
    costs = PlatformCosts() if accounted is None else accounted.costs
    bounds = tuple(_bound(index, declared, tasks, costs) for index in range(len(tasks)))
    spare = None
    if costs is not None and not any(_is_open(i, declared, costs) for i in range(len(tasks))):
        spare = sensitivity(tasks, costs)
    verdict = _of_all([one.verdict for one in bounds])
    return SetBound(verdict, bounds, spare, tuple(_notes(task_set)))


def longest_response(task: Task, tasks: Sequence[Task], costs: PlatformCosts) -> Response:
    """Bound a response time from above: with all costs, equal priorities counted as higher."""
    loaded = with_overheads(task, tasks, costs)
    return response_time(loaded.task, (*loaded.interfering, *loaded.interrupts))


def _contended_ns(one: DeclaredTask) -> int:
    return -(-one.wcet_ns * (PPM + one.keys.overhead_ppm) // PPM)


def _of_all(verdicts: Sequence[Verdict]) -> Verdict:
    if NOT_SCHEDULABLE in verdicts:
        return NOT_SCHEDULABLE
    return NOT_PROVABLE if NOT_PROVABLE in verdicts else SCHEDULABLE


def _bound(
    index: int, declared: Sequence[DeclaredTask], tasks: Sequence[Task], costs: PlatformCosts | None
) -> TaskBound:
    task = tasks[index]
    response, reason = _from_above(index, declared, tasks, costs)
    verdict: Verdict = NOT_PROVABLE
    if reason is None:
        verdict = SCHEDULABLE
    elif _misses_for_certain(index, declared):
        verdict = NOT_SCHEDULABLE
    is_bounded = response.response_ns is not None
    breakdown = None
    if is_bounded and costs is not None:
        breakdown = break_down(task, tasks, costs, response)
    with_costs = costs is not None and costs != PlatformCosts()
    return TaskBound(
        name=task.name,
        cpu=task.cpu,
        priority=task.priority,
        verdict=verdict,
        response_time_ns=response.response_ns,
        deadline_ns=task.deadline_ns,
        period_ns=task.period_ns,
        test=TEST,
        source=f"{SOURCE}; {COSTS_SOURCE}" if with_costs else SOURCE,
        exact=costs is not None and _is_exact(index, declared, costs),
        jobs=response.jobs if is_bounded else None,
        jitter_ns=task.jitter_ns + (0 if costs is None else costs.release_latency_ns),
        window_ns=response.window_ns if is_bounded else None,
        breakdown=breakdown,
        reason=reason,
    )


def _from_above(
    index: int, declared: Sequence[DeclaredTask], tasks: Sequence[Task], costs: PlatformCosts | None
) -> tuple[Response, str | None]:
    """Bound a response time from above, and say why that is not enough; None: it is."""
    if costs is None:
        return Response(None), "a cost is missing"
    if _is_open(index, declared, costs):
        return Response(None), "tasks of policy rr and equal priority take turns, how often is open"
    task = tasks[index]
    response = longest_response(task, tasks, costs)
    if not response.is_decided:
        return response, "the busy window is too long to be followed to its end"
    if response.response_ns is None:
        return response, "more is asked for than the processor has: the busy window does not end"
    if response.response_ns > task.deadline_ns:
        late = decimal_duration(response.response_ns - task.deadline_ns)
        return response, f"the bound is beyond the deadline by {late}"
    return response, None


def _misses_for_certain(index: int, declared: Sequence[DeclaredTask]) -> bool:
    """Tell whether a job misses its deadline even without any cost that may be absent.

    Left out: the platform's costs, contention, blocking, tasks of equal priority. Tasks that start
    at different offsets may never meet, so then the task is taken alone, but for the utilisation.
    Jitter stays: the task set states that a job may be so late.
    """
    tasks = tasks_of(declared, with_contention=False)
    task = replace(tasks[index], blocking_ns=0)
    higher = [one for one in interfering_tasks(task, tasks) if one.priority > task.priority]
    if utilisation((task, *higher)) > 1:
        return True
    if not _start_together(index, declared):
        higher = []
    least = response_time(task, higher)
    return least.response_ns is not None and least.response_ns > task.deadline_ns


def _is_exact(index: int, declared: Sequence[DeclaredTask], costs: PlatformCosts) -> bool:
    """Tell whether the bound from above is also one from below: nothing in it may be absent."""
    task = tasks_of(declared)[index]
    interfering = interfering_tasks(task, tasks_of(declared))
    return (
        costs == PlatformCosts()
        and task.blocking_ns == 0
        and all(one.priority > task.priority for one in interfering)
        and all(one.keys.overhead_ppm == 0 for one in declared)
        and _start_together(index, declared)
    )


def _start_together(index: int, declared: Sequence[DeclaredTask]) -> bool:
    """Tell whether a task and those that may run before it have one offset."""
    task = declared[index]
    return all(
        one.offset_ns == task.offset_ns
        for one in declared
        if one.cpu == task.cpu and one.priority >= task.priority
    )


def _is_open(index: int, declared: Sequence[DeclaredTask], costs: PlatformCosts) -> bool:
    """Tell whether tasks that take turns cost a task switches that nothing bounds."""
    if costs == PlatformCosts():
        return False
    task = declared[index]
    before = [one for one in declared if one.cpu == task.cpu and one.priority >= task.priority]
    return any(
        one.policy is Policy.RR and sum(other.priority == one.priority for other in before) > 1
        for one in before
    )


def _notes(task_set: TaskSet) -> list[str]:
    notes = []
    if any(one.cpu is None for one in task_set.tasks):
        notes.append("the file names no cpus: all tasks are taken to share one CPU")
    shared = [
        one for one in task_set.tasks if any(_are_equal(one, other) for other in task_set.tasks)
    ]
    if shared:
        names = ", ".join(one.name for one in shared)
        notes.append(f"equal priorities ({names}): each is counted before the other")
    if task_set.has_corunners and not any(one.keys.overhead_ppm for one in task_set.tasks):
        notes.append("co-runners ([[interfere]]) slow jobs down: wcet has to hold beside them")
    return notes


def _are_equal(one: DeclaredTask, other: DeclaredTask) -> bool:
    return one is not other and one.cpu == other.cpu and one.priority == other.priority
