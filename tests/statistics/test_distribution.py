# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Quantiles, intervals, bins, tails and decimation against hand calculations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laxity.statistics import distribution as dist


def _samples(*values: int) -> dist.Distribution:
    return dist.from_samples(np.asarray(values, dtype=np.int64))


def test_quantile_is_nearest_rank():
    # n = 5, sorted 10 20 30 40 50: ceil(0.5*5) = 3rd, ceil(0.8*5) = 4th, ceil(4.05) = 5th.
    samples = _samples(50, 10, 30, 20, 40)
    assert samples.quantile_ns(0.5) == 30
    assert samples.quantile_ns(0.8) == 40
    assert samples.quantile_ns(0.81) == 50
    assert samples.quantile_ns(1.0) == 50


def test_quantile_of_even_count_is_the_lower_middle_sample():
    # ceil(0.5*4) = 2
    assert _samples(1, 2, 3, 4).quantile_ns(0.5) == 2


def test_quantile_rank_is_exact_where_a_float_product_is_not():
    # 0.999 * 1000 = 999 exactly; in doubles 0.07 * 100 = 7.000000000000001 would give rank 8.
    assert dist.quantile_rank(1000, 0.999) == 999
    assert dist.quantile_rank(100, 0.07) == 7
    assert dist.quantile_rank(1001, 0.999) == 1000  # 999.999 up


@pytest.mark.parametrize(("n", "q"), [(0, 0.5), (5, 0.0), (5, 1.1)])
def test_quantile_of_nothing_or_outside_its_range_is_refused(n: int, q: float):
    with pytest.raises(ValueError, match="no quantile"):
        dist.quantile_rank(n, q)


def test_repeated_samples_count_each():
    samples = _samples(7, 7, 7, 9)
    assert samples.n == 4
    assert [samples.value_at_rank(rank) for rank in (1, 3, 4)] == [7, 7, 9]
    with pytest.raises(ValueError, match="outside"):
        samples.value_at_rank(5)


def test_bucket_quantile_is_the_largest_value_the_bucket_can_hold():
    # [64, 66) holds 64 and 65; the median (2nd of 3) lies there: 65. Empty buckets do not matter.
    samples = dist.from_buckets(
        np.array([128, 64, 90]), np.array([130, 66, 91]), np.array([1, 2, 0], dtype=np.uint64)
    )
    assert samples.n == 3
    assert samples.quantile_ns(0.5) == 65
    assert (samples.min_ns, samples.max_ns) == (64, 129)
    assert not samples.is_exact


def test_buckets_one_nanosecond_wide_are_exact():
    samples = dist.from_buckets(np.array([3, 5]), np.array([4, 6]), np.array([1, 1]))
    assert samples.is_exact
    assert (samples.min_ns, samples.max_ns) == (3, 5)


def test_interval_of_the_median_of_six_is_the_whole_range_and_of_five_does_not_exist():
    # P(all n on one side) = 2^-n: 2^-6 = 0.0156 <= 0.025 < 2^-5 = 0.0313
    assert dist.interval_ranks(6, 0.5) == (1, 6)
    assert dist.interval_ranks(5, 0.5) is None


def test_interval_of_the_median_of_ten_is_second_to_ninth():
    # B ~ Bin(10, 1/2): P(B <= 1) = 11/1024 = 0.0107 <= 0.025 < P(B <= 2) = 56/1024 = 0.0547
    # so l - 1 = 1, l = 2, and by symmetry u = 9.
    assert dist.interval_ranks(10, 0.5) == (2, 9)


def test_samples_needed_is_where_the_interval_begins_to_exist():
    # ln 0.025 / ln 0.5 = 5.32; / ln 0.99 = 367.04; / ln 0.999 = 3687.04
    for q, needed in ((0.5, 6), (0.99, 368), (0.999, 3688)):
        assert dist.samples_needed(q) == needed
        assert dist.interval_ranks(needed, q) is not None
        assert dist.interval_ranks(needed - 1, q) is None
        assert not dist.supports_quantile(needed - 1, q)


def test_interval_of_a_large_sample_is_near_the_normal_approximation():
    # n = 1e6, q = 0.99: 990000 +- 1.96 * sqrt(1e6*0.99*0.01) = 990000 +- 195
    lower, upper = dist.interval_ranks(1_000_000, 0.99)
    assert abs(lower - (990_000 - 195)) <= 2
    assert abs(upper - (990_000 + 195)) <= 2


def test_no_sample_has_no_interval():
    assert dist.interval_ranks(0, 0.5) is None


