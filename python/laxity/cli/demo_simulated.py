# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The demonstration on a simulated platform: what is run, by what the platform has."""

from typing import Any

import msgspec

from laxity.cli.demo_bound import TASKS, pilot_of
from laxity.cli.demo_regulated import RegulatedExample, is_regulated
from laxity.cli.demo_run import ALONE, INTERFERED, DemoRequest, Plan
from laxity.core.spec import InterfereSpec, Spec
from laxity.core.spec_reader import resolve_spec
from laxity.core.units import exact_size
from laxity.costs.crpd import probe as crpd
from laxity.costs.measure_all import Part
from laxity.costs.options import SIMULATED_REPETITIONS
from laxity.costs.switch import probe as switch
from laxity.jobs.monitor import PILOT
from laxity.platform.platform_file import PlatformModel
from laxity.platform.simulated import SimulatedPlatform
from laxity.store.manifest import Fallback

# The run in which a task goes on on another core.
MOVES = "moves"
_RESOLUTION_NS = 1
# Of the pilot: three jobs of each task.
_PILOT_NS = 60_000_000
# Of a platform without caches: what is touched matters little there.
_NO_CACHE_BYTES = 16 << 10
# What mem takes for a step where its lines are in the first level, about: times need not be exact.
_STEP_CYCLES, _STEP_BYTES = 10, 32
_NS_PER_MS = 10**6


def plan_simulated_demo(model: PlatformModel, platform: str, request: DemoRequest) -> Plan:
    """Plan it: a task alone and interfered, three tasks on a core, and one on two of them.

    Args:
        model: The platform.
        platform: As the user named it.
        request: Duration and seed.

    Raises:
        ConfigError: The duration is no duration.
    """
    run = {"duration": request.duration, "seed": request.seed, "platform": platform}
    first, last = _cache_bytes(model)

    def plan(*tasks: dict[str, Any]) -> Spec:
        highest = 90
        ranked = [{"priority": highest - 10 * place, **task} for place, task in enumerate(tasks)]
        return resolve_spec(run, ranked, [], _RESOLUTION_NS)

    alone = plan(_task("mem", "5ms", (last // 4, 0)))
    control = _task("control", "5ms", (first // 2, _passes(model, first // 2, 1)))
    # What a preemption makes a task load again is charged to each job of a higher task: a fourth of
    # a slow second level would fill its whole period.
    largest = max(first, last // 16)
    tasks = plan(
        control,
        # Not with the others, so that it is preempted.
        _task("filter", "20ms", (first, _passes(model, first, 1))) | {"offset": "3ms"},
        _task("vision", "50ms", (largest, _passes(model, largest, 1))),
    )
    runs = [(PILOT, pilot_of(tasks, _PILOT_NS)), (ALONE, alone)]
    if model.cores > 1:
        words = ("write", exact_size(4 * last))
        one = InterfereSpec(workload="bandwidth", args=words, cpus=tuple(range(1, model.cores)))
        runs.append((INTERFERED, msgspec.structs.replace(alone, interfere=(one,))))
    runs.append((TASKS, tasks))
    if model.cores > 1:
        camera = _task("camera", "10ms", (first // 2, _passes(model, first // 2, 2)))
        filtering = _task("filter", "20ms", (first, _passes(model, first, 10)))
        # What has one core drives what has two to the other one, and back.
        moves = plan(control, camera | {"cpus": "1", "offset": "2ms"}, filtering | {"cpus": "0-1"})
        runs.append((MOVES, moves))
    sizes = tuple(sorted({first // 2, first, largest}))
    regulated = None
    if is_regulated(model):
        regulated = RegulatedExample(model, platform, request.command_line)
    return Plan(tuple(runs), _costs(model, sizes), tuple(_left_out(model)), platform, regulated)


def _costs(model: PlatformModel, sizes_bytes: tuple[int, ...]) -> tuple[Part, ...]:
    """Measure what a switch costs, and a preemption the tasks' working sets; others take longer."""
    simulated = SimulatedPlatform(model)
    facts, cpus = simulated.facts(), simulated.cpus()
    switching = switch.Asked(
        cpus=(0,), quantities=("preemption",), repetitions=SIMULATED_REPETITIONS
    )
    asked = crpd.Asked(
        cpus=(0,),
        sizes_bytes=sizes_bytes,
        cases=("synchronous",),
        patterns=("chase",),
        evicts=("write",),
        repetitions=SIMULATED_REPETITIONS,
    )
    return (
        Part("switch", *switch.plan_switch(switching, facts, cpus)),
        Part("crpd", *crpd.plan_crpd(asked, facts, cpus)),
    )


def _left_out(model: PlatformModel) -> list[Fallback]:
    if model.cores > 1:
        return []
    reason = "the platform has one core"
    return [
        Fallback(what=what, used="none", reason=reason) for what in ("interference", "migration")
    ]


def _task(name: str, period: str, work: tuple[int, int]) -> dict[str, Any]:
    """Describe a task on core 0 by its working set in bytes, and how often it passes through it."""
    size_bytes, passes = work
    words = [exact_size(size_bytes), *([str(passes)] if passes else [])]
    return {"name": name, "workload": "mem", "args": words, "period": period, "cpus": "0"}


def _passes(model: PlatformModel, size_bytes: int, time_ms: int) -> int:
    """Choose how often to pass through memory to execute for about so long."""
    cycles = model.clock_hz * time_ms * _NS_PER_MS / 10**9
    return max(1, int(cycles) // (size_bytes // _STEP_BYTES * _STEP_CYCLES))


def _cache_bytes(model: PlatformModel) -> tuple[int, int]:
    """Return the size of the first and of the last level."""
    sizes = [
        model.number(f"{place}.size") for place in ("l1d", *model.levels) if model.has_cache(place)
    ]
    return (sizes[0], sizes[-1]) if sizes else (_NO_CACHE_BYTES, _NO_CACHE_BYTES)
