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

A job that preempts costs the way in, its timer included, and the way out. One whose timer expires
while another job of at least its priority runs, or its own predecessor, costs that one the timer's
interrupt (`release_isr`) first, and the way out later: the way in is then the way out of the other.
So of every job that may come to wait

    C' = C + preempt_out + max(preempt_in, release_isr) + gamma

and of one that never does preempt_in + preempt_out. Only jobs of the one task above all others
never wait, with D <= T, while they end before the next one is released and nothing blocks them.
Timers of own jobs that come after the one under analysis, but before its end, take release_isr from
it, too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from laxity.bounds.response_time import (
    MAX_STEPS,
    NO_LINE,
    ROUNDING,
    Demand,
    Line,
    Response,
    follow_window,
    releases,
    sum_line,
)
from laxity.tasksets.task_model import Task


@dataclass(frozen=True, slots=True)
class Tick:
    """The interrupt of the kernel's clock: what one takes, and how far apart they are."""

    cost_ns: int
    period_ns: int


@dataclass(frozen=True, slots=True)
class PlatformCosts:
    """What the platform takes; 0 of a cost that is not accounted for.

    Attributes:
        switch_ns: 2 delta, to the task and back, with the timer that starts it.
        preempt_out_ns: The part of it after a job's end; None: not known apart, it may be all.
        gamma_ns: By name of the task that is preempted.
        migration_ns: By name of the task that resumes on another CPU; only if it may.
        timer_latency_ns: How much later than its timer a task becomes ready.
        release_isr_ns: What the timer of a task takes from one that it may not preempt.
        tick: None: not accounted for.
        block_reload_ns: To load one block of a cache again, where cache sets stand for `gamma_ns`.
    """

    switch_ns: int = 0
    preempt_out_ns: int | None = None
    gamma_ns: Mapping[str, int] = field(default_factory=dict)
    migration_ns: Mapping[str, int] = field(default_factory=dict)
    timer_latency_ns: int = 0
    release_isr_ns: int = 0
    tick: Tick | None = None
    block_reload_ns: int = 0

    @property
    def waiting_ns(self) -> int:
        """How much more than a switch a job costs whose timer expires before it may run."""
        out_ns = self.switch_ns if self.preempt_out_ns is None else self.preempt_out_ns
        return max(0, out_ns + self.release_isr_ns - self.switch_ns)

    @property
    def tick_lateness_ns(self) -> int:
        """How much later than its time a tick may end, so much closer is the next one to it.

        It is a timer, and waits for a switch that nothing interrupts.
        """
        cost_ns = 0 if self.tick is None else self.tick.cost_ns
        return self.timer_latency_ns + cost_ns + self.switch_ns


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
        interrupts_ns: Ticks, timers of tasks of lower priority and of own jobs still to come, and
            what those of jobs that had to wait take beyond their switch.
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


