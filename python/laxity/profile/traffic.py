# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What programs ask of the memory in the course of a job, jobs laid over each other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from laxity.jobs.counts import counted_in
from laxity.jobs.rates import FloatArray, Rates, rates_of
from laxity.jobs.rows import Jobs, finished, in_order
from laxity.profile.events import LEVELS, TRAFFIC
from laxity.store.run_directory import Run

PROGRESS = "instructions"
COURSES = (*TRAFFIC, *(f"{level}_refill" for level in reversed(LEVELS)))
MOST_PARTS, LEAST_PARTS = 100, 10
# Of a job: each of its parts has two.
SAMPLES = 2 * MOST_PARTS


@dataclass(frozen=True, slots=True)
class Course:
    """One job in parts of equal progress.

    Attributes:
        times_ns: How long each part took; shape (part,).
        counts: By event, what was counted in each; shape (part,).
    """

    times_ns: FloatArray
    counts: Mapping[str, FloatArray]


def parts_of(runs: Sequence[Run]) -> int:
    """Tell into how many parts the jobs of processes can be cut, so that each has two samples.

    Returns:
        At most 100; 0: jobs are too short for ten, or nothing was sampled.
    """
    n_samples: list[int] = []
    for run in runs:
        if rates := _rates(run):
            edges = next(iter(rates.values())).edges_ns
            n_samples += [
                int(np.count_nonzero((edges > start) & (edges < finish)))
                for start, finish in _spans(run, finished(run.stream("jobs")))
            ]
    parts = min(MOST_PARTS, int(np.median(n_samples)) // 2) if n_samples else 0
    return parts if parts >= LEAST_PARTS else 0


def courses_of(run: Run, n_parts: int) -> Iterator[Course]:
    """Cut the jobs of one process into parts of equal progress, its first job left out.

    The first one finds the caches cold; it is taken where there is no other. Progress is counted in
    instructions where they were sampled, so that jobs of which one was held up longer than the
    other lie over each other; else it is time.

    Raises:
        RecordError: The run is damaged.
    """
    rates = _rates(run)
    if not rates:
        return
    done = in_order(finished(run.stream("jobs")))
    totals = {
        event.name: counted
        for event in run.manifest.events
        if event.name in rates
        and (counted := counted_in(done, event.name, event.empty_count or 0)) is not None
    }
    spans = _spans(run, done)
    for job in range(1, len(spans)) if len(spans) > 1 else range(len(spans)):
        start_ns, finish_ns = spans[job]
        courses = {
            name: _within(rates[name], start_ns, finish_ns, int(total.counts[job]))
            for name, total in totals.items()
            if total.is_counted[job]
        }
        times_ns, progress = courses.get(PROGRESS) or _as_time(start_ns, finish_ns)
        if progress[-1] <= 0:
            continue
        parts = np.linspace(0, progress[-1], n_parts + 1)
        edges_ns = np.interp(parts, progress, times_ns)
        counts = {
            name: np.diff(np.interp(edges_ns, *courses[name]))
            for name in COURSES
            if name in courses
        }
        yield Course(np.diff(edges_ns), counts)


def drawn_event(counts: Mapping[str, Sequence[float]]) -> tuple[str, ...]:
    """Choose what tells phases apart: memory traffic, else misses of the last level that has any.

    Returns:
        Events whose counts are added; none: nothing was counted.
    """
    if any(any(counts.get(name, ())) for name in TRAFFIC):
        return tuple(name for name in TRAFFIC if name in counts)
    misses = (name for name in COURSES if name not in TRAFFIC)
    return tuple(name for name in misses if any(counts.get(name, ())))[:1]


def mean_course(courses: Sequence[Course]) -> Course:
    """Return the mean of jobs, part by part."""
    names = [name for name in COURSES if all(name in one.counts for one in courses)]
    return Course(
        np.mean([one.times_ns for one in courses], axis=0),
        {name: np.mean([one.counts[name] for one in courses], axis=0) for name in names},
    )


def _rates(run: Run) -> dict[str, Rates]:
    clock = run.manifest.clock
    if clock is None or clock.t0_ns is None or not run.has_stream("counters"):
        return {}
    samples = run.stream("counters")
    return {
        event.name: rates
        for index, event in enumerate(run.manifest.events)
        if event.name in (PROGRESS, *COURSES)
        and (rates := rates_of(samples, 0, index, clock.t0_ns)) is not None
    }


def _spans(run: Run, jobs: Jobs) -> list[tuple[int, int]]:
    """Return start and finish of jobs, since t0."""
    clock = run.manifest.clock
    t0_ns = 0 if clock is None or clock.t0_ns is None else clock.t0_ns
    columns = (np.ma.getdata(jobs[name]) - t0_ns for name in ("start_ns", "finish_ns"))
    starts, finishes = (column.tolist() for column in columns)
    return list(zip(starts, finishes, strict=True))


def _within(
    rates: Rates, start_ns: int, finish_ns: int, total: int
) -> tuple[FloatArray, FloatArray]:
    """Return the times of a job's samples, its ends included, and what was counted since its start.

    Between jobs nothing is counted, so that at the start it is what the sample before says; all
    that was counted in the job its row says.
    """
    edges, counts = rates.edges_ns, rates.counts
    before = counts[int(np.searchsorted(edges, start_ns, side="right")) - 1]
    is_inside = (edges > start_ns) & (edges < finish_ns)
    times_ns = np.concatenate([[start_ns], edges[is_inside], [finish_ns]])
    inside = np.minimum(counts[is_inside] - before, total)
    return times_ns, np.concatenate([[0], inside, [total]])


def _as_time(start_ns: int, finish_ns: int) -> tuple[FloatArray, FloatArray]:
    times_ns = np.array([start_ns, finish_ns], dtype=float)
    return times_ns, times_ns - start_ns
