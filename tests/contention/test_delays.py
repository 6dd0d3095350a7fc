# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Delays at which a load is measured."""

from collections.abc import Callable

import pytest

from laxity.contention.delays import refine


def delays_of(
    function: Callable[[int], int], tolerance: int, low: int = 0, high: int = 8000
) -> list[int]:
    """List where the function is evaluated."""
    seen: set[int] = set()

    def value(delay: int) -> int:
        seen.add(delay)
        return function(delay)

    refine(value, tolerance, low, high)
    return sorted(seen)


def test_line_is_measured_at_three_delays():
    assert delays_of(lambda delay: 100 - delay, 0) == [0, 4000, 8000]


def test_interval_is_halved_where_the_chord_is_off():
    """The function falls from 1000 to 0 at delay 1000, and stays there.

    Chords from 0 to 8000, 4000 and 2000 pass 500 where the function is 0. Those from 0 to 1000 and
    above are right.
    """
    seen = delays_of(lambda delay: max(0, 1000 - delay), 10)
    assert seen == [0, 500, 1000, 1500, 2000, 3000, 4000, 6000, 8000]


@pytest.mark.parametrize(("tolerance", "n"), [(50, 3), (49, 5)])
def test_middle_may_be_off_by_the_tolerance(tolerance: int, n: int):
    """100 at delay 0, 0 elsewhere: the chord from 0 to 4 is off by 50 at 2, from 0 to 2 at 1."""
    assert len(delays_of(lambda delay: 100 * (delay == 0), tolerance, 0, 4)) == n


def test_neighbours_are_not_halved():
    assert delays_of(lambda delay: delay % 2 * 1000, 0, 0, 1) == []
