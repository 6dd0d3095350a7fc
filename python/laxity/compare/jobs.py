# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""One quantity of one task in two runs: shifts of quantiles, drift within each run, rank test."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from laxity.compare.comparison import (
    NO_VERDICT,
    NOT_JUDGED,
    Figure,
    FloorPart,
    Kind,
    Point,
    between_runs,
    judge,
    judge_exact,
    largest,
)
from laxity.compare.fail_on import MAX, QUANTILES
from laxity.statistics.dependence import IntArray, dependence_at
from laxity.statistics.distribution import (
    Distribution,
    quantile_rank,
    samples_needed,
    supports_quantile,
)
from laxity.statistics.quantile_shift import Estimate, estimate_quantile, shift_between
from laxity.statistics.rank_test import compare_ranks

# More samples of a side make the rank test no surer, only slower.
_MOST_RANKED = 2000
_MEDIAN = 0.5
# Parts of a run whose levels show what drift does.
_MOST_PARTS, _FEWEST_PARTS = 8, 2
# As few all lie on the same side of the run's level by chance in 2 of 2^6 runs, which are 3 %.
_FEWEST_COMPARED = 6
_NO_ORDER = "not every job was kept, so how alike neighbours are is not known"
_NO_VALUE = "not every job was kept, so the figure is known to a bucket of the histogram only"


@dataclass(frozen=True, slots=True)
class Samples:
    """One quantity of one task in one run, nanoseconds; finished jobs only.

    Attributes:
        side: How the run is called: `BASE`, `NEW`.
        distribution: Of all jobs, at least one.
        values_ns: In order of time; None where not every job was kept.
        resolution_ns: Of the clock; 0 where it is not known.
        calibration_ns: Calibrated cost that was subtracted; 0 where nothing was.
        doubt: Why none of it supports a verdict; None: nothing is known against it.
        kind: Of all samples.
    """

    side: str
    distribution: Distribution
    values_ns: IntArray | None
    resolution_ns: int = 0
    calibration_ns: int = 0
    doubt: str | None = None
    kind: Kind = "measured"

    @property
    def ordered_ns(self) -> IntArray:
        """All samples in order of size."""
        return np.repeat(self.distribution.upper_ns, self.distribution.counts)


@dataclass(frozen=True, slots=True)
class Drift:
    """A quantile of the second half of a run, less that of the first; zero is not in its interval.

    Times in nanoseconds.
    """

    side: str
    task: str
    quantity: str
    statistic: str
    shift_ns: int
    low_ns: int
    high_ns: int


@dataclass(frozen=True, slots=True)
class Ranks:
    """The rank-sum test on jobs so far apart that they count as independent.

    `longer_ratio`: how often a job of the new run takes longer than one of the baseline, 0.5: no
    tendency. `p_value`: of ranks so far apart where nothing differs.
    """

    task: str
    quantity: str
    longer_ratio: float
    p_value: float
    n_base: int
    n_new: int


@dataclass(frozen=True, slots=True)
class Pair:
    """One quantity of one task, in both runs and in those that tell the noise.

    `is_exact`: the same runs made again give the same jobs, so that nothing is inferred.
    """

    task: str
    quantity: str
    base: Samples
    new: Samples
    noise: tuple[Samples, ...] = ()
    is_exact: bool = False

    @property
    def kind(self) -> Kind:
        """Kind of what both sides give: what is measured on one side only is not measured."""
        return self.new.kind if self.base.kind == "measured" else self.base.kind


@dataclass(frozen=True, slots=True)
class ComparedQuantity:
    """What a `Pair` shows; `left_out`: quantiles that one side has too few jobs for, and why."""

    figures: tuple[Figure, ...]
    drifts: tuple[Drift, ...]
    ranks: Ranks | None
    left_out: str | None = None


def compare_quantity(pair: Pair) -> ComparedQuantity:
    """Compare one quantity of one task; quantiles that a side does not support are left out."""
    if pair.is_exact:
        return _compare_exactly(pair)
    drifts = tuple(
        drift for one in (pair.base, pair.new) for drift in _drifts(pair.task, pair.quantity, one)
    )
    n = min(pair.base.distribution.n, pair.new.distribution.n)
    figures = [
        _quantile(pair, statistic, drifts)
        for statistic, q in QUANTILES.items()
        if supports_quantile(n, q)
    ]
    return ComparedQuantity((*figures, _maximum(pair)), drifts, _ranks(pair), _left_out(pair, n))


