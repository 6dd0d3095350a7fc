# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Who took over a CPU, and when: the rows of sched.npy as switches, part by part.

A switch is told twice, by the thread that leaves and by the one that comes, and either may be
hidden (docs/architecture/trace.md). Both name the other one, so that the next owner
of the CPU is known from whichever comes first: a switch counts to the thread that comes.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laxity.core.streams import SchedKind

Sched: TypeAlias = Any  # masked structured array of sched.npy
IntArray = NDArray[np.int64]

# Why a thread left its CPU: it could have gone on; it waited, or so its back-end says no more.
PREEMPTED = -1
WAITING = -2
# A number that no thread has.
_NOBODY = -1


@dataclass(frozen=True, slots=True)
class Switches:
    """Changes of the owner of one CPU, in order; arrays of shape (switch,).

    Attributes:
        time_ns: When.
        tid: The thread that has the CPU from then on; 0: idle.
        left: How the thread before left: its state as the kernel numbers it where the back-end
            supplies that, else PREEMPTED or WAITING.
    """

    time_ns: IntArray
    tid: IntArray
    left: IntArray


class CpuOwners:
    """Follows the owner of one CPU through the parts of a trace.

    Attributes:
        first_tid: Who had the CPU before the first switch; None if no row has told so far.
    """

    def __init__(self) -> None:
        self.first_tid: int | None = None
        self._owner: int | None = None

    def take(self, rows: Sched) -> Switches:
        """Take the next rows of this CPU.

        Args:
            rows: Rows of one CPU by their `seq`, of any kind; they follow those taken before.
        """
        kind = np.ma.getdata(rows["kind"])
        rows = rows[(kind == SchedKind.OFF) | (kind == SchedKind.ON)]
        if not len(rows):
            return Switches(*(np.zeros(0, np.int64) for _ in range(3)))
        is_on = np.ma.getdata(rows["kind"]) == SchedKind.ON
        tid, other = (np.ma.getdata(rows[name]).astype(np.int64) for name in ("tid", "other_tid"))
        owner = np.where(is_on, tid, other)
        # What is absent is negative.
        known = np.flatnonzero(owner >= 0)
        if self._owner is None:
            before = int(other[0] if is_on[0] else tid[0])
            self._owner = self.first_tid = before if before >= 0 else None
        before = _NOBODY if self._owner is None else self._owner
        owners = np.concatenate(([before], owner[known]))
        changed = known[owners[1:] != owners[:-1]]
        self._owner = int(owners[-1]) if owners[-1] >= 0 else None
        time_ns = np.ma.getdata(rows["time_ns"]).astype(np.int64)
        return Switches(time_ns[changed], owner[changed], _left(rows, is_on, owner, changed))


def _left(rows: Sched, is_on: NDArray[np.bool_], owner: IntArray, changed: IntArray) -> IntArray:
    """Tell how the thread before each change left, from its own row: that one, or the one above."""
    told = np.where(is_on[changed], changed - 1, changed)
    is_told = (told >= 0) & ~is_on[told]
    # An off that announces another thread is not that of the one which left here.
    is_told &= (owner[told] < 0) | (owner[told] == owner[changed])
    state = rows["prev_state_or_vector"][told]
    has_state = is_told & ~np.ma.getmaskarray(state)
    is_preempted = is_told & (np.ma.getdata(rows["preempted"])[told] == 1)
    left = np.where(has_state, np.ma.getdata(state), WAITING)
    return np.where(is_preempted, PREEMPTED, left).astype(np.int64)
