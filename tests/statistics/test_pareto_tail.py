# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The tail above a threshold: by hand, and beside scipy's slower fits."""

import math

import numpy as np
import pytest
from scipy import stats

from laxity.statistics import pareto_tail
from laxity.statistics.pareto_tail import (
    FloatArray,
    Tail,
    anderson_darling,
    draw_excesses,
    explore,
    fit_tail,
    fit_tails,
    log_likelihood,
    refit_tails,
    shape_interval,
    tail_quantile,
    upper_exponential,
    upper_quantile,
)

SHAPES = (-0.7, -0.2, 0.0, 0.3)


def drawn(shape: float, n: int = 500, seed: int = 1) -> FloatArray:
    found: FloatArray = stats.genpareto.rvs(
        shape, scale=3, size=n, random_state=np.random.default_rng(seed)
    )
    return found


def test_quantiles_by_hand():
    # xi = 1/2, sigma = 2, one of 100: 2 (100^0.5 - 1) / 0.5 = 36.
    assert tail_quantile(0.5, 2, 100) == pytest.approx(36)
    # xi = -1/2: 2 (1 - 100^-0.5) / 0.5 = 3.6, below the end at sigma / 0.5 = 4.
    assert tail_quantile(-0.5, 2, 100) == pytest.approx(3.6)
    assert tail_quantile(0, 2, 100) == pytest.approx(2 * math.log(100))
    assert tail_quantile(1e-7, 2, 100) == pytest.approx(2 * math.log(100))


@pytest.mark.parametrize("shape", SHAPES)
def test_sign_of_the_shape_is_that_of_scipy(shape: float):
    assert tail_quantile(shape, 3, 1e4) == pytest.approx(stats.genpareto.isf(1e-4, shape, scale=3))


@pytest.mark.parametrize("shape", SHAPES)
def test_fit_is_the_maximum_that_scipy_finds(shape: float):
    excesses = drawn(shape)
    found = fit_tail(excesses)
    witness_shape, _, witness_scale = stats.genpareto.fit(excesses, floc=0)
    assert found.shape == pytest.approx(witness_shape, abs=1e-3)
    assert found.scale == pytest.approx(witness_scale, rel=1e-3)
    witness = log_likelihood(excesses, witness_shape, witness_scale)
    assert log_likelihood(excesses, found.shape, found.scale) >= witness - 1e-6


def test_unit_of_the_excesses_does_not_matter():
    nanoseconds, microseconds = fit_tail(drawn(0.1) * 1e6), fit_tail(drawn(0.1))
    assert nanoseconds.shape == pytest.approx(microseconds.shape, abs=1e-6)
    assert nanoseconds.scale == pytest.approx(microseconds.scale * 1e6, rel=1e-5)


def test_many_samples_are_fitted_as_one_by_one():
    rows = np.stack([drawn(0.1, seed=seed) for seed in range(3)])
    shapes, scales = fit_tails(rows)
    for row, shape, scale in zip(rows, shapes, scales, strict=True):
        alone = fit_tail(row)
        assert (alone.shape, alone.scale) == pytest.approx((shape, scale), rel=1e-9)


@pytest.mark.parametrize("shape", [-0.9, -0.3, 0.0, 0.5])
def test_samples_of_a_tail_are_fitted_alike_from_that_tail(shape: float):
    tail = Tail(shape, 3, 300)
    rows = draw_excesses(tail, 30, np.random.default_rng(6))
    shapes, scales = refit_tails(rows, tail)
    expected_shapes, expected_scales = fit_tails(rows)
    assert shapes == pytest.approx(expected_shapes, abs=2e-4)
    assert scales == pytest.approx(expected_scales, rel=2e-4)


