# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What switches, wake-ups and interrupts take from tasks, from the rows of switch.npy.

Three quantities that are never mixed: preempt_in (last stamp of the victim to first one of the
preemptor) and preempt_out (its last one to the first one of the victim), from user space;
switch_sync, half a round of handing over by a futex; switch_kernel, the kernel's own part.
delta = (preempt_in + preempt_out) / 2.

Source: Sebek, "The real cost of task pre-emptions", sec. 1.3 and 3.4; design.md section 6.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from laxity.costs import model
from laxity.costs.model import Axes, Entry, Verdict
from laxity.costs.switch.rows import (
    BEST,
    CASES,
    CONTROL,
    IRQ,
    KERNEL,
    PREEMPTION,
    RELEASE,
    SPIN,
    SYNC,
    TIMER,
    WAKEUP,
    IntArray,
    Rows,
    between,
    check_rows,
    column,
    enclosed,
    interrupts,
    rows_of,
)
from laxity.costs.switch.tick import Gaps, Tick, find_tick
from laxity.statistics import distribution
from laxity.statistics.distribution import Distribution

NO_INTERRUPT = "none"
QUANTILES = (0.5, 0.9, 0.99, 0.999)
# What the probe takes for a gap: native/probes/switch_stamps.c.
_LEAST_GAP_NS, _LEAST_GAP_PERIODS = 400, 4


@dataclass(frozen=True, slots=True)
class SwitchPlace:
    """Which cost it is and where it was found; axes that a cost does not have are None."""

    name: str
    cpu: int
    case: str | None = None
    cpu_to: int | None = None

    @property
    def order(self) -> tuple[int, int, int, str]:
        """In the order in which tables show them."""
        number = model.SWITCH_NAMES.index(self.name)
        return number, self.cpu, -1 if self.cpu_to is None else self.cpu_to, self.case or ""


@dataclass(frozen=True, slots=True)
class Cost:
    """Samples of one cost at one place.

    Attributes:
        place: Which, and where.
        samples_ns: In the order of the rows, at least one.
        noise_floor_ns: Below this a median says nothing; None: too few observations to tell.
        n_left_out: Observations without a sample: what was asked for is in no gap of the victim.
        runs: Names of the runs.
    """

    place: SwitchPlace
    samples_ns: IntArray
    noise_floor_ns: int | None
    n_left_out: int
    runs: tuple[str, ...]

    @property
    def n(self) -> int:
        """Number of samples."""
        return int(self.samples_ns.size)

    @property
    def samples(self) -> Distribution:
        """The samples as a distribution."""
        return distribution.from_samples(self.samples_ns)

    @property
    def median_ns(self) -> int:
        """Median, nearest rank."""
        return self.samples.quantile_ns(0.5)

    @property
    def verdict(self) -> Verdict:
        """Whether the median stands out of the noise."""
        if self.noise_floor_ns is None:
            return "no_verdict"
        return "ok" if self.median_ns > self.noise_floor_ns else "not_measurable"


def costs(rows: Rows, run: str) -> tuple[Cost, ...]:
    """Compute every cost that rows support.

    Args:
        rows: switch.npy, any order.
        run: Name of the run.

    Returns:
        In the order of tables; a cost without a single sample is left out.

    Raises:
        RecordError: A row holds what no probe writes.
    """
    check_rows(rows)
    found: list[Cost] = []
    for cpu in sorted(set(column(rows, "cpu").tolist())):
        part = rows[column(rows, "cpu") == cpu]
        found += _preemptions(part, cpu, run)
        found += _kernels(part, cpu, run)
        found += _syncs(part, cpu, run)
        found += _timers(part, cpu, run)
        found += _releases(part, cpu, run)
        found += _ticks(part, cpu, run)
        found += _wakeups(part, cpu, run)
        found += _irqs(part, cpu, run)
    # Two measured CPUs both wake each other.
    return pool(one for one in found if one.n)


