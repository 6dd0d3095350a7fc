# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Migration points along a recorded run, pure.

A run is the list of its segments: pieces of code that are executed as a whole, so a run of many
million instructions is some million numbers. A position is a number of executed instructions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from laxity.analysis.migration_distance import NO_PATH, Distance


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of code.

    Attributes:
        bits: What is live before each of its instructions; infinite: unbounded.
        points: Candidates by the instruction that they stand before.
    """

    bits: tuple[float, ...]
    points: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Saved:
    """What waiting or hurrying saves at one position; bits.

    Attributes:
        here: Live at the position.
        least: Live at the cheapest candidate within reach; None: there is none.
    """

    here: float
    least: float | None


class Run:
    """A recorded run."""

    def __init__(self, segments: Sequence[Segment], executed: NDArray[np.uint32]) -> None:
        """Take what segments are, and which were executed, in order: shape (execution,)."""
        self._segments = segments
        self._executed = executed
        lengths = np.array([len(one.bits) for one in segments], dtype=np.int64)
        ends = np.cumsum(lengths[executed])
        self._starts = ends - lengths[executed]
        self.length = int(ends[-1]) if len(ends) else 0

    def within_reach(self, position: int, reach: int) -> Saved:
        """Compare the live set at a position with the cheapest candidate within reach of it.

        Args:
            position: Executed instructions before it.
            reach: How far a migration may be put off or brought forward.
        """
        at = self._place(position)
        here = self._segments[self._executed[at]].bits[position - int(self._starts[at])]
        first, last = max(0, position - reach), min(self.length - 1, position + reach)
        return Saved(here, self._least(first, last))

    def visits(self) -> dict[int, tuple[int, int]]:
        """Give the first and the last position of each candidate that the run came by."""
        found: dict[int, tuple[int, int]] = {}
        for number, segment in enumerate(self._segments):
            if not segment.points:
                continue
            times = np.flatnonzero(self._executed == number)
            if times.size:
                first, last = int(self._starts[times[0]]), int(self._starts[times[-1]])
                for offset, point in segment.points.items():
                    found[point] = (first + offset, last + offset)
        return found

    def largest_distance(self, chosen: frozenset[int]) -> Distance:
        """Give the largest distance from the start, or a chosen point, to the next or the end."""
        found = [np.array([0, self.length], dtype=np.int64)]
        for number, segment in enumerate(self._segments):
            for offset, point in segment.points.items():
                if point in chosen:
                    found.append(self._starts[self._executed == number] + offset)
        positions = np.sort(np.concatenate(found))
        return int(np.diff(positions).max()) if self.length else NO_PATH

    def sizes(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Spell the run out: what is live before each instruction, and where candidates stand."""
        bits = [np.array(one.bits) for one in self._segments]
        flags = [
            np.array([offset in one.points for offset in range(len(one.bits))], dtype=bool)
            for one in self._segments
        ]
        if not self.length:
            return np.zeros(0), np.zeros(0, dtype=bool)
        return (
            np.concatenate([bits[one] for one in self._executed]),
            np.concatenate([flags[one] for one in self._executed]),
        )

    def _place(self, position: int) -> int:
        """Find the execution of a segment that a position is in; empty ones hold none."""
        return int(np.searchsorted(self._starts, position, side="right")) - 1

    def _least(self, first: int, last: int) -> float | None:
        """Give the least live set of the candidates between two positions, both included."""
        start, end = self._place(first), self._place(last)
        found = [
            self._cheapest(at, first - int(self._starts[at]), last - int(self._starts[at]))
            for at in dict.fromkeys((start, end))
        ]
        found += [
            self._cheapest_of(int(number)) for number in np.unique(self._executed[start + 1 : end])
        ]
        return min((one for one in found if one is not None), default=None)

    def _cheapest(self, at: int, first: int, last: int) -> float | None:
        segment = self._segments[self._executed[at]]
        return min(
            (segment.bits[one] for one in segment.points if first <= one <= last), default=None
        )

    def _cheapest_of(self, number: int) -> float | None:
        segment = self._segments[number]
        return min((segment.bits[one] for one in segment.points), default=None)
