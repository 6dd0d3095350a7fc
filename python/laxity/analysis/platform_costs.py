# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""From the entries of costs.json to the one figure of each cost that a bound counts with.

Of several entries of one cost - cases, ways to evict, CPUs - the largest counts. What could not be
told from nothing (`not_measurable`) counts with its noise floor or its figure, whichever is larger.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import permutations

from laxity.analysis.bound_setup import Setup
from laxity.analysis.overheads import PlatformCosts, Tick
from laxity.analysis.task_model import Task
from laxity.model.costs import (
    DELTA,
    GAMMA,
    IPI_WAKEUP,
    MEMORY_LATENCY,
    MIGRATION,
    PREEMPT_IN,
    PREEMPT_OUT,
    RELEASE_ISR,
    TICK,
    TICK_PERIOD,
    TIMER_LATENCY,
    Costs,
    Entry,
    Kind,
)
from laxity.model.cpus import format_cpus
from laxity.model.units import exact_size

USE_MAX = "max"
USE_PWCET = "pwcet:"
PPM = 1_000_000
_NS = "ns"
_PS_PER_NS = 1000
_MEDIAN = Decimal("0.5")
_MEASURE_SWITCH = "run laxity measure switch"
_MEASURE_CRPD = "run laxity measure crpd"
_MEASURE_MIGRATION = "run laxity measure migration"
_MEASURE_LATENCY = "run laxity measure memory-latency"


