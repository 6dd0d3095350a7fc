# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The figures of RT-Bench that no other page of ours draws."""

from collections.abc import Mapping, Sequence

import numpy as np

from laxity.jobs.rates import FloatArray
from laxity.page import figures
from laxity.page.figures import RateLine
from laxity.page.svg import INK, drawing, to_svg

_INKS = ("alone", "interfered", "contention")
_NS_PER_S = 1e9


def bars(
    names: Sequence[str], groups: Mapping[str, Sequence[float]], title: str, prefix: str, alt: str
) -> str:
    """Draw a cluster of bars for each program.

    Args:
        names: Of the programs.
        groups: By what they stand for, a value of each program.
        title: Of the axis.
        prefix: Of ids.
        alt: What the figure shows.
    """
    width = 0.8 / len(groups)
    with drawing() as (figure, axes):
        for at, (ink, (label, values)) in enumerate(zip(_INKS, groups.items(), strict=False)):
            x = np.arange(len(names)) + (at - (len(groups) - 1) / 2) * width
            axes.bar(x, values, 0.9 * width, color=INK[ink], label=label)
        axes.set_xticks(range(len(names)), names)
        axes.tick_params(axis="x", length=0)
        axes.set_title(title)
        axes.grid(visible=True, axis="y")
        if len(groups) > 1:
            figure.legend(loc="outside lower center", ncols=len(groups))
        return to_svg(figure, prefix, alt)


def course(times_ns: FloatArray, counts: FloatArray, prefix: str, alt: str) -> str:
    """Draw how fast misses came in the course of a job.

    Args:
        times_ns: How long each part of it took; shape (part,).
        counts: Misses in each; shape (part,).
        prefix: Of ids.
        alt: What the figure shows.
    """
    edges_ns = np.concatenate([[0.0], np.cumsum(times_ns)])
    per_s = counts / np.maximum(times_ns, 1) * _NS_PER_S
    return figures.rates([RateLine("", edges_ns, per_s)], None, "misses", "/s", prefix, alt)
