# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Response times, release latencies, their split, and what was seen around jobs that missed.

Every function takes the masked structured array of jobs.npy (design 4): one row per release, a
masked value where nothing was measured, no column where nothing was measured in the whole run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laxity.core.streams import Status
from laxity.statistics import distribution
from laxity.statistics.distribution import Distribution, Interval
from laxity.store.hindrances import Stall
from laxity.store.manifest import Counts

# The fields of a masked structured array are only known at run time, so these say what is meant.
Jobs: TypeAlias = Any  # masked structured array of shape (job,)
Row: TypeAlias = Any  # one element of it
Column: TypeAlias = Any  # masked int64 array of shape (job,)
IntArray = NDArray[np.int64]

SUMMARY_QUANTILES = (0.5, 0.99, 0.999)
# "Late" in why_missed: a tenth of the deadline. "Long": what explains a tenth of the lateness.
_NOTABLE_SHARE = 0.1
_LONG_QUANTILE = 0.99
_FAR_NS = int(np.iinfo(np.int64).max)


@dataclass(frozen=True, slots=True)
class QuantileValue:
    """One quantile; `value_ns` is None unless n reaches `n_needed`."""

    q: float
    value_ns: int | None
    interval: Interval | None
    n_needed: int


@dataclass(frozen=True, slots=True)
class Summary:
    """Order statistics of one quantity of one task, n >= 1."""

    n: int
    min_ns: int
    median_ns: int
    max_ns: int
    quantiles: tuple[QuantileValue, ...]
    is_exact: bool

    def quantile_ns(self, q: float) -> int | None:
        """Return the value of a quantile of the summary, None if not supported."""
        return next((item.value_ns for item in self.quantiles if item.q == q), None)


@dataclass(frozen=True, slots=True)
class Split:
    """Response time of one job, in nanoseconds; what could not be measured is None.

    release_latency + execution + not_attributed = response. `not_attributed` holds preemptions,
    interrupts, blocking and measuring error. No part is negative: see `execution_ns`.
    """

    job: int
    response_ns: int
    release_latency_ns: int
    start_to_finish_ns: int
    execution_ns: int | None
    not_attributed_ns: int | None


@dataclass(frozen=True, slots=True)
class MeanSplit:
    """Means over all finished jobs, in nanoseconds.

    `n_limited` jobs had a processor time, less the calibrated cost, outside 0 to start to finish.
    """

    n: int
    response_ns: float
    release_latency_ns: float
    start_to_finish_ns: float
    execution_ns: float | None
    not_attributed_ns: float | None
    n_limited: int


@dataclass(frozen=True, slots=True)
class OwnTimes:
    """Of how many finished jobs a processor time of their own is known.

    Attributes:
        n: Finished jobs.
        n_absent: Those of which none was recorded.
        n_below: Those of which it was no more than reading the clocks costs.
    """

    n: int
    n_absent: int
    n_below: int

    @property
    def n_without(self) -> int:
        """Jobs that execution times say nothing of."""
        return self.n_absent + self.n_below

    @property
    def is_measurable(self) -> bool:
        """Whether execution times are of most jobs; the longest of a few is not that of all."""
        return 2 * self.n_without < self.n


@dataclass(frozen=True, slots=True)
class UsualLength:
    """How long jobs usually are: the median of all, and the p99 of those that met their deadline.

    The p99 of all would hide what makes more than 1 % of the jobs miss.
    """

    median_ns: int
    met_p99_ns: int


