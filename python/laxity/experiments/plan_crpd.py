# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `measure crpd` measures on a machine."""

from dataclasses import dataclass

from laxity.experiments.places import (
    available_bytes,
    cache_bytes,
    check_cpus,
    default_cpu,
    size_limit_bytes,
    sizes_bytes,
)
from laxity.model.cpus import format_cpus
from laxity.model.manifest import Fallback
from laxity.model.measurements import CrpdMeasurement
from laxity.model.units import format_size_bytes
from laxity.runner.facts import Facts
from laxity.runner.machine import Machine, describe_machine
from laxity.runner.placement import Cpus

# Instruction sets whose user may flush a line (native/base/port/flush.h).
_FLUSHES = frozenset({"x86_64", "aarch64"})
_NS_PER_S = 10**9


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user asked of `measure crpd`; None: chosen for the machine.

    Attributes:
        cpus: Measured one after the other.
        sizes_bytes: Working sets; empty: chosen.
        max_bytes: Largest working set that is chosen.
        evict_sizes_bytes: What the preemptor writes or reads; several: gamma over its length.
    """

    cpus: tuple[int, ...] = ()
    sizes_bytes: tuple[int, ...] = ()
    max_bytes: int | None = None
    evict_sizes_bytes: tuple[int, ...] = ()
    cases: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    evicts: tuple[str, ...] = ()
    repetitions: int = 60
    priority: int = 80
    preemption_ns: int = 0
    timeout_ns: int = 600 * _NS_PER_S


def plan_crpd(
    asked: Asked, facts: Facts, cpus: Cpus
) -> tuple[CrpdMeasurement, tuple[Fallback, ...]]:
    """Decide what `measure crpd` measures on a machine.

    Args:
        asked: What the user chose.
        facts: The machine.
        cpus: What this process may use.

    Returns:
        The measurement, and what was left out and why.

    Raises:
        ConfigError: There is no such CPU.
        PlatformError: A CPU that this process may not use, or a way to evict that it lacks.
    """
    machine = describe_machine(facts)
    chosen = asked.cpus or default_cpu(facts, cpus)
    check_cpus(chosen, cpus)
    evicts, fallbacks = _ways_to_evict(asked, machine)
    limit_bytes = size_limit_bytes(machine, chosen[0], available_bytes(facts))
    measurement = CrpdMeasurement(
        cpus=format_cpus(chosen),
        priority=asked.priority,
        repetitions=asked.repetitions,
        working_sets_bytes=list(
            asked.sizes_bytes
            or sizes_bytes(cache_bytes(machine, chosen[0])[0], asked.max_bytes or limit_bytes)
        ),
        cases=list(asked.cases or ("synchronous", "asynchronous")),
        patterns=list(asked.patterns or ("sequential", "chase")),
        evicts=evicts,
        evict_sizes_bytes=list(asked.evict_sizes_bytes or (limit_bytes,)),
        preemption_ns=asked.preemption_ns,
        timeout_ns=asked.timeout_ns,
    )
    return measurement, fallbacks


def describe(measurement: CrpdMeasurement) -> str:
    """Say in one line what is measured."""
    sizes = measurement.working_sets_bytes
    return (
        f"{len(sizes)} working sets from {format_size_bytes(min(sizes))} to "
        f"{format_size_bytes(max(sizes))} on CPU {measurement.cpus}, evicting by "
        f"{', '.join(measurement.evicts)} "
        f"({', '.join(map(format_size_bytes, measurement.evict_sizes_bytes))}), "
        f"{measurement.repetitions} times each"
    )


def _ways_to_evict(asked: Asked, machine: Machine) -> tuple[list[str], tuple[Fallback, ...]]:
    if asked.evicts:
        return list(asked.evicts), ()
    if machine.stable.architecture in _FLUSHES:
        return ["write", "read", "flush"], ()
    reason = (
        f"a user of {machine.stable.architecture or 'this processor'} has no instruction for it"
    )
    fallback = Fallback(what="evict flush", used="write and read only", reason=reason)
    return ["write", "read"], (fallback,)
