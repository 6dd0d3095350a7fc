# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A row of the heat map: tenths of the range, and how often they occur."""

import numpy as np
import pytest

from laxity.workingset.occurrence import (
    columns_of,
    count_columns,
    extent,
    normalise,
    share_of_highest,
)


def test_the_range_of_a_program_has_ten_columns_and_its_end_is_in_the_last():
    # Range 100 to 200: a tenth is 10. 109 is below the first border, 110 is on it.
    live_bits = np.array([100, 109, 110, 189, 190, 199, 200])
    assert columns_of(live_bits).tolist() == [0, 0, 1, 8, 9, 9, 9]


def test_a_border_between_columns_does_not_depend_on_rounding():
    # (3 - 0) * 10 // 10 = 3; in floating point 0.3 * 10 may be less than 3.
    live_bits = np.array([0, 3, 6, 7, 10])
    assert columns_of(live_bits).tolist() == [0, 3, 6, 7, 9]


def test_a_program_of_one_size_is_always_at_its_worst_case():
    assert columns_of(np.array([64, 64, 64])).tolist() == [9, 9, 9]


def test_each_instruction_counts_with_its_weight():
    counts = count_columns(np.array([0, 5, 10]), np.array([1.0, 20.0, 3.0]))
    # 5 of 0 to 10 is the lower end of the sixth column.
    assert counts == [1, 0, 0, 0, 0, 20, 0, 0, 0, 3]


def test_the_rarest_column_becomes_0_and_the_commonest_1():
    # (4 - 2) / (10 - 2) = 0.25
    assert normalise([2, 4, 10]) == [0.0, 0.25, 1.0]


def test_columns_that_are_equally_common_have_no_common_one():
    assert normalise([3, 3, 3]) == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("bits", "expected"),
    [
        ([1.0, 3.0, 2.0], (1, 2, 3)),
        # Of four the second is the median by nearest rank: ceil(0.5 * 4) = 2.
        ([4.0, 1.0, 3.0, 2.0], (1, 2, 4)),
        ([8.0, np.inf, 16.0], (8, 16, None)),
        ([8.0, np.inf, np.inf], (8, None, None)),
    ],
)
def test_what_is_unbounded_has_no_number(bits: list[float], expected: tuple[int | None, ...]):
    assert extent(np.array(bits)) == expected


def test_near_the_worst_case_are_the_two_highest_tenths():
    # 3 + 4 of 1 + 2 + 3 + 4 = 10.
    assert share_of_highest([1, 0, 0, 0, 0, 0, 0, 2, 3, 4]) == pytest.approx(0.7)
    assert share_of_highest([0] * 10) is None
