# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Block maxima, beside scipy's fits; there the shape has the other sign."""

import numpy as np
import pytest
from scipy import stats

from laxity.statistics.block_maxima import (
    FloatArray,
    Maxima,
    fit_maxima,
    heavy_maxima,
    maxima_quantile,
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


@pytest.mark.parametrize(("shape", "is_heavy"), [(0.6, True), (0.0, False), (-0.2, False)])
def test_heavy_maxima_are_improbable_where_the_shape_is_0(shape: float, is_heavy: bool):
    maxima = drawn(shape)
    found = heavy_maxima(maxima, fit_maxima(maxima, 20))
    # Twice what the likelihood loses is chi-square of one degree; one side of it is half of that.
    lost = stats.genextreme.logpdf(maxima, *stats.genextreme.fit(maxima)).sum()
    lost -= stats.gumbel_r.logpdf(maxima, *stats.gumbel_r.fit(maxima)).sum()
    one_side = stats.chi2.sf(2 * lost, 1) / 2
    fitted = fit_maxima(maxima, 20).shape
    assert found == pytest.approx(one_side if fitted > 0 else 1 - one_side, abs=2e-3)
    assert (found < 0.025) == is_heavy
