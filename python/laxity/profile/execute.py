# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Run programs in every scenario, in fresh processes, scenarios in turn, as one run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from laxity.core.executor import Workers
from laxity.core.signals import Forwarder
from laxity.core.spec import NATIVE_PLATFORM, SIMULATED, Spec
from laxity.core.spec_reader import resolve_spec
from laxity.core.units import exact_duration
from laxity.errors import PlatformError
from laxity.jobs.composite import Child, Composite, Display, run_composite
from laxity.jobs.finish import Finished
from laxity.jobs.rows import finished, response_time_ns
from laxity.jobs.run_once import RunRequest, prepare_spec, run_once
from laxity.platform.platform import Platform
from laxity.platform.platform_file import platform_in_run
from laxity.platform.tools import read_corunner
from laxity.profile.document import Analysis, Profile, ScenarioRecord, Unit
from laxity.profile.guests import NO_GUESTS, Guests
from laxity.profile.join import times_of_run
from laxity.profile.ratio_gate import judge_ratios
from laxity.profile.same import check_same, seed_of
from laxity.profile.scenario import Scenario
from laxity.profile.traffic import SAMPLES
from laxity.statistics.clusters import LEAST_PROCESSES
from laxity.store.run_directory import PROFILE, Run, open_run, write_document

_PILOT_JOBS = 3
_PILOT_PERIOD = "100ms"
# The period is so many times what a job of the pilot took at most, with the time to make its
# process: jobs seldom wait for one another.
_ROOM = 2
_OF_TARGETS = ("name", "workload", "args", "exec", "isolation")
_LEAST_PERIOD_NS = 1_000_000
# Between two samples: simulated, and on a machine (docs/simulation.md, docs/run-directory.md).
_LEAST_BUCKET_NS = (10_000, 100_000)


@dataclass(frozen=True, slots=True)
class ProfileRequest:
    """What is profiled, and where it is stored.

    Attributes:
        analyses: What is shown of it.
        targets: Tables of tasks as a spec has them; without a period: that of a pilot.
        scenarios: The task alone is the first.
        n_processes: Of each target in each scenario, at most.
        still_jobs: It ends when no maximum has moved for so many jobs; 0: after all processes.
        events: Counted in every job; none: only times are taken.
        has_samples: They are read within jobs, too, 200 times in one as long as the pilot's.
        run: The table `[run]`: jobs of each process, seed, platform.
        resolution_ns: Of the clock that releases jobs.
        final: Directory of the finished run.
        command_line: What was typed.
        workers: Who runs the processes; several only where they are simulated.
        display: Shows progress.
        guests: What belongs to targets that are programs of a suite.
        fail_on: Limits of ratios to the first target.
    """

    analyses: tuple[Analysis, ...]
    targets: tuple[Mapping[str, Any], ...]
    scenarios: tuple[Scenario, ...]
    n_processes: int
    still_jobs: int
    events: tuple[str, ...]
    has_samples: bool
    run: Mapping[str, Any]
    resolution_ns: int
    final: Path
    command_line: list[str]
    allow_unprivileged: bool
    workers: Workers
    display: Display
    guests: Guests = NO_GUESTS
    fail_on: tuple[str, ...] = ()


