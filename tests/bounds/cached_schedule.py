# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Programs that read blocks through one LRU cache, scheduled step by step.

Shares nothing with the analysis: useful and evicting blocks are found by running each program.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from laxity.bounds.crpd_sets import Cache
from laxity.tasksets.task_model import Task

N_SETS = 6


@dataclass
class Contents:
    """What an LRU cache holds; the block used last stands last in its set."""

    ways: int
    sets: dict[int, list[int]] = field(default_factory=dict)

    def read(self, block: int) -> bool:
        """Read a block; whether it was there."""
        held = self.sets.setdefault(block % N_SETS, [])
        is_hit = block in held
        if is_hit:
            held.remove(block)
        held.append(block)
        del held[: -self.ways]
        return is_hit


@dataclass
class Job:
    """A job on its way: reads that are left, and time that the current one still takes."""

    task: Task
    ready_ns: int
    reads: list[int]
    busy_ns: int = 0
    has_started: bool = False


def by_priority(job: Job) -> tuple[int, int]:
    return (job.task.priority, -job.ready_ns)


def by_deadline(job: Job) -> tuple[int, int]:
    return (-job.ready_ns - job.task.deadline_ns, -job.ready_ns)


def alone(program: Sequence[int], cache: Cache) -> tuple[int, frozenset[int], frozenset[int]]:
    """Run a program from an empty cache: its time, the sets of its UCB and of its ECB."""
    contents = Contents(cache.ways)
    hits = [contents.read(block) for block in program]
    took_ns = sum(1 if is_hit else 1 + cache.reload_ns for is_hit in hits)
    # A hit means that the block was useful from the read before it until then.
    useful = frozenset(
        block % N_SETS for block, is_hit in zip(program, hits, strict=True) if is_hit
    )
    return took_ns, useful, frozenset(block % N_SETS for block in program)


def draw_programs(numbers: random.Random, ways: int) -> list[list[int]]:
    """Loops over a few blocks, each task with blocks of its own."""
    programs = []
    for i in range(numbers.randint(2, 4)):
        sets = numbers.sample(range(N_SETS), numbers.randint(1, 5))
        own = [
            1000 * N_SETS * i + N_SETS * layer + cache_set
            for cache_set in sets
            for layer in range(numbers.randint(1, ways))
        ]
        program = own * numbers.randint(1, 4)
        programs.append(program + numbers.choices(own, k=numbers.randint(0, 3)))
    return programs


def longest_ns(
    tasks: Sequence[Task],
    programs: dict[str, list[int]],
    readies: dict[str, list[int]],
    cache: Cache,
    switch_ns: int = 0,
    rank: Callable[[Job], tuple[int, int]] = by_priority,
) -> dict[str, int]:
    """Play all jobs; the longest response of each task.

    Each takes `switch_ns` before its start and after its finish, neither of which is preempted.
    """
    contents = Contents(cache.ways)
    coming = [Job(one, at, list(programs[one.name])) for one in tasks for at in readies[one.name]]
    coming.sort(key=lambda job: job.ready_ns)
    pending: list[Job] = []
    longest: dict[str, int] = {}
    now_ns = 0
    while coming or pending:
        while coming and coming[0].ready_ns <= now_ns:
            pending.append(coming.pop(0))
        if not pending:
            now_ns = coming[0].ready_ns
            continue
        job = max(pending, key=rank)
        if not job.has_started:
            job.has_started = True
            now_ns += switch_ns
            continue
        if job.busy_ns == 0:
            job.busy_ns = 1 if contents.read(job.reads.pop(0)) else 1 + cache.reload_ns
        job.busy_ns -= 1
        now_ns += 1
        if job.busy_ns == 0 and not job.reads:
            pending.remove(job)
            took_ns = now_ns - job.ready_ns
            now_ns += switch_ns
            longest[job.task.name] = max(took_ns, longest.get(job.task.name, 0))
    return longest
