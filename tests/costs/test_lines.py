# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Lines through curves, calculated by hand."""

import pytest

from laxity.costs.lines import falling_zero_bytes, fit_line, rising_points


def test_points_on_a_line_give_that_line():
    line = fit_line([(1, 7), (2, 9), (4, 13)])
    assert line is not None
    assert line.slope_ns_per_byte == pytest.approx(2)
    assert line.intercept_ns == pytest.approx(5)
    assert line.intercept_half_width_ns == pytest.approx(0, abs=1e-6)
    assert not line.starts_in_origin


def test_interval_of_the_intercept_is_that_of_student():
    # x = 1, 2, 2; y = 2, 3, 5; weights 1, 1/4, 1/4, sum 3/2. Means: x (1 + 1/2 + 1/2) / 1.5
    # = 4/3, y (2 + 3/4 + 5/4) / 1.5 = 8/3. Sxx = 1/9 + 2 * (4/9) / 4 = 1/3, Sxy =
    # (1/3)(2/3) + (2/3)(1/3)/4 + (2/3)(7/3)/4 = 2/9 + 1/18 + 7/18 = 2/3: slope 2, intercept 0.
    # Residuals 0, -1, 1: variance (1/4 + 1/4) / 1 = 1/2. Deviation of the intercept:
    # sqrt(1/2 * (2/3 + (16/9) / (1/3))) = sqrt(3); t with one degree of freedom is 12.706.
    line = fit_line([(1, 2), (2, 3), (2, 5)])
    assert line is not None
    assert line.slope_ns_per_byte == pytest.approx(2)
    assert line.intercept_ns == pytest.approx(0, abs=1e-9)
    assert line.intercept_half_width_ns == pytest.approx(12.706 * 3**0.5)
    assert line.starts_in_origin


def test_two_points_give_no_line():
    assert fit_line([(1, 2), (2, 4)]) is None


def test_rise_ends_with_the_highest_point():
    assert rising_points([(1, 2), (2, 9), (4, 3), (8, 5)]) == [(1, 2), (2, 9)]
    assert rising_points([]) == []


def test_fall_meets_zero_where_its_steep_part_points():
    # (8, 100), (9, 75), (10, 50): 25 less each, zero at 12. 49 is below half of 100.
    assert falling_zero_bytes([(4, 50), (8, 100), (9, 75), (10, 50), (16, 49)]) == 12
    assert falling_zero_bytes([(8, 100), (9, 75), (10, 49)]) == 12


def test_curve_that_does_not_fall_has_no_zero():
    assert falling_zero_bytes([(1, 1), (2, 2)]) is None
    assert falling_zero_bytes([(1, 3), (2, 1)]) is None
    assert falling_zero_bytes([]) is None
