# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Access times of a run, read once for the short answer and for the report."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from laxity.core.streams import MEMORY_CASES
from laxity.costs.memory_latency import cache_levels
from laxity.costs.memory_latency import rows as memory_latency
from laxity.costs.memory_latency.cache_levels import Circumstances, Claim, Comparison, Level, Point
from laxity.costs.memory_latency.rows import CHASE, NO_NODE, AccessTime
from laxity.errors import RecordError
from laxity.jobs.run_data import RunData
from laxity.page.blocks import Kind
from laxity.platform.machine import Cache, Machine, caches_of
from laxity.statistics import distribution
from laxity.store.manifest import kind_of_figures
from laxity.store.run_directory import Run

AccessCurve = tuple[AccessTime, ...]

# What the spread of a size is judged by.
_LOW, _HIGH = 0.1, 0.9


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim of the system, what was detected, and what may be behind a difference."""

    comparison: Comparison
    causes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The levels that one CPU sees in the memory of one node.

    Attributes:
        chase: The curve in which they were detected.
        claims: One per cache that the system tells of; empty where it tells of none.
    """

    chase: AccessCurve
    levels: tuple[Level, ...]
    claims: tuple[Judged, ...]

    @property
    def name(self) -> str:
        """Write `CPU 1, node 0`."""
        return place_name(self.chase)


@dataclass(frozen=True, slots=True)
class Findings:
    """What a run of memory_latency found."""

    curves: tuple[AccessCurve, ...]
    hierarchies: tuple[Hierarchy, ...]


def place_name(curve: AccessCurve) -> str:
    """Write `CPU 1, node 0, huge pages`; a node only where it was chosen."""
    place = curve[0].place
    node = "" if place.node == NO_NODE else f", node {place.node}"
    return f"CPU {place.cpu}{node}{', huge pages' if place.pages else ''}"


def case_name(curve: AccessCurve) -> str:
    """Write `stream copy`."""
    return MEMORY_CASES[curve[0].place.case].replace("_", " ")


def read_findings(run: Run) -> tuple[Findings, tuple[str, ...]]:
    """Read what a run of memory_latency found, and what of it cannot be read."""
    problems: list[str] = []
    try:
        times = memory_latency.access_times(run.stream("memory_latency"), run.path.name)
    except RecordError as error:
        return Findings((), ()), (str(error),)
    machine = _machine(run, problems)
    curves = tuple(memory_latency.curves(times))
    chases = (curve for curve in curves if curve[0].place.case == CHASE)
    is_simulated = kind_of_figures(run.manifest) == "simulated"
    hierarchies = (_hierarchy(curve, machine, is_simulated=is_simulated) for curve in chases)
    found = Findings(curves, tuple(hierarchies))
    return found, tuple(problems)


def _machine(run: Run, problems: list[str]) -> Machine | None:
    try:
        return msgspec.convert(run.machine, Machine)
    except RecordError as error:
        problems.append(str(error))
    except msgspec.ValidationError as error:
        problems.append(f"machine.json: {error}; what the system claims is not known")
    return None


def _hierarchy(chase: AccessCurve, machine: Machine | None, *, is_simulated: bool) -> Hierarchy:
    levels = cache_levels.detect_levels(points_of(chase))
    caches = [] if machine is None else _data_caches(machine, chase[0].place.cpu)
    claims = {Claim(one.level, one.size_bytes or 0): one for one in caches}
    judged = []
    for comparison in cache_levels.compare_levels(claims, levels):
        around = _circumstances(chase, machine, claims[comparison.claim], is_simulated=is_simulated)
        largest = chase[-1].place.working_set_bytes
        causes = cache_levels.possible_causes(comparison, largest, around)
        judged.append(Judged(comparison, causes))
    return Hierarchy(chase, levels, tuple(judged))


def points_of(chase: Sequence[AccessTime]) -> list[Point]:
    """Take what is measurable of a curve as points."""
    return [
        Point(one.place.working_set_bytes, one.n, one.median_ps, *one.interval_ps)
        for one in chase
        if one.verdict == "ok" and one.interval_ps is not None
    ]


def _data_caches(machine: Machine, cpu: int) -> list[Cache]:
    caches = caches_of(machine, cpu)
    return [one for one in caches if one.kind.lower() != "instruction" and one.size_bytes]


def _circumstances(
    chase: AccessCurve, machine: Machine | None, cache: Cache, *, is_simulated: bool
) -> Circumstances:
    is_virtual = machine is not None and bool(machine.stable.virtualisation.is_virtual_machine)
    return Circumstances(
        is_virtual=is_virtual,
        has_huge_pages=bool(chase[0].place.pages),
        is_shared=len(cache.cpus) > 1,
        spread_ratio=_spread_ratio(chase, cache.size_bytes or 0),
        is_simulated=is_simulated,
    )


def _spread_ratio(chase: AccessCurve, size_bytes: int) -> float | None:
    """The largest p90 / p10 of arrays that are at most as large as a cache."""
    ratios = []
    for one in chase:
        samples = distribution.from_samples(one.samples_ps)
        low = samples.quantile_ns(_LOW)
        is_known = distribution.supports_quantile(one.n, _HIGH) and low > 0
        if one.place.working_set_bytes <= size_bytes and is_known:
            ratios.append(samples.quantile_ns(_HIGH) / low)
    return max(ratios, default=None)


def document(data: RunData) -> dict[str, Any]:
    """Write the levels for programs; times themselves are in costs.json."""
    found: Findings = data.findings
    return {
        "levels": [_hierarchy_document(hierarchy, data.kind) for hierarchy in found.hierarchies]
    }


def _hierarchy_document(hierarchy: Hierarchy, kind: Kind) -> dict[str, Any]:
    place = hierarchy.chase[0].place
    return {
        "cpu": place.cpu,
        "node": None if place.node == NO_NODE else place.node,
        "pages": "huge" if place.pages else "ordinary",
        "kind": kind,
        "detected": [
            {
                "fits_bytes": level.fits_bytes,
                "full_bytes": level.full_bytes,
                "latency_ps": level.latency_ps,
                "latency_lower_ps": level.latency_range_ps[0],
                "latency_upper_ps": level.latency_range_ps[1],
                "n": level.n,
            }
            for level in hierarchy.levels
        ],
        "claimed": [
            {
                "level": one.comparison.claim.level,
                "size_bytes": one.comparison.claim.size_bytes,
                "verdict": one.comparison.agreement,
                "possible_causes": list(one.causes),
            }
            for one in hierarchy.claims
        ],
    }
