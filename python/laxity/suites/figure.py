# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The figure of a suite run: how long the jobs of every program are, on one axis."""

from collections.abc import Sequence

from laxity.page.svg import INK, drawing, set_time_axis, to_svg
from laxity.suites.result import Spread

_ROW_PT = 12
_FRAME_PT = 48
_MARGIN = 1.15


def spreads(names: Sequence[str], times: Sequence[Spread], prefix: str, alt: str) -> str:
    """Draw minimum, median and maximum of each program, one row each, from the top.

    Args:
        names: Of the programs.
        times: One per program, nanoseconds; at least one.
        prefix: Of ids.
        alt: What the figure shows.
    """
    low = max(1, min(one.min for one in times)) / _MARGIN
    high = max(one.max for one in times) * _MARGIN
    with drawing(_FRAME_PT + _ROW_PT * len(names)) as (figure, axes):
        for row, one in enumerate(times):
            axes.plot(
                [max(1, one.min), max(1, one.max)], [row, row], color=INK["range"], linewidth=3
            )
        for values, marker, ink in (
            ([one.min for one in times], "|", "muted"),
            ([one.median for one in times], "o", "alone"),
            ([one.max for one in times], ">", "missed"),
        ):
            axes.plot(
                [max(1, value) for value in values],
                range(len(times)),
                linestyle="none",
                marker=marker,
                markersize=4,
                color=INK[ink],
            )
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.set_xscale("log")
        axes.set_xlim(low, high)
        set_time_axis(axes.xaxis, (low, high), "start to finish", is_log=True)
        axes.grid(visible=True, axis="x")
        return to_svg(figure, prefix, alt)
