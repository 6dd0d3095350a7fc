# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The figures of Sebek, ours beside what the paper says of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from laxity.page.svg import INK, drawing, set_time_axis, to_svg
from laxity.papers.sebek_misses import LINES, PAPER_PERCENT, Windows

# Colour and marker say the same.
_LOOKS = (("alone", "o"), ("interfered", "s"), ("missed", "^"), ("rest", "D"))
_X_LABEL = "size of the task (% of the cache)"
_WAYS = 8
# Section 3.5.2.
_HIGHEST_NS, _ZERO_PERCENT = 195.5e3, 113.6


@dataclass(frozen=True, slots=True)
class Curve:
    """Nanoseconds over the size of a task in % of the cache."""

    name: str
    percent: tuple[float, ...]
    loss_ns: tuple[int, ...]


def draw_crpd(curves: Sequence[Curve], prefix: str, alt: str) -> str:
    """Draw CRPD as figure 10 does, with the paper's line.

    Args:
        curves: Of one axis.
        prefix: Of ids.
        alt: What the figure shows.
    """
    with drawing() as (figure, axes):
        for (ink, marker), curve in zip(_LOOKS, curves, strict=False):
            axes.plot(
                curve.percent,
                curve.loss_ns,
                color=INK[ink],
                marker=marker,
                markersize=3.5,
                linewidth=1.2,
                label=curve.name,
            )
        axes.plot(
            [0, 100, _ZERO_PERCENT],
            [0, _HIGHEST_NS, 0],
            color=INK["text"],
            linestyle=(0, (5, 2)),
            linewidth=1.2,
            label="paper",
        )
        highest_ns = max(max(curve.loss_ns) for curve in curves)
        set_time_axis(axes.yaxis, (0, highest_ns), "CRPD", is_log=False)
        axes.set_ylim(bottom=0)
        axes.set_xlim(left=0)
        axes.set_xlabel(_X_LABEL)
        axes.grid(visible=True, axis="both")
        axes.legend(loc="upper left")
        return to_svg(figure, prefix, alt)


def draw_associativity(curves: Mapping[int, Curve], prefix: str, alt: str) -> str:
    """Draw CRPD as figure 7 does: by ways of the cache, each with the paper's reasoning.

    Args:
        curves: By ways.
        prefix: Of ids.
        alt: What the figure shows.
    """
    with drawing() as (figure, axes):
        highest_ns = max(max(curve.loss_ns) for curve in curves.values())
        for (ink, marker), (ways, curve) in zip(_LOOKS, curves.items(), strict=False):
            axes.plot(
                curve.percent,
                curve.loss_ns,
                color=INK[ink],
                marker=marker,
                markersize=3.5,
                linestyle="none",
                label=curve.name,
            )
            axes.plot(
                [0, 100, 100 + 100 / ways],
                [0, _HIGHEST_NS, 0],
                color=INK[ink],
                linestyle=(0, (1, 2)),
                linewidth=1.2,
            )
        set_time_axis(axes.yaxis, (0, highest_ns), "CRPD", is_log=False)
        axes.set_ylim(bottom=0)
        axes.set_xlim(left=0)
        axes.set_xlabel(_X_LABEL)
        axes.grid(visible=True, axis="both")
        axes.legend(loc="upper left")
        return to_svg(figure, prefix, alt)


def draw_miss_ratios(points: Sequence[tuple[float, float]], prefix: str, alt: str) -> str:
    """Draw miss ratios as figure 5 has them, the formula as printed, and exact LRU.

    Args:
        points: Size of the task in % of the cache, misses in %; from 100 % on.
        prefix: Of ids.
        alt: What the figure shows.
    """
    end = 100 + 100 / _WAYS
    sizes = [100 + (end - 100) * step / 50 for step in range(51)]
    with drawing() as (figure, axes):
        axes.plot(
            [*sizes, max(size for size, _ in points)],
            [*((size - 100) * (_WAYS + 1) / size * 100 for size in sizes), 100],
            color=INK["alone"],
            linewidth=1.2,
            label="exact LRU",
        )
        axes.plot(
            [100, end],
            [0, 100],
            color=INK["text"],
            linestyle=(0, (5, 2)),
            linewidth=1.2,
            label="paper",
        )
        axes.plot(
            [size for size, _ in points],
            [ratio for _, ratio in points],
            color=INK["interfered"],
            marker="s",
            markersize=3.5,
            linestyle="none",
            label="simulated",
        )
        axes.set_title("lines that miss (%)")
        axes.set_xlabel(_X_LABEL)
        axes.grid(visible=True, axis="both")
        axes.legend(loc="lower right")
        return to_svg(figure, prefix, alt)


def draw_windows(windows: Windows, prefix: str, alt: str) -> str:
    """Draw the miss ratio over time as figure 6 does, each window by its task.

    Args:
        windows: Of one run.
        prefix: Of ids.
        alt: What the figure shows.
    """
    is_used = ~np.isnan(windows.percent)
    with drawing() as (figure, axes):
        limits_ns = (0.0, float(windows.end_ns[is_used].max()))
        set_time_axis(axes.xaxis, limits_ns, "time", is_log=False)
        for number, ((ink, marker), task) in enumerate(zip(_LOOKS, LINES, strict=True)):
            own = is_used & (windows.ran == number)
            axes.axhline(PAPER_PERCENT[task], color=INK[ink], linestyle=(0, (5, 2)), linewidth=0.8)
            axes.plot(
                windows.end_ns[own],
                windows.percent[own],
                color=INK[ink],
                marker=marker,
                markersize=2,
                linestyle="none",
                label=task,
            )
        axes.set_title("misses per instruction (%)")
        axes.set_ylim(bottom=0)
        axes.grid(visible=True, axis="both")
        axes.legend(loc="upper right")
        return to_svg(figure, prefix, alt)
