# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The largest of each block of samples: the generalised extreme value distribution, fitted.

P(maximum <= x) = exp(-(1 + xi (x - mu) / sigma)^(-1/xi)), and exp(-exp(-(x - mu) / sigma)) where
xi = 0. scipy's genextreme has c = -xi, the other sign.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

FloatArray: TypeAlias = NDArray[np.float64]

_NEAR_ZERO = 1e-6
# Mean and standard deviation of the Gumbel distribution with mu = 0, sigma = 1.
_GUMBEL_MEAN = float(np.euler_gamma)
_GUMBEL_SPREAD = math.pi / math.sqrt(6)
# What the search takes for impossible; infinite losses cannot be subtracted from each other.
_IMPOSSIBLE = 1e15
# Between these every shape of use lies; the likelihood has no maximum below -1.
_LEAST_SHAPE, _LARGEST_SHAPE = -0.99, 3.0
_START_SHAPE = 0.05
# Of maxima whose standard deviation is 1; a search that is lost may not reach a scale of 0.
_MOST_LOG_SCALE = 20.0


@dataclass(frozen=True, slots=True)
class Maxima:
    """A fitted distribution of maxima.

    Attributes:
        shape: xi, the same as that of the tail above a high threshold.
        location: mu, unit of the samples.
        scale: sigma > 0, likewise.
        n: Blocks.
        block: Samples of each.
    """

    shape: float
    location: float
    scale: float
    n: int
    block: int


def take_maxima(samples: FloatArray, block: int) -> FloatArray:
    """Take the largest of each `block` samples in a row; what is left over is not used."""
    whole = samples.size // block * block
    maxima: FloatArray = samples[:whole].reshape(-1, block).max(axis=1)
    return maxima


def fit_maxima(maxima: FloatArray, block: int) -> Maxima:
    """Fit by maximum likelihood.

    Args:
        maxima: At least two different ones.
        block: Samples of which each is the largest.

    Source:
        Coles, An Introduction to Statistical Modeling of Extreme Values, sec. 3.3.
    """
    scaled, mean, spread = _scaled(maxima)
    location, log_scale = _gumbel_start()
    found = optimize.minimize(
        lambda at: _loss(scaled, at[0], at[1], at[2]),
        (location, log_scale, _START_SHAPE),
        method="Nelder-Mead",
        options={"xatol": 1e-5, "fatol": 1e-7, "maxiter": 2000},
    )
    return Maxima(
        shape=float(found.x[2]),
        location=mean + spread * float(found.x[0]),
        scale=spread * math.exp(float(found.x[1])),
        n=maxima.size,
        block=block,
    )


def maxima_quantile(fitted: Maxima, exceedance: float) -> float:
    """Return what one sample exceeds with that probability.

    A block stays below x with the probability of all its samples: (1 - exceedance)^block.
    """
    rate = -fitted.block * math.log1p(-exceedance)
    if abs(fitted.shape) < _NEAR_ZERO:
        return fitted.location - fitted.scale * math.log(rate)
    return (
        fitted.location + fitted.scale * math.expm1(-fitted.shape * math.log(rate)) / fitted.shape
    )


def heavy_maxima(maxima: FloatArray, fitted: Maxima) -> float:
    """Return the probability of a shape as far above 0 where it is 0; 1/2 and more below.

    Source:
        Coles, sec. 2.6.6: twice what the likelihood loses with shape 0 is chi-square, 1 degree; so
        its root is normal, with the sign of the shape.
    """
    scaled, mean, spread = _scaled(maxima)
    start = ((fitted.location - mean) / spread, math.log(fitted.scale / spread))
    lost = max(_gumbel_loss(scaled) - _loss(scaled, *start, fitted.shape), 0.0)
    return float(special.ndtr(-math.copysign(math.sqrt(2 * lost), fitted.shape)))


def _gumbel_loss(scaled: FloatArray) -> float:
    """Return the least loss with shape 0.

    The best location of a scale is known, -scale log(mean(exp(-x / scale))); the best scale is that
    where scale = mean(x) - sum(x exp(-x / scale)) / sum(exp(-x / scale)).
    """

    def weights(log_scale: float) -> FloatArray:
        # Of the least value, the largest, 1: no overflow.
        found: FloatArray = np.exp((scaled.min() - scaled) / math.exp(log_scale))
        return found

    def off(log_scale: float) -> float:
        weight = weights(log_scale)
        return math.exp(log_scale) - float(scaled.mean() - (scaled @ weight) / weight.sum())

    log_scale = float(optimize.brentq(off, -_MOST_LOG_SCALE, _MOST_LOG_SCALE, xtol=1e-9))
    scale = math.exp(log_scale)
    location = float(scaled.min()) - scale * math.log(float(weights(log_scale).mean()))
    return _loss(scaled, location, log_scale, 0.0)


def _scaled(maxima: FloatArray) -> tuple[FloatArray, float, float]:
    """Bring the maxima to mean 0 and standard deviation 1, so that one start fits all."""
    mean, spread = float(maxima.mean()), float(maxima.std())
    return (maxima - mean) / spread, mean, spread


def _gumbel_start() -> tuple[float, float]:
    """Return location and logarithm of the scale of a Gumbel sample of mean 0 and deviation 1."""
    scale = 1 / _GUMBEL_SPREAD
    return -scale * _GUMBEL_MEAN, math.log(scale)


def _loss(scaled: FloatArray, location: float, log_scale: float, shape: float) -> float:
    """Return minus the logarithm of the likelihood."""
    if not _LEAST_SHAPE <= shape <= _LARGEST_SHAPE or abs(log_scale) > _MOST_LOG_SCALE:
        return _IMPOSSIBLE
    # Far from the maximum a term may be infinite, and so is the loss.
    with np.errstate(over="ignore"):
        loss = _reduced_loss((scaled - location) / math.exp(log_scale), shape)
    return min(scaled.size * log_scale + loss, _IMPOSSIBLE)


def _reduced_loss(reduced: FloatArray, shape: float) -> float:
    """Return the loss of maxima whose location is 0 and scale 1."""
    if abs(shape) < _NEAR_ZERO:
        return float(reduced.sum() + np.exp(-reduced).sum())
    inside = 1 + shape * reduced
    if float(inside.min()) <= 0:
        return _IMPOSSIBLE
    logs = np.log(inside)
    return float((1 + 1 / shape) * logs.sum() + np.exp(-logs / shape).sum())
