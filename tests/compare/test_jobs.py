# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""One quantity of one task in two runs."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from laxity.compare.comparison import Figure
from laxity.compare.jobs import ComparedQuantity, Pair, Samples, compare_quantity
from laxity.statistics.distribution import from_buckets, from_samples

N = 2000


def noisy(seed: int, more_ns: int = 0, n: int = N) -> NDArray[np.int64]:
    """Jobs of 1 ms and a normal share of 10 us."""
    random = np.random.default_rng(seed)
    return (1_000_000 + more_ns + random.normal(0, 10_000, n)).astype(np.int64)


def samples(values: NDArray[np.int64], side: str = "BASE") -> Samples:
    return Samples(side, from_samples(values), values, resolution_ns=1)


def compare(base: Samples, new: Samples, *noise: Samples) -> ComparedQuantity:
    return compare_quantity(Pair("control", "response", base, replace(new, side="NEW"), noise))


def figure(found: ComparedQuantity, statistic: str) -> Figure:
    return next(one for one in found.figures if one.statistic == statistic)


def test_the_same_jobs_shifted_are_longer_by_that_shift_at_every_quantile():
    values = noisy(1)
    found = compare(samples(values), samples(values + 5_000))
    assert [one.shift for one in found.figures] == [5_000] * 4
    median = figure(found, "median")
    # Standard error of a median: 1.2533 * 10 us / sqrt(2000) = 0.28 us, of a difference of two
    # 0.40 us; 95 % are 0.78 us to each side, here of one draw: 0.4 to 1.6.
    assert 400 < 5_000 - median.low < 1_600
    assert 400 < median.high - 5_000 < 1_600
    assert median.verdict == "longer"
    assert abs(median.shift_percent - 0.5) < 0.001
    assert figure(compare(samples(values + 5_000), samples(values)), "median").verdict == "shorter"


def test_different_draws_of_the_same_jobs_show_no_difference_and_are_never_called_equal():
    found = compare(samples(noisy(1)), samples(noisy(2)))
    judged = [one.verdict for one in found.figures if one.statistic != "max"]
    assert judged == ["no_difference_shown"] * 3


def test_quantiles_that_a_side_does_not_support_are_left_out():
    # p99.9 needs 3688 jobs, p99 368, p90 36 (0.9^36 = 0.0225 <= 0.025), the median 6.
    names = [one.statistic for one in compare(samples(noisy(1)), samples(noisy(2))).figures]
    assert names == ["median", "p90", "p99", "max"]
    few = compare(samples(noisy(1)), samples(noisy(2, n=35)))
    assert [one.statistic for one in few.figures] == ["median", "max"]
    many = compare(samples(noisy(1, n=8000)), samples(noisy(2, n=8000)))
    assert [one.statistic for one in many.figures] == ["median", "p90", "p99", "p99.9", "max"]


def test_the_largest_is_told_and_not_judged():
    base, new = np.array([5, 1, 3, 2, 4, 6, 7]), np.array([2, 9, 1, 3, 4, 5, 6])
    largest = figure(compare(samples(base), samples(new)), "max")
    assert (largest.base.value, largest.new.value, largest.shift) == (7, 9, 2)
    assert (largest.low, largest.high, largest.verdict) == (None, None, "not_judged")


def test_a_difference_below_what_further_runs_of_the_baseline_show_is_below_the_noise_floor():
    # Runs of the baseline at 0, +1 and +2 us: standard deviation 1 us, two degrees of freedom:
    # t 4.303, 4.303 * sqrt(2) * 1 us = 6.085 us. NEW is 5 us longer, or 9.
    values = noisy(1)
    noise = [samples(values + more, "NOISE1") for more in (1_000, 2_000)]
    median = figure(compare(samples(values), samples(values + 5_000), *noise), "median")
    assert (median.floor, median.verdict) == (6_086, "below_noise_floor")
    assert [(one.what, one.value) for one in median.floor_parts] == [
        ("clock", 1),
        ("between 3 runs of BASE", 6_086),
    ]
    median = figure(compare(samples(values), samples(values + 9_000), *noise), "median")
    assert median.verdict == "longer"


