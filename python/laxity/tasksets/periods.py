# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Periods of tasks, drawn at random: log-uniform, or as cars have them."""

import math
import random
from itertools import accumulate

from laxity.tasksets.experiment_spec import Automotive, LogUniform

_NS_PER_MS = 1_000_000
# Period in ms → percent of the runnables. The other 15 % are released by the angle of the
# crankshaft and have no period; the shares of the rest are taken as they stand, out of 85.
AUTOMOTIVE_SHARES = (
    (1, 3),
    (2, 2),
    (5, 2),
    (10, 25),
    (20, 25),
    (50, 3),
    (100, 20),
    (200, 1),
    (1000, 4),
)
_UP_TO = tuple(accumulate(share for _, share in AUTOMOTIVE_SHARES))


def draw_period_ns(periods: LogUniform | Automotive, numbers: random.Random) -> int:
    """Draw a period.

    Source:
        LogUniform: Emberson, Stafford, Davis, "Techniques for the synthesis of multiprocessor
        tasksets", WATERS 2010, section III: up to one step beyond the longest period, then rounded
        down, so that the longest one is no rarer than those beside it.
        Automotive: Kramer, Ziegenbein, Hamann, "Real world automotive benchmarks for free", WATERS
        2015, table III.
    """
    if isinstance(periods, Automotive):
        at = numbers.random() * _UP_TO[-1]
        index = sum(at >= limit for limit in _UP_TO)
        return AUTOMOTIVE_SHARES[index][0] * _NS_PER_MS
    drawn_ns = log_uniform(periods.low_ns, periods.high_ns + periods.step_ns, numbers)
    steps = int(drawn_ns / periods.step_ns)
    # The logarithm is rounded, so that an end of the range might be missed by a hair.
    return min(max(steps * periods.step_ns, periods.low_ns), periods.high_ns)


def log_uniform(low: float, high: float, numbers: random.Random) -> float:
    """Draw a number whose logarithm is uniform between those of two others."""
    return low * math.exp(numbers.random() * math.log(high / low))
