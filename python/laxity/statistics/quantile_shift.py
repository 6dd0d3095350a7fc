# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""By how much a quantile of one run lies above that of another, with a 95 % interval.

Each quantile has its interval from order statistics, their ranks those of as many independent
samples as the jobs are worth (`dependence`). Both intervals give that of the difference.
Nothing is drawn at random, so that the same runs always give the same answer. (A block bootstrap of
p99.9 of a few thousand jobs would draw the same few largest samples again and again.)
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from laxity.statistics.dependence import IntArray, dependence_at
from laxity.statistics.distribution import interval_ranks, quantile_rank, samples_needed

_ranks_of = lru_cache(maxsize=256)(interval_ranks)


@dataclass(frozen=True, slots=True)
class Estimate:
    """One quantile of one sample, nanoseconds.

    `low_ns` and `high_ns` are None where `reason` says why there is no interval; `n_effective`:
    as many independent samples would tell as much.
    """

    value_ns: int
    n: int
    n_effective: int | None = None
    low_ns: int | None = None
    high_ns: int | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Shift:
    """A difference with its 95 % interval, nanoseconds; without one `low_ns` is None."""

    shift_ns: int
    low_ns: int | None
    high_ns: int | None

    @property
    def is_shown(self) -> bool:
        """Whether zero is outside the interval."""
        return (
            self.low_ns is not None
            and self.high_ns is not None
            and not self.low_ns <= 0 <= self.high_ns
        )


def estimate_quantile(
    values_ns: IntArray, q: float, ordered_ns: IntArray | None = None
) -> Estimate:
    """Estimate a quantile of the jobs of a run.

    Args:
        values_ns: In order of time, at least one.
        q: 0 < q < 1.
        ordered_ns: The same in order of size, where the caller has them.
    """
    n = values_ns.size
    ordered = np.sort(values_ns) if ordered_ns is None else ordered_ns
    value_ns = int(ordered[quantile_rank(n, q) - 1])
    needed = samples_needed(q)
    if n < needed:
        return Estimate(value_ns, n, reason=f"{n} jobs, {needed} are needed")
    found = dependence_at(values_ns, value_ns)
    n_effective = max(int(n / found.inflation_ratio), 1)
    if not found.is_resolved:
        reason = f"jobs are alike over stretches too long for {n} of them"
        return Estimate(value_ns, n, n_effective, reason=reason)
    if n_effective < needed:
        reason = f"{n} jobs are worth {n_effective} independent ones, {needed} are needed"
        return Estimate(value_ns, n, n_effective, reason=reason)
    low, high = _stretched(_ranks_of(n_effective, q) or (1, n_effective), n_effective, n)
    return Estimate(value_ns, n, n_effective, int(ordered[low - 1]), int(ordered[high - 1]))


def _stretched(ranks: tuple[int, int], n_effective: int, n: int) -> tuple[int, int]:
    """Return the ranks among n samples that lie where these lie among `n_effective`, or outside."""
    low = math.floor(ranks[0] * (n + 1) / (n_effective + 1))
    high = math.ceil(ranks[1] * (n + 1) / (n_effective + 1))
    return max(low, 1), min(high, n)


def shift_between(base: Estimate, new: Estimate) -> Shift:
    """Subtract one estimate from another.

    Source:
        Zou, Donner, "Construction of confidence limits about effect measures: a general approach",
        Statistics in Medicine 27 (2008), eq. for a difference: l = d - sqrt((b - l_b)^2 +
        (u_a - a)^2), u = d + sqrt((u_b - b)^2 + (a - l_a)^2).
    """
    shift_ns = new.value_ns - base.value_ns
    if base.low_ns is None or base.high_ns is None or new.low_ns is None or new.high_ns is None:
        return Shift(shift_ns, None, None)
    below = math.hypot(new.value_ns - new.low_ns, base.high_ns - base.value_ns)
    above = math.hypot(new.high_ns - new.value_ns, base.value_ns - base.low_ns)
    return Shift(shift_ns, math.floor(shift_ns - below), math.ceil(shift_ns + above))
