# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The short answer after `laxity measure switch`."""

from typing import Any

from laxity.analysis.distribution import supports_quantile
from laxity.analysis.switch import Cost
from laxity.cli.tables import format_table
from laxity.model.units import format_duration_ns
from laxity.report.run_data import RunData
from laxity.report.switch_data import Switching

_HEADERS = ("cost", "case", "cpu", "n", "median", "p99", "max", "noise floor", "verdict")
_RIGHT = range(3, 8)
_VERDICTS = {"ok": "ok", "not_measurable": "not measurable", "no_verdict": "no verdict"}
_NONE = "-"


def switch_text(data: RunData) -> str:
    """Write a table and lines for people."""
    found: Switching = data.findings
    text = format_table(_HEADERS, [_row(one) for one in found.costs], _RIGHT) if found.costs else ""
    ticks = [f"CPU {cpu} ticks at {tick.rate_hz} Hz" for cpu, tick in found.ticks]
    return text + "".join(
        f"{line}\n" for line in (*found.checks, *ticks, *found.remarks, *data.problems)
    )


def switch_document(data: RunData) -> dict[str, Any]:
    """Write what costs.json does not hold, for programs."""
    found: Switching = data.findings
    return {
        "ticks": [
            {"cpu": cpu, "rate_hz": tick.rate_hz, "kind": "measured", "n": tick.lengths_ns.size}
            for cpu, tick in found.ticks
        ],
        "checks": list(found.checks),
        "remarks": list(found.remarks),
    }


def _row(one: Cost) -> tuple[str, ...]:
    place = one.place
    return (
        place.name,
        place.case or _NONE,
        str(place.cpu) if place.cpu_to is None else f"{place.cpu}>{place.cpu_to}",
        str(one.n),
        format_duration_ns(one.median_ns),
        format_duration_ns(one.samples.quantile_ns(0.99))
        if supports_quantile(one.n, 0.99)
        else _NONE,
        format_duration_ns(one.samples.max_ns),
        _NONE if one.noise_floor_ns is None else format_duration_ns(one.noise_floor_ns),
        _VERDICTS[one.verdict],
    )
