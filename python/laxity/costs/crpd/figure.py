# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The figure of gamma against the working set."""

import itertools
from collections.abc import Sequence

from laxity.core.streams import CRPD_EVICTS
from laxity.core.units import format_size_bytes
from laxity.costs.crpd.data import GammaCurve
from laxity.page.svg import INK, drawing, set_log_ticks, set_time_axis, to_svg

# Colour and marker say the same: how lines were evicted.
_LOOKS = (("alone", "o"), ("interfered", "s"), ("missed", "^"), ("rest", "D"))
_HOLLOW = "none"
_LOWEST_NS = 1.0


def gamma_curves(curves: Sequence[GammaCurve], prefix: str, alt: str) -> str:
    """Draw medians of gamma, both axes logarithmic; hollow markers are not measurable.

    Args:
        curves: Of one CPU, case and pattern; they differ in how lines were evicted. A median that
            is not positive has no place on a logarithmic axis and is left out.
        prefix: Of ids.
        alt: What the figure shows.
    """
    shown = [
        [(one, one.median_ns) for one in curve.points if one.median_ns >= _LOWEST_NS]
        for curve in curves
    ]
    values = [value for points in shown for _, value in points]
    sizes = [one.place.working_set_bytes for one, _ in itertools.chain.from_iterable(shown)]
    with drawing() as (figure, axes):
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        for curve, points in zip(curves, shown, strict=True):
            if not points:
                continue
            ink, marker = _LOOKS[curve.points[0].place.evict]
            x = [one.place.working_set_bytes for one, _ in points]
            y = [value for _, value in points]
            name = CRPD_EVICTS[curve.points[0].place.evict]
            axes.plot(x, y, color=INK[ink], linewidth=1.2, label=name)
            for one, value in points:
                axes.plot(
                    [one.place.working_set_bytes],
                    [value],
                    linestyle="none",
                    marker=marker,
                    markersize=5,
                    markeredgecolor=INK[ink],
                    markerfacecolor=INK[ink] if one.verdict == "ok" else _HOLLOW,
                )
        limits = (min(values) / 2, max(values) * 2)
        axes.set_ylim(*limits)
        set_time_axis(axes.yaxis, limits, "gamma, median", is_log=True)
        set_log_ticks(axes.xaxis, (min(sizes), max(sizes)), format_size_bytes)
        axes.set_xticks(_ticks(min(sizes), max(sizes)))
        axes.set_xlabel("working set of the victim")
        axes.grid(visible=True, axis="both")
        axes.legend(loc="upper left")
        return to_svg(figure, prefix, alt)


def _ticks(low_bytes: int, high_bytes: int) -> list[int]:
    """Every second power of two."""
    powers = range(low_bytes.bit_length() - 1, high_bytes.bit_length() + 1)
    inside = [1 << power for power in powers if low_bytes <= 1 << power <= high_bytes]
    return inside[::2] or [low_bytes]
