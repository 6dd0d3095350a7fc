# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Period and offset of a thread from its arrivals (wake-ups, or starts where those are unknown).

A periodic thread arrives at offset + k * period + a latency that is never negative. Which arrivals
begin a job (a thread may also sleep within its jobs), which k each has (jobs may be missing) and
both parameters are estimated together; docs/observe.md tells how.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from laxity.trace.period_search import (
    LOOSE_SHARE,
    MAD_TO_SIGMA,
    Floats,
    Refined,
    find_period,
    refine,
)

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

# Ten arrivals a period apart are met by chance once in 10^6 trials; fewer prove nothing.
MIN_ARRIVALS = 10
# Beyond 3.5 spreads an arrival says nothing of the grid (one of 2,000 where the spread is normal).
_OUTLIER = 3.5
_QUARTILES_TO_SIGMA = 1.349  # between the quartiles of a normal distribution
_ROUNDS = 8
# Arrivals of one kind lie within so many spreads of each other, at least so near.
_CLUSTER = 8.0
_NEAR_SHARE = 0.005
_MOST_CLUSTERS = 8
# Arrivals that begin a job occur in at least so many periods, against those that occur most.
_SHARE_OF_MOST = 0.7
_BLOCKS = 8
# Two kinds of arrivals are told apart by their spread from this ratio on.
_TIGHTER = 1.5
_FILLED = 0.9
_LEAST_EXPLAINED = 0.45
# Ticks of the scheduler, and how far a period may be from one that is taken for it.
_TICKS_NS = tuple(1e9 / hz for hz in (100, 250, 300, 1000))
_TICK_SHARE = 1e-3
# Of patterns of up to so many ticks: how often, at most, one has an arrival that is left out,
# against all of them.
_LONGEST_PATTERN = 20
_SELDOM = 0.6
# Standard deviations of the count; by chance once in 10^9.
_SELDOM_DEVIATIONS = 6.0
# Of the time from the first to the last arrival; a program may just be starting.
_SPANNED = 0.9
_WALK = 43.0
# A distance so near to whole periods is that many of them.
_CERTAIN_SHARE = 0.25
_LEAST_WHOLE = 0.9
# z = 1.96 and the first two terms of t's expansion in 1 / degrees of freedom, for 95 %.
_T95 = (1.95996, 2.37227, 2.82250)


class Rhythm(StrEnum):
    """What the arrivals of a thread are like."""

    PERIODIC = "periodic"
    DRIFTING = "drifting"
    IRREGULAR = "not periodic"
    TOO_FEW = "too few jobs"


@dataclass(frozen=True, slots=True)
class PeriodFit:
    """What arrivals tell of period and offset.

    Attributes:
        rhythm: The verdict. Drifting: a mean distance, but no fixed releases, as of a thread that
            sleeps for a fixed time after each job.
        n: Arrivals looked at.
        n_used: Those that period and offset were computed from; 0 without a period.
        period_ns: Estimated period; drifting: mean distance; None without.
        half_width_ns: Half of its 95 % confidence interval.
        first_ns: Estimated release of job 0: as early as the arrivals allow. None unless periodic.
        first_half_width_ns: Half of its 95 % confidence interval. What all arrivals are late by is
            not seen, so the true release may be earlier by the least latency.
        spread_ns: Of the used arrivals around the grid, as a standard deviation.
        reach_ns: An arrival may be so much before its release and still belong to it.
    """

    rhythm: Rhythm
    n: int
    n_used: int = 0
    period_ns: float | None = None
    half_width_ns: float | None = None
    first_ns: int | None = None
    first_half_width_ns: float | None = None
    spread_ns: float | None = None
    reach_ns: float = 0.0

    def slots(self, at_ns: IntArray) -> IntArray:
        """Return the number of the release that arrivals belong to: the last one before them."""
        if self.first_ns is None or self.period_ns is None:
            msg = "no releases without a period"
            raise ValueError(msg)
        since_ns = (at_ns - self.first_ns).astype(np.float64) + self.reach_ns
        return np.asarray(np.floor(since_ns / self.period_ns), dtype=np.int64)

    def releases_ns(self, slots: IntArray) -> IntArray:
        """Return the estimated instants of releases."""
        if self.first_ns is None or self.period_ns is None:
            msg = "no releases without a period"
            raise ValueError(msg)
        # Added as integers: floats of nanoseconds lose whole ones after 104 days of uptime.
        return np.asarray(np.rint(slots * self.period_ns), dtype=np.int64) + self.first_ns


