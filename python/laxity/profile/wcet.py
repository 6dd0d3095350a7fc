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
            if is_exact or supports_quantile(jobs.size, q)
        },
    )
