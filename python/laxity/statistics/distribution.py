# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Quantiles, histograms, tails and decimation of integer nanoseconds.

A `Distribution` holds either every sample or the buckets of `histogram.npy`; all else works on it,
so that a run kept with `--keep misses` is judged by the same functions as one kept whole.

Quantile: nearest rank, Q(q) = the ceil(q * n)-th smallest sample. It is always a value that was
measured, never an interpolation, and Q(1) is the maximum.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

CONFIDENCE = 0.95
# Beyond 40 standard deviations a binomial weighs less than the smallest double.
_BINOMIAL_WINDOW_SIGMAS = 40
# A histogram over more than this ratio is unreadable on a linear axis.
LOG_AXIS_RATIO = 10


@dataclass(frozen=True, slots=True)
class Distribution:
    """Samples in ascending order with their counts.

    `lower_ns` and `upper_ns` bound each group of samples, both inclusive; they are equal where
    every sample is known. Quantiles are taken from `upper_ns`, so a bucket never flatters.
    """

    lower_ns: IntArray
    upper_ns: IntArray
    counts: IntArray

    @property
    def n(self) -> int:
        """Number of samples."""
        return int(self.counts.sum())

    @property
    def is_exact(self) -> bool:
        """True if every sample is known to the nanosecond."""
        return bool(np.array_equal(self.lower_ns, self.upper_ns))

    @property
    def min_ns(self) -> int:
        """Smallest sample (lower end of its bucket)."""
        return int(self.lower_ns[0])

    @property
    def max_ns(self) -> int:
        """Largest sample (upper end of its bucket)."""
        return int(self.upper_ns[-1])

    def value_at_rank(self, rank: int) -> int:
        """Return the rank-th smallest sample, 1 <= rank <= n, in nanoseconds."""
        if not 1 <= rank <= self.n:
            msg = f"rank {rank} is outside 1..{self.n}"
            raise ValueError(msg)
        return int(self.upper_ns[np.searchsorted(np.cumsum(self.counts), rank)])

    def quantile_ns(self, q: float) -> int:
        """Return the nearest-rank quantile for 0 < q <= 1, in nanoseconds."""
        return self.value_at_rank(quantile_rank(self.n, q))


@dataclass(frozen=True, slots=True)
class Interval:
    """Confidence interval of a quantile, both ends are samples."""

    lower_ns: int
    upper_ns: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Bins:
    """Histogram: one edge more than counts; `is_log` says how the edges are spaced."""

    edges_ns: FloatArray
    counts: FloatArray
    is_log: bool


@dataclass(frozen=True, slots=True)
class Shift:
    """One quantile of two distributions, in nanoseconds."""

    q: float
    alone_ns: int
    interfered_ns: int

    @property
    def shift_ns(self) -> int:
        """How much later the quantile is under interference."""
        return self.interfered_ns - self.alone_ns


@dataclass(frozen=True, slots=True)
class Comparison:
    """Alone against interfered. `median_ratio` is None where the median alone is not positive."""

    n_alone: int
    n_interfered: int
    median_ratio: float | None
    max_ratio: float | None
    shifts: tuple[Shift, ...]


def from_samples(samples_ns: IntArray) -> Distribution:
    """Group the samples (any shape, nanoseconds) by value."""
    values, counts = np.unique(np.asarray(samples_ns, dtype=np.int64), return_counts=True)
    return Distribution(values, values, counts.astype(np.int64))


def from_buckets(lower_ns: IntArray, upper_ns: IntArray, counts: IntArray) -> Distribution:
    """Make a distribution of the rows of `histogram.npy`.

    Args:
        lower_ns: Inclusive lower end of each bucket, any order.
        upper_ns: Exclusive upper end of each bucket.
        counts: Samples per bucket; empty buckets are dropped.
    """
    full = np.asarray(counts) > 0
    order = np.argsort(np.asarray(lower_ns)[full], kind="stable")
    return Distribution(
        np.asarray(lower_ns)[full][order].astype(np.int64),
        np.asarray(upper_ns)[full][order].astype(np.int64) - 1,
        np.asarray(counts)[full][order].astype(np.int64),
    )