@dataclass(frozen=True, slots=True)
class LoadedCpu:
    """The tasks of one CPU with all that they cost, added up once for all of them.

    Attributes:
        costs: What the platform takes.
        plain: The tasks as they are, the highest priority first.
        tasks: The same with C' and J', B as stated.
        places: Of each name, where it stands.
        ends: Of each place, where the next lower priority begins.
        demands: C, T, J of all tasks, then of all timers unless they cost nothing, then of ticks.
        lines_above: For each place, of the tasks before it.
        lines_beside: The same of timers from it on and ticks.
        parts_ns: Of one job of each task C without contention, contention, what it makes others
            load again, and what its timer takes beyond its switch.
    """

    costs: PlatformCosts
    plain: tuple[Task, ...]
    tasks: tuple[Task, ...]
    places: Mapping[str, int]
    ends: tuple[int, ...]
    demands: tuple[Demand, ...]
    lines_above: tuple[Line, ...]
    lines_beside: tuple[Line, ...]
    parts_ns: tuple[tuple[int, int, int, int], ...]

    def of(self, task: Task) -> Loaded:
        """Read off what delays a task of this CPU."""
        place = self.places[task.name]
        end = self.ends[place]
        return Loaded(
            task=self._blocked(place),
            interfering=(*self.tasks[:place], *self.tasks[place + 1 : end]),
            interrupts=tuple(_interrupt(task, *one) for one in self._interrupts(place)),
            switch_blocking_ns=self._switch_blocking_ns(place),
        )

    def response(
        self, task: Task, max_steps: int = MAX_STEPS, enough_ns: int | None = None
    ) -> Response:
        """Bound the response time of a task of this CPU; steps as in `response_time`."""
        place = self.places[task.name]
        before = self._demands_before(place)
        own = self._blocked(place)
        line = self._line(place, place)
        used = line.share + own.wcet_ns / own.period_ns
        # Others of the same priority may ask for more than is left.
        is_light = self.ends[place] == place + 1 and used < 1 - ROUNDING
        timer_ns = self.costs.release_isr_ns
        return follow_window(
            own, before, max_steps, enough_ns, timer_ns, line if is_light else None
        )

    def _line(self, place: int, upto: int) -> Line:
        """Sum up the tasks above a place and what interrupts the task at another one."""
        above, beside = self.lines_above[upto], self.lines_beside[self.ends[place]]
        return Line(
            above.share + beside.share,
            above.wcets_ns + beside.wcets_ns,
            above.late_ns + beside.late_ns,
        )

    def keeps_deadline(self, task: Task, max_steps: int = MAX_STEPS) -> bool:
        """Tell whether the response time of a task is within its deadline, with fewest sums.

        Since ceil(x) < x + 1, the least w = own + sum ceil((w + J) / T) C is at most
        (own + sum C (T + J) / T) / (1 - sum C / T), and any w at which the sum is not above it. A
        response within D <= T ends the busy window.
        """
        place = self.places[task.name]
        end = self.ends[place]
        own = self.tasks[place]
        if own.deadline_ns <= own.period_ns:
            own_ns = own.blocking_ns + self._switch_blocking_ns(place) + own.wcet_ns
            limit_ns = own.deadline_ns - own.jitter_ns
            # Of several of one priority the own one is among them, which is never too few.
            line = self._line(place, place if end == place + 1 else end)
            most_ns = own_ns + line.wcets_ns + line.late_ns
            if most_ns * (1 + ROUNDING) < limit_ns * (1 - line.share - ROUNDING):
                return True
            before = self._demands_before(place)
            needed_ns = own_ns
            for wcet_ns, period_ns, jitter_ns in before:
                needed_ns += -(-(limit_ns + jitter_ns) // period_ns) * wcet_ns
            if 0 < needed_ns <= limit_ns:
                return True
        response_ns = self.response(task, max_steps, own.deadline_ns).response_ns
        return response_ns is not None and response_ns <= own.deadline_ns

    def _demands_before(self, place: int) -> list[Demand]:
        others = (*self.demands[:place], *self.demands[place + 1 : self.ends[place]])
        return [*others, *self._interrupts(place)]

    def _interrupts(self, place: int) -> tuple[Demand, ...]:
        """Return C, T and J of the timers of tasks below and of ticks."""
        n_tasks = len(self.tasks)
        n_timers = n_tasks if self.costs.release_isr_ns else 0
        return self.demands[n_tasks + min(self.ends[place], n_timers) :]

    def _blocked(self, place: int) -> Task:
        loaded = self.tasks[place]
        blocking_ns = loaded.blocking_ns + self._switch_blocking_ns(place)
        return replace(loaded, blocking_ns=blocking_ns)

    def _switch_blocking_ns(self, place: int) -> int:
        """Return a switch that is under way, of a task that does not run before this one.

        It cannot be preempted, and neither half of it takes longer than the whole.
        """
        return self.costs.switch_ns if self.ends[place] < len(self.tasks) else 0

    def break_down(self, task: Task, response: Response) -> Breakdown:
        """Say where the busy window of a response goes."""
        place = self.places[task.name]
        end = self.ends[place]
        interrupts_ns = sum(
            -(-(response.window_ns + jitter_ns) // period_ns) * wcet_ns
            for wcet_ns, period_ns, jitter_ns in self._interrupts(place)
        )
        jobs = contention_ns = work_ns = gamma_ns = waiting_ns = 0
        for at, (parts_ns, (_, period_ns, jitter_ns)) in enumerate(
            zip(self.parts_ns[:end], self.demands[:end], strict=True)
        ):
            count = -(-(response.window_ns + jitter_ns) // period_ns)
            if at == place:
                count = response.jobs
            else:
                work_ns += count * parts_ns[0]
            jobs += count
            contention_ns += count * parts_ns[1]
            gamma_ns += count * parts_ns[2]
            waiting_ns += count * parts_ns[3]
        own = self.plain[place]
        later = max(0, releases(self.tasks[place], response.window_ns) - response.jobs)
        timers_ns = waiting_ns + later * self.costs.release_isr_ns
        return Breakdown(
            wcet_ns=response.jobs * (own.wcet_ns - own.contention_ns),
            interference_ns=work_ns,
            contention_ns=contention_ns,
            delta_ns=jobs * self.costs.switch_ns,
            gamma_ns=gamma_ns,
            migration_ns=0,
            interrupts_ns=timers_ns + interrupts_ns,
            blocking_ns=own.blocking_ns,
            switch_blocking_ns=self._switch_blocking_ns(place),
        )


def load_cpus(tasks: Sequence[Task], costs: PlatformCosts) -> Mapping[int, LoadedCpu]:
    """Add the platform's costs to the tasks of each CPU."""
    here: dict[int, list[Task]] = {}
    for one in tasks:
        here.setdefault(one.cpu, []).append(one)
    return {cpu: load_cpu(of_cpu, costs) for cpu, of_cpu in here.items()}


def load_cpu(tasks: Sequence[Task], costs: PlatformCosts) -> LoadedCpu:
    """Add the platform's costs to the tasks of one CPU."""
    plain = tuple(sorted(tasks, key=lambda one: -one.priority))
    waiting_ns = [costs.waiting_ns] * len(plain)
    # What others wait for does not delay the first one.
    cpu = _load(plain, costs, [0, *waiting_ns][: len(plain)])
    if not costs.waiting_ns or _never_waits(cpu):
        return cpu
    return _load(plain, costs, waiting_ns)


def _load(plain: tuple[Task, ...], costs: PlatformCosts, waiting_ns: Sequence[int]) -> LoadedCpu:
    ends = _ends(plain)
    gamma_ns = _gammas_charged(plain, ends, costs.gamma_ns)
    tasks = tuple(
        _loaded(one, costs, gamma_ns[one.name] + waits_ns)
        for one, waits_ns in zip(plain, waiting_ns, strict=True)
    )
    # A timer that comes late is closer to the next one.
    timers = [
        (costs.release_isr_ns, one.period_ns, one.jitter_ns)
        for one in tasks
        if costs.release_isr_ns
    ]
    ticks = []
    if costs.tick is not None and plain:
        ticks = [(costs.tick.cost_ns, costs.tick.period_ns, costs.tick_lateness_ns)]
    demands = [(one.wcet_ns, one.period_ns, one.jitter_ns) for one in tasks] + timers + ticks
    return LoadedCpu(
        costs=costs,
        plain=plain,
        tasks=tasks,
        places={one.name: place for place, one in enumerate(plain)},
        ends=ends,
        demands=tuple(demands),
        lines_above=_lines(demands[: len(tasks)]),
        lines_beside=_lines_beside(demands[len(tasks) :], len(tasks), len(timers)),
        parts_ns=tuple(
            (one.wcet_ns - one.contention_ns, one.contention_ns, gamma_ns[one.name], ns)
            for one, ns in zip(plain, waiting_ns, strict=True)
        ),
    )


def _lines(demands: Sequence[Demand]) -> tuple[Line, ...]:
    """Sum up the first none, the first, the first two, and so on."""
    return tuple(accumulate(demands, lambda line, one: sum_line((one,), line), initial=NO_LINE))


def _lines_beside(demands: Sequence[Demand], n_tasks: int, n_timers: int) -> tuple[Line, ...]:
    """Sum up ticks and, for each place, the timers from it on."""
    if not n_timers:
        return (sum_line(demands),) * (n_tasks + 1)
    found = _lines(demands[::-1])[::-1]
    return found[: n_tasks + 1]


def _never_waits(cpu: LoadedCpu) -> bool:
    """Tell whether every job of the highest priority may run as soon as it is ready.

    Its own predecessor has ended where each ends within the period if none has to wait.
    """
    first = cpu.plain[0]
    if cpu.ends[0] > 1 or first.deadline_ns > first.period_ns or first.blocking_ns:
        return False
    response_ns = cpu.response(first, enough_ns=first.period_ns).response_ns
    return response_ns is not None and response_ns <= first.period_ns


def _ends(ordered: Sequence[Task]) -> tuple[int, ...]:
    """Return, for each place, where the next lower priority begins."""
    ends = [len(ordered)] * len(ordered)
    for place in range(len(ordered) - 2, -1, -1):
        is_last = ordered[place].priority > ordered[place + 1].priority
        ends[place] = place + 1 if is_last else ends[place + 1]
    return tuple(ends)


def _gammas_charged(
    ordered: Sequence[Task], ends: Sequence[int], gamma_ns: Mapping[str, int]
) -> dict[str, int]:
    """Find the largest gamma among those that each may preempt.

    They are all of lower priority, and the others of equal priority, which is never too few.
    """
    charged: dict[str, int] = {}
    below_ns, end = 0, len(ordered)
    while end > 0:
        start = end - 1
        while start and ends[start - 1] == end:
            start -= 1
        level = [(gamma_ns.get(one.name, 0), one.name) for one in ordered[start:end]]
        level.sort(reverse=True)
        largest_ns, largest = level[0]
        second_ns = level[1][0] if len(level) > 1 else 0
        for _, name in level:
            charged[name] = max(below_ns, second_ns if name == largest else largest_ns)
        below_ns, end = max(below_ns, largest_ns), start
    return charged


def _loaded(task: Task, costs: PlatformCosts, more_ns: int) -> Task:
    """C' = C + 2 delta + gamma, with what a wait adds, J' = J + timer latency."""
    return replace(
        task,
        wcet_ns=task.wcet_ns + costs.switch_ns + more_ns,
        jitter_ns=task.jitter_ns + costs.timer_latency_ns,
    )


def _interrupt(of: Task, cost_ns: int, period_ns: int, jitter_ns: int) -> Task:
    return Task(
        name=f"interrupt of {of.name}",
        wcet_ns=cost_ns,
        period_ns=period_ns,
        deadline_ns=period_ns,
        jitter_ns=jitter_ns,
        cpu=of.cpu,
    )
