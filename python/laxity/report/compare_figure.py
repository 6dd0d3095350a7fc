# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The figure of a comparison: shifts with their intervals over the noise floor."""

from collections.abc import Sequence

from laxity.analysis.comparison import BELOW_FLOOR, LONGER, NO_DIFFERENCE, SHORTER, Figure
from laxity.report.svg import INK, drawing, to_svg

# Colour and marker say the same.
_LOOKS = {
    LONGER: ("missed", ">"),
    SHORTER: ("alone", "<"),
    BELOW_FLOOR: ("rest", "D"),
    NO_DIFFERENCE: ("rest", "o"),
}
_ROW_PT = 17
_FRAME_PT = 60
_BAND_HEIGHT = 0.7


def is_drawn(figure: Figure) -> bool:
    """Whether a figure has an interval, and a baseline that it is a share of."""
    return figure.verdict in _LOOKS and figure.shift_percent is not None


def shifts(figures: Sequence[Figure], labels: Sequence[str], prefix: str, alt: str) -> str:
    """Draw shifts in percent of the baseline, one row each, in their order from the top.

    Args:
        figures: Those of which `is_drawn` is true, at least one.
        labels: One per row.
        prefix: Of ids.
        alt: What the figure shows.
    """
    with drawing(_FRAME_PT + _ROW_PT * len(figures)) as (figure, axes):
        for row, one in enumerate(figures):
            floor = one.in_percent(one.floor) or 0.0
            axes.barh(row, 2 * floor, height=_BAND_HEIGHT, left=-floor, color=INK["grid"])
            ink, marker = _LOOKS[one.verdict]
            ends = [one.in_percent(end) or 0.0 for end in (one.low, one.high)]
            axes.plot(ends, [row, row], color=INK[ink], linewidth=1.4)
            is_hollow = one.verdict in {BELOW_FLOOR, NO_DIFFERENCE}
            axes.plot(
                [one.shift_percent or 0.0],
                [row],
                linestyle="none",
                marker=marker,
                markersize=5,
                markeredgecolor=INK[ink],
                markerfacecolor="none" if is_hollow else INK[ink],
            )
        axes.axvline(0, color=INK["muted"], linewidth=0.8)
        axes.set_yticks(range(len(figures)), labels)
        axes.set_ylim(len(figures) - 0.5, -0.5)
        axes.set_xlabel("shift in percent of BASE")
        axes.grid(visible=True, axis="x")
        return to_svg(figure, prefix, alt)
