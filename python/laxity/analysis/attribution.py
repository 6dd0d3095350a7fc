# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Who took the time: each response time in pieces, from the scheduling trace.

Response = release latency + execution + preempted + blocked + unexplained. Preempted and blocked
come from the trace, execution from the thread's processor time: what is unexplained is where these
two witnesses disagree, and it is shown.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import IntEnum

import numpy as np

from laxity.analysis import jobs as job_analysis
from laxity.analysis.jobs import IntArray, Jobs
from laxity.analysis.sched_trace import Absences, BoolArray, Trace, Windows


class Verdict(IntEnum):
    """Whether the trace tells of a job, and if not, why."""

    KNOWN = 0
    NOT_COVERED = 1
    LOST = 2
    CONTRADICTORY = 3


@dataclass(frozen=True, slots=True)
class Pieces:
    """The finished jobs of one task; every array of shape (job,), times in nanoseconds.

    `release_latency_ns` = `waited_ns` (off its CPU) + `entered_ns` (on it, before the job's first
    instruction). `unexplained_ns` may be negative. Only jobs with `verdict` KNOWN count.
    """

    job: IntArray
    verdict: IntArray
    response_ns: IntArray
    release_latency_ns: IntArray
    waited_ns: IntArray
    entered_ns: IntArray
    execution_ns: IntArray
    preempted_ns: IntArray
    blocked_ns: IntArray
    unexplained_ns: IntArray
    n_preemptions: IntArray
    n_migrations: IntArray

    @property
    def is_known(self) -> BoolArray:
        """Of which jobs the trace tells."""
        return np.asarray(self.verdict == Verdict.KNOWN)


@dataclass(frozen=True, slots=True)
class Preemption:
    """A thread had the CPU that a job was pushed off; the durations of one job's add up.

    Attributes:
        job: Number of the job.
        cpu: The CPU.
        tid: Who had it; 0: it was idle, the job was on its way to another CPU.
        comm: Its name; None if the trace never met it.
        from_ns: From when, the switch to it included.
        duration_ns: How long; of the last one until the job came back.
    """

    job: int
    cpu: int
    tid: int
    comm: str | None
    from_ns: int
    duration_ns: int


@dataclass(frozen=True, slots=True)
class Culprit:
    """What threads of one name took from the jobs of a task, in nanoseconds."""

    comm: str | None
    n_threads: int
    n_jobs: int
    n: int
    total_ns: int
    median_ns: int
    max_ns: int


@dataclass(frozen=True, slots=True)
class Attribution:
    """The pieces of one task's jobs, and who preempted them, in order of time."""

    pieces: Pieces
    preemptions: tuple[Preemption, ...]

    @property
    def culprits(self) -> tuple[Culprit, ...]:
        """Sum up by name, largest total first."""
        by_name: dict[str | None, list[Preemption]] = {}
        for one in self.preemptions:
            by_name.setdefault(one.comm, []).append(one)
        found = [_culprit(comm, every) for comm, every in by_name.items()]
        return tuple(sorted(found, key=lambda one: -one.total_ns))

    def of_job(self, job: int) -> tuple[Preemption, ...]:
        """Give what preempted one job, in order of time."""
        return tuple(one for one in self.preemptions if one.job == job)


def attribute(jobs: Jobs, trace: Trace, snapshot_exec_ns: int | None = 0) -> Attribution:
    """Split the response times of one task's jobs and name who preempted them.

    Args:
        jobs: Rows of one task; those that did not finish, or whose release is not
            known, are left out.
        trace: Of the whole run.
        snapshot_exec_ns: Calibrated processor time of an empty pair of snapshots; None: the rows'
            processor time is not that of the job's thread alone, execution is what the trace saw.
    """
    rows = job_analysis.with_release(job_analysis.finished(jobs))
    tids = np.ma.getdata(rows["tid"])
    parts = [
        _attribute_thread(rows[tids == tid], int(tid), trace, snapshot_exec_ns)
        for tid in np.unique(tids)
    ]
    preemptions = [one for part in parts for one in part.preemptions]
    return Attribution(
        _joined([part.pieces for part in parts]),
        tuple(sorted(preemptions, key=lambda one: one.from_ns)),
    )


def _attribute_thread(
    rows: Jobs, tid: int, trace: Trace, snapshot_exec_ns: int | None
) -> Attribution:
    found = trace.absences_of(tid)
    if found is None:
        nothing = np.zeros(0, np.int64)
        absences = Absences(nothing, nothing, nothing.astype(np.bool_), nothing, nothing)
        return Attribution(
            _pieces(rows, absences, np.full(len(rows), Verdict.NOT_COVERED), snapshot_exec_ns), ()
        )
    absences, contradictions = found
    verdict = _verdicts(rows, absences, contradictions, trace)
    pieces = _pieces(rows, absences, verdict, snapshot_exec_ns)
    return Attribution(pieces, tuple(_preemptions(rows, pieces, absences, trace)))


