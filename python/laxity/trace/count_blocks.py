# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How often threads have blocked so far, and how long after they were woken.

From a trace that is still being written: what is judged afterwards is made of the whole trace.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laxity.core.streams import SchedKind
from laxity.errors import RecordError
from laxity.store.live_segment import EDGES_NS
from laxity.store.npy import read_header

Rows: TypeAlias = Any  # structured array of sched.npy
IntArray = NDArray[np.int64]
# Rows read at once: 40 MB; what is new since the last look is far less.
_MOST_ROWS = 1_000_000
_KINDS = (SchedKind.OFF, SchedKind.ON, SchedKind.WAKEUP)


class ThreadBlocks:
    """What is known of a thread.

    Attributes:
        n: Stretches from a wake-up, or where none is traced from a start, to a block; not that
            before the first block, whose begin may not have been seen.
        n_late: Those longer than the deadline.
        counts: Their lengths, shape (bucket,) as of `EDGES_NS`.
    """

    def __init__(self, deadline_ns: int | None) -> None:
        """Take the deadline; None: none."""
        self.n = self.n_late = 0
        self.counts: IntArray = np.zeros(len(EDGES_NS) - 1, np.int64)
        self._deadline_ns = deadline_ns
        self._since_block: Rows | None = None

    def add(self, rows: Rows) -> None:
        """Take further rows of the thread; what was before its first block had begun unseen."""
        if self._since_block is not None:
            rows = np.concatenate([self._since_block, rows])
        rows = rows[np.argsort(rows["time_ns"], kind="stable")]
        time_ns, kind = rows["time_ns"], rows["kind"]
        blocks = np.flatnonzero((kind == SchedKind.OFF) & (rows["preempted"] == 0))
        if not blocks.size:
            return
        self._since_block = rows[blocks[-1] :]
        before_ns, block_ns = time_ns[blocks[:-1]], time_ns[blocks[1:]]
        wake_ns = _first_after(time_ns[kind == SchedKind.WAKEUP], before_ns)
        on_ns = _first_after(time_ns[kind == SchedKind.ON], before_ns)
        begin_ns = np.where(wake_ns <= block_ns, wake_ns, on_ns)
        length_ns = (block_ns - begin_ns)[begin_ns <= block_ns]
        self.n += len(before_ns)
        if self._deadline_ns is not None:
            self.n_late += int((length_ns > self._deadline_ns).sum())
        bucket = np.searchsorted(EDGES_NS, length_ns, side="right") - 1
        self.counts += np.bincount(bucket, minlength=len(self.counts))


def _first_after(times_ns: IntArray, after_ns: IntArray) -> IntArray:
    """Find for each moment the first of some times that is not before; the largest one if none."""
    never = np.iinfo(np.int64).max
    return np.append(times_ns, never)[np.searchsorted(times_ns, after_ns)]


class BlockCounter:
    """Reads the new rows of sched.npy at each look; the recorder writes them twice a second."""

    def __init__(self, path: Path, deadline_ns: int | None = None) -> None:
        """Take the stream, which need not be there yet, and the deadline of each stretch."""
        self._path = path
        self._deadline_ns = deadline_ns
        self._n_read = 0
        self._threads: dict[int, ThreadBlocks] = {}

    def look(self, tids: Iterable[int]) -> dict[int, ThreadBlocks]:
        """Read what is new of some threads, and tell what is known of those that have run."""
        wanted = sorted(tids)
        while (rows := self._new_rows()) is not None and len(rows):
            rows = rows[np.isin(rows["kind"], _KINDS) & np.isin(rows["tid"], wanted)]
            for tid in np.unique(rows["tid"]).tolist():
                known = self._threads.setdefault(tid, ThreadBlocks(self._deadline_ns))
                known.add(rows[rows["tid"] == tid])
        return {tid: self._threads[tid] for tid in wanted if tid in self._threads}

    def _new_rows(self) -> Rows | None:
        """Read rows that have come since the last look; None if the stream is not there yet."""
        try:
            header = read_header(self._path)
        except RecordError:
            return None
        dtype = np.dtype([(name, order + kind) for name, order, kind in header.columns])
        count = min(header.rows - self._n_read, _MOST_ROWS)
        offset = header.data_offset + self._n_read * header.row_bytes
        with self._path.open("rb") as file:
            rows = np.fromfile(file, dtype=dtype, count=max(count, 0), offset=offset)
        self._n_read += len(rows)
        return rows
