# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Tasks whose cache misses are watched, and what watching takes from them (Sebek, section 3.2)."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from laxity.core.progress import planned_s
from laxity.core.signals import Forwarder
from laxity.core.spec import NATIVE_PLATFORM, SampleBy, Spec, TaskSpec
from laxity.core.spec_reader import resolve_spec
from laxity.core.units import exact_duration
from laxity.errors import EXIT_DONE, EXIT_NO_VERDICT, ConfigError
from laxity.jobs.composite import Child, Composite, run_composite
from laxity.jobs.finish import Finished
from laxity.jobs.intrusion import Watched, intrusion_of
from laxity.jobs.rows import of_task
from laxity.jobs.run_once import RunRequest, prepare_spec, run_once
from laxity.platform.platform import Platform
from laxity.platform.platform_file import platform_in_run
from laxity.store.manifest import kind_of_figures
from laxity.store.run_directory import Run, open_run
from laxity.trace.data import read_attributions

UNOBSERVED, PILOT, OBSERVED = "unobserved", "pilot", "observed"
# Of a simulated platform: a task on each core that has any, above all others.
PROBE = "probe"
_PROBE_WORKLOAD = "empty"
_PROBE_PRIORITY = 99
_LONGEST_NS = 10**9


class Probe(StrEnum):
    """What reads the counters.

    Natively `task` is a thread above its task, or beside it on another CPU; simulated it is a task
    of its own. `free` reads at no cost.
    """

    FREE = "free"
    TASK = "task"
    INTERRUPT = "interrupt"


@dataclass(frozen=True, slots=True)
class MonitorRequest:
    """What is watched, and how.

    Attributes:
        spec: The tasks, without samples; what is counted is in it.
        name: Of the experiment.
        probe: What reads.
        every_ns: How often, or of a pilot, how often first.
        most_share: No task's jobs shall become longer by more; the pilot tells how often is read
            then. None: there is no pilot.
        above: Which samples are stored, as the key `sample_above` says it; None: all.
        final: Directory of the finished run.
        command_line: What was typed.
    """

    spec: Spec
    name: str
    probe: Probe
    every_ns: int
    most_share: float | None
    above: str | None
    final: Path
    command_line: list[str]
    allow_unprivileged: bool
    is_quiet: bool


def watched(spec: Spec, probe: Probe, every_ns: int, above: str | None = None) -> Spec:
    """Add the samples, and who takes them.

    Raises:
        ConfigError: They cannot be taken so, or not so often.
    """
    run: dict[str, Any] = {
        "platform": spec.platform,
        "events": list(spec.events),
        "counters": spec.counters,
    }
    run |= {"sample_bucket": exact_duration(every_ns), "sample_above": above}
    if probe is Probe.INTERRUPT:
        run["sample_by"] = SampleBy.INTERRUPT
    task = {
        "workload": _PROBE_WORKLOAD,
        "period": exact_duration(every_ns),
        "priority": _PROBE_PRIORITY,
    }
    # Refuses what a run refuses, and has a task of which only the name and the CPU are wanting.
    sampling = resolve_spec(run, [{"name": PROBE, **task}], [], 1)
    tasks = spec.tasks
    if probe is Probe.TASK and spec.platform != NATIVE_PLATFORM:
        tasks = (*tasks, *_probe_tasks(spec, sampling.tasks[0]))
    return msgspec.structs.replace(
        spec,
        tasks=tasks,
        sample_bucket_ns=sampling.sample_bucket_ns,
        sample_by=sampling.sample_by,
        sample_above=sampling.sample_above,
    )


def _probe_tasks(spec: Spec, task: TaskSpec) -> list[TaskSpec]:
    if spec.jobs is not None or spec.duration_ns is None:
        msg = (
            "--probe task: the task that reads has jobs of its own, so that a number of jobs "
            "(--jobs) is not the end of the others; write --duration in its place"
        )
        raise ConfigError(msg)
    for one in spec.tasks:
        if one.priority is not None and one.priority >= _PROBE_PRIORITY:
            msg = (
                f'--probe task: it has priority {_PROBE_PRIORITY}, and task "{one.name}" too; '
                f"write {_PROBE_PRIORITY - 1} or less there"
            )
            raise ConfigError(msg)
    cores = sorted({cpu for one in spec.tasks for cpu in one.cpus})
    return [
        msgspec.structs.replace(
            task, name=PROBE if len(cores) == 1 else f"{PROBE}-{core}", cpus=(core,)
        )
        for core in cores
    ]


