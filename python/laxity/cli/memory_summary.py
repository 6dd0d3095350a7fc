# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The short answer after `laxity measure memory-latency`."""

from typing import Any

from laxity.analysis.memory_latency import NO_NODE, PS_PER_NS, AccessTime
from laxity.cli.tables import format_table
from laxity.model.streams import MEMORY_CASES
from laxity.model.units import format_bytes_per_s, format_duration_ns, format_size_bytes
from laxity.report.memory_data import Findings, Hierarchy, place_name
from laxity.report.run_data import RunData
from laxity.report.sections.memory_latency import (
    describe_claim,
    describe_latency,
    describe_size,
)

_NONE = "-"
_NOT_MEASURABLE = "not measurable"


def memory_text(data: RunData) -> str:
    """Write a table over the powers of two, the levels, and what the system claims of them."""
    found: Findings = data.findings
    lines = [_table(found)] if found.curves else []
    for hierarchy in found.hierarchies:
        lines += _level_lines(hierarchy)
    return "".join(lines) + "".join(f"{problem}\n" for problem in data.problems)


def memory_document(data: RunData) -> dict[str, Any]:
    """Write the levels for programs; times themselves are in costs.json."""
    found: Findings = data.findings
    return {"levels": [_hierarchy_document(hierarchy) for hierarchy in found.hierarchies]}


def _table(found: Findings) -> str:
    """One line per place and power of two; every size is in the report and in costs.json."""
    cases = sorted({curve[0].place.case for curve in found.curves})
    rows: dict[tuple[str, int], dict[int, AccessTime]] = {}
    for curve in found.curves:
        for one in curve:
            key = (place_name(curve), one.place.working_set_bytes)
            rows.setdefault(key, {})[one.place.case] = one
    shown = {key: row for key, row in rows.items() if key[1] & (key[1] - 1) == 0} or rows
    cells = [
        (
            name,
            format_size_bytes(size),
            _counts(row),
            *(_shown(row.get(case)) for case in cases),
        )
        for (name, size), row in sorted(shown.items())
    ]
    headers = ("measured on", "array", "n", *(_header(case) for case in cases))
    return format_table(headers, cells, range(1, len(headers)))


def _header(case: int) -> str:
    """Name a column: medians, of times or of bandwidths."""
    return f"{MEMORY_CASES[case].replace('_', ' ')}, median"


def _counts(row: dict[int, AccessTime]) -> str:
    """All cases have the same number of batches, unless the run was ended."""
    counts = sorted({one.n for one in row.values()})
    return "-".join(map(str, {counts[0]: 0, counts[-1]: 0}))


def _shown(one: AccessTime | None) -> str:
    if one is None:
        return _NONE
    if one.verdict == "not_measurable":
        return _NOT_MEASURABLE
    if one.place.is_stream and one.bytes_per_s is not None:
        return format_bytes_per_s(one.bytes_per_s)
    return format_duration_ns(one.median_ps / PS_PER_NS)


def _level_lines(hierarchy: Hierarchy) -> list[str]:
    name = hierarchy.name
    if not hierarchy.levels:
        return [f"{name}: no level detected: the chase is nowhere level over an octave of sizes\n"]
    lines = [
        f"{name}: level {number}, {describe_size(level)}: {describe_latency(level)}\n"
        for number, level in enumerate(hierarchy.levels, 1)
    ]
    return lines + [f"{name}: claimed {describe_claim(one)}\n" for one in hierarchy.claims]


def _hierarchy_document(hierarchy: Hierarchy) -> dict[str, Any]:
    place = hierarchy.chase[0].place
    return {
        "cpu": place.cpu,
        "node": None if place.node == NO_NODE else place.node,
        "pages": "huge" if place.pages else "ordinary",
        "kind": "measured",
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