def _verdicts(rows: Jobs, absences: Absences, contradictions: Windows, trace: Trace) -> IntArray:
    release, start, finish = (
        _times(rows, name) for name in ("release_ns", "start_ns", "finish_ns")
    )
    # A job that waits for the one before it begins with that one's rest, which must be known too.
    covered = (np.minimum(release, start) >= trace.coverage.started_ns) & (
        finish <= trace.coverage.stopped_ns
    )
    # At its start and at its finish a job reads a clock, so it is on a CPU.
    is_off = _is_absent(absences, start) | _is_absent(absences, finish)
    verdict = np.full(len(rows), Verdict.KNOWN, dtype=np.int64)
    verdict[contradictions.touch(release, finish) | is_off] = Verdict.CONTRADICTORY
    verdict[trace.lost.touch(release, finish)] = Verdict.LOST
    verdict[~covered] = Verdict.NOT_COVERED
    return verdict


def _is_absent(absences: Absences, instants_ns: IntArray) -> BoolArray:
    """Tell whether the thread was off its CPU; at both ends of an absence it is still there."""
    begun = np.searchsorted(absences.from_ns, instants_ns, "left")
    if not len(absences.to_ns):
        return np.zeros(len(instants_ns), np.bool_)
    until = absences.to_ns[np.maximum(begun - 1, 0)]
    return np.asarray((begun > 0) & (instants_ns < until))


def _pieces(
    rows: Jobs, absences: Absences, verdict: IntArray, snapshot_exec_ns: int | None
) -> Pieces:
    release, start, finish = (
        _times(rows, name) for name in ("release_ns", "start_ns", "finish_ns")
    )

    def off_ns(from_ns: IntArray, to_ns: IntArray, chosen: BoolArray) -> IntArray:
        until = absences.time_before(to_ns, chosen)
        return np.asarray(until - absences.time_before(from_ns, chosen), dtype=np.int64)

    every = np.ones(len(absences.from_ns), np.bool_)
    waited = off_ns(release, start, every)
    preempted = off_ns(start, finish, absences.is_preempted)
    blocked = off_ns(start, finish, ~absences.is_preempted)
    execution = None
    if snapshot_exec_ns is not None:
        execution = job_analysis.execution_ns(rows, snapshot_exec_ns)
    if execution is None:
        execution = finish - start - preempted - blocked
    execution = np.asarray(np.ma.filled(execution, 0), dtype=np.int64)
    moved = (absences.cpu_from >= 0) & (absences.cpu_to >= 0)
    moved &= absences.cpu_from != absences.cpu_to
    return Pieces(
        job=_times(rows, "job"),
        verdict=verdict,
        response_ns=finish - release,
        release_latency_ns=start - release,
        waited_ns=waited,
        entered_ns=start - release - waited,
        execution_ns=execution,
        preempted_ns=preempted,
        blocked_ns=blocked,
        unexplained_ns=finish - start - execution - preempted - blocked,
        n_preemptions=_count(absences, absences.is_preempted, start, finish),
        n_migrations=_count(absences, moved, start, finish),
    )


def _count(absences: Absences, chosen: BoolArray, start: IntArray, finish: IntArray) -> IntArray:
    begins = absences.from_ns[chosen]
    until = np.searchsorted(begins, finish, "left")
    return np.asarray(until - np.searchsorted(begins, start, "left"), dtype=np.int64)


def _preemptions(
    rows: Jobs, pieces: Pieces, absences: Absences, trace: Trace
) -> Iterator[Preemption]:
    start, finish, tids = (_times(rows, name) for name in ("start_ns", "finish_ns", "tid"))
    for index in np.flatnonzero(pieces.is_known & (pieces.n_preemptions > 0)):
        tid = int(tids[index])
        first = int(np.searchsorted(absences.from_ns, start[index], "left"))
        end = int(np.searchsorted(absences.from_ns, finish[index], "left"))
        for absence in range(first, end):
            if not absences.is_preempted[absence]:
                continue
            cpu = int(absences.cpu_from[absence])
            begin, back = int(absences.from_ns[absence]), int(absences.to_ns[absence])
            for other, from_ns, duration_ns in trace.owners_of(cpu, begin, back, tid):
                comm = trace.name_of(other, from_ns)
                job = int(pieces.job[index])
                yield Preemption(job, cpu, other, comm, from_ns, duration_ns)


def _times(rows: Jobs, name: str) -> IntArray:
    return np.asarray(np.ma.getdata(rows[name]), dtype=np.int64)


def _joined(parts: list[Pieces]) -> Pieces:
    """Put the jobs of several threads into one order, that of their numbers."""
    names = [one.name for one in fields(Pieces)]
    nothing = [np.zeros(0, np.int64)]
    joined = {name: np.concatenate([getattr(part, name) for part in parts] or nothing)
              for name in names}  # fmt: skip
    order = np.argsort(joined["job"], kind="stable")
    return Pieces(**{name: column[order] for name, column in joined.items()})


def _culprit(comm: str | None, every: list[Preemption]) -> Culprit:
    durations = sorted(one.duration_ns for one in every)
    return Culprit(
        comm=comm,
        n_threads=len({one.tid for one in every}),
        n_jobs=len({one.job for one in every}),
        n=len(every),
        total_ns=sum(durations),
        # Nearest rank, as every quantile of ours.
        median_ns=durations[(len(durations) - 1) // 2],
        max_ns=durations[-1],
    )
