# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Courses of jobs, and what their windows lose."""

import numpy as np
import pytest

from laxity.contention.table import RATE_ONE, STEP_BYTES_PER_S, envelopes_of
from laxity.contention.windows import (
    Progress,
    Windows,
    contended_ns_of,
    placed_as,
    progress_of,
    windows_of,
)

EVENTS = ("instructions", "mem_read_bytes", "mem_write_bytes")
PLATFORM = 65535


def progress(times_us: list[float], instructions: list[float], kilobytes: list[float]) -> Progress:
    nothing = np.zeros(0, dtype=np.int64)
    return Progress(
        np.array(times_us) * 1e3,
        np.array(instructions, float),
        np.array(kilobytes) * 1e3,
        nothing,
        nothing,
    )


def test_window_is_matched_by_instructions():
    """10 µs alone take 15 µs with the load: 1 - 10/15 are lost; 15 kB in 15 µs are 1 GB/s."""
    solo = progress([0, 10], [0, 100], [0, 1])
    loaded = progress([5, 20], [0, 100], [7, 22])
    windows = windows_of(solo, loaded)
    # Of 10 µs 4, of 12, 14, 16 and 18 µs 3, 2, 1 and 1 that end with the job, and 4 shorter ones.
    assert windows.loss == pytest.approx([1 / 3] * 15)
    assert windows.traffic_bytes_per_s == pytest.approx([1e9] * 15)


def test_dear_part_of_a_job_has_windows_of_its_own():
    """The second half of 20 µs takes 30 µs: a window of 10 µs in it loses 2/3."""
    solo = progress([0, 10, 20], [0, 100, 200], [0, 0, 0])
    loaded = progress([0, 10, 40], [0, 100, 200], [0, 0, 60])
    windows = windows_of(solo, loaded)
    # The first begins at 0 and ends at 10 µs, the sixteenth begins at 30 µs: 20/3 µs are left.
    assert windows.loss[[0, 15]] == pytest.approx([0, 2 / 3])
    assert windows.traffic_bytes_per_s[[0, 15]] == pytest.approx([0, 2e9])
    assert windows.begins_ns[[0, 15]] == pytest.approx([0, 20_000 - 10_000 / 3])
    assert windows.ends_ns[[0, 15]] == pytest.approx([10_000, 20_000])
    assert windows.loss.max() == pytest.approx(2 / 3)


def test_quicker_window_loses_nothing():
    solo = progress([0, 10], [0, 100], [0, 1])
    loaded = progress([0, 9], [0, 100], [0, 1])
    assert set(windows_of(solo, loaded).loss) == {0}


def test_no_reading_of_10_us_or_more_loses_more_than_the_table_says():
    """1 µs of each 10 takes 40 µs with little traffic, the rest 10 µs with much.

    A window of all 10 µs alone loses 40/50 at 240 MB/s. A reading of 40 µs loses 39/40 at 50 MB/s,
    and a packed curve through the window says less than 1/5 there.
    """
    ends = np.arange(1, 21)
    solo = progress([0, *np.ravel([(10 * i - 9, 10 * i) for i in ends])], [*range(41)], [0] * 41)
    loaded = progress(
        [0, *np.ravel([(50 * i - 10, 50 * i) for i in ends])],
        [*range(41)],
        [0, *np.ravel([(12 * i - 10, 12 * i) for i in ends])],
    )
    (curve,) = envelopes_of([windows_of(solo, loaded)], [0])
    rng = np.random.default_rng(1)
    for _ in range(2_000):
        lasts_ns = rng.integers(10_000, 120_000)
        edges_ns = rng.integers(0, 1_000_000 - lasts_ns) + np.array([0, lasts_ns])
        executed = np.interp(edges_ns, loaded.times_ns, loaded.instructions)
        lost_ns = lasts_ns - np.diff(np.interp(executed, solo.instructions, solo.times_ns))[0]
        moved = np.diff(np.interp(edges_ns, loaded.times_ns, loaded.traffic_bytes))[0]
        step = int(np.ceil(moved / lasts_ns * 1e9 / STEP_BYTES_PER_S))
        assert lost_ns <= lasts_ns * curve[min(step, len(curve) - 1)] / RATE_ONE


