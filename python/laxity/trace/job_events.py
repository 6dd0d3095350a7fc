# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Jobs that the kernel's own scheduler preempted or migrated, told apart by a scheduling trace.

A preempted job lost its CPU once and came back to it; a migrated one lost it once and went on on
another CPU. Both kinds began on the CPU on which the job before had ended: one that was already
moved between two jobs begins with cold caches, and would count twice.

Source: Raffeck et al., "Revisiting Migration Overheads in Real-Time Systems", sec. II.A (tuned
periods let the scheduler preempt and migrate; events and execution times from its trace).
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from laxity.jobs.rows import Jobs, has_column
from laxity.statistics.rank_test import FEWEST, RankTest, compare_ranks
from laxity.trace.attribution import Pieces

IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class JobEvents:
    """Execution times of one task's jobs by what befell them, nanoseconds, in order of jobs.

    Attributes:
        undisturbed_ns: Neither preempted nor migrated.
        preempted_ns: Preempted once.
        migrated_ns: Preempted once, and migrated with it.
        n_moved_before: Jobs of the latter two kinds that began on another CPU than the job before
            had ended on; they are in neither.
        n_others: Jobs that more than one of these befell, or of which the trace does not tell.
    """

    undisturbed_ns: IntArray
    preempted_ns: IntArray
    migrated_ns: IntArray
    n_moved_before: int
    n_others: int

    @property
    def test(self) -> RankTest | None:
        """Migrated against preempted; None: too few."""
        return compare_ranks(self.migrated_ns, self.preempted_ns)

    @property
    def control(self) -> RankTest | None:
        """Preempted against preempted, every second job; None: too few."""
        return compare_ranks(self.preempted_ns[::2], self.preempted_ns[1::2])

    @property
    def is_comparable(self) -> bool:
        """Whether there are enough of both kinds."""
        return min(self.migrated_ns.size, self.preempted_ns.size // 2) >= FEWEST


def job_events(jobs: Jobs, pieces: Pieces) -> JobEvents | None:
    """Classify the jobs of one task.

    Args:
        jobs: All rows of the task.
        pieces: Of its finished jobs, from the trace.

    Returns:
        None where the rows do not say on which CPU a job began and ended.
    """
    if not (has_column(jobs, "cpu_start") and has_column(jobs, "cpu_finish")):
        return None
    is_once = (pieces.n_preemptions == 1) & pieces.is_known
    is_preempted = is_once & (pieces.n_migrations == 0)
    is_migrated = is_once & (pieces.n_migrations == 1)
    is_undisturbed = pieces.is_known & (pieces.n_preemptions == 0) & (pieces.n_migrations == 0)
    stayed = _stayed_between(jobs, pieces.job)
    is_one = is_preempted | is_migrated
    return JobEvents(
        undisturbed_ns=pieces.execution_ns[is_undisturbed],
        preempted_ns=pieces.execution_ns[is_preempted & stayed],
        migrated_ns=pieces.execution_ns[is_migrated & stayed],
        n_moved_before=int(np.count_nonzero(is_one & ~stayed)),
        n_others=int(np.count_nonzero(~is_one & ~is_undisturbed)),
    )


def _stayed_between(jobs: Jobs, numbers: IntArray) -> BoolArray:
    """Tell for each job whether it began where the last one that started before it had ended."""
    started = jobs[
        ~(np.ma.getmaskarray(jobs["cpu_start"]) | np.ma.getmaskarray(jobs["cpu_finish"]))
    ]
    started = started[np.argsort(np.ma.getdata(started["job"]), kind="stable")]
    begun = np.ma.getdata(started["cpu_start"])
    ended = np.ma.getdata(started["cpu_finish"])
    stayed = np.zeros(len(started), np.bool_)
    stayed[1:] = begun[1:] == ended[:-1]
    at = np.searchsorted(np.ma.getdata(started["job"]).astype(np.int64), numbers)
    return np.asarray(stayed[np.minimum(at, len(stayed) - 1)] if len(stayed) else stayed)