def test_a_single_further_run_says_little():
    # 1 us apart: standard deviation 0.707 us, t 12.706: 12.7 us.
    values = noisy(1)
    noise = samples(values + 1_000, "NOISE1")
    assert figure(compare(samples(values), samples(values), noise), "median").floor == 12_706


def test_noise_of_too_few_jobs_for_a_quantile_does_not_narrow_its_scatter():
    # A p99 needs 368 jobs, a median 6: NOISE1 counts for the median alone.
    values = noisy(1)
    found = compare(samples(values), samples(values), samples(values[:367], "NOISE1"))
    assert figure(found, "median").knows_scatter
    assert not figure(found, "p99").knows_scatter


def test_a_coarse_clock_is_a_noise_floor():
    values = noisy(1)
    coarse = replace(samples(values), resolution_ns=10_000)
    assert figure(compare(coarse, samples(values + 5_000)), "median").floor == 10_000


def test_what_the_calibrations_of_two_runs_differ_in_is_a_noise_floor():
    values = noisy(1)
    base = replace(samples(values), calibration_ns=700)
    new = replace(samples(values + 5_000), calibration_ns=720)
    parts = figure(compare(base, new), "median").floor_parts
    assert [(one.what, one.value) for one in parts] == [("clock", 1), ("calibration", 20)]


def test_a_run_whose_second_half_is_longer_drifts_and_that_is_a_noise_floor():
    drifting = np.concatenate([noisy(1, n=1000), noisy(2, 20_000, n=1000)])
    found = compare(samples(drifting), samples(noisy(3, 5_000)))
    drift = next(one for one in found.drifts if one.statistic == "median")
    assert drift.side == "BASE"
    assert drift.low_ns < 20_000 < drift.high_ns
    parts = {one.what: one.value for one in figure(found, "median").floor_parts}
    assert parts["drift within BASE"] == drift.shift_ns
    assert not [one for one in found.drifts if one.side == "NEW"]


def test_drift_is_how_far_a_figure_moves_between_eighths_of_either_run():
    # BASE: eight parts of 100 equal jobs of 100, 110, ..., 170 ns: medians 70 ns apart. NEW: 500 ns
    # throughout, but for a job of 930 in one part: no median moves, the largest by 430.
    base = np.repeat(np.arange(100, 180, 10), 100)
    new = np.full(800, 500)
    new[250] = 930
    found = compare(samples(base), samples(new, "NEW"))
    assert figure(found, "median").drift == 70
    assert figure(found, "max").drift == 430
    # p99 needs 368 jobs: two parts of 400, whose largest hundredth is 130 and 170.
    assert figure(found, "p99").drift == 40
    # 11 jobs make one part of the 6 that a median needs: its drift is unknown.
    few = compare(samples(base[:11]), samples(new))
    assert figure(few, "median").drift is None


def test_parts_of_both_runs_are_held_against_each_other():
    # BASE: medians of 100, 110, ..., 170 ns in its eighths, NEW: 500 ns throughout.
    base, new = np.repeat(np.arange(100, 180, 10), 100), np.full(800, 500)
    median = figure(compare(samples(base), samples(new)), "median")
    # 500 - 170, 500 - 100. Jobs of one part are alike: there is no interval.
    assert (median.parts_low, median.parts_high) == (330, 400)
    assert median.low is None
    # p99 has two parts, and 35 jobs are five of 6: too few. 36 are six.
    assert figure(compare(samples(base), samples(new)), "p99").parts_low is None
    few = [figure(compare(samples(base[:n]), samples(new)), "median") for n in (35, 36)]
    assert [median.parts_low for median in few] == [None, 400]
    # What supports no verdict has no parts either.
    doubtful = replace(samples(new), doubt="the run failed")
    assert figure(compare(samples(base), doubtful), "median").parts_low is None


