# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What must hold of the rows of one thread in sched.npy, from the rows alone."""

import numpy as np

from laxity.core.streams import SchedKind
from laxity.store.run_directory import Run


def switches_of(run: Run, tid: int):
    """When a thread went off and came on, and was woken: its rows in order of time."""
    rows = np.ma.getdata(run.stream("sched"))
    rows = rows[rows["tid"] == tid]
    rows = rows[np.isin(rows["kind"], (SchedKind.OFF, SchedKind.ON, SchedKind.WAKEUP))]
    return rows[np.lexsort((rows["seq"], rows["cpu"], rows["time_ns"]))]


def is_told(rows: np.ndarray, release_ns: int, finish_ns: int) -> bool:
    """Whether somebody told who woke the thread, each time that it waited within the stretch."""
    is_waiting = is_awake = False
    for row in rows:
        kind, when = row["kind"], int(row["time_ns"])
        if kind == SchedKind.OFF:
            if when >= finish_ns:
                break
            is_waiting, is_awake = row["preempted"] == 0, False
        elif kind == SchedKind.WAKEUP:
            is_awake = True
        elif is_waiting and not is_awake and when > release_ns:
            return False
    return True


def most_preemptions(rows: np.ndarray, finish: np.ndarray, end_ns: int):
    """How often a thread was pushed off since the job before had finished, until it slept again.

    The harness counts by itself, from some time behind that finish (before its sleep, where that is
    long) to some time within the last stretch behind its own.
    """
    offs = rows[rows["kind"] == SchedKind.OFF]
    pushed_ns, slept_ns = (offs["time_ns"][offs["preempted"] == flag] for flag in (1, 0))
    since_ns = np.concatenate(([0], finish[:-1]))
    until_ns = np.append(slept_ns, end_ns)[np.searchsorted(slept_ns, finish)]
    return np.searchsorted(pushed_ns, until_ns) - np.searchsorted(pushed_ns, since_ns)
