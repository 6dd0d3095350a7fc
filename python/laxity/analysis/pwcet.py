# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""pWCET: a time that a job exceeds with a small probability at most, or why there is none.

It is a bound from above of what is extrapolated, never the extrapolation itself, and only where
samples pass all gates: independent and of one distribution before, a good and stable fit after,
a shape that may be exponential or lighter. It holds for what was measured, and for nothing else:
no statistics sees an input that never came. docs/bounds.md has the method and how often it was too
low where the truth is known (bench/pwcet_coverage.py).
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from laxity.analysis.block_maxima import (
    fit_maxima,
    maxima_quantile,
    maxima_shape_interval,
    take_maxima,
)
from laxity.analysis.iid_gates import FloatArray, check_iid, judged
from laxity.analysis.pareto_tail import (
    Tail,
    anderson_darling,
    draw_excesses,
    fit_tail,
    fit_tails,
    shape_interval,
    upper_exponential,
    upper_quantile,
)
from laxity.analysis.wcet_model import Gate, NoPwcet, Pwcet

METHOD: Final = "peaks over threshold: generalised Pareto, no lighter than exponential"
# What a printed bound keeps; the study keeps to it. See _LEVEL.
CONFIDENCE: Final = 0.95
# Level that the likelihood is asked for. At 95 % the bound was too low in 9 % of lognormal samples
# (n = 10,000): the tail is fitted where it is not yet of its last shape.
_LEVEL = 0.99
# The threshold lies below one sample in ten: 1,000 excesses of 10,000 samples. Higher ones have
# wider intervals and no better coverage in the study.
TAIL_SHARE: Final = 0.1
# More excesses would cost time only: of so many samples the threshold may as well lie higher.
_MOST_EXCESSES = 5_000
# What is not ten times rarer than the tail itself needs no extrapolation.
_MOST_OF_TAIL = 0.1
MOST_EXCEEDANCE: Final = 0.01
# 200 excesses, of which the upper half shows whether the fit is stable.
FEWEST_SAMPLES: Final = 2000
# How much rarer than one sample in all; the study goes as far.
_FARTHEST = 100_000
# A value that is more than this share of the tail shows the steps of the clock.
_MOST_OF_ONE_VALUE = 0.05
_REPEATS = 199
# Parts of the tail on which the shape is looked at again, where they hold enough.
_UPPER_PARTS = (0.5, 0.25)
_FEWEST_IN_PART = 50
# The answer to the same samples is the same.
_SEED = 20_260_101


@dataclass(frozen=True, slots=True)
class _Cut:
    """Samples cut at the threshold; floats of nanoseconds."""

    samples: FloatArray
    threshold: float
    excesses: FloatArray


def bound_pwcet(samples_ns: NDArray[np.int64], exceedance: float) -> Pwcet | NoPwcet:
    """Bound what a job exceeds with a small probability.

    Args:
        samples_ns: Execution times in order of time.
        exceedance: 0 < exceedance < MOST_EXCEEDANCE.

    Raises:
        ValueError: `exceedance` is not in that range.

    Source:
        Coles, An Introduction to Statistical Modeling of Extreme Values, chapters 3 and 4; gates
        and upper bound: docs/bounds.md, pWCET.
    """
    if not 0 < exceedance < MOST_EXCEEDANCE:
        msg = f"exceedance {exceedance} is not above 0 and below {MOST_EXCEEDANCE}"
        raise ValueError(msg)
    n = samples_ns.size
    reason = _why_not(n, exceedance)
    if reason is not None:
        return NoPwcet(exceedance, n, reason)
    cut = _cut(samples_ns.astype(np.float64))
    coarse = _coarse(cut)
    if not coarse.is_open:
        reason = f"{_first_closed((coarse,))}; the clock is too coarse, or samples too much alike"
        return NoPwcet(exceedance, n, reason, (coarse,))
    before = (coarse, *check_iid(cut.samples, cut.threshold))
    reason = _first_closed(before)
    if reason is not None:
        return NoPwcet(exceedance, n, f"{reason}; they are not alike and independent", before)
    return _bound_tail(cut, exceedance, before)


def _why_not(n: int, exceedance: float) -> str | None:
    if n < FEWEST_SAMPLES:
        return f"{n} samples are too few; measure {FEWEST_SAMPLES} or more"
    # Exact: 5e-9 is 5 / 10^9.
    needed = math.ceil(1 / (Fraction(Decimal(repr(exceedance))) * _FARTHEST))
    if n < needed:
        return f"{n} samples do not reach so far; measure {needed} or more"
    if exceedance * n >= tail_size(n) * _MOST_OF_TAIL:
        return f"{n} samples show it themselves; use a quantile, such as p99.9"
    return None


def tail_size(n: int) -> int:
    """Give how many of n samples lie above the threshold, where all differ."""
    return min(int(n * TAIL_SHARE), _MOST_EXCESSES)


def _cut(samples: FloatArray) -> _Cut:
    """Put the threshold at the largest sample that is not in the tail."""
    place = samples.size - tail_size(samples.size) - 1
    threshold = float(np.partition(samples, place)[place])
    return _Cut(samples, threshold, samples[samples > threshold] - threshold)


