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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context, Decimal
from typing import Final

import numpy as np
from numpy.typing import NDArray

from laxity.statistics.block_maxima import (
    Maxima,
    fit_maxima,
    heavy_maxima,
    maxima_quantile,
    take_maxima,
)
from laxity.statistics.iid_gates import FloatArray, check_iid, judged
from laxity.statistics.pareto_tail import (
    Likelihood,
    Tail,
    anderson_darling,
    draw_excesses,
    explore,
    fit_tail,
    fit_tails,
    refit_tails,
    shape_interval,
    upper_exponential,
    upper_quantile,
)
from laxity.statistics.wcet_model import Gate, NoPwcet, Pwcet

METHOD: Final = "peaks over three thresholds: generalised Pareto, no lighter than exponential"
# What a printed bound keeps; the study keeps to it. See _LEVEL.
CONFIDENCE: Final = 0.95
# Level that each likelihood is asked for. Shapes of real tails still grow above the threshold (a
# normal one's from -0.27 to 0, Student's of 10 degrees from -0.16 to 0.1): the interval covers the
# fit, and not what the tail turns into. At 99 % it was too low in 2.7 % of Student's samples.
_LEVEL = 0.995
# The threshold lies below one sample in ten, and below 1,000 at most. A fixed share keeps the same
# wrong shape however many samples come, and only grows sure of it: of 50,000 of Student's 10
# degrees, 5,000 above, 79 of 100 were too low. A fixed number moves up into the tail.
TAIL_SHARE: Final = 0.1
_MOST_EXCESSES = 1_000
# Parts of the tail that are fitted, each above a threshold of its own; the largest bound counts.
# The lowest threshold knows the shape best, the highest knows best which shape comes next.
_PARTS = (1.0, 0.5, 0.25)
# What is not ten times rarer than the tail itself needs no extrapolation.
_MOST_OF_TAIL = 0.1
MOST_EXCEEDANCE: Final = 0.01
# 200 excesses, of which the upper quarter shows which shape comes next.
FEWEST_SAMPLES: Final = 2000
# Where the bound lies an order of magnitude farther above the threshold than an exponential tail's,
# it is made by what is not known of the shape, and says nothing of the program.
_MOST_GROWTH = 10.0
# A value that is more than this share of the tail shows the steps of the clock.
_MOST_OF_ONE_VALUE = 0.05
_REPEATS = 199
# Halvings of the range of probabilities: to less than the two digits that are told.
_HALVINGS = 20
# The answer to the same samples is the same.
_SEED = 20_260_101


@dataclass(frozen=True, slots=True)
class _Cut:
    """Samples cut at the threshold; floats of nanoseconds, excesses ascending."""

    samples: FloatArray
    threshold: float
    excesses: FloatArray

    @property
    def n(self) -> int:
        return self.samples.size


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """The upper part of a tail above its own threshold; floats of nanoseconds."""

    share: float
    threshold: float
    excesses: FloatArray
    likelihood: Likelihood


@dataclass(frozen=True, slots=True, eq=False)
class TailFit:
    """What one look at samples says of every probability.

    Attributes:
        n: Samples.
        threshold: Of the whole tail, nanoseconds.
        tail: Fitted to all of it.
        low: Lower end of the shape's interval; `high` the upper one.
        parts: The whole tail first.
        maxima: The second method's fit.
        largest: Of the samples, nanoseconds.
        gates: That ask nothing of the probability.
    """

    n: int
    threshold: float
    tail: Tail
    low: float
    high: float
    parts: tuple[_Part, ...]
    maxima: Maxima
    largest: float
    gates: tuple[Gate, ...]


@dataclass(frozen=True, slots=True)
class Unfit:
    """Samples that have no pWCET of any probability."""

    n: int
    reason: str
    gates: tuple[Gate, ...] = ()


def bound_pwcet(samples_ns: NDArray[np.int64], exceedance: float) -> Pwcet | NoPwcet:
    """Bound what a job exceeds with a small probability.

    Args:
        samples_ns: Execution times in order of time.
        exceedance: 0 < exceedance < MOST_EXCEEDANCE.

    Raises:
        ValueError: `exceedance` is not in that range.
    """
    return bound_fit(fit_samples(samples_ns), exceedance)


