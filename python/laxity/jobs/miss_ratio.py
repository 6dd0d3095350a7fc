# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Miss ratios over time, from the samples of counters (Sebek, section 3.2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from laxity.jobs.rates import Rates

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
# A window in which a task made fewer of its accesses than this share of what it made in its busiest
# one has a ratio of little weight: it is in the average, and neither drawn nor the highest.
BUSY_SHARE = 0.1
# A task that has been switched on may still reload in the window of the switch and in as many more.
_RELOADING = 2
_REFILL, _ACCESS, _EXTRINSIC = "_refill", "_access", "_extrinsic"
_INSTRUCTIONS = "instructions"


@dataclass(frozen=True, slots=True)
class Cache:
    """Which events are a cache's: `l1i_refill` of `l1i_access`, else of `instructions`.

    `extrinsic`: the event that counts which misses others caused; None: it was not counted.
    """

    name: str
    misses: str
    accesses: str
    extrinsic: str | None


def caches_of(events: Sequence[str]) -> tuple[Cache, ...]:
    """Tell of which caches there are miss ratios, by the names of the events."""
    found = []
    for event in events:
        name = event.removesuffix(_REFILL)
        accesses = next((one for one in (name + _ACCESS, _INSTRUCTIONS) if one in events), None)
        if name != event and accesses is not None:
            extrinsic = name + _EXTRINSIC if name + _EXTRINSIC in events else None
            found.append(Cache(name, event, accesses, extrinsic))
    return tuple(found)


@dataclass(frozen=True)
class MissRatio:
    """One cache, as one task or all cores used it, between samples: in windows.

    Attributes:
        misses: What was missed.
        accesses: Of how many.
        extrinsic: Of the misses: what others caused; None: that was not counted.
        switched_on_ns: When the task got a CPU, since t0; None: there is no scheduling trace.
    """

    misses: Rates
    accesses: Rates
    extrinsic: Rates | None = None
    switched_on_ns: FloatArray | None = None

    @cached_property
    def n_misses(self) -> FloatArray:
        """Misses of each window; shape (window,)."""
        return np.diff(self.misses.counts)

    @cached_property
    def n_accesses(self) -> FloatArray:
        """Accesses of each window; shape (window,)."""
        return np.diff(self.accesses.counts)

    @property
    def n(self) -> int:
        """How many windows have accesses."""
        return int((self.n_accesses > 0).sum())

    @cached_property
    def is_busy(self) -> BoolArray:
        """Whether a window has weight; shape (window,)."""
        least = BUSY_SHARE * float(self.n_accesses.max(initial=0))
        is_busy: BoolArray = (self.n_accesses > 0) & (self.n_accesses >= least)
        return is_busy

    @cached_property
    def ratio(self) -> FloatArray:
        """Misses per access; shape (window,), not a number where there is no access."""
        ratio = np.full(len(self.n_accesses), np.nan)
        np.divide(self.n_misses, self.n_accesses, out=ratio, where=self.n_accesses > 0)
        return ratio

    @property
    def mean(self) -> float:
        """Misses per access of all windows."""
        return _share(self.n_misses, self.n_accesses)

    @property
    def highest(self) -> float:
        """The highest ratio of a window that has weight; not a number if none has."""
        return float(self.ratio[self.is_busy].max()) if self.is_busy.any() else float("nan")

    @cached_property
    def is_quiet(self) -> BoolArray | None:
        """Whether the task had its CPU all along, and in the two windows before; shape (window,).

        None: there is no scheduling trace.
        """
        if self.switched_on_ns is None:
            return None
        windows = len(self.n_accesses)
        at = np.searchsorted(self.misses.edges_ns, self.switched_on_ns, "right") - 1
        is_quiet = self.n_accesses > 0
        for behind in range(_RELOADING + 1):
            is_quiet[np.clip(at + behind, 0, windows - 1)] = False
        return is_quiet

    @cached_property
    def quiet_mean(self) -> float | None:
        """Misses per access of the quiet windows; None: there is none."""
        if self.is_quiet is None or not self.is_quiet.any():
            return None
        return _share(self.n_misses[self.is_quiet], self.n_accesses[self.is_quiet])

    @property
    def n_quiet(self) -> int:
        """How many windows are quiet."""
        return 0 if self.is_quiet is None else int(self.is_quiet.sum())

    @property
    def extrinsic_share(self) -> float | None:
        """Which part of the misses others caused (Sebek, section 1.3); None: not counted.

        The quiet windows cannot tell it: how long a task reloads behind a switch is not known, what
        the probe evicts is in them, and so is what other cores evict of a cache that they share.
        """
        if self.extrinsic is None:
            return None
        missed = float(self.n_misses.sum())
        return float(self.extrinsic.counts[-1]) / missed if missed > 0 else None


def _share(misses: FloatArray, accesses: FloatArray) -> float:
    total = float(accesses.sum())
    return float(misses.sum()) / total if total > 0 else float("nan")
