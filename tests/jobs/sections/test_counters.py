# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the report says of counted events."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import recfunctions
from tests.report.page_text import make_report, value_of
from tests.report.run_builder import Made, ordinary_rows

from laxity.store.manifest import Event

CYCLES = Event(
    name="cycles",
    platform_event="PERF_COUNT_HW_CPU_CYCLES",
    scope="core",
    modes="user",
    empty_count=50,
)
MISSING = Event(name="llc_refill")


def counted_rows(n: int) -> "np.ndarray[Any, Any]":
    """Job j counts 1000 + j cycles."""
    counts = [np.arange(1000, 1000 + n, dtype="i8"), np.ones(n, dtype="f4")]
    names = ["cycles", "cycles_scale_ratio"]
    return recfunctions.append_fields(ordinary_rows(n), names, counts, usemask=False)


def test_counts_are_shown_with_what_counted_them(tmp_path: Path):
    page, quantities = make_report(tmp_path, Made(counted_rows(101), events=[CYCLES, MISSING]))
    # 1000 - 50 ... 1100 - 50; the median of 101 values is the 51st.
    found = {name: value_of(quantities, f"cycles_{name}") for name in ("min", "median", "max")}
    assert [one["value"] for one in found.values()] == [950, 1000, 1050]
    assert found["median"]["n"] == 101
    assert found["median"]["note"] == "50 of an empty pair of snapshots subtracted"
    assert "PERF_COUNT_HW_CPU_CYCLES, core, user" in page
    assert "No hardware counters" not in page
    # What was asked for and not counted stands there too, and is no zero.
    assert value_of(quantities, "llc_refill_max")["value"] is None
    assert value_of(quantities, "llc_refill_max")["note"] == "not measured"


def test_run_without_events_has_no_section_of_them(tmp_path: Path):
    page, _ = make_report(tmp_path, Made(ordinary_rows(10)))
    assert "What was counted" not in page
    assert "No hardware counters" in page
