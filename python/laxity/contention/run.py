# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Profiles a program under loads, and tries its table: many experiments, several at a time."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from laxity import __version__
from laxity.contention.charges import charged_ppm
from laxity.contention.delays import refine
from laxity.contention.document import (
    N_PAUSED,
    N_REPLAYS,
    N_SHARED,
    N_STARTS,
    Cell,
    Evaluation,
    Share,
)
from laxity.contention.experiments import (
    Program,
    check_programs,
    drained_ns,
    for_each,
    is_level_shared,
    progress,
    regulated,
)
from laxity.contention.optimum import largest_parallelism
from laxity.contention.paper import phase_overheads
from laxity.contention.plan import Policy, Terms, plan_of
from laxity.contention.reload import (
    Loaded,
    after_another,
    after_own,
    cold_of,
    preempted_of,
    stopped_of,
    worst_of,
)
from laxity.contention.replay import ReplayRun, replay, starts
from laxity.contention.reserve import reserves_of
from laxity.contention.table import (
    STEP_BYTES_PER_S,
    TABLE_SCHEMA,
    ContentionTable,
    Load,
    MeasuredLoad,
    Phase,
    checkpoints_of,
    envelopes_of,
    last_passages_of,
    longest_of,
    soonest_of,
    windows_above,
    with_margin,
)
from laxity.contention.trial import Trial
from laxity.contention.windows import (
    Pair,
    Progress,
    contended_ns_of,
    windows_of,
    windows_of_pairs,
)
from laxity.core.progress import Countdown
from laxity.errors import ConfigError
from laxity.platform.platform_file import PlatformModel, read_platform

_MILLION = 1_000_000
# Of a load that pauses by itself, for half of its time.
_PAUSES_NS = (20_000, 200_000, 2_000_000)
# A chord may be off by 0.5 points of overhead.
_CHORDS_PER_SOLO = 200


def loads_of(
    cpus: Sequence[int],
    reads: Sequence[int],
    delays: Sequence[int],
    placements: Sequence[Sequence[int]] = (),
    pauses: Sequence[tuple[int, int]] = (),
) -> list[Load]:
    """List loads of all placements, all reads, all delays; then loads that pause by themselves.

    Args:
        cpus: CPUs of loads; a placement takes the first of them.
        reads: Lines that a load reads, of ten.
        delays: Turns of its wait loop.
        placements: Factors of the delay, one for each CPU that has a load; none: on the first CPU,
            on the first two, and so on.
        pauses: Turns of a pause, and groups of lines between two pauses. Such loads have the first
            two of `reads`, and no delay.

    Raises:
        ConfigError: There are fewer CPUs than a placement takes, or a number of CPUs is left out.
    """
    placements = placements or [[1] * (n + 1) for n in range(len(cpus))]
    sizes = {len(factors) for factors in placements}
    if max(sizes) > len(cpus):
        msg = f"--placements: a placement has loads on {max(sizes)} CPUs, there are {len(cpus)}"
        raise ConfigError(msg)
    if len(sizes) < max(sizes):
        msg = f"--placements: add some, with loads on each number of CPUs from 1 to {max(sizes)}"
        raise ConfigError(msg)
    continuous = [
        Load(reads=of_ten, delay=delay, cpus=list(cpus[: len(factors)]), factors=list(factors))
        for factors in placements
        for of_ten in reads
        for delay in delays
    ]
    return continuous + [
        Load(reads=of_ten, delay=0, cpus=list(cpus[:n]), pause=pause, groups=groups)
        for n in sorted(sizes)
        for of_ten in reads[:2]
        for pause, groups in pauses
    ]


