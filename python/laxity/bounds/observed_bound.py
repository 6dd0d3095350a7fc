# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A bound held against a run: was a response longer, and which of its assumptions did not hold?

A bound is a sum of parts, each the most that the analysis counts with. The response of a job is a
sum of the same parts, as its trace tells them. So what a job takes beyond its bound is the sum over
the parts of seen − counted, and whatever was seen beyond what is counted is a cause.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from laxity.bounds.verdicts import SCHEDULABLE, TaskBound
from laxity.core.streams import Cause, Status
from laxity.jobs import rows as job_analysis
from laxity.jobs.rows import IntArray, Jobs
from laxity.trace.attribution import Pieces
from laxity.trace.window_parts import Member, Parts, Window

# Beyond these the rest is counted, not taken apart: the worst ones tell most.
MAX_SHOWN = 10

PartName = Literal[
    "release", "tasks", "interrupts", "foreign threads", "blocked", "idle", "unexplained"
]
CutWindow = Callable[[Window], Parts]


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a response time: what was seen of it, and what the bound counts with.

    `by` names whose it was, the largest first.
    """

    name: PartName
    seen_ns: int
    counted_ns: int
    by: tuple[str, ...] = ()

    @property
    def beyond_ns(self) -> int:
        """What was seen beyond what is counted; negative: less than that."""
        return self.seen_ns - self.counted_ns


@dataclass(frozen=True, slots=True)
class LongJob:
    """A job of the set that executed longer than its wcet, while another one was late."""

    task: str
    job: int
    execution_ns: int
    wcet_ns: int


@dataclass(frozen=True, slots=True)
class Excess:
    """A job whose response time exceeds its bound.

    Attributes:
        job: Its number.
        response_ns: Seen.
        bound_ns: What it exceeds.
        parts: All of them, the one that exceeds most first; empty: not attributable.
        long_jobs: Which jobs in its window executed for longer than their wcet.
        reason: Why it is not attributable; None: it is.
    """

    job: int
    response_ns: int
    bound_ns: int
    parts: tuple[Part, ...]
    long_jobs: tuple[LongJob, ...]
    reason: str | None

    @property
    def causes(self) -> tuple[Part, ...]:
        """The parts of which more was seen than is counted."""
        return tuple(one for one in self.parts if one.beyond_ns > 0)


@dataclass(frozen=True, slots=True)
class Assumption:
    """What a bound takes for granted of every job, and the most that was seen; times in ns.

    `seen_ns` None: the run does not tell. `n_beyond` jobs of n exceed it.
    """

    name: Literal["execution", "timer latency"]
    counted_ns: int
    seen_ns: int | None
    n: int
    n_beyond: int


@dataclass(frozen=True, slots=True)
class Observed:
    """One task of a run beside its bound; times in ns.

    Attributes:
        task: Its name.
        jobs: Finished ones of known release, and those without that are beyond all the same.
        unfinished: Releases without a response: skipped, aborted, pending.
        unjudged: Jobs that may have been beyond the bound, and nobody tells: finished ones of
            unknown release, aborted ones, pending ones after more than the bound.
        largest_ns: Largest response time; None: no job finished.
        bound_ns: None: none is proven.
        above: Jobs beyond the bound.
        excesses: The worst of them, at most `MAX_SHOWN`.
        assumptions: What held of all jobs.
    """

    task: str
    jobs: int
    unfinished: int
    unjudged: int
    largest_ns: int | None
    bound_ns: int | None
    above: int
    excesses: tuple[Excess, ...]
    assumptions: tuple[Assumption, ...]


@dataclass(frozen=True, slots=True)
class TracedTask:
    """A task of the run: its rows, and what the trace tells of them.

    Attributes:
        bound: Of the task.
        wcet_ns: C, with contention.
        rows: All of it.
        end_ns: When the task ended; None: not known.
        member: None: the run has no whole trace.
        snapshot_exec_ns: Calibrated processor time of an empty pair of snapshots.
    """

    bound: TaskBound
    wcet_ns: int
    rows: Jobs
    end_ns: int | None
    member: Member | None
    snapshot_exec_ns: int


def observe_task(task: TracedTask, tasks: Sequence[TracedTask], cut: CutWindow | None) -> Observed:
    """Hold the jobs of a task against its bound.

    Args:
        task: The task.
        tasks: All of its CPU.
        cut: Cuts a job's window into parts; None: the run has no whole trace.
    """
    finished = job_analysis.finished(task.rows)
    bound_ns = proven_ns(task.bound)
    response_ns = _least_response_ns(finished)
    is_late = np.zeros(len(finished), np.bool_)
    if bound_ns is not None:
        is_late = response_ns > bound_ns
    is_judged = is_late | ~np.ma.getmaskarray(finished["release_ns"])
    late = np.flatnonzero(is_late)
    worst = late[np.argsort(-response_ns[late], kind="stable")][:MAX_SHOWN]
    return Observed(
        task=task.bound.name,
        jobs=int(np.count_nonzero(is_judged)),
        unfinished=len(task.rows) - len(finished),
        unjudged=int(np.count_nonzero(~is_judged)) + _n_cut_off(task, bound_ns),
        largest_ns=int(response_ns[is_judged].max()) if is_judged.any() else None,
        bound_ns=bound_ns,
        above=len(late),
        excesses=tuple(_excess(finished[int(index)], task, tasks, cut) for index in worst),
        assumptions=_assumptions(finished, task),
    )


def _least_response_ns(finished: Jobs) -> IntArray:
    """Return response times; of a job whose release is not known what it took from its start."""
    start_ns = np.ma.getdata(finished["start_ns"])
    release_ns = np.ma.filled(finished["release_ns"], 0)
    is_unknown = np.ma.getmaskarray(finished["release_ns"])
    begin_ns = np.where(is_unknown, start_ns, release_ns)
    return (np.ma.getdata(finished["finish_ns"]) - begin_ns).astype(np.int64)


def _n_cut_off(task: TracedTask, bound_ns: int | None) -> int:
    """Count the jobs that were ended, or left at the end, before it was seen what they take."""
    status = np.ma.getdata(task.rows["status"])
    is_aborted, is_left = status == Status.ABORTED, status == Status.PENDING
    if job_analysis.has_column(task.rows, "cause"):
        # By whoever ended the run: no job's doing, as long as it had not taken more than it may.
        is_left |= is_aborted & (np.ma.getdata(task.rows["cause"]) == Cause.INTERRUPT)
    count = int(np.count_nonzero(is_aborted & ~is_left))
    if bound_ns is not None and task.end_ns is not None:
        released_ns = job_analysis.present(task.rows["release_ns"][is_left])
        count += int(np.count_nonzero(released_ns < task.end_ns - bound_ns))
    return count


def proven_ns(bound: TaskBound) -> int | None:
    """Return what no response exceeds; None: nothing is proven.

    Some tests prove deadlines without response times: then it is the deadline.
    """
    if bound.response_time_ns is None and bound.verdict == SCHEDULABLE:
        return bound.deadline_ns
    return bound.response_time_ns


def counted(bound: TaskBound) -> dict[PartName, int]:
    """Take a bound apart: what it counts with, in nanoseconds; the sum is the bound.

    Of the q-th job of a busy window the periods before its release are gone: they come off what
    tasks had.
    """
    parts = bound.breakdown
    if parts is None or bound.jobs is None:
        return {}
    before_ns = (bound.jobs - 1) * bound.period_ns
    tasks_ns = (
        parts.wcet_ns
        + parts.interference_ns
        + parts.delta_ns
        + parts.gamma_ns
        + parts.switch_blocking_ns
    )
    return {
        "release": bound.jitter_ns,
        "tasks": tasks_ns - before_ns,
        "interrupts": parts.interrupts_ns,
        "foreign threads": 0,
        "blocked": parts.blocking_ns,
        "idle": 0,
        "unexplained": 0,
    }


def _excess(
    row: Jobs, task: TracedTask, tasks: Sequence[TracedTask], cut: CutWindow | None
) -> Excess:
    finish_ns, job = int(row["finish_ns"]), int(row["job"])
    if np.ma.is_masked(row["release_ns"]):
        release_ns = int(row["start_ns"])
        reason: str | None = "at least: its release is not known"
    else:
        release_ns = int(row["release_ns"])
        reason = _why_not_attributable(job, task, cut)
    parts: tuple[Part, ...] = ()
    cpu = task.bound.cpu
    if reason is None and cut is not None and task.member is not None and cpu is not None:
        window = Window(
            member=task.member,
            tid=int(row["tid"]),
            cpu=cpu,
            release_ns=release_ns,
            start_ns=int(row["start_ns"]),
            finish_ns=finish_ns,
        )
        parts = _beside_counted(cut(window), counted(task.bound))
    bound_ns = proven_ns(task.bound) or 0
    return Excess(
        job=job,
        response_ns=finish_ns - release_ns,
        bound_ns=bound_ns,
        parts=parts,
        long_jobs=tuple(_long_jobs(tasks, task, (release_ns, finish_ns))),
        reason=reason,
    )


def _why_not_attributable(job: int, task: TracedTask, cut: CutWindow | None) -> str | None:
    if cut is None or task.member is None:
        return "not attributable: no trace"
    if task.bound.cpu is None:
        return "not attributable: the task may run on several CPUs"
    if not counted(task.bound):
        return "not attributable: a bound by this test has no parts"
    pieces = task.member.pieces
    if not pieces.is_known[pieces.job == job].any():
        return "not attributable: the trace does not tell of this job"
    return None


def _beside_counted(seen: Parts, of_bound: dict[PartName, int]) -> tuple[Part, ...]:
    foreign = sorted(seen.foreign_ns.items(), key=lambda item: -item[1])
    seen_ns: dict[PartName, int] = {
        "release": seen.release_ns,
        "tasks": seen.tasks_ns,
        "foreign threads": sum(seen.foreign_ns.values()),
        "blocked": seen.blocked_ns,
        "idle": seen.idle_ns,
        "unexplained": seen.unexplained_ns,
    }
    counted_ns = dict(of_bound)
    if seen.interrupts_ns is not None:
        seen_ns["interrupts"] = seen.interrupts_ns
    elif counted_ns:
        # The trace has none: whoever they interrupted has them, here as there.
        counted_ns["tasks"] += counted_ns.pop("interrupts")
    names = tuple(name or "an unknown thread" for name, _ in foreign)
    parts = [
        Part(name, ns, counted_ns.get(name, 0), names if name == "foreign threads" else ())
        for name, ns in seen_ns.items()
    ]
    return tuple(sorted(parts, key=lambda one: -one.beyond_ns))


def _long_jobs(
    tasks: Sequence[TracedTask], late: TracedTask, window: tuple[int, int]
) -> list[LongJob]:
    """Find the jobs in a window that executed for longer than their wcet, the worst first."""
    release_ns, finish_ns = window
    found = []
    for task in tasks:
        if (task.bound.priority or 0) < (late.bound.priority or 0):
            continue
        rows = job_analysis.finished(task.rows)
        execution_ns = _execution_ns(rows, task)
        if execution_ns is None:
            continue
        touches = (np.ma.getdata(rows["start_ns"]) < finish_ns) & (
            np.ma.getdata(rows["finish_ns"]) > release_ns
        )
        for index in np.flatnonzero(touches & (np.ma.filled(execution_ns, 0) > task.wcet_ns)):
            number, took_ns = int(rows["job"][index]), int(execution_ns[index])
            found.append(LongJob(task.bound.name, number, took_ns, task.wcet_ns))
    return sorted(found, key=lambda one: one.wcet_ns - one.execution_ns)


def _execution_ns(rows: Jobs, task: TracedTask) -> IntArray | None:
    """Return the processor time of jobs, without interrupts where the trace has them.

    What the trace does not tell is what was read around the job.

    Returns:
        Shape (row,), masked where it is not known; None: of no job.
    """
    # Of jobs that are processes of their own the trace tells nothing, nor of unknown releases.
    told_ns = None
    if task.member is not None and task.member.pieces.is_known.any():
        told_ns = _by_row(rows, task.member.pieces)
    read_ns = job_analysis.execution_ns(rows, task.snapshot_exec_ns)
    if read_ns is None or told_ns is None:
        return read_ns if told_ns is None else told_ns
    is_untold = np.ma.getmaskarray(told_ns)
    both = np.where(is_untold, np.ma.getdata(read_ns), np.ma.getdata(told_ns))
    return np.ma.array(both, np.int64, mask=is_untold & np.ma.getmaskarray(read_ns))


def _by_row(rows: Jobs, pieces: Pieces) -> IntArray:
    """Return the execution time of each row, masked where the trace does not tell."""
    numbers = np.ma.getdata(rows["job"]).astype(np.int64)
    known = dict(
        zip(
            pieces.job[pieces.is_known].tolist(),
            pieces.execution_ns[pieces.is_known].tolist(),
            strict=True,
        )
    )
    found = [known.get(number, 0) for number in numbers.tolist()]
    is_unknown = [number not in known for number in numbers.tolist()]
    return np.ma.array(found, np.int64, mask=is_unknown)


def _assumptions(rows: Jobs, task: TracedTask) -> tuple[Assumption, ...]:
    """Compare what every job is taken to keep to with the most that was seen."""
    execution_ns = _execution_ns(rows, task)
    latency_ns = None
    if task.member is not None and task.member.pieces.timer_latency_ns is not None:
        latency_ns = task.member.pieces.timer_latency_ns[task.member.pieces.is_known]
    return (
        _assumption("execution", task.wcet_ns, execution_ns),
        _assumption("timer latency", task.bound.jitter_ns, latency_ns),
    )


def _assumption(
    name: Literal["execution", "timer latency"], counted_ns: int, seen_ns: IntArray | None
) -> Assumption:
    known_ns = np.empty(0, np.int64) if seen_ns is None else np.ma.compressed(seen_ns)
    if not len(known_ns):
        return Assumption(name, counted_ns, None, 0, 0)
    beyond = int(np.count_nonzero(known_ns > counted_ns))
    return Assumption(name, counted_ns, int(known_ns.max()), len(known_ns), beyond)
