# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Tests of independence and of one distribution: by hand, against tables, and on what they miss."""

import math

import numpy as np
import pytest
from scipy import stats

from laxity.statistics.iid_gates import (
    FloatArray,
    check_iid,
    cramer_von_mises_above,
    judged,
    kpss,
    ljung_box,
    ranks,
    runs_test,
    two_halves,
)


def samples(*values: float) -> FloatArray:
    return np.array(values, dtype=np.float64)


def closed(values: FloatArray) -> list[str]:
    threshold = float(np.quantile(values, 0.9))
    return [gate.name for gate in check_iid(values, threshold) if not gate.is_open]


def autoregressive(strength: float, n: int, seed: int) -> FloatArray:
    noise = np.random.default_rng(seed).standard_normal(n)
    values = np.zeros(n)
    for i in range(1, n):
        values[i] = strength * values[i - 1] + noise[i]
    return values


def test_runs_of_eight_values():
    # ++ -- + - ++: 5 runs of 5 above and 3 below. 2 a b = 30, mean 30 / 8 + 1 = 4.75,
    # variance 30 * 22 / (64 * 7) = 1.4732, z = 0.25 / 1.2138.
    z, p_value = runs_test(samples(2, 2, 0, 0, 2, 0, 2, 2), 1)
    assert z == pytest.approx(0.20597, abs=1e-5)
    assert p_value == pytest.approx(math.erfc(0.20597 / math.sqrt(2)), abs=1e-5)


def test_values_on_one_side_have_no_runs_to_judge():
    assert runs_test(samples(1, 1, 1), 1) == (0.0, 1.0)


def test_ljung_box_of_four_values():
    # Mean 2.5; r_1 = (0.75 - 0.25 + 0.75) / 5 = 0.25; Q = 4 * 6 * 0.0625 / 3 = 0.5.
    # One degree: P(chi-square > 0.5) = erfc(sqrt(0.25)).
    statistic, p_value = ljung_box(samples(1, 2, 3, 4), 1)
    assert statistic == pytest.approx(0.5)
    assert p_value == pytest.approx(math.erfc(0.5))


def test_ljung_box_of_one_value_finds_nothing():
    assert ljung_box(samples(3, 3, 3), 1) == (0.0, 1.0)


def test_ljung_box_of_autocorrelation_point_three_is_beyond_doubt():
    # Expected Q = n (0.09 + 0.0081 + ...) = 494 of 5,000 values, 10 degrees.
    statistic, p_value = ljung_box(autoregressive(0.3, 5_000, 1), 10)
    assert 350 < statistic < 650
    assert p_value < 1e-60


def test_halves_of_eight_values():
    # Below 3.5 are 3 of 4 of the first half and none of the second: D = 0.75.
    # sqrt(4 * 4 / 8) * 0.75 = 1.0607; 2 (exp(-2.25) - exp(-9)) = 0.21055.
    distance, p_value = two_halves(samples(4, 1, 3, 2, 7, 3.5, 5, 6))
    assert distance == 0.75
    assert p_value == pytest.approx(2 * (math.exp(-2.25) - math.exp(-9)), abs=1e-6)


def test_halves_as_scipy_compares_them():
    values = np.random.default_rng(3).gamma(2, 1, 1_000)
    witness = stats.ks_2samp(values[:500], values[500:])
    assert two_halves(values)[0] == pytest.approx(witness.statistic)


def test_kpss_of_four_values():
    # Bandwidth int(4 * 0.04^0.25) = 1, weight 1/2: n s^2 = 5 + 2 * 0.5 * 1.25 = 6.25.
    # Sums -1.5, -2, -1.5, 0; squares 8.5; eta = 8.5 / (4 * 6.25) = 0.34.
    statistic, _ = kpss(samples(1, 2, 3, 4))
    assert statistic == pytest.approx(0.34)


def test_kpss_of_one_value_finds_nothing():
    assert kpss(samples(3, 3, 3)) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("eta", "p_value"), [(0.347, 0.10), (0.463, 0.05), (0.574, 0.025), (0.739, 0.01)]
)
def test_kpss_has_the_published_critical_values(eta: float, p_value: float):
    # Kwiatkowski et al. 1992, table 1; simulated there, three digits.
    assert cramer_von_mises_above(eta) == pytest.approx(p_value, rel=0.04)


def test_probability_of_the_bridge_is_monotone_from_one_to_zero():
    found = [cramer_von_mises_above(x) for x in (0, 0.02, 0.1, 0.3, 1, 3, 30)]
    assert found == sorted(found, reverse=True)
    assert found[0] == 1
    assert 0 <= found[-1] < 1e-12


def test_ranks_of_ties_are_their_mean():
    assert ranks(samples(5, 1, 5, 9)).tolist() == [2.5, 1, 2.5, 4]


@pytest.mark.parametrize(
    ("p_values", "open_gates"),
    [
        # Levels 0.05 / 3, / 2, / 1.
        ((0.03, 0.01, 0.02), (False, False, False)),
        # 0.03 is above 0.025, so 0.04 is open, too, though it is below 0.05.
        ((0.04, 0.01, 0.03), (True, False, True)),
        ((0.017, 0.9, 0.9), (True, True, True)),
        ((0.016, 0.9, 0.9), (False, True, True)),
    ],
)
def test_levels_are_those_of_holm(p_values: tuple[float, ...], open_gates: tuple[bool, ...]):
    gates = judged([(str(p), "", (0.0, p)) for p in p_values])
    assert tuple(gate.is_open for gate in gates) == open_gates


def test_independent_samples_of_one_distribution_pass():
    for seed in range(3):
        assert closed(np.random.default_rng(seed).pareto(3, 4_000)) == []


def test_autocorrelation_closes_gates():
    assert "Ljung-Box" in closed(autoregressive(0.3, 4_000, 5))
    assert "runs" in closed(autoregressive(0.3, 4_000, 5))


def test_trend_closes_gates():
    values = np.random.default_rng(6).standard_normal(4_000) + np.linspace(0, 0.5, 4_000)
    assert {"Kolmogorov-Smirnov", "KPSS"} <= set(closed(values))


def test_other_spread_in_the_second_half_closes_a_gate():
    # Same median, no trend, no order: only the distributions differ.
    values = np.random.default_rng(7).standard_normal(4_000)
    values[2_000:] *= 1.5
    assert "Kolmogorov-Smirnov" in closed(values)


def test_large_values_in_clusters_close_a_gate():
    # Below the threshold all is as by chance; the largest tenth comes ten at a time.
    values = np.random.default_rng(8).uniform(0, 1, 4_000)
    for start in np.random.default_rng(9).choice(400, 40, replace=False) * 10:
        values[start : start + 10] += 1
    assert "runs at the threshold" in closed(values)


def test_every_second_job_longer_closes_gates():
    values = np.random.default_rng(10).standard_normal(4_000)
    values[::2] += 0.3
    assert "Ljung-Box" in closed(values)
