# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Whether all deadlines are kept, and nothing else: for experiments on many thousands of sets.

The answers are those of `bound_fixed_priority.longest_response` for every task and of
`bound_edf.keeps_deadlines`, whose figures say how late and why. Here the first task that is late
ends the search, costs are added once for a set and not once for each pair of tasks, and most sets
are decided by a formula.
"""

from collections.abc import Sequence
from itertools import pairwise
from operator import attrgetter

from laxity.analysis import bound_edf
from laxity.analysis.overheads import PlatformCosts, load_cpu
from laxity.analysis.response_time import ROUNDING, Demand
from laxity.analysis.task_model import Task

# Above this utilisation deadlines within so many of the longest periods are looked at first: some
# thousand sums, where the exact test gives up after 100,000.
_NEARLY_ALL = 0.99
_LOOK_AHEAD = 4
_LOOK_AHEAD_STEPS = 20_000


def keeps_by_priority(tasks: Sequence[Task], costs: PlatformCosts) -> bool:
    """Tell whether the bound of every task of one processor is within its deadline.

    Args:
        tasks: With fixed priorities, any order.
        costs: What the platform takes, gamma of every task included.
    """
    ordered = sorted(tasks, key=attrgetter("priority"), reverse=True)
    if not _is_plain(ordered):
        cpu = load_cpu(ordered, costs)
        responses = ((cpu.response(one).response_ns, one) for one in tasks)
        return all(ns is not None and ns <= one.deadline_ns for ns, one in responses)
    demands = _loaded(ordered, costs)
    interrupts = _interrupts(ordered, costs)
    for index in range(len(ordered) - 1, -1, -1):
        task = ordered[index]
        wcet_ns, _, jitter_ns = demands[index]
        # A switch of a task below may be under way.
        blocking_ns = task.blocking_ns + (costs.switch_ns if index + 1 < len(ordered) else 0)
        before = demands[:index] + interrupts[index]
        if not _ends_by(blocking_ns + wcet_ns, before, task.deadline_ns - jitter_ns):
            return False
    return True


def keeps_by_deadline(tasks: Sequence[Task], costs: PlatformCosts) -> bool:
    """Tell whether the tasks of one processor are schedulable under EDF.

    The exact test goes from the longest interval downwards, which is far where a processor is used
    to its capacity. So an overload is looked for in short intervals before, without costs, which
    only add to it; and the utilisation is estimated before it is summed up exactly.

    Args:
        tasks: Any order; priorities are not read.
        costs: What the platform takes, gamma of every task included.
    """
    used = sum((one.wcet_ns + costs.switch_ns) / one.period_ns for one in tasks)
    if used > 1 + ROUNDING:
        return False
    upto_ns = 0
    # Where no deadline is before the end of its period only the utilisation counts.
    if used > _NEARLY_ALL and any(one.deadline_ns < one.period_ns for one in tasks):
        upto_ns = _LOOK_AHEAD * max(one.period_ns for one in tasks)
    return not _is_overloaded(tasks, upto_ns) and bound_edf.keeps_deadlines(tasks, costs)


def _is_overloaded(tasks: Sequence[Task], upto_ns: int) -> bool:
    """Look for more work than time in intervals that end at the first deadlines of each task.

    Args:
        tasks: Any order.
        upto_ns: All of them up to this length; at least one of each task.
    """
    demands = [(one.deadline_ns - one.jitter_ns, one.period_ns, one.wcet_ns) for one in tasks]
    # Of a task with a period much below the longest the later ones are left to the exact test.
    most = _LOOK_AHEAD_STEPS // len(tasks)
    return any(
        sum(
            ((interval_ns - first_ns) // period_ns + 1) * wcet_ns
            for first_ns, period_ns, wcet_ns in demands
            if first_ns <= interval_ns
        )
        > interval_ns
        for first, period, _ in demands
        for interval_ns in range(first, max(first, min(upto_ns, first + most * period)) + 1, period)
    )


def _is_plain(ordered: Sequence[Task]) -> bool:
    """Tell whether only the first job of each busy window counts, and no two priorities are equal.

    A response within D <= T ends the busy window, and any other is late.
    """
    return all(one.deadline_ns <= one.period_ns for one in ordered) and all(
        one.priority > other.priority for one, other in pairwise(ordered)
    )


def _loaded(ordered: Sequence[Task], costs: PlatformCosts) -> list[Demand]:
    """Add to each task what `overheads.load_cpu` does; who is below comes later.

    The first one never waits, or is late by more than its period, unless something blocks it.
    """
    demands = []
    gamma_ns = 0
    for one in reversed(ordered):
        waits = one is not ordered[0] or one.blocking_ns
        wcet_ns = one.wcet_ns + costs.switch_ns + gamma_ns + (costs.waiting_ns if waits else 0)
        demands.append((wcet_ns, one.period_ns, one.jitter_ns + costs.release_latency_ns))
        gamma_ns = max(gamma_ns, costs.gamma_ns.get(one.name, 0))
    return demands[::-1]


def _interrupts(ordered: Sequence[Task], costs: PlatformCosts) -> list[list[Demand]]:
    """List what may interrupt each task: the timers of those below it, and ticks."""
    ticks = []
    if costs.tick is not None:
        ticks = [(costs.tick.cost_ns, costs.tick.period_ns, costs.tick_lateness_ns)]
    if not costs.release_isr_ns:
        return [ticks] * len(ordered)
    late_ns = costs.release_latency_ns
    timers = [(costs.release_isr_ns, one.period_ns, one.jitter_ns + late_ns) for one in ordered]
    return [timers[index + 1 :] + ticks for index in range(len(ordered))]


def _ends_by(own_ns: int, before: Sequence[Demand], limit_ns: int) -> bool:
    """Tell whether the least w = own + sum ceil((w + J) / T) C is at most a limit.

    Since ceil(x) < x + 1, it is at most (own + sum C (T + J) / T) / (1 - sum C / T).
    """
    share, late_ns, window_ns = 0.0, float(own_ns), own_ns
    for wcet_ns, period_ns, jitter_ns in before:
        ratio = wcet_ns / period_ns
        share += ratio
        late_ns += ratio * (period_ns + jitter_ns)
        window_ns += wcet_ns
    if late_ns * (1 + ROUNDING) < limit_ns * (1 - share - ROUNDING):
        return True
    # Each has at least one job in any window, so this is not beyond the least w.
    while window_ns <= limit_ns:
        needed_ns = own_ns
        for wcet_ns, period_ns, jitter_ns in before:
            needed_ns += -(-(window_ns + jitter_ns) // period_ns) * wcet_ns
        if needed_ns == window_ns:
            return True
        window_ns = needed_ns
    return False