@dataclass(frozen=True, slots=True)
class _Line:
    """Arrivals = origin + k * period + error; `is_used` tells which of them count."""

    origin_ns: float
    period_ns: float
    slots: Floats
    errors_ns: Floats
    is_used: BoolArray
    sigma_ns: float


def estimate_period(arrivals_ns: IntArray) -> PeriodFit:
    """Estimate period and offset.

    Args:
        arrivals_ns: Ascending; shape (arrival,).

    Returns:
        The fit; its verdict says whether there is a period at all.
    """
    n = len(arrivals_ns)
    if n < MIN_ARRIVALS:
        return PeriodFit(Rhythm.TOO_FEW, n)
    at_ns = (arrivals_ns - arrivals_ns[0]).astype(np.float64)
    candidate = find_period(at_ns)
    if candidate is None:
        return PeriodFit(Rhythm.IRREGULAR, n)
    refined = refine(at_ns, candidate)
    line = _fit_line(at_ns, refined)
    if np.count_nonzero(line.is_used) < MIN_ARRIVALS:
        return PeriodFit(Rhythm.TOO_FEW, n)
    is_walk = _is_walk(_counted_errors(at_ns, refined.period_ns)) or _is_walk(
        line.errors_ns[line.is_used]
    )
    if not is_walk and _spans(line, at_ns) and _is_grid(line, n, refined):
        return _periodic(line, n, int(arrivals_ns[0]))
    if is_walk or refined.has_drifted or _explained(line, n) < _FILLED:
        return _drifting(at_ns, refined)
    return PeriodFit(Rhythm.IRREGULAR, n)


def _is_grid(line: _Line, n: int, refined: Refined) -> bool:
    """Tell whether fixed releases account for what was seen.

    Either almost every release has its arrival, whatever else there is; or, where releases are
    without, most arrivals must belong to one. Otherwise it is a pattern of something else: starts
    of a 5 ms task that wait for the ticks of the scheduler, every 4 ms, recur every 20 ms, and
    leave out every fifth tick.
    """
    if line.sigma_ns > LOOSE_SHARE * line.period_ns:
        return False
    if _is_tick(line.period_ns) and _leaves_out_a_pattern(line.slots[line.is_used]):
        return False
    filled = _filled(line)
    if filled >= _FILLED:
        return True
    return not refined.has_drifted and filled * _explained(line, n) >= _LEAST_EXPLAINED


def _is_tick(period_ns: float) -> bool:
    return any(abs(period_ns - tick_ns) <= _TICK_SHARE * tick_ns for tick_ns in _TICKS_NS)