def fit_samples(samples_ns: NDArray[np.int64]) -> TailFit | Unfit:
    """Put samples through the gates and fit their tail, once for all probabilities.

    Args:
        samples_ns: Execution times in order of time.

    Source:
        Coles, An Introduction to Statistical Modeling of Extreme Values, chapters 3 and 4; gates
        and upper bound: docs/bounds.md, pWCET.
    """
    n = samples_ns.size
    if n < FEWEST_SAMPLES:
        return Unfit(n, f"{n} samples are too few; measure {FEWEST_SAMPLES} or more")
    cut = _cut(samples_ns.astype(np.float64))
    coarse = _coarse(cut)
    if not coarse.is_open:
        reason = f"{_first_closed((coarse,))}; the clock is too coarse, or samples too much alike"
        return Unfit(n, reason, (coarse,))
    before = (coarse, *check_iid(cut.samples, cut.threshold))
    closed = _first_closed(before)
    if closed is not None:
        return Unfit(n, f"{closed}; they are not alike and independent", before)
    fit = _fit(cut, before)
    if _first_closed(fit.gates) is None:
        # Last, since they take most of the time.
        fit = replace(fit, gates=(*fit.gates, *_fit_gates(cut.excesses, fit.tail)))
    closed = _first_closed(fit.gates)
    return fit if closed is None else Unfit(n, closed, fit.gates)


def bound_fit(fit: TailFit | Unfit, exceedance: float) -> Pwcet | NoPwcet:
    """Bound what a job exceeds with a small probability, of samples that were fitted.

    Args:
        fit: From `fit_samples`.
        exceedance: As `bound_pwcet`.

    Raises:
        ValueError: As `bound_pwcet`.
    """
    if not 0 < exceedance < MOST_EXCEEDANCE:
        msg = f"exceedance {exceedance} is not above 0 and below {MOST_EXCEEDANCE}"
        raise ValueError(msg)
    if isinstance(fit, Unfit):
        return NoPwcet(exceedance, fit.n, fit.reason, fit.gates)
    n, reach = fit.n, rarest(fit)
    if exceedance >= _shown(n):
        reason = f"{n} samples show it themselves; use a quantile, such as p99.9"
        return NoPwcet(exceedance, n, reason, fit.gates)
    # Beyond its reach a fit is asked for what it does reach: that is told then.
    bounds = [
        ("max", fit.largest, fit.tail.n),
        *_bounds(fit.parts, n, max(exceedance, reach)),
    ]
    decided_by, bound, n_decided = max(bounds, key=lambda one: one[1])
    gates = (
        *fit.gates,
        _maxima_gate(fit, max(exceedance, reach), bound),
        _reach_gate(exceedance, reach),
    )
    closed = _first_closed(gates)
    if closed is not None:
        reason = _beyond_reach(fit, exceedance, reach) if gates[-2].is_open else closed
        return NoPwcet(exceedance, n, reason, gates)
    return Pwcet(
        exceedance=exceedance,
        bound_ns=math.ceil(bound),
        confidence=CONFIDENCE,
        method=METHOD,
        n=n,
        threshold_ns=int(fit.threshold),
        n_above=fit.tail.n,
        shape=fit.tail.shape,
        shape_low=fit.low,
        shape_high=fit.high,
        decided_by=decided_by,
        n_decided=n_decided,
        max_ns=int(fit.largest),
        gates=gates,
    )


def ungated_bounds(samples_ns: NDArray[np.int64], exceedances: Sequence[float]) -> list[float]:
    """Return what would be printed if every gate were open: for studies, never to be shown.

    Args:
        samples_ns: FEWEST_SAMPLES or more, most of which differ.
        exceedances: Each as `bound_pwcet`.
    """
    cut = _cut(samples_ns.astype(np.float64))
    parts = _parts(cut)
    return [
        max(
            float(samples_ns.max()), *(figure for _, figure, _ in _bounds(parts, cut.n, exceedance))
        )
        for exceedance in exceedances
    ]


def tail_size(n: int) -> int:
    """Return how many of n samples lie above the threshold, where all differ."""
    return min(int(n * TAIL_SHARE), _MOST_EXCESSES)


