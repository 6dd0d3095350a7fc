# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The figure of a bound: where the time of each task goes, stacked against its deadline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from laxity.page.figures import Part
from laxity.page.svg import INK, drawing, to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Patch

    from laxity.bounds.verdicts import TaskBound
    from laxity.bounds.words import PartOfWindow

# A task name longer than this leaves no room for the bars.
_NAME_LENGTH = 18
# Beyond three times the deadline it is late, by how much says the table.
_REACH_PERCENT = 300
_BAR_PT, _FRAME_PT = 30, 108
_LEGEND_COLUMNS = 3


@dataclass(frozen=True, slots=True)
class Bar:
    """One task: the parts in their order, and the length that is 100 %, both in ns.

    No parts: nothing bounds it.
    """

    name: str
    parts: tuple[Part, ...]
    whole_ns: int


def task_bar(one: TaskBound, counted: Sequence[PartOfWindow]) -> Bar:
    """Stack the jitter and the busy window of a task.

    Args:
        one: The task.
        counted: The parts of windows that are drawn.
    """
    parts = []
    if one.breakdown is not None:
        parts.append(Part("jitter", "range", one.jitter_ns))
        parts += [Part(part.label, part.ink, part.of(one.breakdown)) for part in counted]
    # Earlier jobs of the window have deadlines before; the last one's is this far from its start.
    whole_ns = one.deadline_ns + ((one.jobs or 1) - 1) * one.period_ns
    return Bar(one.name, tuple(parts), whole_ns)


def deadline_bars(bars: Sequence[Bar], prefix: str, alt: str) -> str:
    """Draw one bar per task, its deadline at 100 %.

    Args:
        bars: At least one of them has parts, and those that have some have the same.
        prefix: Of ids.
        alt: What the figure shows.
    """
    with drawing(height_pt=_FRAME_PT + _BAR_PT * len(bars)) as (figure, axes):
        for place, bar in enumerate(bars):
            _draw_bar(axes, place, bar)
        longest = max(sum(one.value_ns for one in bar.parts) / bar.whole_ns for bar in bars)
        axes.set_xlim(0, min(max(105.0, 104 * longest), _REACH_PERCENT))
        # Seen on every bar that it crosses.
        axes.axvline(100, color=INK["page"], linewidth=3.5)
        axes.axvline(100, color=INK["deadline"], linestyle=(0, (5, 2)), linewidth=1.2)
        axes.set_yticks(range(len(bars)), [_short(bar.name) for bar in bars])
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(bars) - 0.4, -0.6)
        axes.set_xlabel("share of the time until the deadline (%)")
        axes.spines["left"].set_visible(False)
        figure.legend(
            handles=_legend(bars), loc="outside upper left", ncols=_LEGEND_COLUMNS, handlelength=1.2
        )
        return to_svg(figure, prefix, alt)


def _draw_bar(axes: Axes, place: int, bar: Bar) -> None:
    left = 0.0
    for part in bar.parts:
        width = 100 * part.value_ns / bar.whole_ns
        axes.barh(
            place,
            width,
            left=left,
            height=0.62,
            color=INK[part.ink],
            edgecolor=INK["page"],
            linewidth=0.6 if width else 0,
        )
        left += width
    if not bar.parts:
        axes.text(2, place, "no bound", verticalalignment="center", color=INK["text"])


def _legend(bars: Sequence[Bar]) -> list[Patch]:
    """Name the parts in the order in which they are stacked."""
    from matplotlib.patches import Patch  # noqa: PLC0415 - slow

    parts = next(bar.parts for bar in bars if bar.parts)
    return [Patch(facecolor=INK[part.ink], label=part.label) for part in parts]


def _short(name: str) -> str:
    return name if len(name) <= _NAME_LENGTH else f"{name[: _NAME_LENGTH - 1]}…"