def run_monitor(request: MonitorRequest, signals: Forwarder, platform: Platform) -> Finished:
    """Run the tasks unobserved, then observed; stored as one run.

    Raises:
        ConfigError: Samples cannot be taken so.
        LaxityError: As a run; what was measured before stays.
    """
    # What the spec says of samples is said by the request.
    asked = msgspec.structs.replace(
        request.spec,
        sample_bucket_ns=None,
        sample_cpu=None,
        sample_by=SampleBy.FREE,
        sample_above=None,
    )
    spec = prepare_spec(asked, platform)
    has_cost = request.probe is not Probe.FREE
    pilot = [PILOT] if has_cost and request.most_share is not None else []
    names = [*([UNOBSERVED] if has_cost else []), *pilot, OBSERVED]
    # Refused before anything runs.
    first = prepare_spec(watched(spec, request.probe, request.every_ns, request.above), platform)
    specs = dict.fromkeys(names, first) | {UNOBSERVED: _unobserved(spec, request)}

    def child(name: str) -> Child:
        def run(final: Path, signals: Forwarder) -> Finished:
            chosen = specs[name]
            if pilot and name == OBSERVED:
                every_ns = _chosen_ns(request, final.parent)
                chosen = prepare_spec(
                    watched(spec, request.probe, every_ns, request.above), platform
                )
            once = RunRequest(
                spec=chosen,
                name=name,
                final=final,
                command_line=request.command_line,
                allow_unprivileged=request.allow_unprivileged,
                is_quiet=request.is_quiet,
            )
            return run_once(once, signals, platform)

        return Child(name, run, is_needed=True, expected_s=planned_s(spec))

    whole = Composite(
        kind="monitor",
        name=request.name,
        final=request.final,
        command_line=request.command_line,
        seed=spec.seed,
        cpus=spec.tasks[0].cpus,
        fallbacks=(),
        children=tuple(child(name) for name in names),
        judge=_judge,
        platform=platform_in_run(spec.platform),
    )
    return run_composite(whole, signals, platform)


def _judge(directory: Path) -> tuple[int, str]:
    observed = open_run(directory / "runs" / OBSERVED)
    if observed.has_stream("counters") and len(observed.stream("counters")):
        return EXIT_DONE, ""
    return EXIT_NO_VERDICT, "no event could be counted, or no sample was taken: nothing was watched"


def _unobserved(spec: Spec, request: MonitorRequest) -> Spec:
    """On a machine nothing is read; a simulated one is read at no cost, so as to compare."""
    if spec.platform == NATIVE_PLATFORM:
        return spec
    return watched(spec, Probe.FREE, request.every_ns)


def _chosen_ns(request: MonitorRequest, runs: Path) -> int:
    """Choose how often is read, by what it takes in the pilot."""
    most = request.most_share
    share = max(_most_shares(open_run(runs / UNOBSERVED), open_run(runs / PILOT)), default=0.0)
    if most is None or share <= most:
        return request.every_ns
    return rounded_up_ns(request.every_ns * share / most)


def rounded_up_ns(least_ns: float) -> int:
    """Round up to 1, 2 or 5 of a decade; a second at most."""
    decade = 10.0 ** math.floor(math.log10(least_ns))
    steps = (round(step * decade) for step in (1, 2, 5, 10))
    return min(next(one for one in steps if one >= least_ns), _LONGEST_NS)


def _most_shares(unobserved: Run, observed: Run) -> Iterator[float]:
    names = [task.name for task in unobserved.manifest.tasks]
    before, after = (_watched_tasks(run, names) for run in (unobserved, observed))
    is_exact = kind_of_figures(observed.manifest) == "simulated"
    for index, alone in before.items():
        found = intrusion_of(alone, after[index])
        share = None if found is None else found.most_share(is_exact=is_exact)
        if share is not None:
            yield share


def _watched_tasks(run: Run, names: list[str]) -> dict[int, Watched]:
    rows = run.stream("jobs")
    of_tasks = {task.index: of_task(rows, task.index) for task in run.manifest.tasks}
    attributions = read_attributions(run, of_tasks, 0)
    return {
        index: Watched.of(jobs, attributions.get(index), names) for index, jobs in of_tasks.items()
    }
