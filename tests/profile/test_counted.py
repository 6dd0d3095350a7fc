# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Ratios of what was counted in jobs."""

import numpy as np
import pytest

from laxity.jobs.counts import Counted
from laxity.profile.counted import ratio_of
from laxity.profile.events import Ratio

MISSES = Ratio("misses", ("refill",), "access")
BYTES = Ratio("traffic", ("read", "written"), "instructions")


def counted(counts: list[int | None], worst_ratio: float = 1.0) -> Counted:
    is_counted = np.array([one is not None for one in counts])
    return Counted(np.array([one or 0 for one in counts]), is_counted, worst_ratio)


def test_ratio_is_that_of_the_sums_over_all_jobs_not_the_mean_of_ratios():
    # (1 + 9 + 5) / (10 + 90 + 400) = 15 / 500 = 0.03; the mean of ratios would be 0.071.
    processes = [
        {"refill": counted([1, 9]), "access": counted([10, 90])},
        {"refill": counted([5]), "access": counted([400])},
    ]
    found = ratio_of(processes, MISSES)
    assert (found.over, found.under, found.value) == (15, 500, 0.03)
    assert (found.n_jobs, found.n_processes, found.low, found.high) == (3, 2, None, None)


def test_job_in_which_one_of_them_was_not_counted_is_in_neither_sum():
    processes = [{"refill": counted([1, None, 4]), "access": counted([10, 20, None], 1.5)}]
    found = ratio_of(processes, MISSES)
    assert (found.over, found.under, found.n_jobs, found.worst_ratio) == (1, 10, 1, 1.5)


def test_columns_above_are_added():
    columns = {
        "read": counted([64, 64]),
        "written": counted([0, 64]),
        "instructions": counted([100, 284]),
    }
    assert ratio_of([columns], BYTES).value == 0.5


def test_what_was_not_counted_has_no_ratio_and_what_never_happened_no_value():
    assert ratio_of([{"access": counted([10])}], MISSES) is None
    assert ratio_of([{"refill": counted([None]), "access": counted([10])}], MISSES) is None
    found = ratio_of([{"refill": counted([0]), "access": counted([0])}], MISSES)
    assert (found.value, found.n_jobs) == (None, 1)


def test_twenty_processes_have_an_interval():
    # The hand calculation is that of tests/statistics/test_clusters.py.
    processes = [
        {"refill": counted([10 if at % 2 else 14]), "access": counted([100])} for at in range(20)
    ]
    found = ratio_of(processes, MISSES)
    assert (found.low, found.high) == pytest.approx((0.110396547, 0.129603453), abs=1e-8)
    assert ratio_of(processes[:19], MISSES).low is None
