# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A contention table of this machine, which needs no sensor of its traffic.

All time in which loads run may be lost: no rate is measured, and none is assumed to be below 1. The
marks of the job give back what was not lost (docs/regulation.md, 11). So a table has the longest
times until each checkpoint and from there on, and what a stop costs afterwards.
"""

import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from laxity import __version__
from laxity.contention.plan import KEPT_TABLE, Terms, plan_of
from laxity.contention.table import (
    RATE_ONE,
    STEP_BYTES_PER_S,
    TABLE_SCHEMA,
    Checkpoint,
    ContentionTable,
    Load,
    MeasuredLoad,
    Phase,
    Repeated,
    Stopped,
    checkpoints_of,
    last_passages_of,
    longest_of,
    signed,
    with_margin,
)
from laxity.contention.windows import IntArray, Progress
from laxity.core.cpus import format_cpus
from laxity.core.percent import format_percent, percent
from laxity.core.regulate_table import resolve_regulate
from laxity.core.signals import forwarded_signals
from laxity.core.spec import NATIVE_PLATFORM, Policy, RegulateTable, Spec
from laxity.core.spec_reader import resolve_spec
from laxity.core.streams import MarkKind
from laxity.core.units import exact_duration, format_duration_ns
from laxity.errors import EXIT_DONE, ConfigError, NoVerdict
from laxity.jobs import rows
from laxity.jobs.run_once import RunRequest, prepare_spec, run_once
from laxity.page.columns import Column, figures_of
from laxity.platform.facts import collect_facts
from laxity.platform.machine import describe_machine
from laxity.platform.plan import REGULATION_PLAN
from laxity.store.run_directory import Run, open_run

_MILLION = 1_000_000
# An effect is at least three times what changes without it.
_DRIFTS = 3
# Of a job in a table that promises nothing: no job is longer.
_ENDLESS_NS = 3600 * 10**9
# As the profile of a simulated platform: lines are written, without a pause.
_LOAD = ("8MiB", "0", "0")
# native/guard/guard.h
GUARD_PRIORITY = 50
_BEST_EFFORT_PRIORITY = 1


@dataclass(frozen=True, slots=True)
class NativeProgram:
    """What is profiled on this machine.

    Attributes:
        workload: Name of the workload.
        args: Its arguments.
        cpu: CPU of the job.
        load_cpus: CPUs of the loads.
        period_ns: Between two jobs.
        jobs: Of each of three runs.
    """

    workload: str
    args: tuple[str, ...]
    cpu: int
    load_cpus: tuple[int, ...]
    period_ns: int
    jobs: int


@dataclass(frozen=True, slots=True)
class NativeJob:
    """A job of a run.

    Attributes:
        took_ns: From its start to its end.
        marks: Phases that begin in it, in the order of time; shape (mark,).
        marks_ns: When each begins, since the start; shape (mark,).
    """

    took_ns: int
    marks: IntArray
    marks_ns: IntArray

    @property
    def course(self) -> Progress:
        """Its marks, as those of a simulated job."""
        none = np.empty(0)
        return Progress(none, none, none, self.marks, self.marks_ns)


def this_machine_hash() -> str:
    """Hash what of this machine does not change."""
    return describe_machine(collect_facts()).hash


def check_made_on_this_machine(table: ContentionTable) -> None:
    """Refuse a table of another version or machine.

    Raises:
        ConfigError: It is such a table.
    """
    if table.version != __version__:
        msg = f"the table is of laxity {table.version}, this is {__version__}; profile again"
        raise ConfigError(msg)
    if not table.is_native or table.platform_sha256 != this_machine_hash():
        of = "another machine" if table.is_native else f"platform {table.platform}"
        msg = f"is of {of}, or this machine has changed since the profile; profile again here"
        raise ConfigError(msg)


def profile_native(program: NativeProgram, say: Callable[[str], None]) -> ContentionTable:
    """Run jobs alone, with loads between them, and with loads all the time.

    Jobs with loads between them begin with caches full of lines of the loads, and run alone: they
    tell how long a job takes, and what is loaded again after a stop.

    Args:
        program: What is profiled.
        say: Gets what begins, for people.

    Raises:
        ConfigError: The program, or a CPU, cannot be.
        NoVerdict: A run ended without its jobs.
        LaxityError: As a run.
    """
    with tempfile.TemporaryDirectory(prefix="laxity-contention-") as folder:
        place = Path(folder)
        say(f"{program.jobs} jobs alone")
        alone = _jobs_of(_run(program, place / "alone", with_load=False))
        say(f"{program.jobs} jobs, loads between them")
        plan = pauses_table(program, alone)
        cold = _jobs_of(_run(program, place / "cold", with_load=True, plan=plan))
        say(f"{program.jobs} jobs, loads all the time")
        loaded = _jobs_of(_run(program, place / "loaded", with_load=True))
    return signed(table_of(program, alone, cold, loaded))


def _run(
    program: NativeProgram, final: Path, *, with_load: bool, plan: ContentionTable | None = None
) -> Run:
    spec = _spec_of(program, with_load=with_load)
    kept: dict[str, bytes] = {}
    if plan is not None:
        regulate = resolve_regulate(RegulateTable(theta="0%"), spec.tasks[0].name, is_native=True)
        spec = as_best_effort(msgspec.structs.replace(spec, regulate=regulate))
        terms = Terms(regulate, program.load_cpus[0])
        kept = {REGULATION_PLAN: plan_of(plan, terms, is_checked=False).encode("ascii")}
        kept[KEPT_TABLE] = msgspec.json.encode(plan)
    request = RunRequest(
        spec=spec,
        name=final.name,
        final=final,
        command_line=["laxity", "contention", "profile"],
        is_quiet=True,
        kept=kept,
    )
    with forwarded_signals() as signals:
        finished = run_once(request, signals)
    if finished.manifest.exit_code != EXIT_DONE:
        msg = f"{final.name}: {finished.manifest.message or 'the run was not complete'}"
        raise NoVerdict(msg)
    return open_run(final)


def _spec_of(program: NativeProgram, *, with_load: bool) -> Spec:
    task = {
        "workload": program.workload,
        "args": list(program.args),
        "period": exact_duration(program.period_ns),
        "deadline": "none",
        "cpus": str(program.cpu),
    }
    load = {"workload": "load", "args": list(_LOAD), "cpus": format_cpus(program.load_cpus)}
    run = {"jobs": program.jobs + 1}
    return prepare_spec(resolve_spec(run, [task], [load] if with_load else [], 1))


def _jobs_of(run: Run) -> list[NativeJob]:
    """Read the jobs of a run; the first is left out, which finds its pages for the first time."""
    done = rows.finished(rows.in_order(rows.of_task(run.stream("jobs"), 0)))[1:]
    if len(done) == 0:
        msg = f"{run.path.name}: no job was finished; use a longer period"
        raise NoVerdict(msg)
    marks = run.stream("probe") if run.has_stream("probe") else None
    return [_job_of(row, marks) for row in done]


def _job_of(row: Any, marks: Any) -> NativeJob:  # noqa: ANN401 - as streams
    begin_ns, end_ns = int(row["start_ns"]), int(row["finish_ns"])
    none = np.empty(0, dtype=np.int64)
    if marks is None:
        return NativeJob(end_ns - begin_ns, none, none)
    times_ns = np.ma.getdata(marks["time_ns"])
    first, last = np.searchsorted(times_ns, [begin_ns, end_ns])
    mine = marks[first:last]
    mine = mine[np.ma.getdata(mine["kind"]) == MarkKind.PHASE]
    return NativeJob(
        end_ns - begin_ns,
        np.ma.getdata(mine["probe"]).astype(np.int64),
        np.ma.getdata(mine["time_ns"]).astype(np.int64) - begin_ns,
    )


def as_best_effort(spec: Spec) -> Spec:
    """Give co-runners the policy under which nothing of their CPU is theirs while it is held.

    An ordinary task that has waited for a second gets some of a CPU even while a guard holds it.

    Raises:
        ConfigError: A co-runner has a priority that a guard does not exceed.
    """
    ordinary = [work.policy is Policy.OTHER for work in spec.interfere]
    for work, is_ordinary in zip(spec.interfere, ordinary, strict=True):
        if not is_ordinary and (work.priority or 0) >= GUARD_PRIORITY:
            msg = (
                f"[[interfere]] {work.runs}: priority {work.priority}; a guard has "
                f"{GUARD_PRIORITY}, write less"
            )
            raise ConfigError(msg)
    interfere = tuple(
        msgspec.structs.replace(work, policy=Policy.RR, priority=_BEST_EFFORT_PRIORITY)
        if is_ordinary
        else work
        for work, is_ordinary in zip(spec.interfere, ordinary, strict=True)
    )
    return msgspec.structs.replace(spec, interfere=interfere)


def pauses_table(program: NativeProgram, alone: Sequence[NativeJob]) -> ContentionTable:
    """Make a table with which no load runs during a job, however long that is."""
    return _table(
        program,
        _ENDLESS_NS,
        [_phase(None, 0)],
        _last_passages(alone),
        reload_ns=0,
        overhead_ppm=0,
    )


def table_of(
    program: NativeProgram,
    alone: Sequence[NativeJob],
    cold: Sequence[NativeJob],
    loaded: Sequence[NativeJob],
) -> ContentionTable:
    """Make a table of jobs alone, with loads between them, and with loads all the time.

    Args:
        program: What they are of.
        alone: At least one job, as each of the others.
        cold: Alone as well, after loads have filled the caches.
        loaded: With loads.
    """
    usual = sorted(cold, key=lambda job: job.took_ns)[len(cold) // 2]
    quiet_ns, busy_ns = (
        float(np.median([job.took_ns for job in jobs])) for jobs in (alone, loaded)
    )
    chosen = checkpoints_of(usual.course, usual.took_ns)
    points = [point for _, point in chosen]
    jobs = [*alone, *cold]
    longest = longest_of(points, [(job.took_ns, job.marks, job.marks_ns) for job in jobs])
    most_ns = max(job.took_ns for job in jobs)
    reload_ns = max(max(job.took_ns for job in cold) - int(quiet_ns), 0)
    phases = [
        msgspec.structs.replace(_phase(point, at_ns), latest_ns=latest_ns, rest_ns=rest_ns)
        for (at_ns, point), (latest_ns, rest_ns) in zip([(0, None), *chosen], longest, strict=True)
    ]
    table = _table(
        program,
        usual.took_ns,
        phases,
        _last_passages(jobs),
        reload_ns=with_margin(reload_ns),
        overhead_ppm=round((busy_ns / quiet_ns - 1) * _MILLION),
    )
    load = table.loads[0]
    return msgspec.structs.replace(
        table,
        drift_ppm=_drift_ppm(alone),
        repeated=Repeated(kind="observed", n=len(jobs), most_ns=most_ns),
        # The reload is not in the queues: no core waits for them when it is to stop.
        stopped=Stopped(
            kind="observed",
            n=len(cold),
            reload_ns=reload_ns,
            at_ns=0,
            load=Load(reads=load.reads, delay=load.delay, cpus=load.cpus),
            queue_ns=0,
            is_level_shared=True,
        ),
    )


def _drift_ppm(alone: Sequence[NativeJob]) -> int:
    """Tell how far the medians of the first and of the second half of the jobs are apart."""
    times_ns = [job.took_ns for job in alone]
    middle = len(times_ns) // 2
    if middle == 0:
        return 0
    before, after = float(np.median(times_ns[:middle])), float(np.median(times_ns[middle:]))
    return round(abs(after / before - 1) * _MILLION)


def _table(
    program: NativeProgram,
    solo_ns: int,
    phases: list[Phase],
    last_passages: list[Checkpoint],
    *,
    reload_ns: int,
    overhead_ppm: int,
) -> ContentionTable:
    load = MeasuredLoad(
        reads=0,
        delay=0,
        cpus=list(program.load_cpus),
        overhead_ppm=overhead_ppm,
        traffic_bytes_per_s=None,
    )
    return ContentionTable(
        schema=TABLE_SCHEMA,
        version=__version__,
        platform=NATIVE_PLATFORM,
        platform_sha256=this_machine_hash(),
        workload=program.workload,
        args=list(program.args),
        cpu=program.cpu,
        solo_ns=solo_ns,
        solo_traffic_bytes_per_s=None,
        reload_ns=reload_ns,
        step_bytes_per_s=STEP_BYTES_PER_S,
        last_passages=last_passages,
        phases=phases,
        loads=[load],
    )


def _phase(checkpoint: Checkpoint | None, begins_ns: int) -> Phase:
    """Make a phase in which all time with loads may be lost, whatever the traffic."""
    steps = 2
    return Phase(
        checkpoint=checkpoint,
        begins_ns=begins_ns,
        loss=[RATE_ONE] * steps,
        reserve_ns=[0] * steps,
        overheads=[],
    )


def _last_passages(jobs: Iterable[NativeJob]) -> list[Checkpoint]:
    """List the marks of all jobs, and how often a job passes each at most."""
    most: dict[int, Checkpoint] = {}
    for job in jobs:
        for last in last_passages_of(job.course):
            if last.mark not in most or most[last.mark].passage < last.passage:
                most[last.mark] = last
    return [most[mark] for mark in sorted(most)]


def native_document(table: ContentionTable) -> dict[str, Any]:
    """Write what a profile of this machine found for programs; the table itself is a file."""
    return {
        "schema": 1,
        "program": " ".join([table.workload, *table.args]),
        "platform": table.platform,
        "cpu": table.cpu,
        "figures": figures_of(_COLUMNS, table),
    }


def native_text(table: ContentionTable) -> str:
    """Say what a regulator needs to know of the job, and what it can promise."""
    load = table.loads[0]
    least = format_percent(_least_theta_ppm(table))
    n_phases, n = len(table.phases), _n_jobs(table)
    drift_ppm = table.drift_ppm or 0
    shown = ""
    if abs(load.overhead_ppm) < _DRIFTS * drift_ppm:
        shown = (
            f" That shows no effect: jobs alone changed by {percent(drift_ppm)} from the first to "
            "the second half of their run."
        )
    longer = "longer" if load.overhead_ppm >= 0 else "less"
    parts = "one part; it has no mark that gives a part back (laxity_phase)"
    if n_phases > 1:
        parts = f"{n_phases} parts; the mark between two parts gives back what was not lost"
    lines = [
        f"A job takes {format_duration_ns(table.longest_ns)} at most and "
        f"{format_duration_ns(table.solo_ns)} usually, alone, after loads have filled the caches "
        f"(measured, n = {n}).",
        f"With `load {' '.join(_LOAD)}` on CPUs {format_cpus(load.cpus)} all the time, a job "
        f"takes {percent(abs(load.overhead_ppm))} {longer} than without (measured, medians, "
        f"n = {n}).{shown}",
        f"After a stop the job loads again what loads have evicted, for at most "
        f"{format_duration_ns(table.reload_ns)} (observed, n = {n}, margin included).",
        "There is no sensor of the traffic: all time in which co-runners run counts as lost. "
        f"The job has {parts}.",
        f"A promise needs a theta of at least {least} (--theta; period, latencies by default).",
    ]
    return "".join(f"{line}\n" for line in lines)


def _n_jobs(table: ContentionTable) -> int:
    return 0 if table.stopped is None else table.stopped.n


def _least_theta_ppm(table: ContentionTable) -> int:
    regulate = resolve_regulate(RegulateTable(), table.workload, is_native=True)
    return Terms(regulate, table.load_cpus[0]).least_theta_ppm(table)


_COLUMNS = (
    Column("solo_ns", "alone", lambda table: table.solo_ns, "measured", n=_n_jobs),
    Column("longest_ns", "longest alone", lambda table: table.longest_ns, "measured", n=_n_jobs),
    Column("reload_ns", "after a stop", lambda table: table.reload_ns, "measured", n=_n_jobs),
    Column(
        "overhead_ppm",
        "with load",
        lambda table: table.loads[0].overhead_ppm,
        "measured",
        n=_n_jobs,
    ),
    Column("drift_ppm", "drift", lambda table: table.drift_ppm, "measured", n=_n_jobs),
    Column("phases", "phases", lambda table: len(table.phases), "measured", n=_n_jobs),
    Column("least_theta_ppm", "least theta", _least_theta_ppm, "modelled"),
)
