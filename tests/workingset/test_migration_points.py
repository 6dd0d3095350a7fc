# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Migration points: distances and placements by hand, and against every choice on every path."""

from itertools import combinations
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.workingset.migration_programs import MOST_STATES, Walk, draw_flow

from laxity.workingset.migration_distance import UNBOUNDED, Distances
from laxity.workingset.migration_flow import (
    Block,
    Call,
    Flow,
    Function,
    Loop,
    Point,
    Run,
    UnsupportedFlow,
    points_of,
)
from laxity.workingset.migration_points import NoPlacement, Placement, place

_MOST_POINTS = 9
# Of these all choices are looked at.
_MOST_CHOSEN = 6
_SEEDS = st.integers(0, 2**32)


def loop_of(most: int | None) -> Flow:
    """5 steps; a header of 2 with point 1 behind 1 of them, a body of 10 with point 2 at its end; 3."""  # noqa: E501
    blocks = {
        "entry": Block((Point(0), Run(5)), ("header",)),
        "header": Block((Run(1), Point(1), Run(1)), ("body", "exit")),
        "body": Block((Run(10), Point(2)), ("header",)),
        "exit": Block((Run(3),), (), returns=True),
    }
    loops = {"header": Loop("", frozenset({"header", "body"}), most)}
    return Flow("main", {"main": Function("entry", blocks, loops)})


def test_a_bounded_loop_counts_with_one_more_look_at_its_condition():
    # 5 + 4 * (2 + 10) + 2 + 3
    assert Distances(loop_of(4)).of(frozenset()).without == 58


def test_a_point_in_a_loop_splits_every_round():
    found = Distances(loop_of(4)).of(frozenset({1}))
    # 5 + 1; from point to point 1 + 10 + 1; from the last 1 + 3. No path avoids the header.
    assert (found.before_first, found.between, found.after_last) == (6, 12, 4)
    assert found.largest == 12


def test_a_point_at_the_end_of_the_body_may_be_avoided_by_no_round():
    found = Distances(loop_of(4)).of(frozenset({2}))
    # First 5 + 2 + 10; again 2 + 10; last 2 + 3; without any round 5 + 2 + 3.
    assert (found.before_first, found.between, found.after_last) == (17, 12, 5)
    assert found.without == 10


def test_a_loop_without_a_bound_needs_a_point_inside():
    assert Distances(loop_of(None)).of(frozenset({0})).largest == UNBOUNDED
    assert Distances(loop_of(None)).of(frozenset({1})).largest == 12


def test_a_path_from_a_point_in_a_loop_has_one_round_less_left():
    # The point is on one of two ways through the body, so rounds without it may follow.
    blocks = {
        "header": Block((Run(1),), ("with", "plain", "exit")),
        "with": Block((Point(0), Run(20)), ("header",)),
        "plain": Block((Run(7),), ("header",)),
        "exit": Block((Run(2),), (), returns=True),
    }
    loops = {"header": Loop("", frozenset({"header", "with", "plain"}), 3)}
    found = Distances(Flow("f", {"f": Function("header", blocks, loops)})).of(frozenset({0}))
    # 20 of the first round, two more of 1 + 7, then 1 + 2.
    assert found.after_last == 20 + 2 * 8 + 3
    # And to the point again: 20, one round of 8, the header. Behind two the fourth round would
    # begin, and that must leave the loop at its header.
    assert found.between == 20 + 8 + 1
    # All three rounds plain.
    assert found.without == 3 * 8 + 3


def test_distances_go_through_calls():
    inner = Function("b", {"b": Block((Run(4), Point(0), Run(6)), (), returns=True)}, {})
    items = (Run(10), Call(("inner",)), Run(20), Call(("inner",)), Run(30))
    main = Function("b", {"b": Block(items, (), returns=True)}, {})
    found = Distances(Flow("main", {"main": main, "inner": inner})).of(frozenset({0}))
    assert (found.before_first, found.between, found.after_last) == (14, 6 + 20 + 4, 36)


