# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What all probes make of samples, by values calculated by hand."""

from laxity.costs import samples


def test_bound_never_falls_and_takes_the_largest_of_a_working_set():
    points = [(8, 30), (4, 10), (4, 20), (16, 25)]
    assert samples.upper_bound(points) == [(0, 20), (4, 20), (8, 30), (16, 30)]


def test_runs_are_named_once_in_their_order():
    assert samples.join_names([("b", "a"), ("a",), ("c", "b")]) == ("b", "a", "c")


def test_groups_keep_the_order_of_keys_and_items():
    assert list(samples.group([5, 2, 3, 4], lambda one: one % 2).items()) == [
        (1, [5, 3]),
        (0, [2, 4]),
    ]
