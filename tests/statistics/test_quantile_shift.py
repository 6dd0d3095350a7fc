# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Shifts of quantiles: by hand, and how often they find a difference where there is none."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from laxity.statistics.quantile_shift import Estimate, estimate_quantile, shift_between

REPEATS = 300
# Of 300 repeats 5 % are 15; 25 are three standard deviations (sqrt(300 * 0.05 * 0.95) = 3.8) more.
MOST_FALSE = 25
# One shift for each quantile and kind of noise.
N_JOBS = 2000


def test_a_difference_of_independent_quantiles_has_the_intervals_of_both():
    # base 100 in 97 .. 104, new 120 in 117 .. 125: shift 20,
    # down sqrt((120 - 117)^2 + (104 - 100)^2) = 5, up sqrt((125 - 120)^2 + (100 - 97)^2) = 5.83.
    base, new = Estimate(100, 50, 50, 97, 104), Estimate(120, 50, 50, 117, 125)
    shift = shift_between(base, new)
    assert (shift.shift_ns, shift.low_ns, shift.high_ns) == (20, 15, 26)
    assert shift.is_shown


@pytest.mark.parametrize(("low", "is_shown"), [(-5, False), (-4, True)])
def test_a_shift_is_shown_if_zero_is_outside(low: int, is_shown: bool):
    # base 0 exactly, new 5 in 5 + low .. 5: the interval of the shift is 5 + low .. 5.
    shift = shift_between(Estimate(0, 9, 9, 0, 0), Estimate(5, 9, 9, 5 + low, 5))
    assert (shift.low_ns, shift.is_shown) == (5 + low, is_shown)


def test_a_quantile_without_interval_gives_a_shift_without_one():
    shift = shift_between(Estimate(100, 3, reason="few"), Estimate(120, 50, 50, 117, 125))
    assert (shift.shift_ns, shift.low_ns, shift.is_shown) == (20, None, False)


def test_the_interval_of_the_median_of_few_jobs_is_that_of_order_statistics():
    # n = 10, in an order without dependence. P(B <= 1) = 11 / 1024 = 0.0107 <= 0.025 and
    # P(B <= 2) = 56 / 1024 = 0.055 > 0.025: the 2nd and the 9th sample, here 2 and 9.
    found = estimate_quantile(np.array([6, 1, 9, 3, 10, 2, 8, 4, 7, 5]), 0.5)
    assert (found.value_ns, found.low_ns, found.high_ns) == (5, 2, 9)
    assert (found.n, found.n_effective, found.reason) == (10, 10, None)


@pytest.mark.parametrize(("n", "has_interval"), [(367, False), (368, True)])
def test_p99_needs_368_jobs(n: int, has_interval: bool):
    # Every value once, in steps of 97 around a circle: those above p99 are far from each other.
    values = np.arange(n) * 97 % n
    found = estimate_quantile(values, 0.99)
    assert (found.low_ns is not None) == has_interval
    if not has_interval:
        assert found.reason == "367 jobs, 368 are needed"


def test_jobs_that_resemble_each_other_for_too_long_have_no_interval():
    found = estimate_quantile(np.arange(400), 0.5)
    assert (found.value_ns, found.low_ns) == (199, None)
    assert found.reason == "jobs are alike over stretches too long for 400 of them"


def independent(random: np.random.Generator, runs: int) -> NDArray[np.float64]:
    return random.lognormal(0, 0.3, (runs, N_JOBS))


def autocorrelated(phi: float, random: np.random.Generator, runs: int) -> NDArray[np.float64]:
    """Jobs of which each resembles the one before, log-normal."""
    found = np.empty((runs, N_JOBS))
    state = random.normal(size=runs)
    for job in range(N_JOBS):
        found[:, job] = state
        state = phi * state + math.sqrt(1 - phi**2) * random.normal(size=runs)
    return np.exp(0.3 * found)


def in_bursts(random: np.random.Generator, runs: int) -> NDArray[np.float64]:
    """About every 500 jobs a burst of 20 that take three times as long."""
    found = independent(random, runs)
    for run in found:
        for start in np.flatnonzero(random.random(N_JOBS) < 1 / 500):
            run[start : start + 20] *= 3
    return found


@pytest.mark.parametrize("kind", ["independent", "0.5", "0.9", "0.98", "bursts"])
def test_runs_that_do_not_differ_show_a_difference_in_at_most_one_of_twenty(kind: str):
    random = np.random.default_rng(7)
    if kind in {"independent", "bursts"}:
        runs = (independent if kind == "independent" else in_bursts)(random, 2 * REPEATS)
    else:
        runs = autocorrelated(float(kind), random, 2 * REPEATS)
    runs = (1_000_000 * runs).astype(np.int64)
    for q in (0.5, 0.9, 0.99):
        found = [
            shift_between(estimate_quantile(base, q), estimate_quantile(new, q)).is_shown
            for base, new in zip(runs[::2], runs[1::2], strict=True)
        ]
        assert sum(found) <= MOST_FALSE, f"{kind}, {q}: {sum(found)} of {REPEATS}"


@pytest.mark.parametrize("percent", [5, 10])
def test_a_shift_of_independent_runs_lies_in_its_interval(percent: int):
    # All jobs take so much longer: so does every quantile. 95 % of 300 are 285; 275 allows for
    # chance (2.6 standard deviations of 3.8).
    random = np.random.default_rng(11)
    base = (1_000_000 * independent(random, REPEATS)).astype(np.int64)
    new = ((1 + percent / 100) * 1_000_000 * independent(random, REPEATS)).astype(np.int64)
    # Median of a log-normal of mu 0: 1 ms.
    true_ns = percent * 10_000
    shifts = [
        shift_between(estimate_quantile(one, 0.5), estimate_quantile(other, 0.5))
        for one, other in zip(base, new, strict=True)
    ]
    assert sum(one.low_ns <= true_ns <= one.high_ns for one in shifts) >= 275
    # 0.3 * sqrt(2) * 1.25 / sqrt(2000) = 1.2 % of 1 ms: both shifts are seen almost always.
    assert sum(one.is_shown for one in shifts) >= 275


def test_the_same_runs_always_give_the_same_interval():
    values = np.random.default_rng(3).integers(0, 10**6, 5000)
    assert estimate_quantile(values, 0.99) == estimate_quantile(values.copy(), 0.99)
