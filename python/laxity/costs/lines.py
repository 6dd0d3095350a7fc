# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Straight lines through a curve of gamma over the working set.

Source: Sebek, "The real cost of task pre-emptions", sec. 3.5.1: gamma grows linearly from the
origin (a start elsewhere is another component of the cost) to the cache size and falls behind it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# Student's t, two-sided 95 %, by degrees of freedom from 1 on; beyond them the normal value.
_STUDENT_T = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
)
_NORMAL = 1.960
# Two points are always on a line; a third one says how well.
_FEWEST_POINTS = 3


@dataclass(frozen=True, slots=True)
class Line:
    """Line of least relative squares: nanoseconds over bytes.

    `intercept_half_width_ns`: of its 95 % interval, Student's t with n - 2 degrees of freedom.
    """

    slope_ns_per_byte: float
    intercept_ns: float
    intercept_half_width_ns: float
    n: int

    @property
    def starts_in_origin(self) -> bool:
        """Whether zero lies within the interval of the intercept."""
        return abs(self.intercept_ns) <= self.intercept_half_width_ns


Point = tuple[int, int]  # working set in bytes, nanoseconds


def rising_points(points: Sequence[Point]) -> list[Point]:
    """Take the points up to the highest one, that included."""
    if not points:
        return []
    top = max(range(len(points)), key=lambda index: points[index][1])
    return list(points[: top + 1])


def fit_line(points: Sequence[Point]) -> Line | None:
    """Fit y = a + b x with weights 1 / x^2: the spread of the figures grows as the working set.

    Returns:
        None with fewer than three points.
    """
    if len(points) < _FEWEST_POINTS:
        return None
    x = np.array([point[0] for point in points], dtype=np.float64)
    y = np.array([point[1] for point in points], dtype=np.float64)
    weight = 1 / x**2
    mean_x, mean_y = (weight * x).sum() / weight.sum(), (weight * y).sum() / weight.sum()
    spread = (weight * (x - mean_x) ** 2).sum()
    slope = (weight * (x - mean_x) * (y - mean_y)).sum() / spread
    intercept = mean_y - slope * mean_x
    degrees = len(points) - 2
    variance = (weight * (y - intercept - slope * x) ** 2).sum() / degrees
    deviation = math.sqrt(variance * (1 / weight.sum() + mean_x**2 / spread))
    factor = _STUDENT_T[degrees - 1] if degrees <= len(_STUDENT_T) else _NORMAL
    return Line(float(slope), float(intercept), factor * deviation, len(points))


def falling_zero_bytes(points: Sequence[Point]) -> int | None:
    """Tell where the falling part of a curve would meet zero.

    The least-squares line through the highest point and the following ones, as long as each is
    below the one before and at least half as high as the highest: what is left then falls slowly.

    Returns:
        Working set in bytes; None where the curve does not fall.
    """
    start = len(rising_points(points)) - 1
    falling = list(points[max(start, 0) : start + 1])
    for point in points[start + 1 :]:
        if not falling[0][1] <= 2 * point[1] < 2 * falling[-1][1]:
            break
        falling.append(point)
    if len(falling) < 2:  # noqa: PLR2004 - a line has two points
        return None
    x = np.array([point[0] for point in falling], dtype=np.float64)
    y = np.array([point[1] for point in falling], dtype=np.float64)
    slope = ((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()
    return round(float(x.mean() - y.mean() / slope))
