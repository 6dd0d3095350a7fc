# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The tasks of a run as Perfetto tracks: releases, jobs, deadlines, phases, probes, samples.

A job is a slice from its release to its finish, which holds two: it waits, it executes. Where jobs
queue, its slice begins when the job before it has finished, since slices of one track must not
overlap; an arrow leads to it from its release, and its arguments tell its times.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from laxity.core.spec import Overrun
from laxity.core.streams import STREAMS, Cause, MarkKind, Status
from laxity.export.packets import PacketWriter, Value
from laxity.jobs import rows as analysis
from laxity.jobs.phases import Marks, phase_spans
from laxity.jobs.rows import Jobs
from laxity.store.manifest import Event, TaskResult

Samples: TypeAlias = Any  # masked structured array of counters.npy
Job: TypeAlias = Mapping[str, Any]

# Jobs whose columns are made Python numbers at once.
_PART_ROWS = 8192
# What stands elsewhere in the trace; exec_ns is raw, execution_ns is what follows from it.
_NO_ARGUMENTS = frozenset({"task", "start_ticks", "finish_ticks", "exec_ns", "status", "cause"})
_COUNTS = frozenset(field.name for field in STREAMS["jobs"] if field.unit == "count")
# Events of the kernel that count nanoseconds (native/counters/events.c).
_CLOCK_EVENTS = frozenset({"task-clock", "cpu-clock"})
_WORDS = {status: status.name.lower() for status in Status}
_CAUSES = {cause: cause.name.lower().replace("_", " ") for cause in Cause}


@dataclass(frozen=True, slots=True)
class _Tracks:
    """Tracks of one task."""

    parent: int
    releases: int
    jobs: int
    deadlines: int


class TaskPackets:
    """Writes the tracks of one task."""

    def __init__(
        self, writer: PacketWriter, task: TaskResult, events: Sequence[Event], rank: int
    ) -> None:
        self._writer = writer
        self._task = task
        self._events = events
        parent = writer.track(f"task {task.name}", rank=rank)
        self._tracks = _Tracks(
            parent=parent,
            releases=writer.track(
                "releases", parent, 0, "When jobs became ready; skipped ones too"
            ),
            jobs=writer.track("jobs", parent, 1, "From release to finish"),
            deadlines=writer.track("deadlines", parent, 2, "Absolute deadlines"),
        )
        self._n_tracks = 3

    def write_jobs(self, rows: Jobs, snapshot_exec_ns: int) -> None:
        """Write what became of each release.

        Args:
            rows: Rows of the task, in order.
            snapshot_exec_ns: Calibrated processor time of an empty pair of snapshots.
        """
        before, free_ns = None, None
        for job in _jobs(rows, snapshot_exec_ns):
            self._write_points(job)
            if job["start_ns"] is None:
                continue
            if before is not None:
                free_ns = self._write_slices(before, free_ns, self._begin_ns(job))
            before = job
        if before is not None:
            self._write_slices(before, free_ns, self._task.end_ns)

    def write_marks(self, marks: Marks, rows: Jobs) -> None:
        """Write phases, one track per thread, and probes.

        Args:
            marks: Rows of probe.npy of the task.
            rows: Rows of jobs.npy of the task.
        """
        if analysis.has_column(rows, "tid"):
            self._write_phases(marks, rows)
        probes = marks[np.ma.getdata(marks["kind"]) == MarkKind.PROBE]
        if not len(probes):
            return
        track = self._track("probes", "Values that the program reported")
        columns = ("time_ns", "probe", "value", "tid")
        for time_ns, probe, value, tid in zip(
            *(probes[name].tolist() for name in columns), strict=True
        ):
            self._writer.instant(track, time_ns, f"probe {probe}", {"value": value, "tid": tid})

    def write_samples(self, samples: Samples) -> None:
        """Write what was counted in it since t0.

        Args:
            samples: Rows of counters.npy of the task.
        """
        self._n_tracks += write_counters(
            self._writer, self._tracks.parent, self._n_tracks + 1, self._events, samples
        )

    def _write_points(self, job: Job) -> None:
        number, status = job["job"], _word_of(job)
        release_ns, deadline_ns = job["release_ns"], job["abs_deadline_ns"]
        has_started = job["start_ns"] is not None
        if release_ns is not None:
            name = f"release {number}" if has_started else f"release {number} {status}"
            arrow = self._arrow(number) if has_started else 0
            self._writer.instant(self._tracks.releases, release_ns, name, {"job": number}, arrow)
        if deadline_ns is not None:
            is_met = job["finish_ns"] is not None and job["finish_ns"] <= deadline_ns
            name = f"deadline {number}" if is_met else f"deadline {number} {status}"
            self._writer.instant(self._tracks.deadlines, deadline_ns, name, {"job": number})

    def _begin_ns(self, job: Job) -> int:
        """Return the instant at which no job before one that has started is there any more."""
        if job["release_ns"] is None or self._task.overrun == Overrun.QUEUE:
            return int(job["start_ns"])
        return int(min(job["release_ns"], job["start_ns"]))

    def _write_slices(self, job: Job, free_ns: int | None, latest_ns: int | None) -> int | None:
        """Write the slices of a job that has started.

        Args:
            job: The job.
            free_ns: When the job before it ended; None: there was none.
            latest_ns: When one that did not finish has ended at the latest: as the next one begins,
                or with its task; None: nobody knows.

        Returns:
            When it ended.
        """
        track, start_ns = self._tracks.jobs, job["start_ns"]
        begin_ns = start_ns if job["release_ns"] is None else job["release_ns"]
        begin_ns = begin_ns if free_ns is None else max(begin_ns, free_ns)
        begin_ns = min(begin_ns, start_ns)
        end_ns = job["finish_ns"]
        if end_ns is None and latest_ns is not None:
            end_ns = max(latest_ns, start_ns)
        arrow = 0 if job["release_ns"] is None else self._arrow(job["job"])
        self._writer.begin(track, begin_ns, _title(job), self._arguments(job), arrow)
        if begin_ns < start_ns:
            self._writer.begin(track, begin_ns, "waits")
            self._writer.end(track, start_ns)
        self._writer.begin(track, start_ns, "executes")
        if end_ns is not None:  # otherwise both stay open: when it ended nobody knows
            self._writer.end(track, end_ns)
            self._writer.end(track, end_ns)
        return int(end_ns) if end_ns is not None else None

    def _write_phases(self, marks: Marks, rows: Jobs) -> None:
        spans = phase_spans(marks, rows)
        tracks: dict[int, int] = {}
        columns = (spans.phase, spans.tid, spans.job, spans.from_ns, spans.to_ns)
        for phase, tid, job, from_ns, to_ns in zip(*(one.tolist() for one in columns), strict=True):
            if tid not in tracks:
                tracks[tid] = self._track(f"phases of thread {tid}", "From mark to mark")
            self._writer.begin(tracks[tid], from_ns, f"phase {phase}", {"job": job})
            self._writer.end(tracks[tid], to_ns)

    def _arguments(self, job: Job) -> Mapping[str, Value | None]:
        """Return what is known of a job, under names that carry the units."""
        named = {one: f"{one}_count" for one in _COUNTS}
        named |= {one.name: f"{one.name}_{_unit_of(one.name)}" for one in self._events}
        arguments = {
            named.get(key, key): value for key, value in job.items() if key not in _NO_ARGUMENTS
        }
        return arguments | {"status": _word_of(job)}

    def _track(self, name: str, description: str) -> int:
        self._n_tracks += 1
        return self._writer.track(name, self._tracks.parent, self._n_tracks, description)

    def _arrow(self, job: int) -> int:
        """Return a number to the arrow of a job; those of other tasks differ in their high bits."""
        return ((self._task.index + 1) << 48) + int(job)


