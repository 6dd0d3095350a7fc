# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Make jobs of what was recorded of an observed program: sched.npy → jobs.npy, threads.npy.

Part of finishing a run, so it also makes a run of what a killed `laxity observe` has left.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from laxity.core.streams import SchedKind, absent_value
from laxity.core.streams import Status as JobStatus
from laxity.errors import EXIT_DONE, EXIT_INTERRUPTED, EXIT_NO_VERDICT
from laxity.jobs.ends import End
from laxity.store.manifest import Clock, Counts, Manifest, Status, TaskResult
from laxity.store.npy import read_stream
from laxity.store.npy_writer import write_stream
from laxity.store.observation import (
    RECORDER_KILLED,
    WITH_IDLE_CPUS,
    WITH_WAKE_UPS,
    Observation,
    ObservedThread,
    Scheduling,
)
from laxity.store.run_directory import MANIFEST, write_document
from laxity.trace import record
from laxity.trace.gaps import Coverage, Sched
from laxity.trace.observed_jobs import DTYPE, Asked, Observed, Rows, ThreadJobs
from laxity.trace.sampled_words import why_samples_have_no_verdict
from laxity.trace.sched_trace import Threads, coverage_of

JOBS, SCHED, THREADS = "jobs.npy", "sched.npy", "threads.npy"
_CLOCK = "CLOCK_MONOTONIC"
_WAKE_UP = "wakeup"
# include/linux/sched.h: __TASK_STOPPED, __TASK_TRACED.
_STOPPED = 0x4 | 0x8
_REAL_TIME = frozenset({"fifo", "rr", "deadline"})
# End causes as tasks have them.
_CAUSES = {"program": "exit"}


@dataclass(frozen=True, slots=True)
class _Thread:
    """One thread of the program, and its jobs."""

    tid: int
    pid: int
    comm: str
    jobs: ThreadJobs


def fold(tmp: Path, manifest: Manifest, end: End) -> tuple[Manifest, bool]:
    """Make jobs of what was recorded of an observed program.

    Returns:
        The manifest, and whether there is anything to keep.
    """
    if not (tmp / SCHED).exists():
        return manifest, False
    folded = msgspec.structs.replace(manifest, finished_at=end.time(tmp))
    if manifest.trace is None:
        folded = record.fold_trace(tmp, folded)
        # Stored before the work begins, which may fail and be done again.
        write_document(tmp / MANIFEST, folded)
    return write_jobs(tmp, folded, has_survived=end.has_survived), True


def write_jobs(tmp: Path, manifest: Manifest, *, has_survived: bool) -> Manifest:
    """Write jobs.npy of an observation, and what was found into its manifest.

    Args:
        tmp: The directory of the run, with the whole trace in it.
        manifest: With the recorder's half.
        has_survived: Whether `laxity observe` lives.

    Raises:
        RecordError: A stream of the trace is missing or damaged.
        PlatformError: The output is full.
    """
    observation = manifest.observation
    if observation is None:
        msg = "no observation"
        raise ValueError(msg)
    sched, names = read_stream(tmp / SCHED), np.ma.getdata(read_stream(tmp / THREADS))
    coverage = coverage_of(manifest.trace)
    is_known = coverage is not None
    coverage = coverage or _seen_from_rows(sched)
    supplies = manifest.trace.supplies if manifest.trace else []
    observed = Observed(sched, coverage, has_wake_ups=_WAKE_UP in supplies)
    asked = Asked(observation.deadline_ns, observation.is_split)
    threads = _threads(observed, names, observation, asked)
    busy = [one for one in threads if len(one.jobs.rows)]
    _write_streams(tmp, names, busy)
    titles = _titles(busy)
    tasks = [_task(i, titles[i], one, observation, coverage) for i, one in enumerate(busy)]
    indices = {one.tid: index for index, one in enumerate(busy)}
    found = [_found(one, indices.get(one.tid)) for one in threads]
    done = msgspec.structs.replace(
        observation, threads=found, has_wake_ups=_WAKE_UP in supplies if is_known else None
    )
    has_hidden = manifest.trace is not None and manifest.trace.has_hidden_threads
    status, code, message = _judge(
        done,
        tasks,
        is_known=is_known,
        has_survived=has_survived,
        advice=WITH_IDLE_CPUS if has_hidden else WITH_WAKE_UPS,
        notes=manifest.notes,
    )
    n_stops = _count_stops(sched, {thread.tid for thread in threads})
    if code == EXIT_DONE and n_stops:
        code = EXIT_NO_VERDICT
        message = (
            f"no verdict: threads of the program were stopped by a signal or a debugger "
            f"({n_stops} times); observe it again"
        )
    if code == EXIT_DONE and (reason := why_samples_have_no_verdict(manifest.sampling)):
        code, message = EXIT_NO_VERDICT, f"no verdict: {reason}"
    return msgspec.structs.replace(
        manifest,
        observation=done,
        tasks=tasks,
        clock=Clock(name=_CLOCK, t0_ns=coverage.started_ns, end_ns=coverage.stopped_ns),
        status=status,
        exit_code=code,
        message=message,
    )


def _count_stops(sched: Sched, tids: set[int]) -> int:
    """Count how often threads left their CPU because a signal or a debugger stopped them."""
    rows = np.ma.getdata(sched)
    state = rows["prev_state_or_vector"]
    is_off = (rows["kind"] == SchedKind.OFF) & (state != absent_value("i8"))
    is_stopped = is_off & ((state & _STOPPED) != 0) & np.isin(rows["tid"], sorted(tids))
    return int(np.count_nonzero(is_stopped))