@dataclass(frozen=True, slots=True)
class Usual:
    """What is usual for a task; None where not measured, or where no job met its deadline."""

    release_latency_ns: int | None
    execution: UsualLength | None
    start_to_finish: UsualLength | None


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What is needed to judge a job: the row before it, the usual values, the snapshot cost."""

    previous: Row | None
    usual: Usual
    snapshot_exec_ns: int = 0


@dataclass(frozen=True, slots=True)
class Observation:
    """Something seen around a job; value and reference in nanoseconds or counts, see why_missed."""

    code: str
    value: int | None = None
    reference: int | None = None


def has_column(jobs: Jobs, name: str) -> bool:
    """True if the run measured the column at all."""
    return name in (jobs.dtype.names or ())


def of_task(jobs: Jobs, task: int) -> Jobs:
    """Return the rows of one task, in order of release."""
    return jobs[np.asarray(jobs["task"]) == task]


def finished(jobs: Jobs) -> Jobs:
    """Return the rows that have started and finished: status done or missed."""
    status = np.ma.getdata(jobs["status"])
    return jobs[(status == Status.DONE) | (status == Status.MISSED)]


def with_release(jobs: Jobs) -> Jobs:
    """Return the rows whose release is known; a program with its own main may not have told it."""
    return jobs[~np.ma.getmaskarray(jobs["release_ns"])]


def stalled(jobs: Jobs, stalls: Sequence[Stall]) -> NDArray[np.bool_]:
    """Find the jobs of a task that stood still, and those that had to wait for them.

    Args:
        jobs: Rows of one task, in order.
        stalls: Of its run.

    Returns:
        Shape (job,).
    """
    release_ns, start_ns = np.ma.getdata(jobs["release_ns"]), np.ma.getdata(jobs["start_ns"])
    is_unknown = np.ma.getmaskarray(jobs["release_ns"])
    begin_ns = np.where(is_unknown, start_ns, release_ns).astype(np.int64)
    end_ns = np.ma.filled(jobs["finish_ns"], 0).astype(np.int64)
    status = np.ma.getdata(jobs["status"])
    # A job that has begun and not finished may have stood still until the end.
    has_begun = ~np.ma.getmaskarray(jobs["start_ns"]) & np.ma.getmaskarray(jobs["finish_ns"])
    end_ns = np.where(has_begun & (status == Status.ABORTED), _FAR_NS, end_ns)
    end_ns = np.maximum(begin_ns, end_ns)
    found = np.zeros(len(jobs), np.bool_)
    number = int(np.ma.getdata(jobs["task"])[0]) if len(jobs) else 0
    for stall in stalls:
        if stall.task not in {None, number}:
            continue
        until_ns = _FAR_NS if stall.to_ns is None else stall.to_ns
        for index in np.flatnonzero(end_ns >= stall.from_ns):
            if begin_ns[index] > until_ns:
                break
            found[index] = True
            until_ns = max(until_ns, int(end_ns[index]))
    return found


def in_order(jobs: Jobs) -> Jobs:
    """Sort rows by release; by start where the release is not known."""
    release_ns, start_ns = np.ma.getdata(jobs["release_ns"]), np.ma.getdata(jobs["start_ns"])
    place_ns = np.where(np.ma.getmaskarray(jobs["release_ns"]), start_ns, release_ns)
    return jobs[np.argsort(place_ns, kind="stable")]


def response_time_ns(jobs: Jobs) -> Column:
    """Return finish - release per job (masked where not finished), nanoseconds."""
    return jobs["finish_ns"] - jobs["release_ns"]


def release_latency_ns(jobs: Jobs) -> Column:
    """Return start - release per job (masked where not started), nanoseconds."""
    return jobs["start_ns"] - jobs["release_ns"]


def start_to_finish_ns(jobs: Jobs) -> Column:
    """Return finish - start per job (masked where not finished), nanoseconds."""
    return jobs["finish_ns"] - jobs["start_ns"]


def lateness_ns(jobs: Jobs) -> Column:
    """Return finish - absolute deadline per job (masked without either), nanoseconds."""
    return jobs["finish_ns"] - jobs["abs_deadline_ns"]


def execution_ns(jobs: Jobs, snapshot_exec_ns: int = 0) -> Column | None:
    """Return the execution time per job: min(max(exec_ns - cost, 0), finish - start).

    exec_ns holds the reading of the clocks. What that costs varies from job to job, and the
    calibrated cost is a median; but a job's processor time is never negative and never more than
    what passed from start to finish, so the difference is held within these limits.

    Args:
        jobs: Rows of one task.
        snapshot_exec_ns: Calibrated processor time of an empty pair of snapshots.

    Returns:
        Nanoseconds, masked where not measured; None if the run measured no processor time.
    """
    if not has_column(jobs, "exec_ns"):
        return None
    limited = np.ma.maximum(jobs["exec_ns"] - snapshot_exec_ns, 0)
    return np.ma.minimum(limited, start_to_finish_ns(jobs))


def own_times(jobs: Jobs, snapshot_exec_ns: int = 0) -> OwnTimes | None:
    """Count the finished jobs that have an execution time; None as `execution_ns`."""
    rows = finished(jobs)
    execution = execution_ns(rows, snapshot_exec_ns)
    if execution is None:
        return None
    known = present(execution)
    return OwnTimes(len(rows), len(rows) - known.size, int(np.count_nonzero(known <= 0)))


def present(values: Column) -> IntArray:
    """Return the measured values of a masked array, as int64."""
    return np.asarray(np.ma.compressed(values), dtype=np.int64)


def summarize(samples: Distribution) -> Summary | None:
    """Return the order statistics of a distribution; None if it is empty."""
    n = samples.n
    if not n:
        return None
    quantiles = tuple(
        QuantileValue(
            q,
            samples.quantile_ns(q) if distribution.supports_quantile(n, q) else None,
            distribution.quantile_interval(samples, q),
            distribution.samples_needed(q),
        )
        for q in SUMMARY_QUANTILES
    )
    return Summary(
        n, samples.min_ns, samples.quantile_ns(0.5), samples.max_ns, quantiles, samples.is_exact
    )


def count_status(jobs: Jobs, end_ns: int | None = None) -> Counts:
    """Count the rows by status.

    Args:
        jobs: Rows of one task, one per release (`--keep all`).
        end_ns: When the task ended; a pending job whose deadline has come is not met. None: no
            pending job counts as not met.
    """
    status = np.ma.getdata(jobs["status"])
    number = {item: int(np.count_nonzero(status == item)) for item in Status}
    late = 0
    if end_ns is not None:
        deadlines = jobs["abs_deadline_ns"][status == Status.PENDING]
        late = int(np.count_nonzero(present(deadlines) <= end_ns))
    not_met = number[Status.MISSED] + number[Status.SKIPPED] + number[Status.ABORTED] + late
    return Counts(
        done=number[Status.DONE],
        missed=number[Status.MISSED],
        skipped=number[Status.SKIPPED],
        aborted=number[Status.ABORTED],
        pending=number[Status.PENDING],
        not_met=not_met,
    )


def split_of_job(row: Row, snapshot_exec_ns: int = 0) -> Split:
    """Split the response time of one finished job (one row of the jobs array)."""
    response = int(row["finish_ns"]) - int(row["release_ns"])
    latency = int(row["start_ns"]) - int(row["release_ns"])
    execution = _execution_of(row, snapshot_exec_ns)
    rest = None if execution is None else response - latency - execution
    return Split(int(row["job"]), response, latency, response - latency, execution, rest)


def mean_split(jobs: Jobs, snapshot_exec_ns: int = 0) -> MeanSplit | None:
    """Return the mean split over finished jobs of known release; means add up, medians do not."""
    rows = with_release(finished(jobs))
    if not len(rows):
        return None
    execution = execution_ns(rows, snapshot_exec_ns)
    complete = execution is not None and not np.ma.getmaskarray(execution).any()
    rest = start_to_finish_ns(rows) - execution if complete else None
    limited = present(execution) != present(rows["exec_ns"]) - snapshot_exec_ns if complete else 0
    return MeanSplit(
        n=len(rows),
        response_ns=float(response_time_ns(rows).mean()),
        release_latency_ns=float(release_latency_ns(rows).mean()),
        start_to_finish_ns=float(start_to_finish_ns(rows).mean()),
        execution_ns=float(execution.mean()) if execution is not None and complete else None,
        not_attributed_ns=float(rest.mean()) if rest is not None else None,
        n_limited=int(np.count_nonzero(limited)),
    )


def job_at_quantile(jobs: Jobs, q: float) -> Row | None:
    """Return the finished row whose response time is the nearest-rank quantile; None if none."""
    rows = with_release(finished(jobs))
    if not len(rows):
        return None
    order = np.argsort(present(response_time_ns(rows)), kind="stable")
    return rows[int(order[distribution.quantile_rank(len(rows), q) - 1])]


def worst_jobs(jobs: Jobs, limit: int = 20) -> IntArray:
    """Return the indices of the started jobs that did not meet: aborted ones, then latest first."""
    status = np.ma.getdata(jobs["status"])
    aborted = np.flatnonzero(status == Status.ABORTED)
    missed = np.flatnonzero(status == Status.MISSED)
    late = np.ma.filled(lateness_ns(jobs[missed]), 0)
    ordered = missed[np.argsort(-late, kind="stable")]
    return np.concatenate((aborted, ordered))[:limit].astype(np.int64)


def skipped_after(jobs: Jobs, index: int) -> int:
    """Return how many rows directly after `index`, in order of release, were skipped."""
    status = np.ma.getdata(jobs["status"])[index + 1 :]
    others = np.flatnonzero(status != Status.SKIPPED)
    return int(others[0]) if others.size else int(status.size)


def usual_values(jobs: Jobs, snapshot_exec_ns: int = 0) -> Usual:
    """Return what is usual among a task's finished jobs."""
    rows = finished(jobs)
    latency = present(release_latency_ns(rows))
    has_met = np.ma.getdata(rows["status"]) == Status.DONE
    return Usual(
        distribution.from_samples(latency).quantile_ns(0.5) if latency.size else None,
        _usual_length(execution_ns(rows, snapshot_exec_ns), has_met),
        _usual_length(start_to_finish_ns(rows), has_met),
    )


