# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The figures of a contention table and of regulators that were tried with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from laxity.contention.table import RATE_ONE, ContentionTable
from laxity.contention.windows import FloatArray, IntArray
from laxity.page.svg import INK, drawing, set_log_ticks, set_time_axis, to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Ink, marker and dash say the same.
_LOOKS: dict[str, tuple[str, str, Any]] = {
    "sound": ("alone", "o", "solid"),
    "paper": ("interfered", "s", (0, (4, 1.5))),
    "budget": ("contention", "^", (0, (1.5, 1))),
    "suspend": ("missed", "v", (0, (6, 1.5, 1.5, 1.5))),
    "optimum": ("muted", "", (0, (5, 2))),
}
_CPU_LOOKS = (("alone", "o"), ("interfered", "s"), ("contention", "^"), ("missed", "D"))
_PPM_PER_PERCENT = 10_000
# Lower ends of the classes of the map, in percent of the wall time; darker classes lose more.
LOSS_CLASSES = (2, 5, 10, 20, 40, 60)
_ROW_PT, _FRAME_PT, _MAP_PT = 26, 62, 230
_HALF_BAR = 0.32
# A limit beyond which the axis would squeeze what is below.
_REACH = 1.3
_LEAST_PERCENT = 0.1


@dataclass(frozen=True, slots=True)
class Strip:
    """Values of all loads under one policy, in ppm."""

    policy: str
    values_ppm: Sequence[int]


@dataclass(frozen=True, slots=True)
class PolicyLine:
    """A value for each theta under one policy, all in ppm."""

    policy: str
    thetas_ppm: Sequence[int]
    values_ppm: Sequence[int]


def strips(rows: Sequence[Strip], limit_ppm: int | None, label: str, prefix: str, alt: str) -> str:
    """Draw a dot for each load, a row for each policy, and a bar at the median.

    Args:
        rows: From the top.
        limit_ppm: Drawn as a line; None: there is none.
        label: What the values are.
        prefix: Of ids.
        alt: What the figure shows.
    """
    with drawing(_FRAME_PT + _ROW_PT * len(_LOOKS)) as (figure, axes):
        for place, row in enumerate(rows):
            ink, marker, _ = _LOOKS[row.policy]
            percent = np.array(row.values_ppm) / _PPM_PER_PERCENT
            axes.plot(
                percent,
                np.full(len(percent), place),
                linestyle="none",
                marker=marker or "d",
                markersize=5.5,
                markeredgewidth=0,
                alpha=0.6,
                color=INK[ink],
            )
            middle = float(np.median(percent))
            axes.vlines(middle, place - _HALF_BAR, place + _HALF_BAR, color=INK["text"], lw=1.8)
        if limit_ppm is not None:
            axes.axvline(
                limit_ppm / _PPM_PER_PERCENT, color=INK["deadline"], lw=1.2, linestyle=(0, (5, 2))
            )
            axes.set_xlim(0, max(axes.get_xlim()[1], _REACH * limit_ppm / _PPM_PER_PERCENT))
        else:
            axes.set_xlim(-2, 102)
        axes.set_yticks(range(len(rows)), [row.policy for row in rows])
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlabel(label)
        axes.grid(visible=True, axis="x")
        return to_svg(figure, prefix, alt)


