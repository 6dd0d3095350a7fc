# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the platform adds to the tasks of one processor under EDF: switches, caches, interrupts.

Each job pays for the preemption that *it* makes, as under fixed priorities (overheads.py): it makes
at most one, when it becomes ready, and whoever it preempts is resumed once for it. A job of j that
preempts one of k becomes ready after it and has the earlier deadline, r_k <= r_j + J_j and
r_j + D_j <= r_k + D_k, hence

    gamma of j = the largest gamma(working set of k) over all k with D_k >= D_j - J_j.

In an interval that ends with a missed deadline only jobs with deadlines up to its end run. What
they load again within it was evicted in it by jobs with deadlines earlier still, whose C' are part
of the demand: a job that runs at its start with a later deadline loads nothing again before the
end. So h(t) with C' in place of C holds all of it.

A timer interrupts whatever runs, whether the job that it releases preempts, waits for an earlier
deadline or for its own predecessor. Each is counted in full beside 2 delta, which holds the timer
of a job that preempts once more. Only a task alone whose jobs all end before the next one is
released has none but those.

Source: Lunniss, Altmeyer, Maiza and Davis, "Integrating cache related pre-emption delay analysis
into EDF scheduling" (2013), which counts a preemption likewise, once per preempting job. There
k is in addition limited to D_k <= t; here it is not, so that C' does not depend on t.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from laxity.bounds.overheads import PlatformCosts
from laxity.bounds.response_time import response_time
from laxity.tasksets.task_model import Task

# What each job of a task makes others load again at most, in ns: task, all tasks of its CPU.
Charge: TypeAlias = Callable[[Task, Sequence[Task]], int]


@dataclass(frozen=True, slots=True)
class EdfLoaded:
    """The tasks of one processor with all that they cost, in their order, and its interrupts."""

    tasks: tuple[Task, ...]
    interrupts: tuple[Task, ...]


def woken_late(tasks: Sequence[Task], costs: PlatformCosts) -> tuple[Task, ...]:
    """Add to the jitter of tasks how late their timers wake them."""
    return tuple(replace(one, jitter_ns=one.jitter_ns + costs.timer_latency_ns) for one in tasks)


def with_edf_overheads(
    tasks: Sequence[Task],
    costs: PlatformCosts,
    *,
    from_wakeup: bool = False,
    charge: Charge | None = None,
) -> EdfLoaded:
    """Add the platform's costs to the tasks of one processor.

    Args:
        tasks: All of the processor.
        costs: What the platform takes.
        from_wakeup: Deadlines that order jobs count from when a job becomes ready, as those of
            SCHED_DEADLINE do, and so lie up to J after the ones that have to be kept.
        charge: What a job makes others load again; left out: gamma of their working sets.
    """
    reload = charge or (lambda task, all_tasks: gamma_charged_ns(task, all_tasks, costs))
    late = woken_late(tasks, costs)
    # A switch cannot be preempted, so that of a job with a later deadline may be under way.
    switch_ns = costs.switch_ns if len(tasks) > 1 else 0
    is_misled = from_wakeup and len(tasks) > 1
    loaded = tuple(
        replace(
            one,
            wcet_ns=one.wcet_ns + costs.switch_ns + reload(one, late),
            # A job that misses D competes with those whose deadlines are up to J after its own, so
            # that h(t + J) <= t must hold: with s = t + J this is h(s) + J <= s, as if it were
            # blocked for J.
            blocking_ns=one.blocking_ns + switch_ns + (one.jitter_ns if is_misled else 0),
        )
        for one in late
    )
    ticks = _ticks(late, costs)
    has_timers = not loaded or not _never_waits(loaded, ticks)
    return EdfLoaded(loaded, (*(_timers(late, costs) if has_timers else ()), *ticks))


def gamma_charged_ns(task: Task, tasks: Sequence[Task], costs: PlatformCosts) -> int:
    """Return what each job of a task makes others load again, at most."""
    return max((costs.gamma_ns.get(one.name, 0) for one in edf_victims(task, tasks)), default=0)


def edf_victims(task: Task, tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Pick those that a task may preempt."""
    return tuple(one for one in tasks if may_preempt(task, one))


def may_preempt(task: Task, victim: Task) -> bool:
    """Tell whether D_k >= D_j - J_j, J with the timer latency, for another task k.

    Equal deadlines are never too few: which of two jobs with one deadline runs is not said.
    """
    return task.name != victim.name and victim.deadline_ns >= task.deadline_ns - task.jitter_ns


def _timers(tasks: Sequence[Task], costs: PlatformCosts) -> tuple[Task, ...]:
    """List timers: one goes off whatever the deadline of the job that it releases.

    Args:
        tasks: With the timer latency in their jitter: a timer that comes late is as much closer
            to the next one.
        costs: What the platform takes.
    """
    return tuple(
        replace(one, name=f"interrupt of {one.name}", wcet_ns=costs.release_isr_ns, blocking_ns=0)
        for one in tasks
        if costs.release_isr_ns
    )


def _ticks(tasks: Sequence[Task], costs: PlatformCosts) -> tuple[Task, ...]:
    if costs.tick is None or not tasks:
        return ()
    cost_ns, period_ns = costs.tick.cost_ns, costs.tick.period_ns
    tick = replace(tasks[0], name="tick", wcet_ns=cost_ns, period_ns=period_ns, blocking_ns=0)
    return (replace(tick, jitter_ns=costs.tick_lateness_ns),)


def _never_waits(loaded: Sequence[Task], ticks: Sequence[Task]) -> bool:
    """Tell whether there is one task, and none of its jobs finds its predecessor unfinished."""
    alone = loaded[0]
    if len(loaded) > 1 or alone.deadline_ns > alone.period_ns or alone.blocking_ns:
        return False
    response_ns = response_time(alone, ticks, enough_ns=alone.period_ns).response_ns
    return response_ns is not None and response_ns <= alone.period_ns
