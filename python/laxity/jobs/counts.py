# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What was counted in the jobs of one task."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from laxity.core.streams import RATIO_SUFFIX
from laxity.jobs.rows import Jobs, finished


@dataclass(frozen=True, slots=True)
class CountSummary:
    """One event over the finished jobs in which it was counted.

    Attributes:
        n: Jobs in which it was counted.
        n_absent: Finished jobs in which it was not: the kernel gave the counter to others.
        min_count: Smallest estimate.
        median_count: Median, by nearest rank.
        max_count: Largest.
        worst_ratio: Largest ratio of time enabled to time counted; 1 = nothing was estimated.
    """

    n: int
    n_absent: int
    min_count: int
    median_count: int
    max_count: int
    worst_ratio: float


@dataclass(frozen=True, slots=True)
class Counted:
    """One event in finished jobs, in the order of their rows.

    Attributes:
        counts: Estimates; 0 where it was not counted; shape (job,).
        is_counted: Where it was; shape (job,).
        worst_ratio: Largest ratio of time enabled to time counted; 1 = nothing was estimated.
    """

    counts: NDArray[np.int64]
    is_counted: NDArray[np.bool_]
    worst_ratio: float


def counted_in(done: Jobs, event: str, empty_count: float) -> Counted | None:
    """Take what was counted in each job.

    A count is the raw one times its scale ratio, less what an empty pair of snapshots counts, and
    not below 0: what reading costs varies from job to job, but no job has fewer than none.

    Args:
        done: Finished jobs of the task; shape (job,).
        event: Name of the event.
        empty_count: Count of an empty pair of snapshots.

    Returns:
        None if there is no such column, or no job in which it was counted.
    """
    if event not in (done.dtype.names or ()):
        return None
    is_counted = ~np.ma.getmaskarray(done[event])
    if not is_counted.any():
        return None
    ratios = np.ma.getdata(done[event + RATIO_SUFFIX]).astype(float)
    scaled = np.where(is_counted, np.ma.getdata(done[event]) * ratios - empty_count, 0)
    counts = np.rint(np.maximum(scaled, 0)).astype(np.int64)
    return Counted(counts, is_counted, float(ratios[is_counted].max()))


def summarize_counts(rows: Jobs, event: str, empty_count: float) -> CountSummary | None:
    """Summarize one event of one task, as `counted_in` counts it.

    Args:
        rows: Rows of the task; shape (row,).
        event: Name of the event.
        empty_count: Count of an empty pair of snapshots.

    Returns:
        None if there is no such column, or no finished job in which it was counted.
    """
    counted = counted_in(finished(rows), event, empty_count)
    if counted is None:
        return None
    estimates = np.sort(counted.counts[counted.is_counted])
    n = len(estimates)
    return CountSummary(
        n=n,
        n_absent=len(counted.counts) - n,
        min_count=int(estimates[0]),
        median_count=int(estimates[(n - 1) // 2]),
        max_count=int(estimates[-1]),
        worst_ratio=counted.worst_ratio,
    )
