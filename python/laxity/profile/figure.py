# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The share of jobs that meet their deadlines, against utilisation."""

from collections.abc import Sequence
from dataclasses import dataclass

from laxity.page.svg import INK, drawing, to_svg
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
