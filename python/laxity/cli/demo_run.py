# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The demonstration: what this machine does to a periodic task, what it costs, and a verdict."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from laxity.cli.demo_bound import (
    TASKS,
    VERDICT,
    bound_measured_tasks,
    pilot_of,
    plan_tasks,
    sized_by,
)
from laxity.core.cpus import format_cpus
from laxity.core.progress import planned_s
from laxity.core.signals import Forwarder
from laxity.core.spec import InterfereSpec, Spec
from laxity.core.spec_reader import resolve_spec
from laxity.core.units import exact_duration
from laxity.costs.measure_all import (
    AllRequest,
    Part,
    demo_cache_bytes,
    measured_child,
    plan_demo_parts,
)
from laxity.jobs.composite import Child, Composite, run_composite
from laxity.jobs.finish import Finished
from laxity.jobs.monitor import PILOT
from laxity.jobs.run_once import RunRequest, prepare_spec, run_once
from laxity.platform.doctor import default_cpus, fifo_permitted
from laxity.platform.facts import Facts
from laxity.platform.placement import Cpus
from laxity.platform.platform import THIS_MACHINE, Platform
from laxity.platform.platform_file import platform_in_run
from laxity.store.manifest import Fallback
from laxity.store.run_directory import open_run

if TYPE_CHECKING:
    from laxity.cli.demo_regulated import RegulatedExample

ALONE = "alone"
INTERFERED = "interfered"
_PERIOD = "5ms"
# Fits the second-level cache of most cores, so that a neighbour's traffic can push it out.
_TASK_WORDS = ["256KiB"]
_PRIORITY = 90
# Of the duration of the other runs: 60 jobs of the slowest of three tasks in 3 s.
_TASKS_PERCENT = 30
# Of the pilot: 20 jobs of each task.
_PILOT_NS = 400_000_000
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
    parts: tuple[Part, ...]
    fallbacks: tuple[Fallback, ...]
    platform: str = "native"
    regulated: "RegulatedExample | None" = None


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
    duration_ns = alone.duration_ns or 0
    shorter = {**run, "duration": exact_duration(duration_ns * _TASKS_PERCENT // 100)}
    cache_bytes = demo_cache_bytes(facts, suited[-1])
    tasks = plan_tasks(shorter, suited[-1], cache_bytes, resolution_ns)
    runs = [(PILOT, pilot_of(tasks, _PILOT_NS)), (ALONE, alone)]
    if others:
        one = InterfereSpec(workload="bandwidth", args=_INTERFERENCE_WORDS, cpus=tuple(others))
        runs.append((INTERFERED, msgspec.structs.replace(alone, interfere=(one,))))
    else:
        reason = f"this process may use only CPU {format_cpus(suited)}"
        fallbacks.append(Fallback(what="interference", used="none", reason=reason))
    runs.append((TASKS, tasks))
    parts, left_out = plan_demo_parts(facts, cpus, suited[-1], duration_ns)
    return Plan(tuple(runs), parts, (*fallbacks, *left_out))


def run_demo(
    request: DemoRequest, plan: Plan, signals: Forwarder, platform: Platform = THIS_MACHINE
) -> Finished:
    """Run the demonstration and store it as one run with the runs within it.

    The first run that does not end well ends the demonstration: nothing can be compared with it.
    The costs of the machine are measured after the runs; the verdict on three of its tasks is the
    last, and whatever it is, the demonstration has ended well.

    Raises:
        LaxityError: As `run_once`; what was measured before stays.
    """
    specs = [(name, prepare_spec(spec, platform)) for name, spec in plan.runs]
    seed = specs[0][1].seed
    specs = [(name, msgspec.structs.replace(spec, seed=seed)) for name, spec in specs]
    measuring = AllRequest(
        final=request.final,
        command_line=request.command_line,
        seed=seed,
        allow_unprivileged=True,
        is_quiet=request.is_quiet,
    )
    measured = [part.name for part in plan.parts]
    whole = Composite(
        kind="demo",
        name="demo",
        final=request.final,
        command_line=request.command_line,
        seed=seed,
        cpus=specs[0][1].tasks[0].cpus,
        fallbacks=plan.fallbacks,
        platform=platform_in_run(plan.platform),
        children=(
            *(_child(request, name, spec, platform) for name, spec in specs),
            *(measured_child(measuring, part, platform) for part in plan.parts),
            _verdict_child(request, measured),
            *(() if plan.regulated is None else plan.regulated.children(seed, platform)),
        ),
    )
    return run_composite(whole, signals, platform)


def _missing_permission(facts: Facts) -> tuple[Fallback, ...]:
    is_permitted, reason = fifo_permitted(facts)
    return () if is_permitted else (Fallback(what="policy fifo", used="other", reason=reason),)


def _verdict_child(request: DemoRequest, measured: list[str]) -> Child:
    def run(final: Path, _signals: Forwarder) -> Finished:
        return bound_measured_tasks(final.parent, measured, final, request.command_line)

    # It measures nothing.
    return Child(VERDICT, run, is_extra=True, expected_s=0.0)


def _child(request: DemoRequest, name: str, spec: Spec, platform: Platform) -> Child:
    def run(final: Path, signals: Forwarder) -> Finished:
        sized = sized_by(open_run(final.with_name(PILOT)), spec) if name == TASKS else spec
        once = RunRequest(
            spec=sized,
            name=name,
            final=final,
            command_line=request.command_line,
            allow_unprivileged=True,
            is_quiet=request.is_quiet,
        )
        return run_once(once, signals, platform)

    return Child(name, run, is_needed=True, expected_s=planned_s(spec))