def _leaves_out_a_pattern(slots: Floats) -> bool:
    """Tell whether one release of every so many seldom has an arrival, and that is no chance."""
    present = np.unique(slots - slots.min()).astype(np.int64)
    n_slots = int(present[-1]) + 1
    filled = len(present) / n_slots
    for length in range(2, _LONGEST_PATTERN + 1):
        expected = filled * (n_slots // length)
        fewest = int(np.bincount(present % length, minlength=length).min())
        deviation = np.sqrt(expected * (1 - filled))
        if fewest < _SELDOM * expected and expected - fewest > _SELDOM_DEVIATIONS * deviation:
            return True
    return False


def _spans(line: _Line, at_ns: Floats) -> bool:
    """Tell whether releases last from the first to the last arrival, nearly.

    A loop that sleeps for a time and was late once keeps to one grid before that and to another one
    after it; either of them explains most arrivals.
    """
    return float(np.ptp(line.slots)) * line.period_ns >= _SPANNED * float(np.ptp(at_ns))


def _filled(line: _Line) -> float:
    """Return the share of releases that have their arrival."""
    return len(np.unique(line.slots)) / (float(np.ptp(line.slots)) + 1)


def _explained(line: _Line, n: int) -> float:
    """Return the share of arrivals that belong to a release."""
    return len(line.slots) / n


def _periodic(line: _Line, n: int, base_ns: int) -> PeriodFit:
    slots, errors_ns = line.slots[line.is_used], line.errors_ns[line.is_used]
    earliest_ns = line.origin_ns + float(errors_ns.min())
    # Job 0 is the first arrival's; the line may have been centred elsewhere.
    first_slot = float(slots.min())
    middle = float(slots.mean())
    spread2 = float(np.square(slots - middle).sum())
    t95 = _t95(len(slots) - 2)
    variance = float(np.square(errors_ns).sum()) / (len(slots) - 2) * _inflation(errors_ns)
    half_width_ns = max(t95 * float(np.sqrt(variance / spread2)), _jackknife_ns(slots, errors_ns))
    at_first = variance * (1 / len(slots) + (first_slot - middle) ** 2 / spread2)
    return PeriodFit(
        rhythm=Rhythm.PERIODIC,
        n=n,
        n_used=len(slots),
        period_ns=line.period_ns,
        half_width_ns=half_width_ns,
        first_ns=base_ns + round(earliest_ns + first_slot * line.period_ns),
        first_half_width_ns=t95 * float(np.sqrt(at_first)),
        spread_ns=float(np.std(errors_ns)),
        reach_ns=min(_near_ns(line.sigma_ns, line.period_ns), LOOSE_SHARE * line.period_ns),
    )


def _drifting(at_ns: Floats, refined: Refined) -> PeriodFit:
    """Return the mean distance; the error of a walk's mean is that of its steps / sqrt(steps)."""
    distances = np.diff(at_ns)
    counts = np.rint(distances / refined.period_ns)
    is_whole = np.abs(distances - counts * refined.period_ns) < _CERTAIN_SHARE * refined.period_ns
    is_whole &= counts >= 1
    if np.count_nonzero(is_whole) < _LEAST_WHOLE * len(distances):
        # Without one arrival in each period the steps cannot be counted.
        return PeriodFit(Rhythm.IRREGULAR, len(at_ns))
    n_steps = float(counts[is_whole].sum())
    period_ns = float(distances[is_whole].sum()) / n_steps
    step_ns = float(np.std((distances - counts * period_ns)[is_whole]))
    return PeriodFit(
        rhythm=Rhythm.DRIFTING,
        n=len(at_ns),
        n_used=int(np.count_nonzero(is_whole)) + 1,
        period_ns=period_ns,
        half_width_ns=float(_t95(n_steps) * step_ns / np.sqrt(n_steps)),
        spread_ns=step_ns,
    )


def _fit_line(at_ns: Floats, refined: Refined) -> _Line:
    """Choose the arrivals that begin jobs; least squares over them, without the late ones."""
    period_ns = refined.period_ns
    mine = at_ns[_releases(at_ns, refined)]
    middle_ns = float(np.median(_phase(mine, period_ns, mine[0]))) + mine[0]
    slots = np.rint((mine - middle_ns) / period_ns)
    origin_ns = middle_ns
    is_used = np.ones(len(mine), np.bool_)
    sigma_ns = 0.0
    for _ in range(_ROUNDS):
        errors_ns = mine - origin_ns - slots * period_ns
        centre_ns = float(np.median(errors_ns[is_used]))
        # Latencies have several modes, one of them very narrow: neither measure serves alone.
        quarters = np.percentile(errors_ns, (25, 75))
        sigma_ns = max(
            float(np.median(np.abs(errors_ns[is_used] - centre_ns))) * MAD_TO_SIGMA,
            float(quarters[1] - quarters[0]) / _QUARTILES_TO_SIGMA,
        )
        # Half a nanosecond is what rounding adds.
        chosen = np.abs(errors_ns - centre_ns) <= max(_OUTLIER * sigma_ns, 1.0)
        period_ns, origin_ns = (float(one) for one in np.polyfit(slots[chosen], mine[chosen], 1))
        if np.array_equal(chosen, is_used):
            break
        is_used = chosen
    return _Line(
        origin_ns, period_ns, slots, mine - origin_ns - slots * period_ns, is_used, sigma_ns
    )


def _releases(at_ns: Floats, refined: Refined) -> BoolArray:
    """Tell which arrivals begin a job: of those that occur in most periods the most punctual.

    A timer is more punctual than what follows from the job that it started. Where that does not
    decide, it is the arrival after the longest rest.
    """
    rests_ns = np.diff(at_ns, prepend=at_ns[0] - refined.period_ns)
    found: list[tuple[float, float, BoolArray]] = []
    most = 0
    for members in _clusters(at_ns, refined):
        slots = np.rint((at_ns[members] - at_ns[members][0]) / refined.period_ns)
        n_slots = len(np.unique(slots))
        most = max(most, n_slots)
        if n_slots >= _SHARE_OF_MOST * most:
            phase = _phase(at_ns[members], refined.period_ns, at_ns[members][0])
            spread = float(np.median(np.abs(phase - np.median(phase))))
            found.append((spread, float(np.median(rests_ns[members])), members))
    tightest_ns = min(spread for spread, _, _ in found)
    punctual = [one for one in found if one[0] <= _TIGHTER * tightest_ns + 1]
    return max(punctual, key=lambda one: one[1])[2]


def _clusters(at_ns: Floats, refined: Refined) -> list[BoolArray]:
    """Gather arrivals of equal phase, those that are most first."""
    period_ns = refined.period_ns
    near_ns = _near_ns(refined.sigma_ns, period_ns)
    phase = np.mod(at_ns, period_ns)
    is_left = np.ones(len(at_ns), np.bool_)
    found: list[BoolArray] = []
    while is_left.any() and len(found) < _MOST_CLUSTERS:
        left = np.sort(phase[is_left])
        # Phases lie on a circle: those near its end lie before those near its begin as well.
        circle = np.concatenate((left, left + period_ns))
        until = np.searchsorted(circle, left + 2 * near_ns, "right")
        counts = until - np.arange(len(left))
        first = int(np.argmax(counts))
        middle = float(np.median(circle[first : until[first]]))
        members = is_left & (np.abs(_phase(at_ns, period_ns, middle)) <= near_ns)
        found.append(members)
        is_left &= ~members
    return found


def _near_ns(sigma_ns: float, period_ns: float) -> float:
    """Say how far from the grid an arrival may be and still be one that begins a job."""
    return min(max(_CLUSTER * sigma_ns, _NEAR_SHARE * period_ns), LOOSE_SHARE * 2 * period_ns)


def _phase(at_ns: Floats, period_ns: float, origin_ns: float) -> Floats:
    """Return the distance to the nearest point of a grid: -period / 2 to period / 2."""
    return np.mod(at_ns - origin_ns + period_ns / 2, period_ns) - period_ns / 2


def _counted_errors(at_ns: Floats, period_ns: float) -> Floats:
    """Return the distances from a line of arrivals of which one falls into each period.

    However far they have wandered: those that are near to a grid are never far from it. Empty
    where the arrivals cannot be counted so.
    """
    distances = np.diff(at_ns)
    counts = np.rint(distances / period_ns)
    is_whole = np.abs(distances - counts * period_ns) < _CERTAIN_SHARE * period_ns
    if not np.all(is_whole & (counts >= 1)):
        return at_ns[:0]
    slots = np.concatenate(([0.0], np.cumsum(counts)))
    return np.asarray(at_ns - np.polyval(np.polyfit(slots, at_ns, 1), slots))


def _is_walk(errors_ns: Floats) -> bool:
    """Tell whether the distances from a line add up, as of a thread that sleeps for a time.

    Source:
        Bhargava, "On the theory of testing for unit roots", 1986: n times von Neumann's ratio of
        the residuals of a line. Of a walk it is 1 / (integral of the squared detrended Brownian
        motion), below 43 in 95 of 100; of independent errors it is 2 n.
    """
    ratio = _neumann_ratio(errors_ns)
    return ratio is not None and ratio < min(_WALK / len(errors_ns), 1.0)


def _jackknife_ns(slots: Floats, errors_ns: Floats) -> float:
    """Return half of the 95 % interval of the slope, from leaving out one eighth in turn.

    It also holds where lateness comes in phases, as when other programs load the machine for a
    while. 0 for fewer arrivals than that needs.

    Source:
        Kunsch, "The jackknife and the bootstrap for general stationary observations", 1989.
    """
    if len(slots) < _BLOCKS * MIN_ARRIVALS:
        return 0.0
    block = np.arange(len(slots)) * _BLOCKS // len(slots)
    slopes = np.array(
        [np.polyfit(slots[block != one], errors_ns[block != one], 1)[0] for one in range(_BLOCKS)]
    )
    squares = float(np.square(slopes - slopes.mean()).sum())
    return _t95(_BLOCKS - 1) * float(np.sqrt((_BLOCKS - 1) / _BLOCKS * squares))


def _neumann_ratio(errors_ns: Floats) -> float | None:
    """Squared steps to squared errors; 2 if they are independent; None if all errors are 0."""
    squared = float(np.square(errors_ns).sum())
    # Rounding to nanoseconds alone says nothing of what is rounded.
    if squared <= len(errors_ns):
        return None
    return float(np.square(np.diff(errors_ns)).sum()) / squared


def _inflation(errors_ns: Floats) -> float:
    """Say by how much errors that follow one another widen the variance of a fit; >= 1.

    Source:
        For a first-order process (1 + r) / (1 - r), where von Neumann's ratio of squared steps to
        squared errors is 2 (1 - r).
    """
    ratio = _neumann_ratio(errors_ns)
    if ratio is None:
        return 1.0
    return max(1.0, (4 - ratio) / max(ratio, 4 / len(errors_ns)))


def _t95(freedom: float) -> float:
    """Student's t for 95 %, two-sided (Cornish-Fisher, 0.3 % off at 8 degrees of freedom)."""
    first, second, third = _T95
    return first + second / freedom + third / freedom**2
