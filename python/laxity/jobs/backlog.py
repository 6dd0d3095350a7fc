# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Jobs that wait behind earlier jobs of their own task, and releases that pass meanwhile.

Both can come of a job that took long or of one that only started late. The two are told apart by
what would have been, had the job started at its release and taken as long as it did.
"""

from dataclasses import dataclass

import numpy as np

from laxity.core.streams import Status
from laxity.jobs.rows import (
    Column,
    IntArray,
    Jobs,
    execution_ns,
    release_latency_ns,
    start_to_finish_ns,
    worst_jobs,
)


@dataclass(frozen=True, slots=True)
class SkipReasons:
    """Skipped releases of one task by what the job before them did; the first three add up to all.

    `at_end` were not started when the task ended. `executed_long` are those of `took_long` that the
    processor time of the job alone explains; None where it was not measured.
    """

    started_late: int
    took_long: int
    at_end: int
    executed_long: int | None


@dataclass(frozen=True, slots=True)
class Burst:
    """Jobs that waited behind each other, from one that waited behind none; indices of rows.

    Most bursts are one job long. `latency_ns` is the release latency of the first job,
    `start_to_finish_ns` its length (None where absent). `began_late`: the first job would have let
    the second start on time, had it not started late itself.
    """

    first: int
    last: int
    worst: int
    n_not_met: int
    latency_ns: int | None
    start_to_finish_ns: int | None
    began_late: bool


def skip_reasons(jobs: Jobs, snapshot_exec_ns: int = 0) -> SkipReasons:
    """Tell why releases were skipped.

    Release j is skipped because job k before it took long if r_k + (finish - start) > r_j;
    otherwise k, started on time, would have finished before it: it is skipped because k was late.

    Args:
        jobs: All rows of one task, in order of release (`--keep all`).
        snapshot_exec_ns: Calibrated cost of an empty pair of snapshots.
    """
    skipped = np.flatnonzero(np.ma.getdata(jobs["status"]) == Status.SKIPPED)
    before = _last_started(jobs)[skipped]
    ran_over = before >= 0
    # An index of -1 names the last row: any will do, for ran_over leaves it out.
    finish = _filled(jobs["finish_ns"])[before] if len(jobs) else before
    ran_over &= finish > _filled(jobs["release_ns"])[skipped]
    skipped, before = skipped[ran_over], before[ran_over]
    releases = _filled(jobs["release_ns"])
    gap = releases[skipped] - releases[before]
    took_long = _filled(start_to_finish_ns(jobs))[before] > gap
    execution = execution_ns(jobs, snapshot_exec_ns)
    executed_long = None if execution is None else _filled(execution)[before] > gap
    return SkipReasons(
        started_late=int(np.count_nonzero(~took_long)),
        took_long=int(np.count_nonzero(took_long)),
        at_end=int(np.count_nonzero(~ran_over)),
        executed_long=None if executed_long is None else int(np.count_nonzero(executed_long)),
    )


def first_of_burst(jobs: Jobs) -> IntArray:
    """Return for each row the index of the row that its burst began with; mostly its own.

    A job waited if the job released before it finished only after its release; then both are of
    one burst. Under overrun skip no started job waits.

    Args:
        jobs: Rows of one task, in order of release; rows that were not kept end a burst.
    """
    index = np.arange(len(jobs), dtype=np.int64)
    status = np.ma.getdata(jobs["status"])
    has_started = (status != Status.SKIPPED) & (status != Status.PENDING)
    number = np.ma.getdata(jobs["job"]).astype(np.int64)
    waited = np.zeros(len(jobs), dtype=np.bool_)
    waited[1:] = (
        has_started[1:]
        & (number[1:] == number[:-1] + 1)
        & ~np.ma.getmaskarray(jobs["release_ns"])[1:]
        & (_filled(jobs["finish_ns"])[:-1] > _filled(jobs["release_ns"])[1:])
    )
    first: IntArray = np.maximum.accumulate(np.where(waited, 0, index))
    return first


def worst_bursts(jobs: Jobs, limit: int = 20) -> tuple[Burst, ...]:
    """Return the bursts with a job that did not meet, by their worst job as in `worst_jobs`."""
    first = first_of_burst(jobs)
    not_met = worst_jobs(jobs, len(jobs))
    _, positions = np.unique(first[not_met], return_index=True)
    return tuple(_burst(jobs, first, not_met, int(not_met[at])) for at in sorted(positions)[:limit])


def _burst(jobs: Jobs, first: IntArray, not_met: IntArray, worst: int) -> Burst:
    begin = int(first[worst])
    row = jobs[begin : begin + 1]
    length = _first_of(start_to_finish_ns(row))
    last = int(np.searchsorted(first, begin, side="right")) - 1
    period = (
        None if last == begin else _first_of(jobs["release_ns"][begin + 1 :] - row["release_ns"])
    )
    return Burst(
        first=begin,
        last=last,
        worst=worst,
        n_not_met=int(np.count_nonzero(first[not_met] == begin)),
        latency_ns=_first_of(release_latency_ns(row)),
        start_to_finish_ns=length,
        began_late=period is not None and length is not None and length <= period,
    )


def _last_started(jobs: Jobs) -> IntArray:
    """Return for each row the index of the last row up to it that has started; -1 if none has."""
    status = np.ma.getdata(jobs["status"])
    is_waiting = (status == Status.SKIPPED) | (status == Status.PENDING)
    index = np.arange(len(jobs), dtype=np.int64)
    last: IntArray = np.maximum.accumulate(np.where(is_waiting, -1, index))
    return last


def _first_of(values: Column) -> int | None:
    return None if np.ma.getmaskarray(values)[0] else int(values[0])


def _filled(values: Column) -> IntArray:
    """Return the values, the smallest integer where there is none: no comparison with it holds."""
    return np.asarray(np.ma.filled(values, np.iinfo(np.int64).min), dtype=np.int64)
