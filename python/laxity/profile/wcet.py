# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How long jobs took: the longest that was seen, quantiles, how much longer than alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from laxity.statistics.clusters import quantile_of_processes
from laxity.statistics.dependence import IntArray
from laxity.statistics.distribution import supports_quantile
from laxity.statistics.quantile_shift import Estimate

MEDIAN = 0.5
QUANTILES = (MEDIAN, 0.9, 0.99)
_DOUBT = 0.05


@dataclass(frozen=True, slots=True)
class Times:
    """Times of the jobs of one program in one scenario, nanoseconds.

    Attributes:
        n_processes: In which they ran.
        n_jobs: All that finished.
        longest_ns: The observed maximum.
        n_since: Jobs after it; none of them was longer.
        quantiles: By q, with intervals if there were processes enough.
    """

    n_processes: int
    n_jobs: int
    longest_ns: int
    n_since: int
    quantiles: Mapping[float, Estimate]

    @property
    def share_beyond(self) -> float | None:
        """Return the 95 % bound on the share of jobs that are longer; None: the last one was it."""
        return share_beyond(self.n_since)


def share_beyond(n: int) -> float | None:
    """Bound the share of jobs that are longer than a limit which n jobs have kept.

    Were a share p longer, n jobs that may be exchanged for each other would all keep the limit with
    probability (1 - p)^n; that is 5 % at p = 1 - 0.05^(1/n).

    Args:
        n: Jobs that had no part in choosing the limit; None is returned for none.
    """
    return None if n < 1 else 1 - _DOUBT ** (1 / n)


@dataclass(frozen=True, slots=True)
class Procedure:
    """Where RT-Bench's search for a WCET would have ended.

    Attributes:
        limit_ns: The deadline that a whole batch has met.
        n_batches: Until then, that one included.
        n_longer: Jobs of all later batches that took longer.
        n_later: All jobs of those.
    """

    limit_ns: int
    n_batches: int
    n_longer: int
    n_later: int


def rt_bench_procedure(batches: Sequence[IntArray]) -> Procedure | None:
    """Raise a deadline to the longest time that was seen, until a batch of jobs has no miss.

    Args:
        batches: In order of time, here the jobs of a process each; nanoseconds.

    Returns:
        None: no batch had no miss.

    Source:
        Nicolella et al., "RT-Bench: an extensible benchmark framework for the analysis and
        management of real-time applications", RTNS 2022, section 4.4.
    """
    with_jobs = [jobs for jobs in batches if jobs.size]
    limit_ns = None
    for at, jobs in enumerate(with_jobs):
        longest_ns = int(jobs.max())
        if limit_ns is not None and longest_ns <= limit_ns:
            later = np.concatenate([*with_jobs[at + 1 :], np.array([], np.int64)])
            n_longer = int(np.count_nonzero(later > limit_ns))
            return Procedure(limit_ns, at + 1, n_longer, later.size)
        limit_ns = longest_ns
    return None


def times_of(processes: Sequence[IntArray], *, is_exact: bool) -> Times | None:
    """Describe the jobs of all processes.

    Args:
        processes: In order of time; of each its finished jobs in order, nanoseconds.
        is_exact: The same jobs would take the same again, so that few have quantiles, too.

    Returns:
        None: no job finished.
    """
    with_jobs = [jobs for jobs in processes if jobs.size]
    if not with_jobs:
        return None
    jobs = np.concatenate(with_jobs)
    longest = int(jobs.argmax())
    return Times(
        n_processes=len(with_jobs),
        n_jobs=jobs.size,
        longest_ns=int(jobs[longest]),
        n_since=jobs.size - 1 - longest,
        quantiles={
            q: quantile_of_processes(with_jobs, q)
            for q in QUANTILES
            if (is_exact and q == MEDIAN) or supports_quantile(jobs.size, q)
        },
    )
