# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What lies above a threshold: the generalised Pareto distribution, fitted and bounded from above.

P(excess > x) = (1 + xi x / sigma)^(-1/xi), and exp(-x / sigma) where xi = 0. scipy's genpareto has
c = +xi. Excesses have any one unit, nanoseconds here; sigma and quantiles have the same.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

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
# Points of theta at which a likelihood is kept, and of the two coarser looks that find where.
_POINTS, _COARSE = 128, 32
# Nearer to a top Lambert's W has no digits; u is 1 there, to 1e-6.
_LEAST_LEFT = 1e-12
# All that is asked of a likelihood lies less below its top: 99.9 % one-sided are 4.77.
_DEEPEST = 5.0
# Newton's steps from the tail that samples were drawn from; four are usual.
_NEWTON_STEPS = 7
_CONVERGED = 1e-5
# Below, the likelihood is not level at its top but runs into the end of the tail.
_LEAST_LEVEL_SHAPE = -0.5


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


def refit_tails(drawn: FloatArray, tail: Tail) -> tuple[FloatArray, FloatArray]:
    """Fit many samples that were drawn from a tail, as `fit_tails` does but sooner.

    Newton's steps from that tail to where the likelihood is level; samples that get lost are
    searched, and so are all of a tail with a sharp end.

    Args:
        drawn: Shape (sample, excess).
        tail: Of which they are.
    """
    if tail.shape < _LEAST_LEVEL_SHAPE:
        return fit_tails(drawn)
    means = drawn.mean(axis=1)
    scaled = drawn / means[:, None]
    theta = tail.shape / tail.scale * means
    curve = np.zeros(len(drawn))
    # Rows that still move.
    rows = np.arange(len(drawn))
    with np.errstate(all="ignore"):
        for _ in range(_NEWTON_STEPS):
            at = np.where(np.abs(theta[rows]) < _NEAR_ZERO, _NEAR_ZERO, theta[rows])
            slope, curve[rows] = _slope_and_curve(scaled[rows], at)
            theta[rows] = at - slope / curve[rows]
            rows = rows[~(np.abs(theta[rows] - at) < _CONVERGED)]
            if not rows.size:
                break
        shapes = _shape_of(scaled, theta)
        is_found = (curve < 0) & (np.abs(theta) > _NEAR_ZERO)
        is_found &= (shapes > LEAST_SHAPE) & (shapes < LARGEST_SHAPE)
        is_found[rows] = False
        scales = shapes / theta * means
    lost = np.flatnonzero(~is_found)
    if lost.size:
        shapes[lost], scales[lost] = fit_tails(drawn[lost])
    return shapes, scales


