# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a job loads again after a preemption, a stop, or another job before it.

Largest observed values, no bounds (docs/regulation.md, section 8).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from laxity.contention.experiments import (
    Preemption,
    Program,
    drained_ns,
    for_each,
    preempted_ns,
    progress,
    repeated,
    stopped,
)
from laxity.contention.plan import POLICIES
from laxity.contention.table import (
    STEP_BYTES_PER_S,
    Load,
    Preempted,
    Repeated,
    Stopped,
    with_margin,
)
from laxity.contention.windows import Pair, Progress
from laxity.core.progress import Countdown
from laxity.errors import ConfigError
from laxity.platform.platform_checks import settings_of_values
from laxity.platform.platform_file import PlatformModel

_LINE_BYTES = 32
# Of a plan that stops a load once.
_PERIOD_NS = 10_000
_STOP_LATENCY_NS = 10_000
_NEVER_NS = 3600 * 10**9
_MOST_BYTES = 1 << 34


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
    display: Countdown,
) -> tuple[int, list[Pair]]:
    """Simulate jobs that find the caches full of dirty lines of another program.

    `after_own` does so with lines of jobs of their own.

    Args:
        program: Of the job.
        preceding: The other program.
        loads: One for each job, besides a job alone.
        display: Shows how many jobs are done.

    Returns:
        Execution time alone in ns, and the job alone with the job with each load.

    Raises:
        LaxityError: It cannot be simulated.
    """
    alone, *others = for_each(
        [None, *loads], lambda load: progress(program, load, preceding), display
    )
    dirty_ns, dirty = alone
    return dirty_ns, [(dirty, course) for _, course in others]


def after_own(
    program: Program, jobs: Sequence[Loaded], display: Countdown
) -> tuple[Repeated, list[tuple[int, Progress]], list[Pair]]:
    """Simulate jobs that each follow one of the same task, alone and with loads.

    Args:
        program: Of the jobs.
        jobs: With loads, their caches empty at the start.
        display: Shows how many loads are done.

    Returns:
        What the table says of them, the jobs alone as `progress` returns one, and each with the
        same job with each load.

    Raises:
        LaxityError: It cannot be simulated.
    """
    period_ns = 2 * max(job.took_ns for job in jobs)
    alone, *others = for_each(
        [None, *(job.load for job in jobs)],
        lambda load: repeated(program, load, period_ns),
        display,
    )
    return (
        Repeated(kind="observed", n=len(alone), most_ns=max(took_ns for took_ns, _ in alone)),
        alone,
        [
            (course, loaded)
            for later in others
            for (_, course), (_, loaded) in zip(alone, later, strict=True)
        ],
    )


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


def cold_of(
    program: Program,
    preempting: tuple[str, ...],
    begins_ns: Sequence[int],
    solo_ns: int,
    display: Countdown,
) -> list[int]:
    """Find how much longer a job takes from each checkpoint on with its caches full of other lines.

    Args:
        program: Of the job.
        preempting: Program that fills the caches at the checkpoint.
        begins_ns: When the checkpoints are passed, since the start of the job.
        solo_ns: Execution time alone.
        display: Shows how many jobs are done.

    Raises:
        LaxityError: It cannot be simulated.
    """

    def longer_ns(at_ns: int) -> int:
        took_ns = preempted_ns(program, None, Preemption(preempting, at_ns)) if at_ns else None
        return 0 if took_ns is None else with_margin(max(took_ns - solo_ns, 0))

    return for_each(begins_ns, longer_ns, display)


def stopped_of(
    program: Program,
    worst: Loaded,
    n: int,
    solo: Progress,
    is_level_shared: bool,
    display: Countdown,
) -> Stopped:
    """Stop a load for good at `n` points of a job, once in each simulation.

    Args:
        program: Of the job.
        worst: The job with the load.
        n: Stops, evenly spread.
        solo: The job alone.
        is_level_shared: The load can evict lines of the job.
        display: Shows how many jobs are done.

    Raises:
        ConfigError: No stop came within a job.
        LaxityError: It cannot be simulated.
    """
    load = worst.load
    assert load is not None  # noqa: S101 - for mypy
    core = load.cpus[0]
    course, traffic, _ = stopped(program, load, _stopping(core, _MOST_BYTES), _STOP_LATENCY_NS)
    own_bytes = float(np.ptp(solo.traffic_bytes))

    def moved_bytes(part: float) -> int:
        """Estimate what the load has moved until a part of the job is over."""
        at_ns = course.times_ns[0] + part * np.ptp(course.times_ns)
        return max(int(traffic[int(at_ns) // _PERIOD_NS - 1] - part * own_bytes), 1)

    def reload(number: int) -> tuple[int, int] | None:
        plan = _stopping(core, moved_bytes((2 * number + 1) / (2 * n)))
        found, _, still_ns = stopped(program, load, plan, _STOP_LATENCY_NS)
        if still_ns is None:
            return None
        executed = np.interp(still_ns, found.times_ns, found.instructions)
        alone_ns = solo.times_ns[-1] - np.interp(executed, solo.instructions, solo.times_ns)
        lost_ns = found.times_ns[-1] - still_ns - alone_ns
        return max(round(lost_ns), 0), still_ns - int(found.times_ns[0])

    stops = [stop for stop in for_each(range(n), reload, display) if stop is not None]
    if not stops:
        msg = f"{program.workload}: the load was not stopped within a job; use --preempt none"
        raise ConfigError(msg)
    reload_ns, at_ns = max(stops)
    return Stopped(
        kind="observed",
        n=len(stops),
        reload_ns=reload_ns,
        at_ns=at_ns,
        load=load,
        queue_ns=drained_ns(program.model),
        is_level_shared=is_level_shared,
    )


def _stopping(core: int, n_bytes: int) -> str:
    """Write a plan that stops a load for good after a number of bytes."""
    numbers = {
        "task": 0,
        "core": core,
        "period_ns": _PERIOD_NS,
        "stop_latency_ns": _STOP_LATENCY_NS,
        "resume_latency_ns": 0,
        "mark_latency_ns": 0,
        "policy": POLICIES.index("budget"),
        "has_sensor": 1,
        "budget_ns": 0,
        "reload_ns": 0,
        "preemption_ns": 0,
        "lease_ns": _PERIOD_NS,
        "stop_ns": _STOP_LATENCY_NS,
        "mark_ns": 1,
        "refill_bytes": n_bytes,
        "refill_ns": _NEVER_NS,
        "phases": 1,
        "steps": 2,
        "step_bytes_per_s": STEP_BYTES_PER_S,
    }
    lines = [f"{name} {value}" for name, value in numbers.items()]
    lines += ["loss 0 0 0", "reserve 0 0 0", f"solo_from_ns {_NEVER_NS} 0"]
    lines += [f"solo_until_ns 0 {_NEVER_NS}"]
    return "".join(f"{line}\n" for line in lines)