def _compare_exactly(pair: Pair) -> ComparedQuantity:
    """Compare what is exact: as many jobs of each side have every quantile, however few they are.

    Of unequal numbers of few jobs a high quantile is the largest of them, which grows with n.
    """
    counts = pair.base.distribution.n, pair.new.distribution.n
    n = min(counts)
    is_paired = counts[0] == counts[1]
    figures = [
        _exact(pair, statistic)
        for statistic, q in QUANTILES.items()
        if is_paired or supports_quantile(n, q)
    ]
    left_out = None if is_paired else _left_out(pair, n)
    return ComparedQuantity((*figures, _exact(pair, MAX)), (), None, left_out)


def _exact(pair: Pair, statistic: str) -> Figure:
    """Subtract a figure of the jobs that were simulated; quantiles are those of nearest rank."""
    q = QUANTILES.get(statistic, 1)
    sides = pair.base, pair.new
    base, new = (one.distribution.quantile_ns(q) for one in sides)
    reasons = [_why_not(pair)]
    reasons += [f"{one.side}: {_NO_VALUE}" for one in sides if not one.distribution.is_exact]
    reason = "; ".join(filter(None, reasons)) or None
    return Figure(
        subject=pair.task,
        quantity=pair.quantity,
        statistic=statistic,
        unit="ns",
        kind=pair.kind,
        base=Point(base, pair.base.distribution.n),
        new=Point(new, pair.new.distribution.n),
        shift=new - base,
        low=None,
        high=None,
        floor=0,
        floor_parts=(),
        verdict=NO_VERDICT if reason else judge_exact(new - base),
        reason=reason,
        is_exact=True,
    )


def _left_out(pair: Pair, n: int) -> str | None:
    needed = [
        f"{statistic} needs {samples_needed(q)}"
        for statistic, q in QUANTILES.items()
        if not supports_quantile(n, q)
    ]
    if not needed:
        return None
    fewer = min((pair.base, pair.new), key=lambda one: one.distribution.n)
    return f"{pair.task} {pair.quantity}: {fewer.side} has {n} jobs; {', '.join(needed)}"


def _quantile(pair: Pair, statistic: str, drifts: Sequence[Drift]) -> Figure:
    q = QUANTILES[statistic]
    base, new = _estimate(pair.base, q), _estimate(pair.new, q)
    # A run with too few jobs for a quantile has one by chance, which tells nothing of its scatter.
    likes = [one for one in pair.noise if supports_quantile(one.distribution.n, q)]
    of_base = [base.value_ns, *(_estimate(one, q).value_ns for one in likes)]
    parts = (
        *_common_floor(pair, of_base),
        *(
            FloorPart(f"drift within {drift.side}", abs(drift.shift_ns))
            for drift in drifts
            if drift.statistic == statistic
        ),
    )
    shift, floor = shift_between(base, new), largest(parts)
    levels = _levels(pair.base, q), _levels(pair.new, q)
    parts_low, parts_high = (None, None) if _why_not(pair) else _between_parts(*levels)
    reason = _why_not(pair, base, new)
    verdict = NO_VERDICT
    if reason is None and shift.low_ns is not None and shift.high_ns is not None:
        verdict = judge(shift.low_ns, shift.high_ns, floor)
    return Figure(
        subject=pair.task,
        quantity=pair.quantity,
        statistic=statistic,
        unit="ns",
        kind=pair.kind,
        base=_point(base),
        new=_point(new),
        shift=shift.shift_ns,
        low=shift.low_ns,
        high=shift.high_ns,
        floor=floor,
        floor_parts=parts,
        verdict=verdict,
        reason=reason,
        drift=_drift_seen(*levels),
        parts_low=parts_low,
        parts_high=parts_high,
    )


