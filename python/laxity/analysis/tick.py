# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The periodic tick of a kernel, found in the gaps of a task that only takes time stamps.

Every period that kernels are built with is tried: gaps are folded over it, and the phase in which
most of them begin is the tick's, if there is a gap at most of the instants it names. Where a kernel
stops its tick (NO_HZ_FULL), or has another period, none is found.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]

# CONFIG_HZ of every architecture that Linux has, fastest first: a slower one sees its ticks too.
RATES_HZ = (1024, 1000, 300, 256, 250, 128, 100, 64, 48, 32, 24)
# Interrupts wait for each other and for sections that mask them.
PHASE_WIDTH_NS = 50_000
# Of the instants at which the tick must come, and how much more often than by chance.
LEAST_SHARE = 0.5
LEAST_EXCESS = 2.0
LEAST_INSTANTS = 6
_NS_PER_S = 10**9


@dataclass(frozen=True, slots=True)
class Gaps:
    """Gaps of one CPU in order of time, and the windows in which they were looked for."""

    starts_ns: IntArray
    lengths_ns: IntArray
    windows: Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Tick:
    """A tick that was found.

    Attributes:
        rate_hz: The CONFIG_HZ that fits.
        lengths_ns: One gap per tick that shows, shape (n,).
        periods_ns: From one tick to the next one in the same window.
        n_expected: Instants at which there should be one.
    """

    rate_hz: int
    lengths_ns: IntArray
    periods_ns: IntArray
    n_expected: int


def find_tick(gaps: Gaps) -> Tick | None:
    """Find the tick; None: gaps of no known period come often enough."""
    if not gaps.starts_ns.size:
        return None
    for rate_hz in RATES_HZ:
        tick = _at_rate(gaps, rate_hz)
        if tick is not None:
            return tick
    return None


def _at_rate(gaps: Gaps, rate_hz: int) -> Tick | None:
    # As the kernel rounds it (TICK_NSEC).
    period_ns = (_NS_PER_S + rate_hz // 2) // rate_hz
    epoch_ns = int(gaps.starts_ns[0])
    first_ns = epoch_ns + _fullest_phase_ns((gaps.starts_ns - epoch_ns) % period_ns, period_ns)
    numbers = (gaps.starts_ns - first_ns) // period_ns
    is_near = (gaps.starts_ns - first_ns) % period_ns < PHASE_WIDTH_NS
    expected = _expected_numbers(gaps.windows, first_ns, period_ns)
    is_near &= np.isin(numbers, expected)
    found, chosen = _longest_each(numbers[is_near], np.flatnonzero(is_near), gaps.lengths_ns)
    if expected.size < LEAST_INSTANTS:
        return None
    spanned_ns = sum(until - since for since, until in gaps.windows)
    by_chance = min(1.0, gaps.starts_ns.size * PHASE_WIDTH_NS / spanned_ns)
    share = found.size / expected.size
    if share < LEAST_SHARE or share < LEAST_EXCESS * by_chance:
        return None
    steps_ns = np.diff(gaps.starts_ns[chosen])
    return Tick(
        rate_hz=rate_hz,
        lengths_ns=gaps.lengths_ns[chosen],
        periods_ns=steps_ns[np.diff(found) == 1],
        n_expected=int(expected.size),
    )


def _fullest_phase_ns(phases_ns: IntArray, period_ns: int) -> int:
    """Give the start of the stretch of PHASE_WIDTH_NS in which most gaps begin, going round."""
    ordered = np.sort(phases_ns)
    around = np.concatenate([ordered, ordered + period_ns])
    counts = np.searchsorted(around, ordered + PHASE_WIDTH_NS) - np.arange(ordered.size)
    return int(ordered[np.argmax(counts)])


def _expected_numbers(
    windows: Sequence[tuple[int, int]], first_ns: int, period_ns: int
) -> IntArray:
    """Number the ticks whose whole stretch lies within a window."""
    numbers = [
        np.arange(
            -((first_ns - since) // period_ns),
            (until - PHASE_WIDTH_NS - first_ns) // period_ns + 1,
        )
        for since, until in windows
    ]
    return np.concatenate(numbers).astype(np.int64) if numbers else np.zeros(0, np.int64)


def _longest_each(
    numbers: IntArray, indices: NDArray[np.intp], lengths_ns: IntArray
) -> tuple[IntArray, NDArray[np.intp]]:
    """Keep the longest gap of each tick: its number and its index."""
    order = np.lexsort((lengths_ns[indices], numbers))
    is_last = np.append(np.diff(numbers[order]) != 0, numbers.size > 0)[: numbers.size]
    return numbers[order][is_last], indices[order][is_last]
