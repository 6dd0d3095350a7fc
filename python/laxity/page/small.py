# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Drawings that fit a cell of a table, a few hundred bytes each, in the page's own colours.

Matplotlib's would be thirty times as large, and a table has hundreds of them. They have no axes:
the cells beside them hold the numbers, the caption of the table says what is drawn.
"""

import math
from collections.abc import Sequence
from html import escape

from laxity.statistics.distribution import Distribution, bin_counts

_WIDTH, _HEIGHT = 120, 22
_BINS = 40
_BAR_GAP = 1.0
_MOST_BAR_WIDTH = 24.0
# A bar of one part in a hundred must not vanish.
_LEAST_HEIGHT = 1.0


def distribution_picture(samples: Distribution, median_ns: int, alt: str) -> str:
    """Draw a distribution from its minimum to its maximum, counts logarithmically.

    The axis is logarithmic where the maximum is more than ten times the minimum.

    Args:
        samples: At least one.
        median_ns: Marked by a line.
        alt: What it shows, with n and unit.
    """
    bins = bin_counts(samples, _BINS)
    edges = [math.log(one) for one in bins.edges_ns] if bins.is_log else list(bins.edges_ns)
    median = math.log(median_ns) if bins.is_log else float(median_ns)
    scale = _WIDTH / (edges[-1] - edges[0])
    most = math.log1p(max(bins.counts))
    steps = []
    for place, count in enumerate(bins.counts):
        if count:
            height = max(_LEAST_HEIGHT, (_HEIGHT - 1) * math.log1p(count) / most)
            left = (edges[place] - edges[0]) * scale
            width = (edges[place + 1] - edges[place]) * scale
            steps.append(_box(left, height, width))
    x = min(_WIDTH - 1.0, max(1.0, (median - edges[0]) * scale))
    line = f'<path d="M{x:.1f} 0V{_HEIGHT}" stroke="var(--fig-text)"/>'
    return _svg(alt, f'<path d="{"".join(steps)}" fill="var(--fig-alone)"/>{line}')


def bars(values: Sequence[int], is_marked: Sequence[bool], reference: int | None, alt: str) -> str:
    """Draw one bar per value, from zero, and a line where the reference is.

    Args:
        values: At least one, not negative.
        is_marked: Which of them are drawn as deviating.
        reference: What they should be; None: nobody knows.
        alt: What it shows, with unit.
    """
    most = max((*values, reference or 0, 1))
    step = min(_MOST_BAR_WIDTH, _WIDTH / len(values))
    width = max(step - _BAR_GAP, step / 2)
    paths: dict[bool, list[str]] = {False: [], True: []}
    for place, (value, mark) in enumerate(zip(values, is_marked, strict=True)):
        height = max(_LEAST_HEIGHT, (_HEIGHT - 1) * value / most) if value else 0.0
        paths[mark].append(_box(place * step, height, width))
    drawn = "".join(
        f'<path d="{"".join(boxes)}" fill="var(--fig-{ink})"/>'
        for boxes, ink in ((paths[False], "alone"), (paths[True], "missed"))
        if boxes
    )
    if reference is not None:
        y = _HEIGHT - (_HEIGHT - 1) * reference / most
        line = f"M0 {y:.1f}H{step * len(values):.1f}"
        drawn += f'<path d="{line}" stroke="var(--fig-text)" stroke-dasharray="2 2"/>'
    return _svg(alt, drawn)


def _box(left: float, height: float, width: float) -> str:
    return f"M{left:.1f} {_HEIGHT}v{-height:.1f}h{width:.1f}v{height:.1f}z"


def _svg(alt: str, drawn: str) -> str:
    return (
        f'<svg class="small" role="img" aria-label="{escape(alt)}" width="{_WIDTH}" '
        f'height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}">{drawn}</svg>'
    )
