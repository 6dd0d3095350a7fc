# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Phases of a series: none where there are none, borders where they were put."""

from collections.abc import Callable

import numpy as np
import pytest

from laxity.statistics.phases import phases_of

DRAWS = 400
VALUES = 100


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: np.maximum(rng.normal(100, 20, VALUES), 0),
        lambda rng: rng.gamma(4, 25, VALUES),
        lambda rng: rng.gamma(20, 5, VALUES),
        lambda rng: rng.normal(100, 1, VALUES),
        # Counts that are few: three misses in each part, on average.
        lambda rng: rng.poisson(3, VALUES),
    ],
    ids=["normal", "skewed", "less skewed", "regular", "counts"],
)
def test_stationary_series_are_seldom_split(draw: Callable[[np.random.Generator], np.ndarray]):
    rng = np.random.default_rng(20_271)
    split = sum(len(phases_of(draw(rng))) > 1 for _ in range(DRAWS))
    assert split <= 0.05 * DRAWS


@pytest.mark.parametrize(("spread", "step"), [(0.05, 1.2), (0.1, 1.5), (0.2, 2.0), (0.3, 3.0)])
def test_borders_that_were_put_there_are_found_within_two_values(spread: float, step: float):
    rng = np.random.default_rng(20_272)
    means = np.array([100.0] * 30 + [100 * step] * 40 + [100.0] * 30)
    found = [phases_of(np.maximum(rng.normal(means, spread * means), 0)) for _ in range(100)]
    right = [
        ends
        for ends in found
        if len(ends) == 3 and abs(ends[0] - 30) <= 2 and abs(ends[1] - 70) <= 2
    ]
    assert len(right) >= 90


def test_regular_series_is_split_where_it_steps_and_nowhere_else():
    assert phases_of([10.0] * 40 + [20.0] * 60) == [40, 100]
    # 3 % are no phase of their own.
    assert phases_of([100.0] * 50 + [103.0] * 50) == [100]


def test_change_of_the_variance_alone_is_a_border():
    series = [100.0] * 50 + [60.0, 140.0] * 25
    assert phases_of(series) == [50, 100]


def test_what_is_short_or_empty_is_one_phase():
    assert phases_of([]) == [0]
    assert phases_of([1.0, 9.0, 1.0]) == [3]
    assert phases_of([0.0] * 30) == [30]
