# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a job loses by memory traffic in windows that are no longer than a reading.

Averages are unsound: a part of what was averaged may lose more than a packed curve says of it
(docs/regulation.md, section 2). Solo and loaded job are matched by instructions.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from laxity.core.streams import MarkKind

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
Rows: TypeAlias = Any  # structured array of a stream

# Between two samples of a course, and between the beginnings of two windows.
SAMPLE_NS = 2_000
# Of the loaded job, wall time: each longer interval is made of windows of these lengths.
SHORTEST_NS = 10_000
WINDOWS_NS = range(SHORTEST_NS, 2 * SHORTEST_NS, SAMPLE_NS)
_NS_PER_S = 1e9


@dataclass(frozen=True, slots=True)
class Progress:
    """Course of a job.

    Attributes:
        times_ns: Instants, ascending; the first is the start of the job, the last its end; shape
            (sample,).
        instructions: Executed by the job until then, strictly ascending; shape (sample,).
        traffic_bytes: Read and written by the whole platform until then; shape (sample,).
        marks: Phases that begin in the job, in the order of time; shape (mark,).
        marks_ns: When each begins, since the start of the job; shape (mark,).
    """

    times_ns: FloatArray
    instructions: FloatArray
    traffic_bytes: FloatArray
    marks: IntArray
    marks_ns: IntArray


