# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the platform adds to tasks of fixed priorities: switches, cold caches, interrupts.

C' = C + 2 delta + gamma (Sebek, "The real cost of task pre-emptions", section 1.3). Read as "the
task that is preempted pays", the formula is only sound if each job is preempted once. Here each job
pays for the preemption that *it* makes: it makes at most one, at its release, and whoever it
preempts has to be resumed exactly once for it, and then loads at most its own working set again. So

    gamma of j = the largest gamma(working set of k) over all k that j may preempt,

which are the other tasks of its CPU of lower or equal priority. That a preemption was nested in
another one changes nothing: each pays for its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from laxity.analysis.response_time import Response, demand_ns, interfering_tasks, releases
from laxity.analysis.task_model import Task


@dataclass(frozen=True, slots=True)
class Tick:
    """The interrupt of the kernel's clock: what one takes, and how far apart they are."""

    cost_ns: int
    period_ns: int


@dataclass(frozen=True, slots=True)
class PlatformCosts:
    """What the platform takes; 0 of a cost that is not accounted for.

    Attributes:
        switch_ns: 2 delta, to the task and back.
        gamma_ns: By name of the task that is preempted.
        migration_ns: By name of the task that resumes on another CPU; only if it may.
        release_latency_ns: How much later than its timer a task becomes ready.
        release_isr_ns: What the timer of a task takes from one of higher priority.
        tick: None: not accounted for.
        block_reload_ns: To load one block of a cache again, where cache sets stand for `gamma_ns`.
    """

    switch_ns: int = 0
    gamma_ns: Mapping[str, int] = field(default_factory=dict)
    migration_ns: Mapping[str, int] = field(default_factory=dict)
    release_latency_ns: int = 0
    release_isr_ns: int = 0
    tick: Tick | None = None
    block_reload_ns: int = 0

    @property
    def tick_lateness_ns(self) -> int:
        """How much later than its time a tick may end, so much closer is the next one to it.

        It is a timer, and waits for a switch that nothing interrupts.
        """
        cost_ns = 0 if self.tick is None else self.tick.cost_ns
        return self.release_latency_ns + cost_ns + self.switch_ns


@dataclass(frozen=True, slots=True)
class Loaded:
    """A task with all that it costs, and all that may run before it.

    Attributes:
        task: C', J' and B' of the task under analysis.
        interfering: The same of the tasks before it.
        interrupts: As tasks of the highest priority.
        switch_blocking_ns: The part of B' that is a switch of another task.
    """

    task: Task
    interfering: tuple[Task, ...]
    interrupts: tuple[Task, ...]
    switch_blocking_ns: int


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Where the busy window goes, in ns: the parts sum up to it.

    Attributes:
        wcet_ns: C of the task's own jobs in the window, without contention.
        interference_ns: The same of the jobs of other tasks.
        contention_ns: What co-runners on other CPUs make all jobs in it longer.
        delta_ns: Switches of all jobs in it.
        gamma_ns: Caches that are filled again after preemptions by all jobs in it.
        migration_ns: The same after migrations; 0: every task keeps to its CPU.
        interrupts_ns: Ticks, and timers of tasks of lower priority.
        blocking_ns: What the task set states.
        switch_blocking_ns: One switch that was under way at the start.
    """

    wcet_ns: int
    interference_ns: int
    contention_ns: int
    delta_ns: int
    gamma_ns: int
    migration_ns: int
    interrupts_ns: int
    blocking_ns: int
    switch_blocking_ns: int


def with_overheads(task: Task, tasks: Sequence[Task], costs: PlatformCosts) -> Loaded:
    """Add the platform's costs to a task and to what runs before it."""
    here = [one for one in tasks if one.cpu == task.cpu]
    lower = [one for one in here if one.priority < task.priority]
    interfering = interfering_tasks(task, here)
    # A switch cannot be preempted, so one of a task that does not run before this one may be under
    # way; neither half of it takes longer than the whole.
    switch_blocking_ns = costs.switch_ns if lower else 0
    loaded = _loaded(task, here, costs)
    return Loaded(
        task=replace(loaded, blocking_ns=task.blocking_ns + switch_blocking_ns),
        interfering=tuple(_loaded(one, here, costs) for one in interfering),
        interrupts=_interrupts(task, lower, costs),
        switch_blocking_ns=switch_blocking_ns,
    )


def gamma_charged_ns(task: Task, tasks: Sequence[Task], costs: PlatformCosts) -> int:
    """Give what each job of a task makes others load again, at most."""
    return max((costs.gamma_ns.get(one.name, 0) for one in victims(task, tasks)), default=0)


def victims(task: Task, tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Pick those that a task may preempt; of equal priority too, which is never too few."""
    return tuple(
        one
        for one in tasks
        if one.name != task.name and one.cpu == task.cpu and one.priority <= task.priority
    )


def break_down(
    task: Task, tasks: Sequence[Task], costs: PlatformCosts, response: Response
) -> Breakdown:
    """Say where the busy window of a response goes."""
    loaded = with_overheads(task, tasks, costs)
    others = {one.name: one for one in tasks}
    counts = [
        (task, response.jobs),
        *((others[one.name], releases(one, response.window_ns)) for one in loaded.interfering),
    ]
    return Breakdown(
        wcet_ns=response.jobs * (task.wcet_ns - task.contention_ns),
        interference_ns=sum(count * (one.wcet_ns - one.contention_ns) for one, count in counts[1:]),
        contention_ns=sum(count * one.contention_ns for one, count in counts),
        delta_ns=sum(count for _, count in counts) * costs.switch_ns,
        gamma_ns=sum(count * gamma_charged_ns(one, tasks, costs) for one, count in counts),
        migration_ns=0,
        interrupts_ns=demand_ns(loaded.interrupts, response.window_ns),
        blocking_ns=task.blocking_ns,
        switch_blocking_ns=loaded.switch_blocking_ns,
    )


def _loaded(task: Task, tasks: Sequence[Task], costs: PlatformCosts) -> Task:
    """C' = C + 2 delta + gamma, J' = J + release latency."""
    return replace(
        task,
        wcet_ns=task.wcet_ns + costs.switch_ns + gamma_charged_ns(task, tasks, costs),
        jitter_ns=task.jitter_ns + costs.release_latency_ns,
    )


def _interrupts(task: Task, lower: Sequence[Task], costs: PlatformCosts) -> tuple[Task, ...]:
    """List the interrupts that may hit a task and that no switch has in it."""
    # A timer that comes late is as much closer to the next one.
    interrupts = [
        _interrupt(
            one, costs.release_isr_ns, one.period_ns, one.jitter_ns + costs.release_latency_ns
        )
        for one in lower
        if costs.release_isr_ns
    ]
    if costs.tick is not None:
        tick = costs.tick
        interrupts.append(_interrupt(task, tick.cost_ns, tick.period_ns, costs.tick_lateness_ns))
    return tuple(interrupts)


def _interrupt(of: Task, cost_ns: int, period_ns: int, jitter_ns: int) -> Task:
    return Task(
        name=f"interrupt of {of.name}",
        wcet_ns=cost_ns,
        period_ns=period_ns,
        deadline_ns=period_ns,
        jitter_ns=jitter_ns,
        cpu=of.cpu,
    )
