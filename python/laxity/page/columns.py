# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Columns of rows: each is declared once, for a terminal, a page, JSON and CSV."""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from laxity.core.percent import percent
from laxity.core.text_table import format_table
from laxity.core.units import format_duration_ns
from laxity.page.blocks import Kind, Table, count_noun, join_words, number_cell, text_cell

Value = int | float | str | None | Sequence[int]
_NONE = "-"


def _rate(bytes_per_s: float) -> str:
    return f"{bytes_per_s / 1e6:.0f} MB/s"


# What a name ends with → its unit, and how people read it.
_UNITS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "_ns": ("ns", format_duration_ns),
    "_ppm": ("ppm", percent),
    "_bytes_per_s": ("B/s", _rate),
}


@dataclass(frozen=True, slots=True)
class Column:
    """A figure of a row, or what tells rows apart.

    Attributes:
        name: Key in JSON and CSV; it ends with the unit.
        header: On a terminal and a page.
        value: Takes it from a row.
        kind: Of a figure; None: it was chosen, not found.
        n: Samples that each figure is of, or how to count those of a row; 0: there are none.
        is_text: It is set left.
        is_detail: Neither a terminal nor a page has it.
    """

    name: str
    header: str
    value: Callable[[Any], Value]
    kind: Kind | None = None
    n: int | Callable[[Any], int] = 0
    is_text: bool = False
    is_detail: bool = False

    @property
    def unit(self) -> str:
        """Its unit; a figure without one is a count."""
        suffix = next((end for end in _UNITS if self.name.endswith(end)), None)
        if suffix is not None:
            return _UNITS[suffix][0]
        return "" if self.is_text or self.kind is None else "count"

    def text(self, row: object) -> str:
        """Write the figure of a row for people."""
        value = self.value(row)
        if value is None:
            return _NONE
        show = next((show for end, (_, show) in _UNITS.items() if self.name.endswith(end)), None)
        if show is not None and not isinstance(value, str):
            return show(value)
        return value if isinstance(value, str) else _words(value, ",")

    def of(self, part: Callable[[Any], object]) -> "Column":
        """Take the column to rows that have a part with it."""
        return replace(self, value=lambda row: self.value(part(row)))


def table_text(columns: Sequence[Column], rows: Sequence[object]) -> str:
    """Lay rows out for a terminal."""
    shown = _shown(columns)
    cells = [[column.text(row) for column in shown] for row in rows]
    right = [i for i, column in enumerate(shown) if not column.is_text]
    return format_table([column.header for column in shown], cells, right)


def table_block(caption: str, columns: Sequence[Column], rows: Sequence[object]) -> Table:
    """Lay rows out for a page."""
    shown = _shown(columns)
    cells = tuple(
        tuple((text_cell if column.is_text else number_cell)(column.text(row)) for column in shown)
        for row in rows
    )
    return Table(caption, tuple(column.header for column in shown), cells)


def _shown(columns: Sequence[Column]) -> list[Column]:
    return [column for column in columns if not column.is_detail]


def provenance(columns: Sequence[Column], noun: str = "job") -> str:
    """Say of which kind the figures of a table are, and of how many samples each.

    Args:
        columns: Of the table.
        noun: What the samples are.
    """
    groups: dict[str, list[str]] = {}
    for column in _shown(columns):
        if column.kind is not None and isinstance(column.n, int):
            n = f", n = {count_noun(column.n, noun)}" if column.n else ""
            groups.setdefault(f"{column.kind}{n}", []).append(column.header)
    return "; ".join(f"{join_words(headers)}: {what}" for what, headers in groups.items())


def document_of(columns: Sequence[Column], rows: Sequence[object]) -> dict[str, Any]:
    """Write rows for programs: unit, kind and n of each column, then the rows."""
    return {
        "columns": [
            {
                "name": column.name,
                "unit": column.unit,
                "kind": column.kind,
                "n": _count(column.n),
            }
            for column in columns
        ],
        "rows": [{column.name: column.value(row) for column in columns} for row in rows],
    }


def figures_of(columns: Sequence[Column], row: object) -> list[dict[str, Any]]:
    """Write one row for programs, each figure with its unit, kind and n."""
    return [
        {
            "name": column.name,
            "value": column.value(row),
            "unit": column.unit,
            "kind": column.kind,
            "n": _count(column.n, row),
        }
        for column in columns
    ]


def _count(n: int | Callable[[Any], int], row: object | None = None) -> int | None:
    """Count samples; None: there are none, or each row has its own."""
    if isinstance(n, int):
        return n or None
    return None if row is None else n(row)


def csv_text(columns: Sequence[Column], rows: Sequence[object]) -> str:
    """Write rows as CSV (RFC 4180) with a line of names; the names end with the units."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([column.name for column in columns])
    for row in rows:
        values = [column.value(row) for column in columns]
        writer.writerow(["" if value is None else _words(value, " ") for value in values])
    return text.getvalue()


def _words(value: Value, gap: str) -> str:
    return gap.join(map(str, value)) if isinstance(value, list) else str(value)
