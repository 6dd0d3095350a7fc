# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Miss ratios of windows whose counts are known."""

import numpy as np
import pytest

from laxity.jobs.miss_ratio import Cache, FloatArray, MissRatio, caches_of
from laxity.jobs.rates import Rates


def rates(counts: list[int]) -> Rates:
    """Counts of windows of 10 ns."""
    sums: FloatArray = np.cumsum([0, *counts]).astype(np.float64)
    return Rates((10 * np.arange(len(sums))).astype(np.float64), sums, is_exact=True)


def ratio(
    misses: list[int],
    accesses: list[int],
    extrinsic: list[int] | None = None,
    switched_on_ns: list[float] | None = None,
) -> MissRatio:
    return MissRatio(
        rates(misses),
        rates(accesses),
        None if extrinsic is None else rates(extrinsic),
        None if switched_on_ns is None else np.array(switched_on_ns),
    )


def test_misses_are_per_access_or_else_per_instruction():
    assert caches_of(["l1i_refill", "instructions", "l2_refill", "l2_access"]) == (
        Cache("l1i", "l1i_refill", "instructions", None),
        Cache("l2", "l2_refill", "l2_access", None),
    )
    assert caches_of(["l1i_refill", "l1i_extrinsic", "l1i_access"]) == (
        Cache("l1i", "l1i_refill", "l1i_access", "l1i_extrinsic"),
    )
    assert caches_of(["instructions", "cycles"]) == ()
    assert caches_of(["l1d_refill", "cycles"]) == ()


def test_the_average_weighs_windows_by_their_accesses():
    # 10 of 100, 1 of 20, none of none: 11 of 120, not the mean of 10 % and 5 %.
    found = ratio([10, 1, 0], [100, 20, 0])
    assert found.mean == pytest.approx(11 / 120)
    assert found.ratio[:2].tolist() == [0.1, 0.05]
    assert np.isnan(found.ratio[2])
    assert found.n == 2


def test_a_window_with_few_accesses_is_not_the_highest():
    # 9 of 9 would be 100 %, but 9 are under a tenth of 100.
    assert ratio([10, 9], [100, 9]).highest == pytest.approx(0.1)
    assert ratio([10, 10], [100, 10]).highest == pytest.approx(1)


def test_windows_of_a_switch_and_the_two_behind_it_are_not_quiet():
    # On at 0 and at 45, in window 4: windows 0 to 2 and 4 to 6 may reload.
    found = ratio([5, 3, 2, 1, 9, 4, 2, 1], [10] * 8, switched_on_ns=[0.0, 45.0])
    assert found.is_quiet is not None
    assert found.is_quiet.tolist() == [False, False, False, True, False, False, False, True]
    assert found.quiet_mean == pytest.approx(2 / 20)


def test_a_switch_at_the_instant_of_a_sample_belongs_to_the_window_behind_it():
    found = ratio([1] * 6, [10] * 6, switched_on_ns=[20.0])
    assert found.is_quiet is not None
    assert found.is_quiet.tolist() == [True, True, False, False, False, True]


def test_extrinsic_misses_are_counted_and_never_concluded_from_other_windows():
    misses, accesses = [5, 3, 2, 1], [10] * 4
    # 4 of 11 were counted.
    assert ratio(misses, accesses, [4, 0, 0, 0]).extrinsic_share == pytest.approx(4 / 11)
    assert ratio([0], [10], [0]).extrinsic_share is None
    # A reload of nine windows: all misses but the last are extrinsic, and the windows that count as
    # quiet, from the fourth on, are reloads as well. At their 5 of 10 nothing would be extrinsic.
    found = ratio([5] * 9 + [0], [10] * 10, switched_on_ns=[0.0])
    assert found.n_quiet == 7
    assert found.extrinsic_share is None


def test_a_task_that_is_never_left_alone_has_no_ratio_without_a_switch():
    found = ratio([1, 2], [10, 10], switched_on_ns=[0.0, 10.0])
    assert found.quiet_mean is None
    assert found.n_quiet == 0
