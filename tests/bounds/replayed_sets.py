# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Drawn task sets whose jobs are replayed, and their bounds: a set takes seconds, not minutes.

Each program is simulated once alone and once with each load. A regulated job takes what its replay
says of its start against the readings, other jobs take their whole time with the load. Release
latencies are drawn up to the measured delta, reloads after preemptions up to the measured gamma.
"""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.bounds.regulated_sets import PLATFORM, DrawnSet, measured, text_of
from tests.cli.commands import laxity

from laxity.contention.experiments import Program, progress
from laxity.contention.plan import Terms, plan_of
from laxity.contention.replay import Replayed, replay, starts
from laxity.contention.table import Load, read_table
from laxity.contention.windows import Progress
from laxity.core.cpus import parse_cpus
from laxity.core.executor import n_cpus, parallel
from laxity.core.regulate_table import resolve_regulate
from laxity.core.spec import RegulateTable
from laxity.platform.platform_file import read_platform

# A start for each microsecond of the period of readings, 50 us.
N_STARTS = 50
# Of the longest, as in the engine.
PERIODS = 3


@dataclass
class Job:
    """A job: place of its task, times in ns; `left_ns` None: it has not started."""

    place: int
    release_ns: int
    left_ns: int | None = None
    response_ns: int = 0
    preemptions: int = 0


@dataclass(frozen=True)
class HeldReplay:
    """A set that was replayed and held against its bounds.

    Attributes:
        largest: Response over bound, of each task with a bound.
        responses_ns: The largest of each task.
        outside: Regulated jobs outside their profile.
        beyond: Regulated jobs that lost more than theta.
    """

    jobs: int
    preemptions: int
    largest: list[float]
    responses_ns: list[int]
    outside: int
    beyond: int
    said: str


@cache
def course(program: str, load: tuple[int, int, tuple[int, ...]] | None) -> tuple[int, Progress]:
    """Simulate a cold job alone or with a load of (reads, delay, CPUs), once."""
    workload, *args = program.split()
    of = Program(read_platform(PLATFORM), PLATFORM, workload, tuple(args), 0)
    if load is None:
        return progress(of, None)
    reads, delay, cpus = load
    return progress(of, Load(reads=reads, delay=delay, cpus=list(cpus)))


def load_of(drawn: DrawnSet) -> tuple[int, int, tuple[int, ...]]:
    _, reads, delay = drawn.load.split()
    return int(reads), int(delay), parse_cpus(drawn.load_cpus)


def regulated_jobs(folder: Path, drawn: DrawnSet) -> list[Replayed]:
    """Replay a regulated job of a set for each start."""
    of = drawn.tasks[0].of
    table, _ = read_table(folder / of.table)
    regulate = resolve_regulate(RegulateTable(theta=f"{drawn.theta_percent}%"), "t0")
    terms = Terms(regulate, core=1, solo_ns=of.wcet_ns, preemption_ns=of.gamma_ns)
    _, solo = course(of.program, None)
    _, loaded = course(of.program, load_of(drawn))
    return replay(plan_of(table, terms), solo, loaded, starts(regulate.period_ns, N_STARTS))


def schedule(
    drawn: DrawnSet,
    takes_ns: Callable[[int, int], int],
    latency_ns: Callable[[], int],
    reload_ns: Callable[[int], int],
) -> list[Job]:
    """Schedule a set by fixed priorities on one CPU, as `laxity run` does with overrun queue.

    Args:
        drawn: The set.
        takes_ns: Execution time of a job, by the place of its task and its start.
        latency_ns: Of a release, before the job may start.
        reload_ns: After a preemption, by the place of the preempted task.

    Returns:
        All jobs that are released within three of the longest periods.
    """
    end_ns = PERIODS * max(task.period_ns for task in drawn.tasks)
    arrivals = sorted(
        (release_ns + latency_ns(), place, release_ns)
        for place, task in enumerate(drawn.tasks)
        for release_ns in range(task.offset_ns, end_ns, task.period_ns)
    )
    ready: list[Job] = []
    done: list[Job] = []
    now_ns = 0
    while arrivals or ready:
        if not ready:
            now_ns = max(now_ns, arrivals[0][0])
        running = ready[0] if ready else None
        while arrivals and arrivals[0][0] <= now_ns:
            _, place, release_ns = arrivals.pop(0)
            ready.append(Job(place, release_ns))
        ready.sort(key=lambda job: (-drawn.tasks[job.place].priority, job.release_ns))
        if running is not None and running.left_ns is not None and ready[0] is not running:
            running.left_ns += reload_ns(running.place)
            running.preemptions += 1
        job = ready[0]
        if job.left_ns is None:
            job.left_ns = takes_ns(job.place, now_ns)
        ran_ns = min(job.left_ns, arrivals[0][0] - now_ns if arrivals else job.left_ns)
        now_ns += ran_ns
        job.left_ns -= ran_ns
        if job.left_ns == 0:
            job.response_ns = now_ns - job.release_ns
            done.append(ready.pop(0))
    return done


def bounds_of(folder: Path, name: str, text: str) -> list[int | None]:
    """Bound the response of each task, in the order of the set."""
    path = folder / f"{name}-replayed.toml"
    path.write_text(text)
    words = ("--costs", folder / "costs.json", "--no-sensitivity", "--format", "json")
    done = laxity("bound", path, *words)
    assert done.out, done.err
    return [task["response_time_ns"] for task in json.loads(done.out)["tasks"]]


def hold_replay(folder: Path, name: str, drawn: DrawnSet, seed: int, delta_ns: int) -> HeldReplay:
    """Replay a set, and hold its responses against its bounds."""
    numbers = random.Random(seed)  # noqa: S311 - reproducible
    replayed = regulated_jobs(folder, drawn)
    regulate_ns = resolve_regulate(RegulateTable(), "t0").period_ns
    loaded_ns = [course(task.of.program, load_of(drawn))[0] for task in drawn.tasks]
    most_reload_ns = [measured(task.of.gamma_ns) for task in drawn.tasks]
    begun: list[Replayed] = []

    def takes_ns(place: int, start_ns: int) -> int:
        if place:
            return loaded_ns[place]
        begun.append(replayed[start_ns % regulate_ns * N_STARTS // regulate_ns])
        return begun[-1].execution_ns

    jobs = schedule(
        drawn,
        takes_ns,
        lambda: numbers.randint(0, measured(delta_ns)),
        lambda place: numbers.randint(0, most_reload_ns[place]),
    )
    places = range(len(drawn.tasks))
    responses = [[job.response_ns for job in jobs if job.place == place] for place in places]
    largest_ns = [max(of_task, default=0) for of_task in responses]
    bounds = bounds_of(folder, name, text_of(drawn))
    most_ns = drawn.tasks[0].of.wcet_ns * (100 + drawn.theta_percent) // 100
    return HeldReplay(
        jobs=len(jobs),
        preemptions=sum(job.preemptions for job in jobs),
        largest=[
            response_ns / bound_ns
            for response_ns, bound_ns in zip(largest_ns, bounds, strict=True)
            if bound_ns is not None
        ],
        responses_ns=largest_ns,
        outside=sum(job.is_void or job.is_beyond for job in begun),
        beyond=sum(job.execution_ns > most_ns for job in begun),
        said=f"{name}: {drawn}",
    )


def hold_replays(
    folder: Path, sets: Sequence[DrawnSet], delta_ns: int, seed: int
) -> list[HeldReplay]:
    """Replay drawn sets, and hold each against its bounds."""
    # The first alone: msgspec crashes where several threads use a type for the first time.
    course(sets[0].tasks[0].of.program, None)
    # Each experiment once, in parallel: the sets share most of them.
    wanted = {
        (task.of.program, load)
        for drawn in sets
        for task in drawn.tasks
        for load in (None, load_of(drawn))
    }
    parallel(lambda of: course(*of), sorted(wanted, key=str), n_cpus())
    return parallel(
        lambda numbered: hold_replay(
            folder, f"set{numbered[0]}", numbered[1], seed + numbered[0], delta_ns
        ),
        list(enumerate(sets)),
        n_cpus(),
    )