def quantile_rank(n: int, q: float) -> int:
    """Return ceil(q * n) for 0 < q <= 1, in exact decimal arithmetic (0.999 is 999/1000)."""
    if n < 1 or not 0 < q <= 1:
        msg = f"no quantile {q} of {n} samples"
        raise ValueError(msg)
    return math.ceil(Fraction(Decimal(repr(q))) * n)


def interval_ranks(n: int, q: float, confidence: float = CONFIDENCE) -> tuple[int, int] | None:
    """Return the ranks of the samples that enclose a quantile, or None if n is too small.

    The number of samples below the quantile is binomial (n, q), whatever the distribution:
    lower is the largest l with P(B <= l - 1) <= a/2, upper the smallest u with P(B >= u) <= a/2.
    Holds for independent samples; jobs close in time are often not.

    Args:
        n: Number of samples, >= 0.
        q: Quantile, 0 < q < 1.
        confidence: Two-sided, 0 < confidence < 1.

    Source:
        David and Nagaraja, Order Statistics, sec. 7.1.
    """
    if n < 1:
        return None
    tail = (1 - confidence) / 2
    sigma = math.sqrt(n * q * (1 - q))
    first = max(0, math.floor(n * q - _BINOMIAL_WINDOW_SIGMAS * (sigma + 1)))
    last = min(n, math.ceil(n * q + _BINOMIAL_WINDOW_SIGMAS * (sigma + 1)))
    weights = _binomial_weights(n, q, first, last)
    below = np.cumsum(weights)  # below[i] = P(B <= first + i)
    at_least = np.cumsum(weights[::-1])[::-1]  # at_least[i] = P(B >= first + i)
    lower = first + int(np.count_nonzero(below <= tail))
    above = np.flatnonzero(at_least <= tail)
    if lower < 1 or above.size == 0:
        return None
    return lower, first + int(above[0])


def _binomial_weights(n: int, q: float, first: int, last: int) -> FloatArray:
    """P(B = k) for first <= k <= last, B binomial (n, q), through logarithms."""
    log_start = (
        math.lgamma(n + 1)
        - math.lgamma(first + 1)
        - math.lgamma(n - first + 1)
        + first * math.log(q)
        + (n - first) * math.log1p(-q)
    )
    k = np.arange(first + 1, last + 1, dtype=np.float64)
    steps = np.log((n - k + 1) / k) + math.log(q) - math.log1p(-q)
    weights: FloatArray = np.exp(np.concatenate(([log_start], log_start + np.cumsum(steps))))
    return weights


def samples_needed(q: float, confidence: float = CONFIDENCE) -> int:
    """Return the smallest n for which a quantile has a two-sided interval.

    The highest sample must lie above the quantile, and the lowest below it, with 1 - a/2 each:
    max(q, 1-q)^n <= a/2. For 95 %: 6 for the median, 368 for p99, 3688 for p99.9.
    """
    return math.ceil(math.log((1 - confidence) / 2) / math.log(max(q, 1 - q)))


def supports_quantile(n: int, q: float) -> bool:
    """True if n samples suffice to state the quantile with a 95 % interval."""
    return n >= samples_needed(q)


def quantile_interval(
    distribution: Distribution, q: float, confidence: float = CONFIDENCE
) -> Interval | None:
    """Return the order-statistic interval of a quantile, or None if there are too few samples."""
    ranks = interval_ranks(distribution.n, q, confidence)
    if ranks is None:
        return None
    lower, upper = ranks
    lower_group = np.searchsorted(np.cumsum(distribution.counts), lower)
    return Interval(
        int(distribution.lower_ns[lower_group]), distribution.value_at_rank(upper), confidence
    )


