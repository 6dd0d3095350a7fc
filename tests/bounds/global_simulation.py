# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A schedule on several CPUs made nanosecond by nanosecond: preemptions and migrations cost time.

It shares no code and no idea with the analyses: it only plays what a scheduler does.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.bounds.schedule_simulation import Job, Rank


@dataclass(frozen=True)
class Kernel:
    """What the kernel takes.

    Attributes:
        switch: Before a job starts and again after it finished, on its CPU, never preempted.
        gamma: By task, when it resumes on the CPU that it had.
        migration: By task, when it resumes on another one.
        interrupts: When each comes, on which CPU, and what it takes.
    """

    switch: int
    gamma: Mapping[str, int]
    migration: Mapping[str, int]
    interrupts: Sequence[tuple[int, int, int]] = ()


@dataclass
class Seen:
    """The longest response of each task, and how often one was preempted or resumed elsewhere."""

    responses: dict[str, int] = field(default_factory=dict)
    preemptions: int = 0
    migrations: int = 0


@dataclass
class _Cpu:
    job: Job | None = None
    # Of a switch, which nothing preempts, and of interrupts, which stop everything.
    switching: int = 0
    interrupted: int = 0


@dataclass
class _World:
    """All CPUs, and what decides who runs on them."""

    cpus: list[_Cpu]
    rank: Rank
    kernel: Kernel
    numbers: random.Random
    seen: Seen = field(default_factory=Seen)
    last_cpu: dict[int, _Cpu] = field(default_factory=dict)


def play(
    jobs: Sequence[Job], n_cpus: int, rank: Rank, kernel: Kernel, numbers: random.Random
) -> Seen:
    """Run jobs to their ends; which CPU a job resumes on is drawn."""
    world = _World([_Cpu() for _ in range(n_cpus)], rank, kernel, numbers)
    coming = sorted(jobs, key=lambda job: job.ready)
    due = sorted(kernel.interrupts)
    pending: list[Job] = []
    now = 0
    while coming or pending:
        while coming and coming[0].ready <= now:
            pending.append(coming.pop(0))
        while due and due[0][0] <= now:
            _, cpu, takes = due.pop(0)
            world.cpus[cpu].interrupted += takes
        _assign(pending, world)
        for one in world.cpus:
            _run(one, now, pending, world)
        now += 1
    return world.seen


def _assign(pending: Sequence[Job], world: _World) -> None:
    """Let the first jobs run, one of each task, on CPUs where no switch is under way."""
    heads: dict[str, Job] = {}
    for job in sorted(pending, key=lambda job: job.release):
        heads.setdefault(job.task.name, job)
    free = [cpu for cpu in world.cpus if cpu.switching == 0]
    held = [cpu.job for cpu in world.cpus if cpu.switching > 0 and cpu.job is not None]
    order = [job for job in heads.values() if job not in held]
    chosen = sorted(order, key=world.rank, reverse=True)[: len(free)]
    for cpu in free:
        if cpu.job is not None and cpu.job not in chosen:
            world.seen.preemptions += 1
            cpu.job = None
    waiting = [job for job in chosen if all(cpu.job is not job for cpu in world.cpus)]
    empty = [cpu for cpu in free if cpu.job is None]
    world.numbers.shuffle(empty)
    for job, cpu in zip(waiting, empty, strict=False):
        _place(job, cpu, world)


def _place(job: Job, cpu: _Cpu, world: _World) -> None:
    cpu.job = job
    if not job.has_started:
        job.has_started = True
        cpu.switching = world.kernel.switch
    elif world.last_cpu[id(job)] is cpu:
        job.rest += world.kernel.gamma[job.task.name]
    else:
        world.seen.migrations += 1
        job.rest += world.kernel.migration[job.task.name]
    world.last_cpu[id(job)] = cpu


def _run(cpu: _Cpu, now: int, pending: list[Job], world: _World) -> None:
    """Let one CPU run for one nanosecond."""
    if cpu.interrupted > 0:
        cpu.interrupted -= 1
    elif cpu.switching > 0:
        cpu.switching -= 1
    elif cpu.job is not None:
        job = cpu.job
        job.rest -= 1
        if job.rest == 0:
            name = job.task.name
            longest = world.seen.responses
            longest[name] = max(longest.get(name, 0), now + 1 - job.release)
            pending.remove(job)
            cpu.job = None
            cpu.switching = world.kernel.switch
