# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Windows of recorded runs: cheapest candidates, visits, distances, whatever the chunks."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laxity.workingset.migration_distance import NO_PATH
from laxity.workingset.migration_trace import (
    Code,
    LargestDistance,
    LeastOfWindows,
    Segment,
    Visit,
    join_visits,
    rank_along,
    ranks_of,
    visits_of,
)

# Three instructions with a candidate before the second; one without; two with one before each.
CODE = Code(
    [
        Segment((0, 1, 2), 3, (8.0, 16.0, 24.0), {1: 0}),
        Segment((0,), 1, (40.0,), {}),
        Segment((0, 1), 2, (32.0, np.inf), {0: 1, 1: 2}),
    ]
)
SIZES = {0: 16, 1: 32}
# Positions 0-2, 3, 4-6, 7-8, 9-11: candidate 0 at 1, 5 and 10, candidates 1 and 2 at 7 and 8.
RUN = [0, 1, 0, 2, 0]


def chunks_of(run: list[int], *cuts: int) -> list[np.ndarray]:
    return np.split(np.array(run, dtype=np.uint32), cuts)


@pytest.mark.parametrize("cuts", [(), (1,), (2, 2, 4), (1, 2, 3, 4)])
def test_what_a_run_comes_by_does_not_depend_on_its_chunks(cuts: tuple[int, ...]):
    visits: dict[int, Visit] = {}
    distance = LargestDistance([0], 3)
    for piece in CODE.pieces(chunks_of(RUN, *cuts)):
        join_visits(visits, visits_of(piece.positions, piece.points))
        distance.add(piece)
    assert piece.end == 12
    assert visits == {0: Visit(1, 10, 3), 1: Visit(7, 7, 1), 2: Visit(8, 8, 1)}
    # From the start to 1, from there to 5, to 10, to the end at 12.
    assert distance.at_end(12) == 5


@pytest.mark.parametrize("cuts", [(), (1,), (2, 2, 4), (1, 2, 3, 4)])
def test_windows_rank_what_a_run_comes_by_in_each(cuts: tuple[int, ...]):
    along = rank_along(CODE, chunks_of(RUN, *cuts), 5, SIZES, 3)
    assert along.length == 12
    # 0-4, 5-9, 10-11; candidate 2 has no bound and is never chosen.
    assert along.windows == [
        {0: Visit(1, 1, 1)},
        {0: Visit(5, 5, 1), 1: Visit(7, 7, 1)},
        {0: Visit(10, 10, 1)},
    ]
    # At 2 and 7; position 12 is behind the end.
    assert along.here == [24.0, 32.0, np.inf]
    # Of the windows from 0 to 7 on that of 6-10 has candidate 0 as its last instruction.
    assert along.worst_least == 16
    # One of 4 from 6 on does not come to it.
    assert rank_along(CODE, chunks_of(RUN, *cuts), 4, SIZES, 3).worst_least == 32
    # Between 1 and 5, 2-4 hold none.
    assert rank_along(CODE, chunks_of(RUN, *cuts), 3, SIZES, 3).worst_least is None


def test_a_run_of_nothing_has_neither_windows_nor_a_distance():
    along = rank_along(CODE, [np.zeros(0, dtype=np.uint32)], 5, SIZES, 3)
    assert (along.length, along.windows, along.here) == (0, [], [])
    assert along.worst_least is None
    assert LargestDistance([], 3).at_end(0) == NO_PATH


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32))
def test_the_cheapest_of_every_window_is_what_a_look_at_each_position_finds(seed: int):
    random = Random(seed)  # noqa: S311 - no secret
    length, n_ranks = random.randrange(1, 60), random.randrange(1, 5)
    at = sorted(random.choices(range(length), k=random.randrange(0, 25)))
    ranks = [random.randrange(n_ranks) for _ in at]
    window = random.randrange(1, length + 4)
    least = LeastOfWindows(window, n_ranks)
    found: list[int] = []
    cuts = sorted(random.choices(range(length + 1), k=random.randrange(0, 6)))
    for first, last in zip([0, *cuts], [*cuts, length], strict=True):
        inside = [number for number, one in enumerate(at) if first <= one < last]
        part = least.add(
            np.array([at[one] for one in inside], dtype=np.int64),
            np.array([ranks[one] for one in inside], dtype=np.int64),
            last,
        )
        found += np.repeat(part.ranks, np.diff(np.append(part.starts, part.end))).tolist()
    expected = [
        min(
            (rank for one, rank in zip(at, ranks, strict=True) if start <= one < start + window),
            default=n_ranks,
        )
        for start in range(length - window + 1)
    ]
    assert found == expected


def test_equal_sizes_have_one_rank():
    ranks, sizes = ranks_of({0: 9, 2: 4, 3: 9}, 4)
    assert ranks.tolist() == [1, -1, 0, 1]
    assert sizes == [4, 9]
