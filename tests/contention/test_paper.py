# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Overhead tables of Blin et al. against a grid by hand, and packing against its definition."""

import numpy as np
import pytest
from tests.contention.test_windows import progress

from laxity.contention.paper import (
    Average,
    averages_of,
    degree_of,
    estimated_overhead,
    overhead_curve,
    overheads_of,
    packed_overheads,
    phase_overheads,
)
from laxity.contention.table import OVERHEAD_MAX, RATE_ONE, Load


def average(reads: int, megabytes: float, overhead: float, *sampled_bytes: float) -> Average:
    return Average(reads, megabytes * 1e6, overhead, 1e6, np.array(sampled_bytes, dtype=float))


# Writes: b / 1000 of b MB/s, up to 210 MB/s. Reads: b / 250 - 0.2, up to 157.5 MB/s.
GRID = (
    average(0, 100, 0.1),
    average(0, 200, 0.2),
    average(10, 100, 0.2),
    average(10, 150, 0.4),
)


def test_curve_is_the_largest_polynomial_near_what_was_measured():
    """At 20.48 MB/s reads would gain 0.118, at 143.36 lose 0.373; at 163.84 they count no more."""
    curve = overhead_curve(GRID, 1)
    assert curve[0] == 0
    assert curve[1] == pytest.approx(0.02048)
    assert curve[7] == pytest.approx(0.37344)
    assert curve[8] == pytest.approx(0.16384)


def test_overhead_beyond_all_polynomials_is_that_at_5_percent_beyond():
    """Step 10 is 204.8 MB/s. From 210 MB/s to 2990.08, the last step below 3000, it is 0.21."""
    curve = overhead_curve(GRID, 1)
    assert curve[10] == pytest.approx(0.2048)
    assert curve[11:] == pytest.approx(np.full(136, 0.21))


def test_overhead_above_3000_megabytes_a_second_is_0():
    """Step 147 is 3010.56 MB/s: it stands for all above. Step 146 keeps 0.21 in 2^-20."""
    overheads = overheads_of(GRID)
    assert len(overheads) == 148
    assert overheads[147] == 0
    assert overheads[146] == pytest.approx(0.21 * RATE_ONE, abs=1)


def test_overhead_is_at_most_what_a_plan_holds():
    """Overhead 4 more for 100 B/s more: at 105 MB/s that would be 200,000."""
    overheads = overheads_of([average(0, 100, 0.0), average(0, 100.0001, 4.0)])
    assert max(overheads) == OVERHEAD_MAX


def test_packed_overhead_is_that_of_the_slowest_mixture():
    """Half of a sample at full speed and half at half speed: 1 / 0.75 - 1."""
    assert packed_overheads(np.array([0, 0, 1.0])) == pytest.approx([0, 1 / 3, 1])
    assert packed_overheads(np.array([0, 1.0, 0])) == pytest.approx([0, 1, 0])


def test_packing_equals_the_largest_of_all_pairs():
    """3.2: all b1 < b2 with t1 b1 + t2 b2 = b, Req = 1, ObtB = Req / (Ovd + 1); less 1."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        curve = rng.uniform(0, 3, size=15) * rng.integers(0, 2, size=15)
        expected = curve.copy()
        for at in range(15):
            for low in range(at + 1):
                for high in range(max(at, low + 1), 15):
                    part = (at - low) / (high - low)
                    obtained = (1 - part) / (curve[low] + 1) + part / (curve[high] + 1)
                    expected[at] = max(expected[at], 1 / obtained - 1)
        assert packed_overheads(curve) == pytest.approx(expected)


def test_estimate_adds_the_overheads_of_samples_by_their_bytes_shifted_by_10():
    """2047 bytes are step 1, 2048 step 2, 4096 all above: (0.1 + 0.5 + 0) * 50 µs of 1 ms."""
    curve = np.array([0, 0.1, 0.5, 0.7])
    assert estimated_overhead(curve, average(0, 1, 0, 2047, 2048, 4096)) == pytest.approx(0.03)


def steady(reads: int) -> list[Average]:
    """Make a parabola of constant samples: degree 2 is exact. Each load stands there twice."""
    return [average(reads, k * 20.48, (k / 20) ** 2, *[k * 1024] * 20) for k in (0, 10, 20)] * 2


def uneven(reads: int) -> list[Average]:
    """Make errors of -0.01, 0.01, -0.01 around (k - 50) / 100: at step 90 a parabola is 0.07 low.

    Each load stands there twice. Half of RSS is 0.02^2 = 0.0004 for the parabola, and
    0.0067^2 + 0.0133^2 + 0.0067^2 = 0.00027 for the line. Where the other ratio is,
    both are negative.
    """
    samples = {100: [90 * 1024, 110 * 1024] * 10, 110: [110 * 1024] * 20, 120: [120 * 1024] * 20}
    errors = ((100, -0.01), (110, 0.01), (120, -0.01))
    return [average(reads, k * 20.48, (k - 50) / 100 + e, *samples[k]) for k, e in errors] * 2


def test_degree_is_that_whose_estimate_is_nearest():
    assert degree_of(steady(0)) == 2
    assert degree_of(uneven(0)) == 1


def test_degree_is_that_of_most_ratios_whatever_the_others_lose():
    assert degree_of([*uneven(0), *uneven(1), *steady(2)]) == 1
    assert degree_of([*uneven(0), *steady(1), *steady(2)]) == 2
    assert degree_of([*uneven(0), *steady(1)]) == 1


def curved(n_loads: int) -> list[Average]:
    """Make an overhead of degree 7 with constant samples: a higher degree is always nearer."""
    steps = range(0, 4 * n_loads, 4)
    return [average(0, k * 20.48, (k / 70) ** 7, *[k * 1024] * 20) for k in steps]


def test_degree_is_at_most_5():
    assert degree_of(curved(18)) == 5


def test_degree_has_three_loads_of_each_ratio():
    assert [degree_of(curved(n)) for n in (1, 2, 5, 6, 8, 9)] == [0, 1, 1, 2, 2, 3]
    assert degree_of(GRID) == 1


# Phases of 100 µs and 80 µs; the load makes the first one take 150 µs.
SOLO = progress([0, 100, 180], [0, 1000, 2000], [0, 0, 0])
LOADED = progress([5, 155, 235], [0, 1000, 2000], [7, 307, 323])


def test_averages_are_of_phases_and_matched_by_instructions():
    """300 kB in 150 µs are 3 samples; 16 kB in 80 µs are 2 of 40 µs, of 10 kB in 50 µs."""
    first, second = averages_of(3, SOLO, LOADED, [0, 100_000])
    assert first.traffic_bytes_per_s == pytest.approx(2e9)
    assert first.overhead == pytest.approx(0.5)
    assert first.solo_ns == pytest.approx(100_000)
    assert first.sampled_bytes == pytest.approx([100_000] * 3)
    assert second.traffic_bytes_per_s == pytest.approx(2e8)
    assert second.overhead == pytest.approx(0)
    assert second.sampled_bytes == pytest.approx([10_000] * 2)


def test_each_phase_has_a_table_for_each_number_of_loads():
    """One load of one delay: a constant of 0.5, or 0. Two loads cost nothing here."""
    loads = [Load(reads=3, delay=0, cpus=[1]), Load(reads=3, delay=0, cpus=[1, 2])]
    tables = phase_overheads(SOLO, [0, 100_000], loads, [LOADED, SOLO])
    largest = [max(overheads) / RATE_ONE for phase in tables for overheads in phase]
    assert largest == pytest.approx([0.5, 0, 0, 0], abs=2 / RATE_ONE)