def _coarse(cut: _Cut) -> Gate:
    """Refuse times in steps: a smooth tail fits them to the clock, not to the program.

    What equals the threshold counts, too: it may be most of what should be above.
    """
    _, counts = np.unique(cut.samples[cut.samples >= cut.threshold], return_counts=True)
    share = float(counts.max()) / tail_size(cut.samples.size)
    return Gate(
        name="resolution",
        asks=f"no value is more than {100 * _MOST_OF_ONE_VALUE:.0f} % of the tail",
        statistic=share,
        p_value=None,
        level=_MOST_OF_ONE_VALUE,
        is_open=share <= _MOST_OF_ONE_VALUE,
    )


def _bound_tail(cut: _Cut, exceedance: float, before: tuple[Gate, ...]) -> Pwcet | NoPwcet:
    n = cut.samples.size
    tail = fit_tail(cut.excesses)
    low, high = shape_interval(cut.excesses, tail, CONFIDENCE)
    rarer = tail.n / n / exceedance
    bounds = {
        "pareto": cut.threshold + upper_quantile(cut.excesses, tail, rarer, _LEVEL),
        "exponential": cut.threshold + upper_exponential(cut.excesses, rarer, _LEVEL),
        "max": float(cut.samples.max()),
    }
    decided_by = max(bounds, key=lambda name: bounds[name])
    bound = bounds[decided_by]
    gates = (
        *before,
        *_fit_gates(cut.excesses, tail),
        _shape_gate("shape", low),
        *_maxima_gates(cut.samples, exceedance, bound),
    )
    reason = _first_closed(gates)
    if reason is not None:
        return NoPwcet(exceedance, n, reason, gates)
    return Pwcet(
        exceedance=exceedance,
        bound_ns=math.ceil(bound),
        confidence=CONFIDENCE,
        method=METHOD,
        n=n,
        threshold_ns=int(cut.threshold),
        n_above=tail.n,
        shape=tail.shape,
        shape_low=low,
        shape_high=high,
        decided_by=decided_by,
        max_ns=int(cut.samples.max()),
        gates=gates,
    )


def _fit_gates(excesses: FloatArray, tail: Tail) -> tuple[Gate, ...]:
    """Ask whether the tail is of the fitted kind, and whether its upper parts are of the same.

    Tables of A² hold for known parameters; these were fitted. So samples of the fit are drawn and
    fitted in the same way, and what is found is placed among them.
    """
    generator = np.random.default_rng(_SEED)
    drawn = draw_excesses(tail, _REPEATS, generator)
    shapes, scales = fit_tails(drawn)
    own_shape, own_scale = np.array([tail.shape]), np.array([tail.scale])
    distance = float(anderson_darling(excesses[None, :], own_shape, own_scale)[0])
    p_value = _share_at_least(anderson_darling(drawn, shapes, scales), distance)
    tests = [("Anderson-Darling", "the fitted tail fits", (distance, p_value))]
    for part in _UPPER_PARTS:
        if int(tail.n * part) < _FEWEST_IN_PART:
            continue
        moved = float(np.abs(_shapes_above(excesses[None, :], part) - tail.shape)[0])
        by_chance = np.abs(_shapes_above(drawn, part) - shapes)
        asks = f"the upper {100 * part:.0f} % of the tail has the same shape"
        tests.append((f"stability {part:.0%}", asks, (moved, _share_at_least(by_chance, moved))))
    return judged(tests)


def _shapes_above(excesses: FloatArray, part: float) -> FloatArray:
    """Fit only the largest part of each sample; shape (sample, excess) → (sample,)."""
    kept = int(excesses.shape[1] * part)
    ordered = np.sort(excesses, axis=1)
    return fit_tails(ordered[:, -kept:] - ordered[:, -kept - 1][:, None])[0]


def _share_at_least(drawn: FloatArray, found: float) -> float:
    """Give the p value of a bootstrap; what was found is one of those drawn."""
    return float(1 + np.count_nonzero(drawn >= found)) / (1 + drawn.size)


def _shape_gate(name: str, low: float) -> Gate:
    return Gate(
        name=name,
        asks="the shape's interval is not above 0",
        statistic=low,
        p_value=None,
        level=0.0,
        is_open=low <= 0,
    )


def _maxima_gates(samples: FloatArray, exceedance: float, bound: float) -> tuple[Gate, ...]:
    """Ask a second method, block maxima: it must neither see a heavy tail nor exceed the bound."""
    block = math.isqrt(samples.size)
    maxima = take_maxima(samples, block)
    fitted = fit_maxima(maxima, block)
    low, _ = maxima_shape_interval(maxima, fitted, CONFIDENCE)
    ratio = maxima_quantile(fitted, exceedance) / bound
    return (
        _shape_gate("shape of block maxima", low),
        Gate(
            name="block maxima",
            asks=f"their estimate ({fitted.n} blocks of {block}) is not above the bound",
            statistic=ratio,
            p_value=None,
            level=1.0,
            is_open=ratio <= 1,
        ),
    )


def _first_closed(gates: tuple[Gate, ...]) -> str | None:
    for gate in gates:
        if gate.is_open:
            continue
        figure = f"{gate.statistic:.3g}, limit {gate.level:.3g}"
        if gate.p_value is not None:
            # Below the smallest double, which is no zero.
            p_value = f"p = {gate.p_value:.2g}" if gate.p_value else "p < 1e-300"
            figure = f"{p_value}, below {gate.level:.2g}"
        return f"{gate.name}: it does not hold that {gate.asks} ({figure})"
    return None
