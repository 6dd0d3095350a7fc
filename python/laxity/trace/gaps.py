# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a scheduling trace lacks: records that were counted as lost, switches that nobody told of.

The second kind shows only in what is there: a thread leaves a CPU on which another one had come.
Why that happens stands in docs/architecture/trace.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laxity.core.streams import SchedKind

Sched: TypeAlias = Any  # masked structured array of sched.npy
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

_FAR_NS = int(np.iinfo(np.int64).max)


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the recorder says of its trace.

    Attributes:
        started_ns: From when on every CPU was watched.
        stopped_ns: Until when.
        lost: Lost records by CPU, also those after the last row.
        supplies: Kinds of rows that the back-end records.
        vectors: Names of interrupts, by the number in their rows.
    """

    started_ns: int
    stopped_ns: int
    lost: Mapping[int, int]
    supplies: frozenset[SchedKind] = frozenset({SchedKind.OFF, SchedKind.ON})
    vectors: Mapping[int, str] = field(default_factory=dict)

    @property
    def has_wakeups(self) -> bool:
        """Whether it is known when a thread could go on again."""
        return SchedKind.WAKEUP in self.supplies

    @property
    def has_interrupts(self) -> bool:
        """Whether both ends of an interrupt are known."""
        return {SchedKind.IRQ_IN, SchedKind.IRQ_OUT} <= self.supplies


@dataclass(frozen=True, slots=True)
class Windows:
    """Stretches of time, which may overlap; sorted by their begin."""

    from_ns: IntArray
    to_ns: IntArray

    @classmethod
    def joined(cls, *parts: "Windows") -> "Windows":
        """Put several into one order."""
        from_ns = np.concatenate([one.from_ns for one in parts])
        order = np.argsort(from_ns, kind="stable")
        return cls(from_ns[order], np.concatenate([one.to_ns for one in parts])[order])

    def touch(self, from_ns: IntArray, to_ns: IntArray) -> BoolArray:
        """Tell for each stretch given whether it shares an instant with any of the windows."""
        latest = np.maximum.accumulate(np.concatenate(([-_FAR_NS], self.to_ns)))
        begun = np.searchsorted(self.from_ns, to_ns, "left")
        return np.asarray(latest[begun] > from_ns)


@dataclass(frozen=True, slots=True)
class Untold:
    """Switches that no row tells of, in order of CPU and time; arrays of shape (switch,).

    Attributes:
        cpu: Where.
        tid: The thread that had come before `to_ns`.
        from_ns: The last switch on that CPU that a row tells of.
        to_ns: The next one, from another thread than that one was to.
    """

    cpu: IntArray
    tid: IntArray
    from_ns: IntArray
    to_ns: IntArray

    def windows(self, chosen: BoolArray) -> Windows:
        """Return the stretches of some of them."""
        return Windows.joined(Windows(self.from_ns[chosen], self.to_ns[chosen]))


def lost_windows(data: Sched, coverage: Coverage) -> Windows:
    """Find where records are missing: from the last one before to the first one after.

    Args:
        data: Rows of sched.npy, in any order.
        coverage: What the recorder says of them.
    """
    begins: list[int] = []
    ends: list[int] = []
    for cpu, lost in coverage.lost.items():
        if not lost:
            continue
        here = data[data["cpu"] == cpu]
        here = here[np.argsort(here["seq"], kind="stable")]
        when = np.concatenate(
            ([coverage.started_ns], here["time_ns"].astype(np.int64), [coverage.stopped_ns])
        )
        numbers = here["seq"].astype(np.int64)
        total = len(numbers) + lost
        missing = np.diff(np.concatenate(([-1], numbers, [total]))) - 1
        begins += when[:-1][missing > 0].tolist()
        ends += when[1:][missing > 0].tolist()
    return Windows.joined(Windows(np.array(begins, np.int64), np.array(ends, np.int64)))


def untold_switches(data: Sched) -> Untold:
    """Find switches that are neither told of nor counted as lost.

    Args:
        data: Rows of sched.npy, in any order.
    """
    data = data[np.lexsort((data["seq"], data["cpu"]))]
    is_switch = (data["kind"] == SchedKind.OFF) | (data["kind"] == SchedKind.ON)
    rows = data[is_switch]
    if not len(rows):
        return Untold(*(np.zeros(0, np.int64) for _ in range(4)))
    is_on = rows["kind"] == SchedKind.ON
    tid, other = rows["tid"].astype(np.int64), rows["other_tid"].astype(np.int64)
    owner = np.where(is_on, tid, other)[:-1]  # who has the CPU between a row and the next
    # An on behind the off that announces it is the same switch.
    is_same = is_on[1:] & ~is_on[:-1] & (tid[1:] == owner)
    leaves = np.where(is_on, other, tid)[1:]
    # What is absent is negative, and contradicts nothing.
    is_untold = ~is_same & (leaves >= 0) & (owner >= 0) & (leaves != owner)
    is_untold &= rows["cpu"][1:] == rows["cpu"][:-1]
    # Each lost record is a number that no row has.
    n_gaps = np.concatenate(([0], np.cumsum(np.diff(data["seq"].astype(np.int64)) != 1)))
    before = np.flatnonzero(is_untold & (np.diff(n_gaps[is_switch]) == 0))
    when = rows["time_ns"].astype(np.int64)
    return Untold(
        rows["cpu"][before].astype(np.int64), leaves[before], when[before], when[before + 1]
    )
