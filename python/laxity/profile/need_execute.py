# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Run programs alone in fresh processes that measure their need of memory, as one run.

On a simulated platform each runs once, and the lines that it touches are counted before.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from laxity.core.signals import Forwarder
from laxity.core.spec import Isolation, Spec
from laxity.core.spec_reader import resolve_spec
from laxity.errors import LimitViolation
from laxity.jobs.composite import Child, Composite, Display, run_composite
from laxity.jobs.finish import Finished
from laxity.jobs.run_once import RunRequest, prepare_spec, run_once
from laxity.platform.platform import Platform
from laxity.platform.platform_file import platform_in_run
from laxity.platform.simulated import SimulatedPlatform
from laxity.platform.simulated_programs import as_simulated
from laxity.platform.streams import NotSimulatedError
from laxity.profile.document import Profile, ScenarioRecord, Unit, read_profile
from laxity.profile.guests import NO_GUESTS, Guests
from laxity.profile.lines_count import count_lines
from laxity.profile.need import CROSSED, HARNESS, KEPT, run_name
from laxity.profile.same import check_same, seed_of
from laxity.profile.scenario import ALONE
from laxity.store.run_directory import PROFILE, read_manifest, write_document

_IDLE_WORKLOAD = "empty"
# Nothing is timed: jobs follow each other at once, and none is too long.
_TASK = {"period": "1ms", "job_timeout": "9600h"}
_MEASURED = {"policy": "other", "memory_need": True}


@dataclass(frozen=True, slots=True)
class NeedRequest:
    """What is measured, and where it is stored.

    Attributes:
        targets: Tables of tasks as a spec has them.
        n_processes: Of each target.
        run: The table `[run]`: jobs of each process, seed.
        resolution_ns: Of the clock that releases jobs.
        final: Directory of the finished run.
        command_line: What was typed.
        display: Shows progress.
        guests: What belongs to targets that are programs of a suite.
    """

    targets: tuple[Mapping[str, Any], ...]
    n_processes: int
    run: Mapping[str, Any]
    resolution_ns: int
    final: Path
    command_line: list[str]
    display: Display
    guests: Guests = NO_GUESTS


@dataclass(frozen=True, slots=True)
class _Process:
    """A run; with `siblings`, its limit is `below` less than what these requested at once.

    `target` None: it is the harness's.
    """

    name: str
    task: Mapping[str, Any]
    target: int | None = None
    siblings: tuple[str, ...] = ()
    below: int = 0


def run_need(request: NeedRequest, signals: Forwarder, platform: Platform) -> Finished:
    """Run all processes: first the harness's, then each program's, then those with a limit.

    Simulated: each program's alone, of which there is one.

    Raises:
        ConfigError: A program cannot be.
        LaxityError: As a run; what was measured before stays.
    """
    seed = seed_of(request.final, request.run.get("seed"))
    request = replace(request, run={**request.run, "seed": seed})
    units = [
        Unit(
            run=run_name(_prefix(request, target), f"{process:02}"),
            target=target,
            scenario=0,
            process=process,
        )
        for target in range(len(request.targets))
        for process in range(request.n_processes)
    ]
    is_simulated = isinstance(platform, SimulatedPlatform)
    processes = (
        [_Process(one.run, request.targets[one.target], one.target) for one in units]
        if is_simulated
        else _processes(request, units)
    )
    # Refused before anything runs.
    specs = [prepare_spec(_spec(request, one.task, platform), platform) for one in processes]
    children = [
        Child(one.name, _runner(request, one, specs[0].seed, platform)) for one in processes
    ]
    asked = _asked(request, units, platform)
    whole = Composite(
        kind="profile",
        name="profile",
        final=request.final,
        command_line=request.command_line,
        seed=specs[0].seed,
        cpus=specs[0].tasks[0].cpus,
        fallbacks=request.guests.left_out,
        children=tuple(children),
        begin=partial(_begin, asked),
        check_same=partial(
            check_same,
            asked=asked,
            seed=specs[0].seed,
            machine_hash=platform.examine(specs[0].tasks[0].cpus).machine.hash,
        ),
        judge=request.guests.judge,
        parents=request.guests.parents,
        platform=platform_in_run(specs[0].platform),
        display=request.display,
    )
    return run_composite(whole, signals, platform)


