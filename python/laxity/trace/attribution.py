# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Who took the time: each response time in pieces, from the scheduling trace.

Response = release latency + execution + preempted + throttled + switching + interrupted + blocked +
unexplained. Execution comes from the thread's processor time, all else from the trace: what is
unexplained is where these two witnesses disagree, and it is shown. What the trace does not supply
is None, never 0: without wake-ups the release latency is not split, without interrupts they are
part of the execution.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any

import numpy as np

from laxity.jobs import rows as job_analysis
from laxity.jobs.rows import IntArray, Jobs
from laxity.trace.gaps import BoolArray, Windows
from laxity.trace.interrupts import Hits, Interrupter, Interrupts, sum_up, within_jobs
from laxity.trace.sched_trace import IDLE_TID, Absences, Trace


class Verdict(IntEnum):
    """Whether the trace tells of a job, and if not, why."""

    KNOWN = 0
    NOT_COVERED = 1
    LOST = 2
    CONTRADICTORY = 3
    HIDDEN = 4
    NO_THREAD = 5


_WHY = (
    Verdict.NO_THREAD,
    Verdict.NOT_COVERED,
    Verdict.LOST,
    Verdict.CONTRADICTORY,
    Verdict.HIDDEN,
)


@dataclass(frozen=True, slots=True)
class Pieces:
    """The finished jobs of one task; every array of shape (job,), times in nanoseconds.

    `release_latency_ns` = `waited_ns` (off its CPU) + `entered_ns` (on it, before the job's first
    instruction) and, with wake-ups, = `timer_latency_ns` (release to wake-up; 0 for a job whose
    thread did not wait for its release) + `scheduling_latency_ns` (from there to the start).
    `preempted_ns`: ready, and without its CPU; `n_preemptions` counts how often it was pushed off
    that. `throttled_ns`: pushed off a CPU that stood idle until it came back. `switching_ns`: from
    the wake-up of who pushed it off to that switch, interrupts left out. `unexplained_ns` may be
    negative. Only jobs with `verdict` KNOWN count.
    """

    job: IntArray
    verdict: IntArray
    response_ns: IntArray
    release_latency_ns: IntArray
    waited_ns: IntArray
    entered_ns: IntArray
    timer_latency_ns: IntArray | None
    scheduling_latency_ns: IntArray | None
    execution_ns: IntArray
    preempted_ns: IntArray
    throttled_ns: IntArray
    switching_ns: IntArray | None
    interrupted_ns: IntArray | None
    blocked_ns: IntArray
    unexplained_ns: IntArray
    n_preemptions: IntArray
    n_migrations: IntArray

    @property
    def is_known(self) -> BoolArray:
        """Of which jobs the trace tells."""
        return np.asarray(self.verdict == Verdict.KNOWN)

    def unknown(self) -> dict[Verdict, int]:
        """Count the jobs without a verdict by why; what no job has is left out."""
        counts = {why: int(np.count_nonzero(self.verdict == why)) for why in _WHY}
        return {why: n for why, n in counts.items() if n}


