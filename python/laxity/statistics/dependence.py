# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How many independent samples the jobs of one run are worth.

Jobs close in time are alike: what disturbs one often disturbs the next. A quantile of n such jobs
is known no better than one of n / t independent ones. Whether a sample exceeds the quantile is a
series of zeros and ones; t is the variance of its means over blocks against what independence
would give. The dependence differs from quantile to quantile: a burst of long jobs that does not
move the median may be all that p99 is made of.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]

# Fewer blocks, and their variance says nothing.
_FEWEST_BLOCKS = 8
# A dependence that reaches over b jobs shows in blocks of several b only.
_BLOCK_PER_REACH = 4
# Below this an inflation may be chance; it then counts, but proves no dependence.
_CHANCE = 2.0


@dataclass(frozen=True, slots=True)
class Dependence:
    """What n samples are worth for one quantile.

    Attributes:
        inflation_ratio: Variance against that of independent samples, at least 1.
        is_resolved: False: they are alike over stretches too long to tell from this many; the
            inflation is then too small.
    """

    inflation_ratio: float
    is_resolved: bool


def dependence_at(values_ns: IntArray, threshold_ns: int) -> Dependence:
    """Tell how alike neighbours are as to whether they exceed a threshold.

    Args:
        values_ns: In order of time, shape (job,).
        threshold_ns: The quantile that is asked for.

    Returns:
        The largest inflation over blocks of 2, 4, 8, ... samples.

    Source:
        Batch means: Law, Simulation Modeling and Analysis, sec. 9.5.3; of quantiles, through the
        indicator of exceeding: Seila, "A batching approach to quantile estimation", 1982.
    """
    exceeds = (values_ns > threshold_ns).astype(np.float64)
    variance = float(exceeds.var())
    if not variance:
        return Dependence(1.0, is_resolved=True)
    sums = np.concatenate([[0.0], np.cumsum(exceeds - exceeds.mean())])
    largest, block = 1.0, 1
    while values_ns.size // (2 * block) >= _FEWEST_BLOCKS:
        block *= 2
        n_blocks = values_ns.size // block
        of_blocks = np.diff(sums[: n_blocks * block + 1 : block])
        spread = float((of_blocks**2).sum()) / (n_blocks - 1)
        largest = max(largest, spread / block / variance)
    is_resolved = largest <= _CHANCE or _BLOCK_PER_REACH * largest <= block
    return Dependence(largest, is_resolved)
