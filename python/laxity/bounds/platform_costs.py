# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""From the entries of costs.json to the one figure of each cost that a bound counts with.

Of several entries of one cost - cases, ways to evict, CPUs - the largest counts. What could not be
told from nothing (`not_measurable`) counts with its noise floor or its figure, whichever is larger.
Where a pWCET is asked for each of them needs one: else it is not known which is the largest.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain, permutations
from typing import Any, Generic, TypeAlias, TypeVar

from laxity.bounds.overheads import PlatformCosts, Tick
from laxity.bounds.setup import USUAL, Setup
from laxity.core.cpus import format_cpus
from laxity.core.units import exact_size
from laxity.costs.model import (
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
from laxity.errors import NoVerdict
from laxity.statistics.wcet_model import Pwcet
from laxity.tasksets.task_model import Task

USE_MAX = "max"
USE_PWCET = "pwcet:"
PPM = 1_000_000
# Verdict on a gamma that is the largest of a contention table.
OBSERVED = "observed"
Value = TypeVar("Value")
# Bounds an entry by extreme values; raises NoVerdict with the reason where that cannot be.
PwcetOf: TypeAlias = Callable[[Entry], Pwcet]
_NS = "ns"
# Bounds already: nothing is extrapolated from them.
_BOUNDS: tuple[Kind, ...] = ("modelled", "proven")
_MAY_EXCEED = "each cost may exceed its pWCET each time: what is said holds while none does"
_INSTEAD = "or count costs with --use-costs max"
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
        exceedance: Probability of a pWCET; None: none is asked for.
        pwcet_of: Finds that of an entry, which holds no samples; None: they are out of reach.
    """

    quantile: Decimal | None = None
    margin_ppm: int = 0
    exceedance: Decimal | None = None
    pwcet_of: PwcetOf | None = field(default=None, compare=False, repr=False)

    @property
    def use(self) -> str:
        """As the option writes it: max, p99.9, pwcet:1e-9."""
        if self.exceedance is not None:
            return f"{USE_PWCET}{self.exceedance.normalize():e}"
        if self.quantile is None:
            return USE_MAX
        return f"p{(self.quantile * 100).normalize():f}"

    def value_ns(self, entry: Entry) -> int | None:
        """Return the figure of an entry; None: it has none that counts.

        Raises:
            NoVerdict: There is no pWCET.
        """
        return self._figure(entry) if entry.unit == _NS else None

    def has_figure(self, entry: Entry) -> bool:
        """Whether an entry counts, if with a pWCET that it may lack."""
        if entry.verdict == "no_verdict" or entry.unit != _NS:
            return False
        return self._plain(entry) is not None

    def pwcet(self, entry: Entry) -> Pwcet | None:
        """Return the pWCET of an entry; None: none is asked for, or the entry is a bound itself.

        Raises:
            NoVerdict: There is none.
        """
        if self.exceedance is None or entry.kind in _BOUNDS:
            return None
        if self.pwcet_of is None:
            msg = "no pWCET: there are no samples"
            raise NoVerdict(msg)
        return self.pwcet_of(entry)

    def access_ns(self, entry: Entry) -> int | None:
        """Return the figure of an entry in picoseconds, rounded up.

        Raises:
            NoVerdict: There is no pWCET.
        """
        figure = self._figure(entry)
        return figure if figure is None or entry.unit == _NS else -(-figure // _PS_PER_NS)

    def _figure(self, entry: Entry) -> int | None:
        if entry.verdict == "no_verdict":
            return None
        value = self._plain(entry)
        if value is not None and (pwcet := self.pwcet(entry)) is not None:
            value = pwcet.bound_ns
        if value is not None and entry.verdict == "not_measurable":
            value = max(value, entry.noise_floor or 0)
        return None if value is None else self.with_margin(max(value, 0))

    def _plain(self, entry: Entry) -> int | None:
        return entry.max if self.quantile is None else _quantile(entry, self.quantile)

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
        kind: modelled: extrapolated, if there is a `pwcet`.
        working_set_bytes: Where on the curve it was taken.
        pwcet: None: not asked for, or a bound itself.
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
    pwcet: Pwcet | None = None


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
    "real-time throttling, or from Linux 6.12 on the fair server: what ordinary tasks are given",
)

# A simulated platform has no such interrupts but those that its file states, which nobody measures.
_OF_KERNELS = frozenset({RELEASE_ISR, TICK})
_NEVER_SIMULATED = (
    "interrupts of the kernel's timer, if the platform file has a [timer] (tick)",
    *(one for one in NEVER_ACCOUNTED if "(gamma_code)" in one),
)


def account(model: Costs, tasks: Sequence[Task], choice: Choice, setup: Setup = USUAL) -> Accounted:
    """Choose the figures that a bound of a task set counts with.

    Args:
        model: What was measured.
        tasks: All tasks of the set.
        choice: Which figure of each entry, with which margin.
        setup: Who schedules them.
    """
    switch = _switch(model, choice)
    latency = _optional(model, TIMER_LATENCY, choice)
    wakeup: _Found[int | None] = _Found(None)
    if setup.scheduler.is_global:
        wakeup = _optional(model, IPI_WAKEUP, choice)
    latency_ns = (latency.value or 0) + (wakeup.value or 0)
    # As they count preemptions: global_overheads.py, edf_overheads.py.
    late_ns = latency_ns + (switch.value.both_ns if setup.scheduler.is_global else 0)
    gammas, migrations = _reloads(model, tasks, choice, setup, late_ns)
    block = _block_reload(model, choice, setup)
    isr = _optional(model, RELEASE_ISR, choice)
    tick = _tick(model, choice)
    missing = _joined(
        one.missing for one in (switch, latency, wakeup, gammas, migrations, block, isr, tick)
    )
    used = _joined(
        one.used for one in (switch, gammas, migrations, block, tick, latency, wakeup, isr)
    )
    optional: list[tuple[str, str, _Found[Any]]] = [
        ("timer latency", TIMER_LATENCY, latency),
        ("timers of tasks that may not run yet", RELEASE_ISR, isr),
        ("ticks", TICK, tick),
    ]
    moving: tuple[str, ...] = ()
    if setup.scheduler.is_global:
        optional.append(("waking another CPU", IPI_WAKEUP, wakeup))
        moving = ("what the kernel takes to move a task to another CPU (migration_move)",)
    is_simulated = {entry.kind for entry in model.entries} == {"simulated"}
    absent = [
        f"{what} ({name}): {_MEASURE_SWITCH}"
        for what, name, found in optional
        if found.value is None and not found.missing and not (is_simulated and name in _OF_KERNELS)
    ]
    costs = PlatformCosts(
        switch_ns=switch.value.both_ns,
        preempt_out_ns=switch.value.out_ns,
        gamma_ns=gammas.value,
        migration_ns=migrations.value,
        timer_latency_ns=latency_ns,
        release_isr_ns=isr.value or 0,
        tick=tick.value,
        block_reload_ns=block.value,
    )
    return Accounted(
        costs=None if missing else costs,
        used=used,
        missing=missing,
        not_accounted=(*absent, *moving, *(_NEVER_SIMULATED if is_simulated else NEVER_ACCOUNTED)),
        notes=(
            *_notes(model, setup.cpus or {task.cpu for task in tasks}, used),
            *((_MAY_EXCEED,) if any(one.pwcet is not None for one in used) else ()),
        ),
    )


@dataclass(frozen=True, slots=True)
class _Found(Generic[Value]):
    """What a cost is, the figures that it is from, and what is missing to tell."""

    value: Value
    used: tuple[UsedCost, ...] = ()
    missing: tuple[str, ...] = ()


def _joined(parts: Iterable[tuple[Value, ...]]) -> tuple[Value, ...]:
    return tuple(chain.from_iterable(parts))


def _quantile(entry: Entry, wanted: Decimal) -> int | None:
    return next((ns for q, ns in entry.quantiles.items() if Decimal(q) == wanted), None)


def _used(
    entry: Entry, value_ns: int, of: str | None = None, pwcet: Pwcet | None = None
) -> UsedCost:
    axes = entry.axes
    return UsedCost(
        name=entry.name,
        of=of,
        value_ns=value_ns,
        kind=entry.kind if pwcet is None else "modelled",
        n=entry.n,
        verdict=entry.verdict,
        case=axes.case,
        evict=axes.evict,
        cpu=axes.cpu,
        working_set_bytes=axes.working_set_bytes,
        runs=tuple(entry.runs),
        cpu_to=axes.cpu_to,
        pwcet=pwcet,
    )


def _candidates(model: Costs, name: str, choice: Choice) -> Iterator[UsedCost]:
    for entry in model.entries:
        value_ns = choice.value_ns(entry) if entry.name == name else None
        if value_ns is not None:
            yield _used(entry, value_ns, pwcet=choice.pwcet(entry))


def _optional(model: Costs, name: str, choice: Choice) -> _Found[int | None]:
    """Find a cost that may be left out where it was not measured; it is missing without a pWCET."""
    try:
        found = _largest(model, name, choice)
    except NoVerdict as reason:
        lacking = f"{name}: {reason}; {_MEASURE_SWITCH} anew (--repetitions), {_INSTEAD}"
        return _Found(None, missing=(lacking,))
    return _Found(None) if found is None else _Found(found.value_ns, (found,))


def _largest(model: Costs, name: str, choice: Choice) -> UsedCost | None:
    """Find the largest figure of a cost; raises NoVerdict where one entry has no pWCET."""
    return max(_candidates(model, name, choice), key=lambda one: one.value_ns, default=None)


@dataclass(frozen=True, slots=True)
class _Switch:
    """What a preemption takes; `out_ns` is the half after the job, None: not known apart."""

    both_ns: int
    out_ns: int | None = None


def _switch(model: Costs, choice: Choice) -> _Found[_Switch]:
    """Return preempt_in + preempt_out, or 2 delta, which is the same of single preemptions."""
    delta = _optional(model, DELTA, choice)
    if delta.missing:
        return _Found(_Switch(0), missing=delta.missing)
    into, out = (_optional(model, name, choice) for name in (PREEMPT_IN, PREEMPT_OUT))
    lacking = (*into.missing, *out.missing)
    if into.value is not None and out.value is not None:
        both_ns = into.value + out.value
        # Of quantiles the whole may have the larger one.
        is_larger = delta.value is not None and 2 * delta.value > both_ns
        used = (*(delta.used if is_larger else ()), *into.used, *out.used)
        return _Found(_Switch(max(both_ns, 2 * (delta.value or 0)), out.value), used)
    # A half without a pWCET is at most the whole, which has one.
    if delta.value is not None:
        return _Found(_Switch(2 * delta.value), delta.used)
    if not lacking:
        lacking = (f"{DELTA}: {_why_none(model, DELTA, choice)}; {_MEASURE_SWITCH}",)
    return _Found(_Switch(0), missing=lacking)


def _block_reload(model: Costs, choice: Choice, setup: Setup) -> _Found[int]:
    """Return what one block takes: as the user said, or an access of the dearest kind and size."""
    if setup.sets is None:
        return _Found(0)
    if setup.sets.reload_ns is not None:
        return _Found(setup.sets.reload_ns)
    if choice.exceedance is not None:
        why = f"no {choice.use}: a sample is the mean of many accesses"
        return _Found(0, missing=(f"{MEMORY_LATENCY}: {why}; state --block-reload, {_INSTEAD}",))
    found = [
        _used(entry, value_ns)
        for entry in model.entries
        if entry.name == MEMORY_LATENCY and (value_ns := choice.access_ns(entry)) is not None
    ]
    if not found:
        why = _why_none(model, MEMORY_LATENCY, choice)
        lacking = f"{MEMORY_LATENCY}: {why}; {_MEASURE_LATENCY}, or state --block-reload"
        return _Found(0, missing=(lacking,))
    dearest = max(found, key=lambda one: one.value_ns)
    return _Found(dearest.value_ns, (dearest,))


def _why_none(model: Costs, name: str, choice: Choice) -> str:
    entries = [entry for entry in model.entries if entry.name == name]
    if not entries:
        return "is not among the costs"
    if all(entry.verdict == "no_verdict" for entry in entries):
        return "too few samples for a verdict"
    n = max(entry.n for entry in entries)
    return f"no entry has a {choice.use} (n = {n} at most)"


def _tick(model: Costs, choice: Choice) -> _Found[Tick | None]:
    """Find what a tick takes; its period is the median, since the kernel keeps to a raster."""
    cost = _optional(model, TICK, choice)
    periods = _candidates(model, TICK_PERIOD, Choice(_MEDIAN))
    period = min(periods, key=lambda one: one.value_ns, default=None)
    if cost.value is None or period is None or period.value_ns == 0:
        return _Found(None, missing=cost.missing)
    return _Found(Tick(cost.value, period.value_ns), (*cost.used, period))


@dataclass(frozen=True, slots=True)
class _Sought:
    """A cost that depends on the working set; `pair`: from which CPU to which one."""

    name: str
    measure: str
    pair: tuple[int, int] | None = None

    def is_of(self, entry: Entry) -> bool:
        axes = entry.axes
        return entry.name == self.name and self.pair in {None, (axes.cpu, axes.cpu_to)}

    def what(self, of: str = "") -> str:
        where = "" if self.pair is None else f" from CPU {self.pair[0]} to {self.pair[1]}"
        return f"{self.name}{of}{where}"

    def of(self, task: Task) -> str:
        return self.what(f' of task "{task.name}"')


def _reloads(
    model: Costs, tasks: Sequence[Task], choice: Choice, setup: Setup, late_ns: int
) -> tuple[_Found[Mapping[str, int]], _Found[Mapping[str, int]]]:
    """Find what tasks that may be preempted load again on their CPU, and on another one."""
    if setup.sets is not None:
        return _Found({}), _Found({})
    preempted = [one for one in tasks if _may_be_preempted(one, tasks, setup, late_ns)]
    gammas = _by_task(_Sought(GAMMA, _MEASURE_CRPD), model, preempted, choice)
    return gammas, _migrations(model, preempted, choice, setup)


def _by_task(
    sought: _Sought, model: Costs, tasks: Sequence[Task], choice: Choice
) -> _Found[Mapping[str, int]]:
    """Find a cost of every task that may be preempted."""
    costs = {task.name: _on_curves(sought, model, task, choice) for task in tasks}
    used = {name: one for name, one in costs.items() if isinstance(one, UsedCost)}
    return _Found(
        {name: one.value_ns for name, one in used.items()},
        tuple(used.values()),
        tuple(one for one in costs.values() if isinstance(one, str)),
    )


def _migrations(
    model: Costs, tasks: Sequence[Task], choice: Choice, setup: Setup
) -> _Found[Mapping[str, int]]:
    """Find the largest migration of each task over all ordered pairs of the CPUs it may run on."""
    if not setup.scheduler.is_global:
        return _Found({})
    # That a working set is not stated, gamma says.
    sized = [one for one in tasks if one.working_set_bytes is not None]
    found: list[_Found[Mapping[str, int]]] = []
    for pair in permutations(setup.cpus, 2):
        sought = _Sought(MIGRATION, _MEASURE_MIGRATION, pair)
        if sized and not any(sought.is_of(entry) for entry in model.entries):
            lacking = f"{sought.what()}: is not among the costs; {_MEASURE_MIGRATION}"
            found.append(_Found({}, missing=(lacking,)))
        else:
            found.append(_by_task(sought, model, sized, choice))
    names = dict.fromkeys(name for one in found for name in one.value)
    return _Found(
        {name: max(one.value.get(name, 0) for one in found) for name in names},
        _joined(one.used for one in found),
        _joined(one.missing for one in found),
    )


def _may_be_preempted(task: Task, tasks: Sequence[Task], setup: Setup, late_ns: int) -> bool:
    """Tell whether any task may preempt one, wherever a partition puts both."""
    is_placed = setup.fit is None and not setup.scheduler.is_global
    others = (
        one for one in tasks if one.name != task.name and (one.cpu == task.cpu or not is_placed)
    )
    if setup.scheduler.is_edf:
        # Why the jitter counts: edf_overheads.py.
        return any(task.deadline_ns >= one.deadline_ns - one.jitter_ns - late_ns for one in others)
    return any(one.priority >= task.priority for one in others)


def _on_curves(sought: _Sought, model: Costs, task: Task, choice: Choice) -> UsedCost | str:
    """Take the largest figure of any case up to the least size that holds the working set.

    Returns:
        The figure, or what is missing and what to do.
    """
    try:
        return _largest_on_curves(sought, model, task, choice)
    except NoVerdict as reason:
        return f"{sought.of(task)}: {reason}; {sought.measure} anew (--repetitions), {_INSTEAD}"


def _largest_on_curves(sought: _Sought, model: Costs, task: Task, choice: Choice) -> UsedCost | str:
    if task.gamma_ns is not None and sought.name == GAMMA:
        return _given_gamma(task.name, task.gamma_ns, task.gamma_n)
    size = task.working_set_bytes
    if size is None:
        return f"{sought.of(task)}: no working set is stated; add working_set"
    largest: list[UsedCost] = []
    is_held = False
    for curve in _curves(model, sought):
        known = [entry for entry in curve if choice.has_figure(entry)]
        holding = [_size(entry) for entry in known if _size(entry) >= size]
        is_held |= bool(holding)
        # A curve that ends before it tells of the smaller sizes all the same.
        upto = [
            _used(entry, ns, task.name, choice.pwcet(entry))
            for entry in known
            if not holding or _size(entry) <= min(holding)
            if (ns := choice.value_ns(entry)) is not None
        ]
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
        return f"{sought.of(task)}: {why}; {sought.measure} anew, with more --repetitions"
    return f"{sought.of(task)}: {why}; {sought.measure}"


def _given_gamma(task: str, value_ns: int, n: int) -> UsedCost:
    """Take what a task states, or its contention table, of `n` simulated preemptions."""
    return UsedCost(
        name=GAMMA,
        of=task,
        value_ns=value_ns,
        kind="simulated" if n else "modelled",
        n=n,
        verdict=OBSERVED if n else "stated",
        case="largest of the contention table" if n else "stated by the task set",
        evict=None,
        cpu=None,
        working_set_bytes=None,
        runs=(),
    )


def migration_cost(
    model: Costs, pair: tuple[int, int], size_bytes: int, of: str, choice: Choice
) -> UsedCost | str:
    """Tell what a migration of so much costs from one CPU to another.

    Args:
        model: What was measured.
        pair: CPUs from and to.
        size_bytes: What moves.
        of: Whose it is, for messages.
        choice: Which figure counts.

    Returns:
        The figure, or what is missing and what to do: nothing is read beyond what was measured.
    """
    task = Task(name=of, wcet_ns=1, period_ns=1, deadline_ns=1, working_set_bytes=size_bytes)
    return _on_curves(_Sought(MIGRATION, _MEASURE_MIGRATION, pair), model, task, choice)


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
        if not found or None in found:
            continue
        others = set(cpus) - measured_on
        if others:
            where = f"not on CPU {format_cpus(others)}"
            yield f"{name} was measured on CPU {format_cpus(measured_on)}, {where}"
