# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Count how often threads have blocked so far, from a trace that is still being written."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

from laxity.core.streams import SchedKind
from laxity.errors import RecordError
from laxity.store.npy import read_header

Rows: TypeAlias = Any  # structured array of sched.npy
# Rows read at once: 40 MB; what is new since the last look is far less.
_MOST_ROWS = 1_000_000


class BlockCounter:
    """Reads the new rows of sched.npy at each look; the recorder writes them twice a second."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._n_read = 0
        self._counts: dict[int, int] = {}

    def most(self, tids: Iterable[int]) -> int:
        """Tell how often that of some threads has blocked that did so most often.

        The first block ends a stretch whose begin may not have been seen; it does not count.
        """
        import numpy as np  # noqa: PLC0415 - takes longer to load than most commands to run

        wanted = np.array(sorted(tids), np.int64)
        while (rows := self._new_rows()) is not None and len(rows):
            is_block = (rows["kind"] == SchedKind.OFF) & (rows["preempted"] == 0)
            blocked, counts = np.unique(rows["tid"][is_block], return_counts=True)
            for tid, count in zip(blocked.tolist(), counts.tolist(), strict=True):
                self._counts[tid] = self._counts.get(tid, 0) + count
        return max((self._counts.get(tid, 0) - 1 for tid in wanted.tolist()), default=0)

    def _new_rows(self) -> Rows | None:
        """Read rows that have come since the last look; None if the stream is not there yet."""
        import numpy as np  # noqa: PLC0415 - as above

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
