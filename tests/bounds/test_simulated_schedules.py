# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""With perfect caches a simulated platform schedules as an independent scheduler does.

Caches that hold everything, switches that take nothing: what is left of a platform is its
scheduler. Start and finish of every job are compared to the tick.
"""

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.bounds.event_schedule import Played, Schedule
from tests.bounds.simulated_sets import (
    OnPlatform,
    Program,
    SimulatedJob,
    SimulatedTask,
    needs_simulator,
    simulate,
    write_settings,
)

pytestmark = needs_simulator

# A line comes two ticks after it was asked for: one on the way, one on the bus. Each task's code
# is one line, of a channel of its own, so that nobody waits for anybody.
PERFECT = """\
schema = 1
title = "perfect caches"
architecture = "armhf"
line = "32B"
[core]
count = {cores}
clock = "1GHz"
instruction_cycles = {instruction}
switch_cycles = 0
[l1i]
size = "32KiB"
ways = 4
[l1d]
size = "32KiB"
ways = 4
[memory]
clock = "1GHz"
channels = 16
row = "4KiB"
response_cycles = 0
empty_cycles = 0
conflict_cycles = 0
request_cycles = 1
hit_cycles = 0
line_cycles = 1
"""
COLD = 2
STATUSES = {0: "done", 1: "missed"}
PERIODS = (20, 25, 30, 40, 50, 60, 75, 100, 120, 150)


def settings(tmp_path: Path, cores: int, instruction: int = 1) -> str:
    text = PERFECT.format(cores=cores, instruction=instruction)
    return write_settings(text, tmp_path / f"{cores}-{instruction}")


def draw_set(
    numbers: random.Random, cores: int, instruction: int, kind: str
) -> list[SimulatedTask]:
    """Draw tasks of fixed priorities on cores of their own or on several, or of EDF."""
    n_tasks = numbers.randint(2, 3 + 2 * cores)
    load = numbers.uniform(0.4, 0.9 if kind == "edf" else 1.2) * cores / n_tasks / instruction
    every = (1 << cores) - 1
    tasks = []
    for number in range(n_tasks):
        period = numbers.choice(PERIODS) * numbers.choice((1, 1, 4))
        longest = max(1, round(period * load * numbers.uniform(0.5, 1.5)))
        shortest = numbers.choice((longest, numbers.randint(1, longest)))
        mask = every if kind == "edf" else numbers.randint(1, every)
        tasks.append(
            SimulatedTask(
                Program(shortest, longest, numbers.getrandbits(32), first_code_line=number),
                jobs=numbers.randint(5, 30),
                period=period,
                # Of EDF below the period: then no job wakes before its predecessor's deadline.
                deadline=numbers.randint(max(1, period // 2), period - 1),
                first=numbers.choice((0, numbers.randint(0, period))),
                priority=numbers.randint(1, 4),
                cores=1 << numbers.randrange(cores) if kind == "partitioned" else mask,
                skips=numbers.random() < 0.5,
                reserved=kind == "edf",
            )
        )
    return tasks


def lengths_of(task: SimulatedTask) -> list[int]:
    """Tell how long its jobs are, in instructions: of SplitMix64, as the program draws them."""
    state, found = task.program.seed, []
    for _ in range(task.jobs):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        n_lengths = task.program.longest - task.program.shortest + 1
        found.append(task.program.shortest + (z ^ z >> 31) % n_lengths)
    return found


def as_played(job: SimulatedJob) -> Played:
    return Played(
        job.task, job.job, STATUSES[job.status], job.start, job.finish, job.preemptions,
        job.migrations, job.core,
    )  # fmt: skip


def compare(tmp_path: Path, kind: str, n_sets: int, seed: int) -> Counter[str]:
    """Compare so many sets; tell what there was in them."""
    numbers = random.Random(seed)  # noqa: S311 - reproducible, no secret
    seen: Counter[str] = Counter()
    asked, shapes = [], []
    for _ in range(n_sets):
        cores = 1 if kind == "one core" else numbers.choice((2, 2, 3, 4))
        if kind == "edf":
            cores = numbers.choice((1, 1, 2, 3))
        instruction = numbers.choice((1, 1, 1, 3))
        tasks = draw_set(numbers, cores, instruction, kind)
        asked.append(OnPlatform(settings(tmp_path, cores, instruction), tasks))
        shapes.append((cores, instruction))
    for one, jobs, (cores, instruction) in zip(asked, simulate(asked), shapes, strict=True):
        lengths = [lengths_of(task) for task in one.tasks]
        played = Schedule(one.tasks, lengths, cores, instruction, COLD).play()
        if kind == "edf" and any(job.status == "missed" for job in played):
            seen["overloaded"] += 1
            continue
        assert sorted(map(as_played, jobs)) == sorted(played), one
        count(seen, one.tasks, jobs)
    return seen


def count(seen: Counter[str], tasks: Sequence[SimulatedTask], jobs: Sequence[SimulatedJob]) -> None:
    seen["sets"] += 1
    seen["jobs"] += len(jobs)
    seen["preemptions"] += sum(job.preemptions for job in jobs)
    seen["migrations"] += sum(job.migrations for job in jobs)
    seen["missed"] += sum(job.status == 1 for job in jobs)
    for number, one in enumerate(tasks):
        last = max(job.job for job in jobs if job.task == number)
        seen["skipped"] += last + 1 - one.jobs


KINDS = ("one core", "partitioned", "global", "edf")


def check_kind(tmp_path: Path, kind: str, n_sets: int, seed: int) -> None:
    seen = compare(tmp_path, kind, n_sets, seed)
    assert seen["sets"] > n_sets * 3 // 4
    assert seen["preemptions"] > 5 * n_sets
    assert (seen["migrations"] > 0) == (kind in {"global", "edf"})
    if kind != "edf":
        assert min(seen["missed"], seen["skipped"]) > n_sets


@pytest.mark.parametrize("kind", KINDS)
def test_jobs_start_and_finish_as_an_independent_scheduler_says(tmp_path: Path, kind: str):
    check_kind(tmp_path, kind, 40, 1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_jobs_of_many_sets_start_and_finish_as_an_independent_scheduler_says(
    tmp_path: Path, kind: str
):
    check_kind(tmp_path, kind, 1000, 2)


def test_schedule_by_hand(tmp_path: Path):
    # Low begins at 0; its line comes after 2 ticks, and 10 instructions would end at 12. High comes
    # at 5 and takes 2 + 3 until 10, low has done 5 - 2 = 3 and goes on to 10 + 7 = 17. High's
    # second job comes at 16, ends at 19, and low at 20.
    low = SimulatedTask(Program(10, 10), jobs=1, period=30, deadline=19, priority=1)
    high = SimulatedTask(
        Program(3, 3, first_code_line=1), jobs=2, period=11, deadline=11, first=5, priority=2
    )
    (jobs,) = simulate([OnPlatform(settings(tmp_path, 1), [low, high])])
    expected = [
        Played(1, 0, "done", start=5, finish=10, preemptions=0, migrations=0, core=0),
        Played(1, 1, "done", start=16, finish=19, preemptions=0, migrations=0, core=0),
        Played(0, 0, "missed", start=0, finish=20, preemptions=2, migrations=0, core=0),
    ]
    assert [as_played(job) for job in jobs] == expected
    assert Schedule([low, high], [[10], [3, 3]], 1, 1, COLD).play() == expected
