# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Shares, ratios and quantiles of jobs of several processes, with 95 % intervals.

Jobs of one process share its addresses, its start and its moment, so that the process, not the job,
is the unit: a cluster. How much the processes differ tells how many independent jobs theirs are
worth, and the interval is Clopper's and Pearson's of that number. A bootstrap of 20 processes
covers less than it claims: of shares near 1 it draws the few processes that missed, or does not.
"""

import math
from collections.abc import Sequence

import numpy as np
from scipy import special

from laxity.statistics.dependence import IntArray
from laxity.statistics.distribution import quantile_rank
from laxity.statistics.quantile_shift import Estimate
from laxity.statistics.shares import Share

# Fewer processes do not tell how much processes differ.
LEAST_PROCESSES = 20
# Nor do so few that have a job of the rarer kind: then each process counts as one job.
_LEAST_WITH_BOTH = 5
_TAIL = 0.025


def share_of_processes(counts: Sequence[int], jobs: Sequence[int]) -> Share:
    """Estimate the share of jobs that have a property.

    Args:
        counts: Of each process, how many of its jobs have it.
        jobs: Of each process, at least 1; of two processes or more.

    Raises:
        ValueError: A count lies outside its process, or there are fewer than two processes.

    Source:
        Korn, Graubard, "Confidence intervals for proportions with small expected number of positive
        counts estimated from survey data", Survey Methodology 24, 1998.
    """
    held, whole = np.asarray(counts, dtype=np.int64), np.asarray(jobs, dtype=np.int64)
    if held.size < 2 or np.any(held < 0) or np.any(held > whole) or np.any(whole < 1):  # noqa: PLR2004 - two differ
        msg = f"{list(counts)} of {list(jobs)} are no shares of processes"
        raise ValueError(msg)
    count, n = int(held.sum()), int(whole.sum())
    worth = effective_jobs(held, whole)
    lower, upper = _clopper_pearson(count / n * worth, worth)
    return Share(count, n, lower, upper)


def effective_jobs(held: IntArray, whole: IntArray) -> float:
    """Tell how many independent jobs tell as much of a share as those of these processes.

    Args:
        held: Of each process, how many jobs have the property.
        whole: Of each process, all of its jobs.
    """
    processes, n = held.size, int(whole.sum())
    share = held.sum() / n
    if min(np.count_nonzero(held), np.count_nonzero(held < whole)) < _LEAST_WITH_BOTH:
        return float(processes)
    residuals = held - share * whole
    variance = processes / (processes - 1) * float(residuals @ residuals) / n**2
    independent = share * (1 - share)
    worth = n if variance * n <= independent else independent / variance
    # The variance itself is known from so many processes only.
    by_jobs, by_processes = special.stdtrit([n - 1, processes - 1], 1 - _TAIL)
    return float(worth * (by_jobs / by_processes) ** 2)


def _clopper_pearson(count: float, n: float) -> tuple[float, float]:
    lower = 0.0 if count <= 0 else float(special.betaincinv(count, n - count + 1, _TAIL))
    upper = 1.0 if count >= n else float(special.betaincinv(count + 1, n - count, 1 - _TAIL))
    return lower, upper


def ratio_of_processes(over: Sequence[float], under: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of a ratio of two sums, the process being the unit of both.

    Args:
        over: Of each process, its part of the numerator.
        under: Of each, its part of the denominator; not all 0; of two processes or more.

    Source:
        Cochran, "Sampling Techniques", 3rd edition, 1977, section 2.11: how far processes are from
        the common ratio; Student's t, since that is known from so many processes only.
    """
    above, below = np.asarray(over, dtype=float), np.asarray(under, dtype=float)
    processes, whole = above.size, float(below.sum())
    ratio = float(above.sum()) / whole
    residuals = above - ratio * below
    error = math.sqrt(processes / (processes - 1) * float(residuals @ residuals)) / whole
    half = float(special.stdtrit(processes - 1, 1 - _TAIL)) * error
    return ratio - half, ratio + half


def quantile_of_processes(processes: Sequence[IntArray], q: float) -> Estimate:
    """Estimate a quantile of the jobs of all processes.

    Args:
        processes: Of each, its jobs, nanoseconds; at least one job in all.
        q: 0 < q < 1.

    Returns:
        With the values between which the quantile lies: those at the bounds of the share that lies
        at or below it.

    Source:
        Woodruff, "Confidence intervals for medians and other position measures", Journal of the
        American Statistical Association 47, 1952.
    """
    ordered = np.sort(np.concatenate(processes))
    n = ordered.size
    value_ns = int(ordered[quantile_rank(n, q) - 1])
    if len(processes) < LEAST_PROCESSES:
        reason = f"{len(processes)} processes, {LEAST_PROCESSES} are needed"
        return Estimate(value_ns, n, reason=reason)
    held = np.array([np.count_nonzero(jobs <= value_ns) for jobs in processes])
    worth = effective_jobs(held, np.array([jobs.size for jobs in processes]))
    lower, upper = _clopper_pearson(q * worth, worth)
    low, high = math.floor(lower * n), math.ceil(upper * n)
    if low < 1 or high >= n:
        reason = f"{n} jobs of {len(processes)} processes are worth {worth:.0f} independent ones"
        return Estimate(value_ns, n, int(worth), reason=f"{reason}, too few")
    return Estimate(value_ns, n, int(worth), int(ordered[low - 1]), int(ordered[high]))
