# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The figure of what a migration costs against the working set."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from laxity.core.units import format_size_bytes
from laxity.costs.excess import Excess
from laxity.page.svg import INK, drawing, set_log_ticks, set_time_axis, to_svg

_HOLLOW = "none"
_LOWEST_NS = 1.0
_DASHED = (0, (3, 2))


@dataclass(frozen=True, slots=True)
class Line:
    """Medians over the working set.

    Attributes:
        label: Empty: the same as a line that has one.
        ink: Colour; `marker` says the same.
        points: (working set in bytes, what it cost), ascending.
        is_control: Drawn dashed.
    """

    label: str
    ink: str
    marker: str
    points: tuple[tuple[int, Excess], ...]
    is_control: bool = False


def is_drawable(lines: Iterable[Line]) -> bool:
    """Whether any median has a place on a logarithmic axis."""
    return any(_shown(line) for line in lines)


def migration_lines(lines: Sequence[Line], prefix: str, alt: str) -> str:
    """Draw medians, both axes logarithmic; hollow markers are not measurable.

    Args:
        lines: At least one of them drawable. A median that is not positive has no place on a
            logarithmic axis and is left out.
        prefix: Of ids.
        alt: What the figure shows.
    """
    shown = [(line, _shown(line)) for line in lines if _shown(line)]
    values = [one.median_ns for _, points in shown for _, one in points]
    sizes = [size for _, points in shown for size, _ in points]
    with drawing() as (figure, axes):
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        for line, points in shown:
            axes.plot(
                [size for size, _ in points],
                [one.median_ns for _, one in points],
                color=INK[line.ink],
                linewidth=1.2,
                linestyle=_DASHED if line.is_control else "solid",
                label=line.label or None,
            )
            for size, one in points:
                axes.plot(
                    [size],
                    [one.median_ns],
                    linestyle="none",
                    marker=line.marker,
                    markersize=3 if line.is_control else 5,
                    markeredgecolor=INK[line.ink],
                    markerfacecolor=INK[line.ink] if one.verdict == "ok" else _HOLLOW,
                )
        limits = (min(values) / 2, max(values) * 2)
        axes.set_ylim(*limits)
        set_time_axis(axes.yaxis, limits, "lost after a migration, median", is_log=True)
        set_log_ticks(axes.xaxis, (min(sizes), max(sizes)), format_size_bytes)
        axes.set_xticks(_ticks(min(sizes), max(sizes)))
        axes.set_xlabel("working set of the task")
        axes.grid(visible=True, axis="both")
        axes.legend(loc="upper left")
        return to_svg(figure, prefix, alt)


def _shown(line: Line) -> list[tuple[int, Excess]]:
    return [(size, one) for size, one in line.points if one.median_ns >= _LOWEST_NS]


def _ticks(low_bytes: int, high_bytes: int) -> list[int]:
    """Every second power of two."""
    powers = range(low_bytes.bit_length() - 1, high_bytes.bit_length() + 1)
    inside = [1 << power for power in powers if low_bytes <= 1 << power <= high_bytes]
    return inside[::2] or [low_bytes]
