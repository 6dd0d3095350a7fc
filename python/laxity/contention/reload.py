# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a job loads again after a preemption, or after a job of another program before it.

Largest observed values, no bounds (docs/regulation.md, section 8).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from laxity.contention.experiments import Preemption, Program, for_each, preempted_ns, progress
from laxity.contention.table import Load, Preempted
from laxity.contention.windows import FloatArray, Progress, Windows, windows_of
from laxity.core.progress import Countdown
from laxity.errors import ConfigError
from laxity.platform.platform_checks import settings_of_values
from laxity.platform.platform_file import PlatformModel

_LINE_BYTES = 32


@dataclass(frozen=True, slots=True)
class Loaded:
    """A job with a load, or alone, and not preempted.

    Attributes:
        load: None: alone.
        took_ns: Execution time.
    """

    load: Load | None
    took_ns: int


def evictor_of(model: PlatformModel, cpu: int) -> tuple[str, ...]:
    """Choose a program that writes twice a core's share of its largest cache."""
    settings = dict(settings_of_values(model.values, model.levels, model.regions))
    shares = [int(settings["l1d.size"])]
    for level in range(int(settings["levels"])):
        size, ways = (int(settings[f"level.{level}.{key}"]) for key in ("size", "ways"))
        masks = str(settings.get(f"level.{level}.partition", "")).split()
        mask = int(masks[cpu]) if cpu < len(masks) else 0
        shares.append(size * (mask.bit_count() or ways) // ways)
    return ("mem", f"{max(2 * max(shares), _LINE_BYTES)}B")


def worst_of(loaded: Sequence[Loaded]) -> list[Loaded]:
    """Choose the longest job of each number of CPUs with loads; the longest of all is last."""

    def n_cpus(job: Loaded) -> int:
        return 0 if job.load is None else len(job.load.cpus)

    longest = [
        max((job for job in loaded if n_cpus(job) == n), key=lambda job: job.took_ns)
        for n in sorted(set(map(n_cpus, loaded)))
    ]
    return sorted(longest, key=lambda job: job.took_ns)


def after_another(
    program: Program,
    preceding: tuple[str, ...],
    loads: Sequence[Load | None],
    solo: Progress,
    display: Countdown,
) -> tuple[int, list[Windows]]:
    """Simulate jobs that find the caches full of dirty lines of another program.

    Args:
        program: Of the job.
        preceding: The other program.
        loads: One for each job, besides a job alone.
        solo: The job alone, its caches empty at the start.
        display: Shows how many jobs are done.

    Returns:
        Execution time alone in ns, and windows of each load. They lie where the job with empty
        caches executes the same instructions.

    Raises:
        LaxityError: It cannot be simulated.
    """
    alone, *others = for_each(
        [None, *loads], lambda load: progress(program, load, preceding), display
    )
    dirty_ns, dirty = alone

    def as_solo(at_ns: FloatArray) -> FloatArray:
        executed = np.interp(at_ns + dirty.times_ns[0], dirty.times_ns, dirty.instructions)
        since_ns = solo.times_ns - solo.times_ns[0]
        places_ns: FloatArray = np.interp(executed, solo.instructions, since_ns)
        return places_ns

    windows = [windows_of(dirty, course) for _, course in others]
    return dirty_ns, [
        Windows(as_solo(part.begins_ns), as_solo(part.ends_ns), part.traffic_bytes_per_s, part.loss)
        for part in windows
    ]


def preempted_of(
    program: Program,
    preempting: tuple[str, ...],
    n: int,
    dirty_ns: int,
    jobs: tuple[Loaded, Loaded],
    display: Countdown,
) -> Preempted:
    """Preempt a job at `n` points, alone and with the worst load, once in each simulation.

    Args:
        program: Of the job.
        preempting: Program that preempts.
        n: Preemptions of each, evenly spread over the job.
        dirty_ns: Execution time alone after the preempting program.
        jobs: The job alone and with the worst load.
        display: Shows how many jobs are done.

    Raises:
        ConfigError: No preemption came within a job.
        LaxityError: It cannot be simulated.
    """
    points = [(job, (2 * i + 1) * job.took_ns // (2 * n)) for job in jobs for i in range(n)]

    def reload_ns(point: tuple[Loaded, int]) -> int | None:
        job, at_ns = point
        took_ns = preempted_ns(program, job.load, Preemption(preempting, at_ns))
        return None if took_ns is None else max(took_ns - job.took_ns, 0)

    found = for_each(points, reload_ns, display)
    alone, loaded = (
        [
            (ns, at_ns)
            for (job, at_ns), ns in zip(points, found, strict=True)
            if job is of and ns is not None
        ]
        for of in jobs
    )
    load = jobs[1].load
    if not alone or not loaded or load is None:
        msg = (
            f"{program.workload}: no preemption by {preempting[0]} came within its job of "
            f"{jobs[0].took_ns} ns; use --preempt none"
        )
        raise ConfigError(msg)
    largest_ns, at_ns = max(loaded)
    return Preempted(
        kind="observed",
        program=list(preempting),
        dirty_ns=dirty_ns,
        n_alone=len(alone),
        alone_ns=max(alone)[0],
        n_loaded=len(loaded),
        loaded_ns=largest_ns,
        loaded_at_ns=at_ns,
        load=load,
    )
