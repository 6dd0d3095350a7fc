# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The demonstration: what this machine does to a periodic task, alone and under interference."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import msgspec

from laxity.errors import EXIT_DONE, EXIT_INTERRUPTED, LaxityError
from laxity.experiments.run_once import (
    RunRequest,
    new_manifest,
    prepare_spec,
    run_once,
    write_diagnosis,
)
from laxity.model.cpus import format_cpus
from laxity.model.manifest import Fallback, Manifest
from laxity.model.spec import InterfereSpec, Spec
from laxity.model.spec_reader import resolve_spec
from laxity.runner import finish
from laxity.runner.doctor import Diagnosis, default_cpus, diagnose, drift, fifo_permitted
from laxity.runner.facts import Facts, collect_facts
from laxity.runner.finish import Finished
from laxity.runner.machine import describe_machine
from laxity.runner.placement import Cpus
from laxity.runner.signals import Forwarder
from laxity.store import run_directory
from laxity.store.run_directory import MACHINE, MANIFEST, NewRun

ALONE = "alone"
INTERFERED = "interfered"
_PERIOD = "5ms"
# Fits the second-level cache of most cores, so that a neighbour's traffic can push it out.
_TASK_WORDS = ["256KiB"]
_PRIORITY = 90
# Larger than most last-level caches' share per core: the traffic reaches memory.
_INTERFERENCE_WORDS = ("write", "16MiB")


@dataclass(frozen=True, slots=True)
class DemoRequest:
    """Where the demonstration is stored, how long each of its runs lasts, and what was typed."""

    final: Path
    command_line: list[str]
    duration: str = "10s"
    seed: int | None = None
    is_quiet: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What the demonstration will do, and what it leaves out and why."""

    runs: tuple[tuple[str, Spec], ...]
    fallbacks: tuple[Fallback, ...]


def plan_demo(facts: Facts, cpus: Cpus, request: DemoRequest, resolution_ns: int) -> Plan:
    """Choose CPUs: the task on the last one that suits, interference on all the others.

    Args:
        facts: The machine, for isolated CPUs and permissions.
        cpus: What this process may use.
        request: Duration and seed.
        resolution_ns: Resolution of the clock that releases jobs.

    Raises:
        ConfigError: The duration is no duration.
    """
    suited = [cpu for cpu in default_cpus(facts) if cpu in cpus.allowed] or sorted(cpus.allowed)
    others = sorted(cpus.allowed - {suited[-1]})
    task = {
        "name": "mem",
        "workload": "mem",
        "args": _TASK_WORDS,
        "period": _PERIOD,
        "priority": _PRIORITY,
        "cpus": str(suited[-1]),
    }
    run = {"duration": request.duration, "seed": request.seed}
    alone = resolve_spec(run, [task], [], resolution_ns)
    fallbacks = list(_missing_permission(facts))
    runs = [(ALONE, alone)]
    if others:
        one = InterfereSpec(workload="bandwidth", args=_INTERFERENCE_WORDS, cpus=tuple(others))
        runs.append((INTERFERED, msgspec.structs.replace(alone, interfere=(one,))))
    else:
        reason = f"this process may use only CPU {format_cpus(suited)}"
        fallbacks.append(Fallback(what="interference", used="none", reason=reason))
    return Plan(tuple(runs), tuple(fallbacks))


def run_demo(request: DemoRequest, plan: Plan, facts: Facts, signals: Forwarder) -> Finished:
    """Run the demonstration and store it as one run with the runs within it.

    The first run that does not end well ends the demonstration: nothing can be compared with it.

    Raises:
        LaxityError: As `run_once`; what was measured before stays.
    """
    specs = [(name, prepare_spec(spec)) for name, spec in plan.runs]
    seed = specs[0][1].seed
    specs = [(name, msgspec.structs.replace(spec, seed=seed)) for name, spec in specs]
    run = run_directory.create_run(request.final)
    try:
        manifest, before = _write_before(run, request, specs, plan, facts)
        finished: list[Finished] = []
        for name, spec in specs:
            try:
                finished.append(run_once(_child_request(run, request, name, spec), signals))
            except KeyboardInterrupt:
                break
            if finished[-1].manifest.exit_code != EXIT_DONE:
                break
        return _finish(run, manifest, before, finished)
    except LaxityError:
        if not any((run.tmp / "runs").glob("*")):
            shutil.rmtree(run.tmp, ignore_errors=True)
        raise
    finally:
        run.release()


def _missing_permission(facts: Facts) -> tuple[Fallback, ...]:
    is_permitted, reason = fifo_permitted(facts)
    return () if is_permitted else (Fallback(what="policy fifo", used="other", reason=reason),)


def _child_request(run: NewRun, request: DemoRequest, name: str, spec: Spec) -> RunRequest:
    return RunRequest(
        spec=spec,
        name=name,
        final=run.tmp / "runs" / name,
        command_line=request.command_line,
        allow_unprivileged=True,
        is_quiet=request.is_quiet,
    )


def _write_before(
    run: NewRun,
    request: DemoRequest,
    specs: list[tuple[str, Spec]],
    plan: Plan,
    facts: Facts,
) -> tuple[Manifest, Diagnosis]:
    machine = describe_machine(facts)
    manifest = msgspec.structs.replace(
        new_manifest("demo", "demo", request.command_line, machine.hash),
        seed=specs[0][1].seed,
        fallbacks=list(plan.fallbacks),
        runs=[name for name, _ in specs],
    )
    run_directory.write_document(run.tmp / MANIFEST, manifest)
    run_directory.write_document(run.tmp / MACHINE, machine)
    before = diagnose(facts, specs[0][1].tasks[0].cpus)
    write_diagnosis(run.tmp, before, None)
    return manifest, before


def _finish(
    run: NewRun, manifest: Manifest, before: Diagnosis, finished: list[Finished]
) -> Finished:
    """Write the manifest of the whole; the last run decides how it ended."""
    kept = [done.path.name for done in finished if done.path is not None]
    is_cut_short = len(finished) < len(manifest.runs) and all(
        done.manifest.exit_code == EXIT_DONE for done in finished
    )
    last = finished[-1].manifest if finished else manifest
    after = diagnose(collect_facts(), before.cpus)
    write_diagnosis(run.tmp, before, after)
    manifest = msgspec.structs.replace(
        manifest,
        status="interrupted" if is_cut_short else last.status,
        exit_code=EXIT_INTERRUPTED if is_cut_short else last.exit_code,
        message="interrupted between two runs" if is_cut_short else last.message,
        finished_at=finish.now(),
        doctor_drift=list(drift(before, after)),
        runs=kept,
    )
    if not kept:
        shutil.rmtree(run.tmp)
        return Finished(None, manifest)
    finish.write_final_manifest(run.tmp, manifest)
    return finish.finish_run(run.tmp, has_survived=True)
