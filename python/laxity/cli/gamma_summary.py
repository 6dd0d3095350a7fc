# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The short answer after `laxity measure crpd`."""

from typing import Any

from laxity.analysis.crpd import entries
from laxity.cli.tables import format_table
from laxity.model.costs import Axes, Costs, Entry
from laxity.model.units import format_duration_ns, format_size_bytes
from laxity.report.gamma_data import Curve
from laxity.report.run_data import RunData

_HEADERS = (
    "cpu",
    "case",
    "evict",
    "preemption",
    "working set",
    "n",
    "gamma, median",
    "p90",
    "max",
    "noise floor",
    "verdict",
)
_RIGHT = range(3, 10)
_VERDICTS = {"ok": "ok", "not_measurable": "not measurable", "no_verdict": "no verdict"}
_NONE = "-"
_PS_PER_NS = 1000


def gamma_text(data: RunData) -> str:
    """Write tables and lines for people."""
    curves: tuple[Curve, ...] = data.findings
    rows = [row for curve in curves for row in _rows(curve)]
    text = format_table(_HEADERS, rows, _RIGHT) if rows else ""
    return text + "".join(f"{line}\n" for line in (*map(_line, curves), *data.problems))


def entries_table(costs: Costs) -> str:
    """Write the entries of a cost model but for curves of one CPU or pair: their points stand."""
    rows = []
    for entry in costs.entries:
        axes = entry.axes
        size = axes.working_set_bytes
        # A curve of one CPU or pair; its points stand above it.
        if size is None and entry.points and axes.cpu is not None and not entry.quantiles:
            continue
        rows.append(
            (
                entry.name,
                entry.kind,
                _place(axes),
                axes.case or _NONE,
                axes.evict or _NONE,
                _NONE if size is None else format_size_bytes(size),
                str(entry.n),
                _shown_of(entry, entry.quantiles.get("0.5")),
                _shown_of(entry, entry.quantiles.get("0.9")),
                _shown_of(entry, entry.max),
                _shown_of(entry, entry.noise_floor),
                _VERDICTS[entry.verdict],
            )
        )
    headers = ("cost", "kind", *_HEADERS[:3], *_HEADERS[4:6], "median", *_HEADERS[7:])
    return format_table(headers, rows, range(5, 11))


def _place(axes: Axes) -> str:
    cpu = _NONE if axes.cpu is None else str(axes.cpu)
    return cpu if axes.cpu_to is None else f"{cpu}>{axes.cpu_to}"


def gamma_document(data: RunData) -> dict[str, Any]:
    """Write the lines through the curves for programs; figures themselves are in costs.json."""
    curves: tuple[Curve, ...] = data.findings
    lines = [
        {
            "cost": curve.points[0].place.cost_name,
            "cpu": curve.points[0].place.cpu,
            "case": curve.points[0].place.case_name,
            "evict": curve.points[0].place.evict_name,
            "evict_bytes": curve.points[0].place.evict_bytes or None,
            "kind": "measured",
            "n": sum(one.n for one in curve.points),
            "slope_ns_per_byte": None if curve.rise is None else curve.rise.slope_ns_per_byte,
            "intercept_ns": None if curve.rise is None else curve.rise.intercept_ns,
            "intercept_half_width_ns": None
            if curve.rise is None
            else curve.rise.intercept_half_width_ns,
            "falling_zero_bytes": curve.falling_zero_bytes,
        }
        for curve in curves
    ]
    return {"curves": lines}


def describe_lines(curve: Curve) -> str:
    """Say in words where a curve rises, how fast, and where it ends."""
    highest = curve.highest
    if not curve.has_verdict:
        return "no verdict at any working set: too few observations for a noise floor"
    if highest is None:
        return "not measurable at any working set: no median stands out of the noise"
    text = (
        f"highest {format_duration_ns(highest.median_ns)} at "
        f"{format_size_bytes(highest.place.working_set_bytes)} (median, n = {highest.n})"
    )
    rise = curve.rise
    if rise is not None:
        origin = "it starts in the origin" if rise.starts_in_origin else "another component"
        text += (
            f"; rises by {format_duration_ns(rise.slope_ns_per_byte * 1024)} per KiB from "
            f"{format_duration_ns(rise.intercept_ns)} ± "
            f"{format_duration_ns(rise.intercept_half_width_ns)} (95 %, {rise.n} sizes: {origin})"
        )
    if curve.falling_zero_bytes is not None:
        text += f"; its fall would end at {format_size_bytes(curve.falling_zero_bytes)}"
    return text


def _line(curve: Curve) -> str:
    return f"CPU {curve.points[0].place.cpu}, {curve.name}: {describe_lines(curve)}"


def _rows(curve: Curve) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for one in curve.points:
        entry = entries([one])[0]
        rows.append(
            (
                str(one.place.cpu),
                one.place.case_name,
                one.place.evict_name,
                format_duration_ns(one.preemptor_ns),
                format_size_bytes(one.place.working_set_bytes),
                str(one.n),
                format_duration_ns(one.median_ns),
                _shown(entry.quantiles.get("0.9")),
                _shown(entry.max),
                _shown(entry.noise_floor),
                _VERDICTS[entry.verdict],
            )
        )
    return rows


def _shown(value_ns: int | None) -> str:
    return _NONE if value_ns is None else format_duration_ns(value_ns)


def _shown_of(entry: Entry, value: int | None) -> str:
    """Show a time of an entry, whichever its unit."""
    if value is None or entry.unit == "ns":
        return _shown(value)
    return format_duration_ns(value / _PS_PER_NS)
