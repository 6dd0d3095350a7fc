# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What programs ask of the memory in the course of a job, jobs laid over each other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from laxity.jobs.counts import counted_in
from laxity.jobs.phases import phase_spans
from laxity.jobs.rates import FloatArray, IntArray, Rates, rates_of
from laxity.jobs.rows import Jobs, finished, has_column, in_order, of_task
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


@dataclass(frozen=True, slots=True)
class NamedPhase:
    """A phase of one job that the program names.

    Attributes:
        phase: The number that it gave.
        spans_ns: From where to where it lasts, since the job's start; shape (span, 2).
        counts: By event, what was counted in all of them; between two samples counts are taken to
            grow evenly.
        ranges: By event, the least and the most that this can be. Equal where each mark has a
            sample of its own, as on simulated platforms.
    """

    phase: int
    spans_ns: FloatArray
    counts: Mapping[str, float]
    ranges: Mapping[str, tuple[float, float]]

    @property
    def time_ns(self) -> float:
        """How long it lasts in all."""
        return float(np.diff(self.spans_ns).sum())


@dataclass(frozen=True, slots=True)
class _Job:
    """A job and its samples: by event, times since t0 and what was counted since its start."""

    number: int
    start_ns: int
    finish_ns: int
    samples: Mapping[str, tuple[FloatArray, FloatArray]]


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
    for job in _jobs(run, rates):
        times_ns, progress = job.samples.get(PROGRESS) or _as_time(job.start_ns, job.finish_ns)
        if progress[-1] <= 0:
            continue
        parts = np.linspace(0, progress[-1], n_parts + 1)
        edges_ns = np.interp(parts, progress, times_ns)
        counts = {
            name: np.diff(np.interp(edges_ns, *job.samples[name]))
            for name in COURSES
            if name in job.samples
        }
        yield Course(np.diff(edges_ns), counts)


def named_phases_of(run: Run) -> Iterator[NamedPhase]:
    """Find the phases that a program names, in each job of one process but the first.

    They are those of the thread that runs the job, and what it does before its first mark is none;
    times are those of the marks.

    Raises:
        RecordError: The run is damaged.
    """
    done = in_order(finished(run.stream("jobs")))
    if not run.has_stream("probe") or not len(done) or not has_column(done, "tid"):
        return
    spans = phase_spans(of_task(run.stream("probe"), 0), done)
    threads = dict(zip(done["job"].tolist(), np.ma.getdata(done["tid"]).tolist(), strict=True))
    is_own = spans.tid == np.array([threads[job] for job in spans.job.tolist()])
    t0_ns = _t0_ns(run)
    for job in _jobs(run, _rates(run)):
        is_in_job = is_own & (spans.job == job.number)
        for phase in np.unique(spans.phase[is_in_job]).tolist():
            is_of = is_in_job & (spans.phase == phase)
            edges_ns = np.stack([spans.from_ns[is_of], spans.to_ns[is_of]], axis=1) - t0_ns
            counts = {
                name: float(np.diff(np.interp(edges_ns, *samples)).sum())
                for name, samples in job.samples.items()
            }
            ranges = {name: _range(edges_ns, *samples) for name, samples in job.samples.items()}
            yield NamedPhase(phase, (edges_ns - job.start_ns).astype(float), counts, ranges)


def _range(edges_ns: IntArray, times_ns: FloatArray, counts: FloatArray) -> tuple[float, float]:
    """Bound what was counted in spans: at an edge it is what a sample next to it says, or between.

    Args:
        edges_ns: Where spans begin and end; shape (span, 2).
        times_ns: Of samples, the first before all spans, the last after them.
        counts: What was counted by each of them; ascending.
    """
    last = len(times_ns) - 1
    before = counts[np.clip(np.searchsorted(times_ns, edges_ns, side="right") - 1, 0, last)]
    behind = counts[np.clip(np.searchsorted(times_ns, edges_ns, side="left"), 0, last)]
    least = np.maximum(before[:, 1] - behind[:, 0], 0).sum()
    return float(least), float((behind[:, 1] - before[:, 0]).sum())


def _jobs(run: Run, rates: Mapping[str, Rates]) -> Iterator[_Job]:
    """Give the jobs of one process, its first one only where there is no other."""
    done = in_order(finished(run.stream("jobs")))
    totals = {
        event.name: counted
        for event in run.manifest.events
        if event.name in rates
        and (counted := counted_in(done, event.name, event.empty_count or 0)) is not None
    }
    spans = _spans(run, done)
    for at in range(1, len(spans)) if len(spans) > 1 else range(len(spans)):
        start_ns, finish_ns = spans[at]
        samples = {
            name: _within(rates[name], start_ns, finish_ns, int(total.counts[at]))
            for name, total in totals.items()
            if total.is_counted[at]
        }
        yield _Job(int(done["job"][at]), start_ns, finish_ns, samples)


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
    if not _t0_ns(run) or not run.has_stream("counters"):
        return {}
    samples = run.stream("counters")
    return {
        event.name: rates
        for index, event in enumerate(run.manifest.events)
        if event.name in (PROGRESS, *COURSES)
        and (rates := rates_of(samples, 0, index, _t0_ns(run))) is not None
    }


def _spans(run: Run, jobs: Jobs) -> list[tuple[int, int]]:
    """Return start and finish of jobs, since t0."""
    columns = (np.ma.getdata(jobs[name]) - _t0_ns(run) for name in ("start_ns", "finish_ns"))
    starts, finishes = (column.tolist() for column in columns)
    return list(zip(starts, finishes, strict=True))


def _t0_ns(run: Run) -> int:
    """Return the first release; 0: it is not known."""
    clock = run.manifest.clock
    return 0 if clock is None or clock.t0_ns is None else clock.t0_ns


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
