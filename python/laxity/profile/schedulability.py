# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Which share of jobs meets a deadline that leaves little room: WCET / utilisation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from laxity.statistics.clusters import LEAST_PROCESSES, share_of_processes
from laxity.statistics.dependence import IntArray

PERCENT = 100
STEPS = tuple(range(5, PERCENT + 1, 5))


@dataclass(frozen=True, slots=True)
class Process:
    """Jobs of one process: response times of those that finished, nanoseconds; others were aborted.

    Releases that were skipped are no jobs: whether one is depends on the period, which a deadline
    of another length would have had, too.
    """

    responses_ns: IntArray
    n_aborted: int

    @property
    def n(self) -> int:
        """All that began."""
        return self.responses_ns.size + self.n_aborted


@dataclass(frozen=True, slots=True)
class Met:
    """How many jobs met a deadline; without an interval `low` and `high` are None."""

    percent: int
    deadline_ns: int
    met: int
    jobs: int
    low: float | None
    high: float | None


def deadline_of(wcet_ns: int, percent: int) -> int:
    """Return the deadline, nanoseconds, at which a WCET is so much of it, rounded up."""
    return -(-wcet_ns * PERCENT // percent)


def met_of(processes: Sequence[Process], wcet_ns: int) -> Iterator[Met]:
    """Count jobs that meet deadlines from 20 times the WCET down to it.

    Args:
        processes: Each with at least one job.
        wcet_ns: The observed maximum of the execution time, alone.

    Source:
        Nicolella et al., "RT-Bench: an extensible benchmark framework for the analysis and
        management of real-time applications", RTNS 2022, section 4: deadline = WCET / utilisation.
    """
    jobs = [one.n for one in processes]
    for percent in STEPS:
        deadline_ns = deadline_of(wcet_ns, percent)
        met = [int(np.count_nonzero(one.responses_ns <= deadline_ns)) for one in processes]
        if len(processes) < LEAST_PROCESSES:
            yield Met(percent, deadline_ns, sum(met), sum(jobs), None, None)
            continue
        share = share_of_processes(met, jobs)
        yield Met(percent, deadline_ns, share.count, share.n, share.lower, share.upper)
