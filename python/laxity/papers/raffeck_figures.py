# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The figures of Raffeck et al. that no other page of ours draws."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from laxity.core.streams import MEMORY_CASES
from laxity.costs.memory_latency.figure import time_figure
from laxity.costs.memory_latency.rows import AccessTime, curves
from laxity.page.svg import INK, drawing, set_time_axis, to_svg
from laxity.platform.platform_file import PlatformModel

# Colour and marker say the same.
_LOOKS = (("alone", "o"), ("latency", "D"), ("interfered", "s"), ("missed", "^"))
_ROW_PT = 16
_FRAME_PT = 70


def draw_words(
    places: Mapping[str, Sequence[tuple[str, NDArray[np.float64]]]], prefix: str, alt: str
) -> str:
    """Draw times of a word, the places of each size side by side.

    Args:
        places: By name of the place: name of each size, and times in nanoseconds.
        prefix: Of ids.
        alt: What the figure shows.
    """
    width = len(places) + 1
    with drawing() as (figure, axes):
        for at, ((ink, marker), (name, sizes)) in enumerate(
            zip(_LOOKS, places.items(), strict=True)
        ):
            for number, (_, times_ns) in enumerate(sizes):
                x = number * width + at
                axes.plot(
                    [x] * len(times_ns),
                    times_ns,
                    color=INK[ink],
                    marker=marker,
                    markersize=3.5,
                    linestyle="none",
                    label=name if number == 0 else None,
                )
                axes.hlines(float(np.median(times_ns)), x - 0.4, x + 0.4, color=INK[ink])
        names = [name for name, _ in next(iter(places.values()))]
        middle = (len(places) - 1) / 2
        axes.set_xticks([number * width + middle for number in range(len(names))], names)
        highest = max(float(times.max()) for sizes in places.values() for _, times in sizes)
        set_time_axis(axes.yaxis, (0, highest), "time per word", is_log=False)
        axes.set_ylim(0, 1.05 * highest)
        axes.set_xlabel("size of the array")
        axes.tick_params(axis="x", length=0)
        axes.grid(visible=True, axis="y")
        figure.legend(loc="outside lower center", ncols=2, handlelength=1)
        return to_svg(figure, prefix, alt)


def draw_programs(
    names: Sequence[str], shared: Sequence[float], far: Sequence[float], prefix: str, alt: str
) -> str:
    """Draw execution times of programs over that with their own scratchpad, a row each.

    Args:
        names: Of the programs.
        shared: With data in shared memory that is not cached.
        far: With data in another core's scratchpad.
        prefix: Of ids.
        alt: What the figure shows.
    """
    rows = range(len(names))
    with drawing(_FRAME_PT + _ROW_PT * len(names)) as (figure, axes):
        axes.hlines(rows, [1.0] * len(names), far, color=INK["range"], linewidth=1.2)
        for label, values, (ink, marker) in zip(
            ("normal", "global-nc", "remote"),
            ([1.0] * len(names), shared, far),
            (("alone", "o"), ("interfered", "x"), ("missed", "*")),
            strict=True,
        ):
            axes.plot(
                values,
                rows,
                color=INK[ink],
                marker=marker,
                markersize=6,
                linestyle="none",
                label=label,
            )
        axes.set_yticks(list(rows), list(names))
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlim(0.8, 1.05 * max(far))
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("execution time (times that of normal)")
        axes.grid(visible=True, axis="x")
        figure.legend(loc="outside lower center", ncols=3, handlelength=1)
        return to_svg(figure, prefix, alt)


def draw_access(
    times: Sequence[AccessTime], platform: PlatformModel, case: str, prefix: str, alt: str
) -> str:
    """Draw access times over the size of the array, a curve for each domain.

    Args:
        times: Of one core.
        platform: Its caches are marked.
        case: `chase`, `read` or `write`.
        prefix: Of ids.
        alt: What the figure shows.
    """
    number = MEMORY_CASES.index(case)
    found = [(f"domain {one[0].place.node}", one) for one in curves(times)]
    shown = [(name, one) for name, one in found if one[0].place.case == number]
    caches = [
        (name, platform.number(f"{table}.size"))
        for name, table in (("L1", "l1d"), *((one, one) for one in platform.levels))
    ]
    return time_figure(shown, caches, prefix, alt)
