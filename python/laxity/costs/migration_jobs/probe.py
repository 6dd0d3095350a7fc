# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Migrated against preempted jobs: what the probe `migration_jobs` is asked, what it finds."""

from collections.abc import Sequence
from dataclasses import dataclass

from laxity.core.cpus import format_cpus
from laxity.core.units import exact_duration, exact_size, format_size_bytes
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
from laxity.jobs.view import View
from laxity.platform.facts import Facts
from laxity.platform.machine import Machine, SimulatedFacts, caches_of, describe_machine
from laxity.platform.placement import Cpus
from laxity.store.manifest import Fallback
from laxity.store.measurements import MigrationJobsMeasurement

# Raffeck et al., sec. III.B: small, medium, large, and where domains matter most.
SIZES_BYTES = (2 << 10, 32 << 10, 786 << 10, 8 << 20)
_WORKLOADS = ("cpu", "mem")
# Of a simulated platform: what ends in some minutes. Nobody is late there, so that a pause of a
# pass or some will do, and a change soon after the other one; with working sets beyond this one,
# and with more CPUs, a job takes seconds and more.
_JOBS, _CHANGE, _PAUSE_NS = 200, 5, 10_000
_MOST_SIMULATED_BYTES = 1 << 20
_SIMULATED_CPUS, _CPUS_OF_NODE = 8, 2
_OPTIONS = (
    cpus_option(
        "Among which the task changes.  [default: all; simulated, where there are many: a few of "
        "each node]"
    ),
    sizes_option(
        "Working sets of MEM, of the task and of those that interfere.  [simulated: up to "
        f"{exact_size(_MOST_SIMULATED_BYTES)}]"
    ),
    words_option(
        "--workload",
        "workloads",
        _WORKLOADS,
        "CPU: primes up to two limits in turn; MEM: a pass over a working set.  [default: both]",
    ),
    count_option(["-t", "--jobs"], "repetitions", f"Jobs of each load.  [simulated: {_JOBS}]"),
    count_option(
        ["--change"],
        "jobs_per_cpu",
        "Change the CPU after so many jobs or so; how many is drawn each time.  "
        f"[simulated: {_CHANGE}]",
    ),
    time_option(
        "--pause",
        "pause_ns",
        "Sleep between two jobs, or as long as a job takes; the ordinary tasks run then.  "
        f"[simulated: {exact_duration(_PAUSE_NS)}]",
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
        sizes_bytes: Working sets of MEM; empty: chosen for a simulated platform.
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
        The measurement, and what of a simulated platform was left out and why.

    Raises:
        ConfigError: There is no such CPU.
        PlatformError: A CPU that this process may not use, or fewer than two.
    """
    machine = describe_machine(facts)
    allowed = tuple(sorted(cpus.allowed))
    chosen = tuple(sorted(set(asked.cpus))) or allowed
    fallbacks: tuple[Fallback, ...] = ()
    if isinstance(facts, SimulatedFacts) and not asked.cpus:
        chosen, fallbacks = _some_cpus(machine, allowed)
    check_cpus(chosen, cpus)
    check_several(chosen)
    sizes_bytes = asked.sizes_bytes if "mem" in asked.workloads else ()
    if "mem" in asked.workloads and not sizes_bytes:
        sizes_bytes, left_out = _some_sizes(machine, chosen[0])
        fallbacks += left_out
    changes = zip(chosen, (*chosen[1:], chosen[0]), strict=True)
    measurement = MigrationJobsMeasurement(
        cpus=format_cpus(chosen),
        priority=asked.priority,
        repetitions=asked.repetitions,
        timeout_ns=asked.timeout_ns,
        working_sets_bytes=list(sizes_bytes),
        has_primes="cpu" in asked.workloads,
        changes=[pair_of(machine, cpu, cpu_to) for cpu, cpu_to in changes],
        jobs_per_cpu=asked.jobs_per_cpu,
        pause_ns=asked.pause_ns,
    )
    return measurement, fallbacks


def _some_cpus(
    machine: Machine, allowed: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[Fallback, ...]]:
    """Choose of many simulated CPUs the first ones of each node."""
    if len(allowed) <= _SIMULATED_CPUS:
        return allowed, ()
    nodes = [one.cpus for one in machine.stable.nodes] or [allowed]
    n = max(_CPUS_OF_NODE, _SIMULATED_CPUS // len(nodes))
    chosen = tuple(sorted(cpu for node in nodes for cpu in node[:n]))
    fallback = Fallback(
        what=f"all {len(allowed)} CPUs",
        used=f"CPUs {format_cpus(chosen)}",
        reason="an ordinary task on each takes long to simulate; "
        f"--cpus {format_cpus(allowed)} measures all",
    )
    return chosen, (fallback,) if len(chosen) < len(allowed) else ()


def _some_sizes(machine: Machine, cpu: int) -> tuple[tuple[int, ...], tuple[Fallback, ...]]:
    """Choose of the usual working sets the smallest one, and what the last cache can hold."""
    last = max((one.size_bytes or 0 for one in caches_of(machine, cpu)), default=0)
    most = max(SIZES_BYTES[0], min(last, _MOST_SIMULATED_BYTES))
    left_out = ",".join(exact_size(one) for one in SIZES_BYTES if one > most)
    fallback = Fallback(
        what=f"MEM {left_out}",
        used="not measured",
        reason=f"takes long to simulate, or no cache holds it; --sizes {left_out} measures it",
    )
    return tuple(one for one in SIZES_BYTES if one <= most), (fallback,)


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
            source.streams["migration_jobs"],
            source.run,
            rows.domains(source.asked),
            is_exact=source.is_exact,
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
    simulated={
        "repetitions": _JOBS,
        "jobs_per_cpu": _CHANGE,
        "pause_ns": _PAUSE_NS,
        "sizes_bytes": (),
    },
)
