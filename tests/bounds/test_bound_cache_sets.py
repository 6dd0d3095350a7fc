# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Cache sets with switches and interrupts beside them: by hand, and against played caches."""

import random
from dataclasses import astuple, replace

import pytest
from tests.bounds.cached_schedule import longest_ns
from tests.bounds.test_bound import KEYS, task
from tests.bounds.test_crpd_sets import cached_tasks, readies

from laxity.bounds.bound import bound_task_set
from laxity.bounds.bound_cache_sets import responses_by_sets
from laxity.bounds.crpd_sets import Cache, Method, Policy
from laxity.bounds.overheads import PlatformCosts, Tick
from laxity.bounds.platform_costs import Accounted
from laxity.bounds.setup import CacheSets, Setup
from laxity.bounds.verdicts import SetBound
from laxity.core.task_set import DeclaredTask, TaskSet

DIRECT = CacheSets(Method.ECB_UNION, Policy.DIRECT_MAPPED, reload_ns=1)


def with_sets(one: DeclaredTask, ucb: set[int], ecb: set[int]) -> DeclaredTask:
    return replace(one, keys=replace(KEYS, ucb=frozenset(ucb), ecb=frozenset(ecb)))


def judge(
    *tasks: DeclaredTask, sets: CacheSets = DIRECT, costs: PlatformCosts | None = None
) -> SetBound:
    accounted = None if costs is None else Accounted(costs, (), (), (), ())
    return bound_task_set(TaskSet(tasks, has_corunners=False), accounted, Setup(sets=sets))


# high evicts two of low's three useful sets.
HIGH = with_sets(task("high", 3, 20, 9), {1}, {1, 2, 3})
LOW = with_sets(task("low", 6, 40, 8), {2, 3, 4}, {2, 3, 4, 5})


def test_blocks_that_are_loaded_again_count_and_stand_in_the_parts():
    # low: 6 + (3 + 2 blocks of 1) = 11; ecb-only counts 3 blocks: 12.
    found = judge(HIGH, LOW)
    assert [one.response_time_ns for one in found.tasks] == [3, 11]
    assert found.verdict == "schedulable"
    parts = found.tasks[1].breakdown
    assert parts is not None
    assert (parts.gamma_ns, sum(astuple(parts))) == (2, found.tasks[1].window_ns)
    ecb_only = replace(DIRECT, method=Method.ECB_ONLY)
    assert judge(HIGH, LOW, sets=ecb_only).tasks[1].response_time_ns == 12
    assert found.tasks[1].test == "fixed-priority response time, CRPD by ECB union"
    assert found.tasks[1].source == "Altmeyer, Davis, Maiza 2011; " + (
        "C' = C + 2 delta + gamma: Sebek, The real cost of task pre-emptions, section 1.3"
    )


def test_switches_latency_and_ticks_count_beside_them():
    # C' = 3 + 2 and 6 + 2; high waits for a switch of low, 2, and for ticks of 1 each 10, late by
    # 4 + 1 + 2: 5 + 2 = 7, ceil(14 / 10) = 2: 9, + J 4.
    # low: 8 + 2 (5 + 2 blocks), high twice since ceil((w + 4) / 20), and ticks, ceil((w + 7) / 10):
    # 22 -> 25 -> 26: 4. 26 + 4 = 30.
    costs = PlatformCosts(switch_ns=2, timer_latency_ns=4, tick=Tick(1, 10), block_reload_ns=1)
    found = judge(HIGH, LOW, costs=costs)
    assert [one.response_time_ns for one in found.tasks] == [13, 30]
    parts = found.tasks[1].breakdown
    assert parts is not None
    assert (parts.delta_ns, parts.gamma_ns, parts.interrupts_ns) == (6, 4, 4)


def test_deadline_between_the_two_analyses_proves_nothing():
    # 11 from above, 6 + 3 = 9 from below.
    for deadline, verdict in ((11, "schedulable"), (10, "not_provable"), (8, "not_schedulable")):
        found = judge(HIGH, replace(LOW, deadline_ns=deadline))
        assert found.tasks[1].verdict == verdict, deadline
        assert not found.tasks[1].exact


@pytest.mark.parametrize("policy", [Policy.FIFO, Policy.PLRU, Policy.RANDOM])
def test_cache_on_which_sets_prove_nothing_is_told(policy: Policy):
    found = judge(HIGH, LOW, sets=CacheSets(Method.ECB_UNION, policy, 2, reload_ns=1))
    assert found.verdict == "not_provable"
    assert all(one.reason and one.response_time_ns is None for one in found.tasks)
    # What is certain without any cache still is.
    late = replace(LOW, deadline_ns=5)
    found = judge(HIGH, late, sets=CacheSets(Method.ECB_UNION, policy, 2, reload_ns=1))
    assert found.verdict == "not_schedulable"


def test_stated_blocking_has_no_sets_and_so_no_bound():
    blocked = replace(LOW, keys=replace(LOW.keys, blocking_ns=1))
    found = judge(HIGH, blocked)
    assert [one.verdict for one in found.tasks] == ["schedulable", "not_provable"]
    assert "blocks" in (found.tasks[1].reason or "")


@pytest.mark.parametrize("ways", [1, 2])
def test_no_response_through_a_played_cache_with_switches_exceeds_a_bound(ways: int):
    numbers = random.Random(40 + ways)  # noqa: S311 - reproducible, no secret
    n_compared = n_reached = 0
    for _ in range(150):
        policy = Policy.LRU if ways > 1 else Policy.DIRECT_MAPPED
        cache = Cache(numbers.randint(1, 6), policy, ways)
        half = numbers.randint(0, 4)
        tasks, programs = cached_tasks(numbers, cache)
        played = longest_ns(tasks, programs, readies(tasks, numbers), cache, half)
        costs = PlatformCosts(switch_ns=2 * half, block_reload_ns=cache.reload_ns)
        for method in Method:
            found = responses_by_sets(tasks, costs, Setup(sets=CacheSets(method, policy, ways)))
            for one in found:
                if one.response_time_ns is not None:
                    assert played[one.name] <= one.response_time_ns, (method, tasks, programs)
                    n_compared += 1
                    n_reached += played[one.name] > 0.9 * one.response_time_ns
    assert n_compared > 1000
    assert n_reached > 50
