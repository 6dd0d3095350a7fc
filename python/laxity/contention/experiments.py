# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Experiments on a simulated platform: a job alone, with a load, and regulated."""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from laxity.contention.regulated import shares
from laxity.contention.table import Load
from laxity.contention.windows import SAMPLE_NS, Progress, progress_of
from laxity.core.executor import n_cpus, parallel
from laxity.core.progress import Countdown
from laxity.core.spec import DEFAULT_PRIORITY, Spec
from laxity.core.spec_reader import resolve_spec
from laxity.errors import EXIT_DONE, EXIT_NO_VERDICT, ConfigError, LaxityError, PlatformError
from laxity.jobs.run_once import prepare_spec
from laxity.platform.platform_checks import settings_of_values
from laxity.platform.platform_file import PlatformModel
from laxity.platform.simulated import SimulatedPlatform
from laxity.platform.simulated_identity import experiment_identity
from laxity.platform.simulated_programs import message_of, program_folder
from laxity.platform.streams import StreamFolder
from laxity.store.npy import read_stream
from laxity.store.run_directory import NewRun

EVENTS = ("instructions", "mem_read_bytes", "mem_write_bytes")
# Longer than any job that is profiled: one job is executed, its caches cold.
_PERIOD = "1h"
# Jobs that follow one another; the last four differ by some µs.
_REPEATED = 5
_LOAD_BYTES = "4MiB"
# Of a kept simulation: why it has no verdict.
_REMARK = "remark"
_IDENTITY = re.compile("[0-9a-f]{64}")
_UNFINISHED = ".unfinished-"
_NS_PER_S = 10**9

Experiment = TypeVar("Experiment")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Program:
    """What is profiled, and where.

    Attributes:
        model: The platform.
        platform: Its name: `sim:NAME` or `sim:PATH`.
        workload: Name of the workload.
        args: Its arguments.
        cpu: Core of the job.
        kept: Folder of simulations that are not made again; None: all are.
    """

    model: PlatformModel
    platform: str
    workload: str
    args: tuple[str, ...]
    cpu: int
    kept: Path | None = None


@dataclass(frozen=True, slots=True)
class Preemption:
    """A job of another program on the CPU of the job, at a higher priority.

    Attributes:
        program: Workload and arguments.
        at_ns: When it is released, after the job; 0: it precedes the job.
    """

    program: tuple[str, ...]
    at_ns: int


@dataclass(frozen=True, slots=True)
class RegulatedJob:
    """A job with a regulated load.

    Attributes:
        execution_ns: Of the job.
        parallelism: Part of the job's time in which the load was allowed to run.
        stops: How often it was stopped.
        remark: Why there is no verdict; empty: there is a verdict.
    """

    execution_ns: int
    parallelism: float
    stops: int
    remark: str


def check_programs(program: Program, preempting: tuple[str, ...]) -> None:
    """Look for a program and for the program that preempts it, before anything is simulated.

    Raises:
        ConfigError: One is missing, or does not take its arguments.
    """
    preemption = Preemption(preempting, 0) if preempting else None
    prepare_spec(
        _spec(program, None, preemption), SimulatedPlatform(program.model, program.platform)
    )


def progress(
    program: Program, load: Load | None, preceding: tuple[str, ...] = ()
) -> tuple[int, Progress]:
    """Simulate a job alone or with a load.

    Args:
        program: Of the job.
        load: In parallel with it.
        preceding: Program whose lines fill the caches when the job starts; none: they are empty.

    Returns:
        Execution time in ns, and the course of the job.

    Raises:
        LaxityError: It cannot be simulated.
    """
    preemption = Preemption(preceding, 0) if preceding else None
    streams, _ = _simulate(program, load, None, preemption)
    jobs = streams["jobs"][streams["jobs"]["task"] == 0]
    course = progress_of(jobs, streams["counters"], streams.get("probe"), EVENTS)
    return int(jobs["exec_ns"][0]), course


def repeated(program: Program, load: Load | None, period_ns: int) -> list[tuple[int, Progress]]:
    """Simulate five jobs in a row; the first one, whose caches are cold, is left out.

    A later job finds lines of its own, so that its phases are short, and evicts dirty ones of the
    job before, so that all of it may be longer.

    Args:
        program: What is profiled.
        load: In parallel with the jobs; None: they are alone.
        period_ns: Longer than each of them takes.

    Returns:
        Execution time in ns, and the course, of each.

    Raises:
        LaxityError: It cannot be simulated.
    """
    streams, _ = _simulate(program, load, None, repeated_ns=period_ns)
    jobs = streams["jobs"][streams["jobs"]["task"] == 0]
    return [
        (
            int(jobs["exec_ns"][i]),
            progress_of(jobs, streams["counters"], streams.get("probe"), EVENTS, i),
        )
        for i in range(1, len(jobs))
    ]


