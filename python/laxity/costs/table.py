# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A cost model as a table."""

from laxity.core.text_table import format_table
from laxity.core.units import format_duration_ns, format_size_bytes
from laxity.costs.model import Axes, Costs, Entry

_HEADERS = (
    *("cost", "kind", "cpu", "case", "evict", "working set", "n", "median", "p90", "max"),
    *("noise floor", "verdict"),
)
_RIGHT = range(5, 11)
_VERDICTS = {"ok": "ok", "not_measurable": "not measurable", "no_verdict": "no verdict"}
_NONE = "-"
_PS_PER_NS = 1000


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
    return format_table(_HEADERS, rows, _RIGHT)


def _place(axes: Axes) -> str:
    cpu = _NONE if axes.cpu is None else str(axes.cpu)
    return cpu if axes.cpu_to is None else f"{cpu}>{axes.cpu_to}"


def _shown(value_ns: int | None) -> str:
    return _NONE if value_ns is None else format_duration_ns(value_ns)


def _shown_of(entry: Entry, value: int | None) -> str:
    """Show a time of an entry, whichever its unit."""
    if value is None or entry.unit == "ns":
        return _shown(value)
    return format_duration_ns(value / _PS_PER_NS)
