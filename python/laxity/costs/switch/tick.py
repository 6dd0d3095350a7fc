# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The periodic tick of a kernel, found in the gaps of a task that only takes time stamps.

Every period that kernels are built with is tried: gaps are folded over it, and the phase at most of
whose instants one begins is the tick's, if that is not so at the other phases too. Where a kernel
stops its tick (NO_HZ_FULL) none is found; of a rate that is not among those tried one may be that
divides it. Who else comes at such a period and interrupts the task looks the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]

# CONFIG_HZ of every architecture that Linux has, fastest first: a slower one sees its ticks too.
RATES_HZ = (1024, 1000, 500, 300, 256, 250, 200, 128, 100, 64, 48, 32, 24)
# Interrupts wait for each other and for sections that mask them. Phases overlap by half.
PHASE_WIDTH_NS = 50_000
_STEP_NS = PHASE_WIDTH_NS // 2
# Of the instants at which the tick must come, and how much more often than at other phases. Ticks
# at half the rate are at half of the instants.
LEAST_SHARE = 0.6
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
    phase_ns, elsewhere = _fullest_phase(gaps.starts_ns - epoch_ns, period_ns)
    first_ns = epoch_ns + phase_ns
    numbers = (gaps.starts_ns - first_ns) // period_ns
    is_near = (gaps.starts_ns - first_ns) % period_ns < PHASE_WIDTH_NS
    expected = _expected_numbers(gaps.windows, first_ns, period_ns)
    is_near &= np.isin(numbers, expected)
    found, chosen = _longest_each(numbers[is_near], np.flatnonzero(is_near), gaps.lengths_ns)
    if expected.size < LEAST_INSTANTS or found.size < LEAST_SHARE * expected.size:
        return None
    if found.size < LEAST_EXCESS * elsewhere:
        return None
    steps_ns = np.diff(gaps.starts_ns[chosen])
    return Tick(
        rate_hz=rate_hz,
        lengths_ns=gaps.lengths_ns[chosen],
        periods_ns=steps_ns[np.diff(found) == 1],
        n_expected=int(expected.size),
    )


def _fullest_phase(offsets_ns: IntArray, period_ns: int) -> tuple[int, float]:
    """Find the phase at most of whose instants a gap begins.

    Several gaps at one instant count once: what comes in bursts does not make a phase.

    Returns:
        Its start, and at how many instants a gap begins at the median of all phases.
    """
    n_phases = -(-period_ns // _STEP_NS)
    hits = np.zeros(n_phases, dtype=np.int64)
    for parity in (0, 1):
        # Every second phase: these do not overlap, so a gap is in one of them.
        shifted = offsets_ns - parity * _STEP_NS
        phase = 2 * (shifted % period_ns // PHASE_WIDTH_NS) + parity
        instants = np.unique(np.stack([phase, shifted // period_ns]), axis=1)
        hits += np.bincount(instants[0], minlength=n_phases + 1)[:n_phases]
    return int(np.argmax(hits)) * _STEP_NS, float(np.median(hits))


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
