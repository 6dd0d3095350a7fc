# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What lies above a threshold: the generalised Pareto distribution, fitted and bounded from above.

P(excess > x) = (1 + xi x / sigma)^(-1/xi), and exp(-x / sigma) where xi = 0. scipy's genpareto has
c = +xi. Excesses have any one unit, nanoseconds here; sigma and quantiles have the same.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

FloatArray: TypeAlias = NDArray[np.float64]

# The likelihood has no maximum below xi = -1, and above 1 not even a mean exists.
LEAST_SHAPE = -1.0
LARGEST_SHAPE = 2.0
# As near to zero the formula of xi = 0 has the smaller error.
_NEAR_ZERO = 1e-6
# Candidates of theta = xi / sigma, then halvings of the bracket around the best one.
_GRID = 24
_GOLDEN_STEPS = 18
_GOLDEN = (math.sqrt(5) - 1) / 2
# theta · mean: beyond, xi is above LARGEST_SHAPE for any sample of use.
_LARGEST_THETA = 30.0


@dataclass(frozen=True, slots=True)
class Tail:
    """A fitted tail.

    Attributes:
        shape: xi; above 0 the tail is heavier than an exponential one, below 0 it ends.
        scale: sigma > 0, unit of the excesses.
        n: Excesses that it was fitted to.
    """

    shape: float
    scale: float
    n: int


def fit_tail(excesses: FloatArray) -> Tail:
    """Fit by maximum likelihood.

    Args:
        excesses: Above 0, any order; at least two different ones.

    Source:
        Grimshaw, Computing maximum likelihood estimates for the generalized Pareto distribution,
        Technometrics 35(2), 1993: with theta = xi / sigma one variable is left.
    """
    shapes, scales = fit_tails(excesses[None, :])
    return Tail(float(shapes[0]), float(scales[0]), excesses.size)