@dataclass(frozen=True, slots=True)
class Preemption:
    """A thread had the CPU that a ready job waited for; the durations of one job's add up.

    Attributes:
        job: Number of the job.
        cpu: The CPU.
        tid: Who had it; 0: it was idle, the job was on its way to it or to another one.
        comm: Its name; None if the trace never met it.
        from_ns: From when, the switch to it included.
        duration_ns: How long; of the last one until the job came back.
        is_throttled: The CPU was idle, and the job that was pushed off came back to it.
    """

    job: int
    cpu: int
    tid: int
    comm: str | None
    from_ns: int
    duration_ns: int
    is_throttled: bool = False


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
    """The pieces of one task's jobs, and who preempted them, in order of time.

    Attributes:
        pieces: Of each job.
        preemptions: Who had the CPU while a job was ready.
        interrupters: Which interrupts came within the jobs; None if that is not recorded.
        has_interrupts_in_exec: Whether the kernel charges interrupts to the thread that they
            interrupt, as the rows tell; None if they do not.
        n_untold: Switches of all CPUs that the trace lacks without having lost them.
    """

    pieces: Pieces
    preemptions: tuple[Preemption, ...]
    interrupters: tuple[Interrupter, ...] | None = None
    has_interrupts_in_exec: bool | None = None
    n_untold: int = 0
    # A quota kept threads of the task's control group from running; no row tells when.
    is_throttled_by_quota: bool = False

    @property
    def culprits(self) -> tuple[Culprit, ...]:
        """Sum up by name, largest total first; throttling has no thread.

        Where a quota ran out no thread is blamed: the thread that had the CPU did not push the job
        off.
        """
        if self.is_throttled_by_quota:
            return ()
        by_name: dict[str | None, list[Preemption]] = {}
        for one in self.preemptions:
            if not one.is_throttled:
                by_name.setdefault(one.comm, []).append(one)
        found = [_culprit(comm, every) for comm, every in by_name.items()]
        return tuple(sorted(found, key=lambda one: -one.total_ns))

    def of_job(self, job: int) -> tuple[Preemption, ...]:
        """Return what preempted one job, in order of time."""
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
    threads = [_Thread.find(rows[tids == tid], int(tid), trace) for tid in np.unique(tids)]
    is_charged = _is_charged(threads, snapshot_exec_ns)
    parts = [_pieces(one, snapshot_exec_ns, is_charged=is_charged is not False) for one in threads]
    preemptions = [one for thread in threads for one in thread.preemptions]
    interrupters = None
    if trace.coverage.has_interrupts:
        interrupters = sum_up(Hits.joined([one.hits() for one in threads]), trace.coverage.vectors)
    return Attribution(
        _joined(parts),
        tuple(sorted(preemptions, key=lambda one: one.from_ns)),
        interrupters,
        is_charged,
        len(trace.untold.cpu),
    )


@dataclass(frozen=True, slots=True)
class _Thread:
    """The jobs that one thread has done, and what the trace says of it."""

    rows: Jobs
    trace: Trace
    verdict: IntArray
    absences: Absences
    interrupts: Interrupts | None
    handovers: Windows | None
    preemptions: tuple[Preemption, ...]

    @classmethod
    def find(cls, rows: Jobs, tid: int, trace: Trace) -> "_Thread":
        """Ask the trace for a thread; one that it never met has no verdict."""
        interrupts = trace.interrupts_of(tid) if trace.coverage.has_interrupts else None
        found = trace.absences_of(tid)
        if found is None:
            verdict = np.full(len(rows), Verdict.NO_THREAD, dtype=np.int64)
            return cls(rows, trace, verdict, Absences.nothing(), interrupts, None, ())
        hidden = trace.hidden_from(tid, found[0])
        verdict = _verdicts(rows, *found, hidden, trace)
        absences, handovers = found[0], None
        if trace.coverage.has_wakeups:
            if interrupts is not None:
                handovers = trace.handovers_of(tid, absences)
            absences = absences.split(trace.wakeups_of(tid))
        preemptions = tuple(_preemptions(rows, verdict, absences, trace))
        return cls(rows, trace, verdict, absences, interrupts, handovers, preemptions)

    def times(self, name: str) -> IntArray:
        """Return a column of its jobs."""
        return _times(self.rows, name)

    def off_ns(self, from_ns: IntArray, to_ns: IntArray, chosen: BoolArray) -> IntArray:
        """Sum up its chosen absences within stretches, nanoseconds."""
        until = self.absences.time_before(to_ns, chosen)
        return until - self.absences.time_before(from_ns, chosen)

    def interrupted_ns(self) -> IntArray | None:
        """Sum up what interrupts had of each job; None if that is not recorded."""
        if self.interrupts is None:
            return None
        until = self.interrupts.time_before(self.times("finish_ns"))
        return until - self.interrupts.time_before(self.times("start_ns"))

    def handed_over_ns(self) -> tuple[IntArray, IntArray]:
        """Sum up the ways to a switch within each job: (of interrupts, of the rest), ns."""
        start, finish = self.times("start_ns"), self.times("finish_ns")
        if self.handovers is None or self.interrupts is None:
            return np.zeros(len(start), np.int64), np.zeros(len(start), np.int64)
        from_ns, to_ns = self.handovers.from_ns, self.handovers.to_ns
        inside = self.interrupts.time_before(to_ns) - self.interrupts.time_before(from_ns)
        job = np.searchsorted(start, to_ns, "left") - 1
        is_within = (job >= 0) & (to_ns <= finish[np.maximum(job, 0)])
        in_interrupts, rest = np.zeros(len(start), np.int64), np.zeros(len(start), np.int64)
        np.add.at(in_interrupts, job[is_within], inside[is_within])
        np.add.at(rest, job[is_within], (to_ns - from_ns - inside)[is_within])
        return in_interrupts, rest

    def hits(self) -> Hits:
        """Find the interrupts within the jobs that have a verdict."""
        if self.interrupts is None:
            return Hits.nothing()
        known = self.verdict == Verdict.KNOWN
        columns = (self.times(name)[known] for name in ("job", "start_ns", "finish_ns"))
        return within_jobs(self.interrupts, *columns)

    def processor_ns(self, snapshot_exec_ns: int | None) -> IntArray | None:
        """Return what the kernel charged to each job; None if it is not known."""
        if snapshot_exec_ns is None:
            return None
        found = job_analysis.execution_ns(self.rows, snapshot_exec_ns)
        return None if found is None else np.asarray(np.ma.filled(found, 0), dtype=np.int64)