@dataclass(frozen=True, slots=True)
class Choice:
    """Which figure of an entry counts.

    Attributes:
        quantile: None: the largest sample.
        margin_ppm: Added to it, parts per million.
        exceedance: Probability of a pWCET; None: none is asked for. It is one of execution times:
            entries of costs.json hold no samples, so of them the largest counts.
    """

    quantile: Decimal | None = None
    margin_ppm: int = 0
    exceedance: Decimal | None = None

    @property
    def use(self) -> str:
        """As the option writes it: max, p99.9, pwcet:1e-9."""
        if self.exceedance is not None:
            return f"{USE_PWCET}{self.exceedance.normalize():e}"
        if self.quantile is None:
            return USE_MAX
        return f"p{(self.quantile * 100).normalize():f}"

    def value_ns(self, entry: Entry) -> int | None:
        """Give the figure of an entry; None: it has none that counts."""
        return self._figure(entry) if entry.unit == _NS else None

    def access_ns(self, entry: Entry) -> int | None:
        """Give that of an entry in picoseconds, rounded up."""
        figure = self._figure(entry)
        return figure if figure is None or entry.unit == _NS else -(-figure // _PS_PER_NS)

    def _figure(self, entry: Entry) -> int | None:
        if entry.verdict == "no_verdict":
            return None
        value = entry.max if self.quantile is None else _quantile(entry, self.quantile)
        if value is not None and entry.verdict == "not_measurable":
            value = max(value, entry.noise_floor or 0)
        return None if value is None else self.with_margin(max(value, 0))

    def with_margin(self, value_ns: int) -> int:
        """Add the margin, rounded up."""
        return -(-value_ns * (PPM + self.margin_ppm) // PPM)


@dataclass(frozen=True, slots=True)
class UsedCost:
    """A figure that a bound counts with, and where it is from.

    Attributes:
        name: Of the entry.
        of: Whose it is, for gamma the task that is preempted; None: of all.
        value_ns: With the margin.
        n: Samples behind it.
        working_set_bytes: Where on the curve it was taken.
    """

    name: str
    of: str | None
    value_ns: int
    kind: Kind
    n: int
    verdict: str
    case: str | None
    evict: str | None
    cpu: int | None
    working_set_bytes: int | None
    runs: tuple[str, ...]
    cpu_to: int | None = None


@dataclass(frozen=True, slots=True)
class Accounted:
    """What of a cost model a bound counts with.

    Attributes:
        costs: None: something is missing without which nothing is proven.
        used: Each figure.
        missing: What is missing, and what to do.
        not_accounted: Costs that are left out of the bound.
        notes: What makes a figure weaker than it looks.
    """

    costs: PlatformCosts | None
    used: tuple[UsedCost, ...]
    missing: tuple[str, ...]
    not_accounted: tuple[str, ...]
    notes: tuple[str, ...]


# What no entry of costs.json bounds.
NEVER_ACCOUNTED = (
    "interrupts of devices (irq)",
    "caches that interrupts and ticks empty",
    "instructions that are loaded again after a preemption (gamma_code)",
    "real-time throttling: tasks that use more of a CPU than sched_rt_runtime_us grants",
)


def account(
    model: Costs, tasks: Sequence[Task], choice: Choice, setup: Setup | None = None
) -> Accounted:
    """Choose the figures that a bound of a task set counts with.

    Args:
        model: What was measured.
        tasks: All tasks of the set.
        choice: Which figure of each entry, with which margin.
        setup: Who schedules them; left out: fixed priorities, each task on its CPU.
    """
    setup = setup or Setup()
    missing: list[str] = []
    used: list[UsedCost] = []
    switch_ns = _switch(model, choice, used, missing)
    latency = _largest(model, TIMER_LATENCY, choice)
    latency_ns = 0 if latency is None else latency.value_ns
    wakeup = _largest(model, IPI_WAKEUP, choice) if setup.scheduler.is_global else None
    latency_ns += 0 if wakeup is None else wakeup.value_ns
    gamma_ns: Mapping[str, int] = {}
    migration_ns: Mapping[str, int] = {}
    if setup.sets is None:
        preempted = [one for one in tasks if _may_be_preempted(one, tasks, setup, latency_ns)]
        gamma_ns = _by_task(_GAMMAS, model, preempted, choice, used, missing)
        migration_ns = _migrations(model, preempted, choice, setup, used, missing)
    reload_ns = _block_reload(model, choice, setup, used, missing)
    isr = _largest(model, RELEASE_ISR, choice)
    tick = _tick(model, choice, used)
    used += [one for one in (latency, wakeup, isr) if one is not None]
    optional = {
        "release latency (timer_latency)": latency,
        "timers of lower tasks (release_isr)": isr,
        "ticks (tick)": tick,
    }
    moving: tuple[str, ...] = ()
    if setup.scheduler.is_global:
        optional["waking another CPU (ipi_wakeup)"] = wakeup
        moving = ("what the kernel takes to move a task to another CPU (migration_move)",)
    absent = [f"{name}: {_MEASURE_SWITCH}" for name, one in optional.items() if one is None]
    costs = PlatformCosts(
        switch_ns=switch_ns,
        gamma_ns=gamma_ns,
        migration_ns=migration_ns,
        release_latency_ns=latency_ns,
        release_isr_ns=0 if isr is None else isr.value_ns,
        tick=tick,
        block_reload_ns=reload_ns,
    )
    return Accounted(
        costs=None if missing else costs,
        used=tuple(used),
        missing=tuple(missing),
        not_accounted=(*absent, *moving, *NEVER_ACCOUNTED),
        notes=tuple(_notes(model, setup.cpus or {task.cpu for task in tasks}, used)),
    )


def _quantile(entry: Entry, wanted: Decimal) -> int | None:
    return next((ns for q, ns in entry.quantiles.items() if Decimal(q) == wanted), None)


def _used(entry: Entry, value_ns: int, of: str | None = None) -> UsedCost:
    axes = entry.axes
    return UsedCost(
        name=entry.name,
        of=of,
        value_ns=value_ns,
        kind=entry.kind,
        n=entry.n,
        verdict=entry.verdict,
        case=axes.case,
        evict=axes.evict,
        cpu=axes.cpu,
        working_set_bytes=axes.working_set_bytes,
        runs=tuple(entry.runs),
        cpu_to=axes.cpu_to,
    )


def _candidates(model: Costs, name: str, choice: Choice) -> Iterator[UsedCost]:
    for entry in model.entries:
        value_ns = choice.value_ns(entry) if entry.name == name else None
        if value_ns is not None:
            yield _used(entry, value_ns)


def _largest(model: Costs, name: str, choice: Choice) -> UsedCost | None:
    return max(_candidates(model, name, choice), key=lambda one: one.value_ns, default=None)


def _switch(model: Costs, choice: Choice, used: list[UsedCost], missing: list[str]) -> int:
    """Give 2 delta, or preempt_in + preempt_out, which is the same taken apart."""
    delta = _largest(model, DELTA, choice)
    if delta is not None:
        used.append(delta)
        return 2 * delta.value_ns
    halves = [_largest(model, name, choice) for name in (PREEMPT_IN, PREEMPT_OUT)]
    found = [one for one in halves if one is not None]
    if len(found) == len(halves):
        used += found
        return sum(one.value_ns for one in found)
    missing.append(f"{DELTA}: {_why_none(model, DELTA, choice)}; {_MEASURE_SWITCH}")
    return 0


def _block_reload(
    model: Costs, choice: Choice, setup: Setup, used: list[UsedCost], missing: list[str]
) -> int:
    """Give what one block takes: as the user said, or an access of the dearest kind and size."""
    if setup.sets is None:
        return 0
    if setup.sets.reload_ns is not None:
        return setup.sets.reload_ns
    found = [
        _used(entry, value_ns)
        for entry in model.entries
        if entry.name == MEMORY_LATENCY and (value_ns := choice.access_ns(entry)) is not None
    ]
    if not found:
        why = _why_none(model, MEMORY_LATENCY, choice)
        missing.append(f"{MEMORY_LATENCY}: {why}; {_MEASURE_LATENCY}, or state --block-reload")
        return 0
    dearest = max(found, key=lambda one: one.value_ns)
    used.append(dearest)
    return dearest.value_ns


def _why_none(model: Costs, name: str, choice: Choice) -> str:
    entries = [entry for entry in model.entries if entry.name == name]
    if not entries:
        return "is not among the costs"
    if all(entry.verdict == "no_verdict" for entry in entries):
        return "too few samples for a verdict"
    n = max(entry.n for entry in entries)
    return f"no entry has a {choice.use} (n = {n} at most)"


def _tick(model: Costs, choice: Choice, used: list[UsedCost]) -> Tick | None:
    """Find what a tick takes; its period is the median, since the kernel keeps to a raster."""
    cost = _largest(model, TICK, choice)
    periods = _candidates(model, TICK_PERIOD, Choice(_MEDIAN))
    period = min(periods, key=lambda one: one.value_ns, default=None)
    if cost is None or period is None or period.value_ns == 0:
        return None
    used += [cost, period]
    return Tick(cost.value_ns, period.value_ns)


@dataclass(frozen=True, slots=True)
class _Sought:
    """A cost that depends on the working set; `pair`: from which CPU to which one."""

    name: str
    measure: str
    pair: tuple[int, int] | None = None

    def is_of(self, entry: Entry) -> bool:
        axes = entry.axes
        return entry.name == self.name and self.pair in {None, (axes.cpu, axes.cpu_to)}

    def of(self, task: Task) -> str:
        where = "" if self.pair is None else f" from CPU {self.pair[0]} to {self.pair[1]}"
        return f'{self.name} of task "{task.name}"{where}'


_GAMMAS = _Sought(GAMMA, _MEASURE_CRPD)


def _by_task(
    sought: _Sought,
    model: Costs,
    tasks: Sequence[Task],
    choice: Choice,
    used: list[UsedCost],
    missing: list[str],
) -> Mapping[str, int]:
    """Find a cost of every task that may be preempted."""
    found: dict[str, int] = {}
    for task in tasks:
        cost = _on_curves(sought, model, task, choice)
        if isinstance(cost, str):
            missing.append(cost)
            continue
        used.append(cost)
        found[task.name] = cost.value_ns
    return found


def _migrations(
    model: Costs,
    tasks: Sequence[Task],
    choice: Choice,
    setup: Setup,
    used: list[UsedCost],
    missing: list[str],
) -> Mapping[str, int]:
    """Find the largest migration of each task over all ordered pairs of the CPUs it may run on."""
    if not setup.scheduler.is_global:
        return {}
    # That a working set is not stated, gamma says.
    sized = [one for one in tasks if one.working_set_bytes is not None]
    largest: dict[str, int] = {}
    for pair in permutations(setup.cpus, 2):
        sought = _Sought(MIGRATION, _MEASURE_MIGRATION, pair)
        of_pair: list[UsedCost] = []
        found = _by_task(sought, model, sized, choice, of_pair, missing)
        used += of_pair
        for name, value_ns in found.items():
            largest[name] = max(value_ns, largest.get(name, 0))
    return largest


def _may_be_preempted(task: Task, tasks: Sequence[Task], setup: Setup, latency_ns: int) -> bool:
    """Tell whether any task may preempt one, wherever a partition puts both."""
    is_placed = setup.fit is None and not setup.scheduler.is_global
    others = [
        one for one in tasks if one.name != task.name and (one.cpu == task.cpu or not is_placed)
    ]
    if setup.scheduler.is_edf:
        # Why the jitter counts: edf_overheads.py.
        return any(
            task.deadline_ns >= one.deadline_ns - one.jitter_ns - latency_ns for one in others
        )
    return any(one.priority >= task.priority for one in others)


def _on_curves(sought: _Sought, model: Costs, task: Task, choice: Choice) -> UsedCost | str:
    """Take the largest figure of any case up to the least size that holds the working set."""
    size = task.working_set_bytes
    if size is None:
        return f"{sought.of(task)}: no working set is stated; add working_set"
    largest: list[UsedCost] = []
    is_held = False
    for curve in _curves(model, sought):
        figures = [(_size(entry), choice.value_ns(entry), entry) for entry in curve]
        known = [(at, _used(entry, ns, task.name)) for at, ns, entry in figures if ns is not None]
        holding = [at for at, _ in known if at >= size]
        is_held |= bool(holding)
        # A curve that ends before it tells of the smaller sizes all the same.
        upto = [one for at, one in known if not holding or at <= min(holding)]
        largest += [max(upto, key=lambda one: one.value_ns)] if upto else []
    modelled = _on_models(model, sought, task, choice)
    largest += modelled
    if is_held or modelled:
        return max(largest, key=lambda one: one.value_ns)
    sizes = [_size(entry) for curve in _curves(model, sought) for entry in curve]
    if sizes and max(sizes) < size:
        return (
            f"{sought.of(task)}: working set {exact_size(size)}, measured up to "
            f"{exact_size(max(sizes))}; {sought.measure} --max-size {exact_size(size)}"
        )
    why = "is not among the costs"
    if any(sought.is_of(entry) for entry in model.entries):
        why = _why_none(model, sought.name, choice)
    return f"{sought.of(task)}: {why}; {sought.measure}"


def _curves(model: Costs, sought: _Sought) -> Iterable[list[Entry]]:
    """Group what was measured at single sizes by case, way to evict and CPU."""
    curves: dict[tuple[str | None, str | None, int | None], list[Entry]] = {}
    for entry in model.entries:
        axes = entry.axes
        if sought.is_of(entry) and axes.working_set_bytes is not None:
            curves.setdefault((axes.case, axes.evict, axes.cpu), []).append(entry)
    return curves.values()


def _size(entry: Entry) -> int:
    return entry.axes.working_set_bytes or 0


def _on_models(model: Costs, sought: _Sought, task: Task, choice: Choice) -> list[UsedCost]:
    """Read curves that were not measured: of a measured one `points` lie above 90 % only."""
    found = []
    for entry in model.entries:
        is_curve = sought.is_of(entry) and entry.axes.working_set_bytes is None
        if not is_curve or entry.kind in {"measured", "simulated"} or entry.unit != _NS:
            continue
        value_ns = interpolate_up(entry.points, task.working_set_bytes or 0)
        if value_ns is not None:
            found.append(_used(entry, choice.with_margin(value_ns), task.name))
    return found


def interpolate_up(points: Sequence[tuple[int, int]], x: int) -> int | None:
    """Read a curve that is linear between its points, rounded up; None: x is beyond its end."""
    before: tuple[int, int] | None = None
    for at, value in points:
        if at >= x:
            if before is None or at == x:
                return value
            rise = (value - before[1]) * (x - before[0])
            return before[1] - (-rise // (at - before[0]))
        before = (at, value)
    return None


def _notes(model: Costs, cpus: Collection[int], used: Sequence[UsedCost]) -> Iterator[str]:
    """Tell where a figure was not measured on the CPU that it is used for."""
    for name in dict.fromkeys(one.name for one in used):
        found = [entry.axes.cpu for entry in model.entries if entry.name == name]
        measured_on = {cpu for cpu in found if cpu is not None}
        if None in found:
            continue
        others = set(cpus) - measured_on
        if others:
            where = f"not on CPU {format_cpus(others)}"
            yield f"{name} was measured on CPU {format_cpus(measured_on)}, {where}"
