# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The figures of access times and bandwidth against the size of the array.

Source: Raffeck et al., "Revisiting Migration Overheads in Real-Time Systems", figures 4 and 5: a
box per size and NUMA domain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from laxity.core.units import format_bytes_per_s, format_size_bytes
from laxity.costs.memory_latency.data import AccessCurve
from laxity.costs.memory_latency.rows import PS_PER_NS, STREAM_LINE_BYTES
from laxity.page.svg import INK, drawing, set_log_ticks, set_time_axis, to_svg
from laxity.statistics import distribution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colour and marker say the same: which curve it is.
_LOOKS = (
    ("alone", "o"),
    ("interfered", "s"),
    ("missed", "^"),
    ("latency", "D"),
    ("execution", "v"),
    ("rest", "P"),
)
MOST_CURVES = len(_LOOKS)
_QUARTILES = (0.25, 0.75)
_LOWEST_PS = 1
_PS_PER_S = 10**12


def time_figure(
    curves: Sequence[tuple[str, AccessCurve]],
    claims: Sequence[tuple[str, int]],
    prefix: str,
    alt: str,
) -> str:
    """Draw medians and quartiles of access times, both axes logarithmic.

    Args:
        curves: At most MOST_CURVES, each with its name; at least one positive median.
        claims: Caches that the system tells of: name and size in bytes, drawn as vertical lines.
        prefix: Of ids.
        alt: What the figure shows.
    """
    values: list[float] = []
    sizes: list[int] = []
    with drawing() as (figure, axes):
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        for (name, curve), (ink, marker) in zip(curves, _LOOKS, strict=False):
            shown = [one for one in curve if one.median_ps >= _LOWEST_PS]
            boxes = [_box_ns(one.samples_ps) for one in shown]
            x = [one.place.working_set_bytes for one in shown]
            middle = [one.median_ps / PS_PER_NS for one in shown]
            axes.plot(
                x, middle, color=INK[ink], linewidth=1.0, marker=marker, markersize=3, label=name
            )
            low, high = [box[0] for box in boxes], [box[1] for box in boxes]
            axes.vlines(x, low, high, colors=INK[ink], linewidth=1.8)
            values += [*low, *high, *middle]
            sizes += x
        limits = (min(values) / 1.5, max(values) * 1.5)
        axes.set_ylim(*limits)
        set_time_axis(axes.yaxis, limits, "time per access", is_log=True)
        _set_size_axis(axes, sizes)
        for name, size in claims:
            if min(sizes) <= size <= max(sizes):
                axes.axvline(size, color=INK["muted"], linewidth=0.8, linestyle=":")
                axes.text(size, limits[0], f"{name} ", color=INK["muted"], ha="right", va="bottom")
        axes.legend(loc="upper left")
        return to_svg(figure, prefix, alt)


def bandwidth_figure(curves: Sequence[tuple[str, AccessCurve]], prefix: str, alt: str) -> str:
    """Draw median bandwidths of streams, both axes logarithmic.

    Args:
        curves: At most MOST_CURVES, each with its name; at least one measurable point.
        prefix: Of ids.
        alt: What the figure shows.
    """
    values: list[float] = []
    sizes: list[int] = []
    with drawing() as (figure, axes):
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        for (name, curve), (ink, marker) in zip(curves, _LOOKS, strict=False):
            shown = [one for one in curve if one.bytes_per_s is not None]
            x = [one.place.working_set_bytes for one in shown]
            y = [STREAM_LINE_BYTES * _PS_PER_S / one.median_ps for one in shown]
            axes.plot(x, y, color=INK[ink], linewidth=1.0, marker=marker, markersize=3, label=name)
            values += y
            sizes += x
        limits = (min(values) / 1.5, max(values) * 1.5)
        axes.set_ylim(*limits)
        set_log_ticks(axes.yaxis, limits, format_bytes_per_s)
        axes.set_title("bandwidth")
        _set_size_axis(axes, sizes)
        axes.legend(loc="lower left")
        return to_svg(figure, prefix, alt)


def _box_ns(samples_ps: distribution.IntArray) -> tuple[float, float]:
    samples = distribution.from_samples(samples_ps)
    low, high = (samples.quantile_ns(q) for q in _QUARTILES)
    return max(_LOWEST_PS, low) / PS_PER_NS, max(_LOWEST_PS, high) / PS_PER_NS


def _set_size_axis(axes: Axes, sizes: Sequence[int]) -> None:
    """Ticks at every third power of two."""
    set_log_ticks(axes.xaxis, (min(sizes), max(sizes)), format_size_bytes)
    powers = range(min(sizes).bit_length() - 1, max(sizes).bit_length() + 1)
    inside = [1 << power for power in powers if min(sizes) <= 1 << power <= max(sizes)]
    axes.set_xticks(inside[::3] or [min(sizes)])
    axes.set_xlabel("size of the array")
    axes.grid(visible=True, axis="both")
