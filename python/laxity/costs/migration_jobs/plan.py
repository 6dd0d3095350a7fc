# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `measure migration-jobs` measures on a machine."""

from dataclasses import dataclass

from laxity.core.cpus import format_cpus
from laxity.core.units import format_size_bytes
from laxity.costs.pairs import pair_of
from laxity.costs.places import check_cpus
from laxity.errors import PlatformError
from laxity.platform.facts import Facts
from laxity.platform.machine import describe_machine
from laxity.platform.placement import Cpus
from laxity.store.manifest import Fallback
from laxity.store.measurements import MigrationJobsMeasurement

_NS_PER_MS, _NS_PER_S = 10**6, 10**9
# Raffeck et al., sec. III.B: small, medium, large, and where domains matter most.
SIZES_BYTES = (2 << 10, 32 << 10, 786 << 10, 8 << 20)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user asked of `measure migration-jobs`.

    Attributes:
        cpus: Among which the task changes, in ascending order; empty: all that this process may
            use.
        sizes_bytes: Working sets of MEM; empty: none of MEM.
        has_primes: Whether CPU is measured, too.
        jobs: Per load.
        jobs_per_cpu: About so many between two changes.
        pause_ns: Between two jobs at least.
    """

    cpus: tuple[int, ...] = ()
    sizes_bytes: tuple[int, ...] = SIZES_BYTES
    has_primes: bool = True
    jobs: int = 1000
    jobs_per_cpu: int = 9
    pause_ns: int = _NS_PER_MS
    priority: int = 80
    timeout_ns: int = 600 * _NS_PER_S


def plan_migration_jobs(
    asked: Asked, facts: Facts, cpus: Cpus
) -> tuple[MigrationJobsMeasurement, tuple[Fallback, ...]]:
    """Decide what `measure migration-jobs` measures on a machine.

    Args:
        asked: What the user chose.
        facts: The machine.
        cpus: What this process may use.

    Returns:
        The measurement; nothing is ever left out.

    Raises:
        ConfigError: There is no such CPU.
        PlatformError: A CPU that this process may not use, or fewer than two.
    """
    machine = describe_machine(facts)
    chosen = tuple(sorted(set(asked.cpus))) or tuple(sorted(cpus.allowed))
    check_cpus(chosen, cpus)
    if len(chosen) < 2:  # noqa: PLR2004 - from one to another
        msg = (
            f"--cpus {format_cpus(chosen)}: a migration needs two CPUs; name two, or widen the "
            "cpuset or affinity of this process"
        )
        raise PlatformError(msg)
    changes = zip(chosen, (*chosen[1:], chosen[0]), strict=True)
    measurement = MigrationJobsMeasurement(
        cpus=format_cpus(chosen),
        priority=asked.priority,
        repetitions=asked.jobs,
        timeout_ns=asked.timeout_ns,
        working_sets_bytes=list(asked.sizes_bytes),
        has_primes=asked.has_primes,
        changes=[pair_of(machine, cpu, cpu_to) for cpu, cpu_to in changes],
        jobs_per_cpu=asked.jobs_per_cpu,
        pause_ns=asked.pause_ns,
    )
    return measurement, ()


def describe(measurement: MigrationJobsMeasurement) -> str:
    """Say in one line what is measured."""
    sizes = [f"MEM {format_size_bytes(size)}" for size in measurement.working_sets_bytes]
    loads = ", ".join([*(["CPU"] if measurement.has_primes else []), *sizes])
    return (
        f"{measurement.repetitions} jobs each of {loads}, changing among CPUs {measurement.cpus} "
        f"every {measurement.jobs_per_cpu} jobs or so, an ordinary task on each"
    )
