# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The figures of jobs that change their CPU: one after the other, and by jobs since the change."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from laxity.page.svg import INK, draw_dots, drawing, set_time_axis, to_svg
from laxity.statistics import distribution

_LOG_RATIO = 4
_DOT_PT = 2.4
_INKS = ("alone", "rest", "interfered", "skipped")
# Jobs shown one after the other: so many changes that each is seen.
SHOWN_JOBS = 250


@dataclass(frozen=True, slots=True)
class Series:
    """Jobs of one load in their order.

    Attributes:
        job: Number within the load.
        exec_ns: Execution times.
        region: Name of the CPU or node of each.
        is_migrated: The first job on another CPU.
    """

    job: NDArray[np.int64]
    exec_ns: NDArray[np.int64]
    region: NDArray[np.str_]
    is_migrated: NDArray[np.bool_]


def job_series(data: Series, prefix: str, alt: str) -> str:
    """Draw jobs one after the other, coloured by region; migrated ones are crossed."""
    low, high = int(data.exec_ns.min()), int(data.exec_ns.max())
    is_log = low > 0 and high > _LOG_RATIO * low
    with drawing() as (figure, axes):
        if is_log:
            axes.set_yscale("log")
        for number, name in enumerate(sorted(set(data.region.tolist()))):
            here = data.region == name
            ink = _INKS[number % len(_INKS)]
            draw_dots(axes, data.job[here], data.exec_ns[here], ink, _DOT_PT)
            axes.plot(
                [], [], linestyle="none", marker="o", markersize=3, color=INK[ink], label=name
            )
        axes.plot(
            data.job[data.is_migrated],
            data.exec_ns[data.is_migrated],
            linestyle="none",
            marker="x",
            markersize=5,
            markeredgewidth=1.1,
            color=INK["missed"],
            label="migrated",
        )
        room = 1.15 if is_log else 1 + 0.04
        limits = (low / room, high * room)
        axes.set_ylim(*limits)
        axes.set_xlim(float(data.job.min()) - 2, float(data.job.max()) + 2)
        set_time_axis(axes.yaxis, limits, "execution time", is_log=is_log)
        axes.set_xlabel("job")
        axes.grid(visible=True, axis="y")
        figure.legend(loc="outside upper right", ncols=5, handlelength=1)
        return to_svg(figure, prefix, alt)


def by_place(
    since_change: NDArray[np.int64], exec_ns: NDArray[np.int64], prefix: str, alt: str
) -> str:
    """Draw median and middle half of the execution times by jobs since the change of CPU.

    Args:
        since_change: Jobs on this CPU before it, at least 0.
        exec_ns: Execution times.
        prefix: Of ids.
        alt: What the figure shows.
    """
    places, medians, lows, highs = _middles(since_change, exec_ns)
    with drawing() as (figure, axes):
        is_log = min(lows) > 0 and max(highs) > _LOG_RATIO * min(lows)
        if is_log:
            axes.set_yscale("log")
        axes.vlines(places, lows, highs, color=INK["alone"], linewidth=3, alpha=0.4)
        axes.plot(places, medians, linestyle="none", marker="o", markersize=4, color=INK["alone"])
        axes.plot(places[:1], medians[:1], "x", markersize=7, color=INK["missed"])
        limits = (min(lows) / 1.1, max(highs) * 1.1)
        axes.set_ylim(*limits)
        set_time_axis(axes.yaxis, limits, "execution time", is_log=is_log)
        axes.set_xlabel("jobs on this CPU since the change; 0 has migrated")
        axes.grid(visible=True, axis="y")
        return to_svg(figure, prefix, alt)


def _middles(
    since_change: NDArray[np.int64], exec_ns: NDArray[np.int64]
) -> tuple[list[int], list[int], list[int], list[int]]:
    rows: Sequence[tuple[int, int, int, int]] = [
        (place, samples.quantile_ns(0.5), samples.quantile_ns(0.25), samples.quantile_ns(0.75))
        for place in sorted(set(since_change.tolist()))
        if (samples := distribution.from_samples(exec_ns[since_change == place])).n
    ]
    places, medians, lows, highs = (list(column) for column in zip(*rows, strict=True))
    return places, medians, lows, highs
