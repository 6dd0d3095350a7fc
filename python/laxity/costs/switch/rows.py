# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The rows of switch.npy: their codes, what they must hold, and parts of them."""

import re
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laxity.errors import RecordError

IntArray: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = Any  # masked structured array of switch.npy

QUANTITIES = ("preemption", "sync", "timer", "release", "spin", "wakeup", "kernel", "irq")
CASES = ("best", "worst")
PREEMPTION, SYNC, TIMER, RELEASE, SPIN, WAKEUP, KERNEL, IRQ = range(8)
BEST, WORST = range(2)
OBSERVED, CONTROL = range(2)
# Column: the smallest value that is none of its codes.
_CODES = {"quantity": len(QUANTITIES), "case": len(CASES), "role": 2}
_LABEL = re.compile(rb"[A-Za-z0-9_-]*")
_NEVER_NEGATIVE = frozenset({"cpu", "cpu_to"})
# Far beyond any time and any CPU; sums of such values stay within 64 bits.
_LARGEST = 1 << 56
# A window is 40 ms; a virtual machine may stand still meanwhile.
_LONGEST_WINDOW_NS = 600 * 10**9


def rows_of(rows: Rows, quantity: int, *, case: int | None = None, role: int = OBSERVED) -> Rows:
    """Select the rows of one quantity and role, of one case or of all."""
    is_meant = (column(rows, "quantity") == quantity) & (column(rows, "role") == role)
    if case is not None:
        is_meant &= column(rows, "case") == case
    return rows[is_meant]


def enclosed(rows: Rows) -> Rows:
    """Leave out preemptions that are in no gap of their victim, or not recorded whole."""
    is_left_out = np.ma.getmaskarray(rows["victim_last_ns"])
    is_left_out = is_left_out | np.ma.getmaskarray(rows["victim_first_ns"])
    return rows[~is_left_out]


def between(rows: Rows, since: str, until: str) -> IntArray:
    """Return the time from one stamp to another, nanoseconds, shape (row,)."""
    return column(rows, until) - column(rows, since)


def column(rows: Rows, name: str) -> IntArray:
    """Return a column as it lies in the file, absent values as they are written."""
    return np.ma.getdata(rows[name]).astype(np.int64)


# By quantity and role: the stamps that its rows always have.
_STAMPS = {
    (PREEMPTION, OBSERVED): ("time_ns", "preemptor_first_ns", "preemptor_last_ns"),
    (TIMER, OBSERVED): ("time_ns", "preemptor_first_ns", "preemptor_last_ns"),
    (SPIN, OBSERVED): ("victim_last_ns", "victim_first_ns"),
    (SPIN, CONTROL): ("victim_last_ns", "victim_first_ns"),
    (IRQ, OBSERVED): ("victim_last_ns", "victim_first_ns"),
    **{
        (quantity, role): (
            "victim_last_ns",
            "preemptor_first_ns",
            "preemptor_last_ns",
            "victim_first_ns",
        )
        for quantity in (SYNC, WAKEUP)
        for role in (OBSERVED, CONTROL)
    },
}


def interrupts(rows: Rows) -> list[bytes]:
    """List the interrupts that rows name; empty: there was none."""
    found = np.unique(np.ma.getdata(rows["interrupt"]))
    return [bytes(label) for label in found]


def check_rows(rows: Rows) -> None:
    """Refuse rows that no probe writes.

    Raises:
        RecordError: A code, a time or a CPU is none, or a stamp is absent that never is.
    """
    for name in rows.dtype.names:
        if name == "interrupt":
            continue
        values = rows[name].compressed().astype(np.int64)
        limit = _CODES.get(name, _LARGEST)
        least = 0 if name in _NEVER_NEGATIVE else 1 - limit
        wrong = values[(values >= limit) | (values < least)]
        if wrong.size:
            msg = f"switch.npy: {name} {wrong[0]} is no value of a probe; the stream is damaged"
            raise RecordError(msg)
    _check_present(rows)
    for label in interrupts(rows):
        if not _LABEL.fullmatch(label):
            msg = f"switch.npy: interrupt {label!r} is no label of one; the stream is damaged"
            raise RecordError(msg)
    lengths = between(rows_of(rows, SPIN, role=CONTROL), "victim_last_ns", "victim_first_ns")
    wrong = lengths[(lengths < 0) | (lengths > _LONGEST_WINDOW_NS)]
    if wrong.size:
        msg = f"switch.npy: a window of {wrong[0]} ns; the stream is damaged"
        raise RecordError(msg)


def _check_present(rows: Rows) -> None:
    for (quantity, role), names in _STAMPS.items():
        part = rows_of(rows, quantity, role=role)
        for name in names:
            if np.ma.getmaskarray(part[name]).any():
                msg = f"switch.npy: {QUANTITIES[quantity]} without {name}; the stream is damaged"
                raise RecordError(msg)
