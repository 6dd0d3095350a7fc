# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The figures of Blin et al. that no other page of ours draws."""

from collections.abc import Sequence
from dataclasses import dataclass

from laxity.page.svg import INK, drawing, to_svg

_LOOKS = (("alone", "o"), ("interfered", "s"), ("missed", "^"), ("rest", "D"), ("contention", "v"))


@dataclass(frozen=True, slots=True)
class Line:
    """A line: its name, and where its points lie."""

    name: str
    x: Sequence[float]
    y: Sequence[float]


def draw_lines(
    lines: Sequence[Line],
    x_title: str,
    y_title: str,
    prefix: str,
    alt: str,
    *,
    marker_every: int = 1,
) -> str:
    """Draw lines over each other.

    Args:
        lines: At most five.
        x_title: Of the axis.
        y_title: Of the other axis.
        prefix: Of ids.
        alt: What the figure shows.
        marker_every: Points from one marker to the next.
    """
    with drawing() as (figure, axes):
        for (ink, marker), line in zip(_LOOKS, lines, strict=False):
            axes.plot(
                line.x,
                line.y,
                color=INK[ink],
                marker=marker,
                markersize=3.5,
                markevery=marker_every,
                linewidth=1.2,
                label=line.name,
            )
        axes.set_title(y_title)
        axes.set_xlabel(x_title)
        axes.set_ylim(bottom=0)
        axes.grid(visible=True, axis="both")
        figure.legend(loc="outside lower center", ncols=3)
        return to_svg(figure, prefix, alt)