def test_course_leaves_out_samples_without_progress():
    """Samples at 20 and 30: between them the job waits, so that the second counts for nothing."""
    jobs = np.array(
        [(10, 50, 400)], dtype=[("start_ns", "i8"), ("finish_ns", "i8"), (EVENTS[0], "i8")]
    )
    rows = [(20, 0, 0, 100), (30, 0, 0, 100), (40, 0, 0, 300), (60, 0, 0, 400)]
    rows += [
        (0, PLATFORM, 1, 0),
        (60, PLATFORM, 1, 600),
        (0, PLATFORM, 2, 0),
        (60, PLATFORM, 2, 60),
    ]
    names = [("time_ns", "i8"), ("task", "u2"), ("event", "u2"), ("value", "i8")]
    course = progress_of(jobs, np.array(rows, dtype=names), None, EVENTS)
    assert course.times_ns.tolist() == [10, 20, 40, 50]
    assert course.instructions.tolist() == [0, 100, 300, 400]
    # 11 bytes each ns: 10 read, 1 written.
    assert course.traffic_bytes.tolist() == [110, 220, 440, 550]
    assert course.marks.tolist() == []


def test_course_of_a_later_job_begins_with_no_instruction():
    """400 were executed before it: at 70 ns 500 - 400."""
    jobs = np.array(
        [(10, 50, 400), (60, 90, 300)],
        dtype=[("start_ns", "i8"), ("finish_ns", "i8"), (EVENTS[0], "i8")],
    )
    rows = [(20, 0, 0, 100), (55, 0, 0, 400), (70, 0, 0, 500), (80, 0, 0, 600)]
    names = [("time_ns", "i8"), ("task", "u2"), ("event", "u2"), ("value", "i8")]
    course = progress_of(jobs, np.array(rows, dtype=names), None, EVENTS, 1)
    assert course.times_ns.tolist() == [60, 70, 80, 90]
    assert course.instructions.tolist() == [0, 100, 200, 300]


def test_windows_are_placed_where_the_other_job_executes_the_same():
    """The other job takes 3 times as long for the second half: 15 of 20 µs are at 25 of 40."""
    alone = progress([5, 15, 25], [0, 100, 200], [0, 0, 0])
    solo = progress([0, 10, 40], [0, 100, 200], [0, 0, 0])
    part = Windows(*(np.array([value]) for value in (5e3, 15e3, 7.0, 0.5)))
    placed = placed_as(part, alone, solo)
    assert (placed.begins_ns[0], placed.ends_ns[0]) == (5e3, 25e3)
    assert (placed.traffic_bytes_per_s[0], placed.loss[0]) == (7, 0.5)


def test_contended_job_meets_the_worst_load_in_each_part():
    """Alone 10 + 10 µs; with a load that is dear first 30 + 11, with another 12 + 25.

    Together 30 + 25.
    """
    solo = progress([0, 20], [0, 200], [0, 0])
    dear_first = progress([5, 35, 46], [0, 100, 200], [0, 0, 0])
    dear_later = progress([0, 12, 37], [0, 100, 200], [0, 0, 0])
    assert contended_ns_of(solo, [dear_first, dear_later]) == 55_000
    assert contended_ns_of(solo, []) == 20_000


def test_contended_job_ends_when_the_last_of_its_instructions_do():
    """It executes 10 instructions more than alone, as the first job after another may."""
    solo = progress([0, 10], [0, 100], [0, 0])
    more = progress([0, 20, 23], [0, 100, 110], [0, 0, 0])
    assert contended_ns_of(solo, [more]) == 23_000


def test_marks_of_the_job_are_its_phases():
    """Marks of another task, before the job and at its end do not count, nor does a probe."""
    jobs = np.array(
        [(10, 50, 400)], dtype=[("start_ns", "i8"), ("finish_ns", "i8"), (EVENTS[0], "i8")]
    )
    names = [("time_ns", "i8"), ("task", "u2"), ("event", "u2"), ("value", "i8")]
    platform = np.array([(0, PLATFORM, 1, 0), (0, PLATFORM, 2, 0)], dtype=names)
    rows = [(9, 0, 1, 0), (10, 0, 2, 0), (20, 1, 3, 0), (30, 0, 4, 0), (30, 0, 5, 1), (50, 0, 6, 0)]
    marks = np.array(
        rows, dtype=[("time_ns", "i8"), ("task", "u2"), ("probe", "u4"), ("kind", "u1")]
    )
    course = progress_of(jobs, platform, marks, EVENTS)
    assert course.marks.tolist() == [2, 4]
    assert course.marks_ns.tolist() == [0, 20]
