# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Migrations of a run, read once for the short answer and for the report."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import msgspec

from laxity.core.streams import CRPD_PATTERNS
from laxity.core.units import format_duration_ns, format_size_bytes
from laxity.costs.excess import Excess, join
from laxity.costs.migration import rows as migration
from laxity.costs.migration.rows import Contradiction, Migration
from laxity.errors import RecordError
from laxity.jobs.run_data import RunData
from laxity.page.blocks import Kind
from laxity.store.manifest import kind_of_figures
from laxity.store.measurements import KnownGamma, Measured, MigrationMeasurement, Pair
from laxity.store.run_directory import Run

_L2 = 2
_SHARED = "shared_l"
_DOMAINS = {
    "same_node": "cores that share no cache, on one node",
    "other_node": "cores of two nodes",
    "unknown": "cores of which nothing is known",
    migration.CONTRADICTED: "cores that are not as near as the system claims",
}


@dataclass(frozen=True, slots=True)
class MigrationCurve:
    """What migrations between two CPUs cost over the working set; one point per working set."""

    points: tuple[Migration, ...]

    @property
    def name(self) -> str:
        """Write `CPU 0 → 1, chase`."""
        route = self.points[0].route
        memory = ", memory taken along" if route.is_fetched else ""
        return f"CPU {route.cpu} → {route.cpu_to}, {CRPD_PATTERNS[route.pattern]}{memory}"

    @property
    def highest(self) -> Migration | None:
        """The measurable point with the largest median."""
        measurable = [one for one in self.points if one.loss.verdict == "ok"]
        return max(measurable, key=lambda one: one.loss.median_ns, default=None)

    def at(self, size_bytes: int) -> Migration | None:
        """Return the point of a working set; None: it was not measured."""
        found = (one for one in self.points if one.route.working_set_bytes == size_bytes)
        return next(found, None)


def read_curves(run: Run) -> tuple[tuple[MigrationCurve, ...], tuple[str, ...]]:
    """Read the curves of a run that measured migrations, and what of it cannot be read."""
    asked = run.manifest.measurement
    known: migration.Domains = {}
    own_bytes: Mapping[tuple[int, int], int] = {}
    if isinstance(asked, MigrationMeasurement):
        known, own_bytes = migration.domains(asked), migration.own_caches(asked)
    try:
        is_exact = kind_of_figures(run.manifest) == "simulated"
        rows = run.stream("migration")
        found = migration.migrations(rows, run.path.name, known, is_exact=is_exact)
        measured = migration.judged(found, own_bytes)
    except RecordError as error:
        return (), (str(error),)
    return tuple(MigrationCurve(points) for points in migration.curves(measured)), ()


def gamma_of(asked: Measured | None) -> tuple[KnownGamma, ...]:
    """Return what a measurement was told of preemptions."""
    return tuple(asked.gamma) if isinstance(asked, MigrationMeasurement) else ()


def domain_words(domain: str) -> str:
    """Write `shared_l3` as `cores that share the L3`."""
    if domain.startswith(_SHARED):
        return f"cores that share the L{domain.removeprefix(_SHARED)}"
    return _DOMAINS[domain]


def domains_of(curves: Sequence[MigrationCurve]) -> tuple[str, ...]:
    """List what pairs have in common, nearest first."""
    found = {curve.points[0].domain for curve in curves}
    order = (*sorted(name for name in found if name.startswith(_SHARED)), *_DOMAINS)
    return tuple(name for name in order if name in found)


