# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What befell the jobs of a traced run, for the short answer and for the report."""

from laxity.jobs.run_data import RunData, TaskData
from laxity.trace.job_events import JobEvents, job_events


def events_of(run: RunData, task: TaskData) -> JobEvents | None:
    """Classify the jobs of a task; None without a trace, or with too few jobs of one kind."""
    found = run.attributions.get(task.result.index)
    if found is None or not len(found.pieces.job):
        return None
    events = job_events(task.rows, found.pieces)
    return events if events is not None and events.is_comparable else None
