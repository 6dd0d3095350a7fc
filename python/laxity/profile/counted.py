# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What events were counted in the jobs of processes, and the ratios of their sums."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from laxity.jobs.counts import Counted, counted_in
from laxity.jobs.rows import execution_ns, finished
from laxity.jobs.run_data import snapshot_exec_ns
from laxity.profile.events import Ratio
from laxity.statistics.clusters import LEAST_PROCESSES, ratio_of_processes
from laxity.store.run_directory import Run

EXECUTION = "exec_ns"
_STALL = "stall_"
# Of one process: its columns by their names, all of the same jobs.
Columns = Mapping[str, Counted]


@dataclass(frozen=True, slots=True)
class Found:
    """The sums of a ratio over all jobs; `value` is None where the lower one is 0."""

    over: int
    under: int
    value: float | None
    low: float | None
    high: float | None
    n_processes: int
    n_jobs: int
    worst_ratio: float


def columns_of(run: Run) -> Columns:
    """Take what was counted in the finished jobs of the one task of a run.

    Raises:
        RecordError: The run is damaged.
    """
    done = finished(run.stream("jobs"))
    found = {
        event.name: counted
        for event in run.manifest.events
        if (counted := counted_in(done, event.name, event.empty_count or 0)) is not None
    }
    times = {EXECUTION: execution_ns(done, snapshot_exec_ns(run.manifest))}
    times |= {name: done[name] for name in done.dtype.names or () if name.startswith(_STALL)}
    for name, column in times.items():
        if column is not None and not np.ma.getmaskarray(column).all():
            counts = np.ma.filled(column, 0).astype(np.int64)
            found[name] = Counted(counts, ~np.ma.getmaskarray(column), 1.0)
    return found


def ratio_of(processes: Sequence[Columns], ratio: Ratio) -> Found | None:
    """Add columns up over all jobs in which all of them were counted.

    Args:
        processes: Columns of each.
        ratio: Which.

    Returns:
        None if there is no such job. With fewer than 20 processes there is no interval.
    """
    over, under, n_jobs, worst = [], [], 0, 1.0
    for columns in processes:
        parts = [columns[name] for name in (*ratio.over, ratio.under) if name in columns]
        if len(parts) <= len(ratio.over):
            continue
        is_whole = np.logical_and.reduce([one.is_counted for one in parts])
        if not is_whole.any():
            continue
        sums = [int(one.counts[is_whole].sum()) for one in parts]
        over.append(sum(sums[:-1]))
        under.append(sums[-1])
        n_jobs += int(np.count_nonzero(is_whole))
        worst = max(worst, *(one.worst_ratio for one in parts))
    if not n_jobs:
        return None
    above, below = sum(over), sum(under)
    low, high = None, None
    if below and len(over) >= LEAST_PROCESSES:
        low, high = ratio_of_processes(over, under)
    value = above / below if below else None
    return Found(above, below, value, low, high, len(over), n_jobs, worst)