def test_the_smallest_largest_set_is_chosen_and_no_point_that_is_not_needed():
    # Without a point 58. Point 2 alone keeps 17, point 1 alone 12, and 1 is dearer.
    sizes = {0: 1, 1: 80, 2: 40}
    found = place(loop_of(4), sizes, 17)
    assert isinstance(found, Placement)
    assert (found.points, found.largest_bits) == ((2,), 40)
    found = place(loop_of(4), sizes, 16)
    # From point 0 it is 5 + 2 + 10 to point 2: 0 does not help, so the dear one is needed.
    assert isinstance(found, Placement)
    assert (found.points, found.largest_bits) == ((1,), 80)


def test_a_distance_that_all_candidates_together_do_not_keep_has_no_placement():
    # Between 1 and 2 there are 1 + 10 steps, whatever is chosen.
    assert place(loop_of(4), {0: 1, 1: 1, 2: 1}, 10) == NoPlacement(11)


def test_a_program_shorter_than_the_distance_needs_no_point():
    found = place(loop_of(4), {0: 1, 1: 1, 2: 1}, 58)
    assert isinstance(found, Placement)
    assert (found.points, found.largest_bits) == ((), None)


def test_recursion_and_loops_with_two_entries_are_refused_by_name():
    call = Block((Call(("f",)),), (), returns=True)
    with pytest.raises(UnsupportedFlow, match="f is recursive"):
        Distances(Flow("f", {"f": Function("b", {"b": call}, {})}))
    blocks = {
        "entry": Block((Run(1),), ("a", "b")),
        "a": Block((Run(1),), ("b",)),
        "b": Block((Run(1),), ("a",)),
    }
    with pytest.raises(UnsupportedFlow, match="several entries"):
        Distances(Flow("f", {"f": Function("entry", blocks, {})}))


@settings(max_examples=150, deadline=None)
@given(_SEEDS)
def test_distances_are_those_of_every_path(seed: int):
    random = Random(seed)  # noqa: S311 - no secret
    flow = draw_flow(random, _MOST_POINTS)
    walk, distances = Walk(flow), Distances(flow)
    assume(len(walk.after) < MOST_STATES)
    candidates = sorted(set().union(*(points_of(one) for one in flow.functions.values())))
    for _ in range(4):
        chosen = frozenset(one for one in candidates if random.random() < 0.5)
        assert distances.of(chosen).largest == walk.largest(chosen)


@settings(max_examples=40, deadline=None)
@given(_SEEDS)
def test_a_placement_is_as_good_as_the_best_of_all_choices(seed: int):
    random = Random(seed)  # noqa: S311 - no secret
    flow = draw_flow(random, _MOST_CHOSEN)
    walk = Walk(flow)
    assume(len(walk.after) < MOST_STATES)
    candidates = sorted(set().union(*(points_of(one) for one in flow.functions.values())))
    sizes = {one: random.randint(1, 9) for one in candidates}
    best: dict[frozenset[int], float] = {
        frozenset(some): walk.largest(frozenset(some))
        for count in range(len(candidates) + 1)
        for some in combinations(candidates, count)
    }
    reached = sorted(one for one in best.values() if one != UNBOUNDED)
    most = int(random.choice(reached or [1])) - random.randrange(2)
    keeping = [some for some, distance in best.items() if distance <= most]
    found = place(flow, sizes, most)
    if not keeping:
        assert found == NoPlacement(min(best.values()))
        return
    assert isinstance(found, Placement)
    least = min(max((sizes[one] for one in some), default=0) for some in keeping)
    assert (found.largest_bits or 0) == least
    # Kept on every path, by points of which none can be left out.
    assert found.distances.largest == best[frozenset(found.points)] <= most
    for one in found.points:
        assert best[frozenset(found.points) - {one}] > most
