# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The heat map of working sets over programs (Raffeck et al., figure 6)."""

from collections.abc import Sequence

from matplotlib.collections import PatchCollection
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

from laxity.analysis.occurrence import COLUMNS, normalise
from laxity.report.svg import INK, drawing, to_svg

_ROW_PT = 12
_FRAME_PT = 56
# The rarest tenth that occurs at all must be told from one that never does.
_FAINTEST = 0.12
_GAP = 0.06


def heat_map(rows: Sequence[tuple[str, Sequence[float]]], prefix: str, alt: str) -> str:
    """Draw one row per program: the darker a tenth of its range, the more working sets lie in it.

    Args:
        rows: Name and counts of the tenths, the smallest first; at least one row.
        prefix: Of ids.
        alt: What the figure shows.
    """
    with drawing(_FRAME_PT + _ROW_PT * len(rows)) as (figure, axes):
        cells, colours = [], []
        for row, (_, counts) in enumerate(rows):
            for column, (count, shade) in enumerate(zip(counts, normalise(counts), strict=True)):
                place = (column + _GAP, row - 0.5 + _GAP)
                cells.append(Rectangle(place, 1 - 2 * _GAP, 1 - 2 * _GAP))
                opacity = _FAINTEST + (1 - _FAINTEST) * shade if count else 0.0
                colours.append(to_rgba(INK["execution"], opacity))
        axes.add_collection(PatchCollection(cells, facecolors=colours, edgecolors="none"))
        axes.set_xlim(0, COLUMNS)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_yticks(range(len(rows)), [name for name, _ in rows])
        axes.set_xticks((0, COLUMNS / 2, COLUMNS), ("smallest", "half-way", "largest"))
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("live working set, within the range of each program")
        return to_svg(figure, prefix, alt)
