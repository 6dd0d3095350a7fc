# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Working sets over programs and along a run (Raffeck et al., figures 6 and 7)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from laxity.page.svg import INK, drawing, to_svg
from laxity.workingset.data import Progression
from laxity.workingset.occurrence import COLUMNS, normalise

_ROW_PT = 12
_FRAME_PT = 56
# The rarest tenth that occurs at all must be told from one that never does.
_FAINTEST = 0.12
_GAP = 0.06
# An axis gets the largest of them that its range holds several times.
_UNITS = ((1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))
_LEAST_UNITS = 4
_HEADROOM = 1.08


def heat_map(rows: Sequence[tuple[str, Sequence[float] | None]], prefix: str, alt: str) -> str:
    """Draw one row per program: the fuller a tenth of its range, the more working sets lie in it.

    Args:
        rows: Name and counts of the tenths, the smallest first; None: there are none, a line says
            so. At least one row.
        prefix: Of ids.
        alt: What the figure shows.
    """
    from matplotlib.collections import PatchCollection  # noqa: PLC0415 - slow
    from matplotlib.colors import to_rgba  # noqa: PLC0415 - slow
    from matplotlib.patches import Rectangle  # noqa: PLC0415 - slow

    with drawing(_FRAME_PT + _ROW_PT * len(rows)) as (figure, axes):
        cells, colours = [], []
        for row, (_, counts) in enumerate(rows):
            if counts is None:
                axes.axhline(row, color=INK["execution"], alpha=_FAINTEST)
                continue
            for column, (count, shade) in enumerate(zip(counts, normalise(counts), strict=True)):
                place = (column + _GAP, row - 0.5 + _GAP)
                cells.append(Rectangle(place, 1 - 2 * _GAP, 1 - 2 * _GAP))
                opacity = _FAINTEST + (1 - _FAINTEST) * shade if count else 0.0
                colours.append(to_rgba(INK["execution"], opacity))
        axes.add_collection(
            PatchCollection(cells, facecolors=colours, edgecolors=INK["range"], lw=0.5)
        )
        axes.set_xlim(0, COLUMNS)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_yticks(range(len(rows)), [name for name, _ in rows])
        axes.set_xticks((0, COLUMNS / 2, COLUMNS), ("smallest", "half-way", "largest"))
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("live working set, within the range of each program")
        return to_svg(figure, prefix, alt)


def progression_figure(one: Progression, prefix: str, alt: str) -> str:
    """Draw the bound as a line over the area of what was live.

    Args:
        one: At least one stretch.
        prefix: Of ids.
        alt: What the figure shows.
    """
    most = max(int(one.static_most.max()), int(one.dynamic_most.max()), 1)
    size, unit = next(found for found in _UNITS if most >= _LEAST_UNITS * found[0] or found[0] == 1)
    share = 100 * np.append(one.first, one.executed) / one.executed
    with drawing() as (figure, axes):
        axes.fill_between(
            share,
            _steps(one.dynamic_most, size),
            step="post",
            color=INK["execution"],
            alpha=0.45,
            linewidth=0,
            label="live in this run",
        )
        # Within a stretch the bound falls and rises; its range must not look like one size.
        axes.fill_between(
            share,
            _steps(one.static_least, size),
            _steps(one.static_most, size),
            step="post",
            color=INK["deadline"],
            alpha=0.25,
            linewidth=0,
            label="bound, range",
        )
        axes.step(
            share,
            _steps(one.static_most, size),
            where="post",
            color=INK["deadline"],
            linewidth=1.2,
            label="bound, most",
        )
        axes.set_xlim(0, 100)
        axes.set_ylim(0, _HEADROOM * most / size)
        axes.set_title(f"{one.program}: live memory ({unit})")
        axes.set_xlabel("instructions executed so far (% of the run)")
        figure.legend(loc="outside lower center", ncols=3)
        return to_svg(figure, prefix, alt)


def _steps(sizes_bytes: NDArray[np.int64], unit_bytes: int) -> NDArray[np.float64]:
    """Repeat the last value, which holds to the end of its stretch."""
    return np.append(sizes_bytes, sizes_bytes[-1]) / unit_bytes
