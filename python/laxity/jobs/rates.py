# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How fast events came, from the samples of the counters (counters.npy)."""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Samples: TypeAlias = Any  # masked structured array of counters.npy
FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
_NS_PER_S = 1e9


@dataclass(frozen=True, slots=True)
class Rates:
    """One event between its samples; times in ns since t0.

    Attributes:
        edges_ns: t0 and the samples; shape (sample + 1,).
        counts: What was counted since t0 by each of them; shape (sample + 1,).
        is_exact: It was counted all the time; otherwise counts are estimates.
    """

    edges_ns: FloatArray
    counts: FloatArray
    is_exact: bool

    @property
    def n(self) -> int:
        """How many samples there are."""
        return len(self.edges_ns) - 1

    @property
    def per_s(self) -> FloatArray:
        """Rates between successive samples, per second; shape (sample,)."""
        return np.diff(self.counts) / np.diff(self.edges_ns) * _NS_PER_S

    @property
    def mean_per_s(self) -> float:
        """Rate from t0 to the last sample, per second."""
        return float(self.counts[-1] / self.edges_ns[-1] * _NS_PER_S)

    def thinned(self, most: int) -> "Rates":
        """Leave samples out so that at most so many are left; the rates are those of longer times.

        Args:
            most: Above 0.
        """
        step = -(-self.n // most)
        kept = np.union1d(np.arange(0, self.n + 1, step), [self.n])
        return Rates(self.edges_ns[kept], self.counts[kept], self.is_exact)


def cpus_of(samples: Samples) -> list[int]:
    """Name the CPUs that interrupts have sampled; none: the samples are of tasks or a platform."""
    if "cpu" not in (samples.dtype.names or ()):
        return []
    return [int(cpu) for cpu in np.unique(np.ma.getdata(samples["cpu"]))]


def of_cpu(samples: Samples, cpu: int) -> Samples:
    """Return the rows of one of the CPUs that interrupts have sampled."""
    return samples[np.ma.getdata(samples["cpu"]) == cpu]


def rates_of(samples: Samples, task: int | None, event: int, t0_ns: int) -> Rates | None:
    """Tell how fast an event came.

    Args:
        samples: Rows of counters.npy; where they are of CPUs, those of one.
        task: Index of the task; None: the rows of no task, which are a whole platform's or a CPU's.
        event: Index of the event.
        t0_ns: When counting began.

    Returns:
        None if there is no sample in which it was counted.
    """
    of_nobody = np.ma.getmaskarray(samples["task"])
    is_of = of_nobody if task is None else ~of_nobody & (samples["task"].data == task)
    return _rates_of_rows(samples[is_of & (np.ma.getdata(samples["event"]) == event)], t0_ns)


def rates_of_threads(samples: Samples, tids: IntArray, event: int, t0_ns: int) -> Rates | None:
    """Tell how fast an event came on a CPU while threads ran there, from samples by interrupts.

    What was counted between two samples is theirs if one of them was interrupted by the second one;
    otherwise nothing of it is. The CPU is the one on which that was so most often.

    Args:
        samples: Rows of counters.npy, of CPUs.
        tids: Of the threads.
        event: Index of the event.
        t0_ns: When counting began.

    Returns:
        None if none of them was ever interrupted.
    """
    rows = samples[np.ma.getdata(samples["event"]) == event]
    seen = np.ma.getdata(rows["cpu"])[np.isin(np.ma.getdata(rows["tid"]), tids)]
    if not len(seen):
        return None
    cpus, counts = np.unique(seen, return_counts=True)
    rows = of_cpu(rows, int(cpus[counts.argmax()]))
    found = _rates_of_rows(rows, t0_ns)
    if found is None:
        return None
    ends_ns = np.ma.getdata(rows["time_ns"]) - t0_ns
    at = np.searchsorted(ends_ns, found.edges_ns[1:])
    is_theirs = np.isin(np.ma.getdata(rows["tid"])[at], tids)
    own = np.cumsum(np.where(is_theirs, np.diff(found.counts), 0.0))
    return Rates(found.edges_ns, np.concatenate([[0.0], own]), found.is_exact)


def _rates_of_rows(rows: Samples, t0_ns: int) -> Rates | None:
    """Tell it of rows of one counter, which ascend in time."""
    ratios = np.ma.getdata(rows["scale_ratio"]).astype(float)
    is_counted = ~np.ma.getmaskarray(rows["value"]) & np.isfinite(ratios)
    times_ns = np.ma.getdata(rows["time_ns"])[is_counted] - t0_ns
    counts = np.ma.getdata(rows["value"])[is_counted] * ratios[is_counted]
    is_later = np.diff(times_ns, prepend=0) > 0  # two samples of one time have no rate between
    times_ns, counts = times_ns[is_later], counts[is_later]
    if not len(times_ns):
        return None
    edges_ns = np.concatenate([[0.0], times_ns.astype(float)])
    is_exact = bool(np.all(ratios[is_counted] == 1))
    return Rates(edges_ns, np.concatenate([[0.0], counts]), is_exact)