@dataclass(frozen=True, slots=True)
class MigrationAnswer:
    """What one migration costs between CPUs that have something in common.

    Attributes:
        domain: What they have in common.
        case: Pattern, and whether memory went along.
        pairs: (from, to) that were measured.
        losses: At some working sets, ascending: all pairs together.
        move: What the call takes, all pairs and working sets together.
        gamma: What a preemption costs at the same working sets, where it is known.
    """

    domain: str
    case: str
    pairs: tuple[tuple[int, int], ...]
    losses: tuple[tuple[int, Excess], ...]
    move: Excess
    gamma: tuple[KnownGamma, ...] = ()

    @property
    def words(self) -> str:
        """Write `cores that share the L3 (CPU 0 → 1, 1 → 0)`."""
        shown = ", ".join(f"{cpu} → {cpu_to}" for cpu, cpu_to in self.pairs)
        return f"{domain_words(self.domain)} (CPU {shown})"

    @staticmethod
    def shown(loss: Excess) -> str:
        """Write a median, or that there is none to be told."""
        words = {"not_measurable": "not measurable", "no_verdict": "no verdict"}
        return words.get(loss.verdict, format_duration_ns(loss.median_ns))

    @property
    def gamma_words(self) -> str:
        """Write what a preemption costs; empty where that is not known."""
        if not self.gamma:
            return ""
        shown = ", ".join(
            f"{format_size_bytes(one.working_set_bytes)} {format_duration_ns(one.median_ns)}"
            for one in self.gamma
        )
        runs = ", ".join(dict.fromkeys(name for one in self.gamma for name in one.runs))
        n = min(one.n for one in self.gamma)
        return f"a preemption (gamma): {shown} (medians, n ≥ {n}, measured in {runs})"


def answers(
    curves: Sequence[MigrationCurve], machine: dict[str, Any], gamma: Sequence[KnownGamma] = ()
) -> tuple[MigrationAnswer, ...]:
    """Say what one migration costs at 32 KiB, at 256 KiB and at the size of the L2.

    Where none of them was measured: at the smallest and at the largest working set.

    Args:
        curves: What was found.
        machine: The content of machine.json.
        gamma: What a preemption costs, as far as it is known.
    """
    groups: dict[tuple[str, str], list[Migration]] = {}
    for curve in curves:
        for one in curve.points:
            groups.setdefault((one.domain, one.route.case_name), []).append(one)
    order = domains_of(curves)
    keys = sorted(groups, key=lambda key: (order.index(key[0]), _CASE_ORDER.index(key[1])))
    found = (_answer(*key, groups[key], machine) for key in keys)
    return tuple(replace(one, gamma=_gamma_at(one, gamma)) for one in found)


def _gamma_at(one: MigrationAnswer, gamma: Sequence[KnownGamma]) -> tuple[KnownGamma, ...]:
    sizes = {size for size, _ in one.losses}
    pattern = one.case.split("_")[0]
    return tuple(g for g in gamma if g.working_set_bytes in sizes and g.pattern == pattern)


# What a bound needs comes first: nothing hides a miss of a chase.
_CASE_ORDER = ("chase", "chase_fetched", "sequential", "sequential_fetched")
_SHOWN_BYTES = (32 << 10, 256 << 10)


def _answer(
    domain: str, case: str, parts: Sequence[Migration], machine: dict[str, Any]
) -> MigrationAnswer:
    measured = sorted({one.route.working_set_bytes for one in parts})
    wanted = {*_SHOWN_BYTES, second_level_bytes(machine, parts[0].route.cpu)}
    sizes = [size for size in measured if size in wanted] or sorted({measured[0], measured[-1]})
    return MigrationAnswer(
        domain=domain,
        case=case,
        pairs=tuple(dict.fromkeys((one.route.cpu, one.route.cpu_to) for one in parts)),
        losses=tuple(
            (size, join([one.loss for one in parts if one.route.working_set_bytes == size]))
            for size in sizes
        ),
        move=join([one.move for one in parts]),
    )


def second_level_bytes(machine: dict[str, Any], cpu: int) -> int | None:
    """Read the size of a CPU's L2 from machine.json; None: not known."""
    caches = machine.get("stable", {}).get("caches", [])
    found = (one for one in caches if one["level"] == _L2 and cpu in one["cpus"])
    return next((one["size_bytes"] for one in found), None)