def test_a_histogram_tells_quantiles_but_no_verdict():
    # 100 jobs in 96 .. 127, 100 in 128 .. 191: median (rank 100) at the upper end of the first.
    buckets = from_buckets(np.array([96, 128]), np.array([128, 192]), np.array([100, 100]))
    base = Samples("BASE", buckets, None, resolution_ns=1)
    median = figure(compare(base, samples(noisy(1))), "median")
    assert (median.base.value, median.verdict) == (127, "no_verdict")
    assert median.reason.startswith("BASE: not every job was kept")
    largest = figure(compare(base, base), "max")
    assert (largest.base.low, largest.base.high) == (128, 191)


def test_lost_rows_leave_no_verdict():
    values = noisy(1)
    doubtful = replace(samples(values), doubt="3 rows were lost")
    found = compare(doubtful, samples(values + 5_000))
    assert {one.verdict for one in found.figures} == {"no_verdict"}
    assert found.figures[0].reason == "BASE: 3 rows were lost"


def test_the_rank_sum_test_is_done_on_jobs_far_apart():
    # Each job 10 times: only every tenth, or less, is a sample of its own.
    values = np.repeat(noisy(1), 10)
    found = compare(samples(values), samples(values + 5_000))
    assert found.ranks.n_base <= N
    # P(X + 5 us > Y), standard deviation of the difference 14.1 us: Phi(0.354) = 0.638.
    assert 0.6 < found.ranks.longer_ratio < 0.68
    assert found.ranks.p_value < 1e-6


def test_fewer_than_eight_jobs_are_no_rank_sum_test():
    assert compare(samples(noisy(1, n=7)), samples(noisy(2))).ranks is None
    assert compare(samples(noisy(1, n=8)), samples(noisy(2))).ranks is not None


def compare_exactly(base: list[int], new: list[int]) -> ComparedQuantity:
    one, other = (samples(np.array(values)) for values in (base, new))
    return compare_quantity(Pair("control", "response", one, other, is_exact=True))


def test_exact_jobs_differ_by_what_they_differ_by_without_interval_or_noise_floor():
    # Of five jobs the median is the third, p90 the fifth (4.5 rounded up).
    found = compare_exactly([10, 20, 30, 40, 50], [19, 10, 31, 40, 50])
    shown = {one.statistic: (one.shift, one.verdict) for one in found.figures}
    rest = dict.fromkeys(("p90", "p99", "p99.9", "max"), (0, "equal"))
    assert shown == {"median": (1, "longer"), **rest}
    assert {(one.low, one.high, one.floor, one.floor_parts) for one in found.figures} == {
        (None, None, 0, ())
    }
    assert (found.drifts, found.ranks, found.left_out) == ((), None, None)


def test_a_single_exact_job_has_every_figure():
    found = compare_exactly([7], [5])
    assert [(one.shift, one.verdict) for one in found.figures] == [(-2, "shorter")] * 5


def test_quantiles_of_few_exact_jobs_are_left_out_where_one_side_has_more():
    # A p90 of five is their largest, one of ten the ninth: they are not the same figure.
    found = compare_exactly([1] * 5, list(range(10)))
    assert [one.statistic for one in found.figures] == ["max"]
    assert found.left_out.startswith("control response: BASE has 5 jobs; median needs 6, p90")


def test_exact_jobs_that_were_not_all_kept_have_no_verdict():
    buckets = from_buckets(np.array([96]), np.array([128]), np.array([5]))
    kept = Samples("BASE", buckets, None)
    found = compare_quantity(Pair("control", "response", kept, kept, is_exact=True))
    assert {one.verdict for one in found.figures} == {"no_verdict"}
    assert "to a bucket of the histogram only" in found.figures[0].reason


def test_exact_jobs_of_a_run_that_broke_off_have_no_verdict():
    doubtful = replace(samples(np.array([5])), doubt="the run failed")
    found = compare_quantity(Pair("control", "response", doubtful, doubtful, is_exact=True))
    assert {one.reason for one in found.figures} == {"BASE: the run failed; BASE: the run failed"}