def preempted_ns(program: Program, load: Load | None, preemption: Preemption) -> int | None:
    """Simulate a job that another program preempts once.

    Returns:
        Execution time of the job in ns; None: it was not preempted.

    Raises:
        LaxityError: It cannot be simulated.
    """
    streams, _ = _simulate(program, load, None, preemption)
    jobs = streams["jobs"][streams["jobs"]["task"] == 0]
    return int(jobs["exec_ns"][0]) if jobs["preemptions"][0] == 1 else None


def stopped(
    program: Program, load: Load, plan: str, stop_latency_ns: int
) -> tuple[Progress, list[int], int | None]:
    """Simulate a job with a load that is stopped once by a plan.

    Returns:
        Course of the job, traffic of the platform until the end of each period of the plan, and
        when the load stood still at the latest; None: it was not stopped in the job.

    Raises:
        LaxityError: It cannot be simulated.
    """
    streams, _ = _simulate(program, load, plan)
    course = progress_of(streams["jobs"], streams["counters"], streams.get("probe"), EVENTS)
    readings = streams["regulation"]
    traffic = np.cumsum(readings["traffic_bytes"]).tolist()
    denied = readings["time_ns"][readings["allowed"] == 0]
    # L of the plan: a core stops when its instruction has ended, which may wait for a queue.
    stop_ns = stop_latency_ns + drained_ns(program.model)
    still_ns = int(denied[0]) + stop_ns if len(denied) else None
    if still_ns is not None and not course.times_ns[0] < still_ns < course.times_ns[-1]:
        still_ns = None
    return course, traffic, still_ns


def for_each(
    experiments: Sequence[Experiment], function: Callable[[Experiment], Result], display: Countdown
) -> list[Result]:
    """Call a function for each experiment, several at a time, and show how many are done."""
    done: Iterator[int] = count(1)

    def counted(experiment: Experiment) -> Result:
        result = function(experiment)
        display.show(next(done))
        return result

    display.go_on(0, len(experiments))
    try:
        return parallel(counted, experiments, n_cpus())
    finally:
        display.close()


def regulated(program: Program, load: Load, plan: str) -> RegulatedJob:
    """Simulate a job with a load that is regulated by a plan (`plan_of`).

    Raises:
        LaxityError: It cannot be simulated.
    """
    streams, remark = _simulate(program, load, plan)
    jobs = streams["jobs"]
    allowed, stops = shares(jobs[:1], streams["regulation"])
    return RegulatedJob(int(jobs["exec_ns"][0]), allowed or 0.0, stops, remark)


def is_level_shared(model: PlatformModel, cpu: int, load_cpus: Sequence[int]) -> bool:
    """Tell whether loads can evict lines of a job from the last cache level."""
    settings = dict(settings_of_values(model.values, model.levels, model.regions))
    ways = [int(mask) for mask in str(settings.get("level.0.partition", "")).split()]
    others = 0
    for load_cpu in load_cpus:
        others |= ways[load_cpu] if load_cpu < len(ways) else ~0
    return (
        int(settings["levels"]) != 1 or cpu >= len(ways) or ways[cpu] == 0 or ways[cpu] & others > 0
    )


