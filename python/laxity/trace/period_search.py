# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Looking for a period among arrivals: which distance recurs, and whether it holds over time.

Nothing is assumed of how many arrivals belong to a job. A distance is tried by asking, for each
arrival, whether another one lies that far behind it. That holds for every arrival of a periodic
thread, also for those within its jobs, and for most of them where some jobs are missing.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Of a normal distribution: standard deviation / median absolute deviation.
MAD_TO_SIGMA = 1.4826
# An arrival that is further off than this share of the period is not "there".
LOOSE_SHARE = 0.1
# Arrivals that candidates are taken from and tried on: more change nothing but the time it takes.
_SEARCHED = 3000
# Up to so many arrivals may belong to one period.
_LAGS = 16
_BINS_PER_E = 40  # of the histogram of distances: bins 2.5 % wide
_MOST_CANDIDATES = 40
# A bin counts as a candidate from so many distances on, as a share of the arrivals.
_LEAST_SHARE = 0.08
_LEAST_MATCH = 0.3
# What is the period must explain at least this share of what the best distance explains.
_SHARE_OF_BEST = 0.6
# The period's slots, up to four of which may pass without an arrival, fill so much of the time.
_LEAST_COVER = 0.5
_MOST_MISSING = 4
# -ln of how likely it may be that arrivals at random look as periodic as that.
_EVIDENCE = 12.0
# A distance whose multiple is met with less than a third of its spread is a chance one.
_TIGHTER = 3.0
_NEARLY = 0.9
_SLOPPY_SHARE = 0.01
_FEW_PAIRS = 6
_ROUNDS = 4
# A walk is told from 32 periods on, over which it spreads 5.7 times as far as over one.
_CHUNKS = 8
_DOUBLINGS = 4
_GROWTH = 3.0
_STILL_GROWING = 1.35
# How far from its middle a peak of differences is counted: in spreads, and at least.
_CORE = 8.0
_CORE_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Candidate:
    """A distance that recurs.

    Attributes:
        period_ns: The distance.
        sigma_ns: Spread of one arrival around where the one before says it should be.
        match: Share of arrivals with another one a period later, beyond what chance gives; <= 1.
        cover: Share of the time within a period after an arrival that had a successor.
    """

    period_ns: float
    sigma_ns: float
    match: float
    cover: float


@dataclass(frozen=True, slots=True)
class Refined:
    """A period as known from the longest distances over which it could be followed.

    `has_drifted`: the longer the distance, the wider the spread; there is no fixed release.
    """

    period_ns: float
    sigma_ns: float
    has_drifted: bool


