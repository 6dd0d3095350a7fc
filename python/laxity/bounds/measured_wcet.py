# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""C of a task from the jobs of a run: the longest, a quantile, or a pWCET. Observed, not proven.

The processor time of a job counts as it was read: with the reading of the clocks, and with what
interrupts and preemptions took of it. That is never too low.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from laxity.bounds.platform_costs import Choice
from laxity.core.streams import Cause, Status
from laxity.errors import NoVerdict
from laxity.jobs.rows import Jobs, finished, has_column, in_order, of_task, present
from laxity.statistics import distribution
from laxity.statistics.wcet_model import NoPwcet, Pwcet
from laxity.store.manifest import TaskResult


@dataclass(frozen=True, slots=True)
class ExecutionTimes:
    """What a run tells of how long the jobs of a task take.

    Attributes:
        samples_ns: Processor time of each finished job that has one, in order of release.
        notes: What it does not tell.
    """

    samples_ns: NDArray[np.int64]
    notes: tuple[str, ...]


def execution_times(jobs: Jobs, result: TaskResult) -> ExecutionTimes:
    """Take the processor times of a task's jobs out of a run.

    Args:
        jobs: jobs.npy.
        result: The task in its manifest.

    Raises:
        NoVerdict: The longest job may be missing: rows were lost or not kept, no processor time was
            measured, a job was ended by its timeout.
    """
    if result.lost_rows:
        msg = (
            f"rows lost (log ring full): {result.lost_rows}, the longest job may be among them; "
            "measure again"
        )
        raise NoVerdict(msg)
    rows = in_order(of_task(jobs, result.index))
    ended = finished(rows)
    n_finished = result.counts.done + result.counts.missed
    if len(ended) < n_finished:
        msg = (
            f"holds rows of {len(ended)} of {n_finished} finished jobs, and the longest may be "
            "among the others; measure with --keep all"
        )
        raise NoVerdict(msg)
    if not has_column(rows, "exec_ns"):
        msg = "no processor time was measured (--snapshots none); measure without that option"
        raise NoVerdict(msg)
    samples_ns = present(ended["exec_ns"])
    if not samples_ns.size:
        msg = "no job finished with a processor time; measure for longer"
        raise NoVerdict(msg)
    n_without = len(ended) - samples_ns.size
    return ExecutionTimes(samples_ns, tuple(_notes(rows, n_without)))


def choose_wcet(times: ExecutionTimes, choice: Choice) -> tuple[int, Pwcet | None]:
    """Return the figure that counts, without margin, in nanoseconds.

    Raises:
        NoVerdict: Too few jobs for the quantile, or there is no pWCET.
    """
    samples_ns = times.samples_ns
    if choice.exceedance is not None:
        from laxity.statistics.pwcet import bound_pwcet  # noqa: PLC0415 - loads scipy

        found = bound_pwcet(samples_ns, float(choice.exceedance))
        if isinstance(found, NoPwcet):
            msg = f"no pWCET of {samples_ns.size} jobs: {found.reason}"
            raise NoVerdict(msg)
        return found.bound_ns, found
    if choice.quantile is None:
        return int(samples_ns.max()), None
    return _quantile_ns(samples_ns, choice.quantile), None


def _quantile_ns(samples_ns: NDArray[np.int64], quantile: Decimal) -> int:
    q = float(quantile)
    if not distribution.supports_quantile(samples_ns.size, q):
        msg = (
            f"{samples_ns.size} jobs are too few for {Choice(quantile).use}; "
            f"measure {distribution.samples_needed(q)} or more"
        )
        raise NoVerdict(msg)
    return distribution.from_samples(samples_ns).quantile_ns(q)


def _notes(rows: Jobs, n_without: int) -> Iterator[str]:
    aborted = rows[np.ma.getdata(rows["status"]) == Status.ABORTED]
    if has_column(rows, "cause"):
        n_timeouts = int(np.count_nonzero(np.ma.getdata(aborted["cause"]) == Cause.TIMEOUT))
        if n_timeouts:
            msg = f"jobs ended by their timeout: {n_timeouts}, how long they take is open; raise it"
            raise NoVerdict(msg)
    if len(aborted):
        yield f"aborted jobs: {len(aborted)}, how long they take is open; they do not count"
    if n_without:
        yield f"jobs without a processor time: {n_without}, what they took is open"
