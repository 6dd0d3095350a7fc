# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Owners of a CPU from rows of sched.npy, by hand. Threads 7, 8 and 9; 0 is idle."""

import numpy as np

from laxity.core.streams import STREAMS, SchedKind, absent_value, dtype_of
from laxity.trace.switches import PREEMPTED, WAITING, CpuOwners

OFF, ON = SchedKind.OFF, SchedKind.ON
NONE = absent_value("i4")
NO_STATE = absent_value("i8")
Row = tuple[int, SchedKind, int, int, int, int]  # time, kind, tid, other, state, preempted


def rows_of(*rows: Row) -> np.ma.MaskedArray:
    table = np.zeros(len(rows), dtype=dtype_of("sched"))
    for index, (time_ns, kind, tid, other, state, preempted) in enumerate(rows):
        table[index] = (time_ns, index, 0, kind, tid, other, state, preempted)
    mask = np.zeros(len(rows), dtype=[(field.name, bool) for field in STREAMS["sched"]])
    for name, absent in (("tid", NONE), ("other_tid", NONE), ("prev_state_or_vector", NO_STATE)):
        mask[name] = table[name] == absent
    return np.ma.MaskedArray(table, mask)


def off(time_ns: int, tid: int, other: int, *, preempted: int = 0, state: int = NO_STATE) -> Row:
    return (time_ns, OFF, tid, other, state, preempted)


def on(time_ns: int, tid: int, other: int) -> Row:
    return (time_ns, ON, tid, other, NO_STATE, 255)


def taken(owners: CpuOwners, *rows: Row) -> list[tuple[int, int, int]]:
    found = owners.take(rows_of(*rows))
    columns = (found.time_ns, found.tid, found.left)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_a_switch_told_by_both_threads_is_one_and_counts_to_the_one_that_comes():
    owners = CpuOwners()
    rows = (off(10, 7, 8, preempted=1), on(12, 8, 7), off(30, 8, 0), on(31, 0, 8))
    assert taken(owners, *rows) == [(10, 8, PREEMPTED), (30, 0, WAITING)]
    assert owners.first_tid == 7


def test_a_thread_whose_switches_are_hidden_is_named_by_its_neighbours():
    # 9 is hidden: 7 says that it follows, 8 that it went before; how it left nobody tells.
    assert taken(CpuOwners(), off(10, 7, 9), on(20, 8, 9)) == [(10, 9, WAITING), (20, 8, WAITING)]


def test_how_a_hidden_thread_left_is_not_taken_from_the_row_of_the_one_before():
    # 7 was preempted by 9, which is hidden; that 9 went before 8 no row says.
    rows = (off(10, 7, 9, preempted=1), on(20, 8, NONE))
    assert taken(CpuOwners(), *rows) == [(10, 9, PREEMPTED), (20, 8, WAITING)]


def test_without_the_thread_that_follows_the_switch_is_where_that_comes():
    # The row above still tells how the thread before left.
    rows = (on(5, 7, NONE), off(10, 7, NONE, preempted=1), on(12, 8, NONE))
    owners = CpuOwners()
    assert taken(owners, *rows) == [(5, 7, WAITING), (12, 8, PREEMPTED)]
    assert owners.first_tid is None


def test_a_state_that_the_back_end_supplies_is_kept():
    # 2: it waits for a disk, and may not be disturbed.
    assert taken(CpuOwners(), off(10, 7, 8, state=2)) == [(10, 8, 2)]


def test_parts_of_a_trace_join_where_they_were_cut():
    rows = (off(10, 7, 8), on(12, 8, 7), off(30, 8, 0), on(31, 0, 8), off(50, 0, 7), on(51, 7, 0))
    whole = taken(CpuOwners(), *rows)
    for cut in range(len(rows) + 1):
        owners = CpuOwners()
        assert taken(owners, *rows[:cut]) + taken(owners, *rows[cut:]) == whole


def test_rows_of_other_kinds_change_no_owner():
    wakeup = (11, SchedKind.WAKEUP, 8, 7, NO_STATE, 255)
    assert taken(CpuOwners(), off(10, 7, 8), wakeup, on(12, 8, 7)) == [(10, 8, WAITING)]
    assert taken(CpuOwners(), wakeup) == []
