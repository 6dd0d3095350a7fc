# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a migration costs: what the probe `migration` is asked, and what it finds."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from laxity.core.cpus import format_cpus
from laxity.core.units import format_duration_ns, format_size_bytes
from laxity.costs import probe
from laxity.costs.merge import read_costs
from laxity.costs.migration import data, rows, section
from laxity.costs.model import GAMMA, Costs
from laxity.costs.options import (
    count_option,
    cpus_option,
    priority_option,
    read_option,
    repetitions_option,
    size_option,
    sizes_option,
    time_option,
    words_option,
)
from laxity.costs.pace import Pace
from laxity.costs.pairs import check_several, choose_pairs
from laxity.costs.places import (
    cache_bytes,
    check_cpus,
    sizes_bytes,
    usual_limits_bytes,
)
from laxity.costs.probe import NS_PER_S, Probe, Source, repeated
from laxity.errors import NoVerdict
from laxity.jobs.view import View
from laxity.platform.facts import Facts
from laxity.platform.machine import describe_machine
from laxity.platform.placement import Cpus
from laxity.store.manifest import Fallback
from laxity.store.measurements import KnownGamma, MigrationMeasurement

# Behind it a task's own passes evict what they use, and there is little that a migration can lose.
_LARGEST_OF_L2 = 2
_PATTERNS = ("sequential", "chase")
_MOST_PAIRS = 10_000
# native/probes/migration.c
_FEWEST_ROUNDS = 6


def _costs_of(text: str) -> Costs | None:
    return None if text == "none" else read_costs(Path(text))


