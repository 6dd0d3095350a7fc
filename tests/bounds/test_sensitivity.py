# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
from dataclasses import replace

from laxity.bounds.overheads import PlatformCosts
from laxity.bounds.sensitivity import MAX_FACTOR_PPM, STEP_PPM, Factor, sensitivity
from laxity.tasksets.task_model import Task

# Large, so that rounding up plays no part.
HIGH = Task(name="high", wcet_ns=20_000, period_ns=100_000, deadline_ns=100_000, priority=2)
LOW = Task(name="low", wcet_ns=60_000, period_ns=200_000, deadline_ns=200_000, priority=1)
NO_COSTS = PlatformCosts()


def test_largest_factor_on_wcet_fills_the_deadline():
    # low: 60 f + 2 * 20 f = 100 f <= 200: f = 2. (high alone would go up to 5.)
    assert sensitivity((HIGH, LOW), NO_COSTS).wcet == Factor(2_000_000, "low")


def test_costs_are_not_scaled_with_wcet():
    # 10 per switch: (60 f + 10) + 2 (20 f + 10) = 100 f + 30 <= 200: f = 1.7.
    found = sensitivity((HIGH, LOW), PlatformCosts(switch_ns=10_000))
    assert found.wcet == Factor(1_700_000, "low")


def test_factor_below_one_says_how_much_is_too_much():
    # The deadline is before the second job of high: 60 f + 20 f = 80 f <= 50: f = 0.625.
    late = replace(LOW, deadline_ns=50_000)
    assert sensitivity((HIGH, late), NO_COSTS).wcet == Factor(625_000, "low")


def test_no_wcet_keeps_a_deadline_that_costs_alone_exceed():
    costs = PlatformCosts(switch_ns=200_000)
    found = sensitivity((HIGH, LOW), costs)
    assert found.wcet == Factor(None, "high")
    assert found.speed == Factor(None, "high")


def test_search_ends_at_a_thousand_times():
    short = Task(name="a", wcet_ns=1, period_ns=10_000, deadline_ns=10_000)
    found = sensitivity((short,), NO_COSTS)
    assert found.wcet == Factor(MAX_FACTOR_PPM, None)
    # At a thousandth of the speed it takes 1000 of 10,000.
    assert found.speed == Factor(STEP_PPM, None)


def test_switches_may_cost_what_the_deadline_leaves():
    # low: 60 + 10 f + 2 (20 + 10 f) = 100 + 30 f <= 200: f = 3.333. high: 20 + 10 f, and a switch
    # of low under way, 10 f: 20 + 20 f <= 100: f = 4.
    found = sensitivity((HIGH, LOW), PlatformCosts(switch_ns=10_000))
    assert found.delta == Factor(3_333_000, "low")
    assert found.gamma is None


def test_gamma_may_be_what_the_deadline_leaves():
    # Each job of high makes low load 25 f again. low: 60 + 2 (20 + 25 f) = 100 + 50 f <= 200:
    # f = 2, and the window of 200 ends before the third job of high. high: 20 + 25 f <= 100.
    found = sensitivity((HIGH, LOW), PlatformCosts(gamma_ns={"low": 25_000}))
    assert found.gamma == Factor(2_000_000, "low")
    assert found.delta is None


def test_cost_of_nothing_has_no_factor():
    found = sensitivity((HIGH, LOW), PlatformCosts(gamma_ns={"low": 0}))
    assert (found.delta, found.gamma) == (None, None)


def test_factor_zero_means_only_without_that_cost():
    # Without switches low is in time to the last ns; any at all makes it late.
    full = replace(LOW, wcet_ns=160_000)
    found = sensitivity((HIGH, full), PlatformCosts(switch_ns=10_000_000))
    assert found.delta == Factor(0, "low")


def test_no_cheaper_switch_helps_a_task_that_is_late_without():
    late = replace(LOW, deadline_ns=50_000)
    found = sensitivity((HIGH, late), PlatformCosts(switch_ns=10_000, gamma_ns={"low": 1_000}))
    assert (found.delta, found.gamma) == (Factor(None, "low"), Factor(None, "low"))


def test_least_speed_is_rounded_up():
    # 100 / s <= 200: s = 0.5.
    assert sensitivity((HIGH, LOW), NO_COSTS).speed == Factor(500_000, "low")
    # 100 / s + 30 <= 200: s = 0.58823...: 0.589.
    found = sensitivity((HIGH, LOW), PlatformCosts(switch_ns=10_000))
    assert found.speed == Factor(589_000, "low")
    # 80 / s <= 50: s = 1.6.
    late = replace(LOW, deadline_ns=50_000)
    assert sensitivity((HIGH, late), NO_COSTS).speed == Factor(1_600_000, "low")


def test_another_test_may_be_asked():
    # All is late from a sum of C of 100 on.
    def find_late(tasks: object, _: PlatformCosts) -> str | None:
        return "sum" if sum(one.wcet_ns for one in tasks) > 100_000 else None  # type: ignore[attr-defined]

    assert sensitivity((HIGH, LOW), NO_COSTS, find_late).wcet == Factor(1_250_000, "sum")