def find_period(at_ns: Floats) -> Candidate | None:
    """Find the smallest distance that recurs all the time.

    Args:
        at_ns: Arrivals, ascending, from any origin; shape (arrival,).

    Returns:
        None if there is none: the arrivals do not differ from random ones.
    """
    first = max(0, (len(at_ns) - _SEARCHED) // 2)
    part = at_ns[first : first + _SEARCHED]
    tried = [one for distance in _distances(part) if (one := _try_distance(part, distance))]
    if not tried:
        return None
    best = max(one.match for one in tried)
    tried = [one for one in tried if one.match >= _SHARE_OF_BEST * best]
    sound = [one for one in tried if not _is_chance(one, tried)] or tried
    smallest = min(one.period_ns for one in sound)
    # Inner arrivals make distances near the period recur as well, less exactly.
    near = [one for one in sound if one.period_ns <= (1 + LOOSE_SHARE) * smallest]
    most = max(one.match for one in near)
    near = [one for one in near if one.match >= _NEARLY * most]
    return min(near, key=lambda one: one.sigma_ns)


def refine(at_ns: Floats, candidate: Candidate) -> Refined:
    """Follow a period over ever longer distances: 2, 4, 8, ... periods.

    Args:
        at_ns: All arrivals.
        candidate: What was found.
    """
    period_ns, sigma_ns = candidate.period_ns, candidate.sigma_ns
    spreads = [sigma_ns]
    pairs = _pairs(at_ns, period_ns, LOOSE_SHARE * period_ns)[0]
    least = max(_FEW_PAIRS, pairs.size // 3)
    n_periods, has_lost = 2, False
    while n_periods * period_ns < (at_ns[-1] - at_ns[0]) * 0.75:
        # The period is known to within sigma / the periods followed so far.
        reach_ns = min(0.25 * period_ns, max(8 * spreads[-1], 0.02 * period_ns))
        errors, n_asked = _pairs(at_ns, n_periods * period_ns, reach_ns)
        if errors.size < min(least, 0.4 * n_asked):
            has_lost = n_asked >= least
            break
        period_ns += float(np.median(errors)) / n_periods
        spreads.append(_sigma(errors))
        n_periods *= 2
    # Of long distances few are independent of each other.
    known = spreads[: max(1, int(np.log2((at_ns[-1] - at_ns[0]) / period_ns / _CHUNKS)) + 1)]
    has_spread = spreads[-1] > LOOSE_SHARE * period_ns
    return Refined(period_ns, spreads[0], has_lost or has_spread or _has_grown(known))


def _has_grown(spreads: list[float]) -> bool:
    """Tell a spread that keeps growing (a walk) from one that has levelled out (lasting load).

    Each is that over twice the distance of the one before; of a walk it grows by sqrt(2) each time.
    """
    if len(spreads) <= _DOUBLINGS:
        return False
    grown = spreads[-1] > _GROWTH * spreads[0]
    return grown and spreads[-1] > _STILL_GROWING * spreads[-3]


def _distances(at_ns: Floats) -> Iterator[float]:
    """Return the distances that occur most, from 1 to 16 arrivals apart."""
    lags = range(1, min(_LAGS, len(at_ns) - 1) + 1)
    every = np.concatenate([at_ns[lag:] - at_ns[:-lag] for lag in lags])
    every = np.sort(every[every > 0])
    if not every.size:
        return
    bins = np.floor(np.log(every) * _BINS_PER_E).astype(np.int64)
    numbers, begins, counts = np.unique(bins, return_index=True, return_counts=True)
    # A peak may lie across an edge: count each bin with its neighbours.
    begun = np.searchsorted(numbers, numbers - 1, "left")
    until = np.searchsorted(numbers, numbers + 1, "right")
    sums = np.concatenate(([0], np.cumsum(counts)))
    around = sums[until] - sums[begun]
    # Bins of long distances are wide: ranked by density as well as by count.
    density = around / np.exp(numbers / _BINS_PER_E)
    chosen = {
        int(index)
        for rank in (around, density)
        for index in np.argsort(-rank, kind="stable")[:_MOST_CANDIDATES]
        if around[index] >= _LEAST_SHARE * len(at_ns)
    }
    ends = np.append(begins[1:], every.size)
    for index in sorted(chosen):
        yield float(np.median(every[begins[begun[index]] : ends[until[index] - 1]]))


def _try_distance(at_ns: Floats, distance_ns: float) -> Candidate | None:
    """Ask of each arrival whether another one lies that far behind; None if too few have one."""
    gap_ns = (at_ns[-1] - at_ns[0]) / (len(at_ns) - 1)
    period_ns, widest_ns = distance_ns, LOOSE_SHARE * min(distance_ns, gap_ns)
    reach_ns, chance, share, n_asked = widest_ns, 0.0, 0.0, 0
    errors = at_ns[:0]
    for _ in range(_ROUNDS):
        errors, n_asked = _pairs(at_ns, period_ns, reach_ns)
        if errors.size < _FEW_PAIRS:
            return None
        period_ns += float(np.median(errors))
        chance, share = 1 - float(np.exp(-2 * reach_ns / gap_ns)), errors.size / n_asked
        # Others than those looked for lie anywhere: nearer to the middle there are fewer of them.
        reach_ns = min(widest_ns, max(_CORE * _sigma(errors), _CORE_SHARE * widest_ns))
    match = (share - chance) / (1 - chance)
    if match < _LEAST_MATCH or n_asked * _divergence(share, chance) < _EVIDENCE:
        return None
    cover = _cover(at_ns, period_ns)
    if cover < _LEAST_COVER:
        return None
    return Candidate(period_ns, _sigma(errors), match, cover)


def _pairs(at_ns: Floats, distance_ns: float, reach_ns: float) -> tuple[Floats, int]:
    """Compare where arrivals are with a distance behind others.

    Returns:
        Of those within reach, how far they are off; and how many were looked for.
    """
    expected = at_ns[: np.searchsorted(at_ns, at_ns[-1] - distance_ns + reach_ns)] + distance_ns
    errors = nearest(at_ns, expected) - expected
    return errors[np.abs(errors) <= reach_ns], len(expected)


def nearest(at_ns: Floats, instants_ns: Floats) -> Floats:
    """Return the arrival nearest to each instant."""
    after = np.clip(np.searchsorted(at_ns, instants_ns), 1, len(at_ns) - 1)
    before_ns, after_ns = at_ns[after - 1], at_ns[after]
    return np.where(instants_ns - before_ns <= after_ns - instants_ns, before_ns, after_ns)


def _sigma(errors: Floats) -> float:
    """Return the spread of one arrival, where each error is the difference of two."""
    deviation = np.median(np.abs(errors - np.median(errors)))
    return float(MAD_TO_SIGMA * deviation / np.sqrt(2))


def _divergence(share: float, chance: float) -> float:
    """Kullback-Leibler divergence of two coins: n times it bounds -ln(chance of such a share)."""
    found = 0.0
    for one, other in ((share, chance), (1 - share, 1 - chance)):
        if one > 0:
            found += one * np.log(one / max(other, 1e-300))
    return float(found) if share > chance else 0.0


def _cover(at_ns: Floats, period_ns: float) -> float:
    """Tell how much of the time lies between an arrival and its successor, up to 4 periods on."""
    reached_ns = np.zeros(len(at_ns))
    for n_periods in range(_MOST_MISSING, 0, -1):
        expected = at_ns + n_periods * period_ns
        is_there = np.abs(nearest(at_ns, expected) - expected) <= LOOSE_SHARE * period_ns
        reached_ns[is_there] = n_periods * period_ns
    ends = np.maximum.accumulate(at_ns + reached_ns)
    covered = np.minimum(ends[:-1], at_ns[1:]) - at_ns[:-1]
    return float(covered.sum() / (at_ns[-1] - at_ns[0]))


def _is_chance(one: Candidate, others: list[Candidate]) -> bool:
    """Tell whether a distance is only near to one that is met much better."""
    if one.sigma_ns < _SLOPPY_SHARE * one.period_ns:
        return False
    return any(
        other.period_ns > one.period_ns
        and other.match >= one.match - LOOSE_SHARE
        and other.sigma_ns * _TIGHTER < one.sigma_ns
        for other in others
    )