def _begin(asked: Profile, tmp: Path) -> None:
    """Write what is asked for; what an earlier command has counted of the same stays."""
    if not (tmp / PROFILE).is_file():
        write_document(tmp / PROFILE, asked)


def _processes(request: NeedRequest, units: Sequence[Unit]) -> list[_Process]:
    idle = request.guests.idle or {"workload": _IDLE_WORKLOAD, "args": []}
    found = [_Process(HARNESS, {**request.targets[0], **idle})]
    found += [_Process(one.run, request.targets[one.target], one.target) for one in units]
    for target, task in enumerate(request.targets):
        siblings = tuple(one.run for one in units if one.target == target)
        found += [
            _Process(run_name(_prefix(request, target), what), task, target, siblings, below)
            for what, below in ((KEPT, 0), (CROSSED, 1))
        ]
    return found


def _asked(request: NeedRequest, units: Sequence[Unit], platform: Platform) -> Profile:
    return Profile(
        analyses=["memory-need"],
        kind="simulated" if isinstance(platform, SimulatedPlatform) else "measured",
        targets=list(request.guests.targets(request.targets, platform)),
        scenarios=[ScenarioRecord(name=ALONE, interfere=[])],
        units=list(units),
        options={
            "jobs": str(request.run["jobs"]),
            "cpus": str(request.targets[0]["cpus"]),
            **request.guests.options,
            "processes": str(request.n_processes),
        },
    )


def _prefix(request: NeedRequest, target: int) -> str:
    task = request.targets[target]
    name = task.get("name") or Path(task["workload"]).name
    return name if len(request.targets) == 1 else f"{target:02}-{name}"


def _spec(request: NeedRequest, task: Mapping[str, Any], platform: Platform) -> Spec:
    is_simulated = isinstance(platform, SimulatedPlatform)
    task = {**task, **_TASK, **({} if is_simulated else _MEASURED)}
    run = dict(request.run)
    if not is_simulated and task.get("isolation") == Isolation.RESTORE:
        run["jobs"] = 1
    return resolve_spec(run, [task], [], request.resolution_ns)


def _runner(
    request: NeedRequest,
    process: _Process,
    seed: int | None,
    platform: Platform,
) -> Callable[[Path, Forwarder], Finished]:
    def run(final: Path, signals: Forwarder) -> Finished:
        task = dict(process.task)
        if process.siblings:
            siblings = [final.with_name(name) for name in process.siblings]
            limit_bytes = _requested_bytes(siblings) - process.below
            if limit_bytes < 1:
                # No limit is as small, or they have failed: there is nothing to confirm.
                return Finished(None, read_manifest(siblings[-1]))
            task["memory_limit"] = f"{limit_bytes}B"
        spec = prepare_spec(_spec(request, task, platform), platform)
        if process.target is not None:
            request.guests.provide(process.target)
        if isinstance(platform, SimulatedPlatform):
            # The run fails alike, and says so.
            with suppress(LimitViolation, NotSimulatedError):
                _count(final, spec, platform, signals)
        one = RunRequest(
            spec=msgspec.structs.replace(spec, seed=seed),
            name=process.name,
            final=final,
            command_line=request.command_line,
            allow_unprivileged=False,
            is_quiet=True,
        )
        return run_once(one, signals, platform)

    return run


def _count(final: Path, spec: Spec, platform: SimulatedPlatform, signals: Forwarder) -> None:
    """Add what a program touches to the profile that its run is of; counted again, once."""
    whole = final.parent.parent
    asked = read_profile(whole)
    (target,) = (one.target for one in asked.units if one.run == final.name)
    (task,) = as_simulated(spec).tasks
    program = platform.program_of(task.workload, task.args, spec.jobs or 0)
    found = count_lines(target, program, platform.line_bytes, signals)
    others = [one for one in asked.lines if one.target != target]
    write_document(whole / PROFILE, msgspec.structs.replace(asked, lines=[*others, found]))


def _requested_bytes(siblings: Sequence[Path]) -> int:
    """Return the most that processes requested at once; 0 also where none has measured it."""
    needs = [one.memory_need for path in siblings for one in read_manifest(path).tasks]
    return max((one.requested.peak_bytes for one in needs if one is not None), default=0)
