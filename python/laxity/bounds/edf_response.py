# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Response times under EDF on one processor.

A job of i that is released at a, counted from the start of a busy window in which only jobs with
deadlines up to its own run, finishes at the least

    w = B + I(w) + (floor((a + J_i) / T_i) + 1) C_i
      + sum over the other tasks j of min(ceil((w + J_j) / T_j), n_j) C_j

with n_j = floor((a + D_i - D_j + J_j) / T_j) + 1 their jobs with such deadlines, if all others are
ready together at the start. Its response is w - a. The longest is found among the a at which the
deadline of the job meets that of another one, or at which an own job is released at the start.
None of this asks whether any deadline is met.

Source: Spuri, "Analysis of deadline scheduled real-time systems" (1996); B and I(w) as in edf.py.
"""

from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import groupby

from laxity.bounds.response_time import demand_ns, releases, utilisation
from laxity.tasksets.task_model import Task

# Each sums up the work of all tasks once: a second for 20 tasks. Sets that use a processor nearly
# to its capacity have busy windows of many jobs, and each job is a candidate.
MAX_STEPS = 50_000
# What is summed up in all steps together, a few seconds: steps for many tasks are fewer.
MAX_SUMS = 5_000_000


class _Steps:
    """How many sums may still be made."""

    def __init__(self, left: int) -> None:
        self._left = left

    def take(self) -> bool:
        """Take one; whether there was one."""
        self._left -= 1
        return self._left >= 0


def edf_response_times(
    tasks: Sequence[Task],
    interrupts: Sequence[Task] = (),
    *,
    from_wakeup: bool = False,
    max_steps: int = MAX_STEPS,
) -> tuple[int | None, ...]:
    """Bound the response times of the tasks of one processor under preemptive EDF.

    Args:
        tasks: Sporadic, any order. The largest blocking is counted for each.
        interrupts: What runs before every job.
        from_wakeup: Deadlines that order jobs count from when a job is ready: they are up to J
            after the stated ones.
        max_steps: Of all tasks together, before the rest is given up.

    Returns:
        From release to finish in ns, in the order of `tasks`; None: busy windows do not end, or
        the steps are used up.
    """
    steps = _Steps(min(max_steps, MAX_SUMS // max(1, len(tasks) + len(interrupts))))
    longest_ns = _longest_window_ns(tasks, interrupts, steps)
    if longest_ns is None:
        return (None,) * len(tasks)
    return tuple(
        _response_ns(_Analysed(task, tasks, interrupts, from_wakeup), longest_ns, steps)
        for task in tasks
    )


class _Analysed:
    """A task under analysis and what may delay it."""

    def __init__(
        self,
        task: Task,
        tasks: Sequence[Task],
        interrupts: Sequence[Task],
        from_wakeup: bool,
    ) -> None:
        self.task = task
        self.others = [one for one in tasks if one.name != task.name]
        self.interrupts = interrupts
        self.blocking_ns = max(one.blocking_ns for one in tasks)
        self.order_ns = task.deadline_ns + (task.jitter_ns if from_wakeup else 0)

    def work_ns(self, released_ns: int, window_ns: int) -> int:
        """Sum what is done in a window before a job that is released in it."""
        task = self.task
        n_own = (released_ns + task.jitter_ns) // task.period_ns + 1
        others_ns = sum(
            min(releases(one, window_ns), self._jobs_before(one, released_ns)) * one.wcet_ns
            for one in self.others
        )
        interrupts_ns = demand_ns(self.interrupts, window_ns)
        return self.blocking_ns + n_own * task.wcet_ns + others_ns + interrupts_ns

    def candidates_ns(self, longest_ns: int) -> Iterator[int]:
        """Return the releases at which the number of jobs before one changes, the earliest first.

        One after the other: a window may hold more of them than memory does.
        """
        series = []
        for first_ns, period_ns in self._series():
            # The job is ready at the start of the window at the earliest.
            skipped = max(0, -((self.task.jitter_ns + first_ns) // period_ns))
            series.append(range(first_ns + skipped * period_ns, longest_ns, period_ns))
        return (released_ns for released_ns, _ in groupby(merge(*series)))

    def _series(self) -> Iterator[tuple[int, int]]:
        task = self.task
        yield -task.jitter_ns, task.period_ns
        for one in self.others:
            yield one.deadline_ns - one.jitter_ns - self.order_ns, one.period_ns

    def _jobs_before(self, one: Task, released_ns: int) -> int:
        latest_ns = released_ns + self.order_ns - one.deadline_ns + one.jitter_ns
        return max(0, latest_ns // one.period_ns + 1)


def _response_ns(analysed: _Analysed, longest_ns: int, steps: _Steps) -> int | None:
    """Take the longest over all candidates; a later release never finishes earlier."""
    response_ns, window_ns = 0, 1
    for released_ns in analysed.candidates_ns(longest_ns):
        while True:
            if not steps.take():
                return None
            needed_ns = analysed.work_ns(released_ns, window_ns)
            if needed_ns <= window_ns:
                break
            window_ns = needed_ns
        response_ns = max(response_ns, window_ns - released_ns)
    return response_ns


def _longest_window_ns(
    tasks: Sequence[Task], interrupts: Sequence[Task], steps: _Steps
) -> int | None:
    """Return the longest time without idling; None: it does not end, or too many steps."""
    if not tasks or utilisation((*tasks, *interrupts)) > 1:
        return None
    everything = (*tasks, *interrupts)
    blocking_ns = max(one.blocking_ns for one in tasks)
    window_ns = 1
    while steps.take():
        needed_ns = blocking_ns + demand_ns(everything, window_ns)
        if needed_ns <= window_ns:
            return window_ns
        window_ns = needed_ns
    return None
