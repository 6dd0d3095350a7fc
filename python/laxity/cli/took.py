# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Who took the time, for the summary of a run: a line per task, or a document."""

from typing import Any

import numpy as np

from laxity.core.units import format_duration_ns
from laxity.jobs.run_data import PageData
from laxity.trace.attribution import Attribution
from laxity.trace.attribution_section import why_unknown
from laxity.trace.event_data import events_of
from laxity.trace.event_words import event_words

_UNKNOWN = "an unknown thread"


def attribution_lines(page: PageData) -> list[str]:
    """Write one line per task whose run has a whole scheduling trace."""
    return [
        f"{data.label}: {task.result.name}: {_line(found)}"
        for data in page.runs
        for task in data.tasks
        if (found := data.attributions.get(task.result.index)) and len(found.pieces.job)
    ]


def event_lines(page: PageData) -> list[str]:
    """Write one line per task that the scheduler preempted and migrated often enough."""
    return [
        f"{data.label}: {task.result.name}: "
        + event_words(found.test, found.control, (found.migrated_ns.size, found.preempted_ns.size))
        for data in page.runs
        for task in data.tasks
        if (found := events_of(data, task)) is not None
    ]


def attribution_document(found: Attribution | None) -> dict[str, Any] | None:
    """Write who preempted and interrupted a task's jobs, times in ns; None without a trace."""
    if found is None:
        return None
    pieces = found.pieces
    return {
        "jobs": int(np.count_nonzero(pieces.is_known)),
        "jobs_without_verdict": int(np.count_nonzero(~pieces.is_known)),
        "switches_untold": found.n_untold,
        "jobs_preempted": _n_preempted(found),
        "is_throttled_by_quota": found.is_throttled_by_quota,
        "jobs_that_waited": _n_waited(found),
        "preempted_by": [
            {"name": one.comm, "threads": one.n_threads, "jobs": one.n_jobs, "n": one.n,
             "total_ns": one.total_ns, "median_ns": one.median_ns, "max_ns": one.max_ns}
            for one in found.culprits
        ],
        "interrupted_by": None if found.interrupters is None else [
            {"name": one.name, "kind": "softirq" if one.is_soft else "interrupt",
             "jobs": one.n_jobs, "n": one.n, "total_ns": one.total_ns,
             "median_ns": one.median_ns, "max_ns": one.max_ns}
            for one in found.interrupters
        ],
    }  # fmt: skip


def _n_preempted(found: Attribution) -> int:
    return int(np.count_nonzero(found.pieces.is_known & (found.pieces.n_preemptions > 0)))


def _n_waited(found: Attribution) -> int:
    """Count the jobs that were ready and without a CPU, pushed off or not let on."""
    return int(np.count_nonzero(found.pieces.is_known & (found.pieces.preempted_ns > 0)))


def _line(found: Attribution) -> str:
    known = int(np.count_nonzero(found.pieces.is_known))
    unknown = len(found.pieces.job) - known
    if not known:
        return f"the trace explains no job ({why_unknown(found.pieces)})"
    text = f"{_n_preempted(found)} of {known} jobs were preempted"
    if found.is_throttled_by_quota:
        total_ns = int(found.pieces.preempted_ns[found.pieces.is_known].sum())
        text += (
            f" or throttled by the quota of their control group, {format_duration_ns(total_ns)} in "
            "all"
        )
    # Who sleeps within a job may have to wait when it is woken, without having been pushed off.
    waited = _n_waited(found)
    by = "most of all by"
    if waited > _n_preempted(found):
        by = f"and {waited} waited for a CPU, most of all for"
    if found.culprits:
        most = found.culprits[0]
        text += (
            f", {by} {most.comm or _UNKNOWN}: {most.n} times, "
            f"{format_duration_ns(most.total_ns)} in all, at most "
            f"{format_duration_ns(most.max_ns)} at a time"
        )
    if found.interrupters:
        total_ns = sum(one.total_ns for one in found.interrupters)
        most_of = found.interrupters[0]
        text += (
            f"; interrupts took {format_duration_ns(total_ns)} in all, most of it {most_of.name}: "
            f"{most_of.n} times, at most {format_duration_ns(most_of.max_ns)} at a time"
        )
    return text + (f"; without verdict: {why_unknown(found.pieces)}" if unknown else "")
