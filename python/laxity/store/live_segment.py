# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How the jobs of a run that goes on did so far, from the segment that its processes share.

The process that writes jobs.npy counts there, off the measured CPUs. Nothing else of a task is
read: a look at a line that the task writes would take it from the task's cache. Layout:
native/harness/segment.h, of one version; of another one nothing is told.
"""

import os
import struct
import sys
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from laxity.core.streams import Quantity

# native/base/histogram.h: 64 buckets per power of two, exact below 64 ns, one for what is negative.
_SUB, _LARGEST_SHIFT = 64, 56
_SHIFTS = range(_LARGEST_SHIFT + 1)
EDGES_NS: NDArray[np.int64] = np.concatenate(
    [
        [-1, *range(_SUB)],
        *(np.arange(_SUB, 2 * _SUB, dtype=np.int64) << shift for shift in _SHIFTS),
        [np.iinfo(np.int64).max],
    ]
)
# native/harness/segment.h
_HEAD = struct.Struct("=IIQI")
MAGIC, VERSION = 0x4C415831, 19
HEADER_BYTES, TASK_BYTES = 342_592, 101_120
# Of struct laxity_task.
NOT_MET_AT, HISTOGRAMS_AT = 11_920, 12_008
_N_COUNTS = len(Quantity) * (len(EDGES_NS) - 1)
_COUNT_BYTES = 8


@dataclass(frozen=True, slots=True)
class LiveTask:
    """What has become of a task's jobs so far.

    Attributes:
        counts: Finished jobs, shape (quantity, bucket); a bucket lies between two of `EDGES_NS`.
    """

    not_met: int
    counts: NDArray[np.int64]


def read_live(path: Path, most_tasks: int) -> list[LiveTask]:
    """Read how the first tasks of a run did.

    Counts go on while they are read, each on its own.

    Args:
        path: The segment.
        most_tasks: So many tasks at most.

    Returns:
        A task each; none: there is no segment, or one of another version.
    """
    try:
        with path.open("rb", buffering=0) as file:
            magic, version, _, n_tasks = _HEAD.unpack(file.read(_HEAD.size))
            if (magic, version) != (MAGIC, VERSION) or sys.maxsize < 2**32:
                return []
            tasks = []
            for index in range(min(n_tasks, most_tasks)):
                task_at = HEADER_BYTES + index * TASK_BYTES
                not_met = _read(file, task_at + NOT_MET_AT, 1)
                counts = _read(file, task_at + HISTOGRAMS_AT, _N_COUNTS)
                tasks.append(LiveTask(int(not_met[0]), counts.reshape(len(Quantity), -1)))
            return tasks
    except (OSError, struct.error, ValueError):
        return []


def _read(file: FileIO, at: int, n: int) -> NDArray[np.int64]:
    """Read so many counts and no byte beside them.

    Raises:
        OSError: They cannot be read.
        ValueError: The file ends before.
    """
    counts = np.frombuffer(os.pread(file.fileno(), n * _COUNT_BYTES, at), np.int64)
    if len(counts) != n:
        msg = f"the segment ends within {n} counts at {at}"
        raise ValueError(msg)
    return counts
