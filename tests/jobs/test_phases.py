# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Durations of phases from marks, against hand calculations."""

import numpy as np
from tests.jobs.test_rows import job, make_jobs

from laxity.core.streams import MarkKind, dtype_of
from laxity.jobs.phases import PhaseSummary, phase_durations, summarize_phases

MAIN, WORKER = 7, 8


def make_marks(*rows: tuple[int, int, int], kind: MarkKind = MarkKind.PHASE) -> np.ma.MaskedArray:
    """Rows of (time, phase, tid)."""
    marks = np.ma.zeros(len(rows), dtype=dtype_of("probe"))
    marks["kind"] = kind
    for index, (time_ns, phase, tid) in enumerate(rows):
        marks["time_ns"][index], marks["probe"][index], marks["tid"][index] = time_ns, phase, tid
    return marks


def durations(marks: np.ma.MaskedArray, jobs: np.ma.MaskedArray) -> dict[int, list[int]]:
    return {phase: values.tolist() for phase, values in phase_durations(marks, jobs).items()}


def test_phase_lasts_until_the_next_mark_and_the_last_one_until_the_finish():
    # job 0 runs 10..50, job 1 runs 110..130
    jobs = make_jobs(job(0, 10, 50, tid=MAIN), job(100, 110, 130, tid=MAIN))
    marks = make_marks((10, 1, MAIN), (25, 2, MAIN), (110, 1, MAIN), (111, 2, MAIN))
    assert durations(marks, jobs) == {1: [15, 1], 2: [25, 19]}
    assert summarize_phases(marks, jobs) == (
        PhaseSummary(1, 2, 1, 15),
        PhaseSummary(2, 2, 19, 25),
    )


def test_marks_outside_any_finished_job_begin_no_phase():
    jobs = make_jobs(
        job(0, 10, 50, tid=MAIN), {"release_ns": 100, "start_ns": 110, "status": 3, "tid": MAIN}
    )
    # before the first start, after the finish, in a job that was aborted
    marks = make_marks((9, 1, MAIN), (51, 1, MAIN), (115, 1, MAIN))
    assert durations(marks, jobs) == {}
    assert durations(make_marks((50, 1, MAIN)), jobs) == {1: [0]}
    assert durations(marks, make_jobs()) == {}


def test_threads_do_not_end_each_others_phases():
    jobs = make_jobs(job(0, 10, 50, tid=MAIN))
    marks = make_marks((12, 1, MAIN), (14, 3, WORKER), (20, 2, MAIN), (34, 4, WORKER))
    # the worker's last phase, 4, has no known end
    assert durations(marks, jobs) == {1: [8], 2: [30], 3: [20]}


def test_probes_begin_no_phase():
    jobs = make_jobs(job(0, 10, 50, tid=MAIN))
    assert durations(make_marks((12, 1, MAIN), kind=MarkKind.PROBE), jobs) == {}


def test_phases_need_the_threads_of_the_jobs():
    jobs = make_jobs(job(0, 10, 50), without=["tid"])
    assert summarize_phases(make_marks((12, 1, MAIN)), jobs) == ()