def _is_charged(threads: list[_Thread], snapshot_exec_ns: int | None) -> bool | None:
    """Tell whether processor times hold interrupts, which depends on the kernel's configuration.

    The reading that leaves less unexplained is the right one: they differ by all of what
    interrupts had.
    """
    with_ns = without_ns = 0
    for one in threads:
        interrupted, processor = one.interrupted_ns(), one.processor_ns(snapshot_exec_ns)
        known = one.verdict == Verdict.KNOWN
        if interrupted is None or processor is None:
            return None
        start, finish = one.times("start_ns"), one.times("finish_ns")
        every = np.ones(len(one.absences.from_ns), np.bool_)
        not_charged, switching = one.handed_over_ns()
        left = finish - start - one.off_ns(start, finish, every) - processor
        left = (left - not_charged - switching)[known]
        with_ns += int(np.abs(left).sum())
        without_ns += int(np.abs(left - (interrupted - not_charged)[known]).sum())
    return None if with_ns == without_ns else with_ns < without_ns


def _verdicts(
    rows: Jobs, absences: Absences, contradictions: Windows, hidden: Windows, trace: Trace
) -> IntArray:
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
    verdict[hidden.touch(release, finish)] = Verdict.HIDDEN
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


def _pieces(thread: _Thread, snapshot_exec_ns: int | None, *, is_charged: bool) -> Pieces:
    release, start, finish = (
        thread.times(name) for name in ("release_ns", "start_ns", "finish_ns")
    )
    absences = thread.absences
    waited = thread.off_ns(release, start, np.ones(len(absences.from_ns), np.bool_))
    ready = thread.off_ns(start, finish, absences.is_ready)
    blocked = thread.off_ns(start, finish, ~absences.is_ready)
    throttled = _throttled_ns(thread)
    interrupted = thread.interrupted_ns()
    taken = np.zeros(len(start), np.int64) if interrupted is None else interrupted
    not_charged, switching = thread.handed_over_ns()
    execution = thread.processor_ns(snapshot_exec_ns)
    if execution is None:
        execution = finish - start - ready - switching - blocked - taken
    elif is_charged:
        execution = execution - (taken - not_charged)
    timer = _timer_latency_ns(thread) if thread.trace.coverage.has_wakeups else None
    moved = (absences.cpu_from >= 0) & (absences.cpu_to >= 0)
    moved &= absences.cpu_from != absences.cpu_to
    return Pieces(
        job=thread.times("job"),
        verdict=thread.verdict,
        response_ns=finish - release,
        release_latency_ns=start - release,
        waited_ns=waited,
        entered_ns=start - release - waited,
        timer_latency_ns=timer,
        scheduling_latency_ns=None if timer is None else start - release - timer,
        execution_ns=execution,
        preempted_ns=ready - throttled,
        throttled_ns=throttled,
        switching_ns=None if thread.handovers is None else switching,
        interrupted_ns=interrupted,
        blocked_ns=blocked,
        unexplained_ns=finish - start - execution - ready - switching - taken - blocked,
        n_preemptions=_count(absences, absences.is_pushed, start, finish),
        n_migrations=_count(absences, moved, start, finish),
    )


