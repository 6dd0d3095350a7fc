# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Shares with their intervals, and the weighted share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laxity.statistics.shares import share_of, weighted_share


def test_interval_is_wilsons():
    # 8 of 10, z = 1.96: z^2 / n = 0.384146; centre (0.8 + 0.192073) / 1.384146 = 0.716740; half
    # 1.96 / 1.384146 * sqrt(0.016 + 0.0096036) = 0.226577.
    share = share_of(8, 10)
    assert share.value == 0.8
    assert (share.lower, share.upper) == pytest.approx((0.490163, 0.943318), abs=2e-6)


def test_share_of_all_or_none_is_not_certain():
    # z^2 / (n + z^2) = 3.841459 / 103.841459
    assert share_of(0, 100).upper == pytest.approx(0.0369935, abs=1e-6)
    assert share_of(0, 100).lower == 0
    assert share_of(100, 100).lower == pytest.approx(1 - 0.0369935, abs=1e-6)
    assert share_of(100, 100).upper == 1


@given(st.integers(1, 10_000), st.data())
def test_interval_holds_the_share_and_stays_within_zero_and_one(n: int, data: st.DataObject):
    share = share_of(data.draw(st.integers(0, n)), n)
    assert 0 <= share.lower <= share.value <= share.upper <= 1


@pytest.mark.parametrize(("count", "n"), [(0, 0), (2, 1), (-1, 1)])
def test_what_is_no_share_is_refused(count: int, n: int):
    with pytest.raises(ValueError, match="is no share"):
        share_of(count, n)


def test_higher_utilisations_weigh_more():
    # (0.5 * 1 + 1 * 0.25) / 1.5 = 0.5
    assert weighted_share([0.5, 1.0], [1.0, 0.25]) == pytest.approx(0.5)
    assert weighted_share([], []) is None
