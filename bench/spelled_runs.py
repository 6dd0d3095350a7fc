# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A recorded run spelled out, instruction by instruction, to hold faster answers against.

It shares no code with laxity.workingset.migration_trace but the numbering of sizes.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]


class SpelledCode:
    """The instructions of segments: what is live before each, and the rank of its candidate."""

    def __init__(
        self, rows: Sequence[Sequence[int]], bits: Numbers, rank_of_row: Mapping[int, int]
    ) -> None:
        """Lay the instructions of all segments out one after the other.

        Args:
            rows: Of each segment, in the table of instructions.
            bits: Live before each row; shape (row,).
            rank_of_row: Of those before which a candidate stands.
        """
        flat = np.array([row for one in rows for row in one], dtype=np.int64)
        self.none = 1 + max(rank_of_row.values(), default=-1)
        kind = np.uint16 if self.none < np.iinfo(np.uint16).max else np.uint32
        self._sizes = np.array([len(one) for one in rows], dtype=np.int64)
        self._firsts = np.cumsum(self._sizes) - self._sizes
        self._ranks = np.array([rank_of_row.get(int(row), self.none) for row in flat], dtype=kind)
        self._bits = bits[flat] if flat.size else np.zeros(0)

    def spell(self, executed: Numbers) -> tuple[Numbers, Numbers]:
        """Return the rank of the candidate, or `none`, and what is live, at each instruction."""
        executed = executed.astype(np.int64)
        sizes = self._sizes[executed]
        before = np.cumsum(sizes) - sizes
        places = np.repeat(self._firsts[executed] - before, sizes) + np.arange(sizes.sum())
        return self._ranks[places], self._bits[places]


def least_of_windows(ranks: Numbers, window: int) -> Numbers:
    """Return the least rank of each window: minima of one, two, four, ... instructions.

    Args:
        ranks: Of every instruction; shape (instruction,).
        window: Instructions, >= 1.

    Returns:
        By the window's first instruction; shape (instruction - window + 1,).
    """
    width, least = 1, ranks
    while 2 * width <= window:
        least = np.minimum(least[:-width], least[width:])
        width *= 2
    last = window - width
    return np.minimum(least[: len(least) - last], least[last:])


class SpelledWindows:
    """The cheapest candidate of every window along a run, in batches of at least a window."""

    def __init__(self, window: int, least_batch: int) -> None:
        self.window = window
        self._batch = max(window, least_batch)
        self._parts: list[Numbers] = []
        self._size = 0

    def add(self, ranks: Numbers) -> Numbers:
        """Go on along the run; give what windows are whole and not yet given, often none."""
        self._parts.append(ranks)
        self._size += len(ranks)
        return self.rest() if self._size >= self.window + self._batch else ranks[:0]

    def rest(self) -> Numbers:
        """Return all whole windows that are left."""
        whole = np.concatenate(self._parts) if self._parts else np.zeros(0, dtype=np.uint16)
        if len(whole) < self.window:
            self._parts = [whole]
            return whole[:0]
        self._parts = [whole[len(whole) - self.window + 1 :]]
        self._size = self.window - 1
        return least_of_windows(whole, self.window)
