# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a run shows on a terminal while it lasts: how long the jobs of its tasks took so far.

Figures are those of buckets, at most 1/64 wide; exact ones are in the answer.
"""

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from laxity.core.schema import streams_schema
from laxity.core.spec import SIMULATED, Spec, TaskSpec
from laxity.core.standard_streams import is_unicode
from laxity.core.streams import Quantity
from laxity.core.text_table import format_table
from laxity.core.units import format_duration_ns
from laxity.statistics.distribution import Distribution, bin_counts, from_buckets
from laxity.store.live_segment import EDGES_NS, read_live

MOST_ROWS = 8
_BINS = 16
_BLOCKS, _PLAIN = " ▁▂▃▄▅▆▇█", " .:-=+*#@"
# In words, by their number.
_WORDS = tuple(streams_schema()["codes"]["quantity"].values())
_QUANTILES = (0.5, 0.99)
# Below that p99 is the maximum.
_FEWEST = 100


@dataclass(frozen=True, slots=True)
class LiveRow:
    """How long the jobs of a task took: shape of `counts`: (bucket,).

    `not_met` None: it has no deadline.
    """

    name: str
    quantity: str
    counts: NDArray[np.int64]
    not_met: int | None


def is_away_from(cpus: Iterable[int]) -> bool:
    """Tell whether this process may run on none of the measured CPUs."""
    return os.sched_getaffinity(0).isdisjoint(cpus)


class LiveRun:
    """Reads how a run does, from CPUs that it does not measure; where there are none, nothing."""

    def __init__(self, spec: Spec, tmp: Path) -> None:
        """Take the run, and the directory that it is written to."""
        self._tasks = spec.tasks
        self._segment = tmp / "segment"
        is_simulated = spec.platform.startswith(SIMULATED)
        self._cpus = () if is_simulated else [cpu for task in spec.tasks for cpu in task.cpus]

    def lines(self) -> Sequence[str]:
        """Make a table of the tasks, the first ones if there are many."""
        if not is_away_from(self._cpus):
            return ()
        tasks = read_live(self._segment, MOST_ROWS)
        rows = [
            _row_of(task, one.counts, one.not_met)
            for task, one in zip(self._tasks, tasks, strict=False)
        ]
        return live_lines(rows, len(self._tasks) - len(rows))


def _row_of(task: TaskSpec, counts: NDArray[np.int64], not_met: int) -> LiveRow:
    """Choose the response time; of programs whose releases are not known what there is."""
    known = [one for one in Quantity if counts[one].any()]
    quantity = min(known, default=Quantity(0))
    late = None if task.deadline_ns is None and not not_met else not_met
    return LiveRow(task.name, _WORDS[quantity], counts[quantity], late)


def live_lines(rows: Sequence[LiveRow], n_left_out: int) -> Sequence[str]:
    """Lay out a table; none while no job has finished."""
    rows = [one for one in rows if one.counts.any()]
    if not rows:
        return ()
    headers = (rows[0].quantity, "n", "min", "median", "p99", "max", "not met", "min to max")
    text = format_table(
        headers, [_cells(one, rows[0].quantity) for one in rows], right=(1, 2, 3, 4, 5, 6)
    )
    if n_left_out > 0:
        text += f"and {n_left_out} more\n"
    return (text if is_unicode() else text.replace("µ", "u")).splitlines()


def _cells(row: LiveRow, usual: str) -> tuple[str, ...]:
    found = from_buckets(EDGES_NS[:-1], EDGES_NS[1:], row.counts)
    median_ns, p99_ns = (found.quantile_ns(q) for q in _QUANTILES)
    times = [found.min_ns, median_ns, p99_ns, found.max_ns]
    cells = [format_duration_ns(one) for one in times]
    if found.n < _FEWEST:
        cells[2] = "-"
    not_met = "-" if row.not_met is None else str(row.not_met)
    name = row.name if row.quantity == usual else f"{row.name} ({row.quantity})"
    return (name, str(found.n), *cells, not_met, _histogram(found))


def _histogram(found: Distribution) -> str:
    """Draw counts by their logarithm: a single late job shall be seen beside thousands."""
    counts = bin_counts(found, _BINS).counts
    levels = _BLOCKS if is_unicode() else _PLAIN
    full = math.log1p(counts.max())
    return "".join(levels[math.ceil(math.log1p(one) / full * (len(levels) - 1))] for one in counts)