# A job alone, and the same one with a load.
Pair: TypeAlias = tuple[Progress, Progress]


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows of a loaded job; all arrays have the shape (window,).

    Attributes:
        begins_ns: Where each begins in the job alone, since the start of the job.
        ends_ns: Where it ends.
        traffic_bytes_per_s: Mean traffic of the platform in the window.
        loss: Lost time per wall time, from 0 to 1: o / (1 + o) for an overhead o.
    """

    begins_ns: FloatArray
    ends_ns: FloatArray
    traffic_bytes_per_s: FloatArray
    loss: FloatArray


def progress_of(
    jobs: Rows, counters: Rows, marks: Rows | None, events: tuple[str, ...], number: int = 0
) -> Progress:
    """Take the course of a job of task 0.

    Args:
        jobs: Rows of jobs.npy, of task 0.
        counters: Rows of counters.npy, with samples of the task and of the platform; a mark has a
            sample of the task.
        marks: Rows of probe.npy; None: the program has no marks.
        events: Names of the events, by their number in counters.npy.
        number: Of the job, from 0.
    """
    start, end = float(jobs["start_ns"][number]), float(jobs["finish_ns"][number])
    task = counters[(counters["task"] == 0) & (counters["event"] == events.index("instructions"))]
    times = task["time_ns"].astype(np.float64)
    is_within = (times > start) & (times < end)
    times = np.concatenate([[start], times[is_within], [end]])
    # A counter goes on from job to job.
    before = float(jobs["instructions"][:number].sum())
    executed = task["value"].astype(np.float64)[is_within] - before
    executed = np.concatenate([[0.0], executed, [float(jobs["instructions"][number])]])
    # While the job waits for memory it executes nothing: such a sample belongs to the next.
    is_progress = np.concatenate([[True], np.diff(executed) > 0])
    times, executed = times[is_progress], executed[is_progress]
    traffic = np.zeros(len(times))
    is_platform = counters["task"] == np.iinfo(np.uint16).max
    for event in ("mem_read_bytes", "mem_write_bytes"):
        rows = counters[is_platform & (counters["event"] == events.index(event))]
        # A job that ends before the first sample moves next to nothing.
        if len(rows) > 0:
            traffic += np.interp(times, rows["time_ns"], rows["value"])
    numbers, begins_ns = phases_of(marks, int(start), int(end))
    return Progress(times, executed, traffic, numbers, begins_ns)


def phases_of(marks: Rows | None, start_ns: int, end_ns: int) -> tuple[IntArray, IntArray]:
    """List phases that begin in a job of task 0, and when each begins, since the job's start.

    Args:
        marks: Rows of probe.npy; None: the program has no marks.
        start_ns: Of the job.
        end_ns: Of the job.
    """
    if marks is None:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    is_phase = (marks["task"] == 0) & (marks["kind"] == MarkKind.PHASE)
    rows = marks[is_phase & (marks["time_ns"] >= start_ns) & (marks["time_ns"] < end_ns)]
    return rows["probe"].astype(np.int64), rows["time_ns"].astype(np.int64) - start_ns


def windows_of_pairs(pairs: Iterable[Pair], solo: Progress) -> Iterator[Windows]:
    """Cut loaded jobs into windows, placed where the job `solo` executes the same instructions."""
    for alone, loaded in pairs:
        yield placed_as(windows_of(alone, loaded), alone, solo)


def placed_as(windows: Windows, alone: Progress, solo: Progress) -> Windows:
    """Place windows where another job alone executes the same instructions.

    Args:
        windows: Placed in the job `alone`.
        alone: A job alone.
        solo: The other one.
    """
    if alone is solo:
        return windows

    def as_solo(at_ns: FloatArray) -> FloatArray:
        executed = np.interp(at_ns + alone.times_ns[0], alone.times_ns, alone.instructions)
        since_ns = solo.times_ns - solo.times_ns[0]
        places_ns: FloatArray = np.interp(executed, solo.instructions, since_ns)
        return places_ns

    return Windows(
        as_solo(windows.begins_ns),
        as_solo(windows.ends_ns),
        windows.traffic_bytes_per_s,
        windows.loss,
    )


def contended_ns_of(solo: Progress, jobs: Iterable[Progress]) -> int:
    """Add up the longest time that any job took for each 10 µs of the job alone.

    No job takes longer whose co-runners change between those of `jobs`, but for the change itself.

    Args:
        solo: The job alone.
        jobs: Which execute the same instructions.
    """
    edges_ns = np.append(np.arange(0.0, _took_ns(solo), SHORTEST_NS), _took_ns(solo))
    executed = np.interp(edges_ns + solo.times_ns[0], solo.times_ns, solo.instructions)
    most_ns = np.diff(edges_ns)
    for job in jobs:
        at_ns = np.interp(executed, job.instructions, job.times_ns)
        at_ns[[0, -1]] = job.times_ns[[0, -1]]
        most_ns = np.maximum(most_ns, np.diff(at_ns))
    return math.ceil(float(most_ns.sum()))


def _took_ns(job: Progress) -> float:
    return float(job.times_ns[-1] - job.times_ns[0])


def windows_of(solo: Progress, loaded: Progress) -> Windows:
    """Cut a loaded job into windows of 10 to 18 µs that begin at each 2 µs.

    A shorter job is one window. Windows from its start to 2, 4, 6 and 8 µs later are added: a
    reading may be that soon after the start.

    Args:
        solo: The job alone.
        loaded: The same job with a load: it executes the same instructions.
    """
    start_ns, end_ns = float(loaded.times_ns[0]), float(loaded.times_ns[-1])
    edges_ns = np.append(np.arange(start_ns, end_ns, SAMPLE_NS), end_ns)
    executed = np.interp(edges_ns, loaded.times_ns, loaded.instructions)
    alone_ns = np.interp(executed, solo.instructions, solo.times_ns) - solo.times_ns[0]
    traffic = np.interp(edges_ns, loaded.times_ns, loaded.traffic_bytes)
    pairs = [_pairs(len(edges_ns) - 1, length_ns // SAMPLE_NS) for length_ns in WINDOWS_NS]
    pairs.append(_from_start(len(edges_ns) - 1, SHORTEST_NS // SAMPLE_NS))
    begins, ends = np.concatenate(pairs, axis=1)
    lasts_ns = np.maximum(edges_ns[ends] - edges_ns[begins], 1.0)
    moved = np.maximum(traffic[ends] - traffic[begins], 0.0)
    loss = np.clip(1 - (alone_ns[ends] - alone_ns[begins]) / lasts_ns, 0.0, 1.0)
    return Windows(alone_ns[begins], alone_ns[ends], moved / lasts_ns * _NS_PER_S, loss)


def _pairs(n: int, length: int) -> IntArray:
    """List the first and the last edge of all windows of a number of samples; shape (2, window)."""
    begins = np.arange(max(n - length + 1, 1))
    return np.stack([begins, np.minimum(begins + length, n)])


def _from_start(n: int, below: int) -> IntArray:
    """List windows from the start that are shorter than `below` samples; shape (2, window)."""
    ends = np.arange(1, min(below, n + 1))
    return np.stack([np.zeros_like(ends), ends])
