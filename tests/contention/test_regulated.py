# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What is said of a regulated run."""

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from laxity.contention.regulated import (
    REASONS,
    Regulated,
    read_readings,
    reasons_of,
    regulated_lines,
    shares,
)
from laxity.core.streams import STOP_REASONS
from laxity.errors import RecordError

JOBS = [("start_ns", "i8"), ("finish_ns", "i8")]
GAMMA = "\N{GREEK SMALL LETTER GAMMA}"
READINGS = [("time_ns", "i8"), ("allowed", "u1")]


def test_co_runners_are_allowed_from_a_reading_to_the_next_one():
    """20 to 50 before the first reading, 50 to 100 by it; stopped 100 to 130: 80 of 110 ns."""
    readings = np.array([(50, 1), (100, 0), (150, 1)], READINGS)
    assert shares(np.array([(20, 130)], JOBS), readings) == (80 / 110, 1)


def test_permission_ends_with_its_lease_when_no_decision_follows():
    """20 to 50 before the first reading, 50 to 70 by its lease of 20 ns: 50 of 110 ns."""
    readings = np.array([(50, 1), (100, 0), (150, 1)], READINGS)
    assert shares(np.array([(20, 130)], JOBS), readings, 20) == (50 / 110, 1)


def test_last_decision_holds_until_the_end_of_the_last_job():
    """110 to 150 stopped, 150 to 200 allowed, then 300 to 400: 150 of 190 ns."""
    readings = np.array([(50, 1), (100, 0), (150, 1)], READINGS)
    assert shares(np.array([(110, 200), (300, 400)], JOBS), readings) == (150 / 190, 1)


def test_run_without_a_job_has_no_share():
    assert shares(np.array([], JOBS), np.array([(50, 0)], READINGS)) == (None, 1)


def test_co_runners_run_until_the_first_reading():
    assert shares(np.array([(0, 40)], JOBS), np.array([], READINGS)) == (1.0, 0)


STORED = [
    ("time_ns", "<i8"),
    ("traffic_bytes", "<i8"),
    ("slack_ns", "<i8"),
    ("phase", "<u2"),
    ("allowed", "|u1"),
]


@pytest.mark.parametrize(
    ("second", "flaw"),
    [
        ((50, 0, 0, 0, 1), "time_ns does not rise in row 0"),
        ((-1, 0, 0, 0, 1), "time_ns is negative in row 1"),
        ((51, -1, 0, 0, 1), "traffic_bytes is negative in row 1"),
        ((51, 0, 0, 0, 2), "allowed is neither 0 nor 1 in row 1"),
    ],
)
def test_readings_that_no_regulator_writes_are_damaged(
    tmp_path: Path, second: tuple[int, ...], flaw: str
):
    first = (50, 0, 0, 0, 1)
    np.save(tmp_path / "regulation.npy", np.array([first, (51, 0, 0, 0, 0)], STORED))
    assert len(read_readings(tmp_path)) == 2
    np.save(tmp_path / "regulation.npy", np.array([first, second], STORED))
    with pytest.raises(RecordError, match=f"regulation.npy: {flaw}; the run is damaged"):
        read_readings(tmp_path)


def test_stops_are_counted_by_reason_and_readings_of_a_stop_are_not():
    """Slack stops at 100 and 300, a reserve at 200; the reading at 350 goes on being stopped."""
    slack, reserve = STOP_REASONS.index("slack"), STOP_REASONS.index("reserve")
    rows = [(50, 1, 0), (100, 0, slack), (150, 1, 0), (200, 0, reserve), (250, 1, 0)]
    rows += [(300, 0, slack), (350, 0, reserve)]
    readings = np.array(rows, [*READINGS, ("reason", "u1")])
    assert reasons_of(readings) == {"slack": 2, "reserve": 1}
    assert reasons_of(readings[["time_ns", "allowed"]]) is None


@pytest.mark.parametrize(
    ("allowed", "reason", "flaw"),
    [
        (0, 0, "reason and allowed contradict each other in row 1"),
        (1, 3, "reason and allowed contradict each other in row 1"),
        (0, len(STOP_REASONS), "reason is unknown in row 1"),
    ],
)
def test_reason_that_no_regulator_writes_is_damage(
    tmp_path: Path, allowed: int, reason: int, flaw: str
):
    stored = [*STORED, ("reason", "|u1")]
    rows = [(50, 0, 0, 0, 1, 0), (51, 0, 0, 0, 0, len(STOP_REASONS) - 1)]
    np.save(tmp_path / "regulation.npy", np.array(rows, stored))
    assert len(read_readings(tmp_path)) == 2
    rows[1] = (51, 0, 0, 0, allowed, reason)
    np.save(tmp_path / "regulation.npy", np.array(rows, stored))
    with pytest.raises(RecordError, match=f"regulation.npy: {flaw}; the run is damaged"):
        read_readings(tmp_path)


def test_each_reason_of_the_schema_has_words():
    assert set(REASONS) == {*STOP_REASONS[1:]}


def test_job_nearest_to_its_promise_is_named():
    found = Regulated(
        kind="simulated",
        task="a",
        theta_ppm=50_000,
        solo_ns=8_000_000,
        gamma_ns=70_000,
        jobs=20,
        kept=20,
        nearest_job=3,
        nearest_ns=8_420_000,
        nearest_promised_ns=8_470_000,
        parallelism_ppm=73_400,
        stops=120,
    )
    assert regulated_lines(found) == [
        f"a kept the promise of (1 + 5.00 %) C + k {GAMMA} in 20 of 20 jobs "
        f"(simulated, C 8 ms, {GAMMA} 70 µs).",
        "Job 3 came nearest: it took 8.42 ms, 50 µs less than promised.",
        "Co-runners were allowed for 7.34 % of the jobs' time and stopped 120 times.",
    ]
    beyond = replace(found, kept=19, nearest_ns=8_470_001)
    assert "Job 3 went furthest beyond: it took 8.47 ms, 1 ns more than promised." in (
        regulated_lines(beyond)
    )