def run_profile(request: ProfileRequest, signals: Forwarder, platform: Platform) -> Finished:
    """Run all processes, those of one round of scenarios after each other.

    Raises:
        ConfigError: A program or a co-runner cannot be.
        LaxityError: As a run; what was measured before stays.
    """
    seed = seed_of(request.final, request.run.get("seed"))
    request = replace(request, run={**request.run, "seed": seed})
    units = [
        Unit(
            run=_name(request, target, scenario, process),
            target=target,
            scenario=scenario,
            process=process,
        )
        for process in range(request.n_processes)
        for target in _order(request, process)
        for scenario in range(len(request.scenarios))
    ]
    # Refused before anything runs; what a pilot finds has no part in it.
    specs = [
        prepare_spec(
            _spec(request, unit.target, request.scenarios[unit.scenario], _PILOT_PERIOD), platform
        )
        for unit in units[: len(request.targets) * len(request.scenarios)]
    ]
    seed = specs[0].seed
    pilots = [
        at
        for at, target in enumerate(request.targets)
        if request.has_samples or "period" not in target
    ]
    asked = _asked(request, units, platform)
    in_order = sorted(units, key=partial(_stage, request))
    children = [
        *(_pilot(request, target, seed, platform) for target in pilots),
        *(_process(request, unit, seed, platform) for unit in in_order),
    ]
    whole = Composite(
        kind="profile",
        name="profile",
        final=request.final,
        command_line=request.command_line,
        seed=seed,
        cpus=specs[0].tasks[0].cpus,
        fallbacks=request.guests.left_out,
        children=tuple(children),
        begin=lambda tmp: write_document(tmp / PROFILE, asked),
        check_same=partial(
            check_same,
            asked=asked,
            seed=seed,
            machine_hash=platform.examine(specs[0].tasks[0].cpus).machine.hash,
        ),
        judge=judge_ratios if request.fail_on else request.guests.judge,
        parents=request.guests.parents,
        is_enough=Still(request.still_jobs, in_order, len(pilots)).has_come,
        platform=platform_in_run(specs[0].platform),
        workers=request.workers,
        display=request.display,
    )
    return run_composite(whole, signals, platform)


class Still:
    """Knows for how many jobs the maximum of each program and scenario has not moved."""

    def __init__(self, still_jobs: int, units: Sequence[Unit], n_pilots: int) -> None:
        """Take the number of jobs, the processes in order, and how many runs come before."""
        self._still_jobs, self._units, self._n_pilots = still_jobs, units, n_pilots
        self._longest_ns: dict[tuple[int, int], int] = {}
        self._n_since: dict[tuple[int, int], int] = {}
        self._n_seen = 0

    def has_come(self, runs: Path, n_run: int) -> bool:
        """Tell whether all of them stand still; asked before each process.

        Args:
            runs: Directory of all runs.
            n_run: How many there are, pilots included.
        """
        n_units = n_run - self._n_pilots
        if not self._still_jobs or n_units <= 0:
            return False
        for unit in self._units[self._n_seen : n_units]:
            # One that failed before its first release has left none.
            if (runs / unit.run).is_dir():
                self._look(unit, open_run(runs / unit.run))
        self._n_seen = n_units
        is_round = self._units[n_units].process != self._units[n_units - 1].process
        has_processes = self._units[n_units].process >= LEAST_PROCESSES
        fewest = min(self._n_since.values(), default=0)
        return is_round and has_processes and fewest >= self._still_jobs

    def _look(self, unit: Unit, run: Run) -> None:
        key = (unit.target, unit.scenario)
        longest_ns, n_since = self._longest_ns.get(key, -1), self._n_since.get(key, 0)
        for time_ns in times_of_run(run, "execution").tolist():
            is_longer = time_ns > longest_ns
            longest_ns, n_since = (time_ns, 0) if is_longer else (longest_ns, n_since + 1)
        self._longest_ns[key], self._n_since[key] = longest_ns, n_since


def _asked(request: ProfileRequest, units: Sequence[Unit], platform: Platform) -> Profile:
    is_simulated = str(request.run["platform"]).startswith(SIMULATED)
    task = {key: one for key, one in request.targets[0].items() if key not in _OF_TARGETS}
    options = {
        **{key: request.run[key] for key in ("platform", "jobs")},
        **task,
        **request.guests.options,
        "processes": request.n_processes,
        "still": request.still_jobs,
        "allow_unprivileged": request.allow_unprivileged,
    }
    return Profile(
        analyses=list(request.analyses),
        kind="simulated" if is_simulated else "measured",
        targets=list(request.guests.targets(request.targets, platform)),
        scenarios=[
            ScenarioRecord(name=one.name, interfere=list(one.interfere))
            for one in request.scenarios
        ],
        units=list(units),
        options={key: str(one) for key, one in options.items()},
        fail_on=list(request.fail_on),
    )


def _order(request: ProfileRequest, process: int) -> Sequence[int]:
    """Give the order of targets in a round.

    Side by side every second round is reversed: a machine that becomes slower from process to
    process slows each program alike.
    """
    targets = range(len(request.targets))
    return targets[::-1] if "versus" in request.analyses and process % 2 else targets


