# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
from dataclasses import replace

from laxity.analysis.overheads import PlatformCosts
from laxity.analysis.sensitivity import MAX_FACTOR_PPM, Sensitivity, sensitivity
from laxity.analysis.task_model import Task

# Large, so that rounding up plays no part.
HIGH = Task(name="high", wcet_ns=20_000, period_ns=100_000, deadline_ns=100_000, priority=2)
LOW = Task(name="low", wcet_ns=60_000, period_ns=200_000, deadline_ns=200_000, priority=1)


def test_largest_factor_fills_the_deadline():
    # low: 60 f + 2 * 20 f = 100 f <= 200: f = 2. (high alone would go up to 5.)
    assert sensitivity((HIGH, LOW), PlatformCosts()) == Sensitivity(2_000_000, "low")


def test_costs_are_not_scaled():
    # 10 per switch: (60 f + 10) + 2 (20 f + 10) = 100 f + 30 <= 200: f = 1.7.
    found = sensitivity((HIGH, LOW), PlatformCosts(switch_ns=10_000))
    assert found == Sensitivity(1_700_000, "low")


def test_factor_below_one_says_how_much_is_too_much():
    # The deadline is before the second job of high: 60 f + 20 f = 80 f <= 50: f = 0.625.
    late = replace(LOW, deadline_ns=50_000)
    assert sensitivity((HIGH, late), PlatformCosts()) == Sensitivity(625_000, "low")


def test_no_factor_keeps_a_deadline_that_costs_alone_exceed():
    costs = PlatformCosts(switch_ns=200_000)
    assert sensitivity((HIGH, LOW), costs) == Sensitivity(None, "high")


def test_search_ends_at_a_thousand_times():
    short = Task(name="a", wcet_ns=1, period_ns=10_000, deadline_ns=10_000)
    assert sensitivity((short,), PlatformCosts()) == Sensitivity(MAX_FACTOR_PPM, None)