def _timer_latency_ns(thread: _Thread) -> IntArray:
    """Tell how long each thread slept on beyond its release; 0 where it did not sleep then."""
    release, start = thread.times("release_ns"), thread.times("start_ns")
    asleep = ~thread.absences.is_ready
    from_ns, to_ns = thread.absences.from_ns[asleep], thread.absences.to_ns[asleep]
    if not len(from_ns):
        return np.zeros(len(release), np.int64)
    last = np.searchsorted(from_ns, release, "right") - 1
    woken = np.minimum(to_ns[np.maximum(last, 0)], start)
    return np.asarray(np.where(last >= 0, np.maximum(woken - release, 0), 0), dtype=np.int64)


def _throttled_ns(thread: _Thread) -> IntArray:
    """Sum up, per job, how long its CPU stood idle although it could have gone on."""
    jobs = thread.times("job")
    found = np.zeros(len(jobs), np.int64)
    for one in thread.preemptions:
        if one.is_throttled:
            found[jobs == one.job] += one.duration_ns
    return found


def _count(absences: Absences, chosen: BoolArray, start: IntArray, finish: IntArray) -> IntArray:
    begins = absences.from_ns[chosen]
    until = np.searchsorted(begins, finish, "left")
    return np.asarray(until - np.searchsorted(begins, start, "left"), dtype=np.int64)


def _preemptions(
    rows: Jobs, verdict: IntArray, absences: Absences, trace: Trace
) -> Iterator[Preemption]:
    numbers, start, finish, tids = (
        _times(rows, name) for name in ("job", "start_ns", "finish_ns", "tid")
    )
    n_ready = _count(absences, absences.is_ready, start, finish)
    for index in np.flatnonzero((verdict == Verdict.KNOWN) & (n_ready > 0)):
        tid, job = int(tids[index]), int(numbers[index])
        first = int(np.searchsorted(absences.from_ns, start[index], "left"))
        end = int(np.searchsorted(absences.from_ns, finish[index], "left"))
        for absence in first + np.flatnonzero(absences.is_ready[first:end]):
            cpu = int(absences.cpu_ready[absence])
            is_same = bool(absences.is_pushed[absence]) and cpu == absences.cpu_to[absence]
            begin, back = int(absences.from_ns[absence]), int(absences.to_ns[absence])
            for other, from_ns, duration_ns in trace.owners_of(cpu, begin, back, tid):
                comm = trace.name_of(other, from_ns)
                is_throttled = is_same and other == IDLE_TID
                yield Preemption(job, cpu, other, comm, from_ns, duration_ns, is_throttled)


def _times(rows: Jobs, name: str) -> IntArray:
    return np.asarray(np.ma.getdata(rows[name]), dtype=np.int64)


def _joined(parts: list[Pieces]) -> Pieces:
    """Put the jobs of several threads into one order, that of their numbers."""
    names = [one.name for one in fields(Pieces)]
    nothing = [np.zeros(0, np.int64)]
    columns: dict[str, Any] = {
        name: [getattr(part, name) for part in parts] or nothing for name in names
    }
    order = np.argsort(np.concatenate(columns["job"]), kind="stable")
    for name, column in columns.items():
        columns[name] = None if column[0] is None else np.concatenate(column)[order]
    return Pieces(**columns)


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
