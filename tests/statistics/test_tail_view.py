# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a reader sees of a fitted tail."""

import numpy as np
import pytest
from scipy import stats

from laxity.statistics.pareto_tail import fit_tail
from laxity.statistics.tail_view import SHARES, view_tail

EXPONENTIAL_NS = (
    stats.expon(loc=100_000, scale=50_000)
    .rvs(4_000, random_state=np.random.default_rng(1))
    .astype(np.int64)
)


def test_quantiles_of_the_fit_stand_beside_the_samples():
    view = view_tail(EXPONENTIAL_NS)
    assert view.observed_ns.size == view.expected_ns.size == 400
    assert view.observed_ns[-1] == EXPONENTIAL_NS.max()
    assert np.all(np.diff(view.expected_ns) > 0)
    # Hazen: the largest of 400 stands for 1 - 0.5 / 400, one excess of 800.
    threshold_ns = np.sort(EXPONENTIAL_NS)[-401]
    tail = fit_tail(np.sort(EXPONENTIAL_NS)[-400:].astype(np.float64) - threshold_ns)
    expected = threshold_ns + stats.genpareto.isf(1 / 800, tail.shape, scale=tail.scale)
    assert view.expected_ns[-1] == pytest.approx(expected)


def test_thresholds_leave_their_share_above_them():
    view = view_tail(EXPONENTIAL_NS)
    assert [one.n for one in view.thresholds] == [int(4_000 * share) for share in SHARES]
    assert all(one.low < one.shape < one.high for one in view.thresholds)
    # Higher thresholds leave less to know of the shape.
    assert view.thresholds[-1].high - view.thresholds[-1].low > (
        view.thresholds[0].high - view.thresholds[0].low
    )


def test_few_samples_have_few_thresholds():
    # 30 excesses are needed: 0.2 and 0.15 of 200 are 40 and 30, 0.1 are 20.
    assert [one.n for one in view_tail(EXPONENTIAL_NS[:200]).thresholds] == [40, 30]


def test_one_value_has_no_tail():
    assert view_tail(np.full(1_000, 7)) is None
