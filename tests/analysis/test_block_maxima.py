# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Block maxima, beside scipy's fits; there the shape has the other sign."""

import numpy as np
import pytest
from scipy import stats

from laxity.analysis.block_maxima import (
    FloatArray,
    Maxima,
    fit_maxima,
    maxima_quantile,
    maxima_shape_interval,
    take_maxima,
)

SHAPES = (-0.2, 0.0, 0.3)


def drawn(shape: float, n: int = 100) -> FloatArray:
    generator = np.random.default_rng(2)
    found: FloatArray = stats.genextreme.rvs(
        -shape, loc=50, scale=3, size=n, random_state=generator
    )
    return found


def test_what_is_left_over_is_in_no_block():
    assert take_maxima(np.array([1.0, 5, 2, 3, 9]), 2).tolist() == [5, 3]


@pytest.mark.parametrize("shape", SHAPES)
def test_fit_is_the_maximum_that_scipy_finds(shape: float):
    maxima = drawn(shape)
    found = fit_maxima(maxima, 20)
    witness_c, location, scale = stats.genextreme.fit(maxima)
    assert found.shape == pytest.approx(-witness_c, abs=2e-3)
    assert (found.location, found.scale) == pytest.approx((location, scale), rel=2e-3)
    assert (found.n, found.block) == (100, 20)


@pytest.mark.parametrize("shape", SHAPES)
def test_quantile_of_a_sample_is_one_of_its_block(shape: float):
    # A block of 20 stays below what a sample exceeds in 1e-4 with (1 - 1e-4)^20.
    fitted = Maxima(shape, 50, 3, 100, 20)
    expected = stats.genextreme.ppf((1 - 1e-4) ** 20, -shape, 50, 3)
    assert maxima_quantile(fitted, 1e-4) == pytest.approx(expected)


def test_interval_of_the_shape_holds_the_fit_and_is_above_zero_for_a_heavy_tail():
    maxima = drawn(0.6)
    fitted = fit_maxima(maxima, 20)
    low, high = maxima_shape_interval(maxima, fitted, 0.95)
    assert 0 < low < fitted.shape < high
    light = drawn(-0.2)
    low, high = maxima_shape_interval(light, fit_maxima(light, 20), 0.95)
    assert low < 0