def rarest_of(n: int) -> float:
    """Return the rarest probability that n samples may be extrapolated to: 1 / (n · tail_size(n)).

    From the threshold to the largest sample a tail of 1,000 spans three powers of ten. Over these
    its shape was seen; over as many more it may go on, and no farther. Two digits, rounded up.
    """
    return float(_TWO_DIGITS_UP.divide(Decimal(1), Decimal(n * tail_size(n))))


def samples_for(exceedance: float) -> int:
    """Return how many samples reach a probability, if their shape lets them."""
    low, high = FEWEST_SAMPLES - 1, FEWEST_SAMPLES
    while rarest_of(high) > exceedance:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if rarest_of(middle) <= exceedance else (middle, high)
    return high


def rarest(fit: TailFit) -> float:
    """Return the rarest probability that a fit may be extrapolated to; two digits, rounded up.

    n has its limit (`rarest_of`), and so has the shape: see _MOST_GROWTH.
    """
    by_count = rarest_of(fit.n)
    if _growth_at(fit, by_count) <= _MOST_GROWTH:
        return by_count
    low, high = math.log(by_count), math.log(_shown(fit.n))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_too_far = _growth_at(fit, math.exp(middle)) > _MOST_GROWTH
        low, high = (middle, high) if is_too_far else (low, middle)
    return float(_TWO_DIGITS_UP.create_decimal_from_float(math.exp(high)))


# No probability that is told may be beyond what is reached.
_TWO_DIGITS_UP = Context(prec=2, rounding=ROUND_CEILING)


def _shown(n: int) -> float:
    """Return the probability that n samples show without extrapolation."""
    return tail_size(n) * _MOST_OF_TAIL / n


def _cut(samples: FloatArray) -> _Cut:
    """Put the threshold at the largest sample that is not in the tail."""
    ordered = np.sort(samples)
    threshold = float(ordered[-tail_size(samples.size) - 1])
    return _Cut(samples, threshold, ordered[ordered > threshold] - threshold)


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


def _fit(cut: _Cut, before: tuple[Gate, ...]) -> TailFit:
    tail = fit_tail(cut.excesses)
    parts = _parts(cut)
    intervals = [shape_interval(one.likelihood, CONFIDENCE) for one in parts]
    shape_gates = [
        _shape_gate(f"shape{_of_part(part.share)}", low)
        for part, (low, _) in zip(parts, intervals, strict=True)
    ]
    block = math.isqrt(cut.samples.size)
    blocks = take_maxima(cut.samples, block)
    maxima = fit_maxima(blocks, block)
    return TailFit(
        n=cut.samples.size,
        threshold=cut.threshold,
        tail=tail,
        low=intervals[0][0],
        high=intervals[0][1],
        parts=parts,
        maxima=maxima,
        largest=float(cut.samples.max()),
        gates=(
            *before,
            *shape_gates,
            _maxima_shape_gate(blocks, maxima),
        ),
    )


def _parts(cut: _Cut) -> tuple[_Part, ...]:
    return tuple(_part(cut, share) for share in _PARTS)


def _part(cut: _Cut, share: float) -> _Part:
    size = cut.excesses.size
    kept = int(size * share)
    step = float(cut.excesses[-kept - 1]) if kept < size else 0.0
    excesses = cut.excesses[cut.excesses > step] - step
    return _Part(share, cut.threshold + step, excesses, explore(excesses))


def _of_part(share: float) -> str:
    return "" if share == 1 else f" {share:.0%}"


def _bounds(parts: Sequence[_Part], n: int, exceedance: float) -> Iterator[tuple[str, float, int]]:
    """Return the kind of each tail, its figure, and how many samples lie above its threshold."""
    for part in parts:
        n_above = part.excesses.size
        rarer = n_above / n / exceedance
        pareto = upper_quantile(part.likelihood, rarer, _LEVEL)
        exponential = upper_exponential(part.excesses, rarer, _LEVEL)
        yield "pareto", part.threshold + pareto, n_above
        yield "exponential", part.threshold + exponential, n_above


