# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `measure crpd` measures on a machine."""

from collections.abc import Sequence
from dataclasses import dataclass

from laxity.core.cpus import format_cpus
from laxity.core.streams import CRPD_EVICTS, CRPD_PATTERNS
from laxity.core.units import format_size_bytes
from laxity.costs.places import (
    available_bytes,
    cache_bytes,
    check_cpus,
    default_cpu,
    size_limit_bytes,
    sizes_bytes,
)
from laxity.errors import ConfigError
from laxity.platform.facts import Facts
from laxity.platform.machine import Machine, describe_machine
from laxity.platform.placement import Cpus
from laxity.store.manifest import Fallback
from laxity.store.measurements import CODE_PATTERNS, CrpdMeasurement, crpd_serves

# Instruction sets that code can be written for (native/codegen/isa.c), as uname names them.
_WRITES_CODE = frozenset({"x86_64", "aarch64", "armv7l", "armv8l", "ppc", "riscv64"})
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
        ConfigError: There is no such CPU, or a way to evict or a pattern that no other one serves.
        PlatformError: A CPU that this process may not use, or a way to evict that it lacks.
    """
    machine = describe_machine(facts)
    chosen = asked.cpus or default_cpu(facts, cpus)
    check_cpus(chosen, cpus)
    patterns, evicts, fallbacks = _ways(asked, machine)
    _check_ways(patterns, evicts)
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
        patterns=patterns,
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
        f"{len(sizes)} working sets ({', '.join(measurement.patterns)}) from "
        f"{format_size_bytes(min(sizes))} to {format_size_bytes(max(sizes))} on CPU "
        f"{measurement.cpus}, evicting by "
        f"{', '.join(measurement.evicts)} "
        f"({', '.join(map(format_size_bytes, measurement.evict_sizes_bytes))}), "
        f"{measurement.repetitions} times each"
    )


def _ways(asked: Asked, machine: Machine) -> tuple[list[str], list[str], tuple[Fallback, ...]]:
    """Choose patterns and ways to evict: what was asked for, else all that serve and are had."""
    processor = machine.stable.architecture or "this processor"
    fallbacks = []
    patterns = asked.patterns or tuple(
        one for one in CRPD_PATTERNS if not asked.evicts or _serves_any(asked.evicts, (one,))
    )
    if not asked.patterns and processor not in _WRITES_CODE and {*patterns} & {*CODE_PATTERNS}:
        patterns = tuple(one for one in patterns if one not in CODE_PATTERNS)
        reason = f"laxity writes no code for {processor}"
        fallbacks.append(Fallback(what="pattern code, jumps", used="data only", reason=reason))
    evicts = asked.evicts or tuple(one for one in CRPD_EVICTS if _serves_any((one,), patterns))
    if not asked.evicts and processor not in _FLUSHES:
        evicts = tuple(one for one in evicts if one != "flush")
        reason = f"a user of {processor} has no instruction for it"
        used = f"{' and '.join(evicts)} only"
        fallbacks.append(Fallback(what="evict flush", used=used, reason=reason))
    return list(patterns), list(evicts), tuple(fallbacks)


def _check_ways(patterns: Sequence[str], evicts: Sequence[str]) -> None:
    """Refuse what laxity-probe would refuse (native/cli/crpd_options.c), before it is started."""
    for evict in evicts:
        if not _serves_any((evict,), patterns):
            served = " and ".join(one for one in CRPD_PATTERNS if crpd_serves(evict, one))
            msg = f"--evict {evict}: serves {served} only; add such a --pattern"
            raise ConfigError(msg)
    for pattern in patterns:
        if not _serves_any(evicts, (pattern,)):
            msg = f"--pattern {pattern}: no way to evict that serves it; add --evict write"
            raise ConfigError(msg)


def _serves_any(evicts: Sequence[str], patterns: Sequence[str]) -> bool:
    return any(crpd_serves(evict, pattern) for evict in evicts for pattern in patterns)
