# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What each probe is asked for on laxity-probe's command line, and how its rows become costs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from laxity.costs.model import Entry
from laxity.store.measurements import (
    CrpdMeasurement,
    MemoryLatencyMeasurement,
    MigrationJobsMeasurement,
    MigrationMeasurement,
    SwitchMeasurement,
)


@dataclass(frozen=True, slots=True)
class Source:
    """What one run measured.

    Attributes:
        run: Its name.
        streams: Rows (masked arrays) by the name of their stream.
        asked: The measurement as its probe's type.
    """

    run: str
    streams: Mapping[str, Any]
    asked: Any


@dataclass(frozen=True, slots=True)
class Probe:
    """One probe.

    Attributes:
        streams: What it writes; the first is there if anything was measured.
        words: Its own options of laxity-probe.
        costs: Entries from all samples of one run or of several.
        samples: The same entries with their samples (arrays of ns, in the order of the rows); those
            without samples of their own, as curves, left out. None: no sample is one event.
    """

    streams: tuple[str, ...]
    words: Callable[[Any], list[str]]
    costs: Callable[[Sequence[Source]], list[Entry]]
    samples: Callable[[Sequence[Source]], list[tuple[Entry, Any]]] | None = None


def repeated(option: str, words: Sequence[str]) -> list[str]:
    """Write an option that may be repeated."""
    return [part for word in words for part in (option, word)]


def _crpd_words(asked: CrpdMeasurement) -> list[str]:
    return [
        *repeated("--size", [f"{size}B" for size in asked.working_sets_bytes]),
        *repeated("--case", asked.cases),
        *repeated("--pattern", asked.patterns),
        *repeated("--evict", asked.evicts),
        *repeated("--evict-size", [f"{size}B" for size in asked.evict_sizes_bytes]),
        *("--preemption", f"{asked.preemption_ns}ns"),
    ]


def _measured_crpd(sources: Sequence[Source]) -> Any:  # noqa: ANN401 - numpy is loaded lazily
    from laxity.costs.crpd import rows as crpd  # noqa: PLC0415 - loads numpy

    return crpd.pool(
        one for source in sources for one in crpd.gammas(source.streams["crpd"], source.run)
    )


def _crpd_costs(sources: Sequence[Source]) -> list[Entry]:
    from laxity.costs.crpd import rows as crpd  # noqa: PLC0415 - loads numpy

    return crpd.entries(_measured_crpd(sources))


def _crpd_samples(sources: Sequence[Source]) -> list[tuple[Entry, Any]]:
    from laxity.costs.crpd import rows as crpd  # noqa: PLC0415 - loads numpy

    return crpd.entry_samples(_measured_crpd(sources))


def _memory_latency_words(asked: MemoryLatencyMeasurement) -> list[str]:
    return [
        *repeated("--size", [f"{size}B" for size in asked.working_sets_bytes]),
        *repeated("--node", [str(node) for node in asked.nodes]),
        *repeated("--case", asked.cases),
        *("--pages", asked.pages, "--line", f"{asked.line_bytes}B"),
    ]


def _memory_latency_costs(sources: Sequence[Source]) -> list[Entry]:
    from laxity.costs.memory_latency import rows as memory_latency  # noqa: PLC0415 - loads numpy

    measured = [
        one
        for source in sources
        for one in memory_latency.access_times(source.streams["memory_latency"], source.run)
    ]
    return memory_latency.entries(memory_latency.pool(measured))


def _migration_words(asked: MigrationMeasurement) -> list[str]:
    return [
        *repeated("--pair", [f"{pair.cpu}:{pair.cpu_to}" for pair in asked.pairs]),
        *repeated("--size", [f"{size}B" for size in asked.working_sets_bytes]),
        *repeated("--pattern", asked.patterns),
        *("--budget", f"{asked.budget_ns}ns"),
    ]


def _measured_migration(sources: Sequence[Source]) -> Any:  # noqa: ANN401 - numpy is loaded lazily
    from laxity.costs.migration import rows as migration  # noqa: PLC0415 - loads numpy

    measured = [
        one
        for source in sources
        for one in migration.migrations(
            source.streams["migration"], source.run, migration.domains(source.asked)
        )
    ]
    own_bytes = {
        pair: size
        for source in sources
        for pair, size in migration.own_caches(source.asked).items()
    }
    return migration.pool(migration.judged(measured, own_bytes))


def _migration_costs(sources: Sequence[Source]) -> list[Entry]:
    from laxity.costs.migration import rows as migration  # noqa: PLC0415 - loads numpy

    return migration.entries(_measured_migration(sources))


def _migration_samples(sources: Sequence[Source]) -> list[tuple[Entry, Any]]:
    from laxity.costs.migration import rows as migration  # noqa: PLC0415 - loads numpy

    return migration.entry_samples(_measured_migration(sources))


def _migration_jobs_words(asked: MigrationJobsMeasurement) -> list[str]:
    return [
        *repeated("--size", [f"{size}B" for size in asked.working_sets_bytes]),
        *(["--primes"] if asked.has_primes else []),
        *("--change", str(asked.jobs_per_cpu), "--pause", f"{asked.pause_ns}ns"),
    ]


def _migration_jobs_costs(sources: Sequence[Source]) -> list[Entry]:
    from laxity.costs.migration_jobs import rows as migration_jobs  # noqa: PLC0415 - loads numpy

    found = [
        one
        for source in sources
        for one in migration_jobs.contrasts(
            source.streams["migration_jobs"], source.run, migration_jobs.domains(source.asked)
        )
    ]
    return migration_jobs.entries(found)


def _switch_words(asked: SwitchMeasurement) -> list[str]:
    return [
        *repeated("--quantity", asked.quantities),
        *(("--to", asked.to_cpus) if asked.to_cpus else ()),
        *("--evict-size", f"{asked.evict_bytes}B", "--spin", f"{asked.spin_ns}ns"),
    ]


def _measured_switch(sources: Sequence[Source]) -> Any:  # noqa: ANN401 - numpy is loaded lazily
    from laxity.costs.switch import costs as switch  # noqa: PLC0415 - loads numpy

    return switch.pool(
        one for source in sources for one in switch.costs(source.streams["switch"], source.run)
    )


def _switch_costs(sources: Sequence[Source]) -> list[Entry]:
    from laxity.costs.switch import costs as switch  # noqa: PLC0415 - loads numpy

    return switch.entries(_measured_switch(sources))


def _switch_samples(sources: Sequence[Source]) -> list[tuple[Entry, Any]]:
    from laxity.costs.switch import costs as switch  # noqa: PLC0415 - loads numpy

    return switch.entry_samples(_measured_switch(sources))


PROBES = {
    "crpd": Probe(streams=("crpd",), words=_crpd_words, costs=_crpd_costs, samples=_crpd_samples),
    "memory_latency": Probe(
        streams=("memory_latency",), words=_memory_latency_words, costs=_memory_latency_costs
    ),
    "migration": Probe(
        streams=("migration",),
        words=_migration_words,
        costs=_migration_costs,
        samples=_migration_samples,
    ),
    "migration_jobs": Probe(
        streams=("migration_jobs",), words=_migration_jobs_words, costs=_migration_jobs_costs
    ),
    "switch": Probe(
        streams=("switch",), words=_switch_words, costs=_switch_costs, samples=_switch_samples
    ),
}
