# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Made-up rows of switch.npy; what a row does not say is absent, as the probe leaves it."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from laxity.core.streams import STREAMS, absent_value, dtype_of
from laxity.costs.switch.rows import (
    CONTROL,
    IRQ,
    KERNEL,
    PREEMPTION,
    RELEASE,
    SPIN,
    SYNC,
    TIMER,
    WAKEUP,
)

MILLISECOND_NS = 1_000_000


Row: TypeAlias = dict[str, int | bytes]


def row(quantity: int, **fields: int | bytes) -> Row:
    return {"quantity": quantity, "cpu": 1, "cpu_to": 1, "period_ns": 10, "gaps": 1} | fields


def preemption(
    at_ns: int, entering_ns: int, leaving_ns: int, case: int = 0, late_ns: int = 0
) -> Row:
    """A preemptor that runs for 50 ns from `at_ns` on; its timer expired `late_ns` before."""
    return row(
        PREEMPTION,
        case=case,
        time_ns=at_ns - late_ns,
        victim_last_ns=at_ns - entering_ns,
        preemptor_first_ns=at_ns,
        preemptor_last_ns=at_ns + 50,
        victim_first_ns=at_ns + 50 + leaving_ns,
    )


def turn(quantity: int, there_ns: int, back_ns: int, **fields: int) -> Row:
    """A turn from 1000 on; the other one keeps it for 5 ns."""
    there = 1000 + there_ns
    return row(
        quantity,
        time_ns=1000,
        victim_last_ns=1000,
        preemptor_first_ns=there,
        preemptor_last_ns=there + 5,
        victim_first_ns=there + 5 + back_ns,
        **fields,
    )


def sync(there_ns: int, back_ns: int) -> Row:
    return turn(SYNC, there_ns, back_ns)


def wakeup(there_ns: int, back_ns: int, role: int = 0) -> Row:
    """From CPU 1 to CPU 0 and back."""
    return turn(WAKEUP, there_ns, back_ns, cpu_to=0, role=role)


def kernel(there_ns: int, back_ns: int, role: int = 0) -> Row:
    return turn(KERNEL, there_ns, back_ns, role=role)


def idle(late_ns: int) -> Row:
    return row(
        TIMER, time_ns=1000, preemptor_first_ns=1000 + late_ns, preemptor_last_ns=1001 + late_ns
    )


def release(lost_ns: int, role: int = 0, case: int = 0) -> Row:
    return row(RELEASE, time_ns=1000, lost_ns=lost_ns, role=role, case=case)


def interrupted(at_ns: int, length_ns: int, label: bytes) -> Row:
    return row(
        IRQ, time_ns=at_ns, victim_last_ns=at_ns, victim_first_ns=at_ns + length_ns, interrupt=label
    )


def gap(at_ns: int, length_ns: int) -> Row:
    return row(SPIN, time_ns=at_ns, victim_last_ns=at_ns, victim_first_ns=at_ns + length_ns)


def window(since_ns: int, until_ns: int) -> Row:
    return row(
        SPIN, role=CONTROL, time_ns=since_ns, victim_last_ns=since_ns, victim_first_ns=until_ns
    )


def table(rows: Sequence[Row]) -> "np.ma.MaskedArray[Any, Any]":
    """Rows as the reader gives them."""
    made = stored(rows)
    masked = np.ma.MaskedArray(made, mask=np.zeros(made.shape, np.ma.make_mask_descr(made.dtype)))
    for field in STREAMS["switch"][:-1]:
        masked[field.name] = np.ma.masked_equal(made[field.name], absent_value(field.kind))
    return masked


def stored(rows: Sequence[Row]) -> "np.ndarray[Any, Any]":
    """Rows as they lie in the file."""
    made = np.zeros(len(rows), dtype=dtype_of("switch"))
    for name in made.dtype.names or ():
        if name.endswith("_ns") and name != "period_ns":
            made[name] = absent_value("i8")
    for index, one in enumerate(rows):
        for name, value in one.items():
            made[name][index] = value
    return made
