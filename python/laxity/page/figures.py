# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The figures of a report: each takes data and gives an SVG, none reads a file.

Colours are chosen for colour-blind readers (Okabe and Ito) and never carry a meaning alone: line
style, marker shape, order or a label says the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from laxity.page.svg import FONT_PT, INK, draw_dots, drawing, set_count_ticks, set_time_axis, to_svg
from laxity.statistics import distribution
from laxity.statistics.distribution import Bins, Distribution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FloatArray = NDArray[np.float64]

HISTOGRAM_BINS = 64
TAIL_POINTS = 300
SERIES_POINTS = 2000
MARKED_POINTS = 300
# A deadline further out than this would squeeze the data of a linear axis; the caption names it.
_DEADLINE_REACH = 2.0
_LOG_TAIL_RATIO = 3.0
_DASHES: dict[str, Any] = {"alone": "solid", "interfered": (0, (4, 1.5))}
_HALF_A_JOB = 0.5
_SHORTEST_AXIS = 0.02
_DOT_PT, _LARGE_DOT_PT = 1.8, 4.0
# What the bars of a task's activity take of the height, how thick they are, and the share of the
# width that can be seen.
_SPAN_SHARE, _SPAN_PT, _SHORTEST_SPAN = 0.045, 4.0, 0.002
_RATE_UNITS = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_RATE_INKS = ("alone", "interfered", "contention", "rest")
_RATE_DASHES: tuple[Any, ...] = ("solid", (0, (4, 1.5)), (0, (1.5, 1)), (0, (6, 1.5, 1.5, 1.5)))
_WINDOW_MARKS = ("o", "s", "^", "D")
_FEW_DOTS = 200


