# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What sampling takes from a task: the same jobs with it and without."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from laxity.jobs.rows import Jobs, finished
from laxity.statistics.rank_test import RankTest, compare_ranks

if TYPE_CHECKING:
    from laxity.trace.attribution import Attribution

IntArray = NDArray[np.int64]
# Bytes that the kernel keeps of a thread's name.
_COMM = 15


@dataclass(frozen=True, slots=True)
class Intrusion:
    """One task's jobs that finished in both runs, from start to finish.

    A job that other tasks have preempted more often in one of them is left out: what it took more
    is theirs, and only happened because something was longer.

    Attributes:
        n: How many.
        unobserved_ns: How long they took together.
        observed_ns: Likewise, while they were sampled.
        n_samples: Samples that were taken within them.
        test: Of the observed against the others; None: too few.
    """

    n: int
    unobserved_ns: int
    observed_ns: int
    n_samples: int
    test: RankTest | None

    @property
    def share(self) -> float:
        """By which part of themselves the jobs became longer."""
        return self.observed_ns / self.unobserved_ns - 1

    def most_share(self, *, is_exact: bool) -> float | None:
        """By which part they became longer at most: of measured ones, by the 95 % interval.

        None: there are too few for one.
        """
        if is_exact:
            return self.share
        return None if self.test is None else self.test.high_ns * self.n / self.unobserved_ns

    @property
    def per_sample_ns(self) -> float | None:
        """By how much they became longer, for each sample; None: there was none."""
        if not self.n_samples:
            return None
        return (self.observed_ns - self.unobserved_ns) / self.n_samples


@dataclass(frozen=True, slots=True)
class Watched:
    """A task in one of the runs: its rows, and how often other tasks preempted which job."""

    rows: Jobs
    preempted: Mapping[int, int]

    @classmethod
    def of(cls, rows: Jobs, attribution: "Attribution | None", tasks: Collection[str]) -> "Watched":
        """Count preemptions by tasks of these names; without a trace none is known."""
        preemptions = () if attribution is None else attribution.preemptions
        names = {name[:_COMM] for name in tasks}
        return cls(rows, Counter(one.job for one in preemptions if one.comm in names))


def intrusion_of(
    unobserved: Watched, observed: Watched, taken_ns: IntArray | None = None
) -> Intrusion | None:
    """Compare jobs of the same number.

    Args:
        unobserved: In the run without samples.
        observed: In the other run.
        taken_ns: When samples were taken there, ascending, no matter whether they are stored; None:
            they are not counted.

    Returns:
        None if there is no job to compare.
    """
    before, after = finished(unobserved.rows), finished(observed.rows)
    jobs, at, behind = np.intersect1d(before["job"], after["job"], return_indices=True)
    counts = (unobserved.preempted, observed.preempted)
    is_alike = [counts[0].get(int(job), 0) == counts[1].get(int(job), 0) for job in jobs]
    if not any(is_alike):
        return None
    before, after = before[at[is_alike]], after[behind[is_alike]]
    start_ns, finish_ns = (np.ma.getdata(after[name]) for name in ("start_ns", "finish_ns"))
    first, second = _start_to_finish_ns(after), _start_to_finish_ns(before)
    return Intrusion(
        n=len(before),
        unobserved_ns=int(second.sum()),
        observed_ns=int(first.sum()),
        n_samples=0 if taken_ns is None else _n_within(taken_ns, start_ns, finish_ns),
        test=compare_ranks(first, second),
    )


def _n_within(taken_ns: IntArray, start_ns: IntArray, finish_ns: IntArray) -> int:
    """Count the samples within jobs; one at the instant of a start was before it."""
    since = np.searchsorted(taken_ns, start_ns, "right")
    until = np.searchsorted(taken_ns, finish_ns, "left")
    return int(np.maximum(until - since, 0).sum())


def _start_to_finish_ns(jobs: Jobs) -> IntArray:
    taken: IntArray = np.ma.getdata(jobs["finish_ns"]) - np.ma.getdata(jobs["start_ns"])
    return taken
