# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What was counted in the jobs of one task."""

from dataclasses import dataclass

import numpy as np

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


def summarize_counts(rows: Jobs, event: str, empty_count: float) -> CountSummary | None:
    """Summarize one event of one task.

    A count is the raw one times its scale ratio, less what an empty pair of snapshots counts, and
    not below 0: what reading costs varies from job to job, but no job has fewer than none.

    Args:
        rows: Rows of the task; shape (row,).
        event: Name of the event.
        empty_count: Count of an empty pair of snapshots.

    Returns:
        None if there is no such column, or no finished job in which it was counted.
    """
    if event not in (rows.dtype.names or ()):
        return None
    done = finished(rows)
    is_counted = ~np.ma.getmaskarray(done[event])
    raw = np.ma.getdata(done[event])[is_counted]
    ratios = np.ma.getdata(done[event + RATIO_SUFFIX])[is_counted].astype(float)
    if not len(raw):
        return None
    estimates = np.sort(np.rint(np.maximum(raw * ratios - empty_count, 0)).astype(np.int64))
    n = len(estimates)
    return CountSummary(
        n=n,
        n_absent=len(done) - n,
        min_count=int(estimates[0]),
        median_count=int(estimates[(n - 1) // 2]),
        max_count=int(estimates[-1]),
        worst_ratio=float(ratios.max()),
    )