_OPTIONS = (
    cpus_option("Between which the task moves.  [default: all]"),
    count_option(
        ["--pairs"],
        "pairs_limit",
        "Measure so many ordered pairs of CPUs at most, drawn at random, all kinds of distance.",
        2,
        _MOST_PAIRS,
    ),
    sizes_option(
        "Working sets.  [default: from 4KiB to min(2 x L2, 2 x last level, 64MiB, 1/8 of memory)]"
    ),
    size_option("Largest working set that is chosen."),
    words_option(
        "--pattern",
        "patterns",
        _PATTERNS,
        "Order of the task's accesses; chase is random.  [default: both]",
    ),
    repetitions_option("Migrations of each kind, and as many of each control."),
    time_option(
        "--budget", "budget_ns", "Fewer repetitions, but at least 6, where they take longer."
    ),
    read_option(
        "--costs",
        "costs",
        _costs_of,
        "FILE|RUN|none",
        "Show gamma of this cost model (laxity measure crpd) beside.  [default: none]",
    ),
    priority_option("Of the task that moves."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(probe.Asked):
    """What the user asked of `measure migration`; empty or None: chosen for the machine.

    Attributes:
        cpus: Between all of which the task moves; empty: all that this process may use.
        pairs_limit: So many ordered pairs at most.
        sizes_bytes: Working sets.
        max_bytes: Largest working set that is chosen.
        budget_ns: No further repetition begins then, but for the first six.
        seed: Of the pairs that are drawn where there are too many.
        costs: Whose gamma is shown beside migrations; None: none.
    """

    pairs_limit: int = 12
    sizes_bytes: tuple[int, ...] = ()
    max_bytes: int | None = None
    patterns: tuple[str, ...] = ()
    budget_ns: int = 45 * NS_PER_S
    seed: int = 0
    costs: Costs | None = None


def plan_migration(
    asked: Asked, facts: Facts, cpus: Cpus
) -> tuple[MigrationMeasurement, tuple[Fallback, ...]]:
    """Decide what `measure migration` measures on a machine.

    Args:
        asked: What the user chose.
        facts: The machine.
        cpus: What this process may use.

    Returns:
        The measurement, and what was left out and why.

    Raises:
        ConfigError: There is no such CPU.
        PlatformError: A CPU that this process may not use, or fewer than two.
        NoVerdict: The costs are of another machine.
    """
    machine = describe_machine(facts)
    if asked.costs is not None and asked.costs.machine_hash != machine.hash:
        msg = "--costs: of another machine, whose gamma says nothing here; name a run of this one"
        raise NoVerdict(msg)
    chosen = tuple(sorted(set(asked.cpus))) or tuple(sorted(cpus.allowed))
    check_cpus(chosen, cpus)
    check_several(chosen)
    pairs, n_all = choose_pairs(machine, chosen, asked.pairs_limit, asked.seed)
    measurement = MigrationMeasurement(
        cpus=format_cpus(sorted({pair.cpu for pair in pairs})),
        priority=asked.priority,
        repetitions=asked.repetitions,
        timeout_ns=asked.timeout_ns,
        pairs=pairs,
        working_sets_bytes=list(asked.sizes_bytes) or _sizes(asked, facts, chosen[0]),
        patterns=list(asked.patterns or _PATTERNS),
        budget_ns=asked.budget_ns,
        gamma=known_gamma(asked.costs),
    )
    return measurement, _fallbacks(asked, len(pairs), n_all)


def describe(measurement: MigrationMeasurement) -> str:
    """Say in one line what is measured."""
    sizes = measurement.working_sets_bytes
    n_pairs = len(measurement.pairs)
    return (
        f"{len(sizes)} working sets from {format_size_bytes(min(sizes))} to "
        f"{format_size_bytes(max(sizes))} on {n_pairs} ways between CPUs {measurement.cpus}, "
        f"{measurement.repetitions} times each, or fewer within "
        f"{format_duration_ns(measurement.budget_ns)}"
    )


def known_gamma(costs: Costs | None) -> list[KnownGamma]:
    """Take gamma out of a cost model: between two passes, evicted by writing, where measurable.

    A migration is between two passes too; of several CPUs the largest median counts.
    """
    found: dict[tuple[str, int], KnownGamma] = {}
    for entry in costs.entries if costs is not None else ():
        kind, _, pattern = (entry.axes.case or "").partition("_")
        size, median_ns = entry.axes.working_set_bytes, entry.quantiles.get("0.5")
        is_asked = (entry.name, kind, entry.axes.evict) == (GAMMA, "synchronous", "write")
        if not is_asked or entry.verdict != "ok" or size is None or median_ns is None:
            continue
        one = KnownGamma(
            working_set_bytes=size,
            pattern=pattern,
            median_ns=median_ns,
            n=entry.n,
            runs=entry.runs,
        )
        before = found.get((pattern, size))
        if before is None or before.median_ns < median_ns:
            found[pattern, size] = one
    return [found[key] for key in sorted(found)]


def _sizes(asked: Asked, facts: Facts, cpu: int) -> list[int]:
    machine = describe_machine(facts)
    second, _ = cache_bytes(machine, cpu)
    limit_bytes, _ = usual_limits_bytes(facts, cpu)
    if second:
        limit_bytes = min(limit_bytes, _LARGEST_OF_L2 * second)
    return sizes_bytes(second, asked.max_bytes or limit_bytes)


def _fallbacks(asked: Asked, n_pairs: int, n_all: int) -> tuple[Fallback, ...]:
    if n_pairs == n_all:
        return ()
    return (
        Fallback(
            what=f"all {n_all} pairs of CPUs",
            used=f"{n_pairs}, drawn at random, every kind of distance",
            reason=f"--pairs {asked.pairs_limit}",
        ),
    )


def _words(asked: MigrationMeasurement) -> list[str]:
    return [
        *repeated("--pair", [f"{pair.cpu}:{pair.cpu_to}" for pair in asked.pairs]),
        *repeated("--size", [f"{size}B" for size in asked.working_sets_bytes]),
        *repeated("--pattern", asked.patterns),
        *("--budget", f"{asked.budget_ns}ns"),
    ]


def _measured(sources: Sequence[Source]) -> tuple[rows.Migration, ...]:
    measured = [
        migration
        for source in sources
        for migration in rows.migrations(
            source.streams["migration"],
            source.run,
            rows.domains(source.asked),
            is_exact=source.is_exact,
        )
    ]
    own_bytes = {
        pair: size for source in sources for pair, size in rows.own_caches(source.asked).items()
    }
    return rows.pool(rows.judged(measured, own_bytes))


def _paced(asked: MigrationMeasurement) -> Pace:
    return Pace(budget_s=asked.budget_ns / NS_PER_S, least_share=_FEWEST_ROUNDS / asked.repetitions)


PROBE = Probe(
    help="""Measure what a task loses by going on on another CPU, against its working set.

    A task passes over its working set until it is warm, moves, and passes over it on the other CPU.
    Controls stay, sleep as long, or go and come back, all alternating at random. A figure that does
    not stand out of the noise is shown as not measurable.
    """,
    asked=Asked,
    options=_OPTIONS,
    plan=plan_migration,
    describe=describe,
    words=_words,
    paced=_paced,
    streams=("migration",),
    measured=_measured,
    entries=rows.entries,
    samples=rows.entry_samples,
    view=View(
        read=data.read_curves,
        document=data.document,
        asked="what a task loses by going on on another CPU",
        sentences=section.sentences,
        sections=(section.build, section.build_method),
    ),
)
