# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How often working sets of which size occur: a row of Raffeck's heat map, pure."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.int64]

# Of the paper: each column is a tenth of the range of its program.
COLUMNS = 10
# Of them, those that are called near the worst case.
HIGHEST = 2


def extent(bits: NDArray[np.float64]) -> tuple[int | None, int | None, int | None]:
    """Return minimum, median and maximum of sizes; the median by nearest rank: a size that occurs.

    Args:
        bits: shape (instruction,), at least one; infinite: unbounded.

    Returns:
        None in place of what is unbounded.
    """
    ordered = np.sort(bits)
    chosen = (ordered[0], ordered[(len(ordered) - 1) // 2], ordered[-1])
    least, median, most = (int(one) if np.isfinite(one) else None for one in chosen)
    return least, median, most


def columns_of(live_bits: Bits) -> NDArray[np.int64]:
    """Tell for each instruction into which tenth of the range its working set falls.

    A program whose working sets are all of one size has no range: all are in the last column, for
    all of them are the worst case.

    Args:
        live_bits: shape (instruction,).

    Returns:
        0 to 9; the upper end of the range belongs to the last column.

    Source:
        Raffeck et al., section IV: "normalized to the interval of its respective minimum and
        maximum size. [...] Each column represents a tenth of the WSS interval".
    """
    if not live_bits.size:
        return np.zeros(0, dtype=np.int64)
    low, high = int(live_bits.min()), int(live_bits.max())
    if low == high:
        return np.full(live_bits.shape, COLUMNS - 1, dtype=np.int64)
    # In integers: a size at the border of two tenths must not depend on rounding.
    return np.minimum((live_bits - low) * COLUMNS // (high - low), COLUMNS - 1)


def count_columns(live_bits: Bits, weights: NDArray[Any]) -> list[float]:
    """Count the working sets of each tenth.

    Args:
        live_bits: shape (instruction,).
        weights: shape (instruction,), how often each instruction counts, >= 0.
    """
    counts = np.bincount(columns_of(live_bits), weights=weights, minlength=COLUMNS)
    return [float(one) for one in counts]


def share_of_highest(counts: Sequence[float]) -> float | None:
    """Return the share of what occurs in the two highest tenths; None: nothing occurs.

    Returns:
        0 to 1. "Near the worst case most of the time" is a share near 1.
    """
    total = sum(counts)
    return sum(counts[-HIGHEST:]) / total if total else None


def normalise(counts: Sequence[float]) -> list[float]:
    """Normalise the occurrences of one program to 0 for the rarest tenth and 1 for the commonest.

    Where all are equally common none is common: zeros.

    Source:
        Raffeck et al., section IV: "the occurrence frequency is normalized in the same way".
    """
    low, high = min(counts), max(counts)
    if low == high:
        return [0.0] * len(counts)
    return [(one - low) / (high - low) for one in counts]
