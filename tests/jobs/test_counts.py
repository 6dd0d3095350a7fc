# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Counts per job: scaled, less the cost of reading, absent never taken for zero."""

from typing import Any

import numpy as np

from laxity.core.streams import absent_value
from laxity.jobs.counts import CountSummary, summarize_counts

ABSENT = absent_value("i8")


def rows_of(counts: list[int | None], ratios: list[float]) -> np.ma.MaskedArray:
    """Make finished jobs with these counts; None: not counted."""
    dtype = [("finish_ns", "i8"), ("status", "u1"), ("cycles", "i8"), ("cycles_scale_ratio", "f4")]
    rows: Any = np.ma.zeros(len(counts), dtype=dtype)
    for index, (count, ratio) in enumerate(zip(counts, ratios, strict=True)):
        rows[index] = (index + 1, 0, ABSENT if count is None else count, ratio)
        rows["cycles"].mask[index] = count is None
    made: np.ma.MaskedArray = rows
    return made


def test_counts_are_scaled_and_freed_of_the_cost_of_reading():
    # 100 x 2 - 10 = 190; 300 x 1 - 10 = 290; 5 x 1 - 10 < 0 is 0. Sorted: 0 190 290.
    summary = summarize_counts(rows_of([100, 300, 5], [2.0, 1.0, 1.0]), "cycles", 10)
    assert summary == CountSummary(3, 0, 0, 190, 290, 2.0)


def test_median_of_an_even_number_is_the_lower_of_the_middle_ones():
    summary = summarize_counts(rows_of([1, 2, 3, 4], [1.0] * 4), "cycles", 0)
    assert summary is not None
    assert summary.median_count == 2


def test_job_in_which_the_counter_did_not_run_is_no_zero():
    rows = rows_of([7, None, 9], [1.0, float("nan"), 1.0])
    assert summarize_counts(rows, "cycles", 0) == CountSummary(2, 1, 7, 7, 9, 1.0)


def test_event_without_column_or_value_has_no_summary():
    rows = rows_of([None], [float("nan")])
    assert summarize_counts(rows, "cycles", 0) is None
    assert summarize_counts(rows, "instructions", 0) is None
