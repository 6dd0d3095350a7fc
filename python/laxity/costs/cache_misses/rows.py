# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a pass takes and misses: jobs that make some passes against jobs that make twice as many."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from laxity.jobs.counts import counted_in
from laxity.jobs.rows import Jobs, execution_ns, finished

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Passes:
    """A pass in each pair of jobs, behind the first pair: the additional ones, their mean.

    What a job does before its passes, and misses in the first of them, is in neither.

    Attributes:
        misses: Counted; shape (pair,).
        time_ns: Of execution, likewise.
        worst_ratio: Largest ratio of time enabled to time counted; 1: counted all the time.
    """

    misses: FloatArray
    time_ns: FloatArray
    worst_ratio: float


def passes_of(short: Jobs, long: Jobs, event: str, passes: int) -> Passes | None:
    """Subtract jobs of the same number.

    Args:
        short: Rows of the task that makes `passes`.
        long: Rows of the task that makes twice as many.
        event: What was counted.
        passes: How many.

    Returns:
        None if there is no pair of jobs in which it was counted.
    """
    short, long = finished(short), finished(long)
    jobs, at, other = np.intersect1d(short["job"], long["job"], return_indices=True)
    pairs = (short[at[jobs > 0]], long[other[jobs > 0]])
    # Costs of reading are the same in both.
    counted = [counted_in(one, event, 0) for one in pairs]
    times = [execution_ns(one) for one in pairs]
    if counted[0] is None or counted[1] is None or times[0] is None or times[1] is None:
        return None
    is_whole = counted[0].is_counted & counted[1].is_counted
    if not is_whole.any():
        return None
    misses = (counted[1].counts - counted[0].counts)[is_whole] / passes
    time_ns = np.ma.getdata(times[1] - times[0])[is_whole] / passes
    return Passes(misses, time_ns, max(counted[0].worst_ratio, counted[1].worst_ratio))