def _levels(samples: Samples, q: float | None) -> list[int]:
    """Return a statistic of each part of a run; empty: too few jobs, or their order is unknown.

    A run is cut into at most eight parts of equal numbers of jobs, each large enough for the
    quantile; None as `q` stands for the largest job.
    """
    if samples.values_ns is None:
        return []
    n_parts = min(_MOST_PARTS, samples.values_ns.size // (1 if q is None else samples_needed(q)))
    if n_parts < _FEWEST_PARTS:
        return []
    parts = np.array_split(samples.values_ns, n_parts)
    return [int(part.max()) if q is None else _nearest_rank(part, q) for part in parts]


def _drift_seen(base: list[int], new: list[int]) -> int | None:
    """Return how far a statistic moved from part to part of one run, the larger of both sides."""
    return max(max(side) - min(side) for side in (base, new)) if base and new else None


def _between_parts(base: list[int], new: list[int]) -> tuple[int, int] | tuple[None, None]:
    """Return the least and the largest difference between a part of NEW and a part of BASE."""
    if min(len(base), len(new)) < _FEWEST_COMPARED:
        return None, None
    return min(new) - max(base), max(new) - min(base)


def _nearest_rank(values_ns: IntArray, q: float) -> int:
    return int(np.sort(values_ns)[quantile_rank(values_ns.size, q) - 1])


def _maximum(pair: Pair) -> Figure:
    """Tell the largest of each side: it grows with the number of jobs, so nothing is inferred."""
    base, new = pair.base.distribution, pair.new.distribution
    of_base = [base.max_ns, *(one.distribution.max_ns for one in pair.noise)]
    parts, reason = _common_floor(pair, of_base), _why_not(pair)
    return Figure(
        subject=pair.task,
        quantity=pair.quantity,
        statistic=MAX,
        unit="ns",
        kind=pair.kind,
        base=Point(base.max_ns, base.n, low=int(base.lower_ns[-1]), high=base.max_ns),
        new=Point(new.max_ns, new.n, low=int(new.lower_ns[-1]), high=new.max_ns),
        shift=new.max_ns - base.max_ns,
        low=None,
        high=None,
        floor=largest(parts),
        floor_parts=parts,
        verdict=NOT_JUDGED if reason is None else NO_VERDICT,
        reason=reason,
        drift=_drift_seen(_levels(pair.base, None), _levels(pair.new, None)),
    )


def _why_not(pair: Pair, *estimates: Estimate) -> str | None:
    """Say why there is no verdict, by side; None: there is one."""
    sides = pair.base, pair.new
    reasons = [f"{one.side}: {one.doubt}" for one in sides if one.doubt]
    reasons += [
        f"{one.side}: {estimate.reason}"
        for one, estimate in zip(sides, estimates, strict=False)
        if estimate.reason
    ]
    return "; ".join(reasons) or None


def _estimate(samples: Samples, q: float) -> Estimate:
    if samples.values_ns is not None:
        return estimate_quantile(samples.values_ns, q, samples.ordered_ns)
    return Estimate(samples.distribution.quantile_ns(q), samples.distribution.n, reason=_NO_ORDER)


def _point(estimate: Estimate) -> Point:
    return Point(
        estimate.value_ns,
        estimate.n,
        estimate.n_effective,
        estimate.low_ns,
        estimate.high_ns,
    )


def _common_floor(pair: Pair, of_base: Sequence[int]) -> tuple[FloorPart, ...]:
    """Return what makes any statistic of this quantity differ by itself."""
    parts = [FloorPart("clock", max(pair.base.resolution_ns, pair.new.resolution_ns))]
    # The cost of a pair of snapshots is calibrated before each run and subtracted from it.
    calibrated = abs(pair.base.calibration_ns - pair.new.calibration_ns)
    if calibrated:
        parts.append(FloorPart("calibration", calibrated))
    return (*parts, *between_runs(of_base))


def _drifts(task: str, quantity: str, samples: Samples) -> list[Drift]:
    """Compare the halves of a run; only what their intervals show."""
    if samples.values_ns is None:
        return []
    half = samples.values_ns.size // 2
    first, second = samples.values_ns[:half], samples.values_ns[half:]
    ordered = np.sort(first), np.sort(second)
    found = []
    for statistic, q in QUANTILES.items():
        if not supports_quantile(half, q):
            continue
        shift = shift_between(
            estimate_quantile(first, q, ordered[0]), estimate_quantile(second, q, ordered[1])
        )
        if shift.is_shown and shift.low_ns is not None and shift.high_ns is not None:
            ends = shift.shift_ns, shift.low_ns, shift.high_ns
            found.append(Drift(samples.side, task, quantity, statistic, *ends))
    return found


def _ranks(pair: Pair) -> Ranks | None:
    """Test jobs that are far enough apart; None where too few remain or their order is unknown."""
    base, new = _apart(pair.base), _apart(pair.new)
    if base is None or new is None:
        return None
    test = compare_ranks(new, base)
    if test is None:
        return None
    return Ranks(
        pair.task, pair.quantity, test.is_larger_ratio, test.p_value, test.n_second, test.n_first
    )


def _apart(samples: Samples) -> IntArray | None:
    """Take every k-th job, k so large that their median is one of independent samples."""
    values_ns = samples.values_ns
    if values_ns is None:
        return None
    found = dependence_at(values_ns, samples.distribution.quantile_ns(_MEDIAN))
    if not found.is_resolved:
        return None
    step = max(math.ceil(found.inflation_ratio), -(-values_ns.size // _MOST_RANKED))
    return values_ns[::step]
