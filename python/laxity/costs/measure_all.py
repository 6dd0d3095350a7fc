# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Everything that the platform costs, one measurement after the other, stored as one run."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import msgspec

from laxity.core.cpus import parse_cpus
from laxity.core.signals import Forwarder
from laxity.core.units import exact_size
from laxity.costs.crpd import probe as crpd
from laxity.costs.measure import MeasureRequest, run_measurement
from laxity.costs.memory_latency import probe as memory_latency
from laxity.costs.migration import probe as migration
from laxity.costs.migration_jobs import probe as migration_jobs
from laxity.costs.options import SIMULATED_REPETITIONS
from laxity.costs.places import cache_bytes
from laxity.costs.switch import probe as switch
from laxity.errors import PlatformError
from laxity.jobs.composite import Child, Composite, run_composite
from laxity.jobs.finish import Finished
from laxity.platform.facts import Facts
from laxity.platform.machine import SimulatedFacts, caches_of, describe_machine
from laxity.platform.placement import Cpus
from laxity.platform.platform import THIS_MACHINE, Platform
from laxity.platform.platform_file import platform_in_run
from laxity.store.manifest import Fallback
from laxity.store.measurements import Measured

# What hides nothing from a preemption, of data and of instructions.
_PATTERNS = ("chase", "jumps")
_CRPD_REPETITIONS = 40
_JOBS = 500
_SEED_BITS = 32
# Six observations support an interval of a median.
_FEWEST, _DEMO_REPETITIONS = 6, 60
_DEMO_NS = 10**10
_USUAL_L2_BYTES = 1 << 20
# There and back.
_FEWEST_PAIRS = 2
# Of a platform without caches: what is touched matters little there.
_NO_CACHE_BYTES = 4096
# Largest cache of a simulated platform that is filled: with one of 8 MiB switches alone take more
# than five minutes.
_MOST_SIMULATED_BYTES = 2 << 20

# How each measurement is planned, by the name of its run.
Plans: TypeAlias = dict[str, Callable[[], tuple[Measured, tuple[Fallback, ...]]]]


@dataclass(frozen=True, slots=True)
class Part:
    """One measurement of several: name of its run, what is measured, what is left out and why."""

    name: str
    measurement: Measured
    fallbacks: tuple[Fallback, ...]


class AllRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Where all of it is stored, and what was typed; seed None: drawn."""

    final: Path
    command_line: list[str]
    seed: int | None = None
    allow_unprivileged: bool = False
    is_quiet: bool = False


def plan_all(
    facts: Facts, cpus: Cpus, chosen: tuple[int, ...] = ()
) -> tuple[tuple[Part, ...], tuple[Fallback, ...]]:
    """Decide what `measure all` measures on a machine: less of each than its own command would.

    Args:
        facts: The machine.
        cpus: What this process may use.
        chosen: CPUs to measure; empty: each measurement chooses.

    Returns:
        The parts, and the parts that cannot be measured, with the reason.

    Raises:
        ConfigError: There is no such CPU.
        PlatformError: None of them can be measured here.
    """
    if isinstance(facts, SimulatedFacts):
        return _plan_all_simulated(facts, cpus, chosen)
    plans: Plans = {
        "switch": lambda: switch.plan_switch(switch.Asked(cpus=chosen), facts, cpus),
        "crpd": lambda: crpd.plan_crpd(
            crpd.Asked(cpus=chosen, patterns=_PATTERNS, repetitions=_CRPD_REPETITIONS),
            facts,
            cpus,
        ),
        "migration": lambda: migration.plan_migration(migration.Asked(cpus=chosen), facts, cpus),
        "migration-jobs": lambda: migration_jobs.plan_migration_jobs(
            migration_jobs.Asked(cpus=chosen, repetitions=_JOBS), facts, cpus
        ),
        "memory-latency": lambda: memory_latency.plan_memory_latency(
            memory_latency.Asked(cpus=chosen), facts, cpus
        ),
    }
    parts, left_out = plan_parts(plans)
    if not parts:
        msg = f"measure all: nothing can be measured here: {left_out[0].reason}"
        raise PlatformError(msg)
    return parts, left_out


def _plan_all_simulated(
    facts: Facts, cpus: Cpus, chosen: tuple[int, ...]
) -> tuple[tuple[Part, ...], tuple[Fallback, ...]]:
    """Decide what `measure all` measures on a simulated platform: in minutes, too.

    All cores and ways between them are alike, so one and two do; around the size of each cache
    little changes, so that its half and the whole of it do.
    """
    here = chosen or (max(cpus.allowed),)
    caches = {one.size_bytes or 0 for one in caches_of(describe_machine(facts), here[0])}
    halves = {size for one in caches for size in (one // 2, one)}
    sizes = tuple(sorted(one for one in halves if one <= _MOST_SIMULATED_BYTES))
    sizes = sizes or (_NO_CACHE_BYTES,)
    is_cut = max(caches, default=0) > _MOST_SIMULATED_BYTES
    evict_bytes = 2 * _MOST_SIMULATED_BYTES if is_cut else None
    few = SIMULATED_REPETITIONS
    plans: Plans = {
        "switch": lambda: switch.plan_switch(
            switch.Asked(cpus=here, repetitions=few, evict_bytes=evict_bytes), facts, cpus
        ),
        "crpd": lambda: crpd.plan_crpd(
            crpd.Asked(
                cpus=here,
                patterns=_PATTERNS,
                sizes_bytes=sizes,
                evict_sizes_bytes=() if evict_bytes is None else (evict_bytes,),
                repetitions=few,
            ),
            facts,
            cpus,
        ),
        "migration": lambda: migration.plan_migration(
            migration.Asked(
                cpus=chosen,
                sizes_bytes=sizes,
                patterns=_PATTERNS[:1],
                pairs_limit=_FEWEST_PAIRS,
                repetitions=few,
            ),
            facts,
            cpus,
        ),
        "memory-latency": lambda: memory_latency.plan_memory_latency(
            memory_latency.Asked(cpus=here, repetitions=few), facts, cpus
        ),
    }
    parts, left_out = plan_parts(plans)
    lacking = Fallback(
        what="migration-jobs",
        used="not measured",
        reason="takes longer than all the rest; laxity measure migration-jobs does it",
    )
    cut = Fallback(
        what=f"caches larger than {exact_size(_MOST_SIMULATED_BYTES)}",
        used=f"no working set of theirs, and {exact_size(2 * _MOST_SIMULATED_BYTES)} that evict",
        reason="what fills them takes long to simulate; laxity measure crpd --sizes does it",
    )
    return parts, (*left_out, lacking, *((cut,) if is_cut else ()))


def plan_demo_parts(
    facts: Facts, cpus: Cpus, cpu: int, duration_ns: int
) -> tuple[tuple[Part, ...], tuple[Fallback, ...]]:
    """Decide what the demonstration measures: delta, gamma and migrations, a little of each.

    Args:
        facts: The machine.
        cpus: What this process may use.
        cpu: Where the demonstration's task runs.
        duration_ns: Of one of its runs; what is measured takes about as long together.

    Returns:
        The parts, and the parts that cannot be measured, with the reason.
    """
    repetitions = max(_FEWEST, min(_DEMO_REPETITIONS, duration_ns * _DEMO_REPETITIONS // _DEMO_NS))
    limit_bytes = demo_cache_bytes(facts, cpu)
    sizes = (limit_bytes // 32, limit_bytes // 4, limit_bytes)
    plans: Plans = {
        "switch": lambda: switch.plan_switch(
            switch.Asked(cpus=(cpu,), quantities=("preemption",), repetitions=10 * repetitions),
            facts,
            cpus,
        ),
        "crpd": lambda: crpd.plan_crpd(
            crpd.Asked(
                cpus=(cpu,),
                sizes_bytes=sizes,
                cases=("synchronous",),
                patterns=("chase",),
                evicts=("write",),
                repetitions=repetitions,
            ),
            facts,
            cpus,
        ),
        "migration": lambda: migration.plan_migration(
            migration.Asked(
                sizes_bytes=sizes,
                patterns=("chase",),
                pairs_limit=2,
                repetitions=repetitions,
                budget_ns=_DEMO_NS // 2,
            ),
            facts,
            cpus,
        ),
    }
    return plan_parts(plans)


def demo_cache_bytes(facts: Facts, cpu: int) -> int:
    """Return the largest working set of the demonstration: the L2 cache, or a usual one."""
    second, _ = cache_bytes(describe_machine(facts), cpu)
    return second or _USUAL_L2_BYTES


def plan_parts(plans: Plans) -> tuple[tuple[Part, ...], tuple[Fallback, ...]]:
    """Make every plan; one that this machine cannot follow is left out, with its reason."""
    parts: list[Part] = []
    left_out: list[Fallback] = []
    for name, plan in plans.items():
        try:
            parts.append(Part(name, *plan()))
        except PlatformError as error:
            left_out.append(Fallback(what=name, used="not measured", reason=str(error)))
    return tuple(parts), tuple(left_out)


def run_all(
    request: AllRequest,
    parts: Sequence[Part],
    fallbacks: tuple[Fallback, ...],
    signals: Forwarder,
    platform: Platform = THIS_MACHINE,
    others: Sequence[Child] = (),
) -> Finished:
    """Run the parts, and others behind them, and store them as one run, with one cost model.

    A part that does not end well does not end the others; the first of them decides the exit code.

    Raises:
        ConfigError: The directory cannot be created.
        LaxityError: As a part's; what was measured before stays.
    """
    seed = secrets.randbits(_SEED_BITS) if request.seed is None else request.seed
    request = msgspec.structs.replace(request, seed=seed)
    whole = Composite(
        kind="measure",
        name="all",
        final=request.final,
        command_line=request.command_line,
        seed=seed,
        cpus=measured_cpus(parts),
        fallbacks=fallbacks,
        children=(*(measured_child(request, part, platform) for part in parts), *others),
        platform=platform_in_run(platform.name),
    )
    return run_composite(whole, signals, platform)


def measured_child(request: AllRequest, part: Part, platform: Platform = THIS_MACHINE) -> Child:
    """Make a part a run within a run."""

    def run(final: Path, signals: Forwarder) -> Finished:
        one = MeasureRequest(
            measurement=part.measurement,
            fallbacks=part.fallbacks,
            final=final,
            command_line=request.command_line,
            seed=request.seed,
            allow_unprivileged=request.allow_unprivileged,
            is_quiet=request.is_quiet,
        )
        return run_measurement(one, signals, platform)

    return Child(part.name, run)


def measured_cpus(parts: Sequence[Part]) -> tuple[int, ...]:
    """Return all CPUs that any part measures, ascending."""
    return tuple(sorted({cpu for part in parts for cpu in parse_cpus(part.measurement.cpus)}))