def memory_words(
    curves: Sequence[MigrationCurve], pairs: Sequence[Pair], machine: dict[str, Any]
) -> str:
    """Say what is known of memory that goes along, or why nothing is.

    Args:
        curves: What was kept.
        pairs: That were asked for.
        machine: As machine.json.
    """
    if any(curve.points[0].route.is_fetched for curve in curves):
        return (
            "memory: left on its node, and taken along (fetched); this part was never run on "
            "hardware with several nodes before it was released, so check it against another tool"
        )
    if "other_node" in domains_of(curves):
        return "memory: left on its node only; no move that took it along was kept"
    if any(one.domain == "other_node" for one in pairs):
        return "memory: of no move to another node enough was kept"
    n_nodes = len(machine.get("stable", {}).get("nodes", []))
    nodes = "one NUMA node" if n_nodes <= 1 else "all of these CPUs are of one NUMA node"
    return f"memory taken along to another node: not measured, {nodes}"


def topology_words(machine: dict[str, Any]) -> str:
    """Say how far what CPUs share is to be believed; empty: as far as the machine itself."""
    virtual = machine.get("stable", {}).get("virtualisation", {}).get("is_virtual_machine")
    if not virtual:
        return ""
    return (
        "what CPUs share is what the hypervisor tells; the host may run them on any cores, and "
        "move them while they are measured"
    )


def contradictions_of(curves: Sequence[MigrationCurve]) -> tuple[Contradiction, ...]:
    """List what the run contradicts of what the system claims, once per pair of CPUs."""
    found = (curve.points[0].contradiction for curve in curves)
    return tuple(dict.fromkeys(one for one in found if one is not None))


def contradiction_words(one: Contradiction) -> str:
    """Say which claim of the system is withdrawn, and why."""
    return (
        f"CPU {one.cpu} and {one.cpu_to}: the system claims {domain_words(one.claimed)}, but one "
        f"move in ten loses {format_duration_ns(one.lost_ns)} or more of "
        f"{format_size_bytes(one.working_set_bytes)} (n = {one.n}, measured), which that cache "
        f"hands out in {format_duration_ns(one.shared_ns)}; the figures stand for these CPUs "
        "alone, as they lay then"
    )


def unsteady_words(curves: Sequence[MigrationCurve]) -> str:
    """Say that costs changed while they were measured; empty: they did not."""
    points = [one for curve in curves for one in curve.points]
    n_unsteady = sum(not one.is_steady for one in points)
    if not n_unsteady:
        return ""
    return (
        f"not steady: the medians of the first and of the second half differ in {n_unsteady} of "
        f"{len(points)} figures; there was other work, or a host moved a virtual CPU"
    )


def document(data: RunData) -> dict[str, Any]:
    """Write the answer for programs; figures themselves are in costs.json."""
    found = answers(data.findings, data.machine, gamma_of(data.manifest.measurement))
    withdrawn = [asdict(one) for one in contradictions_of(data.findings)]
    return {
        "migrations": [_answer_document(one, data.kind) for one in found],
        "contradicted_claims": withdrawn,
    }


def _answer_document(one: MigrationAnswer, kind: Kind) -> dict[str, Any]:
    return {
        "domain": one.domain,
        "case": one.case,
        "pairs": [list(pair) for pair in one.pairs],
        "kind": kind,
        "unit": "ns",
        "move": _loss_document(one.move),
        "working_sets": [
            {"working_set_bytes": size, **_loss_document(loss)} for size, loss in one.losses
        ],
        "gamma": [msgspec.to_builtins(known) for known in one.gamma],
    }


def _loss_document(loss: Excess) -> dict[str, Any]:
    return {
        "n": loss.n,
        "median": loss.median_ns,
        "noise_floor": loss.noise_floor_ns,
        "verdict": loss.verdict,
    }
