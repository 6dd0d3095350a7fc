# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What sampling takes, of jobs whose times are known."""

import numpy as np
import pytest

from laxity.core.streams import Status
from laxity.jobs.intrusion import Intrusion, Watched, intrusion_of
from laxity.jobs.monitor import rounded_up_ns
from laxity.jobs.rows import Jobs
from laxity.statistics.rank_test import RankTest


def jobs(*times: tuple[int, int, int]) -> Jobs:
    """Rows of jobs that are done: number, start and finish."""
    kinds = [("job", "u8"), ("start_ns", "i8"), ("finish_ns", "i8"), ("status", "u1")]
    rows = np.array([(*one, Status.DONE) for one in times], dtype=kinds)
    return np.ma.masked_array(rows)


def test_jobs_of_one_number_are_compared_and_what_a_sample_takes_is_their_difference():
    before = Watched(jobs((0, 0, 100), (1, 1000, 1100), (2, 2000, 2100)), {})
    after = Watched(jobs((1, 1000, 1130), (2, 2000, 2150), (3, 3000, 3500)), {})
    # Samples at 50, 100, ...: in 1000 to 1130 those of 1050 and 1100, in 2000 to 2150 also two, for
    # the one at the instant of a finish is no part of the job: 80 ns by 4 samples.
    found = intrusion_of(before, after, np.arange(50, 4000, 50))
    assert found is not None
    assert (found.n, found.unobserved_ns, found.observed_ns) == (2, 200, 280)
    assert found.n_samples == 4
    assert found.per_sample_ns == 20
    assert found.share == pytest.approx(0.4)


def test_samples_that_were_not_taken_divide_nothing():
    # 80 ns longer; the last sample is at 1060, so that a single sample took all of it.
    before, after = Watched(jobs((0, 1000, 1200)), {}), Watched(jobs((0, 1000, 1280)), {})
    found = intrusion_of(before, after, np.array([950, 1000, 1060]))
    assert found is not None
    assert (found.n_samples, found.per_sample_ns) == (1, 80)
    none = intrusion_of(before, after, np.array([], np.int64))
    assert none is not None
    assert (none.n_samples, none.per_sample_ns) == (0, None)


def test_jobs_that_others_preempted_more_often_in_one_of_the_runs_are_left_out():
    before = Watched(jobs((0, 0, 100), (1, 1000, 1100)), {0: 1, 1: 1})
    after = Watched(jobs((0, 0, 900), (1, 1000, 1110)), {0: 2, 1: 1})
    found = intrusion_of(before, after)
    assert found is not None
    assert (found.n, found.observed_ns - found.unobserved_ns) == (1, 10)
    assert found.per_sample_ns is None
    assert intrusion_of(before, Watched(after.rows[:1], {0: 2})) is None


def test_how_much_longer_measured_jobs_are_at_most_is_said_by_their_interval():
    test = RankTest(9, 9, 0.01, 0.9, shift_ns=30, low_ns=10, high_ns=50)
    one = Intrusion(9, unobserved_ns=9000, observed_ns=9270, n_samples=9, test=test)
    # A job takes 1000 ns: 30 of them by their sums, at most 50.
    assert one.most_share(is_exact=True) == pytest.approx(0.03)
    assert one.most_share(is_exact=False) == pytest.approx(0.05)
    few = Intrusion(1, unobserved_ns=1000, observed_ns=1100, n_samples=1, test=None)
    assert few.most_share(is_exact=False) is None


@pytest.mark.parametrize(
    ("least_ns", "chosen_ns"),
    [(1.0, 1), (1001.0, 2000), (2000.0, 2000), (2001.0, 5000), (5001.0, 10_000), (3e12, 10**9)],
)
def test_distances_are_rounded_up_to_1_2_or_5_of_a_decade(least_ns: float, chosen_ns: int):
    assert rounded_up_ns(least_ns) == chosen_ns