def _slope_and_curve(scaled: FloatArray, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Differentiate the likelihood per excess, -log(k / theta) - k - 1, twice by theta."""
    inside = theta[:, None] * scaled
    k = np.log1p(inside).mean(axis=1)
    inside += 1
    shares = scaled / inside
    first = shares.mean(axis=1)
    second = -np.einsum("ij,ij->i", shares, shares) / scaled.shape[1]
    slope = 1 / theta - first * (1 + 1 / k)
    curve = (first / k) ** 2 - second * (1 + 1 / k) - 1 / theta**2
    return slope, curve


def tail_quantile(shape: float, scale: float, rarer: float) -> float:
    """Return the excess that one of `rarer` excesses exceeds, `rarer` > 1."""
    return scale * float(_growth(np.asarray(shape), rarer))


def tail_quantiles(shapes: FloatArray, scales: FloatArray, rarer: float) -> FloatArray:
    """Return that excess of many tails, shape (tail,)."""
    return scales * _growth(shapes, rarer)


def draw_excesses(tail: Tail, count: int, generator: np.random.Generator) -> FloatArray:
    """Draw samples of the tail's own size, each ascending, shape (count, tail.n).

    Source:
        Renyi, On the theory of order statistics, 1953: from one of n exponential values to the
        next larger it is an exponential time divided by how many are still larger.
    """
    steps = generator.standard_exponential((count, tail.n)) / np.arange(tail.n, 0, -1)
    exponential = np.cumsum(steps, axis=1)
    if abs(tail.shape) < _NEAR_ZERO:
        return tail.scale * exponential
    return tail.scale * np.expm1(tail.shape * exponential) / tail.shape


@dataclass(frozen=True, slots=True, eq=False)
class Likelihood:
    """Where the likelihood of a tail is not far below its top: intervals and bounds come from here.

    Of excesses divided by their mean. With theta = xi / sigma the likelihood per excess is
    log u - u - log(k / theta) - k, where k = mean log(1 + theta x) and u = k / xi: its top is at
    u = 1, and only k needs the excesses.

    Attributes:
        thetas: Ascending, shape (point,); none is 0.
        k: The most likely xi of each.
        below: How far the likelihood of all excesses lies there below the top.
        mean: Of the excesses.
        n: Excesses.
    """

    thetas: FloatArray
    k: FloatArray
    below: FloatArray
    mean: float
    n: int


def explore(excesses: FloatArray) -> Likelihood:
    """Look at the likelihood of a tail, once for all that is asked of it.

    Args:
        excesses: Above 0, any order; at least two different ones.
    """
    mean = float(excesses.mean())
    scaled = excesses / mean
    lowest = -(1 - 1e-9) / float(scaled.max())
    below = lowest * np.linspace(1, 0.02, _COARSE // 2)
    thetas = np.concatenate([below, np.geomspace(0.005, _LARGEST_THETA, _COARSE // 2)])
    for points in (_COARSE, _POINTS):
        heights = _heights(thetas, _mean_log(scaled, thetas))
        near = np.flatnonzero(heights >= heights.max() - _DEEPEST / excesses.size)
        # One more at either end: the region is not cut short.
        ends = thetas[max(near[0] - 1, 0)], thetas[min(near[-1] + 1, thetas.size - 1)]
        thetas = np.linspace(*ends, points)
        thetas = np.where(np.abs(thetas) < _NEAR_ZERO, _NEAR_ZERO, thetas)
    k = _mean_log(scaled, thetas)
    heights = _heights(thetas, k)
    kept = np.isfinite(heights)
    top = heights.max()
    return Likelihood(
        thetas[kept], k[kept], excesses.size * (top - heights[kept]), mean, excesses.size
    )


def shape_interval(likelihood: Likelihood, confidence: float) -> tuple[float, float]:
    """Return the interval of xi by profile likelihood, two-sided.

    Source:
        Coles, An Introduction to Statistical Modeling of Extreme Values, sec. 2.6.6 and 4.3.
    """
    _, light, heavy = _region(likelihood, float(special.chdtri(1, 1 - confidence)) / 2)
    return max(float(light.min()), LEAST_SHAPE), min(float(heavy.max()), LARGEST_SHAPE)


def upper_quantile(likelihood: Likelihood, rarer: float, confidence: float) -> float:
    """Bound the excess that one of `rarer` excesses exceeds, by profile likelihood, one-sided.

    That is the largest of all tails which the likelihood does not exclude.

    Returns:
        Infinite where even the heaviest shape is not excluded.

    Source:
        Coles, sec. 4.3.3 (return levels).
    """
    # One-sided: the square of a normal quantile, not of a two-sided one.
    thetas, light, heavy = _region(likelihood, float(special.ndtri(confidence)) ** 2 / 2)
    if heavy.max() >= LARGEST_SHAPE:
        return math.inf
    # Of one theta the larger of |xi| has the larger sigma and the longer quantile, whatever sign.
    shapes = np.maximum(np.where(thetas > 0, heavy, light), LEAST_SHAPE)
    return likelihood.mean * float((np.expm1(shapes * math.log(rarer)) / thetas).max())


def _region(likelihood: Likelihood, drop: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return each theta with the least and the largest xi that lie less than `drop` below the top.

    log u - u = -1 - what is left of the drop: Lambert's W has both solutions.
    """
    inside = np.flatnonzero(likelihood.below <= drop)
    # One more at either end, with its top alone.
    chosen = slice(max(inside[0] - 1, 0), inside[-1] + 2)
    left = np.maximum((drop - likelihood.below[chosen]) / likelihood.n, _LEAST_LEFT)
    at = -np.exp(-1 - left)
    k = likelihood.k[chosen]
    ends = np.stack([-k / special.lambertw(at, 0).real, -k / special.lambertw(at, -1).real])
    return likelihood.thetas[chosen], ends.min(axis=0), ends.max(axis=0)


def _mean_log(scaled: FloatArray, thetas: FloatArray) -> FloatArray:
    means: FloatArray = np.log1p(thetas[:, None] * scaled[None, :]).mean(axis=1)
    return means


def _heights(thetas: FloatArray, k: FloatArray) -> FloatArray:
    """Return the likelihood per excess with the best xi of each theta; -infinity: no such xi."""
    safe = np.where(np.abs(thetas) < _NEAR_ZERO, 1.0, thetas)
    # Towards theta = 0, k / theta tends to the mean, which is 1.
    heights = -np.log(np.where(np.abs(thetas) < _NEAR_ZERO, 1.0, k / safe)) - k - 1
    return np.where((k < LEAST_SHAPE) | (k > LARGEST_SHAPE), -np.inf, heights)


def upper_exponential(excesses: FloatArray, rarer: float, confidence: float) -> float:
    """Bound the same excess of an exponential tail: 2 Σ x / sigma is chi-square, 2 n degrees."""
    degrees = 2 * excesses.size
    scale = 2 * float(excesses.sum()) / float(special.chdtri(degrees, confidence))
    return scale * math.log(rarer)


def anderson_darling(excesses: FloatArray, shapes: FloatArray, scales: FloatArray) -> FloatArray:
    """Measure how far samples are from their own fits, ends weighted most.

    Args:
        excesses: Ascending, shape (sample, excess).
        shapes: Shape (sample,).
        scales: Shape (sample,).

    Returns:
        A² of each, shape (sample,).

    Source:
        Anderson and Darling, A test of goodness of fit, JASA 49, 1954.
    """
    n = excesses.shape[1]
    log_above = _log_survival(excesses, shapes[:, None], scales[:, None])
    log_below = np.log(-np.expm1(np.minimum(log_above, -1e-300)))
    weights = 2 * np.arange(1, n + 1) - 1
    distances: FloatArray = -n - ((log_below + log_above[:, ::-1]) * weights).sum(axis=1) / n
    return distances


def log_likelihood(excesses: FloatArray, shape: float, scale: float) -> float:
    """Return the logarithm of the likelihood; minus infinity where a sample is beyond the end."""
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
    """Return the likelihood per excess with the best sigma of each theta; mean excess is 1."""
    return _heights(theta, _shape_of(scaled, theta))


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