def _name(request: ProfileRequest, target: int, scenario: int, process: int) -> str:
    # One of the user's own is named by its path.
    task = request.targets[target]
    workload = task.get("name") or Path(task["workload"]).name
    name = f"{workload}-{request.scenarios[scenario].name}-{process:02}"
    return name if len(request.targets) == 1 else f"{target:02}-{name}"


def _spec(
    request: ProfileRequest,
    target: int,
    scenario: Scenario,
    period: str,
    bucket: str | None = None,
) -> Spec:
    interfere = [read_corunner(text, request.run) for text in scenario.interfere]
    task = {"period": period, **request.targets[target]}
    run = {**request.run, "events": list(request.events)}
    if bucket is not None:
        run["sample_bucket"] = bucket
    return resolve_spec(run, [task], interfere, request.resolution_ns)


def _pilot(
    request: ProfileRequest,
    target: int,
    seed: int | None,
    platform: Platform,
) -> Child:
    """Run a program a few times alone, to find its period."""
    name = _pilot_name(target)

    def run(final: Path, signals: Forwarder) -> Finished:
        spec = _spec(request, target, request.scenarios[0], _PILOT_PERIOD)
        spec = prepare_spec(msgspec.structs.replace(spec, seed=seed, jobs=_PILOT_JOBS), platform)
        request.guests.provide(target)
        return _run_once(request, spec, name, final, signals, platform)

    return Child(name, run, is_needed=True)


def _process(
    request: ProfileRequest,
    unit: Unit,
    seed: int | None,
    platform: Platform,
) -> Child:
    def run(final: Path, signals: Forwarder) -> Finished:
        period, bucket = request.targets[unit.target].get("period"), None
        if request.has_samples or period is None:
            longest_ns = _longest_ns(final.with_name(_pilot_name(unit.target)))
            busy_ns = longest_ns + _isolating_ns(final.with_name(_pilot_name(unit.target)))
            period = period or exact_duration(max(_ROOM * busy_ns, _LEAST_PERIOD_NS))
            if request.has_samples:
                least_ns = _LEAST_BUCKET_NS[request.run["platform"] == NATIVE_PLATFORM]
                bucket = exact_duration(max(longest_ns // SAMPLES, least_ns))
        spec = _spec(request, unit.target, request.scenarios[unit.scenario], period, bucket)
        spec = prepare_spec(msgspec.structs.replace(spec, seed=seed), platform)
        request.guests.provide(unit.target)
        return _run_once(request, spec, unit.run, final, signals, platform)

    return Child(unit.run, run, stage=_stage(request, unit))


def _stage(request: ProfileRequest, unit: Unit) -> int:
    """Tell which processes may run at once.

    The first ones of each program record what the others go through again, and after each round of
    a profile that ends by itself it is asked whether that is enough.
    """
    if request.run["platform"] == NATIVE_PLATFORM:
        return 1
    if (unit.process, unit.scenario) == (0, 0):
        return 1
    return 2 + unit.process if request.still_jobs else 2


def _pilot_name(target: int) -> str:
    return f"pilot-{target:02}"


def _longest_ns(pilot: Path) -> int:
    """Return the longest response of a pilot.

    Raises:
        PlatformError: None of its jobs finished.
    """
    jobs = finished(open_run(pilot).stream("jobs"))
    if not len(jobs):
        msg = f"{pilot.name}: none of its {_PILOT_JOBS} jobs finished; give --period"
        raise PlatformError(msg)
    return int(response_time_ns(jobs).max())


def _isolating_ns(pilot: Path) -> int:
    """Return what was the longest between two jobs of a pilot: making the next one's process."""
    costs = [one.isolating for one in open_run(pilot).manifest.tasks]
    return max((one.max_ns for one in costs if one is not None), default=0)


def _run_once(
    request: ProfileRequest,
    spec: Spec,
    name: str,
    final: Path,
    signals: Forwarder,
    platform: Platform,
) -> Finished:
    one = RunRequest(
        spec=spec,
        name=name,
        final=final,
        command_line=request.command_line,
        allow_unprivileged=request.allow_unprivileged,
        is_quiet=True,
    )
    return run_once(one, signals, platform)