def profile_program(
    program: Program,
    loads: Sequence[Load],
    display: Countdown,
    *,
    is_adaptive: bool = False,
    preempting: tuple[str, ...] = (),
    n_preemptions: int = 0,
) -> ContentionTable:
    """Simulate a program alone and with each load; bound what it loses by the traffic.

    Args:
        program: What is profiled.
        loads: Of the profile.
        display: Shows how many loads are done.
        is_adaptive: Each load has delays from 0 to 8000, with more where its effect bends.
        preempting: Program that precedes and preempts the job; none: nothing does.
        n_preemptions: By it, alone and with the worst load; stops of that load.

    Raises:
        ConfigError: Loads evict lines of the job, and nothing is to precede and preempt it.
        LaxityError: As the simulation.
    """
    cpus = max((load.cpus for load in loads), key=len)
    queue_ns = reload_ns = drained_ns(program.model)
    is_shared = is_level_shared(program.model, program.cpu, cpus)
    if is_shared and not preempting:
        msg = (
            f"{program.platform}: the last cache level is shared by CPUs {program.cpu} and "
            f"{', '.join(map(str, cpus))}, so that a stop costs reloads; leave out --preempt none, "
            "partition that level, or leave out CPUs by --load-cpus"
        )
        raise ConfigError(msg)
    check_programs(program, preempting)
    solo_ns, solo = progress(program, None)

    def measure(load: Load) -> list[tuple[Load, tuple[int, Progress]]]:
        return (
            _along_delays(program, load, solo_ns)
            if is_adaptive and load.pause == 0
            else [(load, progress(program, load))]
        )

    done = [pair for pairs in for_each(loads, measure, display) for pair in pairs]
    loads, measured = [load for load, _ in done], [job for _, job in done]
    checkpoints = checkpoints_of(solo, solo_ns)
    begins_ns = [0, *(at_ns for at_ns, _ in checkpoints)]
    loaded = [course for _, course in measured]
    points = [checkpoint for _, checkpoint in checkpoints]
    worst = worst_of([Loaded(load, job[0]) for load, job in done])
    repeated, later, own = after_own(program, worst, display)
    pairs = [*((solo, course) for course in loaded), *own]
    jobs = [(ns, course.marks, course.marks_ns) for ns, course in [(solo_ns, solo), *later]]
    soonest_ns = soonest_of(points, [(marks, marks_ns) for _, marks, marks_ns in jobs])
    longest_ns = longest_of(points, jobs)
    curves, contended_ns = _bounds_of(pairs, solo, begins_ns)
    shared: list[list[int]] = [[]] * len(curves)
    shared_contended_ns = None
    preempted = stopped = None
    cold_ns = [0] * len(begins_ns)
    if preempting:
        dirty_ns, more = after_another(program, preempting, [job.load for job in worst], display)
        shared, shared_contended_ns = _bounds_of([*pairs, *more], solo, begins_ns)
        # The last step stands for all traffic above.
        curves = [[*loss, *loss[-1:] * (len(shared[0]) - len(loss))] for loss in curves]
        preempted = preempted_of(
            program,
            preempting,
            n_preemptions,
            dirty_ns,
            (Loaded(None, solo_ns), worst[-1]),
            display,
        )
        stopped = stopped_of(program, worst[-1], n_preemptions, solo, is_shared, display)
        if is_shared:
            reload_ns = max(queue_ns, with_margin(stopped.reload_ns))
            cold_ns = cold_of(program, preempting, begins_ns, solo_ns, display)
    reserves = reserves_of(solo, loaded, begins_ns, len(curves[0]), STEP_BYTES_PER_S)
    # Blin et al. have no loads that pause.
    constant = [
        (load, course) for load, course in zip(loads, loaded, strict=True) if load.pause == 0
    ]
    overheads = phase_overheads(
        solo, begins_ns, [load for load, _ in constant], [course for _, course in constant]
    )
    return ContentionTable(
        schema=TABLE_SCHEMA,
        version=__version__,
        platform=program.platform,
        platform_sha256=platform_sha256(program.model),
        workload=program.workload,
        args=list(program.args),
        cpu=program.cpu,
        solo_ns=solo_ns,
        solo_traffic_bytes_per_s=_traffic_of(solo),
        reload_ns=reload_ns,
        step_bytes_per_s=STEP_BYTES_PER_S,
        last_passages=last_passages_of(solo),
        phases=[
            Phase(
                checkpoint=checkpoint,
                begins_ns=at_ns,
                soonest_ns=soonest,
                latest_ns=latest,
                rest_ns=rest,
                loss=loss,
                shared_loss=shared_loss,
                cold_ns=of_cold_ns,
                reserve_ns=reserve_ns,
                overheads=of_phase,
            )
            for (
                at_ns,
                checkpoint,
            ), soonest, (latest, rest), loss, shared_loss, of_cold_ns, reserve_ns, of_phase in zip(
                [(0, None), *checkpoints],
                soonest_ns,
                longest_ns,
                curves,
                shared,
                cold_ns,
                reserves,
                overheads,
                strict=True,
            )
        ],
        loads=[
            measured_load(load, solo_ns, took_ns, course)
            for load, (took_ns, course) in zip(loads, measured, strict=True)
        ],
        contended_ns=contended_ns,
        shared_contended_ns=shared_contended_ns,
        repeated=repeated,
        preempted=preempted,
        stopped=stopped,
    )


def _bounds_of(
    pairs: Sequence[Pair], solo: Progress, begins_ns: Sequence[int]
) -> tuple[list[list[int]], int]:
    """Bound what a job loses: in windows of each phase, and as a whole in ns."""
    curves = envelopes_of(windows_of_pairs(pairs, solo), begins_ns)
    return curves, contended_ns_of(solo, chain.from_iterable(pairs))