def _seen_from_rows(sched: Sched) -> Coverage:
    """Take the first and the last row for the bounds of a trace whose recorder was killed."""
    when = np.ma.getdata(sched["time_ns"])
    return Coverage(int(when.min()), int(when.max()), {}) if len(when) else Coverage(0, 0, {})


def _threads(
    observed: Observed, names: Threads, observation: Observation, asked: Asked
) -> list[_Thread]:
    """Find the threads of the program and their jobs, those of most jobs first."""
    mine = np.isin(names["pid"], observation.processes)
    tids = set(names["tid"][mine].tolist())
    if observation.cgroup is not None:
        tids = observed.children_of(tids)
    policies = {look.tid: look.policy for look in observation.scheduling}
    latest: Mapping[int, Any] = {int(row["tid"]): row for row in names if int(row["tid"]) in tids}
    found = [
        _Thread(
            tid,
            int(row["pid"]),
            bytes(row["comm"]).decode("utf-8", errors="replace"),
            observed.jobs_of(tid, asked, is_real_time=policies.get(tid) in _REAL_TIME),
        )
        for tid, row in sorted(latest.items())
    ]
    return sorted(found, key=lambda one: -len(one.jobs.rows))


def _write_streams(tmp: Path, names: Threads, busy: list[_Thread]) -> None:
    parts = []
    names["task"] = absent_value("u2")
    for index, one in enumerate(busy):
        one.jobs.rows["task"] = index
        names["task"][names["tid"] == one.tid] = index
        parts.append(one.jobs.rows)
    rows: Rows = np.concatenate(parts) if parts else np.zeros(0, DTYPE)
    release_ns = rows["release_ns"]
    place_ns = np.where(release_ns == absent_value("i8"), rows["start_ns"], release_ns)
    rows = rows[np.lexsort((rows["task"], place_ns))]
    write_stream(tmp / JOBS, rows)
    write_stream(tmp / THREADS, names)


def _titles(busy: list[_Thread]) -> list[str]:
    """Name tasks after their threads; those of one name get their number as well."""
    counts = Counter(one.comm for one in busy)
    return [one.comm if counts[one.comm] == 1 else f"{one.comm}/{one.tid}" for one in busy]


def _task(
    index: int, title: str, one: _Thread, observation: Observation, coverage: Coverage
) -> TaskResult:
    known = {look.tid: look for look in observation.scheduling}
    look = known.get(one.tid, Scheduling(tid=one.tid, policy="not known", priority=None, cpus=""))
    fit, rows = one.jobs.fit, one.jobs.rows
    n_missed = int(np.count_nonzero(rows["status"] == JobStatus.MISSED))
    offset_ns = None if fit.first_ns is None else fit.first_ns - coverage.started_ns
    return TaskResult(
        index=index,
        name=title,
        workload=observation.program[0] if observation.program else one.comm,
        args=observation.program[1:],
        policy=look.policy,
        priority=look.priority,
        cpus=look.cpus,
        period_ns=None if fit.first_ns is None or fit.period_ns is None else round(fit.period_ns),
        deadline_ns=observation.deadline_ns,
        offset_ns=offset_ns,
        overrun="not known",
        released=len(rows),
        started=len(rows),
        counts=Counts(done=len(rows) - n_missed, missed=n_missed, not_met=n_missed),
        lost_rows=one.jobs.n_lost,
        end_ns=coverage.stopped_ns,
        end_cause=_CAUSES.get(observation.ended_by or "", observation.ended_by),
    )


def _found(one: _Thread, task: int | None) -> ObservedThread:
    fit = one.jobs.fit
    return ObservedThread(
        task=task,
        tid=one.tid,
        pid=one.pid,
        comm=one.comm,
        rhythm=fit.rhythm.value,
        n_arrivals=fit.n,
        n_used=fit.n_used,
        period_ns=fit.period_ns,
        period_half_width_ns=fit.half_width_ns,
        first_release_ns=fit.first_ns,
        first_release_half_width_ns=fit.first_half_width_ns,
        spread_ns=fit.spread_ns,
        n_stretches=one.jobs.n_stretches,
        n_lost=one.jobs.n_lost,
        n_contradictory=one.jobs.n_contradictory,
        n_cut=one.jobs.n_cut,
        n_without_job=one.jobs.n_without_job,
    )


def _judge(
    observation: Observation,
    tasks: list[TaskResult],
    *,
    is_known: bool,
    has_survived: bool,
    advice: str,
    notes: list[str],
) -> tuple[Status, int, str]:
    """Tell how an observation ended; the first cause in time decides."""
    n_lost = sum(one.n_lost for one in observation.threads)
    status: Status = "complete" if has_survived else "recovered"
    if has_survived and observation.ended_by == "interrupt":
        status = "interrupted"
    if not is_known:
        return status, EXIT_NO_VERDICT, RECORDER_KILLED
    if n_lost:
        reason = f"no verdict: records were lost over {n_lost} jobs, which were left out"
        return status, EXIT_NO_VERDICT, reason
    if not tasks:
        reason = "no verdict: no thread was seen from a wake-up until it blocked"
        return status, EXIT_NO_VERDICT, f"{reason}; {'; '.join(notes) or 'observe it for longer'}"
    if not observation.has_wake_ups and all(one.period_ns is None for one in observation.threads):
        reason = "no verdict: no thread has a period that its starts alone would show"
        return status, EXIT_NO_VERDICT, f"{reason}; {advice}"
    if status == "interrupted":
        return status, EXIT_INTERRUPTED, "interrupted; what was observed until then is kept"
    return status, EXIT_DONE, _ended(observation)


def _ended(observation: Observation) -> str:
    return "the program has ended" if observation.ended_by == "program" else ""
