# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Effective numbers of jobs that resemble their neighbours."""

import numpy as np
import pytest

from laxity.statistics.dependence import dependence_at


def test_independent_jobs_are_worth_about_their_number():
    values = np.random.default_rng(1).integers(0, 1000, 10_000)
    found = dependence_at(values, 500)
    # The largest of ten estimates, each of a few per cent to a third: between 1 and 2.
    assert 1.0 <= found.inflation_ratio < 2.0
    assert found.is_resolved


@pytest.mark.parametrize("length", [4, 16])
def test_jobs_that_come_in_equal_groups_are_worth_the_number_of_groups(length: int):
    values = np.repeat(np.random.default_rng(2).integers(0, 1000, 20_000 // length), length)
    found = dependence_at(values, 500)
    assert length <= found.inflation_ratio < 1.6 * length
    assert found.is_resolved


def test_a_trend_over_the_whole_run_is_not_resolved():
    # The upper half is all above, the lower half all below: 400 jobs tell no more than one step.
    assert not dependence_at(np.arange(400), 199).is_resolved


def test_equal_jobs_depend_on_nothing():
    found = dependence_at(np.full(100, 7), 7)
    assert (found.inflation_ratio, found.is_resolved) == (1.0, True)


def test_alternating_jobs_are_worth_no_more_than_their_number():
    # Means over pairs are all equal: less than independence would give, and that is not used.
    found = dependence_at(np.tile([1, 9], 500), 5)
    assert found.inflation_ratio == 1.0


def test_inflation_is_that_of_the_means_of_pairs_where_jobs_come_in_pairs():
    # 1 or 0 in 16 jobs: variance 1/4. 8 sums of two, each 1 or -1 off: 8 / (8 - 1), of two jobs
    # and against the variance: 8 / 7 / 2 / (1/4) = 16/7. Sums of four would be fewer than 8.
    found = dependence_at(np.tile([9, 9, 1, 1], 4), 5)
    assert found.inflation_ratio == pytest.approx(16 / 7)
    # More than twice, and 4 · 16/7 is more than 2.
    assert not found.is_resolved
