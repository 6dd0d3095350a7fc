# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A schedule made step by step, to hold bounds against: one processor, fixed priorities.

It shares no code and no idea with the analyses: it only plays what a scheduler does.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from laxity.analysis.task_model import Task

Loads = Callable[[Task], int]


@dataclass
class Job:
    """A job on its way; `ready` counts from 0, `rest` is what it still has to run."""

    task: Task
    release: int
    ready: int
    rest: int
    has_started: bool = False


@dataclass
class Schedule:
    """What came of it: the longest response of each task, and how often one was preempted."""

    responses: dict[str, int] = field(default_factory=dict)
    preemptions: int = 0


def play(jobs: Sequence[Job], switch: int = 0, reload: Loads = lambda _: 0) -> Schedule:
    """Run jobs to their ends.

    Args:
        jobs: Any order. Jobs of one task run in order of release.
        switch: Processor time that each job takes before it starts, and again after it finished,
            neither of which can be preempted.
        reload: What a preempted task runs longer when it resumes.
    """
    schedule = Schedule()
    coming = sorted(jobs, key=lambda job: job.ready)
    pending: list[Job] = []
    running: Job | None = None
    now = 0
    while coming or pending:
        while coming and coming[0].ready <= now:
            pending.append(coming.pop(0))
        if not pending:
            now = coming[0].ready
            continue
        job = max(pending, key=lambda one: (one.task.priority, -one.release))
        if running is not None and running is not job:
            schedule.preemptions += 1
            running.rest += reload(running.task)
        running = job
        if not job.has_started:
            job.has_started = True
            now += switch
            continue
        until_next = coming[0].ready - now if coming else job.rest
        step = min(job.rest, until_next)
        job.rest -= step
        now += step
        if job.rest == 0:
            response = now - job.release
            longest = schedule.responses
            longest[job.task.name] = max(longest.get(job.task.name, 0), response)
            pending.remove(job)
            running = None
            now += switch
    return schedule


def synchronous_jobs(tasks: Sequence[Task], until: int) -> list[Job]:
    """All releases before `until`, the first of each task at 0."""
    return [
        Job(task, release, release, task.wcet_ns)
        for task in tasks
        for release in range(0, until, task.period_ns)
    ]
