# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Schedules played job by job: what the tests of bounds compare with, and random task sets."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from laxity.tasksets.task_model import Task


@dataclass(frozen=True)
class Job:
    """One job; `released_ns` is before jitter, deadlines count from it."""

    task: Task
    released_ns: int
    ready_ns: int

    @property
    def abs_deadline_ns(self) -> int:
        return self.released_ns + self.task.deadline_ns


Order = Callable[[Job], tuple[int, int | str]]


def earliest_deadline_first(job: Job) -> tuple[int, int | str]:
    return (job.abs_deadline_ns, job.task.name)


def earliest_deadline_from_ready_first(job: Job) -> tuple[int, int | str]:
    return (job.ready_ns + job.task.deadline_ns, job.task.name)


def highest_priority_first(job: Job) -> tuple[int, int | str]:
    return (-job.task.priority, job.ready_ns)


def densest_jobs(tasks: Sequence[Task], until_ns: int) -> list[Job]:
    """All tasks ready at 0 with their largest jitter, then as early and as often as may be."""
    return [
        Job(task, released_ns, max(0, released_ns))
        for task in tasks
        for released_ns in range(-task.jitter_ns, until_ns, task.period_ns)
    ]


def random_jobs(tasks: Sequence[Task], until_ns: int, numbers: random.Random) -> list[Job]:
    """Releases at least a period apart, each job ready within its jitter."""
    jobs = []
    for task in tasks:
        released_ns = numbers.randint(-task.jitter_ns, task.period_ns)
        earliest_ns = 0
        while released_ns < until_ns:
            jitter_ns = numbers.choice([0, task.jitter_ns, numbers.randint(0, task.jitter_ns)])
            earliest_ns = max(earliest_ns, released_ns + jitter_ns, 0)
            jobs.append(Job(task, released_ns, earliest_ns))
            released_ns += task.period_ns + numbers.choice([0, 0, 1, task.period_ns // 2])
    return jobs


def responses_ns(
    jobs: Sequence[Job],
    order: Order,
    n_cpus: int = 1,
    sections_ns: Mapping[str, int] = MappingProxyType({}),
) -> dict[Job, int]:
    """Play a preemptive schedule; jobs of one task one after the other, on one CPU at a time.

    Args:
        jobs: Of all tasks.
        order: The least ones run.
        n_cpus: How many run.
        sections_ns: How long a job of a task is not preempted after its start.

    Returns:
        From the release to the finish of each job.
    """
    waiting = sorted(jobs, key=lambda job: job.ready_ns)
    left_ns: dict[Job, int] = {}
    found = {}
    now_ns = 0

    def in_section_ns(job: Job) -> int:
        done_ns = job.task.wcet_ns - left_ns[job]
        return max(0, sections_ns.get(job.task.name, 0) - done_ns) if done_ns else 0

    while waiting or left_ns:
        while waiting and waiting[0].ready_ns <= now_ns:
            job = waiting.pop(0)
            left_ns[job] = job.task.wcet_ns
        if not left_ns:
            now_ns = waiting[0].ready_ns
            continue
        heads: dict[str, Job] = {}
        for job in sorted(left_ns, key=lambda job: job.released_ns):
            heads.setdefault(job.task.name, job)
        running = sorted(heads.values(), key=lambda job: (in_section_ns(job) == 0, order(job)))
        running = running[:n_cpus]
        steps_ns = [in_section_ns(job) or left_ns[job] for job in running]
        steps_ns += [waiting[0].ready_ns - now_ns] if waiting else []
        now_ns += (step_ns := min(steps_ns))
        for job in running:
            left_ns[job] -= step_ns
            if left_ns[job] == 0:
                del left_ns[job]
                found[job] = now_ns - job.released_ns
    return found


def longest_ns(found: dict[Job, int]) -> dict[str, int]:
    """The longest response of each task."""
    longest: dict[str, int] = {}
    for job, response_ns in found.items():
        longest[job.task.name] = max(response_ns, longest.get(job.task.name, 0))
    return longest


def draw_tasks(numbers: random.Random, most_tasks: int = 4, jitter: bool = False) -> list[Task]:
    """Small whole numbers, so that whole schedules can be played; priorities all differ."""
    n_tasks = numbers.randint(1, most_tasks)
    tasks = []
    for i in range(n_tasks):
        period_ns = numbers.choice([4, 5, 6, 8, 10, 12, 15, 20])
        wcet_ns = numbers.randint(1, max(1, 2 * period_ns // (n_tasks + 1)))
        tasks.append(
            Task(
                name=f"t{i}",
                wcet_ns=wcet_ns,
                period_ns=period_ns,
                deadline_ns=numbers.randint(wcet_ns, period_ns),
                jitter_ns=numbers.choice([0, 0, 1, 2, 3]) if jitter else 0,
                priority=n_tasks - i,
            )
        )
    return tasks
