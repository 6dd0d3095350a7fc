# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Migrated against preempted jobs: what the probe `migration_jobs` is asked, what it finds."""

from collections.abc import Sequence
from dataclasses import dataclass

from laxity.core.cpus import format_cpus
from laxity.core.units import format_size_bytes
from laxity.costs import probe
from laxity.costs.migration_jobs import data, rows, section
from laxity.costs.options import (
    count_option,
    cpus_option,
    priority_option,
    sizes_option,
    time_option,
    words_option,
)
from laxity.costs.pairs import check_several, pair_of
from laxity.costs.places import check_cpus
from laxity.costs.probe import Probe, Source, repeated
from laxity.errors import ConfigError
from laxity.jobs.view import View
from laxity.platform.facts import Facts
from laxity.platform.machine import SimulatedFacts, describe_machine
from laxity.platform.placement import Cpus
from laxity.store.manifest import Fallback
from laxity.store.measurements import MigrationJobsMeasurement

# Raffeck et al., sec. III.B: small, medium, large, and where domains matter most.
SIZES_BYTES = (2 << 10, 32 << 10, 786 << 10, 8 << 20)
_WORKLOADS = ("cpu", "mem")
NOT_SIMULATED = "the ordinary task that it has on every CPU is not simulated"
_OPTIONS = (
    cpus_option("Among which the task changes.  [default: all]"),
    sizes_option("Working sets of MEM, of the task and of those that interfere."),
    words_option(
        "--workload",
        "workloads",
        _WORKLOADS,
        "CPU: primes up to two limits in turn; MEM: a pass over a working set.  [default: both]",
    ),
    count_option(["-t", "--jobs"], "repetitions", "Jobs of each load."),
    count_option(
        ["--change"],
        "jobs_per_cpu",
        "Change the CPU after so many jobs or so; how many is drawn each time.",
    ),
    time_option(
        "--pause",
        "pause_ns",
        "Sleep between two jobs, or as long as a job takes; the ordinary tasks run then.",
    ),
    priority_option("Of the task that changes."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(probe.Asked):
    """What the user asked of `measure migration-jobs`.

    Attributes:
        cpus: Among which the task changes, in ascending order; empty: all that this process may
            use.
        repetitions: Jobs per load.
        workloads: `cpu`, `mem` or both.
        sizes_bytes: Working sets of MEM.
        jobs_per_cpu: About so many between two changes.
        pause_ns: Between two jobs at least.
    """

    workloads: tuple[str, ...] = _WORKLOADS
    sizes_bytes: tuple[int, ...] = SIZES_BYTES
    repetitions: int = 1000
    jobs_per_cpu: int = 9
    pause_ns: int = 10**6


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
        ConfigError: There is no such CPU, or the platform is simulated.
        PlatformError: A CPU that this process may not use, or fewer than two.
    """
    if isinstance(facts, SimulatedFacts):
        msg = (
            f"measure migration-jobs: {NOT_SIMULATED}; use laxity measure migration for what a "
            "task loses that moves"
        )
        raise ConfigError(msg)
    machine = describe_machine(facts)
    chosen = tuple(sorted(set(asked.cpus))) or tuple(sorted(cpus.allowed))
    check_cpus(chosen, cpus)
    check_several(chosen)
    changes = zip(chosen, (*chosen[1:], chosen[0]), strict=True)
    measurement = MigrationJobsMeasurement(
        cpus=format_cpus(chosen),
        priority=asked.priority,
        repetitions=asked.repetitions,
        timeout_ns=asked.timeout_ns,
        working_sets_bytes=list(asked.sizes_bytes) if "mem" in asked.workloads else [],
        has_primes="cpu" in asked.workloads,
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


def _words(asked: MigrationJobsMeasurement) -> list[str]:
    return [
        *repeated("--size", [f"{size}B" for size in asked.working_sets_bytes]),
        *(["--primes"] if asked.has_primes else []),
        *("--change", str(asked.jobs_per_cpu), "--pause", f"{asked.pause_ns}ns"),
    ]


def _measured(sources: Sequence[Source]) -> list[rows.Contrast]:
    return [
        contrast
        for source in sources
        for contrast in rows.contrasts(
            source.streams["migration_jobs"], source.run, rows.domains(source.asked)
        )
    ]


PROBE = Probe(
    help="""Compare jobs that migrated with jobs that were only preempted.

    A real-time task changes its CPU every few jobs, while an ordinary task on every CPU uses a
    working set of the same size between its jobs (Raffeck et al., figures 8 to 13). A test says
    whether the first job on another CPU takes longer, and how large a difference may go unseen.
    """,
    asked=Asked,
    options=_OPTIONS,
    plan=plan_migration_jobs,
    describe=describe,
    words=_words,
    streams=("migration_jobs",),
    measured=_measured,
    entries=rows.entries,
    view=View(
        read=data.read_jobs,
        document=data.document,
        asked="whether a job that migrated takes longer than one that was preempted",
        sentences=section.sentences,
        sections=(section.build, section.build_method),
    ),
)
