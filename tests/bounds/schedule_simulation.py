# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A schedule made step by step, to hold bounds against: one processor, preemption costs time.

It shares no code and no idea with the analyses: it only plays what a scheduler does.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from laxity.tasksets.task_model import Task

Loads = Callable[[Task], int]
Rank = Callable[["Job"], tuple[int, int]]


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


def by_priority(job: Job) -> tuple[int, int]:
    return (job.task.priority, -job.release)


def by_deadline(job: Job) -> tuple[int, int]:
    """EDF; which of equal deadlines runs is the same each time."""
    return (-job.release - job.task.deadline_ns, -job.release)


def by_deadline_from_wakeup(job: Job) -> tuple[int, int]:
    """As SCHED_DEADLINE: a deadline counts from when its job is ready."""
    return (-job.ready - job.task.deadline_ns, -job.ready)


def play(
    jobs: Sequence[Job],
    switch: int = 0,
    reload: Loads = lambda _: 0,
    rank: Rank = by_priority,
    interrupts: Sequence[tuple[int, int]] = (),
) -> Schedule:
    """Run jobs to their ends.

    Args:
        jobs: Any order. Jobs of one task run in order of release.
        switch: Processor time that each job takes before it starts, and again after it finished,
            neither of which can be preempted.
        reload: What a preempted task runs longer when it resumes.
        rank: The job of the largest one runs.
        interrupts: When each comes and what it takes, before all jobs.
    """
    schedule = Schedule()
    due = sorted(interrupts)
    coming = sorted(jobs, key=lambda job: job.ready)
    pending: list[Job] = []
    running: Job | None = None
    now = 0
    while coming or pending:
        while due and due[0][0] <= now:
            at, takes = due.pop(0)
            # Those that came while nothing ran are over.
            now = max(now, at) + takes if pending else max(now, at + takes)
        while coming and coming[0].ready <= now:
            pending.append(coming.pop(0))
        if not pending:
            now = min([coming[0].ready, *(at for at, _ in due[:1])])
            continue
        job = max(pending, key=rank)
        if running is not None and running is not job:
            schedule.preemptions += 1
            running.rest += reload(running.task)
        running = job
        if not job.has_started:
            job.has_started = True
            now += switch
            continue
        events = [coming[0].ready] if coming else []
        events += [due[0][0]] if due else []
        step = min([job.rest, *(at - now for at in events)])
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
