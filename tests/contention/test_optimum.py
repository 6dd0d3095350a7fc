# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The clairvoyant optimum of a job of two windows by hand, and against all choices of windows."""

from itertools import product

import numpy as np
import pytest
from tests.contention.test_windows import progress

from laxity.contention.optimum import largest_parallelism

# Windows of 10 µs alone take 30 and 12 µs with the load: they lose 20 and 2.
SOLO = progress([0, 10, 20], [0, 100, 200], [0, 0, 0])
LOADED = progress([5, 35, 47], [0, 100, 200], [0, 0, 0])


def test_windows_that_lose_least_are_shared_first():
    """Of 7 µs the second window takes 2, the first 5: a quarter. 12 + 7.5 of 20 + 7 are shared."""
    assert largest_parallelism(SOLO, LOADED, 7_000) == pytest.approx(19.5 / 27)
    assert largest_parallelism(SOLO, LOADED, 1_000) == pytest.approx(6 / 21)


def test_budget_for_all_losses_allows_all():
    assert largest_parallelism(SOLO, LOADED, 22_000) == pytest.approx(1)
    assert largest_parallelism(SOLO, LOADED, 90_000) == pytest.approx(1)


def test_window_that_gains_pays_for_another():
    """1 µs is gained, so that 1 of 20 µs may be lost: 9 + 30 / 20 of 20 are shared."""
    loaded = progress([0, 9, 39], [0, 100, 200], [0, 0, 0])
    assert largest_parallelism(SOLO, loaded, 0) == pytest.approx(10.5 / 20)


def test_no_choice_of_windows_shares_more():
    rng = np.random.default_rng(1)
    for _ in range(20):
        took_us = 10 + rng.integers(0, 30, size=8)
        loaded = progress([0, *np.cumsum(took_us)], [100 * i for i in range(9)], [0] * 9)
        solo = progress([10 * i for i in range(9)], [100 * i for i in range(9)], [0] * 9)
        budget_us = int(rng.integers(0, 60))
        best = largest_parallelism(solo, loaded, budget_us * 1000)
        for chosen in product((0, 1), repeat=8):
            lost_us = int(np.dot(chosen, took_us - 10))
            if lost_us <= budget_us:
                assert np.dot(chosen, took_us) / (80 + lost_us) <= best + 1e-9