def loss_map(table: ContentionTable, prefix: str, alt: str) -> str:
    """Draw what each phase loses by traffic: time of the job alone to the right, traffic upwards.

    A curve rises, so that each class of loss is one box of each phase.

    Args:
        table: Of the program.
        prefix: Of ids.
        alt: What the figure shows.
    """
    from matplotlib.patches import Patch, PathPatch  # noqa: PLC0415 - slow
    from matplotlib.path import Path  # noqa: PLC0415 - slow

    edges_ns = [*(phase.begins_ns for phase in table.phases), table.solo_ns]
    n_steps = len(table.phases[0].loss)
    step_mb = table.step_bytes_per_s / 1e6
    top = step_mb * (n_steps - 1)
    opacities = np.linspace(0.12, 0.95, len(LOSS_CLASSES))
    with drawing(_MAP_PT) as (figure, axes):
        for place, least in enumerate(LOSS_CLASSES):
            boxes: list[Any] = []
            for phase, begin_ns, end_ns in zip(table.phases, edges_ns, edges_ns[1:], strict=False):
                curve = np.array(phase.loss) * 100 / RATE_ONE
                low = int(np.searchsorted(curve, least))
                is_last = place + 1 == len(LOSS_CLASSES)
                high = n_steps
                if not is_last:
                    high = int(np.searchsorted(curve, LOSS_CLASSES[place + 1]))
                if low < high:
                    bottom, upper = step_mb * low, min(step_mb * high, top)
                    boxes.append(_box(begin_ns, end_ns, bottom, upper))
            if boxes:
                axes.add_patch(
                    PathPatch(
                        Path.make_compound_path(*boxes),
                        facecolor=INK["interfered"],
                        alpha=float(opacities[place]),
                        linewidth=0,
                    )
                )
        axes.set_xlim(0, table.solo_ns)
        axes.set_ylim(0, top)
        axes.set_title("traffic of the platform (MB/s)")
        set_time_axis(axes.xaxis, (0, table.solo_ns), "time of the job alone", is_log=False)
        ends = [*(f"{end} %" for end in LOSS_CLASSES[1:]), ""]
        handles = [
            Patch(
                facecolor=INK["interfered"],
                alpha=float(opacity),
                label=f"{least} to {end}" if end else f"above {least} %",
            )
            for least, end, opacity in zip(LOSS_CLASSES, ends, opacities, strict=True)
        ]
        figure.legend(
            handles=handles, loc="outside lower center", ncols=3, handlelength=1.4, title="loss"
        )
        return to_svg(figure, prefix, alt)


def _box(left: float, right: float, bottom: float, top: float) -> Any:  # noqa: ANN401 - matplotlib's
    from matplotlib.path import Path  # noqa: PLC0415 - slow

    corners = [(left, bottom), (right, bottom), (right, top), (left, top), (left, bottom)]
    return Path(corners, closed=True)


def charges(points: Sequence[tuple[int, int, int]], prefix: str, alt: str) -> str:
    """Draw charged against measured overhead, a mark for each load.

    Args:
        points: (CPUs with loads, measured, charged) of each load, overheads in ppm.
        prefix: Of ids.
        alt: What the figure shows.
    """
    with drawing(_MAP_PT) as (figure, axes):
        percent = np.maximum(
            np.array([point[1:] for point in points]) / _PPM_PER_PERCENT, _LEAST_PERCENT
        )
        n_cpus = np.array([point[0] for point in points])
        axes.set_xscale("log")
        axes.set_yscale("log")
        low, high = float(percent.min()) / 1.3, float(percent.max()) * 1.3
        axes.plot([low, high], [low, high], color=INK["muted"], lw=1, linestyle=(0, (5, 2)))
        for place, n in enumerate(np.unique(n_cpus)):
            ink, marker = _CPU_LOOKS[min(place, len(_CPU_LOOKS) - 1)]
            of_n = percent[n_cpus == n]
            axes.plot(
                of_n[:, 0],
                of_n[:, 1],
                linestyle="none",
                marker=marker,
                markersize=4.5,
                alpha=0.8,
                color=INK[ink],
                label=f"{n} CPU" + ("s" if n > 1 else ""),
            )
        axes.set_xlim(low, high)
        axes.set_ylim(low, high)
        set_log_ticks(axes.xaxis, (low, high), _percent_tick)
        set_log_ticks(axes.yaxis, (low, high), _percent_tick)
        axes.set_title("charged by the table")
        axes.set_xlabel("measured overhead")
        axes.grid(visible=True, axis="both")
        figure.legend(loc="outside lower center", ncols=4, handlelength=1, title="loads on")
        return to_svg(figure, prefix, alt)


def _percent_tick(value: float) -> str:
    return f"{value:.3g} %"