@dataclass(frozen=True, slots=True)
class KernelCheck:
    """The kernel's part of a preemption can be no more than what its tasks see: medians."""

    cpu: int
    case: str
    both_switches_ns: int
    preemption_ns: int

    @property
    def holds(self) -> bool:
        """Whether 2 switch_kernel <= preempt_in + preempt_out."""
        return self.both_switches_ns <= self.preemption_ns


def check_kernel(measured: Sequence[Cost]) -> tuple[KernelCheck, ...]:
    """Compare switch_kernel with what tasks see, wherever all three are measured."""
    medians = {(one.place.name, one.place.cpu, one.place.case): one.median_ns for one in measured}
    checks = []
    for (name, cpu, case), kernel_ns in medians.items():
        entering = medians.get((model.PREEMPT_IN, cpu, case))
        leaving = medians.get((model.PREEMPT_OUT, cpu, case))
        if name == model.SWITCH_KERNEL and case and entering is not None and leaving is not None:
            checks.append(KernelCheck(cpu, case, 2 * kernel_ns, entering + leaving))
    return tuple(checks)


def pool(measured: Iterable[Cost]) -> tuple[Cost, ...]:
    """Join what several runs found at the same places: all samples, the largest noise floor."""
    groups: dict[SwitchPlace, list[Cost]] = {}
    for one in measured:
        groups.setdefault(one.place, []).append(one)
    return tuple(
        _pool_place(place, groups[place]) for place in sorted(groups, key=lambda place: place.order)
    )


def _pool_place(place: SwitchPlace, parts: Sequence[Cost]) -> Cost:
    floors = [one.noise_floor_ns for one in parts if one.noise_floor_ns is not None]
    return Cost(
        place=place,
        samples_ns=np.concatenate([one.samples_ns for one in parts]),
        noise_floor_ns=max(floors, default=None),
        n_left_out=sum(one.n_left_out for one in parts),
        runs=tuple(dict.fromkeys(name for one in parts for name in one.runs)),
    )


def entries(measured: Sequence[Cost]) -> list[Entry]:
    """Write costs as entries of a cost model."""
    return [_entry(one) for one in measured]


def entry_samples(measured: Sequence[Cost]) -> list[tuple[Entry, IntArray]]:
    """Return each entry with its samples, in the order of the rows."""
    return [(_entry(one), one.samples_ns) for one in measured]


def _entry(one: Cost) -> Entry:
    return Entry(
        name=one.place.name,
        kind="measured",
        n=one.n,
        quantiles={
            str(q): one.samples.quantile_ns(q)
            for q in QUANTILES
            if distribution.supports_quantile(one.n, q)
        },
        max=one.samples.max_ns,
        noise_floor=one.noise_floor_ns,
        verdict=one.verdict,
        runs=list(one.runs),
        axes=Axes(cpu=one.place.cpu, cpu_to=one.place.cpu_to, case=one.place.case),
    )


def _preemptions(rows: Rows, cpu: int, run: str) -> list[Cost]:
    found: list[Cost] = []
    for case, name in enumerate(CASES):
        asked = rows_of(rows, PREEMPTION, case=case)
        seen = enclosed(asked)
        entering = between(seen, "victim_last_ns", "preemptor_first_ns")
        leaving = between(seen, "preemptor_last_ns", "victim_first_ns")
        # Rounded up: half a nanosecond does not vanish.
        delta = (entering + leaving + 1) // 2
        found += [
            _cost(
                SwitchPlace(cost, cpu, name),
                samples,
                _period_ns(asked),
                run,
                len(asked) - len(seen),
            )
            for cost, samples in (
                (model.PREEMPT_IN, entering),
                (model.PREEMPT_OUT, leaving),
                (model.DELTA, delta),
            )
        ]
    return found


