# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Ratios of programs side by side, of rounds whose medians are known."""

import math

import pytest

from laxity.profile.versus import Versus, quickest_of, versus


def test_the_quickest_takes_no_longer_than_each_other_one_in_the_same_rounds():
    # Ratios of the first to the second: 6 of 0.99, 5 of 1.35; their geometric mean is
    # (0.99^6 * 1.35^5)^(1/11) = 1.14: the second one, although its median, 100, is larger than 99.
    first = {at: 99.0 if at < 6 else 135.0 for at in range(11)}
    second = dict.fromkeys(range(11), 100.0)
    assert quickest_of([first, second, {}]) == 1
    found = versus(first, second, is_exact=False)
    assert found is not None
    assert found.ratio == pytest.approx((0.99**6 * 1.35**5) ** (1 / 11))
    # Two of equal times: the first one. None has a round: none.
    assert quickest_of([second, second]) == 0
    assert quickest_of([{}, {}]) is None


def test_a_program_that_lacks_the_slow_rounds_is_not_the_quickest_for_that():
    # The second one takes 0.8 times as long in each round of both; the machine was slow in these.
    first = {0: 50.0, 1: 50.0, 2: 50.0, 3: 200.0, 4: 200.0}
    second = {3: 160.0, 4: 160.0}
    assert quickest_of([first, second]) == 1


def test_programs_of_which_each_is_slower_than_another_have_no_quickest():
    assert quickest_of([{0: 2.0, 2: 1.0}, {0: 1.0, 1: 2.0}, {1: 1.0, 2: 2.0}]) is None


def test_medians_of_one_round_are_compared_so_that_drift_of_the_machine_cancels():
    # The machine becomes 100 times as slow, the program is twice as long in each round.
    quickest = {one: 10.0 * 100**one for one in range(5)}
    found = versus({one: 2 * ns for one, ns in quickest.items()}, quickest, is_exact=False)
    assert found is not None
    assert found.rounds == 5
    assert [found.low, found.ratio, found.high] == pytest.approx([2, 2, 2])


def test_the_interval_is_that_of_the_mean_of_logarithms():
    # Ratios 1, 2, 4, 8, 16: logs of base 2 are 0 to 4, mean 2, s = sqrt(2.5), s / sqrt(5) = 0.7071.
    # t of 4 degrees at 97.5 % is 2.7764: 2 -+ 1.9632.
    of = {at: float(2**at) for at in range(5)}
    found = versus(of, dict.fromkeys(range(5), 1.0), is_exact=False)
    assert found is not None
    assert found.ratio == pytest.approx(4)
    assert found.low is not None
    assert found.high is not None
    assert math.log2(found.low) == pytest.approx(2 - 1.9632, abs=1e-4)
    assert math.log2(found.high) == pytest.approx(2 + 1.9632, abs=1e-4)


def test_few_rounds_simulated_ones_and_the_quickest_itself_have_no_interval():
    quickest = dict.fromkeys(range(5), 2.0)
    few = versus(dict.fromkeys(range(4), 3.0), quickest, is_exact=False)
    exact = versus(dict.fromkeys(range(5), 3.0), quickest, is_exact=True)
    itself = versus(quickest, quickest, is_exact=False)
    for found, rounds, ratio in ((few, 4, 1.5), (exact, 5, 1.5), (itself, 5, 1.0)):
        assert found is not None
        assert (found.rounds, found.low, found.high) == (rounds, None, None)
        assert found.ratio == pytest.approx(ratio)


def test_a_job_that_takes_no_more_than_reading_the_clock_is_divided_by_in_no_round():
    # An empty job: its execution, less the cost of the clocks, is 0.
    nothing = {0: 0.0, 1: 0.0, 2: 5.0}
    assert versus({0: 7.0, 1: 7.0}, nothing, is_exact=False) is None
    found = versus({0: 7.0, 1: 7.0, 2: 10.0}, nothing, is_exact=False)
    assert found is not None
    assert (found.rounds, round(found.ratio, 9)) == (1, 2)
    assert versus(nothing, {0: 1.0, 2: 5.0}, is_exact=False) == Versus(1, 1.0, None, None)


def test_programs_without_a_round_in_common_are_not_compared():
    assert versus({0: 1.0}, {1: 1.0}, is_exact=False) is None
