# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The rank-sum test on samples small enough for a pencil."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from laxity.statistics import rank_test
from laxity.statistics.rank_test import compare_ranks


def samples(*values: int) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    return np.array(values, dtype=np.int64)


def test_samples_that_do_not_overlap():
    found = compare_ranks(samples(*range(1, 9)), samples(*range(9, 17)))
    assert found is not None
    assert (found.n_first, found.n_second, found.is_larger_ratio) == (8, 8, 0.0)
    # None of 64 pairs, 32 expected; sigma^2 = 64 * 17 / 12; z = (32 - 1/2) / 9.5219 = 3.3081.
    z = 31.5 / math.sqrt(64 * 17 / 12)
    assert found.p_value == pytest.approx(math.erfc(z / math.sqrt(2)))
    assert found.p_value == pytest.approx(0.00094, abs=0.00001)
    # Differences are -15 once, -14 twice, ... -8 eight times, ... -1 once: 28 are below -8.
    assert found.shift_ns == -8
    # 32 + 1/2 - 1.96 * 9.5219 = 13.8: the 13th from either end; 10 are below -11, 15 not above it.
    assert (found.low_ns, found.high_ns) == (-11, -5)
    assert found.is_different


def test_samples_of_one_value_do_not_differ():
    found = compare_ranks(samples(*[7] * 10), samples(*[7] * 20))
    assert found is not None
    assert (found.p_value, found.is_larger_ratio, found.shift_ns) == (1.0, 0.5, 0)
    assert not found.is_different


def test_ties_narrow_the_spread():
    # 5 fives and 3 sixes against 8 sixes: half of 3 * 8 ties; 16 values, 5 and 11 tied:
    # sigma^2 = 64 / 12 * (17 - (120 + 1320) / 240) = 58.67; (32 - 12 - 1/2) / 7.659 = 2.546
    found = compare_ranks(samples(*[5] * 5, *[6] * 3), samples(*[6] * 8))
    assert found is not None
    assert found.is_larger_ratio == 12 / 64
    assert found.p_value == pytest.approx(math.erfc(19.5 / math.sqrt(176 / 3) / math.sqrt(2)))


@given(
    st.lists(st.integers(-50, 50), min_size=8, max_size=40),
    st.lists(st.integers(-30, 60), min_size=8, max_size=40),
)
def test_probability_is_that_of_scipy(first: list[int], second: list[int]):
    # Ours is by hand: scipy.stats takes longer to load than two runs to compare.
    found = compare_ranks(samples(*first), samples(*second))
    assert found is not None
    if len({*first, *second}) > 1:
        theirs = stats.mannwhitneyu(first, second, method="asymptotic")
        assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-9)
        assert found.is_larger_ratio == theirs.statistic / (len(first) * len(second))


def test_order_of_samples_mirrors_the_answer():
    one, other = samples(*range(0, 80, 2)), samples(*range(31, 51))
    first, second = compare_ranks(one, other), compare_ranks(other, one)
    assert first is not None
    assert second is not None
    assert first.p_value == pytest.approx(second.p_value)
    assert (first.low_ns, first.high_ns) == (-second.high_ns, -second.low_ns)


def test_samples_of_seven_are_too_small_and_of_eight_are_not():
    assert compare_ranks(samples(*range(7)), samples(*range(50))) is None
    assert compare_ranks(samples(*range(50)), samples(*range(7))) is None
    assert compare_ranks(samples(*range(8)), samples(*range(50))) is not None


def test_many_pairs_are_thinned_without_losing_the_shift(monkeypatch: pytest.MonkeyPatch):
    one, other = samples(*range(100, 1100)), samples(*range(40))
    whole = compare_ranks(one, other)
    monkeypatch.setattr(rank_test, "_MOST_PAIRS", 4_000)
    thinned = compare_ranks(one, other)
    assert whole is not None
    assert thinned is not None
    assert thinned.p_value == whole.p_value
    # Every tenth of the larger sample is left.
    assert thinned.shift_ns == pytest.approx(whole.shift_ns, abs=10)