def bin_counts(
    distribution: Distribution, bins: int = 80, limits_ns: tuple[int, int] | None = None
) -> Bins:
    """Bin a distribution: logarithmically where it spans more than a factor of 10, else linearly.

    A bucket that is wider than a bin is spread over the bins evenly, so counts need not be whole.

    Args:
        distribution: At least one sample.
        bins: Number of bins, >= 1.
        limits_ns: Smallest and largest value to cover, to give two distributions the same bins;
            the range of the distribution if None.
    """
    low, high = limits_ns or (distribution.min_ns, distribution.max_ns)
    is_log = low > 0 and high > LOG_AXIS_RATIO * low
    if is_log:
        edges = np.geomspace(low, high + 1, bins + 1)
        edges[0], edges[-1] = low, high + 1  # geomspace may round past the smallest sample
    else:
        edges = _linear_edges(low, high, bins)
    lower = distribution.lower_ns.astype(np.float64)
    width = (distribution.upper_ns - distribution.lower_ns + 1).astype(np.float64)
    cumulative = np.concatenate(([0.0], np.cumsum(distribution.counts, dtype=np.float64)))
    group = np.searchsorted(lower, edges, side="right") - 1
    inside = np.clip(group, 0, None)
    share = np.clip((edges - lower[inside]) / width[inside], 0.0, 1.0)
    if distribution.is_exact:
        share = (edges > lower[inside]).astype(np.float64)
    at_edge = cumulative[inside] + share * distribution.counts[inside]
    at_edge[group < 0] = 0.0
    return Bins(edges, np.diff(at_edge), is_log)


def _linear_edges(low: int, high: int, bins: int) -> FloatArray:
    """Edges at whole nanoseconds, so that every bin can hold equally many values."""
    step = max(1, math.ceil((high - low + 1) / bins))
    count = math.ceil((high - low + 1) / step)
    return (low + step * np.arange(count + 1)).astype(np.float64)


def tail_points(distribution: Distribution, max_points: int = 500) -> tuple[IntArray, FloatArray]:
    """Return x and the share of samples >= x, decimated by rank.

    The largest sample has the share 1/n, so that every sample can be drawn on a logarithmic axis.
    The extreme samples are kept; ranks below them are thinned logarithmically.
    """
    n = distribution.n
    reached = n - np.concatenate(([0], np.cumsum(distribution.counts)[:-1]))
    if reached.size > max_points:
        steps = np.geomspace(1, n, max_points)
        # First group at which at most that many samples are reached; the ends are always in.
        picked = np.unique(
            np.searchsorted(-reached, -steps, side="left").clip(max=reached.size - 1)
        )
        picked = np.union1d(picked, [0, reached.size - 1])
    else:
        picked = np.arange(reached.size)
    return distribution.upper_ns[picked], reached[picked] / n


def decimate_min_max(values: NDArray[np.generic], max_points: int = 2000) -> IntArray:
    """Return the indices to draw: first, last, smallest and largest of each of max_points/4 slices.

    No extreme is ever lost, and a drawn line keeps its envelope.

    Args:
        values: Shape (n,), in drawing order.
        max_points: Most indices returned, >= 4; all are returned if n is not larger.
    """
    n = len(values)
    if n <= max_points:
        return np.arange(n, dtype=np.int64)
    edges = np.linspace(0, n, max_points // 4 + 1).astype(np.int64)
    kept: list[int] = []
    for start, stop in itertools.pairwise(edges):
        part = values[start:stop]
        kept += [start, start + np.argmin(part), start + np.argmax(part), stop - 1]
    return np.unique(np.asarray(kept, dtype=np.int64))


def compare(
    alone: Distribution, interfered: Distribution, quantiles: Sequence[float] = (0.5, 0.99, 0.999)
) -> Comparison:
    """Compare a task alone with the same task interfered.

    Only quantiles that both sample counts support are compared; the maxima are added as q = 1.
    """
    n = min(alone.n, interfered.n)
    chosen = [q for q in quantiles if supports_quantile(n, q)] + [1.0] if n else []
    shifts = tuple(Shift(q, alone.quantile_ns(q), interfered.quantile_ns(q)) for q in chosen)
    if not n:
        return Comparison(alone.n, interfered.n, None, None, shifts)
    median_ratio = _ratio(interfered.quantile_ns(0.5), alone.quantile_ns(0.5))
    return Comparison(
        alone.n, interfered.n, median_ratio, _ratio(interfered.max_ns, alone.max_ns), shifts
    )


def _ratio(interfered_ns: int, alone_ns: int) -> float | None:
    return interfered_ns / alone_ns if alone_ns > 0 else None