def fit_tails(excesses: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Fit many samples at once.

    Args:
        excesses: Shape (sample, excess).

    Returns:
        Shape and scale of each, shape (sample,).
    """
    means = excesses.mean(axis=1, keepdims=True)
    scaled = excesses / means
    lowest = -(1 - 1e-9) / scaled.max(axis=1)
    # Dense near both ends of what is common: theta · mean from a sharp end over 0 to a heavy tail.
    below = lowest[:, None] * np.linspace(1, 0.02, _GRID // 2)[None, :]
    above = np.geomspace(0.005, _LARGEST_THETA, _GRID // 2)[None, :]
    grid = np.concatenate([below, np.broadcast_to(above, below.shape)], axis=1)
    heights = np.stack([_profile(scaled, grid[:, i]) for i in range(_GRID)], axis=1)
    best = np.argmax(heights, axis=1)
    rows = np.arange(len(scaled))
    low = grid[rows, np.maximum(best - 1, 0)]
    high = grid[rows, np.minimum(best + 1, _GRID - 1)]
    theta = _golden_maximum(scaled, low, high)
    shapes = np.clip(_shape_of(scaled, theta), LEAST_SHAPE, LARGEST_SHAPE)
    near_zero = np.abs(theta) < _NEAR_ZERO
    scales = np.where(near_zero, 1.0, shapes / np.where(near_zero, 1.0, theta))
    return shapes, scales * means[:, 0]


def tail_quantile(shape: float, scale: float, rarer: float) -> float:
    """Give the excess that one of `rarer` excesses exceeds, `rarer` > 1."""
    return scale * float(_growth(np.asarray(shape), rarer))


def tail_quantiles(shapes: FloatArray, scales: FloatArray, rarer: float) -> FloatArray:
    """Give that excess of many tails, shape (tail,)."""
    return scales * _growth(shapes, rarer)


def draw_excesses(tail: Tail, count: int, generator: np.random.Generator) -> FloatArray:
    """Draw samples of the tail's own size, shape (count, tail.n)."""
    exponential = generator.standard_exponential((count, tail.n))
    if abs(tail.shape) < _NEAR_ZERO:
        return tail.scale * exponential
    return tail.scale * np.expm1(tail.shape * exponential) / tail.shape


def shape_interval(excesses: FloatArray, tail: Tail, confidence: float) -> tuple[float, float]:
    """Give the interval of xi by profile likelihood, two-sided.

    Source:
        Coles, An Introduction to Statistical Modeling of Extreme Values, sec. 2.6.6 and 4.3.
    """
    drop = float(special.chdtri(1, 1 - confidence)) / 2
    top = log_likelihood(excesses, tail.shape, tail.scale)

    def excess_drop(shape: float) -> float:
        return top - _best_of_shape(excesses, shape) - drop

    low = _crossing(excess_drop, tail.shape, LEAST_SHAPE)
    return low, _crossing(excess_drop, tail.shape, LARGEST_SHAPE)


def upper_quantile(excesses: FloatArray, tail: Tail, rarer: float, confidence: float) -> float:
    """Bound the excess that one of `rarer` excesses exceeds, by profile likelihood, one-sided.

    Returns:
        Infinite where even the heaviest shape is not excluded.

    Source:
        Coles, sec. 4.3.3 (return levels).
    """
    # One-sided: the square of a normal quantile, not of a two-sided one.
    drop = float(special.ndtri(confidence)) ** 2 / 2
    top = log_likelihood(excesses, tail.shape, tail.scale)
    start = max(tail_quantile(tail.shape, tail.scale, rarer), float(excesses.max()) * 1e-3)

    def excess_drop(log_quantile: float) -> float:
        return top - _best_of_quantile(excesses, math.exp(log_quantile), rarer) - drop

    at = math.log(start)
    end = at + 1.0
    while excess_drop(end) < 0:
        if end > at + 20:
            return math.inf
        end += 1.0
    return math.exp(optimize.brentq(excess_drop, at, end, xtol=1e-4))


def upper_exponential(excesses: FloatArray, rarer: float, confidence: float) -> float:
    """Bound the same excess of an exponential tail: 2 Σ x / sigma is chi-square, 2 n degrees."""
    degrees = 2 * excesses.size
    scale = 2 * float(excesses.sum()) / float(special.chdtri(degrees, confidence))
    return scale * math.log(rarer)


def anderson_darling(excesses: FloatArray, shapes: FloatArray, scales: FloatArray) -> FloatArray:
    """Measure how far samples are from their own fits, ends weighted most.

    Args:
        excesses: Shape (sample, excess).
        shapes: Shape (sample,).
        scales: Shape (sample,).

    Returns:
        A² of each, shape (sample,).

    Source:
        Anderson and Darling, A test of goodness of fit, JASA 49, 1954.
    """
    n = excesses.shape[1]
    ordered = np.sort(excesses, axis=1)
    log_above = _log_survival(ordered, shapes[:, None], scales[:, None])
    log_below = np.log(-np.expm1(np.minimum(log_above, -1e-300)))
    weights = 2 * np.arange(1, n + 1) - 1
    distances: FloatArray = -n - ((log_below + log_above[:, ::-1]) * weights).sum(axis=1) / n
    return distances


def log_likelihood(excesses: FloatArray, shape: float, scale: float) -> float:
    """Give the logarithm of the likelihood; minus infinity where a sample is beyond the end."""
    if scale <= 0:
        return -math.inf
    if abs(shape) < _NEAR_ZERO:
        return -excesses.size * math.log(scale) - float(excesses.sum()) / scale
    inside = 1 + shape / scale * excesses
    if float(inside.min()) <= 0:
        return -math.inf
    return -excesses.size * math.log(scale) - (1 / shape + 1) * float(np.log(inside).sum())


def _shape_of(scaled: FloatArray, theta: FloatArray) -> FloatArray:
    shapes: FloatArray = np.log1p(theta[:, None] * scaled).mean(axis=1)
    return shapes


def _profile(scaled: FloatArray, theta: FloatArray) -> FloatArray:
    """Give the likelihood per excess with the best sigma of each theta; mean excess is 1."""
    shapes = _shape_of(scaled, theta)
    near_zero = np.abs(theta) < _NEAR_ZERO
    safe = np.where(near_zero, 1.0, theta)
    height = -np.log(np.where(near_zero, 1.0, shapes / safe)) - shapes - 1
    return np.where((shapes < LEAST_SHAPE) | (shapes > LARGEST_SHAPE), -np.inf, height)


def _golden_maximum(scaled: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Narrow the bracket of each row down to its maximum; one height is new per step."""
    left = high - _GOLDEN * (high - low)
    right = low + _GOLDEN * (high - low)
    at_left, at_right = _profile(scaled, left), _profile(scaled, right)
    for _ in range(_GOLDEN_STEPS):
        goes_left = at_left >= at_right
        low, high = np.where(goes_left, low, left), np.where(goes_left, right, high)
        new = np.where(goes_left, high - _GOLDEN * (high - low), low + _GOLDEN * (high - low))
        at_new = _profile(scaled, new)
        left, right = np.where(goes_left, new, right), np.where(goes_left, left, new)
        at_left, at_right = (
            np.where(goes_left, at_new, at_right),
            np.where(goes_left, at_left, at_new),
        )
    return np.where(at_left >= at_right, left, right)


def _growth(shapes: FloatArray, rarer: float) -> FloatArray:
    near_zero = np.abs(shapes) < _NEAR_ZERO
    safe = np.where(near_zero, 1.0, shapes)
    growth: FloatArray = np.where(
        near_zero, math.log(rarer), np.expm1(safe * math.log(rarer)) / safe
    )
    return growth


def _log_survival(excesses: FloatArray, shapes: FloatArray, scales: FloatArray) -> FloatArray:
    near_zero = np.abs(shapes) < _NEAR_ZERO
    safe = np.where(near_zero, 1.0, shapes)
    inside = np.maximum(1 + safe * excesses / scales, 1e-300)
    return np.where(near_zero, -excesses / scales, -np.log(inside) / safe)


def _best_of_shape(excesses: FloatArray, shape: float) -> float:
    """Give the likelihood of a shape with its best scale."""
    mean, largest = float(excesses.mean()), float(excesses.max())
    least = max(-shape * largest * (1 + 1e-9), mean * 1e-2)
    found = optimize.minimize_scalar(
        lambda log_scale: -log_likelihood(excesses, shape, math.exp(log_scale)),
        bounds=(math.log(least), math.log(max(least, mean) * 5)),
        method="bounded",
        options={"xatol": 1e-5},
    )
    return -float(found.fun)


def _best_of_quantile(excesses: FloatArray, quantile: float, rarer: float) -> float:
    """Give the likelihood of a quantile with its best shape."""

    def height(shape: float) -> float:
        scale = quantile / float(_growth(np.asarray(shape), rarer))
        return log_likelihood(excesses, shape, scale)

    grid = np.linspace(LEAST_SHAPE, LARGEST_SHAPE, 31)
    best = int(np.argmax([height(float(one)) for one in grid]))
    found = optimize.minimize_scalar(
        lambda shape: -height(float(shape)),
        bounds=(grid[max(best - 1, 0)], grid[min(best + 1, grid.size - 1)]),
        method="bounded",
        options={"xatol": 1e-5},
    )
    return -float(found.fun)


def _crossing(function: Callable[[float], float], start: float, end: float) -> float:
    """Find where the function, below 0 at the start, passes 0; the end where it does not."""
    if function(end) < 0:
        return end
    return float(optimize.brentq(function, start, end, xtol=1e-4))
