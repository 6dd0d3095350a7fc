# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Migration points along a recorded run, pure: windows of it, and what the run came by.

A run is the sequence of its segments, pieces of code that are executed as a whole. It comes in
chunks of any size and is never held: what is kept grows with the program, not with the run. A
position is a distance from the start of the run, in the unit of the lengths of segments.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laxity.workingset.migration_distance import NO_PATH, Distance

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of code.

    Attributes:
        offsets: Of each of its instructions from its start.
        length: Of all of them.
        bits: What is live before each; infinite: unbounded.
        points: Candidates by the place of the instruction that they stand before.
    """

    offsets: tuple[int, ...]
    length: int
    bits: tuple[float, ...]
    points: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a run.

    Attributes:
        end: Position behind it.
        executed: Its segments; shape (execution,).
        starts: Their positions.
        positions: Of candidates that it came by, ascending; shape (visit,).
        points: Their numbers.
    """

    end: int
    executed: Integers
    starts: Integers
    positions: Integers
    points: Integers


class Code:
    """All segments of a program."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        """Put what they hold into arrays, so that a chunk of a run is looked up at once."""
        self.segments = segments
        self.lengths = np.array([one.length for one in segments], dtype=np.int64)
        visits = [sorted(one.points.items()) for one in segments]
        self._counts = np.array([len(one) for one in visits], dtype=np.int64)
        self._firsts = np.cumsum(self._counts) - self._counts
        flat = [
            (one.offsets[place], point)
            for one, inside in zip(segments, visits, strict=True)
            for place, point in inside
        ]
        self._offsets = np.array([offset for offset, _ in flat], dtype=np.int64)
        self._points = np.array([point for _, point in flat], dtype=np.int64)

    def pieces(self, chunks: Iterable[NDArray[Any]]) -> Iterator[Piece]:
        """Tell where the parts of a run are, and which candidates they came by.

        Args:
            chunks: Executed segments in order, each of shape (execution,).
        """
        end = 0
        for chunk in chunks:
            executed = chunk.astype(np.int64)
            ends = end + np.cumsum(self.lengths[executed])
            starts = ends - self.lengths[executed]
            end = int(ends[-1]) if ends.size else end
            counts = self._counts[executed]
            # Which of all candidates: the first of its segment, and how many of it came before.
            before = np.cumsum(counts) - counts
            rows = np.repeat(self._firsts[executed] - before, counts) + np.arange(counts.sum())
            positions = np.repeat(starts, counts) + self._offsets[rows]
            yield Piece(end, executed, starts, positions, self._points[rows])

    def bits_at(self, piece: Piece, position: int) -> float:
        """Return what is live at a position inside a piece."""
        at = int(np.searchsorted(piece.starts, position, side="right")) - 1
        segment = self.segments[int(piece.executed[at])]
        offset = position - int(piece.starts[at])
        return segment.bits[int(np.searchsorted(segment.offsets, offset, side="right")) - 1]


@dataclass(slots=True)
class Visit:
    """When a run came by a candidate first and last, and how often."""

    first: int
    last: int
    times: int

    def join(self, other: "Visit") -> None:
        """Add later ones."""
        self.last, self.times = other.last, self.times + other.times


def visits_of(positions: Integers, points: Integers) -> dict[int, Visit]:
    """Return the visits of a part of a run by candidate.

    Args:
        positions: Ascending; shape (visit,).
        points: Candidates; shape (visit,).
    """
    if not points.size:
        return {}
    most = int(points.max()) + 1
    first, last = np.zeros(most, dtype=np.int64), np.zeros(most, dtype=np.int64)
    # Of several assignments to a place the last one stays.
    last[points] = positions
    first[points[::-1]] = positions[::-1]
    times = np.bincount(points, minlength=most)
    return {
        point: Visit(int(first[point]), int(last[point]), int(times[point]))
        for point in np.flatnonzero(times).tolist()
    }


def join_visits(into: dict[int, Visit], later: Mapping[int, Visit]) -> None:
    """Add the visits of a later part of the run."""
    for point, visit in later.items():
        if point in into:
            into[point].join(visit)
        else:
            into[point] = visit


class LargestDistance:
    """The largest distance of one run from its start, or a chosen point, to the next or the end."""

    def __init__(self, chosen: Iterable[int], n_points: int) -> None:
        """Choose points among candidates 0 to `n_points` - 1."""
        self._is_chosen = np.zeros(n_points, dtype=bool)
        self._is_chosen[list(chosen)] = True
        self._last = 0
        self._largest: Distance = NO_PATH

    def add(self, piece: Piece) -> None:
        """Go on along the run."""
        self._reach(piece.positions[self._is_chosen[piece.points]])

    def at_end(self, length: int) -> Distance:
        """Return the distance of a run of this length; there is none in a run of nothing."""
        self._reach(np.array([length], dtype=np.int64))
        return self._largest if length else NO_PATH

    def _reach(self, positions: Integers) -> None:
        if positions.size:
            distances = np.diff(positions, prepend=self._last)
            self._largest = max(self._largest, int(distances.max()))
            self._last = int(positions[-1])


@dataclass(frozen=True, slots=True)
class Least:
    """The cheapest candidates of windows by their starts: each holds until the next.

    Attributes:
        starts: Ascending; shape (step,).
        ranks: Of the cheapest candidate, the number of ranks where there is none; shape (step,).
        end: Behind the last start.
    """

    starts: Integers
    ranks: Integers
    end: int


class LeastOfWindows:
    """The cheapest candidate of every window of one length along a run, whatever its start.

    Windows are cut at multiples of their length, so each lies in two such parts at most: it has the
    end of one and the beginning of the next, whose least are running minima (van Herk, "A fast
    algorithm for local minimum and maximum filters", 1992). Of what is behind, only candidates that
    are cheaper than all after them are kept.
    """

    def __init__(self, length: int, n_ranks: int) -> None:
        """Begin at the start of a run.

        Args:
            length: Of a window, >= 1: it holds positions `start` to `start + length - 1`.
            n_ranks: Candidates have ranks 0 (the cheapest) to `n_ranks` - 1.
        """
        self._length = length
        self._none = n_ranks
        self._positions = np.zeros(0, dtype=np.int64)
        self._ranks = np.zeros(0, dtype=np.int64)
        self._next = 0

    def add(self, positions: Integers, ranks: Integers, end: int) -> Least:
        """Go on along the run, and answer all windows that end there.

        Args:
            positions: Of candidates, ascending; shape (visit,).
            ranks: Theirs; shape (visit,).
            end: Position up to which the run is known.
        """
        positions = np.concatenate([self._positions, positions])
        ranks = np.concatenate([self._ranks, ranks])
        after = max(self._next, end - self._length + 1)
        starts = np.zeros(0, dtype=np.int64)
        least = starts
        if after > self._next:
            # A window changes where a candidate leaves it, and where one enters.
            changes = np.concatenate([[self._next], positions + 1, positions - self._length + 1])
            changes = changes[(changes >= self._next) & (changes < after)]
            # Two ascending lists, which a merge sort puts together.
            changes.sort(kind="stable")
            starts = changes[np.diff(changes, prepend=-1) > 0]
            least = self._of(positions, ranks, starts)
        self._keep(positions, ranks, after)
        return Least(starts, least, after)

    def _of(self, positions: Integers, ranks: Integers, starts: Integers) -> Integers:
        first = np.searchsorted(positions, starts)
        last = np.searchsorted(positions, starts + self._length) - 1
        least = np.full(len(starts), self._none, dtype=np.int64)
        if not positions.size:
            return least
        parts = positions // self._length
        # A later part has smaller numbers, so a minimum that runs begins anew in each.
        step = self._none + 1
        keys = ranks - (parts - parts[0]) * step
        from_start = np.minimum.accumulate(keys) + (parts - parts[0]) * step
        keys = (ranks + (parts - parts[0]) * step)[::-1]
        to_end = np.minimum.accumulate(keys)[::-1] - (parts - parts[0]) * step
        some = first <= last
        begun, ended = first[some], last[some]
        own = starts[some] // self._length
        # Without a candidate in its first part a window has those from the start of the second.
        of_first = np.where(parts[begun] == own, to_end[begun], self._none)
        of_second = np.where(parts[ended] == own, self._none, from_start[ended])
        least[some] = np.minimum(of_first, of_second)
        return least

    def _keep(self, positions: Integers, ranks: Integers, after: int) -> None:
        positions, ranks = positions[positions >= after], ranks[positions >= after]
        later = np.append(np.minimum.accumulate(ranks[::-1])[::-1][1:], self._none)
        is_needed = ranks < later[: len(ranks)]
        self._positions, self._ranks = positions[is_needed], ranks[is_needed]
        self._next = after


def ranks_of(sizes: Mapping[int, int], n_points: int) -> tuple[Integers, list[int]]:
    """Rank candidates by their sizes; equal sizes have one rank.

    Args:
        sizes: Live bits of each that may be chosen.
        n_points: Of all candidates.

    Returns:
        A rank per candidate, -1 for those that may not be chosen, shape (candidate,); the size of
        each rank.
    """
    distinct = sorted(set(sizes.values()))
    place = {size: rank for rank, size in enumerate(distinct)}
    ranks = np.full(n_points, -1, dtype=np.int64)
    for point, size in sizes.items():
        ranks[point] = place[size]
    return ranks, distinct


@dataclass(frozen=True, slots=True)
class Along:
    """What candidates do for windows of a run.

    Attributes:
        length: Of the run.
        windows: By number, each from `number * window` on: visits of candidates.
        here: What is live in the middle of each; infinite: unbounded.
        worst_least: The largest size of a cheapest candidate, over windows of any start: one of
            this size or less is never further away than a window. None: some have no candidate.
    """

    length: int
    windows: list[dict[int, Visit]]
    here: list[float]
    worst_least: int | None


def rank_along(
    code: Code, chunks: Iterable[NDArray[Any]], window: int, sizes: Mapping[int, int], n_points: int
) -> Along:
    """Look at a run window by window.

    Args:
        code: The program.
        chunks: The run, as `Code.pieces` takes it.
        window: Length, >= 1.
        sizes: Live bits of each candidate that may be chosen; the others are left out.
        n_points: Of all candidates.
    """
    ranks, distinct = ranks_of(sizes, n_points)
    least = LeastOfWindows(window, len(distinct))
    windows: list[dict[int, Visit]] = []
    here: list[float] = []
    worst, start, end = -1, 0, 0
    for piece in code.pieces(chunks):
        is_chosen = ranks[piece.points] >= 0
        positions, points = piece.positions[is_chosen], piece.points[is_chosen]
        found = least.add(positions, ranks[points], piece.end)
        worst = max(worst, int(found.ranks.max(initial=-1)))
        cuts = range(start // window, -(-piece.end // window))
        for number in cuts:
            if number == len(windows):
                windows.append({})
            first, after = np.searchsorted(positions, [number * window, (number + 1) * window])
            join_visits(windows[number], visits_of(positions[first:after], points[first:after]))
        while (middle := len(here) * window + window // 2) < piece.end:
            here.append(code.bits_at(piece, middle))
        start, end = piece.end, piece.end
    # The last window may end before its middle.
    here = here[: len(windows)] + [np.inf] * (len(windows) - len(here))
    bound = distinct[worst] if 0 <= worst < len(distinct) else None
    return Along(end, windows, here, bound)
