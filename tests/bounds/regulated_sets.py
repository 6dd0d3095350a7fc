# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Drawn task sets with regulated co-runners on a simulated platform, and their bounds.

Everything is had by the commands that a user types. C is the longest job alone, from caches that
are empty, its own, or full of another task's dirty lines. gamma and delta are measured with the
worst load of the table: gamma by jobs that a task which fills all caches preempts, against as many
jobs that it does not, delta from releases to starts.
"""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tests.bounds.made_up_costs import entry, model
from tests.cli.commands import laxity

from laxity.core.executor import n_cpus, parallel
from laxity.platform.platform_file import read_platform
from laxity.platform.simulated import describe_model
from laxity.store.manifest import encode_document
from laxity.store.npy import read_stream

PLATFORM = "sim:sabrelite-partitioned"
REGULATED = ("corners sqcif", "dijkstra large")
OTHERS = ("sha small", "aes small", "crc32 small")
THETAS = (5, 10, 20)
# Loads of the drawn sets, most of which no profile has; (reads, delay).
READS, DELAYS = (0, 2, 5, 8, 10), (0, 10, 100, 500)
N_JOBS = 8  # of each measurement
# For states of the caches that were not drawn.
MARGIN_PERCENT = 2
# Twice the part of the L2 that CPU 0 has, all of it written.
EVICTOR = 'workload = "mem"\nargs = ["512KiB"]\ndeadline = "none"\ncpus = "0"\n'
NS_PER_MS = 1_000_000


@dataclass(frozen=True)
class Profiled:
    """A program with its contention table, C, gamma, delta; `overhead` of its dearest window."""

    program: str
    table: str
    wcet_ns: int
    gamma_ns: int
    delta_ns: int
    overhead: float


@dataclass(frozen=True)
class DrawnTask:
    """A task of a set."""

    of: Profiled
    period_ns: int
    offset_ns: int
    priority: int


@dataclass(frozen=True)
class DrawnSet:
    """A set: its first task is regulated."""

    tasks: Sequence[DrawnTask]
    theta_percent: int
    load: str
    load_cpus: str


def profile(program: str, folder: Path) -> Profiled:
    """Profile a program, and measure what a bound needs of it."""
    table = folder / f"{program.replace(' ', '-')}.json"
    words = ("--reads", "0,5,10", "--delays", "0,60", "--preemptions", "2", "--pauses", "none")
    more = ("--quiet", "-o", str(table))
    done = laxity("contention", "profile", program, "--platform", PLATFORM, *words, *more)
    assert done.code == 0, done.err
    document = json.loads(table.read_text())
    worst = max(document["loads"], key=lambda load: load["overhead_ppm"])
    load = f"4MiB {worst['reads']} {worst['delay']}"
    dirty = alone(folder, program, "")
    with_load = alone(folder, program, load)
    # From job to job a preemption comes a bit later, from the start to the end.
    step_ns = document["solo_ns"] // N_JOBS
    preempted = alone(folder, program, load, step_ns)
    # The first job of each finds empty caches.
    more = own_ns(preempted)[1:].max() - own_ns(with_load)[1:].min()
    found = max(document["solo_ns"], int(own_ns(dirty).max()))
    # No job of these runs waits for another job.
    delta_ns = max(
        int((jobs["start_ns"] - jobs["release_ns"]).max()) for jobs in (preempted, with_load)
    )
    # More than a bound charges: unregulated tasks are sparse, so that a gamma left out shows.
    rate = max(phase["loss"][-1] for phase in document["phases"]) / (1 << 20)
    return Profiled(
        program,
        table.name,
        wcet_ns=with_margin(found),
        gamma_ns=with_margin(max(int(more), 0)),
        delta_ns=with_margin(delta_ns),
        overhead=rate / (1 - rate),
    )


def with_margin(ns: int) -> int:
    return -(-ns * (100 + MARGIN_PERCENT) // 100)


def measured(with_margin_ns: int) -> int:
    return with_margin_ns * 100 // (100 + MARGIN_PERCENT)


def own_ns(jobs: Any) -> Any:  # noqa: ANN401 - a structured array
    return jobs["exec_ns"][jobs["task"] == 0]


def alone(folder: Path, program: str, load: str, step_ns: int = 0) -> Any:  # noqa: ANN401
    """Run a task between jobs that evict it; a third task preempts each job `step_ns` later."""
    workload, *args = program.split()
    text = (
        f'schema = 1\n[run]\nplatform = "{PLATFORM}"\njobs = {N_JOBS}\n'
        f'[[task]]\nname = "low"\nworkload = "{workload}"\nargs = {json.dumps(args)}\n'
        'period = "80ms"\npriority = 40\ncpus = "0"\n'
        f'[[task]]\nname = "between"\n{EVICTOR}period = "80ms"\noffset = "50ms"\npriority = 30\n'
    )
    if step_ns:
        text += (
            f'[[task]]\nname = "high"\n{EVICTOR}period = "{80 * NS_PER_MS + step_ns}ns"\n'
            'offset = "60us"\npriority = 50\n'
        )
    if load:
        text += (
            f'[[interfere]]\nworkload = "load"\nargs = {json.dumps(load.split())}\ncpus = "1-3"\n'
        )
    name = f"{program.replace(' ', '-')}-{bool(load):d}{bool(step_ns):d}"
    return run(folder, name, text)


def run(folder: Path, name: str, text: str) -> Any:  # noqa: ANN401 - a structured array
    (folder / f"{name}.toml").write_text(text)
    where = folder / "runs" / name
    done = laxity("run", folder / f"{name}.toml", "--run-dir", where, "--no-report", "--quiet")
    assert done.code == 0, f"{name}: {done.out}{done.err}"
    return read_stream(where / "jobs.npy").data


def draw(numbers: random.Random, known: Mapping[str, Profiled]) -> DrawnSet:
    """Draw two or three tasks with utilisations that share 0.4 to 0.9, contention charged."""
    names = [numbers.choice(REGULATED), *numbers.sample(OTHERS, numbers.randint(1, 2))]
    gamma_ns = max(known[name].gamma_ns for name in names)
    theta = numbers.choice(THETAS)
    left, priorities = numbers.uniform(0.4, 0.9), numbers.sample(range(10, 90), len(names))
    tasks = []
    for place, (name, priority) in enumerate(zip(names, priorities, strict=True)):
        of = known[name]
        n_after = len(names) - place - 1
        after = left * numbers.random() ** (1 / n_after) if n_after else 0.0
        charged = of.wcet_ns * (1 + (of.overhead if place else theta / 100))
        charged += 2 * of.delta_ns + gamma_ns
        used = max(left - after, 0.1)
        period_ns = round(charged / used)
        tasks.append(DrawnTask(of, period_ns, numbers.randrange(period_ns), priority))
        left = after
    load = f"4MiB {numbers.choice(READS)} {numbers.choice(DELAYS)}"
    return DrawnSet(tasks, theta, load, numbers.choice(("1", "1-2", "1-3", "1-3")))


def text_of(drawn: DrawnSet, *, has_theta: bool = True, has_gamma: bool = True) -> str:
    """Write a set as a file that laxity run and laxity bound read.

    Without theta the regulated task has neither table nor regulator: it is charged C alone.
    """
    longest_ns = max(task.period_ns for task in drawn.tasks)
    text = f'schema = 1\n[run]\nplatform = "{PLATFORM}"\nduration = "{3 * longest_ns}ns"\n'
    for place, task in enumerate(drawn.tasks):
        workload, *args = task.of.program.split()
        gamma_ns = task.of.gamma_ns if has_gamma else 0
        text += (
            f'[[task]]\nname = "t{place}"\nworkload = "{workload}"\nargs = {json.dumps(args)}\n'
            f'period = "{task.period_ns}ns"\noffset = "{task.offset_ns}ns"\ncpus = "0"\n'
            f'overrun = "queue"\npriority = {task.priority}\nwcet = "{task.of.wcet_ns}ns"\n'
            f'gamma = "{gamma_ns}ns"\n'
        )
        if place or has_theta:
            text += f'contention = "{task.of.table}"\n'
    text += (
        f'[[interfere]]\nworkload = "load"\nargs = {json.dumps(drawn.load.split())}\n'
        f'cpus = "{drawn.load_cpus}"\n'
    )
    if has_theta:
        text += f'[regulate]\ntask = "t0"\ntheta = "{drawn.theta_percent}%"\n'
    return text


@dataclass(frozen=True)
class Held:
    """A set that was run and held against its bounds.

    Attributes:
        above: Jobs above their bounds.
        largest: Response over bound, of each task with a bound.
        responses_ns: The largest of each task.
        parallelism_ppm: Of the regulated task.
        kept: Whether the promise was kept for each job.
        above_without_theta: Jobs above bounds that charge no theta.
        above_without_gamma: Jobs above bounds that charge no gamma.
    """

    above: int
    jobs: int
    preemptions: int
    largest: list[float]
    responses_ns: list[int | None]
    parallelism_ppm: int
    kept: bool
    above_without_theta: int
    above_without_gamma: int
    said: str


def hold(folder: Path, name: str, drawn: DrawnSet) -> Held:
    """Run a set, and hold its responses against its bounds and against bounds with a fault."""
    (folder / f"{name}.toml").write_text(text_of(drawn))
    where = folder / "runs" / name
    options = ("--run-dir", where, "--no-report", "--quiet", "--format", "json")
    done = laxity("run", folder / f"{name}.toml", *options)
    # 1: a deadline was missed, which bounds do not exclude.
    assert done.code in {0, 1}, f"{name}: {done.out}{done.err}"
    regulation = json.loads(done.out)["regulation"]
    jobs = read_stream(where / "jobs.npy").data
    jobs = jobs[jobs["preemptions"] >= 0]
    against = bound(folder, name, text_of(drawn))
    ratios = [
        task["largest_ns"] / task["bound_ns"]
        for task in against["tasks"]
        if task["bound_ns"] is not None and task["largest_ns"] is not None
    ]
    no_theta = bound(folder, name, text_of(drawn, has_theta=False))
    no_gamma = bound(folder, name, text_of(drawn, has_gamma=False))
    return Held(
        above=above(against),
        jobs=len(jobs),
        preemptions=int(np.sum(jobs["preemptions"])),
        largest=ratios,
        responses_ns=[task["largest_ns"] for task in against["tasks"]],
        parallelism_ppm=regulation["parallelism_ppm"] or 0,
        kept=regulation["kept"] == regulation["jobs"],
        above_without_theta=above(no_theta),
        above_without_gamma=above(no_gamma),
        said=f"{name}: {drawn}",
    )


def above(against: Mapping[str, Any]) -> int:
    return sum(task["above"] for task in against["tasks"])


def bound(folder: Path, name: str, text: str) -> dict[str, Any]:
    """Hold the run of a set against the bounds of a file."""
    path = folder / f"{name}-bound.toml"
    path.write_text(text)
    words = ("--costs", folder / "costs.json", "--no-sensitivity", "--format", "json")
    done = laxity("bound", path, "--against", folder / "runs" / name, *words)
    assert done.code in {0, 1, 4}, done.err
    assert done.out, done.err
    held: dict[str, Any] = json.loads(done.out)["against"]
    return held


def measure_all(folder: Path) -> tuple[dict[str, Profiled], int]:
    """Profile all programs, and write costs.json; return delta, too."""
    profiled = parallel(lambda program: profile(program, folder), (*REGULATED, *OTHERS), n_cpus())
    delta_ns = max(found.delta_ns for found in profiled)
    machine = describe_model(read_platform(PLATFORM)).hash
    costs = model(entry("delta", delta_ns, kind="simulated", cpu=0))
    costs = type(costs)(tool=costs.tool, machine_hash=machine, entries=costs.entries)
    (folder / "costs.json").write_bytes(encode_document(costs))
    return {found.program: found for found in profiled}, delta_ns


def draw_sets(known: Mapping[str, Profiled], n_sets: int, seed: int) -> list[DrawnSet]:
    """Draw a set for each seed from the first."""
    return [draw(random.Random(seed + i), known) for i in range(n_sets)]  # noqa: S311 - reproducible


def hold_sets(folder: Path, sets: Sequence[DrawnSet]) -> list[Held]:
    """Run sets in the engine, and hold each against its bounds."""
    return parallel(
        lambda numbered: hold(folder, f"set{numbered[0]}", numbered[1]),
        list(enumerate(sets)),
        n_cpus(),
    )
