# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a job loses by memory traffic in windows of equal solo progress.

Averages over a phase are unsound: a window of 50 µs may lose twice as much as the mean
(docs/regulation.md, section 1). Solo and loaded job are matched by instructions.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
Rows: TypeAlias = Any  # structured array of a stream

WINDOWS_NS = (10_000, 20_000, 50_000)
# Between the beginnings of two windows.
STEP_NS = 10_000
_NS_PER_S = 1e9


@dataclass(frozen=True, slots=True)
class Progress:
    """Course of a job; all arrays have the shape (sample,).

    Attributes:
        times_ns: Instants, ascending; the first is the start of the job, the last its end.
        instructions: Executed by the job until then, strictly ascending.
        traffic_bytes: Read and written by the whole platform until then.
    """

    times_ns: FloatArray
    instructions: FloatArray
    traffic_bytes: FloatArray


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows of a loaded job; both arrays have the shape (window,).

    Attributes:
        traffic_bytes_per_s: Mean traffic of the platform in the window.
        loss: Lost time per wall time, from 0 to 1: o / (1 + o) for an overhead o.
    """

    traffic_bytes_per_s: FloatArray
    loss: FloatArray


def progress_of(jobs: Rows, counters: Rows, events: tuple[str, ...]) -> Progress:
    """Take the course of the first job of task 0.

    Args:
        jobs: Rows of jobs.npy.
        counters: Rows of counters.npy, with samples of the task and of the platform.
        events: Names of the events, by their number in counters.npy.
    """
    start, end = float(jobs["start_ns"][0]), float(jobs["finish_ns"][0])
    task = counters[(counters["task"] == 0) & (counters["event"] == events.index("instructions"))]
    times = task["time_ns"].astype(np.float64)
    is_within = (times > start) & (times < end)
    times = np.concatenate([[start], times[is_within], [end]])
    executed = task["value"].astype(np.float64)[is_within]
    executed = np.concatenate([[0.0], executed, [float(jobs["instructions"][0])]])
    # While the job waits for memory it executes nothing: such a sample belongs to the next.
    is_progress = np.concatenate([[True], np.diff(executed) > 0])
    times, executed = times[is_progress], executed[is_progress]
    traffic = np.zeros(len(times))
    is_platform = counters["task"] == np.iinfo(np.uint16).max
    for event in ("mem_read_bytes", "mem_write_bytes"):
        rows = counters[is_platform & (counters["event"] == events.index(event))]
        traffic += np.interp(times, rows["time_ns"], rows["value"])
    return Progress(times, executed, traffic)


def windows_of(solo: Progress, loaded: Progress) -> Windows:
    """Cut a loaded job into windows of 10, 20 and 50 µs of its solo progress.

    Args:
        solo: The job alone.
        loaded: The same job with a load: it executes the same instructions.
    """
    parts = [_windows(solo, loaded, length_ns) for length_ns in WINDOWS_NS]
    return Windows(
        np.concatenate([part.traffic_bytes_per_s for part in parts]),
        np.concatenate([part.loss for part in parts]),
    )


def _windows(solo: Progress, loaded: Progress, length_ns: int) -> Windows:
    last_ns = solo.times_ns[-1] - length_ns
    begins_ns = np.arange(solo.times_ns[0], max(last_ns, solo.times_ns[0]) + 1, STEP_NS)
    ends_ns = np.minimum(begins_ns + length_ns, solo.times_ns[-1])
    edges = [
        np.interp(np.interp(at_ns, solo.times_ns, solo.instructions), loaded.instructions, values)
        for at_ns in (begins_ns, ends_ns)
        for values in (loaded.times_ns, loaded.traffic_bytes)
    ]
    lasts_ns = np.maximum(edges[2] - edges[0], 1.0)
    traffic = np.maximum(edges[3] - edges[1], 0.0) / lasts_ns * _NS_PER_S
    return Windows(traffic, np.clip(1 - (ends_ns - begins_ns) / lasts_ns, 0.0, 1.0))