def _growth_at(fit: TailFit, exceedance: float) -> float:
    """Return how far above the threshold the fitted tails' bound lies, of the exponential ones'.

    It grows with the rarity where the shape may be above 0: like (e^(xi L) - 1) / (xi L), L the
    logarithm of the rarity.
    """
    bounds = list(_bounds(fit.parts, fit.n, exceedance))
    largest = {
        name: max(figure for by, figure, _ in bounds if by == name)
        for name in ("pareto", "exponential")
    }
    return (largest["pareto"] - fit.threshold) / (largest["exponential"] - fit.threshold)


def _fit_gates(excesses: FloatArray, tail: Tail) -> tuple[Gate, ...]:
    """Ask whether the tail is of the fitted kind, and whether its upper parts are of the same.

    Tables of A² hold for known parameters; these were fitted. So samples of the fit are drawn and
    fitted in the same way, and what is found is placed among them.
    """
    generator = np.random.default_rng(_SEED)
    drawn = draw_excesses(tail, _REPEATS, generator)
    shapes, scales = refit_tails(drawn, tail)
    own_shape, own_scale = np.array([tail.shape]), np.array([tail.scale])
    distance = float(anderson_darling(excesses[None, :], own_shape, own_scale)[0])
    p_value = _share_at_least(anderson_darling(drawn, shapes, scales), distance)
    tests = [("Anderson-Darling", "the fitted tail fits", (distance, p_value))]
    for part in _PARTS[1:]:
        own, _ = fit_tails(_upper(excesses[None, :], part))
        moved = float(np.abs(own - tail.shape)[0])
        # Above another threshold the scale is another one: sigma + xi u.
        kept = _upper(drawn, part)
        above = Tail(tail.shape, float(kept.mean()) * (1 - tail.shape), kept.shape[1])
        by_chance = np.abs(refit_tails(kept, above)[0] - shapes)
        asks = f"the upper {100 * part:.0f} % of the tail has the same shape"
        tests.append(
            (f"stability{_of_part(part)}", asks, (moved, _share_at_least(by_chance, moved)))
        )
    return judged(tests)


def _upper(ordered: FloatArray, part: float) -> FloatArray:
    """Take the largest part of each sample above its own threshold; shape (sample, excess)."""
    kept = int(ordered.shape[1] * part)
    return ordered[:, -kept:] - ordered[:, -kept - 1][:, None]


def _share_at_least(drawn: FloatArray, found: float) -> float:
    """Return the p value of a bootstrap; what was found is one of those drawn."""
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


def _maxima_shape_gate(blocks: FloatArray, fitted: Maxima) -> Gate:
    """Ask the second method the same: a p below half of 5 % is an interval above 0."""
    p_value, level = heavy_maxima(blocks, fitted), (1 - CONFIDENCE) / 2
    return Gate(
        name="shape of block maxima",
        asks="their shape is not above 0",
        statistic=fitted.shape,
        p_value=p_value,
        level=level,
        is_open=p_value >= level,
    )


def _maxima_gate(fit: TailFit, exceedance: float, bound: float) -> Gate:
    """Ask a second method, block maxima: its estimate must not exceed the bound."""
    ratio = maxima_quantile(fit.maxima, exceedance) / bound
    return Gate(
        name="block maxima",
        asks=f"their estimate ({fit.maxima.n} blocks of {fit.maxima.block}) is not above the bound",
        statistic=ratio,
        p_value=None,
        level=1.0,
        is_open=ratio <= 1,
    )


def _reach_gate(exceedance: float, reach: float) -> Gate:
    return Gate(
        name="reach",
        asks="what is asked for is no rarer than these samples may be extrapolated to",
        statistic=reach,
        p_value=None,
        level=exceedance,
        is_open=reach <= exceedance,
    )


def _beyond_reach(fit: TailFit, exceedance: float, reach: float) -> str:
    """Say what is possible instead, and what more samples may do."""
    n = fit.n
    if reach >= _shown(n):
        return f"reach: the shape is known too badly for any probability; measure more than {n}"
    told = f"reach: {exceedance:g} is rarer than these {n} samples bear; {reach:g} is possible"
    needed = samples_for(exceedance)
    if needed > n:
        return f"{told}; {needed} or more samples may reach it"
    return f"{told}; the shape is known too badly, more samples may help"


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
