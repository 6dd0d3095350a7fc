# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Courses of jobs, and what their windows lose."""

import numpy as np
import pytest

from laxity.contention.windows import Progress, progress_of, windows_of

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
    # One of 10 µs, and those of 20 and 50 µs, which end with the job.
    assert windows.loss == pytest.approx([1 / 3, 1 / 3, 1 / 3])
    assert windows.traffic_bytes_per_s == pytest.approx([1e9, 1e9, 1e9])


def test_dear_part_of_a_job_has_windows_of_its_own():
    """The second half of 20 µs takes 30 µs: its window of 10 µs loses 2/3, all of it 20 of 40."""
    solo = progress([0, 10, 20], [0, 100, 200], [0, 0, 0])
    loaded = progress([0, 10, 40], [0, 100, 200], [0, 0, 60])
    windows = windows_of(solo, loaded)
    assert windows.loss[:2] == pytest.approx([0, 2 / 3])
    assert windows.traffic_bytes_per_s[:2] == pytest.approx([0, 2e9])
    assert windows.loss[2] == pytest.approx(1 / 2)
    assert windows.begins_ns.tolist() == [0, 10_000, 0, 0]
    assert windows.ends_ns.tolist() == [10_000, 20_000, 20_000, 20_000]


def test_quicker_window_loses_nothing():
    solo = progress([0, 10], [0, 100], [0, 1])
    loaded = progress([0, 9], [0, 100], [0, 1])
    assert windows_of(solo, loaded).loss == pytest.approx([0, 0, 0])


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
