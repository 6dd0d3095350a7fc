# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The figure of two axes: a column against the one, a line for each value of the other."""

from collections.abc import Sequence
from dataclasses import dataclass

from laxity.page.svg import INK, drawing, set_time_axis, to_svg

# Ink, marker and dash say the same; beyond them lines would be taken for each other.
_INKS = ("alone", "interfered", "contention", "missed", "rest", "latency")
_MARKERS = ("o", "s", "^", "D", "v", "P")
MOST_LINES = len(_INKS)
_HEIGHT_PT = 280
# From here on a linear axis would press its smaller values together.
_LOG_RATIO = 16


@dataclass(frozen=True, slots=True)
class Line:
    """What a column becomes along an axis; `label` "": there is one line."""

    label: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class PairData:
    """A column along an axis.

    Attributes:
        axis: Name of the axis.
        places: Its values, in order: all numbers, or all texts.
        column: Name of what is drawn.
        other: Name of the axis that lines are of; "": there is none.
        lines: As many as can be told apart.
        n_others: How many values the other axis has.
    """

    axis: str
    places: tuple[int | str, ...]
    column: str
    other: str
    lines: tuple[Line, ...]
    n_others: int


def draw_pair(data: PairData, prefix: str, alt: str) -> str:
    """Draw a column along an axis.

    Args:
        data: What is drawn.
        prefix: Of ids.
        alt: What the figure shows.
    """
    numbers = [one for one in data.places if not isinstance(one, str)]
    is_number = len(numbers) == len(data.places)
    x: Sequence[float] = numbers if is_number else range(len(data.places))
    with drawing(_HEIGHT_PT) as (figure, axes):
        for index, line in enumerate(data.lines):
            ink = INK[_INKS[index]]
            known = [(at, one) for at, one in zip(x, line.values, strict=True) if one is not None]
            axes.plot(
                [at for at, _ in known],
                [one for _, one in known],
                color=ink,
                marker=_MARKERS[index],
                markersize=3.5,
                linewidth=1.2,
                label=line.label,
            )
        shown = [one for line in data.lines for one in line.values if one is not None]
        axes.set_title(data.column)
        if data.column.partition(".")[2].rpartition(".")[0].endswith("_ns"):
            set_time_axis(axes.yaxis, (min(shown), max(shown)), data.column, is_log=False)
        axes.set_xlabel(data.axis)
        if is_number and min(x) > 0 and max(x) >= _LOG_RATIO * min(x):
            axes.set_xscale("log", base=2)
        if not is_number:
            axes.set_xticks(list(x), [str(one) for one in data.places])
        axes.grid(visible=True, axis="y")
        if data.other:
            figure.legend(title=data.other, loc="outside lower center", ncols=3)
        return to_svg(figure, prefix, alt)
