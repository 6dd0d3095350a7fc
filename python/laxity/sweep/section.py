# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a page shows of a sweep: a figure for each column and each two axes, and what failed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

from laxity.page.blocks import (
    FigureBlock,
    Figures,
    Paragraph,
    Section,
    Table,
    count_noun,
    text_cell,
)
from laxity.sweep.columns import TEXT
from laxity.sweep.figure import MOST_LINES, Line, PairData, draw_pair
from laxity.sweep.table import ERROR, Layout, read_rows

# A page that nobody scrolls through.
_MOST_FIGURES = 60
_MOST_ERRORS = 10

Row = dict[str, Any]


def sections_of(directory: Path, layout: Layout) -> tuple[Section, ...]:
    """Build the sections of a sweep that is whole.

    Args:
        directory: Where sweep.parquet is.
        layout: Its columns.
    """
    rows = read_rows(directory)
    return (*_drawn(rows, layout), *_failed(rows))


def _drawn(rows: Sequence[Row], layout: Layout) -> Iterator[Section]:
    axes = [name for name, _ in layout.axes]
    columns = [one.name for one in layout.columns if one.kind != TEXT]
    pairs = list(combinations(axes, 2)) or [(axes[0], "")]
    n_left = _MOST_FIGURES
    for number, pair in enumerate(pairs):
        figures = [
            FigureBlock(
                f"axes{number}-{at}",
                partial(draw_pair, data, f"axes{number}-{at}", caption_of(data, axes)),
                caption_of(data, axes),
            )
            for at, column in enumerate(columns)
            if (data := pair_data(rows, pair, column)) is not None
        ][:n_left]
        n_left -= len(figures)
        title = " and ".join(filter(None, pair))
        blocks = (Figures(tuple(figures)),) if figures else ()
        note = Paragraph("No more figures are drawn; sweep.parquet has all.", "note")
        yield Section(f"axes{number}", title, blocks if n_left else (*blocks, note))


def caption_of(data: PairData, axes: Sequence[str]) -> str:
    """Say what a figure shows.

    Args:
        data: What it draws.
        axes: Names of all axes; what the figure lacks it is a median over.
    """
    others = [name for name in axes if name not in (data.axis, data.other)]
    over = f"; median over {', '.join(others)}" if others else ""
    by = f", a line for each {data.other}" if data.other else ""
    if len(data.lines) < data.n_others:
        by = f", a line for each of {len(data.lines)} of {data.n_others} {data.other}"
    return f"{data.column} against {data.axis}{by}{over}; simulated"


def pair_data(rows: Sequence[Row], pair: tuple[str, str], column: str) -> PairData | None:
    """Take from a table what becomes of a column along two axes.

    Args:
        rows: In the order of the grid.
        pair: Names of two axes; the second may be "": there is one.
        column: Of numbers.

    Returns:
        Lines are of the axis with fewer values, of some from the first to the last if there are too
        many; None: there is nothing to draw.
    """
    places = {name: tuple(dict.fromkeys(row[name] for row in rows)) for name in pair if name}
    axis, other = pair
    if other and len(places[axis]) < len(places[other]):
        axis, other = other, axis
    values: dict[tuple[Any, Any], list[float]] = {}
    for row in rows:
        if row[column] is not None:
            values.setdefault((row[axis], row.get(other)), []).append(row[column])
    if not values:
        return None
    lines = tuple(
        Line(
            "" if one is None else str(one),
            tuple(_median(values.get((place, one), [])) for place in places[axis]),
        )
        for one in (_spread(places[other]) if other else (None,))
    )
    is_empty = all(value is None for line in lines for value in line.values)
    n_others = len(places[other]) if other else 0
    return None if is_empty else PairData(axis, places[axis], column, other, lines, n_others)


def _spread(values: Sequence[Any]) -> list[Any]:
    """Choose as many as can be told apart, evenly, the first and the last among them."""
    n = min(len(values), MOST_LINES)
    return [values[at * (len(values) - 1) // max(n - 1, 1)] for at in range(n)]


def _median(values: Sequence[float]) -> float | None:
    """Return the lower one of two in the middle: it was seen."""
    return sorted(values)[(len(values) - 1) // 2] if values else None


def _failed(rows: Sequence[Row]) -> Iterator[Section]:
    errors = Counter(row[ERROR] for row in rows if row[ERROR] is not None)
    if errors:
        most = sorted(errors.items(), key=lambda one: (-one[1], one[0]))[:_MOST_ERRORS]
        cells = tuple((text_cell(what), text_cell(count_noun(n, "experiment"))) for what, n in most)
        table = Table("why experiments have no figures", ("error", "of"), cells)
        yield Section("failed", "Failed", (table,))
