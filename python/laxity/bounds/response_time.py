# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Response times of tasks with fixed priorities on one processor.

The longest response of a task lies in its level-i busy window: it starts when the task and all that
may delay it are released together, each with its largest jitter, and ends at the first release of
the task that finds no earlier job of it unfinished. Within it job q (from 0) finishes at the least
w with

    w = B + (q + 1) C + sum over the interfering tasks j of ceil((w + J_j) / T_j) C_j

and its response time is J + w - q T. Sources: Joseph and Pandya, "Finding response times in a
real-time system" (1986); Lehoczky, "Fixed priority scheduling of periodic task sets with arbitrary
deadlines" (1990), for q > 0; Audsley, Burns, Richardson, Tindell and Wellings, "Applying new
scheduling theory to static priority pre-emptive scheduling" (1993), for J and B.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias, TypeVar

from laxity.tasksets.task_model import Task

# Steps of the fixed point before a task is given up. Only processors used to within a hair of
# their capacity need so many.
MAX_STEPS = 1_000_000
# A step sums up what each interfering task asks for: so many sums take some seconds.
MAX_SUMS = 20_000_000
# Of sums of some thousand floating-point numbers, with a wide margin.
ROUNDING = 1e-9

# A task, or one of a narrower type, which is kept.
SomeTask = TypeVar("SomeTask", bound=Task)
# C, T, J of whatever may run before a task.
Demand: TypeAlias = tuple[int, int, int]


class Line(NamedTuple):
    """Demands on a line: in w at least share w + late, and at most share w + late + wcets."""

    share: float
    wcets_ns: int
    late_ns: float


NO_LINE = Line(0.0, 0, 0.0)


@dataclass(frozen=True, slots=True)
class Response:
    """The longest response of one task.

    Attributes:
        response_ns: The bound, also beyond the deadline; None: the busy window does not end, or
            it was not followed to its end.
        jobs: Jobs of the busy window up to the one that responds last, itself included.
        window_ns: From the start of the busy window to the finish of that job.
        is_decided: False: given up after `MAX_STEPS` steps.
    """

    response_ns: int | None
    jobs: int = 0
    window_ns: int = 0
    is_decided: bool = True


def response_time(
    task: Task,
    interfering: Sequence[Task],
    max_steps: int = MAX_STEPS,
    enough_ns: int | None = None,
) -> Response:
    """Bound the response time of one task.

    Args:
        task: Task under analysis.
        interfering: Whatever runs before it on its processor, any order: tasks of higher priority,
            those of equal priority, interrupts.
        max_steps: Steps of the fixed point before it is given up.
        enough_ns: It is also given up once the response is known to be longer; None: never.

    Source:
        Lehoczky (1990), with J and B as Audsley et al. (1993).
    """
    demands = [(one.wcet_ns, one.period_ns, one.jitter_ns) for one in interfering]
    return follow_window(task, demands, max_steps, enough_ns)


def follow_window(
    task: Task,
    demands: Sequence[Demand],
    max_steps: int = MAX_STEPS,
    enough_ns: int | None = None,
    timer_ns: int = 0,
    line: Line | None = None,
) -> Response:
    """Bound the response time of one task, as `response_time` does, of C, T and J of the others.

    Args:
        task: Task under analysis.
        demands: Of whatever runs before it.
        max_steps: As in `response_time`.
        enough_ns: As in `response_time`.
        timer_ns: What the timer of an own job that is released later takes from this one.
        line: Of no more than the demands; None: to be summed up here.
    """
    if line is None:
        line = sum_line(demands)
        if exceeds_capacity([(task.wcet_ns, task.period_ns), *((c, t) for c, t, _ in demands)]):
            return Response(None)
    # No window ends below the line, since ceil(x) >= x.
    free, late_ns = 1 / max(1 - line.share + ROUNDING, ROUNDING), line.late_ns
    best = Response(None)
    window_ns, n_jobs = 0, 0
    for _ in range(min(max_steps, MAX_SUMS // (len(demands) + 1))):
        own_ns = task.blocking_ns + (n_jobs + 1) * task.wcet_ns
        since_ns = max(window_ns, int((own_ns + late_ns) * free * (1 - ROUNDING)))
        needed_ns = own_ns + timer_ns * max(0, releases(task, since_ns) - n_jobs - 1)
        for wcet_ns, period_ns, jitter_ns in demands:
            needed_ns += -(-(since_ns + jitter_ns) // period_ns) * wcet_ns
        response_ns = task.jitter_ns + needed_ns - n_jobs * task.period_ns
        if enough_ns is not None and response_ns > enough_ns:
            break
        if needed_ns > window_ns:
            window_ns = needed_ns
            continue
        n_jobs += 1
        if best.response_ns is None or response_ns > best.response_ns:
            best = Response(response_ns, n_jobs, window_ns)
        # The next job is ready at the earliest when its own jitter is none at all.
        if window_ns <= n_jobs * task.period_ns - task.jitter_ns:
            return best
    return Response(None, is_decided=False)


def sum_line(demands: Iterable[Demand], more: Line = NO_LINE) -> Line:
    """Sum up what the line of demands is."""
    share, wcets_ns, late_ns = more
    for wcet_ns, period_ns, jitter_ns in demands:
        ratio = wcet_ns / period_ns
        share += ratio
        wcets_ns += wcet_ns
        late_ns += ratio * jitter_ns
    return Line(share, wcets_ns, late_ns)


def exceeds_capacity(shares: Iterable[tuple[int, int]]) -> bool:
    """Tell whether tasks ask for more than one processor, of C and T of each.

    Floating point decides it but within a hair of 1: exact sums of many fractions take long.
    """
    known = list(shares)
    used = sum(wcet_ns / period_ns for wcet_ns, period_ns in known)
    if abs(used - 1) > ROUNDING:
        return used > 1
    return sum((Fraction(wcet_ns, period_ns) for wcet_ns, period_ns in known), Fraction(0)) > 1


def demand_ns(interfering: Sequence[Task], window_ns: int) -> int:
    """Sum what tasks ask for that are released in a window; the end belongs to the next one."""
    return sum(releases(one, window_ns) * one.wcet_ns for one in interfering)


def releases(task: Task, window_ns: int) -> int:
    """Count the jobs that can become ready in a window: ceil((w + J) / T)."""
    return -(-(window_ns + task.jitter_ns) // task.period_ns)


def utilisation(tasks: Sequence[Task]) -> Fraction:
    """Return the share of a processor that tasks ask for; 1 is all of it."""
    return sum((Fraction(task.wcet_ns, task.period_ns) for task in tasks), Fraction(0))


def interfering_tasks(task: Task, tasks: Sequence[SomeTask]) -> tuple[SomeTask, ...]:
    """Pick those that may run before a task: higher and equal priority, on its CPU.

    Tasks of equal priority run in the order in which they became ready (SCHED_FIFO). Which of two
    comes first is not known, so each is counted before the other: never too low, rarely exact.
    """
    return tuple(
        one
        for one in tasks
        if one.name != task.name and one.cpu == task.cpu and one.priority >= task.priority
    )