@dataclass(frozen=True, slots=True)
class Labelled:
    """A distribution with the ink that draws it; `label` is empty where there is only one."""

    samples: Distribution
    ink: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """One value per job over time, nanoseconds; `time_ns` counts from t0.

    `missed` marks jobs in the values, `skipped_ns` are release times of releases without a value.
    """

    time_ns: FloatArray
    value_ns: FloatArray
    missed: NDArray[np.bool_]
    skipped_ns: FloatArray


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a stacked bar: its name, its ink, its length in nanoseconds."""

    label: str
    ink: str
    value_ns: float


@dataclass(frozen=True, slots=True)
class RateLine:
    """How fast something came, in steps: edges in ns since t0, one more than rates per second."""

    label: str
    edges_ns: FloatArray
    per_s: FloatArray


def is_deadline_drawn(data: Sequence[Labelled], deadline_ns: int | None) -> bool:
    """True if the deadline is near enough to the data to be drawn in a histogram or tail."""
    if deadline_ns is None or deadline_ns <= 0:
        return False
    return deadline_ns <= _DEADLINE_REACH * max(one.samples.max_ns for one in data)


def histogram(
    data: Sequence[Labelled],
    label: str,
    deadline_ns: int | None,
    prefix: str,
    alt: str,
    noun: str = "jobs",
) -> str:
    """Draw one histogram, or several over each other, with a logarithmic count.

    Several are drawn as shares, since their sample counts differ. `noun`: what is counted.
    """
    limits = _limits(data)
    bins = [distribution.bin_counts(one.samples, HISTOGRAM_BINS, limits) for one in data]
    is_share = len(data) > 1
    with drawing() as (figure, axes):
        if bins[0].is_log:
            axes.set_xscale("log")
        axes.set_yscale("log")
        _draw_bins(axes, data, bins, is_share=is_share)
        shown = (limits[0], max(limits[1], _drawn_deadline(data, deadline_ns)))
        if not bins[0].is_log:
            axes.set_xlim(*_readable(*axes.get_xlim()))
        set_time_axis(axes.xaxis, shown, label, is_log=bins[0].is_log)
        set_count_ticks(axes.yaxis, axes.get_ylim(), is_share=is_share)
        axes.set_title(f"share of {noun} per bin" if is_share else f"{noun} per bin")
        _finish(axes, data, deadline_ns)
        return to_svg(figure, prefix, alt)


def _draw_bins(
    axes: Axes, data: Sequence[Labelled], bins: Sequence[Bins], *, is_share: bool
) -> None:
    """Draw the steps; the y axis begins at half a job."""
    floor = _HALF_A_JOB / (max(one.samples.n for one in data) if is_share else 1)
    top = 2 * floor
    for one, binned in zip(data, bins, strict=True):
        counts = binned.counts / one.samples.n if is_share else binned.counts
        top = max(top, float(counts.max()))
        heights = np.where(counts > 0, np.maximum(counts, floor * 1.2), floor)
        axes.stairs(
            heights,
            binned.edges_ns,
            baseline=floor,
            color=INK[one.ink],
            fill=True,
            alpha=0.18 if is_share else 0.35,
            linewidth=0,
        )
        axes.stairs(
            heights,
            binned.edges_ns,
            baseline=floor,
            color=INK[one.ink],
            linewidth=1.4,
            linestyle=_DASHES.get(one.ink, "solid"),
            label=one.label or None,
        )
    axes.set_ylim(floor, top * 2)


def tail(
    data: Sequence[Labelled],
    label: str,
    deadline_ns: int | None,
    prefix: str,
    alt: str,
    noun: str = "jobs",
) -> str:
    """Draw 1 - F: the share of jobs that took at least x, both axes logarithmic."""
    low, high = _limits(data)
    shown = (low, max(high, _drawn_deadline(data, deadline_ns)))
    is_log = low > 0 and shown[1] > _LOG_TAIL_RATIO * low
    smallest = min(1 / one.samples.n for one in data)
    with drawing() as (figure, axes):
        if is_log:
            axes.set_xscale("log")
        axes.set_yscale("log")
        for one in data:
            x, share = distribution.tail_points(one.samples, TAIL_POINTS)
            # All jobs take at least the smallest sample; the dot is the largest one.
            axes.plot(
                x,
                share,
                drawstyle="steps-pre",
                color=INK[one.ink],
                linestyle=_DASHES.get(one.ink, "solid"),
                label=one.label or None,
            )
            axes.plot(x[-1:], share[-1:], marker="o", markersize=4, color=INK[one.ink])
        axes.set_ylim(smallest / 2, 1.6)
        if not is_log:
            axes.set_xlim(*_readable(*axes.get_xlim()))
        set_time_axis(axes.xaxis, shown, label, is_log=is_log)
        set_count_ticks(axes.yaxis, (smallest / 2, 1.6), is_share=True)
        axes.set_title(f"share of {noun} that took at least x")
        _finish(axes, data, deadline_ns)
        return to_svg(figure, prefix, alt)


def series(data: Series, label: str, deadline_ns: int | None, prefix: str, alt: str) -> str:
    """Draw a value per job over time; crosses: missed jobs, ticks below: skipped releases."""
    positive = data.value_ns[data.value_ns > 0]
    is_log = (
        positive.size == data.value_ns.size
        and data.value_ns.max() > distribution.LOG_AXIS_RATIO * data.value_ns.min()
    )
    with drawing() as (figure, axes):
        if is_log:
            axes.set_yscale("log")
        seconds = data.time_ns / 1e9
        kept = distribution.decimate_min_max(data.value_ns, SERIES_POINTS)
        size = _DOT_PT if len(kept) > _FEW_DOTS else _LARGE_DOT_PT
        draw_dots(axes, seconds[kept], data.value_ns[kept], "alone", size)
        _draw_missed(axes, seconds[data.missed], data.value_ns[data.missed])
        low, high = float(data.value_ns.min()), float(data.value_ns.max())
        if deadline_ns is not None and 0 < deadline_ns <= _DEADLINE_REACH * high:
            axes.axhline(deadline_ns, color=INK["deadline"], linestyle=(0, (5, 2)), linewidth=1.2)
            axes.annotate(
                "deadline",
                (1, deadline_ns),
                xycoords=("axes fraction", "data"),
                xytext=(0, 2),
                textcoords="offset points",
                horizontalalignment="right",
                color=INK["deadline"],
                bbox={"facecolor": INK["page"], "edgecolor": "none", "alpha": 0.8, "pad": 0.5},
            ).set_in_layout(False)
            high, low = max(high, deadline_ns), min(low, deadline_ns)
        axes.set_ylim(*_padded(low, high, is_log=is_log))
        _draw_skipped(axes, data.skipped_ns / 1e9)
        times = np.concatenate([seconds, data.skipped_ns / 1e9])
        axes.set_xlim(*_padded(float(times.min()), float(times.max()), is_log=False))
        set_time_axis(axes.yaxis, axes.get_ylim(), label, is_log=is_log)
        axes.set_xlabel("release, time since t0 (s)")
        axes.grid(visible=True, axis="y")
        return to_svg(figure, prefix, alt)


def rates(
    lines: Sequence[RateLine],
    spans_ns: Sequence[FloatArray] | None,
    label: str,
    unit: str,
    prefix: str,
    alt: str,
) -> str:
    """Draw rates over time.

    Args:
        lines: One or several, of one unit.
        spans_ns: Times in which tasks were active, of each (from, to) of shape (span, 2); bars
            along the lower edge, one task above the other. None: the lines are those of a job.
        label: What the rates are of.
        unit: Such as B/s.
        prefix: Of ids.
        alt: What the figure shows.
    """
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 - slow

    with drawing() as (figure, axes):
        for rank, line in enumerate(lines):
            again, place = divmod(rank, len(_RATE_INKS))
            axes.stairs(
                line.per_s,
                line.edges_ns,
                baseline=None,
                color=INK[_RATE_INKS[place]],
                linewidth=1.2,
                linestyle=_RATE_DASHES[(place + again) % len(_RATE_DASHES)],
                label=line.label,
            )
        highest = max(float(line.per_s.max()) for line in lines)
        factor, symbol = next(((f, s) for f, s in _RATE_UNITS if highest >= f), _RATE_UNITS[-1])
        # Below 0 lies what the bars take.
        spans_ns, since = ([], "the job's start") if spans_ns is None else (spans_ns, "t0")
        axes.set_ylim(-_SPAN_SHARE * len(spans_ns) * (highest or 1), 1.05 * (highest or 1))
        end_ns = max(float(line.edges_ns[-1]) for line in lines)
        for rank, spans in enumerate(spans_ns):
            axes.hlines(
                np.full(len(spans), -_SPAN_SHARE * (rank + 0.5) * (highest or 1)),
                spans[:, 0],
                np.maximum(spans[:, 1], spans[:, 0] + _SHORTEST_SPAN * end_ns),
                color=INK["skipped"],
                linewidth=_SPAN_PT,
            )
        axes.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
        axes.yaxis.set_major_formatter(
            lambda value, _: f"{value / factor:.10g}" if value >= 0 else ""
        )
        axes.set_title(f"{label} ({symbol}{unit})")
        axes.set_xlim(0, end_ns)
        set_time_axis(axes.xaxis, (0, end_ns), f"time since {since}", is_log=False)
        axes.grid(visible=True, axis="y")
        if len(lines) > 1:
            figure.legend(loc="outside lower center", ncols=2, handlelength=2.4)
        return to_svg(figure, prefix, alt)


def windows(
    points: Sequence[tuple[str, FloatArray, FloatArray]],
    label: str,
    prefix: str,
    alt: str,
    since: str = "t0",
) -> str:
    """Draw shares over time, one mark for each window of its task.

    Args:
        points: Of each task: its name, ends of windows in ns, and shares in percent.
        label: What the shares are of.
        prefix: Of ids.
        alt: What the figure shows.
        since: Origin of all times.
    """
    with drawing() as (figure, axes):
        end_ns = max(float(times_ns.max(initial=0)) for _, times_ns, _ in points)
        for rank, (name, times_ns, percent) in enumerate(points):
            again, place = divmod(rank, len(_RATE_INKS))
            axes.plot(
                times_ns,
                percent,
                color=INK[_RATE_INKS[place]],
                marker=_WINDOW_MARKS[(place + again) % len(_WINDOW_MARKS)],
                markersize=2,
                linestyle="none",
                label=name,
            )
        axes.set_title(f"{label} (%)")
        axes.set_ylim(bottom=0)
        axes.set_xlim(0, end_ns)
        set_time_axis(axes.xaxis, (0, end_ns), f"time since {since}", is_log=False)
        axes.grid(visible=True, axis="both")
        if len(points) > 1:
            figure.legend(loc="outside lower center", ncols=4, handlelength=1)
        return to_svg(figure, prefix, alt)


def _draw_missed(axes: Axes, x: FloatArray, y: FloatArray) -> None:
    """Crosses, at most MARKED_POINTS; thinned so that the extremes stay."""
    if not x.size:
        return
    kept = distribution.decimate_min_max(y, MARKED_POINTS)
    axes.plot(
        x[kept],
        y[kept],
        linestyle="none",
        marker="x",
        markersize=5,
        markeredgewidth=1.3,
        color=INK["missed"],
    )


def _draw_skipped(axes: Axes, seconds: FloatArray) -> None:
    """Short ticks along the lower edge, at most MARKED_POINTS, evenly thinned."""
    if not seconds.size:
        return
    step = -(-seconds.size // MARKED_POINTS)
    axes.vlines(
        seconds[::step],
        0,
        0.035,
        transform=axes.get_xaxis_transform(),
        color=INK["skipped"],
        linewidth=1.1,
    )


def split_bars(rows: Sequence[tuple[str, Sequence[Part]]], prefix: str, alt: str) -> str:
    """Draw one bar of 100 % per row, its parts in order; parts below 0 have no length.

    Args:
        rows: Label and parts of each bar; all have the same parts in the same order.
        prefix: Of ids.
        alt: What the figure shows.
    """
    with drawing(height_pt=64 + 34 * len(rows)) as (figure, axes):
        for place, (_, parts) in enumerate(rows):
            total = sum(max(part.value_ns, 0.0) for part in parts) or 1.0
            left = 0.0
            for part in parts:
                width = 100 * max(part.value_ns, 0.0) / total
                axes.barh(
                    place,
                    width,
                    left=left,
                    height=0.62,
                    color=INK[part.ink],
                    edgecolor=INK["page"],
                    linewidth=0.6,
                    label=part.label if place == 0 else None,
                )
                left += width
        axes.set_yticks(range(len(rows)), [label for label, _ in rows])
        axes.tick_params(axis="y", length=0)
        axes.invert_yaxis()
        axes.set_xlim(0, 100)
        axes.set_xlabel("share of the response time (%)")
        axes.spines["left"].set_visible(False)
        figure.legend(loc="outside upper left", ncols=len(rows[0][1]), handlelength=1.2)
        return to_svg(figure, prefix, alt)


def _limits(data: Sequence[Labelled]) -> tuple[int, int]:
    return min(one.samples.min_ns for one in data), max(one.samples.max_ns for one in data)


def _drawn_deadline(data: Sequence[Labelled], deadline_ns: int | None) -> int:
    if deadline_ns is None or not is_deadline_drawn(data, deadline_ns):
        return 0
    return deadline_ns


def _finish(axes: Axes, data: Sequence[Labelled], deadline_ns: int | None) -> None:
    """Grid, deadline and legend, the same for histogram and tail."""
    axes.grid(visible=True, axis="both")
    drawn = _drawn_deadline(data, deadline_ns)
    if drawn:
        left, right = axes.get_xlim()
        axes.set_xlim(left, max(right, drawn + 0.02 * (drawn - left)))
        axes.axvline(drawn, color=INK["deadline"], linestyle=(0, (5, 2)), linewidth=1.2)
        left, right = axes.get_xlim()
        is_right = axes.transData.transform((drawn, 1))[0] > np.mean(
            axes.transData.transform([(left, 1), (right, 1)])[:, 0]
        )
        axes.annotate(
            "deadline",
            (drawn, 1),
            xycoords=("data", "axes fraction"),
            xytext=(-3 if is_right else 3, -FONT_PT),
            textcoords="offset points",
            horizontalalignment="right" if is_right else "left",
            color=INK["deadline"],
        ).set_in_layout(False)
    if len(data) > 1:
        axes.legend(loc="best")


def _readable(low: float, high: float) -> tuple[float, float]:
    """Widen a linear axis that is too short for ticks of few digits: to 2 % of its value."""
    missing = _SHORTEST_AXIS * abs(high) - (high - low)
    return (low - missing / 2, high + missing / 2) if missing > 0 else (low, high)


def _padded(low: float, high: float, *, is_log: bool) -> tuple[float, float]:
    """Widen a range a little, so that no mark sits on an axis; a single value gets a range, too."""
    if is_log:
        return low / 1.4, high * 1.4
    room = 0.04 * (high - low) or 0.04 * abs(high) or 1.0
    return low - 2 * room if low > 0 else low - room, high + room
