# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The figures of a pWCET: quantiles against the fit, and the shape at other thresholds."""

import numpy as np

from laxity.page.svg import INK, draw_dots, drawing, set_time_axis, to_svg
from laxity.statistics.tail_view import TailView

# Excesses that are drawn; the largest ones, which matter, are all among them.
_ALL_OF_THE_LARGEST, _POINTS = 100, 300
_DOT_PT = 3.0
_CAP_PT = 3.0
_PERCENT = 100


def draw_quantiles(view: TailView, prefix: str, alt: str) -> str:
    """Draw the samples of the tail against the same quantiles of the fit; on the line, they agree.

    Args:
        view: A tail with its fit.
        prefix: Of ids.
        alt: What the figure shows.
    """
    n = view.observed_ns.size
    kept = np.unique(np.linspace(0, n - 1, _POINTS).astype(np.int64))
    kept = np.union1d(kept, np.arange(max(n - _ALL_OF_THE_LARGEST, 0), n))
    both = (view.expected_ns[kept], view.observed_ns[kept])
    limits = (float(min(one.min() for one in both)), float(max(one.max() for one in both)))
    with drawing() as (figure, axes):
        axes.plot(limits, limits, color=INK["muted"], linewidth=1.0)
        draw_dots(axes, *both, "alone", _DOT_PT)
        set_time_axis(axes.xaxis, limits, "quantile of the fit", is_log=False)
        set_time_axis(axes.yaxis, limits, "quantile of the jobs", is_log=False)
        return to_svg(figure, prefix, alt)


def draw_thresholds(view: TailView, prefix: str, alt: str) -> str:
    """Draw the shape with its interval against the share of jobs above the threshold.

    Args:
        view: A tail with its fits; at least one threshold.
        prefix: Of ids.
        alt: What the figure shows.
    """
    fits = view.thresholds
    shapes = np.array([one.shape for one in fits])
    reach = np.array([[one.shape - one.low, one.high - one.shape] for one in fits]).T
    with drawing() as (figure, axes):
        axes.axhline(0, color=INK["deadline"], linestyle=(0, (5, 2)), linewidth=1.2)
        axes.errorbar(
            range(len(fits)),
            shapes,
            yerr=reach,
            fmt="o",
            color=INK["alone"],
            capsize=_CAP_PT,
            linewidth=1.2,
        )
        axes.set_xticks(range(len(fits)), [f"{_PERCENT * one.share:g} %" for one in fits])
        axes.set_xlabel("jobs above the threshold")
        axes.set_title("shape, 95 % interval")
        return to_svg(figure, prefix, alt)