def test_interval_of_buckets_reaches_from_lowest_to_highest_value():
    samples = dist.from_buckets(np.array([10, 20]), np.array([20, 30]), np.array([5, 5]))
    # ranks 2 and 9 of 10: bucket [10, 20) from below, bucket [20, 30) from above
    interval = dist.quantile_interval(samples, 0.5)
    assert interval is not None
    assert (interval.lower_ns, interval.upper_ns) == (10, 29)


def test_linear_bins_hold_each_sample_once_and_have_whole_edges():
    # 10..19 in 5 bins: step ceil(10/5) = 2
    bins = dist.bin_counts(_samples(10, 11, 12, 19), bins=5)
    assert bins.edges_ns.tolist() == [10, 12, 14, 16, 18, 20]
    assert bins.counts.tolist() == [2, 1, 0, 0, 1]
    assert not bins.is_log


def test_wide_range_gives_logarithmic_bins_at_a_factor_of_ten():
    assert not dist.bin_counts(_samples(10, 100)).is_log
    assert dist.bin_counts(_samples(10, 101)).is_log


def test_one_sample_is_one_bin():
    bins = dist.bin_counts(_samples(5))
    assert bins.edges_ns.tolist() == [5, 6]
    assert bins.counts.tolist() == [1]


def test_wide_bucket_is_spread_over_the_bins():
    # bucket [0, 4) with 8 samples over bins of 2 ns: 4 + 4
    samples = dist.from_buckets(np.array([0]), np.array([4]), np.array([8]))
    assert dist.bin_counts(samples, bins=2).counts.tolist() == [4, 4]


def test_limits_beyond_the_samples_give_empty_bins():
    bins = dist.bin_counts(_samples(5), bins=5, limits_ns=(3, 7))
    assert bins.counts.tolist() == [0, 0, 1, 0, 0]


@given(st.lists(st.integers(-5, 10**12), min_size=1, max_size=60), st.integers(1, 90))
def test_no_sample_is_lost_in_binning(values: list[int], count: int):
    assert dist.bin_counts(_samples(*values), bins=count).counts.sum() == pytest.approx(len(values))


def test_tail_of_four_samples():
    # share of samples >= x: 10: 4/4, 20: 3/4, 40: 1/4 (20 occurs twice)
    x, share = dist.tail_points(_samples(10, 20, 20, 40))
    assert x.tolist() == [10, 20, 40]
    assert share.tolist() == [1.0, 0.75, 0.25]


def test_thinned_tail_keeps_the_first_and_the_last_ten_samples():
    samples = dist.from_samples(np.arange(100_000))
    x, share = dist.tail_points(samples, max_points=300)
    assert len(x) <= 302
    assert x[0] == 0
    assert set(range(99_990, 100_000)) <= set(x.tolist())
    assert share[-1] == pytest.approx(1e-5)


def test_decimation_keeps_all_up_to_the_limit():
    assert dist.decimate_min_max(np.zeros(2000)).tolist() == list(range(2000))
    assert len(dist.decimate_min_max(np.zeros(2001))) <= 2000


def test_decimation_keeps_every_local_extreme():
    values = np.zeros(100_000, dtype=np.int64)
    values[[17, 50_000, 99_998]] = (900, -5, 700)
    kept = dist.decimate_min_max(values)
    assert len(kept) <= 2000
    assert {0, 17, 50_000, 99_998, 99_999} <= set(kept.tolist())
    assert kept.tolist() == sorted(kept.tolist())


def test_comparison_states_ratio_of_medians_and_shifts_of_what_both_support():
    # medians 3 and 6 (3rd of 5): ratio 2; five jobs support no interval, so only the maxima remain
    result = dist.compare(_samples(1, 2, 3, 4, 5), _samples(2, 4, 6, 8, 50))
    assert result.median_ratio == 2.0
    assert result.max_ratio == 10.0
    assert [(s.q, s.shift_ns) for s in result.shifts] == [(1.0, 45)]


def test_comparison_of_six_includes_the_median():
    result = dist.compare(_samples(*range(6)), _samples(*range(10, 16)))
    assert [(s.q, s.shift_ns) for s in result.shifts] == [(0.5, 10), (1.0, 10)]


def test_comparison_with_no_sample_has_no_ratio():
    result = dist.compare(_samples(1), _samples())
    assert (result.median_ratio, result.max_ratio, result.shifts) == (None, None, ())


def test_ratio_to_a_median_of_zero_is_none():
    assert dist.compare(_samples(0), _samples(5)).median_ratio is None