def _usual_length(lengths: Column | None, has_met: NDArray[np.bool_]) -> UsualLength | None:
    if lengths is None or not present(lengths[has_met]).size:
        return None
    met = distribution.from_samples(present(lengths[has_met]))
    median = distribution.from_samples(present(lengths)).quantile_ns(0.5)
    return UsualLength(median, met.quantile_ns(_LONG_QUANTILE))


def why_missed(row: Row, neighbours: Neighbours) -> tuple[Observation, ...]:
    """List what was seen around a job that did not meet its deadline; seen is not proven cause.

    Codes: `aborted` (value: `Cause`), `previous_finished_late` (ns past this release),
    `late_release` (release latency, usual one), `long_execution` (processor time, usual one),
    `long_run` (start to finish, usual one; only where no processor time was measured), `preempted`,
    `blocked`, `major_faults`, `minor_faults` (counts), `migrated` (to CPU, from CPU).

    Args:
        row: One row of the jobs array.
        neighbours: The row before it of the same task, the usual values, the snapshot cost.

    Returns:
        Empty if nothing unusual was seen.
    """
    seen: list[Observation] = []
    if int(row["status"]) == Status.ABORTED:
        seen.append(Observation("aborted", _value(row, "cause")))
    seen += _seen_before_start(row, neighbours)
    seen += _seen_in_length(row, neighbours)
    for code, column in (
        ("preempted", "preemptions"),
        ("blocked", "blockings"),
        ("major_faults", "major_faults"),
        ("minor_faults", "minor_faults"),
    ):
        count = _value(row, column)
        if count:
            seen.append(Observation(code, count))
    cpu_start, cpu_finish = _value(row, "cpu_start"), _value(row, "cpu_finish")
    if cpu_start is not None and cpu_finish is not None and cpu_start != cpu_finish:
        seen.append(Observation("migrated", cpu_finish, cpu_start))
    return tuple(seen)


