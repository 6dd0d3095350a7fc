# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Drawn task sets on a simulated platform, their costs measured there, and their bounds.

Everything is measured as on a machine: C of a task alone, from caches that are empty or full of
another task's dirty lines; gamma from jobs that a task which fills all caches preempts once, at
drawn points; delta from the release of a job to its start.
"""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tests.bounds.made_up_costs import entry, gamma, model
from tests.bounds.simulated_sets import (
    OnPlatform,
    Program,
    SimulatedJob,
    SimulatedTask,
    simulate,
)

from laxity.bounds.answer import CostsGiven, answer_task_set
from laxity.bounds.platform_costs import Choice
from laxity.bounds.setup import Setup
from laxity.core.task_set import read_task_set

# Small caches, so that jobs are short; times are about those of SABRE Lite.
COMMON = """\
schema = 1
title = "a small platform"
architecture = "armhf"
line = "32B"
[core]
count = 1
clock = "1GHz"
instruction_cycles = 1
switch_cycles = 100
kernel_code = "64B"
kernel_data = "64B"
{core}
[l1i]
size = "1KiB"
ways = 4
replacement = "{first}"
[l1d]
size = "1KiB"
ways = 4
replacement = "{first}"
[[level]]
name = "L2"
size = "4KiB"
ways = 8
replacement = "{second}"
hit_cycles = 16
prefetch = "{prefetch}"
[memory]
clock = "500MHz"
read_queue = 16
write_queue = 8
reorder = 8
banks = 8
row = "8KiB"
request_cycles = 16
response_cycles = 15
hit_cycles = 7
empty_cycles = 14
conflict_cycles = 21
line_cycles = 4
turnaround_cycles = 7
refresh_interval = 3900
refresh_cycles = 80
"""
PLAIN = COMMON.format(
    core="fill_buffers = 0\nstore_entries = 0", first="lru", second="lru", prefetch="none"
)
FEATURES = COMMON.format(
    core="fill_buffers = 2\nstore_entries = 4\nmerges_stores = true",
    first="random",
    second="fifo",
    prefetch="next-line",
)

N_MEASURED = 30  # jobs of a task
N_OFFSETS = 2  # times as many jobs that are preempted
HIGH = 2  # the place of the task that preempts
LONG = 1_000_000  # no job of a task or of the evictor takes half of it
# Twice the L2, all of it written.
EVICTOR = Program(256, 256, code_lines=64, data_lines=256, stores_in_8=8)


@dataclass(frozen=True)
class Measured:
    """What was measured of one task; delta: from releases to starts."""

    wcet: int
    gamma: int
    delta: int


@dataclass
class Compared:
    """What came of some sets."""

    counts: Counter[str] = field(default_factory=Counter)
    ratios: list[float] = field(default_factory=list)  # largest response / bound
    excesses: list[float] = field(default_factory=list)  # beyond C + gamma of each preemption, / C
    above: list[str] = field(default_factory=list)


def draw_program(numbers: random.Random) -> Program:
    """Draw a working set about as large as the first caches, 32 lines each, somewhere in them."""
    data_lines = numbers.randint(4, 64)
    longest = numbers.randint(100, 1200)
    return Program(
        shortest=numbers.choice((longest, longest // 2)),
        longest=longest,
        seed=numbers.getrandbits(32),
        first_code_line=numbers.randrange(128),
        code_lines=numbers.randint(1, 40),
        instructions=numbers.randint(1, 16),
        first_data_line=numbers.randrange(128),
        data_lines=data_lines,
        stride=numbers.choice((1, 1, numbers.randrange(1, 64, 2))),
        stores_in_8=numbers.randint(0, 6),
    )


def alone(program: Program, jobs: int = N_MEASURED) -> SimulatedTask:
    return SimulatedTask(program, jobs=jobs, period=LONG, deadline=LONG, priority=2)


def evictor(first: int, priority: int, period: int = LONG) -> SimulatedTask:
    """Another task, that leaves nothing of anybody in the caches."""
    return SimulatedTask(
        EVICTOR, jobs=N_MEASURED, period=period, deadline=LONG, first=first, priority=priority
    )


def of_task(jobs: Sequence[SimulatedJob], task: int) -> dict[int, SimulatedJob]:
    return {job.job: job for job in jobs if job.task == task}


def latest_start(tasks: Sequence[SimulatedTask], jobs: Sequence[SimulatedJob]) -> int:
    """Tell how long after its release a job has started; none of them waited for another one."""
    return max(job.start - tasks[job.task].first - job.job * tasks[job.task].period for job in jobs)


def measure(
    platform: str, programs: Sequence[Program], numbers: random.Random, registers: int
) -> list[Measured]:
    """Measure C, gamma and delta of tasks; of each 60 jobs, preempted once each."""
    # Between two jobs all caches are filled with dirty lines; or the task has them for itself.
    between = evictor(LONG // 2, 1)
    told = simulate([OnPlatform(platform, (alone(one), between), registers) for one in programs])
    warm = simulate([OnPlatform(platform, (alone(one),), registers) for one in programs])
    emptied = [of_task(jobs, 0) for jobs in told]
    wcets = [
        max(job.execution for job in (*cold.values(), *jobs))
        for cold, jobs in zip(emptied, warm, strict=True)
    ]
    deltas = [latest_start((alone(EVICTOR), between), jobs) for jobs in told]
    # From job to job a preemption comes a bit later, from the start to the end.
    sets = [
        (
            alone(one),
            between,
            evictor(delta + numbers.randrange(99), 3, LONG + wcet // N_MEASURED),
        )
        for one, wcet, delta in zip(programs, wcets, deltas, strict=True)
        for _ in range(N_OFFSETS)
    ]
    preempted = simulate([OnPlatform(platform, tasks, registers) for tasks in sets])
    found = []
    for place, wcet in enumerate(wcets):
        reload, delta = 0, deltas[place]
        for of_set in range(N_OFFSETS * place, N_OFFSETS * (place + 1)):
            jobs = of_task(preempted[of_set], 0)
            reloads = [
                job.execution - emptied[place][number].execution
                for number, job in jobs.items()
                if job.preemptions == 1
            ]
            reload = max(reload, *reloads)
            high = [job for job in preempted[of_set] if job.task == HIGH]
            delta = max(delta, latest_start(sets[of_set], high))
        found.append(Measured(wcet, reload, delta))
    return found


def draw_periods(numbers: random.Random, measured: Sequence[Measured]) -> list[int]:
    """Share out a utilisation at random, as UUniFast does (Bini and Buttazzo 2005)."""
    left, periods = numbers.uniform(0.3, 0.95), []
    for place, one in enumerate(measured):
        n_after = len(measured) - place - 1
        after = left * numbers.random() ** (1 / n_after) if n_after else 0.0
        periods.append(round(one.wcet / max(left - after, 0.01)))
        left = after
    return periods


def place_tasks(
    numbers: random.Random, programs: Sequence[Program], periods: Sequence[int]
) -> list[SimulatedTask]:
    """Give the shortest period the highest priority; no more jobs than were measured."""
    horizon = min(periods) * (N_MEASURED - 1)
    order = sorted(periods, reverse=True)
    return [
        SimulatedTask(
            program,
            jobs=max(1, horizon // period),
            period=period,
            deadline=period,
            first=numbers.choice((0, numbers.randrange(period))),
            priority=1 + order.index(period),
        )
        for program, period in zip(programs, periods, strict=True)
    ]


def bounds_of(
    tasks: Sequence[SimulatedTask], measured: Sequence[Measured], delta: int
) -> list[int | None]:
    """Bound the response time of each task, as `laxity bound` does of a file and costs.json.

    Costs know gamma by the size of the working set. Sizes here are made up, in the order of gamma:
    so each task gets its own.
    """
    order = sorted({one.gamma for one in measured})
    kib = [order.index(one.gamma) + 1 for one in measured]
    costs = model(
        entry("delta", delta),
        *(gamma(size, one.gamma) for size, one in zip(kib, measured, strict=True)),
    )
    text = "schema = 1\n" + "".join(
        f'[[task]]\nname = "{number}"\ncpus = "0"\npriority = {one.priority}\n'
        f'period = "{one.period}ns"\nwcet = "{of_one.wcet}ns"\nworking_set = "{size}KiB"\n'
        for number, (one, of_one, size) in enumerate(zip(tasks, measured, kib, strict=True))
    )
    given = CostsGiven(costs, None, Choice())
    answer = answer_task_set(read_task_set(text.encode()), given, Setup(has_sensitivity=False))
    assert not answer.missing
    return [one.response_time_ns for one in answer.tasks]


def compare(platform: str, n_sets: int, seed: int, registers: int = 0) -> Compared:
    """Draw so many sets, measure, bound and run them."""
    numbers = random.Random(seed)  # noqa: S311 - reproducible, no secret
    shapes = [[draw_program(numbers) for _ in range(numbers.randint(2, 5))] for _ in range(n_sets)]
    all_measured = iter(
        measure(platform, [one for shape in shapes for one in shape], numbers, registers)
    )
    measured = [[next(all_measured) for _ in shape] for shape in shapes]
    # What a switch takes is the platform's.
    delta = max(one.delta for of_set in measured for one in of_set)
    sets = [
        place_tasks(numbers, shape, draw_periods(numbers, of_set))
        for shape, of_set in zip(shapes, measured, strict=True)
    ]
    told = simulate([OnPlatform(platform, tasks, registers) for tasks in sets])
    found = Compared()
    for tasks, of_set, jobs in zip(sets, measured, told, strict=True):
        note(found, tasks, of_set, bounds_of(tasks, of_set, delta), jobs)
        free = [replace(one, gamma=0) for one in of_set]
        found.counts["above bounds without costs"] += sum(
            bound is not None and longest_response(number, one, jobs) > bound
            for number, (one, bound) in enumerate(
                zip(tasks, bounds_of(tasks, free, 0), strict=True)
            )
        )
    return found


def longest_response(number: int, task: SimulatedTask, jobs: Sequence[SimulatedJob]) -> int:
    return max(
        job.finish - task.first - job.job * task.period for job in of_task(jobs, number).values()
    )


def note(
    found: Compared,
    tasks: Sequence[SimulatedTask],
    measured: Sequence[Measured],
    bounds: Sequence[int | None],
    jobs: Sequence[SimulatedJob],
) -> None:
    """Compare the jobs of a set with its bounds, and with what the bounds assume of them."""
    counts = found.counts
    counts["sets"] += 1
    counts["jobs"] += len(jobs)
    counts["schedulable sets"] += all(
        bound is not None and bound <= one.deadline
        for one, bound in zip(tasks, bounds, strict=True)
    )
    for number, (one, of_one, bound) in enumerate(zip(tasks, measured, bounds, strict=True)):
        own = of_task(jobs, number).values()
        counts["preemptions"] += sum(job.preemptions for job in own)
        excess = max(job.execution - of_one.wcet - job.preemptions * of_one.gamma for job in own)
        counts["tasks with jobs longer than C and gamma"] += excess > 0
        found.excesses += [excess / of_one.wcet] if excess > 0 else []
        if bound is None:
            counts["tasks without a bound"] += 1
            continue
        longest = longest_response(number, one, jobs)
        found.ratios.append(longest / bound)
        counts["schedulable tasks"] += bound <= one.deadline
        if longest > bound:
            found.above.append(
                f"response {longest} above {bound}, excess {excess}, {one}, {of_one}"
            )
