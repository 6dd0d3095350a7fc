# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a reader looks at before trusting a fitted tail: quantiles against it, and other thresholds.

Pictures, not gates: those of pwcet.py decide.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laxity.statistics.pareto_tail import explore, fit_tail, shape_interval, tail_quantile
from laxity.statistics.pwcet import CONFIDENCE, TAIL_SHARE, tail_size

FloatArray: TypeAlias = NDArray[np.float64]

# Shares of samples above a threshold: from where a tail hardly begins to where few are left.
SHARES: Final = (0.2, 0.15, TAIL_SHARE, 0.07, 0.05, 0.035, 0.025)
# Fewer excesses, and the interval of the shape says nothing.
_FEWEST = 30
# The two least different excesses that a fit needs.
_FEWEST_VALUES = 2


@dataclass(frozen=True, slots=True)
class ThresholdFit:
    """The shape above one threshold; `low` to `high` is its 95 % interval."""

    share: float
    threshold_ns: float
    n: int
    shape: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class TailView:
    """A tail beside its fit.

    Attributes:
        expected_ns: Quantiles of the fit, ascending, one per excess, on top of the threshold.
        observed_ns: The samples themselves, ascending.
        thresholds: From the lowest threshold on.
    """

    expected_ns: FloatArray
    observed_ns: FloatArray
    thresholds: tuple[ThresholdFit, ...]


def view_tail(samples_ns: NDArray[np.int64]) -> TailView | None:
    """Lay the tail of samples beside the fit that pwcet.py makes.

    Args:
        samples_ns: Any order.

    Returns:
        None where too few values differ for any fit.
    """
    ordered = np.sort(samples_ns.astype(np.float64))
    thresholds = tuple(one for one in (_at(ordered, share) for share in SHARES) if one is not None)
    threshold, excesses = _above(ordered, tail_size(ordered.size))
    if np.unique(excesses).size < _FEWEST_VALUES:
        return None
    tail = fit_tail(excesses)
    # Plotting positions of Hazen: the i-th of n stands for (i - 1/2) / n.
    rarer = excesses.size / (excesses.size - np.arange(1, excesses.size + 1) + 0.5)
    expected = np.array([tail_quantile(tail.shape, tail.scale, float(one)) for one in rarer])
    return TailView(threshold + expected, threshold + excesses, thresholds)


def _above(ordered: FloatArray, n_above: int) -> tuple[float, FloatArray]:
    threshold = float(ordered[-n_above - 1])
    return threshold, ordered[ordered > threshold] - threshold


def _at(ordered: FloatArray, share: float) -> ThresholdFit | None:
    threshold, excesses = _above(ordered, int(ordered.size * share))
    if excesses.size < _FEWEST or np.unique(excesses).size < _FEWEST_VALUES:
        return None
    tail = fit_tail(excesses)
    low, high = shape_interval(explore(excesses), CONFIDENCE)
    return ThresholdFit(share, threshold, tail.n, tail.shape, low, high)
