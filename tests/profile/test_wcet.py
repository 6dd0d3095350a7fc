# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Times of jobs of several processes: the observed maximum and what lies beyond it."""

import numpy as np
import pytest

from laxity.profile.wcet import rt_bench_procedure, share_beyond, times_of


def test_share_beyond_is_what_n_jobs_would_have_shown():
    # (1 - p)^n = 0.05: p = 1 - 0.05^(1/59) = 1 - exp(ln 0.05 / 59) = 1 - exp(-2.99573 / 59)
    # = 1 - exp(-0.0507751) = 0.049508: the 59 jobs of every textbook for 5 %.
    assert share_beyond(59) == pytest.approx(0.049508, abs=1e-6)
    # One job that kept the limit excludes a share of 95 %, no more.
    assert share_beyond(1) == 0.95
    assert share_beyond(0) is None


def test_jobs_since_the_maximum_are_those_after_it_in_order_of_time():
    # 9 is the second job of the second process: jobs 3, 4 of it, then 1 and 2 of the third: 4.
    processes = [np.array(one) for one in ([3, 5], [4, 9, 2, 1], [], [8, 9])]
    times = times_of(processes, is_exact=True)
    assert (times.n_processes, times.n_jobs, times.longest_ns, times.n_since) == (3, 8, 9, 4)
    # In order: 1 2 3 4 5 8 9 9, the 4th of 8 is the median.
    assert times.quantiles[0.5].value_ns == 4
    assert times_of([np.array([], np.int64)], is_exact=True) is None


def test_measured_jobs_have_the_quantiles_that_they_support():
    few = times_of([np.arange(5)], is_exact=False)
    # 6 jobs support a median, 36 a p90, 368 a p99 (docs/compare.md).
    assert list(few.quantiles) == []
    assert list(times_of([np.arange(6)], is_exact=False).quantiles) == [0.5]
    assert list(times_of([np.arange(36)], is_exact=False).quantiles) == [0.5, 0.9]
    assert list(times_of([np.arange(368)], is_exact=False).quantiles) == [0.5, 0.9, 0.99]


def test_rt_bench_ends_at_the_first_batch_without_a_miss_and_what_came_later_is_counted():
    # 5, raised to 7 by the second batch, which the third one keeps; of five later jobs 8 and 9 are
    # longer.
    batches = [np.array(one) for one in ([3, 5], [7, 1], [], [7, 2], [8, 1], [9, 7, 6])]
    found = rt_bench_procedure(batches)
    assert (found.limit_ns, found.n_batches, found.n_longer, found.n_later) == (7, 3, 2, 5)
    assert rt_bench_procedure([np.array([1]), np.array([2]), np.array([3])]) is None
    assert rt_bench_procedure([np.array([1])]) is None
    last = rt_bench_procedure([np.array([2]), np.array([1])])
    assert (last.limit_ns, last.n_batches, last.n_longer, last.n_later) == (2, 2, 0, 0)
