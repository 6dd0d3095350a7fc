# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What befell jobs, from made-up pieces."""

from typing import Any

import numpy as np
import pytest

from laxity.trace.attribution import Pieces, Verdict
from laxity.trace.job_events import JobEvents, job_events

# (preemptions, migrations, CPU at the start, CPU at the finish, execution in ns)
Job = tuple[int, int, int, int, int]


def rows(jobs: list[Job], **masked: list[int]) -> "np.ma.MaskedArray[Any, Any]":
    fields = [(name, "i8") for name in ("job", "cpu_start", "cpu_finish")]
    made = np.ma.zeros(len(jobs), dtype=fields)
    for index, (_, _, start, finish, _) in enumerate(jobs):
        made[index] = (index, start, finish)
    for name, where in masked.items():
        made[name][where] = np.ma.masked
    return made


def pieces(jobs: list[Job], unknown: tuple[int, ...] = ()) -> Pieces:
    n = len(jobs)
    nothing = np.zeros(n, np.int64)
    verdict = np.full(n, Verdict.KNOWN, np.int64)
    verdict[list(unknown)] = Verdict.LOST
    return Pieces(
        job=np.arange(n),
        verdict=verdict,
        response_ns=nothing,
        release_latency_ns=nothing,
        waited_ns=nothing,
        entered_ns=nothing,
        timer_latency_ns=None,
        scheduling_latency_ns=None,
        execution_ns=np.array([job[4] for job in jobs]),
        preempted_ns=nothing,
        throttled_ns=nothing,
        switching_ns=None,
        interrupted_ns=None,
        blocked_ns=nothing,
        unexplained_ns=nothing,
        n_preemptions=np.array([job[0] for job in jobs]),
        n_migrations=np.array([job[1] for job in jobs]),
    )


def events(jobs: list[Job], unknown: tuple[int, ...] = (), **masked: list[int]) -> JobEvents:
    found = job_events(rows(jobs, **masked), pieces(jobs, unknown))
    assert found is not None
    return found


def test_jobs_are_told_apart_by_what_befell_them():
    found = events(
        [
            (0, 0, 0, 0, 10),
            (1, 0, 0, 0, 20),
            (1, 1, 0, 1, 30),
            (0, 0, 1, 1, 11),
            (2, 1, 1, 0, 40),
            (0, 1, 0, 1, 50),
        ]
    )
    assert found.undisturbed_ns.tolist() == [10, 11]
    assert (found.preempted_ns.tolist(), found.migrated_ns.tolist()) == ([20], [30])
    # Twice preempted; and migrated without losing the CPU, which only a blocked job can.
    assert (found.n_others, found.n_moved_before) == (2, 0)


def test_job_that_began_elsewhere_than_the_one_before_ended_is_left_out():
    found = events([(1, 0, 0, 0, 20), (1, 1, 0, 1, 30), (1, 0, 0, 0, 21), (1, 0, 0, 0, 22)])
    # Nobody knows where the first one came from; the third one was moved between two jobs.
    assert (found.preempted_ns.tolist(), found.migrated_ns.tolist()) == ([22], [30])
    assert found.n_moved_before == 2


def test_job_of_which_the_trace_does_not_tell_is_left_out():
    found = events([(0, 0, 0, 0, 10), (1, 0, 0, 0, 20), (1, 0, 0, 0, 21)], unknown=(2,))
    assert (found.preempted_ns.tolist(), found.n_others) == ([20], 1)


def test_job_after_one_that_did_not_start_is_compared_with_the_one_that_did():
    jobs: list[Job] = [(0, 0, 1, 1, 10), (0, 0, 0, 0, 0), (1, 0, 1, 1, 20)]
    found = events(jobs, cpu_start=[1], cpu_finish=[1])
    assert found.preempted_ns.tolist() == [20]


def test_rows_without_cpus_cannot_be_classified():
    bare = np.ma.zeros(1, dtype=[("job", "i8")])
    assert job_events(bare, pieces([(0, 0, 0, 0, 10)])) is None


@pytest.mark.parametrize(("n", "is_comparable"), [(15, False), (16, True)])
def test_control_needs_twice_as_many_preempted_jobs(n: int, is_comparable: bool):
    jobs: list[Job] = [(0, 0, 0, 0, 1), *[(1, 0, 0, 0, 500)] * n]
    for _ in range(8):
        jobs += [(1, 1, 0, 1, 900), (0, 0, 1, 0, 1)]
    found = events(jobs)
    assert (found.preempted_ns.size, found.migrated_ns.size) == (n, 8)
    assert found.is_comparable == is_comparable
    assert found.test is not None
    assert found.test.shift_ns == 400
