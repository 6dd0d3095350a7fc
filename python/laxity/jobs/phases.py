# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How long the phases of a job take, from the marks that a workload made (probe.npy).

A phase lasts from its mark to the next phase mark of the same thread in the same job. The last one
of a job ends with the job, on the thread that runs the job's hook; on any other thread it has no
known end and is left out, as are phases of jobs that did not finish.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from laxity.core.streams import MarkKind
from laxity.jobs.rows import IntArray, Jobs, finished, has_column
from laxity.statistics.distribution import from_samples

Marks: TypeAlias = Any  # masked structured array of probe.npy


@dataclass(frozen=True, slots=True)
class PhaseSummary:
    """One phase of a task's jobs; `n` durations. Times in ns."""

    phase: int
    n: int
    median_ns: int
    max_ns: int


@dataclass(frozen=True, slots=True)
class PhaseSpans:
    """The phases that have an end, those of one thread in order; arrays of shape (span,).

    Attributes:
        phase: Number that the program gave.
        tid: Thread that marked.
        job: Number of the job.
        from_ns: The mark.
        to_ns: The next one of the thread, or the finish of the job.
    """

    phase: IntArray
    tid: IntArray
    job: IntArray
    from_ns: IntArray
    to_ns: IntArray


def phase_spans(marks: Marks, jobs: Jobs) -> PhaseSpans:
    """Find every phase that has an end.

    Args:
        marks: Rows of probe.npy of one task.
        jobs: Rows of jobs.npy of the same task, with the column tid.
    """
    done = np.ma.getdata(finished(jobs))
    rows = np.ma.getdata(marks)
    rows = rows[rows["kind"] == MarkKind.PHASE]
    if not len(done) or not len(rows):
        return PhaseSpans(*(np.zeros(0, np.int64) for _ in range(5)))
    done = done[np.argsort(done["start_ns"], kind="stable")]
    rows = rows[np.lexsort((rows["time_ns"], rows["tid"]))]
    job = np.searchsorted(done["start_ns"], rows["time_ns"], side="right") - 1
    # Before the first start the index is -1; such a mark is in no job, whatever the last one holds.
    is_inside = (job >= 0) & (rows["time_ns"] <= done["finish_ns"][job])
    rows, job = rows[is_inside], job[is_inside]
    has_next = np.zeros(len(rows), dtype=bool)
    has_next[:-1] = (rows["tid"][1:] == rows["tid"][:-1]) & (job[1:] == job[:-1])
    to_ns = done["finish_ns"][job]
    to_ns[has_next] = rows["time_ns"][1:][has_next[:-1]]
    is_known = has_next | (rows["tid"] == done["tid"][job])
    rows, job, to_ns = rows[is_known], job[is_known], to_ns[is_known]
    numbers = (rows["probe"], rows["tid"], done["job"][job], rows["time_ns"], to_ns)
    return PhaseSpans(*(column.astype(np.int64) for column in numbers))


def phase_durations(marks: Marks, jobs: Jobs) -> dict[int, IntArray]:
    """Measure every phase that has an end.

    Args:
        marks: Rows of probe.npy of one task.
        jobs: Rows of jobs.npy of the same task, with the column tid.

    Returns:
        Phase → durations in ns, in order of time within each thread.
    """
    spans = phase_spans(marks, jobs)
    duration_ns = spans.to_ns - spans.from_ns
    return {int(phase): duration_ns[spans.phase == phase] for phase in np.unique(spans.phase)}


def summarize_phases(marks: Marks, jobs: Jobs) -> tuple[PhaseSummary, ...]:
    """Sum up `phase_durations`, in order of the phases' numbers.

    Args:
        marks: Rows of probe.npy of one task.
        jobs: Rows of jobs.npy of the same task.
    """
    if not has_column(jobs, "tid"):
        return ()
    summaries = []
    for phase, values_ns in phase_durations(marks, jobs).items():
        samples = from_samples(values_ns)
        summaries.append(PhaseSummary(phase, samples.n, samples.quantile_ns(0.5), samples.max_ns))
    return tuple(summaries)