def test_most_samples_of_a_heavy_tail_are_fitted_without_a_search(monkeypatch: pytest.MonkeyPatch):
    searched: list[int] = []

    def search(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        searched.append(len(rows))
        return fit_tails(rows)

    monkeypatch.setattr(pareto_tail, "fit_tails", search)
    tail = Tail(0.5, 3, 300)
    refit_tails(draw_excesses(tail, 30, np.random.default_rng(6)), tail)
    assert sum(searched) < 15


def drop_of_shape(excesses: FloatArray, shape: float) -> float:
    """How far the best tail of that shape lies below the best of all: scipy's fits."""
    _, _, scale = stats.genpareto.fit(excesses, fc=shape, floc=0)
    tail = fit_tail(excesses)
    top = log_likelihood(excesses, tail.shape, tail.scale)
    return top - log_likelihood(excesses, shape, scale)


@pytest.mark.parametrize("shape", [-0.2, 0.0, 0.3])
def test_ends_of_the_interval_are_1_92_below_the_top(shape: float):
    # Two-sided 95 %: chi-square of one degree 3.841, half of it.
    excesses = drawn(shape)
    low, high = shape_interval(explore(excesses), 0.95)
    assert low < fit_tail(excesses).shape < high
    for end in (low, high):
        # A step of theta farther at most, never short of it.
        assert 1.91 < drop_of_shape(excesses, end) < 2.05


@pytest.mark.parametrize("shape", [-0.4, 0.0, 0.3])
def test_upper_bound_is_the_largest_quantile_that_is_not_excluded(shape: float):
    # One-sided 99 %: 2.3263^2 / 2 = 2.7060 below the top. Every tail with that quantile is as far
    # below or farther, and one is as far.
    excesses = drawn(shape)
    tail = fit_tail(excesses)
    top = log_likelihood(excesses, tail.shape, tail.scale)
    bound = upper_quantile(explore(excesses), 1e4, 0.99)
    shapes = np.linspace(tail.shape - 0.3, tail.shape + 0.6, 2_001)
    heights = [
        log_likelihood(excesses, float(one), bound / tail_quantile(float(one), 1, 1e4))
        for one in shapes
    ]
    assert top - max(heights) == pytest.approx(2.7060, abs=0.03)


def test_end_of_the_interval_of_a_uniform_tail_is_the_least_shape():
    excesses = np.random.default_rng(8).uniform(size=400)
    low, high = shape_interval(explore(excesses), 0.95)
    assert low == -1
    assert -1 < high < -0.8


def test_upper_bound_grows_with_confidence_and_with_rarity():
    excesses = drawn(0.05)
    tail = fit_tail(excesses)
    point = tail_quantile(tail.shape, tail.scale, 1e4)
    likelihood = explore(excesses)
    at_95 = upper_quantile(likelihood, 1e4, 0.95)
    assert point < at_95 < upper_quantile(likelihood, 1e4, 0.99)
    assert at_95 < upper_quantile(likelihood, 1e5, 0.95)


def test_tail_without_a_mean_has_no_upper_bound():
    assert upper_quantile(explore(drawn(1.8, n=20)), 1e4, 0.99) == math.inf


def test_exponential_bound_of_one_excess():
    # 2 x / sigma > -2 ln 0.95 = 0.10259 in 95 %: sigma < 2 / 0.10259 = 19.496.
    assert upper_exponential(np.array([1.0]), math.e, 0.95) == pytest.approx(19.496, abs=1e-3)


def test_anderson_darling_of_one_and_of_two_excesses():
    # One at the median: -1 - (ln 1/2 + ln 1/2) = 0.38629.
    one = anderson_darling(np.array([[math.log(2)]]), np.array([0.0]), np.array([1.0]))
    assert one[0] == pytest.approx(2 * math.log(2) - 1)
    # F = 1/4 and 3/4: -2 - ((ln 1/4 + ln 1/4) + 3 (ln 3/4 + ln 3/4)) / 2 = 0.24934.
    two = np.array([[math.log(4 / 3), math.log(4)]])
    expected = -2 - (2 * math.log(1 / 4) + 6 * math.log(3 / 4)) / 2
    found = anderson_darling(two, np.array([0.0]), np.array([1.0]))
    assert found[0] == pytest.approx(expected)


@pytest.mark.parametrize("shape", [-0.3, 0.0, 0.3])
def test_drawn_samples_are_of_their_tail(shape: float):
    rows = draw_excesses(Tail(shape, 3, 2_000), 1, np.random.default_rng(4))
    assert np.all(np.diff(rows) >= 0)
    assert stats.kstest(rows[0], stats.genpareto(shape, scale=3).cdf).pvalue > 0.01
