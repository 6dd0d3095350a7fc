# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Utilisations drawn at random: what they add up to, and that they are uniform."""

import math
import random
from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laxity.tasksets.utilisations import rand_fixed_sum, uunifast, uunifast_discard

Split: TypeAlias = Callable[[int, float, random.Random], list[float]]
N = 6000
# Standard deviations that a figure of N seeded draws may lie off.
SIGMAS = 4


def seeded(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - reproducible on purpose


def draws(split: Split, n_tasks: int, total: float) -> list[list[float]]:
    numbers = seeded(20261121)
    return [split(n_tasks, total, numbers) for _ in range(N)]


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def variance(values: Sequence[float]) -> float:
    centre = mean(values)
    return mean([(value - centre) ** 2 for value in values])


def share_below(values: Sequence[float], limit: float) -> float:
    return mean([value < limit for value in values])


def sigma(share: float) -> float:
    return math.sqrt(share * (1 - share) / N)


@given(st.integers(1, 60), st.floats(0, 1), st.integers(0, 2**32))
def test_fixed_sums_add_up_and_stay_within_a_processor_each(n_tasks: int, part: float, seed: int):
    total = part * n_tasks
    drawn = rand_fixed_sum(n_tasks, total, seeded(seed))
    assert len(drawn) == n_tasks
    assert sum(drawn) == pytest.approx(total, abs=1e-9 * n_tasks)
    assert all(-1e-12 <= one <= 1 + 1e-9 for one in drawn)


@given(st.integers(1, 60), st.floats(0.01, 1), st.integers(0, 2**32))
def test_uunifast_adds_up_and_discard_keeps_it_as_it_is_up_to_one(
    n_tasks: int, total: float, seed: int
):
    drawn = uunifast(n_tasks, total, seeded(seed))
    assert sum(drawn) == pytest.approx(total)
    assert min(drawn) >= 0
    # None can be above 1, so nothing is discarded.
    assert uunifast_discard(n_tasks, total, seeded(seed)) == drawn


@pytest.mark.parametrize("split", [uunifast, uunifast_discard, rand_fixed_sum])
def test_two_tasks_below_one_are_uniform_on_a_line(split: Split):
    # u1 is uniform from 0 to 0.8: each fifth of that has a fifth of the draws.
    first = [drawn[0] for drawn in draws(split, 2, 0.8)]
    for fifth in range(1, 5):
        assert share_below(first, 0.16 * fifth) == pytest.approx(
            fifth / 5, abs=SIGMAS * sigma(fifth / 5)
        )


@pytest.mark.parametrize("split", [uunifast_discard, rand_fixed_sum])
def test_two_tasks_above_one_are_uniform_on_what_is_left_of_the_line(split: Split):
    # Both at most 1 and together 1.4: u1 from 0.4 to 1, mean 0.7, variance 0.6^2 / 12 = 0.03.
    first = [drawn[0] for drawn in draws(split, 2, 1.4)]
    assert min(first) >= 0.4 - 1e-12
    assert mean(first) == pytest.approx(0.7, abs=SIGMAS * (0.03 / N) ** 0.5)
    assert share_below(first, 0.55) == pytest.approx(0.25, abs=SIGMAS * sigma(0.25))


@pytest.mark.parametrize("split", [uunifast, rand_fixed_sum])
def test_three_tasks_are_uniform_on_a_triangle(split: Split):
    # u1 > x leaves a triangle whose sides are (0.6 - x) / 0.6 of the whole one's: at 0.3 a quarter
    # of its area. Variance of a coordinate: s^2 (n - 1) / (n^2 (n + 1)) = 0.36 * 2 / 36 = 0.02.
    drawn = draws(split, 3, 0.6)
    for place in range(3):
        values = [one[place] for one in drawn]
        assert share_below(values, 0.3) == pytest.approx(0.75, abs=SIGMAS * sigma(0.75))
        assert variance(values) == pytest.approx(0.02, rel=0.06)


@pytest.mark.parametrize("split", [uunifast_discard, rand_fixed_sum])
def test_three_tasks_above_one_are_uniform_on_a_hexagon(split: Split):
    # With the sum 1.5 and u1 = x, u2 ranges over a length of 1 - |x - 1/2|: density
    # (1 - |x - 1/2|) / (3/4). Below 1/4: (1/8 + 1/32) / (3/4) = 5/24. Variance:
    # 2 / (3/4) * (1/24 - 1/64) = 5/72.
    drawn = draws(split, 3, 1.5)
    for place in range(3):
        values = [one[place] for one in drawn]
        assert share_below(values, 0.25) == pytest.approx(5 / 24, abs=SIGMAS * sigma(5 / 24))
        assert mean(values) == pytest.approx(0.5, abs=SIGMAS * (5 / 72 / N) ** 0.5)
        assert variance(values) == pytest.approx(5 / 72, rel=0.06)


def test_both_generators_agree_where_one_discards_most():
    # Five tasks of together 3.5: by symmetry u -> 1 - u the sum 1.5, where 1 - 5 / 3^4 of the
    # draws have no task above 1.
    kept = draws(lambda n, s, r: [1 - one for one in uunifast_discard(n, n - s, r)], 5, 3.5)
    made = draws(rand_fixed_sum, 5, 3.5)
    for limit in (0.25, 0.5, 0.75):
        shares = [share_below([one[0] for one in some], limit) for some in (kept, made)]
        assert shares[0] == pytest.approx(shares[1], abs=2 * SIGMAS * sigma(shares[0]))


def test_hundreds_of_tasks_do_not_leave_the_range_of_floating_point():
    drawn = rand_fixed_sum(1000, 500.25, seeded(1))
    assert sum(drawn) == pytest.approx(500.25)
    assert max(drawn) <= 1 + 1e-9


def test_sums_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match=r"cannot add up to 2\.5"):
        rand_fixed_sum(2, 2.5, seeded(1))
    with pytest.raises(ValueError, match="had one above 1"):
        uunifast_discard(2, 2.0, seeded(1))
