# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Are samples independent and of one distribution? Extreme values say nothing where they are not.

Each test gives the probability of what it saw where they are. Several tests find something sooner
than one, so their levels are Holm's: all together refuse at most one good sample in twenty.
"""

import math
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from laxity.statistics.wcet_model import Gate

FloatArray: TypeAlias = NDArray[np.float64]

# All gates together refuse a good sample with this probability at most.
FAMILY_LEVEL: Final = 0.05
# Ljung-Box: as common; far more lags hide a short memory among what is chance.
LAGS: Final = 10
# KPSS, the bandwidth of Newey and West: int(4 (n / 100)^(1/4)).
_BANDWIDTH_FACTOR, _BANDWIDTH_N = 4, 100
# Terms of the two series; what follows is below 1e-12 wherever p is above 1e-9.
_TERMS = 100


def check_iid(samples: FloatArray, threshold: float) -> tuple[Gate, ...]:
    """Put samples through all gates.

    Args:
        samples: In order of time, any unit; at least 100.
        threshold: Above it lies the tail, which must not come in clusters, either.
    """
    runs = runs_test(samples, float(np.median(samples)))
    clusters = runs_test(samples, threshold)
    portmanteau = ljung_box(ranks(samples), LAGS)
    halves = two_halves(samples)
    trend = kpss(ranks(samples))
    return judged(
        (
            ("runs", "values above and below the median come in no order", runs),
            ("runs at the threshold", "large values do not come in clusters", clusters),
            ("Ljung-Box", f"no value depends on one of the {LAGS} before it", portmanteau),
            ("Kolmogorov-Smirnov", "both halves are of one distribution", halves),
            ("KPSS", "the level does not wander", trend),
        )
    )


def judged(tests: Sequence[tuple[str, str, tuple[float, float]]]) -> tuple[Gate, ...]:
    """Make gates of tests, with the levels of Holm.

    Args:
        tests: Name, what it asks, statistic and p of each.

    Source:
        Holm, A simple sequentially rejective multiple test procedure, Scand. J. Statist. 6, 1979:
        the least p is compared with a / m, the next with a / (m - 1); once one is not below, all
        that follow are open.
    """
    order = sorted(range(len(tests)), key=lambda i: tests[i][2][1])
    levels, closed = [FAMILY_LEVEL] * len(tests), set[int]()
    for place, index in enumerate(order):
        levels[index] = FAMILY_LEVEL / (len(tests) - place)
        if len(closed) == place and tests[index][2][1] < levels[index]:
            closed.add(index)
    return tuple(
        Gate(name, asks, statistic, p_value, levels[index], index not in closed)
        for index, (name, asks, (statistic, p_value)) in enumerate(tests)
    )


def runs_test(samples: FloatArray, cut: float) -> tuple[float, float]:
    """Compare the number of runs above and below a value with what chance gives.

    Args:
        samples: In order of time. Values equal to `cut` count as below.
        cut: Any value with samples on both sides.

    Returns:
        z, and the two-sided probability; (0, 1) where all are on one side.

    Source:
        Wald and Wolfowitz, On a test whether two samples are from the same population, 1940: mean
        2 a b / n + 1, variance 2 a b (2 a b - n) / (n^2 (n - 1)).
    """
    above = samples > cut
    n, a = above.size, int(above.sum())
    both = 2 * a * (n - a)
    if both <= n:
        return 0.0, 1.0
    runs = 1 + int(np.count_nonzero(above[1:] != above[:-1]))
    spread = math.sqrt(both * (both - n) / (n * n * (n - 1)))
    z = (runs - (both / n + 1)) / spread
    return z, math.erfc(abs(z) / math.sqrt(2))


def ljung_box(samples: FloatArray, lags: int) -> tuple[float, float]:
    """Add up squared autocorrelations.

    Args:
        samples: In order of time; ranks, where a heavy tail would be all that counts.
        lags: How far back, 1 or more.

    Returns:
        Q = n (n + 2) sum of r_k^2 / (n - k), and its probability: chi-square, `lags` degrees.

    Source:
        Ljung and Box, On a measure of lack of fit in time series models, Biometrika 65, 1978.
    """
    n = samples.size
    centred = samples - samples.mean()
    variance = float(centred @ centred)
    if not variance:
        return 0.0, 1.0
    total = 0.0
    for lag in range(1, lags + 1):
        total += (float(centred[:-lag] @ centred[lag:]) / variance) ** 2 / (n - lag)
    statistic = n * (n + 2) * total
    return statistic, float(special.chdtrc(lags, statistic))


def two_halves(samples: FloatArray) -> tuple[float, float]:
    """Compare the distributions of the first and the second half.

    Returns:
        Kolmogorov and Smirnov's D, and its asymptotic probability.

    Source:
        Smirnov 1948: P(sqrt(m n / (m + n)) D > x) tends to 2 sum (-1)^(k-1) exp(-2 k^2 x^2).
    """
    half = samples.size // 2
    first, second = np.sort(samples[:half]), np.sort(samples[half:])
    values = np.concatenate([first, second])
    below_first = np.searchsorted(first, values, side="right") / first.size
    below_second = np.searchsorted(second, values, side="right") / second.size
    distance = float(np.abs(below_first - below_second).max())
    effective = math.sqrt(first.size * second.size / samples.size)
    return distance, float(special.kolmogorov(effective * distance))


def kpss(samples: FloatArray) -> tuple[float, float]:
    """Ask whether the level wanders: sums of what lies above the mean go too far from zero.

    Returns:
        eta = sum S_t^2 / (n^2 s^2), s^2 the long-run variance, and its asymptotic probability. Its
        limit is that of Cramer and von Mises, the integral of a squared Brownian bridge.

    Source:
        Kwiatkowski, Phillips, Schmidt, Shin, Testing the null hypothesis of stationarity, Journal
        of Econometrics 54, 1992 (level; table 1: 0.347, 0.463, 0.574, 0.739 for 10, 5, 2.5, 1 %).
    """
    n = samples.size
    centred = samples - samples.mean()
    bandwidth = int(_BANDWIDTH_FACTOR * (n / _BANDWIDTH_N) ** 0.25)
    variance = float(centred @ centred)
    for lag in range(1, bandwidth + 1):
        weight = 1 - lag / (bandwidth + 1)
        variance += 2 * weight * float(centred[:-lag] @ centred[lag:])
    if variance <= 0:
        return 0.0, 1.0
    sums = np.cumsum(centred)
    statistic = float(sums @ sums) / (n * variance)
    return statistic, cramer_von_mises_above(statistic)


def cramer_von_mises_above(x: float) -> float:
    """Return the probability that the integral of a squared Brownian bridge exceeds x.

    Source:
        Anderson and Darling, Asymptotic theory of certain goodness of fit criteria, 1952, eq. 4.35.
    """
    if x <= 0:
        return 1.0
    total = 0.0
    for j in range(_TERMS):
        power = (4 * j + 1) ** 2 / (16 * x)
        # |binom(-1/2, j)| = binom(2 j, j) / 4^j; the sign is that of (-1)^j, which cancels its own.
        weight = math.exp(math.lgamma(2 * j + 1) - 2 * math.lgamma(j + 1) - 2 * j * math.log(2))
        # kve = kv · exp(power), so the exponent counts twice.
        total += (
            weight * math.sqrt(4 * j + 1) * math.exp(-2 * power) * float(special.kve(0.25, power))
        )
    return min(max(1 - total / (math.pi * math.sqrt(x)), 0.0), 1.0)


def ranks(samples: FloatArray) -> FloatArray:
    """Replace values by their ranks from 1, ties by their mean rank."""
    _, inverse, counts = np.unique(samples, return_inverse=True, return_counts=True)
    last: Any = np.cumsum(counts)
    mean_ranks: FloatArray = (last - (counts - 1) / 2)[inverse]
    return mean_ranks