def _seen_before_start(row: Row, neighbours: Neighbours) -> list[Observation]:
    """Previous job over the release, or a late start."""
    release = _value(row, "release_ns")
    if release is None:
        return []
    if neighbours.previous is not None:
        finish = _value(neighbours.previous, "finish_ns")
        if finish is not None and finish > release:
            # The start is late because of it; that would say the same twice.
            return [Observation("previous_finished_late", finish - release)]
    start, usual = _value(row, "start_ns"), neighbours.usual.release_latency_ns
    if start is None or usual is None:
        return []
    if start - release - usual > _NOTABLE_SHARE * _allowed_ns(row):
        return [Observation("late_release", start - release, usual)]
    return []


def _seen_in_length(row: Row, neighbours: Neighbours) -> list[Observation]:
    """More processor time than usual, or where that was not measured, more time altogether."""
    deadline, finish = _value(row, "abs_deadline_ns"), _value(row, "finish_ns")
    if deadline is None or finish is None:
        return []
    code, usual = "long_execution", neighbours.usual.execution
    length = _execution_of(row, neighbours.snapshot_exec_ns)
    if length is None or usual is None:
        code, usual = "long_run", neighbours.usual.start_to_finish
        length = finish - int(row["start_ns"])
    if usual is None or length <= usual.met_p99_ns:
        return []
    if length - usual.median_ns < _NOTABLE_SHARE * (finish - deadline):
        return []
    return [Observation(code, length, usual.median_ns)]


def _execution_of(row: Row, snapshot_exec_ns: int) -> int | None:
    """Execution time of one finished job, as `execution_ns`."""
    exec_ns = _value(row, "exec_ns")
    if exec_ns is None:
        return None
    return min(max(exec_ns - snapshot_exec_ns, 0), int(row["finish_ns"]) - int(row["start_ns"]))


def _allowed_ns(row: Row) -> int:
    """Relative deadline of a job; 0 without one."""
    deadline, release = _value(row, "abs_deadline_ns"), _value(row, "release_ns")
    return 0 if deadline is None or release is None else deadline - release


def _value(row: Row, name: str) -> int | None:
    """One field of a row; None if it has no such column or nothing was measured."""
    if name not in (row.dtype.names or ()):
        return None
    value = row[name]
    return None if value is np.ma.masked else int(value)
