# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `measure migration` measures on a machine."""

from dataclasses import dataclass

from laxity.core.cpus import format_cpus
from laxity.core.units import format_duration_ns, format_size_bytes
from laxity.costs.model import GAMMA, Costs
from laxity.costs.pairs import choose_pairs
from laxity.costs.places import (
    available_bytes,
    cache_bytes,
    check_cpus,
    size_limit_bytes,
    sizes_bytes,
)
from laxity.errors import NoVerdict, PlatformError
from laxity.platform.facts import Facts
from laxity.platform.machine import describe_machine
from laxity.platform.placement import Cpus
from laxity.store.manifest import Fallback
from laxity.store.measurements import KnownGamma, MigrationMeasurement

_NS_PER_S = 10**9
# Behind it a task's own passes evict what they use, and there is little that a migration can lose.
_LARGEST_OF_L2 = 2


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user asked of `measure migration`; None: chosen for the machine.

    Attributes:
        cpus: Between all of which the task moves; empty: all that this process may use.
        pairs_limit: So many ordered pairs at most.
        sizes_bytes: Working sets; empty: chosen.
        max_bytes: Largest working set that is chosen.
        budget_ns: No further repetition begins then, but for the first six.
        seed: Of the pairs that are drawn where there are too many.
        costs: Whose gamma is shown beside migrations; None: none.
    """

    cpus: tuple[int, ...] = ()
    pairs_limit: int = 12
    sizes_bytes: tuple[int, ...] = ()
    max_bytes: int | None = None
    patterns: tuple[str, ...] = ()
    repetitions: int = 100
    priority: int = 80
    budget_ns: int = 45 * _NS_PER_S
    timeout_ns: int = 600 * _NS_PER_S
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
    if len(chosen) < 2:  # noqa: PLR2004 - from one to another
        msg = (
            f"--cpus {format_cpus(chosen)}: a migration needs two CPUs; name two, or widen the "
            "cpuset or affinity of this process"
        )
        raise PlatformError(msg)
    pairs, n_all = choose_pairs(machine, chosen, asked.pairs_limit, asked.seed)
    measurement = MigrationMeasurement(
        cpus=format_cpus(sorted({pair.cpu for pair in pairs})),
        priority=asked.priority,
        repetitions=asked.repetitions,
        timeout_ns=asked.timeout_ns,
        pairs=pairs,
        working_sets_bytes=list(asked.sizes_bytes) or _sizes(asked, facts, chosen[0]),
        patterns=list(asked.patterns or ("sequential", "chase")),
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
    limit_bytes = size_limit_bytes(machine, cpu, available_bytes(facts))
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
