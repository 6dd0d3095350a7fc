# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Programs side by side: how many times as long as the quickest each one takes.

Rounds have a process of each program, one after the other, so that whatever else the machine does
meanwhile is in all of them; the medians of one round are compared with each other. The ratio is the
geometric mean over rounds, its interval that of the mean of their logarithms (Student's t).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

# With fewer an interval of t says more of its assumption than of the rounds.
LEAST_ROUNDS = 5
_CONFIDENCE = 0.95
# Of equal times, as far as logarithms of floats tell.
_NO_SHORTER = 1 - 1e-9


@dataclass(frozen=True, slots=True)
class Versus:
    """One program against the quickest.

    Attributes:
        rounds: In which both of them finished jobs.
        ratio: How many times as long it takes; of the quickest itself 1.
        low, high: The 95 % interval; None: too few rounds, simulated, or the quickest itself.
    """

    rounds: int
    ratio: float
    low: float | None
    high: float | None


def quickest_of(medians_ns: Sequence[Mapping[int, float]]) -> int | None:
    """Find the program that is quicker than each other one in the rounds that both have.

    Args:
        medians_ns: Of each program by the number of the round.

    Returns:
        None: none has any round, or each is slower than another one, which takes other rounds.
    """
    found = {at: float(np.median(list(one.values()))) for at, one in enumerate(medians_ns) if one}
    for at in sorted(found, key=lambda at: found[at]):
        against = [versus(medians_ns[one], medians_ns[at], is_exact=True) for one in found]
        if all(one is None or one.ratio >= _NO_SHORTER for one in against):
            return at
    return None


def versus(
    medians_ns: Mapping[int, float], quickest_ns: Mapping[int, float], *, is_exact: bool
) -> Versus | None:
    """Compare a program with the quickest.

    Args:
        medians_ns: Of the program, by the number of the round.
        quickest_ns: Of the quickest.
        is_exact: Nothing is random in them, as where they are simulated.

    Returns:
        None if there is no round in which both took a time.
    """
    rounds = sorted(
        one
        for one in medians_ns.keys() & quickest_ns.keys()
        # Less than what reading a clock takes is no time to divide by.
        if medians_ns[one] > 0 and quickest_ns[one] > 0
    )
    if not rounds:
        return None
    logs = np.log([medians_ns[one] / quickest_ns[one] for one in rounds])
    mean = float(logs.mean())
    if is_exact or len(rounds) < LEAST_ROUNDS or medians_ns is quickest_ns:
        return Versus(len(rounds), math.exp(mean), None, None)
    half = float(stats.t.ppf((1 + _CONFIDENCE) / 2, len(rounds) - 1) * stats.sem(logs))
    return Versus(len(rounds), math.exp(mean), math.exp(mean - half), math.exp(mean + half))
