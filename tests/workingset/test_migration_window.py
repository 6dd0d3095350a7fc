# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""When runs come by candidates, and what is cheapest in a window."""

from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.workingset.migration_programs import MOST_STATES, State, Walk, draw_flow
from tests.workingset.test_migration_points import loop_of

from laxity.workingset.migration_distance import UNBOUNDED, Distances
from laxity.workingset.migration_flow import Point
from laxity.workingset.migration_window import Ranking, Span, rank, spans_of


def test_a_candidate_in_a_loop_has_a_span_from_its_first_round_to_its_last():
    # Point 1 is first come by at 5 + 1, the last time 4 rounds of 12 later; point 2 at 5 + 2 + 10,
    # the last time 3 rounds later.
    assert spans_of(loop_of(4)) == {0: Span(0, 0), 1: Span(6, 54), 2: Span(17, 53)}


def test_the_cheapest_of_a_window_comes_first():
    spans = {0: Span(0, 10), 1: Span(5, 50), 2: Span(40, 60), 3: Span(70, 80)}
    sizes = {0: 80, 1: 30, 2: 10, 3: 1}
    # 0 is over before 20, 3 begins after 45. At the middle, 32.5, there may be 1 alone.
    assert rank(spans, sizes, 20, 45) == Ranking((2, 1), 30, 30)
    assert rank(spans, sizes, 61, 69) == Ranking((), None, None)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_the_span_of_a_candidate_is_that_of_its_visits_on_all_paths(seed: int):
    flow = draw_flow(Random(seed), 9)  # noqa: S311 - no secret
    walk = Walk(flow)
    assume(len(walk.after) < MOST_STATES)
    longest = Distances(flow).of(frozenset()).without
    assume(longest != UNBOUNDED)
    spans = spans_of(flow)
    first, last = walk.visits()
    visited: dict[int, list[State]] = {}
    for state in walk.after:
        item = walk.item(state)
        if isinstance(item, Point):
            visited.setdefault(item.number, []).append(state)
    assert visited.keys() == spans.keys()
    for number, states in visited.items():
        # Loops may be left at once as far as the walk goes, so the shortest way is one of its own.
        assert spans[number].earliest <= min(first[one] for one in states)
        assert spans[number].latest == max(last[one] for one in states)


def test_a_candidate_without_a_bound_is_no_reason_to_say_that_there_is_none():
    # It was left out, so that the dearest of the others was "the dearest".
    spans = {1: Span(5, 50), 2: Span(40, 60)}
    assert rank(spans, {1: None, 2: 10}, 20, 45) == Ranking((2,), None, None, 1)
    assert rank(spans, {1: None, 2: 10}, 0, 30) == Ranking((), None, None, 1)
    # At the middle, 55, there is 2 alone.
    assert rank(spans, {1: None, 2: 10}, 50, 60) == Ranking((2,), None, 10, 1)