def lines_by_theta(
    lines: Sequence[PolicyLine], label: str, prefix: str, alt: str, *, has_limit: bool
) -> str:
    """Draw a line for each policy against theta.

    Args:
        lines: One for each policy.
        label: What the values are.
        prefix: Of ids.
        alt: What the figure shows.
        has_limit: The values should stay below theta, which is drawn.
    """
    with drawing(_MAP_PT) as (figure, axes):
        for line in lines:
            ink, marker, dash = _LOOKS[line.policy]
            axes.plot(
                np.array(line.thetas_ppm) / _PPM_PER_PERCENT,
                np.array(line.values_ppm) / _PPM_PER_PERCENT,
                color=INK[ink],
                marker=marker,
                markersize=3.5,
                linewidth=1.3,
                linestyle=dash,
                label=line.policy,
            )
        thetas = [theta / _PPM_PER_PERCENT for line in lines for theta in line.thetas_ppm]
        if has_limit:
            _draw_limit(axes, max(thetas))
        else:
            axes.set_ylim(0, 102)
        axes.set_xlim(0, max(thetas) * 1.03)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set_title(f"{label} (%)")
        axes.set_xlabel("\N{GREEK SMALL LETTER THETA} (%)")
        axes.grid(visible=True, axis="both")
        figure.legend(loc="outside lower center", ncols=3, handlelength=2.6)
        return to_svg(figure, prefix, alt)


def _draw_limit(axes: Axes, most: float) -> None:
    axes.plot([0, most], [0, most], color=INK["deadline"], lw=1, linestyle=(0, (2, 2)))
    axes.annotate(
        "limit",
        (most, most),
        xytext=(-4, -2),
        textcoords="offset points",
        horizontalalignment="right",
        verticalalignment="bottom",
        color=INK["deadline"],
    ).set_in_layout(False)
    axes.set_ylim(bottom=0)


@dataclass(frozen=True, slots=True)
class Timeline:
    """A regulated job.

    Attributes:
        times_ns: Of the readings, since the start of the job; shape (reading,).
        traffic_per_s: Between two readings, in bytes; shape (reading - 1,). None: no sensor.
        slack_percent: Of the allowed loss, NaN where there is none; shape (reading,).
        states: Names of what co-runners may do: the first is that they run.
        state: After each reading, an index into `states`; shape (reading,).
    """

    times_ns: FloatArray
    traffic_per_s: FloatArray | None
    slack_percent: FloatArray
    states: tuple[str, ...]
    state: IntArray


def draw_timeline(data: Timeline, prefix: str, alt: str) -> str:
    """Draw traffic, where it is known, slack and the state of co-runners, one below the other.

    Args:
        data: What is drawn.
        prefix: Of ids.
        alt: What the figure shows.
    """
    seen = [0, *(int(code) for code in np.unique(data.state) if code)]
    end_ns = float(data.times_ns[-1])
    heights = [90, 8 + 15 * len(seen)]
    if data.traffic_per_s is not None:
        heights.insert(0, 110)
    with drawing(sum(heights) + 70) as (figure, axes):
        figure.delaxes(axes)
        panels = figure.subplots(
            len(heights), 1, sharex=True, gridspec_kw={"height_ratios": heights}
        )
        *first, slack, state = panels
        if data.traffic_per_s is not None:
            (traffic,) = first
            traffic.stairs(
                data.traffic_per_s / 1e6, data.times_ns, baseline=None, color=INK["alone"], lw=1.1
            )
            traffic.set_title("traffic (MB/s)")
            traffic.set_ylim(bottom=0)
        slack.plot(
            data.times_ns,
            data.slack_percent,
            drawstyle="steps-post",
            color=INK["contention"],
            lw=1.2,
        )
        slack.set_title("slack (% of the allowed loss)")
        least, most = float(np.nanmin(data.slack_percent)), float(np.nanmax(data.slack_percent))
        slack.set_ylim(min(0.0, least), 1.05 * max(100.0, most))
        # A span for each stretch of one state.
        begins = np.flatnonzero(np.diff(data.state, prepend=-1))
        begins_ns, of_span = data.times_ns[begins], data.state[begins]
        ends_ns = np.append(begins_ns[1:], end_ns)
        for place, code in enumerate(seen):
            is_so = of_span == code
            state.hlines(
                np.full(int(is_so.sum()), place),
                begins_ns[is_so],
                ends_ns[is_so],
                color=INK["alone" if code == 0 else "missed"],
                lw=6,
            )
        state.set_yticks(range(len(seen)), [data.states[code] for code in seen])
        state.set_ylim(len(seen) - 0.4, -0.6)
        state.tick_params(axis="y", length=0)
        state.set_title("co-runners: running, or why they are stopped")
        for panel in panels:
            panel.grid(visible=True, axis="x")
        state.set_xlim(0, end_ns)
        set_time_axis(state.xaxis, (0, end_ns), "time since the job's start", is_log=False)
        return to_svg(figure, prefix, alt)
