# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the report needs of a scheduling trace: the attribution of every task's jobs."""

from collections.abc import Mapping
from dataclasses import replace

from laxity.jobs.rows import Jobs, has_column
from laxity.store.run_directory import Run
from laxity.trace.attribution import Attribution, attribute
from laxity.trace.sched_trace import Trace, coverage_of, read_trace

_REAL_TIME = frozenset({"fifo", "rr", "deadline"})


def read_attributions(
    run: Run, jobs_by_task: Mapping[int, Jobs], snapshot_exec_ns: int
) -> dict[int, Attribution]:
    """Attribute the jobs of every task of a run.

    Args:
        run: The run; without a trace there is nothing to attribute.
        jobs_by_task: Rows by index of the task.
        snapshot_exec_ns: Calibrated processor time of an empty pair of snapshots.

    Returns:
        By index of the task; empty without a whole trace.

    Raises:
        RecordError: A stream of the trace is missing or damaged.
    """
    trace = read_whole_trace(run)
    if trace is None:
        return {}
    return attribute_tasks(run, trace, jobs_by_task, snapshot_exec_ns)


def read_whole_trace(run: Run) -> Trace | None:
    """Read the scheduling trace of a run; None if none was recorded to the end.

    Raises:
        RecordError: A stream of the trace is missing or damaged.
    """
    coverage = coverage_of(run.manifest.trace)
    if coverage is None:
        return None
    return read_trace(run.stream("sched"), run.stream("threads"), coverage)


def attribute_tasks(
    run: Run, trace: Trace, jobs_by_task: Mapping[int, Jobs], snapshot_exec_ns: int
) -> dict[int, Attribution]:
    """Attribute jobs by a trace that was read; arguments and result as `read_attributions`."""
    # What such a task measures is the processor time of all its threads; jobs are of the main one.
    several = {task.index for task in run.manifest.tasks if task.threads_seen > 1}
    # A quota limits threads under SCHED_OTHER alone.
    has_quota = any(group.throttled for group in run.manifest.groups)
    limited = {task.index for task in run.manifest.tasks if task.policy not in _REAL_TIME}
    return {
        index: replace(
            attribute(rows, trace, None if index in several else snapshot_exec_ns),
            is_throttled_by_quota=has_quota and index in limited,
        )
        for index, rows in jobs_by_task.items()
        if has_column(rows, "tid")
    }
