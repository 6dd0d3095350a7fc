# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Shares and quantiles of jobs of several processes, and how often their intervals hold them."""

from statistics import NormalDist

import numpy as np
import pytest

from laxity.statistics.clusters import (
    effective_jobs,
    quantile_of_processes,
    ratio_of_processes,
    share_of_processes,
)

PROCESSES = 20
JOBS = 50
DRAWS = 1000
# Of a thousand intervals of 95 %, 935 have to hold what was put in.
COVERED = 935


def test_processes_that_agree_count_as_one_job_each():
    # No process has a job that missed, so nothing tells how alike jobs of one process are: 20 of
    # 20 met, 0.025 ^ (1 / 20) = 0.831566.
    share = share_of_processes([50] * 20, [50] * 20)
    assert (share.lower, share.upper) == pytest.approx((0.831566, 1.0), abs=1e-6)
    assert (share.count, share.n) == (1000, 1000)


def test_jobs_that_are_all_alike_within_their_process_are_worth_one():
    # Ten processes met all, ten none: residuals are 50 - 0.5 * 50 = 25 each, variance 20 / 19 * 20
    # * 625 / 1e6 = 0.0131579; 0.25 / that = 19 jobs, times (1.962341 / 2.093024)^2 = 0.879023.
    held = np.array([50] * 10 + [0] * 10)
    assert effective_jobs(held, np.full(20, 50)) == pytest.approx(19 * 0.879023, rel=1e-5)


def test_jobs_are_never_worth_more_than_there_are():
    # All processes have the same share: less spread than chance would give.
    held = np.full(20, 25)
    assert effective_jobs(held, np.full(20, 50)) <= 1000


@pytest.mark.parametrize(
    ("counts", "jobs"), [([1], [2]), ([3, 1], [2, 2]), ([-1, 1], [2, 2]), ([0, 0], [0, 1])]
)
def test_what_is_no_share_of_processes_is_refused(counts: list[int], jobs: list[int]):
    with pytest.raises(ValueError, match="are no shares of processes"):
        share_of_processes(counts, jobs)


@pytest.mark.parametrize(
    ("share", "alike"),
    # How alike jobs of one process are: the correlation of two of them.
    [(0.5, 0.3), (0.9, 0.3), (0.95, 0.1), (0.99, 0.3), (0.5, 0.9), (0.9, 0.9), (0.97, 0.5)],
)
def test_interval_of_a_share_holds_it_where_jobs_of_a_process_are_alike(share: float, alike: float):
    rng = np.random.default_rng(20_261)
    odds = (1 - alike) / alike
    shares = rng.beta(share * odds, (1 - share) * odds, (DRAWS, PROCESSES))
    drawn = rng.binomial(JOBS, shares)
    found = [share_of_processes(counts.tolist(), [JOBS] * PROCESSES) for counts in drawn]
    assert sum(one.lower <= share <= one.upper for one in found) >= COVERED


@pytest.mark.parametrize("share", [0.3, 0.7, 0.9])
def test_interval_of_a_share_of_independent_jobs_holds_it_and_is_hardly_wider(share: float):
    rng = np.random.default_rng(20_262)
    drawn = rng.binomial(JOBS, share, (DRAWS, PROCESSES))
    found = [share_of_processes(counts.tolist(), [JOBS] * PROCESSES) for counts in drawn]
    assert sum(one.lower <= share <= one.upper for one in found) >= COVERED
    # Of 1000 independent jobs 1.96 * sqrt(p q / 1000) to each side; a fifth more is allowed.
    half = 1.96 * (share * (1 - share) / (JOBS * PROCESSES)) ** 0.5
    assert np.mean([one.upper - one.lower for one in found]) <= 2 * half * 1.2


@pytest.mark.parametrize(("q", "alike"), [(0.5, 0.5), (0.9, 0.5), (0.99, 0.3), (0.5, 0.0)])
def test_interval_of_a_quantile_holds_it_where_jobs_of_a_process_are_alike(q: float, alike: float):
    rng = np.random.default_rng(20_263)
    truth = NormalDist(1e6, 1e5).inv_cdf(q)
    held = given = 0
    for _ in range(DRAWS):
        of_process = rng.normal(size=(PROCESSES, 1)) * alike**0.5
        jobs = of_process + rng.normal(size=(PROCESSES, JOBS)) * (1 - alike) ** 0.5
        found = quantile_of_processes(list((1e6 + 1e5 * jobs).astype(np.int64)), q)
        if found.low_ns is not None and found.high_ns is not None:
            given += 1
            held += found.low_ns <= truth <= found.high_ns
    assert held >= COVERED * given / DRAWS
    assert given >= DRAWS * 0.6


def test_few_processes_give_a_quantile_without_interval():
    found = quantile_of_processes([np.arange(50)] * 19, 0.5)
    assert found.low_ns is None
    assert found.reason == "19 processes, 20 are needed"


def test_interval_of_a_ratio_is_that_of_what_processes_are_off_it():
    # 20 processes of 100, half with 10 and half with 14: ratio 240 / 2000 = 0.12, residuals 2 each,
    # error sqrt(20 / 19 * 80) / 2000 = 9.176629 / 2000 = 0.004588315, times 2.093024: 0.009603453.
    low, high = ratio_of_processes([10, 14] * 10, [100] * 20)
    assert (low, high) == pytest.approx((0.12 - 0.009603453, 0.12 + 0.009603453), abs=1e-8)


@pytest.mark.parametrize("alike", [0.0, 0.3, 0.9])
def test_interval_of_a_ratio_holds_it_where_jobs_of_a_process_are_alike(alike: float):
    # References differ by process, and misses are a share of them that does, too.
    rng = np.random.default_rng(20_264)
    under = rng.uniform(1e6, 2e6, (DRAWS, PROCESSES))
    share = 0.05 * (1 + rng.normal(0, 0.1 + alike, (DRAWS, PROCESSES)) * 0.3)
    found = [ratio_of_processes(a, b) for a, b in zip(share * under, under, strict=True)]
    assert sum(low <= 0.05 <= high for low, high in found) >= COVERED
