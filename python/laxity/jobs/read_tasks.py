# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Read the jobs of the tasks of a run: rows, or histograms where rows were not kept."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

import msgspec
import numpy as np

from laxity.core.streams import Quantity as Stream
from laxity.errors import RecordError
from laxity.jobs import rows as analysis
from laxity.jobs.phases import Marks, PhaseSummary, summarize_phases
from laxity.jobs.rows import Jobs
from laxity.jobs.run_data import TaskData
from laxity.statistics import distribution
from laxity.statistics.distribution import Distribution
from laxity.store.manifest import Counts, Manifest, TaskResult
from laxity.store.run_directory import Run

Part = TypeVar("Part")
Rows: TypeAlias = Any  # masked structured array of a stream


def read_tasks(run: Run, problems: list[str]) -> tuple[TaskData, ...]:
    """Read the jobs of every task of a run.

    Args:
        run: A run with jobs.
        problems: What cannot be read is noted here.
    """
    jobs = try_read(lambda: run.stream("jobs"), None, problems)
    # An observed program has no experiment, and every job of it has a row.
    is_observed = run.manifest.observation is not None
    histogram = None if is_observed else try_read(lambda: run.stream("histogram"), None, problems)
    marks = None
    if (run.path / "probe.npy").exists():
        marks = try_read(lambda: run.stream("probe"), None, problems)
    return tuple(
        replace(_read_task(result, jobs, histogram, marks, run.manifest), is_observed=is_observed)
        for result in run.manifest.tasks
    )


def try_read(read: Callable[[], Part], otherwise: Part, problems: list[str]) -> Part:
    """Read a part, or note that it cannot be read."""
    try:
        return read()
    except RecordError as error:
        problems.append(str(error))
        return otherwise


def _read_task(
    result: TaskResult, jobs: Jobs, histogram: Rows | None, marks: Marks | None, manifest: Manifest
) -> TaskData:
    rows = analysis.of_task(_no_rows() if jobs is None else jobs, result.index)
    rows = analysis.in_order(rows)
    n_finished = result.counts.done + result.counts.missed
    # Whatever was to be kept: `tail:N` of fewer than N rows is all of them.
    is_whole = len(rows) == result.released and not result.lost_rows
    is_whole = is_whole and len(analysis.finished(rows)) == n_finished
    is_stalled = analysis.stalled(rows, manifest.stalls)
    n_stalled = int(np.count_nonzero(is_stalled))
    if n_stalled:
        result = _without(result, analysis.count_status(rows[is_stalled], result.end_ns))
        rows = rows[~is_stalled]
    if is_whole or histogram is None or n_stalled:
        distributions = _from_rows(analysis.finished(rows))
    else:
        distributions = _from_histogram(histogram[np.asarray(histogram["task"]) == result.index])
    phases: tuple[PhaseSummary, ...] = ()
    if marks is not None:
        phases = summarize_phases(analysis.of_task(marks, result.index), rows)
    return TaskData(result, rows, is_whole, distributions, phases, n_stalled=n_stalled)


def _without(result: TaskResult, left_out: Counts) -> TaskResult:
    """Take jobs off a task's counts."""
    counts = {
        name: max(getattr(result.counts, name) - getattr(left_out, name), 0)
        for name in Counts.__struct_fields__
    }
    return msgspec.structs.replace(
        result,
        counts=Counts(**counts),
        released=max(result.released - left_out.released, 0),
        started=max(result.started - left_out.started, 0),
    )


def _no_rows() -> Jobs:
    names = ("task", "job", "release_ns", "abs_deadline_ns", "start_ns", "finish_ns", "status")
    return np.ma.zeros(0, dtype=[(name, "i8") for name in names])


def _from_rows(finished: Jobs) -> dict[Stream, Distribution]:
    values = {
        Stream.RESPONSE_TIME: analysis.response_time_ns(finished),
        Stream.RELEASE_LATENCY: analysis.release_latency_ns(finished),
        Stream.START_TO_FINISH: analysis.start_to_finish_ns(finished),
    }
    return {
        name: distribution.from_samples(analysis.present(column)) for name, column in values.items()
    }


def _from_histogram(rows: Rows) -> dict[Stream, Distribution]:
    found = {}
    for quantity in Stream:
        part = np.ma.getdata(rows[np.asarray(rows["quantity"]) == quantity])
        found[quantity] = distribution.from_buckets(
            part["lower_ns"], part["upper_ns"], part["count"]
        )
    return found
