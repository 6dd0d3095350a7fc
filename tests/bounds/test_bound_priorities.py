# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a verdict means where the file gives no priorities."""

from dataclasses import replace

import pytest
from tests.bounds.test_bound import KEYS, task

from laxity.bounds.bound import bound_task_set
from laxity.bounds.bound_priorities import Prioritised, find_priorities, judge_found
from laxity.bounds.overheads import PlatformCosts
from laxity.bounds.platform_costs import Accounted
from laxity.bounds.verdicts import SetBound
from laxity.core.task_set import DeclaredTask, TaskSet
from laxity.errors import ConfigError

NO_COSTS = PlatformCosts()
# Lehoczky 1990: only the second one above the first keeps both deadlines.
LONG = task("long", 52, 140, 50, 154)
SHORT = task("short", 52, 100, 50, 110)


def find(*tasks: DeclaredTask, costs: PlatformCosts | None = NO_COSTS) -> Prioritised:
    return find_priorities(TaskSet(tasks, has_corunners=False, has_priorities=False), costs)


def judge(found: Prioritised, costs: PlatformCosts = NO_COSTS) -> SetBound:
    accounted = Accounted(costs, (), (), (), ())
    return judge_found(bound_task_set(found.task_set, accounted), found)


def priorities(found: Prioritised) -> list[int]:
    return [one.priority for one in found.task_set.tasks]


def test_order_that_is_found_is_schedulable():
    found = find(SHORT, LONG)
    assert (priorities(found), found.is_found) == ([89, 90], True)
    assert judge(found).verdict == "schedulable"


def test_each_cpu_gets_priorities_of_its_own():
    found = find(SHORT, replace(LONG, cpu=1))
    assert priorities(found) == [90, 90]


def test_no_order_at_all_is_not_schedulable():
    # 3 + 3 > 5, whoever comes first.
    found = find(task("a", 3, 5, 50), task("b", 3, 9, 50, 5))
    assert (found.is_found, found.is_impossible) == (False, True)
    assert judge(found).verdict == "not_schedulable"


def test_order_that_costs_spoil_is_not_provable():
    # Without costs as above; with them no order bounds both in time, and nothing is proven.
    costs = PlatformCosts(switch_ns=4)
    found = find(SHORT, LONG, costs=costs)
    assert (found.is_found, found.is_impossible) == (False, False)
    # Deadline-monotonic order, where long misses for certain (156 > 154), is not the one shown.
    assert priorities(found) == [89, 90]
    assert judge(found, costs).verdict == "not_provable"


def test_missing_cost_leaves_it_open():
    found = find(SHORT, LONG, costs=None)
    assert (priorities(found), found.is_found) == ([89, 90], False)


def test_order_of_deadlines_is_tried_where_the_search_counts_too_much():
    # Each job pays most where those above may come in any order: d pays 20 for b, though b is above
    # it. c: 10 + (10 + 0) + (10 + 20) = 50 > 45 at the lowest level; b and d have shorter deadlines
    # and fail there, too. In the order b, d, c: b pays 0 for d and c, d pays 0 for c: 30.
    tasks = (task("b", 10, 900, 50, 15), task("d", 10, 900, 50, 35), task("c", 10, 900, 50, 45))
    costs = PlatformCosts(gamma_ns={"b": 20, "d": 0, "c": 0})
    found = find(*tasks, costs=costs)
    assert (priorities(found), found.is_found) == ([90, 89, 88], True)
    assert [one.response_time_ns for one in judge(found, costs).tasks] == [10, 20, 30]


def test_tasks_that_start_apart_are_ruled_out_only_by_what_no_order_mends():
    # 3 + 3 > 5 as above, but they need not meet.
    apart = find(task("a", 3, 5, 50), replace(task("b", 3, 9, 50, 5), offset_ns=3))
    assert (apart.is_found, apart.is_impossible) == (False, False)
    assert judge(apart).verdict == "not_provable"
    # 3/5 + 3/6 > 1.
    full = find(task("a", 3, 5, 50), replace(task("b", 3, 6, 50), offset_ns=3))
    assert (full.is_impossible, judge(full).verdict) == (True, "not_schedulable")
    # b is too long alone.
    alone = find(task("a", 1, 9, 50), replace(task("b", 3, 9, 50, 2), offset_ns=3))
    assert (alone.is_impossible, judge(alone).verdict) == (True, "not_schedulable")


def test_miss_with_priorities_that_were_found_rules_no_others_out():
    # a and c start together and are both short of time; b starts apart, so no order was ruled out.
    a, c = task("a", 3, 9, 50, 5), task("c", 3, 9, 50, 5)
    found = find(a, replace(task("b", 1, 9, 50), offset_ns=3), c)
    assert not found.is_impossible
    bound = judge(found)
    assert bound.verdict == "not_provable"
    assert "not_schedulable" not in [one.verdict for one in bound.tasks]


def test_blocking_does_not_rule_an_order_out():
    # 3 + 2 of blocking > 4, but blocking may be absent.
    blocked = replace(task("a", 3, 9, 50, 4), keys=replace(KEYS, blocking_ns=2))
    found = find(blocked)
    assert (found.is_impossible, judge(found).verdict) == (False, "not_provable")


def test_more_tasks_than_priorities_are_refused():
    tasks = [task(f"{i}", 1, 1000, 50) for i in range(100)]
    assert max(priorities(find(*tasks[:99]))) == 99
    with pytest.raises(ConfigError, match="100 tasks without priority on one CPU"):
        find(*tasks)
