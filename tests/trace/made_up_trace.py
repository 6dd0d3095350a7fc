# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Made-up traces and jobs. Thread 7 is the task; 8 and 9 are others."""

from collections.abc import Mapping, Sequence

import numpy as np

from laxity.core.streams import SchedKind, dtype_of
from laxity.trace.attribution import Attribution, attribute
from laxity.trace.gaps import Coverage
from laxity.trace.sched_trace import read_trace

OFF, ON = 0, 1
ABSENT_TID = np.iinfo(np.int32).min
JOB_TYPE = [
    ("job", "u8"), ("release_ns", "i8"), ("start_ns", "i8"), ("finish_ns", "i8"),
    ("exec_ns", "i8"), ("tid", "i4"), ("status", "u1"),
]  # fmt: skip
Switch = tuple[int, int, int, int, bool]  # time, CPU, thread left, thread that follows, preempted


def sched(switches: Sequence[Switch], lost_before: Mapping[int, int] = {}):
    """Make a trace: each switch is an off and, 1 ns later, an on.

    `lost_before`: by index of a switch, how many records are missing before it on its CPU.
    """
    rows: list[tuple[int, ...]] = []
    seq: dict[int, int] = {}
    for index, (time_ns, cpu, tid, other_tid, is_preempted) in enumerate(switches):
        number = seq.get(cpu, 0) + lost_before.get(index, 0)
        rows.append((time_ns, number, cpu, OFF, tid, other_tid, 0, is_preempted))
        rows.append((time_ns + 1, number + 1, cpu, ON, other_tid, tid, 0, 255))
        seq[cpu] = number + 2
    return np.ma.array(np.array(rows, dtype=dtype_of("sched")))


def threads(*names: tuple[int, str, int]):
    rows = [(tid, tid, 0, comm, from_ns, 10**9) for tid, comm, from_ns in names]
    return np.ma.array(np.array(rows, dtype=dtype_of("threads")))


NAMES = threads((7, "task", 0), (8, "eight", 0), (9, "nine", 0))


def jobs(*rows: tuple[int, int, int, int]):
    """Finished jobs of thread 7: release, start, finish, processor time."""
    full = [(index, *row, 7, 0) for index, row in enumerate(rows)]
    return np.ma.array(np.array(full, dtype=JOB_TYPE))


def attributed(
    rows: np.ma.MaskedArray, trace: np.ma.MaskedArray, lost: Mapping[int, int] = {}
) -> Attribution:
    return attribute(rows, read_trace(trace, NAMES, Coverage(0, 10_000, lost)))


def full_trace(*rows: tuple[int, int, SchedKind, int, int, int]):
    """Make a trace of a back-end that supplies everything.

    Each row: time, CPU, kind, thread, other thread, state or number. A state of 0 is that of a
    thread that could have gone on. A switch has one row; its on follows at the same instant.
    """
    made: list[tuple[int, ...]] = []
    for time_ns, cpu, kind, tid, other_tid, value in rows:
        is_off = kind == SchedKind.OFF
        preempted = (value == 0) if is_off else 255
        made.append((time_ns, len(made), cpu, kind, tid, other_tid, value, preempted))
        if is_off:
            made.append((time_ns, len(made), cpu, SchedKind.ON, other_tid, tid, 0, 255))
    return np.ma.array(np.array(made, dtype=dtype_of("sched")))


def fully_attributed(rows: np.ma.MaskedArray, trace: np.ma.MaskedArray) -> Attribution:
    """Attribute jobs by a trace that supplies everything; vector -236 is the timer's."""
    vectors = {-236: "local_timer", -253: "reschedule"}
    coverage = Coverage(0, 10_000, {}, frozenset(SchedKind), vectors)
    return attribute(rows, read_trace(trace, NAMES, coverage))


def only(found: Attribution) -> dict[str, int]:
    """The one job's pieces; they must sum up to its response time."""
    pieces = found.pieces
    columns = {name: getattr(pieces, name) for name in pieces.__slots__}
    values = {name: int(column[0]) for name, column in columns.items() if column is not None}
    parts = (
        "release_latency_ns", "execution_ns", "preempted_ns", "throttled_ns", "switching_ns",
        "interrupted_ns",
        "blocked_ns", "unexplained_ns",
    )  # fmt: skip
    assert sum(values.get(name, 0) for name in parts) == values["response_ns"]
    assert values["waited_ns"] + values["entered_ns"] == values["release_latency_ns"]
    if "timer_latency_ns" in values:
        split = values["timer_latency_ns"] + values["scheduling_latency_ns"]
        assert split == values["release_latency_ns"]
    assert len(pieces.job) == 1
    return values