def _kernels(rows: Rows, cpu: int, run: str) -> list[Cost]:
    """Off to on as the kernel records it, both switches of a preemption, less the recording."""
    found = []
    for case, name in enumerate(CASES):
        asked = rows_of(rows, KERNEL, case=case)
        seen = enclosed(asked)
        recording = _both_ways(enclosed(rows_of(rows, KERNEL, case=case, role=CONTROL)))
        width = _half_width_ns(recording)
        if width is None:
            continue
        own = distribution.from_samples(recording).quantile_ns(0.5)
        left_out = 2 * (len(asked) - len(seen))
        found += [
            _cost(
                SwitchPlace(model.SWITCH_KERNEL, cpu, name),
                _both_ways(seen) - own,
                width,
                run,
                left_out,
            ),
            _cost(SwitchPlace(model.SWITCH_RECORDING, cpu, name), recording, 1, run),
        ]
    return found


def _both_ways(rows: Rows) -> IntArray:
    """Return both halves of each preemption as samples, in the order of the rows."""
    entering = between(rows, "victim_last_ns", "preemptor_first_ns")
    leaving = between(rows, "preemptor_last_ns", "victim_first_ns")
    return np.stack([entering, leaving], axis=1).ravel()


def _syncs(rows: Rows, cpu: int, run: str) -> list[Cost]:
    found = []
    for case, name in enumerate(CASES):
        part = rows_of(rows, SYNC, case=case)
        there = between(part, "victim_last_ns", "preemptor_first_ns")
        back = between(part, "preemptor_last_ns", "victim_first_ns")
        half = (there + back + 1) // 2
        found.append(_cost(SwitchPlace(model.SWITCH_SYNC, cpu, name), half, _period_ns(part), run))
    return found


def _timers(rows: Rows, cpu: int, run: str) -> list[Cost]:
    """Expiry to first stamp: of the partner on an idle CPU, and of one that preempts."""
    found = []
    for case, part in (
        ("idle", rows_of(rows, TIMER)),
        ("busy", rows_of(rows, PREEMPTION, case=BEST)),
    ):
        late = between(part, "time_ns", "preemptor_first_ns")
        found.append(
            _cost(SwitchPlace(model.TIMER_LATENCY, cpu, case), late, _period_ns(part), run)
        )
    return found


def _releases(rows: Rows, cpu: int, run: str) -> list[Cost]:
    """What the victim loses around an expiry for a task below it, less what it loses anyway.

    Lost are gaps that end after the expiry, whenever they began: a hypervisor may let a timer fire
    early and wait for the exact instant (by 0.9 us on one).
    """
    found = []
    for case, name in enumerate(CASES):
        asked = rows_of(rows, RELEASE, case=case)
        released = _seen(asked)
        control = _seen(rows_of(rows, RELEASE, case=case, role=CONTROL))
        if not len(released) or not len(control):
            continue
        otherwise = np.sort(column(control, "lost_ns"))
        lost = column(released, "lost_ns") - distribution.from_samples(otherwise).quantile_ns(0.5)
        width = _half_width_ns(otherwise)
        floor = None if width is None else (_period_ns(released) or 1) + width
        place = SwitchPlace(model.RELEASE_ISR, cpu, name)
        found.append(_cost(place, lost, floor, run, len(asked) - len(released)))
    return found


def _seen(rows: Rows) -> Rows:
    """Leave out releases whose victim came too late to see them."""
    return rows[~np.ma.getmaskarray(rows["lost_ns"])]


def _irqs(rows: Rows, cpu: int, run: str) -> list[Cost]:
    """Gaps by the interrupt that they belong to; NO_INTERRUPT: this CPU counted none meanwhile."""
    part = rows_of(rows, IRQ)
    lengths = between(part, "victim_last_ns", "victim_first_ns")
    labels = np.ma.getdata(part["interrupt"])
    return [
        _cost(
            SwitchPlace(model.IRQ, cpu, label.decode("ascii") or NO_INTERRUPT),
            lengths[labels == label],
            _least_gap_ns(part),
            run,
        )
        for label in interrupts(part)
    ]


