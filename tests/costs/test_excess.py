# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What may be said of samples whose values are known."""

import numpy as np
import pytest

from laxity.costs.excess import Excess, entry, excess, join
from laxity.costs.model import Axes


def samples(*values: int) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    return np.array(values, dtype=np.int64)


def made(values: list[int], floor: int | None = 5) -> Excess:
    return Excess(samples(*sorted(values)), floor)


def test_excess_is_counted_from_the_median_of_both_roles_that_do_nothing():
    found = excess(samples(130, 110, 120), samples(9, 10, 11), samples(10, 20, 30))
    # Of 9, 10, 10, 11, 20, 30 the third smallest is 10.
    assert found.samples_ns.tolist() == [120, 100, 110]
    assert (found.n, found.median_ns, found.max_ns) == (3, 110, 120)
    # Three samples have no interval of a median.
    assert (found.noise_floor_ns, found.verdict) == (None, "no_verdict")


def test_noise_floor_is_what_speaks_against_a_difference():
    still = samples(*[10] * 6, *[12] * 6)
    # The interval of a median of six is from the first to the last, of twelve from the 3rd to the
    # 10th: the role may be too high by 103 - 101, the others too low by 12 - 10.
    role = samples(101, 102, 103, 300, 400, 500)
    assert excess(role, still[:6], still[6:]).noise_floor_ns == 4
    # The two that do nothing differ by 12 - 10.
    assert excess(samples(*[100] * 6), still[:6], still[6:]).noise_floor_ns == 2
    assert excess(role, samples(*[10] * 6), samples(*[90] * 6)).noise_floor_ns == 82


@pytest.mark.parametrize(("floor", "verdict"), [(9, "ok"), (10, "not_measurable")])
def test_median_at_the_noise_floor_is_not_measurable(floor: int, verdict: str):
    assert made([10] * 6, floor).verdict == verdict


def test_simulated_samples_that_differ_by_rounding_alone_have_no_noise_floor():
    # Rounded times: the role may be too high by 10 - 10, the others too low by 11 - 10.
    still, role = samples(*[10] * 4, 11, 11), samples(*[10] * 6)
    found = excess(role, still, still, is_exact=True)
    assert (found.median_ns, found.noise_floor_ns, found.verdict) == (0, 0, "ok")
    assert excess(role, still, still).verdict == "not_measurable"
    # By 12 - 10 something that is drawn makes them differ.
    drawn = excess(role, samples(*[10] * 4, 12, 12), samples(*[10] * 4, 12, 12), is_exact=True)
    assert (drawn.noise_floor_ns, drawn.verdict) == (2, "not_measurable")


def test_bound_is_the_maximum_where_n_supports_no_interval_of_p90():
    # 1 - 0.9^36 = 97.7 % > 97.5 %, 1 - 0.9^35 = 97.5 % - 0.03.
    assert made([*range(35)]).bound_ns == 34
    assert made([-7] * 6).bound_ns == 0


def test_joined_samples_keep_the_largest_floor():
    both = join([made([1, 3], 7), made([2], None)])
    assert (both.samples_ns.tolist(), both.noise_floor_ns) == ([1, 3, 2], 7)
    assert join([made([1], None)]).noise_floor_ns is None


def test_entry_has_only_quantiles_that_n_supports():
    # Six support the median; p90 needs 36.
    one = entry("migration", made([1, 2, 3, 4, 5, 6]), Axes(cpu=0), ["a"])
    assert (one.quantiles, one.max, one.n, one.unit) == ({"0.5": 3}, 6, 6, "ns")
