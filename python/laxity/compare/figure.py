# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The figure of a comparison: shifts, with intervals over the noise floor where they have any."""

from collections.abc import Sequence

from laxity.compare.comparison import BELOW_FLOOR, LONGER, NO_DIFFERENCE, SHORTER, Figure
from laxity.page.svg import INK, drawing, to_svg

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
# Beyond this a linear axis hides the small shifts.
_WIDE_PERCENT = 50
_LINEAR_PERCENT = 5
_LEAST_PERCENT = 1.0
_MARGIN = 1.1


def is_drawn(figure: Figure) -> bool:
    """Whether a figure is shown to differ or not, and has a baseline that it is a share of.

    What is exactly equal needs no drawing.
    """
    return figure.verdict in _LOOKS and figure.shift_percent is not None


def shifts(figures: Sequence[Figure], labels: Sequence[str], prefix: str, alt: str) -> str:
    """Draw shifts in percent of the baseline, one row each, in their order from the top.

    Args:
        figures: Those of which `is_drawn` is true, at least one.
        labels: One per row.
        prefix: Of ids.
        alt: What the figure shows.
    """
    ends = [one.in_percent(end) or 0.0 for one in figures for end in (one.low, one.high, one.shift)]
    reach = _MARGIN * max(_LEAST_PERCENT, *map(abs, ends))
    with drawing(_FRAME_PT + _ROW_PT * len(figures)) as (figure, axes):
        for row, one in enumerate(figures):
            floor = one.in_percent(one.floor) or 0.0
            axes.barh(row, 2 * floor, height=_BAND_HEIGHT, left=-floor, color=INK["range"])
            ink, marker = _LOOKS[one.verdict]
            if one.low is not None and one.high is not None:
                line = [one.in_percent(end) or 0.0 for end in (one.low, one.high)]
                axes.plot(line, [row, row], color=INK[ink], linewidth=1.4)
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
        if reach > _WIDE_PERCENT:
            axes.set_xscale("symlog", linthresh=_LINEAR_PERCENT)
            axes.xaxis.set_major_formatter(_percent_tick)
        # A noise floor may be wider than all intervals: its band then fills the row.
        axes.set_xlim(-reach, reach)
        axes.set_xlabel("shift in percent of BASE")
        axes.grid(visible=True, axis="x")
        return to_svg(figure, prefix, alt)


def _percent_tick(value: float, _position: float) -> str:
    return f"{value:g}".replace("-", "\N{MINUS SIGN}")