def _least_gap_ns(rows: Rows) -> int:
    """Return the shortest distance of stamps that the probe takes for a gap."""
    return max(_LEAST_GAP_NS, _LEAST_GAP_PERIODS * (_period_ns(rows) or 1))


def _ticks(rows: Rows, cpu: int, run: str) -> list[Cost]:
    tick = tick_of(rows, cpu)
    if tick is None:
        return []
    period_ns = _period_ns(rows) or 1
    least_ns = _least_gap_ns(rows)
    missed = tick.n_expected - int(tick.lengths_ns.size)
    return [
        _cost(SwitchPlace(model.TICK, cpu), tick.lengths_ns, least_ns, run, missed),
        _cost(SwitchPlace(model.TICK_PERIOD, cpu), tick.periods_ns, period_ns, run),
    ]


def tick_of(rows: Rows, cpu: int) -> Tick | None:
    """Find the tick of a CPU in switch.npy; None: nothing was looked for, or none was found."""
    part = rows[column(rows, "cpu") == cpu]
    gaps, windows = rows_of(part, SPIN), rows_of(part, SPIN, role=CONTROL)
    starts = column(gaps, "victim_last_ns")
    order = np.argsort(starts)
    return find_tick(
        Gaps(
            starts_ns=starts[order],
            lengths_ns=between(gaps, "victim_last_ns", "victim_first_ns")[order],
            windows=list(
                zip(
                    column(windows, "victim_last_ns").tolist(),
                    column(windows, "victim_first_ns").tolist(),
                    strict=True,
                )
            ),
        )
    )


def _wakeups(rows: Rows, cpu: int, run: str) -> list[Cost]:
    """Both ways: the victim wakes the partner, which wakes the victim."""
    found = []
    observed = rows_of(rows, WAKEUP)
    for other in sorted(set(column(observed, "cpu_to").tolist())):
        part = observed[column(observed, "cpu_to") == other]
        control = rows_of(rows, WAKEUP, role=CONTROL)
        apart = _clocks_apart_ns(control[column(control, "cpu_to") == other])
        there = between(part, "victim_last_ns", "preemptor_first_ns")
        back = between(part, "preemptor_last_ns", "victim_first_ns")
        found += [
            _cost(SwitchPlace(model.IPI_WAKEUP, cpu, cpu_to=other), there, apart, run),
            _cost(SwitchPlace(model.IPI_WAKEUP, other, cpu_to=cpu), back, apart, run),
        ]
    return found


def _clocks_apart_ns(control: Rows) -> int | None:
    """Bound how far the clocks of two CPUs are apart; None: not compared.

    A turn there takes t + d, one back t' - d, with t, t' > 0 and d the other clock's lead. So d is
    below the shortest turn there and above minus the shortest one back.
    """
    if not len(control):
        return None
    there = between(control, "victim_last_ns", "preemptor_first_ns")
    back = between(control, "preemptor_last_ns", "victim_first_ns")
    return max(abs(int(there.min())), abs(int(back.min())), 1)


def _cost(
    place: SwitchPlace, samples_ns: IntArray, least_ns: int | None, run: str, n_left_out: int = 0
) -> Cost:
    """Make a cost whose noise floor is what cannot be resolved, or the median's own uncertainty."""
    width = _half_width_ns(samples_ns)
    floor = None if least_ns is None or width is None else max(1, least_ns, width)
    return Cost(place, samples_ns, floor, n_left_out, (run,))


def _half_width_ns(samples_ns: IntArray) -> int | None:
    """Return half the 95 % interval of the median, rounded up; None: too few samples."""
    if not samples_ns.size:
        return None
    interval = distribution.quantile_interval(distribution.from_samples(samples_ns), 0.5)
    return None if interval is None else -(-(interval.upper_ns - interval.lower_ns) // 2)


def _period_ns(rows: Rows) -> int | None:
    return int(column(rows, "period_ns").max()) if len(rows) else None