def drained_ns(model: PlatformModel) -> int:
    """Bound how long what other cores have queued holds up a core, after they have stopped.

    That is all that a stop costs where the last level is partitioned: no load evicts lines of the
    job. A full read and a full write queue are served, each request with a row conflict, a
    turnaround and a line, and one refresh.
    """
    settings = dict(settings_of_values(model.values, model.levels, model.regions))
    times = {
        key: int(settings[f"memory.{key}_cycles"])
        for key in ("request", "response", "conflict", "line", "turnaround", "refresh")
    }
    queued = int(settings["memory.read_queue"]) + int(settings["memory.write_queue"])
    each = times["conflict"] + times["turnaround"] + times["line"]
    ticks = queued * each + times["request"] + times["response"] + times["refresh"]
    numerator, denominator = (int(part) for part in str(settings["ticks_per_s"]).split())
    return -(-ticks * _NS_PER_S * denominator // numerator)


def _spec(
    program: Program, load: Load | None, preemption: Preemption | None, repeated_ns: int = 0
) -> Spec:
    run: dict[str, Any] = {
        "platform": program.platform,
        "jobs": _REPEATED if repeated_ns else 1,
        "events": list(EVENTS),
        "counters": "model",
        "sample_bucket": f"{SAMPLE_NS}ns",
    }
    task = {
        "workload": program.workload,
        "args": list(program.args),
        "cpus": str(program.cpu),
        "period": f"{repeated_ns}ns" if repeated_ns else _PERIOD,
    }
    preempting = [
        {
            "name": "preempting",
            "workload": other.program[0],
            "args": list(other.program[1:]),
            "cpus": str(program.cpu),
            "period": _PERIOD,
            "offset": f"{other.at_ns}ns",
            "priority": DEFAULT_PRIORITY + 1,
        }
        for other in ([] if preemption is None else [preemption])
    ]
    loads = [
        {"workload": "load", "args": _words(load, delay), "cpus": str(cpu)}
        for load in ([] if load is None else [load])
        for cpu, delay in zip(load.cpus, load.delays, strict=True)
    ]
    return msgspec.structs.replace(resolve_spec(run, [task, *preempting], loads, 1), keep="all")


def _words(load: Load, delay: int) -> list[str]:
    pauses = (load.pause, load.groups) if load.pause else ()
    return [_LOAD_BYTES, *map(str, (load.reads, delay, *pauses))]


def _simulate(
    program: Program,
    load: Load | None,
    plan: str | None,
    preemption: Preemption | None = None,
    repeated_ns: int = 0,
) -> tuple[dict[str, Any], str]:
    platform = SimulatedPlatform(program.model, program.platform)
    stated = _spec(program, load, preemption, repeated_ns)
    spec = prepare_spec(stated, platform)
    kept = None
    if program.kept is not None:
        kept = program.kept / experiment_identity(stated, spec, platform, plan or "")
        if kept.is_dir():
            return _found(kept)
    with program_folder() as folder, tempfile.TemporaryFile() as output:
        lock_fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            run = NewRun(folder, folder, lock_fd)
            code = platform.simulate(spec, run, output.fileno(), StreamFolder(), plan)
        finally:
            os.close(lock_fd)
        message = message_of(output)
        if code not in {EXIT_DONE, EXIT_NO_VERDICT}:
            msg = message or f"laxity-sim ended with {code}; start the same command again"
            raise PlatformError(msg)
        if code == EXIT_NO_VERDICT:
            (folder / _REMARK).write_text(message)
        if kept is not None:
            names = ("jobs", "counters", "probe", "regulation")
            _keep(folder, kept, [_REMARK, *(f"{name}.npy" for name in names)])
        return _found(folder)


def _found(folder: Path) -> tuple[dict[str, Any], str]:
    """Read the streams of a simulation, and why it has no verdict."""
    streams = {path.stem: read_stream(path).data for path in folder.glob("*.npy")}
    remark = folder / _REMARK
    return streams, remark.read_text() if remark.is_file() else ""


@contextmanager
def keeping(kept: Path) -> Iterator[None]:
    """Keep simulations in a folder until all is done; else stderr says that they are there.

    Raises:
        ConfigError: The folder cannot be created.
    """
    try:
        kept.mkdir(exist_ok=True)
    except OSError as error:
        msg = f"{kept}: cannot be created ({error.strerror}); name another output by -o"
        raise ConfigError(msg) from error
    try:
        yield
    except (KeyboardInterrupt, LaxityError):
        n_kept = sum(_IDENTITY.fullmatch(folder.name) is not None for folder in kept.iterdir())
        if n_kept == 0:
            _remove_kept(kept)
        else:
            sys.stderr.write(
                f"laxity: {n_kept} simulations are kept in {kept}; start the same command again "
                "to resume\n"
            )
        raise
    _remove_kept(kept)


def _remove_kept(kept: Path) -> None:
    """Remove simulations, finished or not, and the folder unless it has files of others."""
    for folder in [*kept.iterdir()]:
        if _IDENTITY.fullmatch(folder.name) or folder.name.startswith(_UNFINISHED):
            shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        kept.rmdir()


def _keep(folder: Path, kept: Path, names: Sequence[str]) -> None:
    """Copy files of a simulation; a command that is killed leaves all of them or none."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(dir=kept.parent, prefix=_UNFINISHED))
    for name in names:
        with suppress(FileNotFoundError):
            shutil.copyfile(folder / name, unfinished / name)
    try:
        unfinished.rename(kept)
    except OSError:
        # Another process has kept the same in the meantime.
        shutil.rmtree(unfinished)
        if not kept.is_dir():
            raise