def _along_delays(
    program: Program, load: Load, solo_ns: int
) -> list[tuple[Load, tuple[int, Progress]]]:
    """Simulate a load with delays between which the overhead is a line to 0.5 points."""
    done: dict[int, tuple[int, Progress]] = {}

    def took_ns(delay: int) -> int:
        if delay not in done:
            done[delay] = progress(program, msgspec.structs.replace(load, delay=delay))
        return done[delay][0]

    refine(took_ns, solo_ns // _CHORDS_PER_SOLO)
    return [(msgspec.structs.replace(load, delay=delay), done[delay]) for delay in sorted(done)]


def program_of(table: ContentionTable) -> Program:
    """Find what a table is of.

    Raises:
        ConfigError: The platform, or laxity, is not that of the profile.
    """
    if table.is_native:
        msg = (
            "the table is of a machine without a sensor: it bounds no loss by traffic; try it with "
            "laxity run --regulate, or profile on a simulated platform"
        )
        raise ConfigError(msg)
    model = read_platform(table.platform)
    check_made_here(table, model, f"{table.platform} has changed since the profile; profile again")
    return Program(model, table.platform, table.workload, tuple(table.args), table.cpu)


def check_made_here(table: ContentionTable, model: PlatformModel, otherwise: str) -> None:
    """Refuse a table of another version or platform, or with a K that is too small for it.

    Args:
        table: Read from a file.
        model: The platform.
        otherwise: Message where the platform is another.

    Raises:
        ConfigError: It is such a table.
    """
    if table.version != __version__:
        msg = f"the table is of laxity {table.version}, this is {__version__}; profile again"
        raise ConfigError(msg)
    if platform_sha256(model) != table.platform_sha256:
        raise ConfigError(otherwise)
    least_ns = drained_ns(model)
    if table.reload_ns < least_ns:
        msg = (
            f"reload_ns is {table.reload_ns}, full queues of {table.platform} take {least_ns} ns; "
            "profile again"
        )
        raise ConfigError(msg)
    is_shared = is_level_shared(model, table.cpu, table.load_cpus)
    if is_shared and (table.preempted is None or not table.is_level_shared):
        msg = f"loads of {table.platform} evict lines of the job, whose reload the table lacks; "
        raise ConfigError(msg + "profile again")


def solo_progress(table: ContentionTable, program: Program) -> tuple[int, Progress]:
    """Simulate the job alone, as `progress` does.

    Raises:
        ConfigError: It takes another time than when it was profiled.
        LaxityError: As the simulation.
    """
    solo_ns, solo = progress(program, None)
    if solo_ns != table.solo_ns:
        msg = (
            f"{table.workload} takes {solo_ns} ns alone, {table.solo_ns} ns when it was profiled; "
            "the program has changed: profile again"
        )
        raise ConfigError(msg)
    return solo_ns, solo


def platform_sha256(model: PlatformModel) -> str:
    """Hash the text of the platform file."""
    return hashlib.sha256(model.text).hexdigest()


@dataclass(frozen=True, slots=True)
class Tried:
    """A load: its cell for each policy, and its part of each share."""

    cells: list[Cell]
    shares: list[tuple[int, int]]


def evaluate_table(
    table: ContentionTable,
    policies: Sequence[Terms],
    thetas_ppm: Sequence[int],
    loads: Sequence[Load],
    display: Countdown,
    kept: Path | None = None,
) -> Trial:
    """Simulate the program with each load, unregulated and regulated, and replay regulated jobs.

    Args:
        table: That is tried.
        policies: What decides, one theta for all of them.
        thetas_ppm: Replayed in addition; of policy `sound` those that last for one permission.
        loads: With which the program runs.
        display: Shows how many loads are done.
        kept: As of `Program`.

    Raises:
        ConfigError: As `program_of` and `plan_of`.
        LaxityError: As the simulation.
    """
    program = replace(program_of(table), kept=kept)
    solo_ns, solo = solo_progress(table, program)
    made, table = table, table.of_cold_jobs()
    if table.is_level_shared:
        # The caches are full of lines of the load when the job starts.
        solo_ns = made.shared_ns or solo_ns
        table = made.for_cpu(is_shared=True)
        policies = [replace(terms, solo_ns=solo_ns) for terms in policies]
    period_ns = policies[0].regulate.period_ns
    others = [
        terms.with_theta(theta_ppm)
        for terms in policies
        for theta_ppm in thetas_ppm
        if terms.policy != "sound" or theta_ppm >= terms.least_theta_ppm(table)
    ]
    few = starts(period_ns, N_SHARED)

    def share_of(terms: Terms, course: Progress) -> tuple[int, int]:
        """Return the largest overhead and the smallest parallelism of few starts."""
        jobs = replay(plan_of(table, terms), solo, course, few)
        return (
            max(_overhead_ppm(job.execution_ns, solo_ns) for job in jobs),
            min(job.allowed_ns * _MILLION // job.execution_ns for job in jobs),
        )

    def try_load(load: Load) -> Tried:
        took_ns, course = progress(program, load)
        jobs = _Jobs(table, program, load, solo_ns, took_ns, solo, course)
        shares = [share_of(replace(terms, n_loads=len(load.cpus)), course) for terms in others]
        shares += [(theta_ppm, jobs.optimum_ppm(theta_ppm)) for theta_ppm in thetas_ppm]
        return Tried([_cell_of(jobs, terms) for terms in policies], shares)

    tried = for_each(loads, try_load, display)
    named: list[tuple[Policy | Literal["optimum"], int]] = [
        *((terms.policy, terms.regulate.theta_ppm) for terms in others),
        *(("optimum", theta_ppm) for theta_ppm in thetas_ppm),
    ]
    return Trial(
        table=made,
        evaluations=[
            Evaluation(
                schema=1,
                kind="simulated",
                solo_ns=solo_ns,
                policy=terms.policy,
                theta_ppm=terms.regulate.theta_ppm,
                cells=[load.cells[i] for load in tried],
            )
            for i, terms in enumerate(policies)
        ],
        shares=[
            Share(
                policy=policy,
                theta_ppm=theta_ppm,
                lost_ppm=[load.shares[i][0] for load in tried],
                parallelism_ppm=[load.shares[i][1] for load in tried],
            )
            for i, (policy, theta_ppm) in enumerate(named)
        ],
    )


@dataclass(frozen=True, slots=True)
class _Jobs:
    """A job alone and with a load that is never stopped."""

    table: ContentionTable
    program: Program
    load: Load
    solo_ns: int
    took_ns: int
    solo: Progress
    course: Progress

    def optimum_ppm(self, theta_ppm: int) -> int:
        """Return the most that a regulator could allow."""
        budget_ns = self.solo_ns * theta_ppm // _MILLION
        return round(largest_parallelism(self.solo, self.course, budget_ns) * _MILLION)


def _cell_of(jobs: _Jobs, terms: Terms) -> Cell:
    """Simulate a regulated job, and replay more of them."""
    period_ns, solo_ns = terms.regulate.period_ns, jobs.solo_ns
    trials = starts(period_ns, N_STARTS)
    for pause_ns in _PAUSES_NS:
        trials += starts(period_ns, N_PAUSED // len(_PAUSES_NS), pause_ns)
    windows = windows_of(jobs.solo, jobs.course)
    plan = plan_of(jobs.table, replace(terms, n_loads=len(jobs.load.cpus)))
    run = regulated(jobs.program, jobs.load, plan)
    first = ReplayRun(int(jobs.solo.times_ns[0]))
    same, *others = replay(plan, jobs.solo, jobs.course, [first, *trials])
    n_outside = sum(job.is_void or job.is_beyond for job in others)
    return Cell(
        load=measured_load(jobs.load, solo_ns, jobs.took_ns, jobs.course),
        regulated_ppm=_overhead_ppm(run.execution_ns, solo_ns),
        replayed_ppm=max(_overhead_ppm(job.execution_ns, solo_ns) for job in others),
        difference_ppm=_overhead_ppm(solo_ns + run.execution_ns - same.execution_ns, solo_ns),
        parallelism_ppm=int(run.parallelism * _MILLION),
        optimum_ppm=jobs.optimum_ppm(terms.regulate.theta_ppm),
        stops=run.stops,
        windows=len(windows.loss),
        windows_above=windows_above(jobs.table, windows),
        charged_ppm=charged_ppm(jobs.table, jobs.solo, jobs.course, period_ns),
        remark=run.remark or _remark_of_replays(n_outside),
    )


def _remark_of_replays(n_outside: int) -> str:
    """Say how many replayed jobs were outside the profile; empty: none."""
    of_all = f"{n_outside} of {N_REPLAYS} replayed jobs"
    return f"{of_all} ran longer or had more traffic than profiled" if n_outside else ""


def measured_load(load: Load, solo_ns: int, took_ns: int, course: Progress) -> MeasuredLoad:
    """Say what a load costs a job that takes `solo_ns` alone, `took_ns` with it."""
    return MeasuredLoad(
        **msgspec.structs.asdict(load),
        overhead_ppm=_overhead_ppm(took_ns, solo_ns),
        traffic_bytes_per_s=_traffic_of(course),
    )


def _traffic_of(course: Progress) -> int:
    """Return the mean traffic of the platform during a job."""
    bytes_each_ns = np.ptp(course.traffic_bytes) / np.ptp(course.times_ns)
    return int(bytes_each_ns * 1e9)


def _overhead_ppm(took_ns: int, solo_ns: int) -> int:
    """Round an overhead up to parts per million."""
    return -((solo_ns - took_ns) * _MILLION // solo_ns)
