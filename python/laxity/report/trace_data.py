# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the report needs of a scheduling trace: the attribution of every task's jobs."""

from collections.abc import Mapping

from laxity.analysis.attribution import Attribution, attribute
from laxity.analysis.jobs import Jobs, has_column
from laxity.analysis.sched_trace import Coverage, read_trace
from laxity.model.manifest import TraceResult
from laxity.store.run_directory import Run


def coverage_of(trace: TraceResult | None) -> Coverage | None:
    """Give what the recorder says of its trace; None if it did not record to the end."""
    if trace is None or trace.started_ns is None or trace.stopped_ns is None:
        return None
    lost = {cpu.cpu: cpu.lost for cpu in trace.cpus}
    return Coverage(trace.started_ns, trace.stopped_ns, lost)


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
    coverage = coverage_of(run.manifest.trace)
    if coverage is None:
        return {}
    trace = read_trace(run.stream("sched"), run.stream("threads"), coverage)
    # What such a task measures is the processor time of all its threads; jobs are of the main one.
    several = {task.index for task in run.manifest.tasks if task.threads_seen > 1}
    return {
        index: attribute(rows, trace, None if index in several else snapshot_exec_ns)
        for index, rows in jobs_by_task.items()
        if has_column(rows, "tid")
    }
