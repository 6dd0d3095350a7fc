# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Pictures of profiles: deadlines met, where programs lie between processor and memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from laxity.page.svg import INK, drawing, set_log_ticks, set_time_axis, to_svg
from laxity.profile.document import MetRecord
from laxity.statistics.dependence import IntArray

# Ink and marker say the same: the scenario.
LOOKS = (
    ("alone", "o"),
    ("contention", "^"),
    ("interfered", "s"),
    ("missed", "D"),
    ("rest", "v"),
    ("latency", "P"),
)
_PERCENT = 100
_PLACED_PT = 300
_HEAT_FRAME_PT, _HEAT_ROW_PT, _STEP_PERCENT = 60, 10, 5
# A logarithmic axis has no 0.
_LEAST_BYTES = 1e-4


@dataclass(frozen=True, slots=True)
class MetLine:
    """What a scenario becomes along utilisation."""

    name: str
    points: Sequence[MetRecord]


def met_lines(lines: Sequence[MetLine], prefix: str, alt: str) -> str:
    """Draw the shares with the bands of their intervals.

    Args:
        lines: As many as can be told apart, `LOOKS`.
        prefix: Of ids.
        alt: What the figure shows.
    """
    with drawing() as (figure, axes):
        for line, (ink, marker) in zip(lines, LOOKS, strict=False):
            x = [one.utilisation_percent for one in line.points]
            y = [_PERCENT * one.met / one.jobs for one in line.points]
            known = [one for one in line.points if one.low is not None and one.high is not None]
            axes.fill_between(
                [one.utilisation_percent for one in known],
                [_PERCENT * (one.low or 0.0) for one in known],
                [_PERCENT * (one.high or 0.0) for one in known],
                color=INK[ink],
                alpha=0.2,
                linewidth=0,
            )
            axes.plot(x, y, color=INK[ink], marker=marker, markersize=3.5, label=line.name)
        axes.set_ylim(-2, 102)
        axes.set_title("jobs that met deadline = WCET / utilisation (%)")
        axes.set_xlabel("utilisation (%)")
        axes.grid(visible=True, axis="both")
        figure.legend(loc="outside lower center", ncols=3)
        return to_svg(figure, prefix, alt)


@dataclass(frozen=True, slots=True)
class Placed:
    """A program: memory traffic, bytes per instruction, and instructions per cycle."""

    name: str
    alone: tuple[float, float]
    slowest: tuple[float, float]


def placement(placed: Sequence[Placed], prefix: str, alt: str) -> str:
    """Draw programs by what they ask of the memory and how fast they go, alone and at their worst.

    Args:
        placed: At least one.
        prefix: Of ids.
        alt: What the figure shows.
    """
    with drawing(_PLACED_PT) as (figure, axes):
        for one in placed:
            x, y = zip(
                *((max(x, _LEAST_BYTES), y) for x, y in (one.alone, one.slowest)), strict=True
            )
            axes.plot(x, y, color=INK["interfered"], linewidth=0.8)
            axes.plot(x[:1], y[:1], color=INK["alone"], marker="o", markersize=4)
            axes.annotate(
                one.name, (x[0], y[0]), xytext=(4, 3), textcoords="offset points", fontsize=7
            )
        axes.set_xscale("log")
        left, right = axes.get_xlim()
        set_log_ticks(axes.xaxis, (left, right), lambda value: f"{value:g}")
        axes.set_xlim(left, right * 3)
        axes.set_ylim(bottom=0)
        axes.set_title("instructions per cycle")
        axes.set_xlabel(
            f"memory traffic (bytes per instruction; {_LEAST_BYTES:g}: so much or less)"
        )
        axes.grid(visible=True, axis="both")
        return to_svg(figure, prefix, alt)


def heat_map(rows: Sequence[MetLine], prefix: str, alt: str) -> str:
    """Draw the shares of several programs and scenarios, a row each: the fuller, the more met.

    Args:
        rows: Each with a point per utilisation.
        prefix: Of ids.
        alt: What the figure shows.
    """
    with drawing(_HEAT_FRAME_PT + _HEAT_ROW_PT * len(rows)) as (figure, axes):
        for at, row in enumerate(rows):
            for one in row.points:
                x = one.utilisation_percent
                # Rectangles, so that the ink is the page's; a heat map is a picture.
                axes.barh(
                    at,
                    _STEP_PERCENT,
                    left=x - _STEP_PERCENT / 2,
                    height=1,
                    color=INK["alone"],
                    alpha=one.met / one.jobs,
                    linewidth=0,
                )
        axes.set_yticks(range(len(rows)), [row.name for row in rows], fontsize=7)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlim(_STEP_PERCENT / 2, _PERCENT + _STEP_PERCENT / 2)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("utilisation (%)")
        axes.set_title("share of jobs that met deadline = WCET / utilisation, full colour: all")
        return to_svg(figure, prefix, alt)


def violins(rows: Sequence[tuple[str, IntArray]], label: str, prefix: str, alt: str) -> str:
    """Draw how times spread, a violin per scenario with its median and its ends.

    Args:
        rows: Names and times, nanoseconds; each of two different values at least.
        label: What they are.
        prefix: Of ids.
        alt: What the figure shows.
    """
    with drawing() as (figure, axes):
        bodies: Any = axes.violinplot(
            [times_ns for _, times_ns in rows], showmedians=True, showextrema=True, widths=0.8
        )
        for body, (ink, _) in zip(bodies["bodies"], LOOKS, strict=False):
            body.set_facecolor(INK[ink])
            body.set_alpha(0.35)
        for name in ("cmedians", "cmins", "cmaxes", "cbars"):
            bodies[name].set_color(INK["text"])
            bodies[name].set_linewidth(0.8)
        axes.set_xticks(range(1, len(rows) + 1), [name for name, _ in rows])
        axes.tick_params(axis="x", length=0)
        set_time_axis(axes.yaxis, axes.get_ylim(), label, is_log=False)
        axes.grid(visible=True, axis="y")
        return to_svg(figure, prefix, alt)