def write_counters(
    writer: PacketWriter, parent: int, rank: int, events: Sequence[Event], samples: Samples
) -> int:
    """Write what was counted since t0, one track per event.

    Args:
        writer: Where to.
        parent: Track of what was counted in.
        rank: Of the first of the tracks.
        events: Those of the run.
        samples: Rows of counters.npy, all of one task, one CPU or a whole platform.

    Returns:
        How many tracks there are.
    """
    n_tracks = 0
    for number, event in enumerate(events):
        rows = samples[np.ma.getdata(samples["event"]) == number]
        is_counted = ~np.ma.getmaskarray(rows["value"]) & np.isfinite(rows["scale_ratio"].data)
        rows = rows[is_counted]
        if not len(rows):
            continue
        ratios = np.ma.getdata(rows["scale_ratio"]).astype(float)
        is_exact = bool(np.all(ratios == 1))
        name = event.name if is_exact else f"{event.name} (estimate: multiplexed)"
        values = np.ma.getdata(rows["value"])
        values = values if is_exact else values * ratios
        track = writer.counter_track(
            f"{name} since t0", parent, rank + n_tracks, _unit_of(event.name)
        )
        n_tracks += 1
        for time_ns, value in zip(rows["time_ns"].tolist(), values.tolist(), strict=True):
            writer.count(track, time_ns, value)
    return n_tracks


def _jobs(rows: Jobs, snapshot_exec_ns: int) -> Iterator[Job]:
    """Return rows one by one, with what follows from them; absent values are None."""
    for first in range(0, len(rows), _PART_ROWS):
        part = rows[first : first + _PART_ROWS]
        columns = {name: part[name].tolist() for name in part.dtype.names}
        columns |= {
            "response_ns": analysis.response_time_ns(part).tolist(),
            "release_latency_ns": analysis.release_latency_ns(part).tolist(),
            "start_to_finish_ns": analysis.start_to_finish_ns(part).tolist(),
            "lateness_ns": analysis.lateness_ns(part).tolist(),
        }
        execution_ns = analysis.execution_ns(part, snapshot_exec_ns)
        if execution_ns is not None:
            columns["execution_ns"] = execution_ns.tolist()
        for values in zip(*columns.values(), strict=True):
            yield dict(zip(columns, values, strict=True))


def _word_of(job: Job) -> str:
    return _WORDS.get(job["status"], f"of unknown status {job['status']}")


def _title(job: Job) -> str:
    status = job["status"]
    if status == Status.DONE:
        return f"job {job['job']}"
    cause = _CAUSES.get(job.get("cause", Cause.NONE), "")
    reason = f" ({cause})" if status == Status.ABORTED and cause else ""
    return f"job {job['job']} {_word_of(job)}{reason}"


def _unit_of(event: str) -> str:
    return "ns" if event in _CLOCK_EVENTS else "count"
