# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Where a task should migrate: a placement of points, and a ranking of those of a window, pure.

Sizes are live bits before the instruction that a point stands at.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from laxity.workingset.migration_distance import Distance, Distances, Points
from laxity.workingset.migration_flow import Flow


@dataclass(frozen=True, slots=True)
class Placement:
    """Points that together keep a distance.

    Attributes:
        points: Numbers, ascending; none where the whole program is shorter than the distance.
        largest_bits: The most that is live at any of them; None: there is none.
        distances: The largest of any path.
    """

    points: tuple[int, ...]
    largest_bits: int | None
    distances: Points


@dataclass(frozen=True, slots=True)
class NoPlacement:
    """No choice keeps the distance: with all candidates this one is left."""

    smallest: Distance


def place(flow: Flow, sizes: Mapping[int, int], most_distance: int) -> Placement | NoPlacement:
    """Choose points so that the largest live set is as small as a largest distance permits.

    From the start to the first point, between successive ones and from the last to the end no path
    is longer than `most_distance`. Of all choices that keep it none has a smaller largest live
    set: another point never makes a distance longer, so a size is possible exactly if all
    candidates up to it are, and the least possible size is found by bisection.

    Of those candidates as many as possible are dropped, the largest first. No point of the answer
    can be left out; there may be another choice with fewer points.

    Args:
        flow: The program with its candidates.
        sizes: Live bits at each candidate that may be chosen.
        most_distance: In the unit of the flow.

    Raises:
        UnsupportedFlow: The program has control flow for which no distance can be told.
    """
    distances = Distances(flow)

    def keeps(chosen: Sequence[int]) -> bool:
        return distances.of(frozenset(chosen)).largest <= most_distance

    ordered = sorted(sizes, key=lambda one: (sizes[one], one))
    if not keeps(ordered):
        return NoPlacement(distances.of(frozenset(ordered)).largest)
    low, high = 0, len(ordered)
    while low < high:
        middle = (low + high) // 2
        if keeps(ordered[:middle]):
            high = middle
        else:
            low = middle + 1
    # The candidate at the end is needed, whatever others of its size are left.
    needed = _without_needless([], ordered[:high], keeps)
    return Placement(
        points=tuple(sorted(needed)),
        largest_bits=max((sizes[one] for one in needed), default=None),
        distances=distances.of(frozenset(needed)),
    )


def _without_needless(
    kept: Sequence[int],
    candidates: Sequence[int],
    keeps: Callable[[Sequence[int]], bool],
    *,
    is_changed: bool = True,
) -> list[int]:
    """Drop candidates until each one left is needed; the last are dropped first.

    Args:
        kept: Points that stay.
        candidates: Enough with them.
        keeps: Tells whether points are enough.
        is_changed: Whether `kept` may be enough alone since it was last asked.

    Source:
        Junker, "QuickXplain", AAAI 2004, algorithm 1: a half is looked at with the other half
        kept, so that few tests drop many.
    """
    if is_changed and keeps(kept):
        return []
    if len(candidates) == 1:
        return list(candidates)
    middle = len(candidates) // 2
    first, second = candidates[:middle], candidates[middle:]
    of_second = _without_needless([*kept, *first], second, keeps)
    of_first = _without_needless([*kept, *of_second], first, keeps, is_changed=bool(of_second))
    return [*of_first, *of_second]
