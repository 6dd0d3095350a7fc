# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Pictures of profiles: deadlines met, where programs lie between processor and memory."""

from collections.abc import Sequence
from dataclasses import dataclass

from laxity.page.svg import INK, drawing, set_log_ticks, to_svg
from laxity.profile.document import MetRecord

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
