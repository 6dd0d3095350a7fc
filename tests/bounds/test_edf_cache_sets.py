# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Cache sets under EDF: by hand, and against programs played through a cache."""

import random
from dataclasses import replace

import pytest
from tests.bounds.cached_schedule import by_deadline, longest_ns
from tests.bounds.test_crpd_sets import cached_tasks

from laxity.bounds.bound_edf import keeps_deadlines
from laxity.bounds.crpd_sets import Cache, Method, Policy
from laxity.bounds.edf import demand_ns
from laxity.bounds.edf_cache_sets import charge_by_sets, overcharged, why_no_charge
from laxity.bounds.overheads import PlatformCosts
from laxity.bounds.setup import CacheSets, Setup
from laxity.tasksets.task_model import Task

CACHE = Cache(10, Policy.DIRECT_MAPPED)


def task(name: str, deadline_ns: int, ucb: set[int], ecb: set[int]) -> Task:
    return Task(
        name=name,
        wcet_ns=10,
        period_ns=1000,
        deadline_ns=deadline_ns,
        ucb=frozenset(ucb),
        ecb=frozenset(ecb),
    )


# c may be preempted by a and b, b by a, a by nobody.
A = task("a", 100, {1}, {1, 2, 3})
B = task("b", 200, {3, 4, 5}, {3, 4, 5, 6})
C = task("c", 300, {1, 2, 6, 7}, {1, 2, 6, 7})
TASKS = (A, B, C)


@pytest.mark.parametrize(
    ("method", "blocks"),
    [
        (Method.ECB_ONLY, [3, 4, 0]),
        # a: |UCB_c| = 4, b: the same.
        (Method.UCB_ONLY, [4, 4, 0]),
        # a: {1, 2, 3} of {3, 4, 5} and {1, 2, 6, 7}; b: {6} of {1, 2, 6, 7}.
        (Method.UCB_UNION, [3, 1, 0]),
        # b loses {3} to a; c loses {1, 2, 6} to a and b. Both may have to pay for c.
        (Method.ECB_UNION, [3, 3, 0]),
    ],
)
def test_blocks_that_each_job_pays_for(method: Method, blocks: list[int]):
    charge = charge_by_sets(CACHE, method)
    assert [charge(one, TASKS) for one in TASKS] == [10 * count for count in blocks]


def test_combined_is_schedulable_if_either_is():
    # Demand in 100, 200, 300 with C = 10: UCB union 40, 40 + 20, 70; ECB union 40, 80, 90.
    costs = PlatformCosts(block_reload_ns=10)
    tight = (replace(A, deadline_ns=40), replace(B, deadline_ns=60), replace(C, deadline_ns=70))
    results = {
        method: keeps_deadlines(tight, costs, Setup(sets=CacheSets(method, Policy.DIRECT_MAPPED)))
        for method in (Method.UCB_UNION, Method.ECB_UNION, Method.COMBINED)
    }
    assert results[Method.UCB_UNION]
    assert not results[Method.ECB_UNION]
    assert results[Method.COMBINED]


def test_victim_that_is_rarely_there_is_not_charged_every_time():
    # Deadlines of b are at 200, 250, ..., of c at 300, 1300, ... b preempts a job of c at most
    # floor((300 - 200) / 50) + 1 = 3 times; each time {6} is lost. In t = 600 that is 3, not 9.
    often = replace(B, period_ns=50)
    for method in (Method.UCB_UNION_MULTISET, Method.ECB_UNION_MULTISET):
        less_ns = overcharged((often, C), CACHE, method)
        assert [less_ns(t) for t in (199, 200, 299, 300, 600)] == [0, 10, 20, 0, 60], method


@pytest.mark.parametrize(
    ("lesser", "greater"),
    [(Method.UCB_UNION, Method.ECB_ONLY), (Method.ECB_UNION, Method.UCB_ONLY)],
)
def test_union_never_charges_more(lesser: Method, greater: Method):
    numbers = random.Random(5)  # noqa: S311 - reproducible, no secret
    n_less = 0
    for _ in range(100):
        tasks = [_drawn(i, numbers) for i in range(4)]
        for one in tasks:
            less = charge_by_sets(CACHE, lesser)(one, tasks)
            more = charge_by_sets(CACHE, greater)(one, tasks)
            assert less <= more, tasks
            n_less += less < more
    assert n_less > 50


@pytest.mark.parametrize("method", [Method.UCB_UNION_MULTISET, Method.ECB_UNION_MULTISET])
def test_multiset_never_counts_more_and_never_falls(method: Method):
    numbers = random.Random(6)  # noqa: S311 - reproducible, no secret
    n_less = 0
    for _ in range(40):
        tasks = [_drawn(i, numbers) for i in range(4)]
        charge, less_ns = charge_by_sets(CACHE, method), overcharged(tasks, CACHE, method)
        # Loading alone: what the demand is made of beside C.
        loading = [replace(one, wcet_ns=charge(one, tasks)) for one in tasks]
        counted = [demand_ns(loading, t) - less_ns(t) for t in range(0, 3000, 7)]
        assert counted == sorted(counted), tasks
        overcounts = [less_ns(t) for t in range(0, 3000, 7)]
        assert min(overcounts) >= 0
        n_less += max(overcounts) > 0
    assert n_less > 10


def _drawn(i: int, numbers: random.Random) -> Task:
    """Tasks of longer periods use more sets, so that who is preempted how often matters."""
    period_ns = 100 * numbers.choice((1, 2, 3)) * 3**i
    sets = set(numbers.sample(range(10), numbers.randint(1, 3 + 2 * i)))
    useful = set(numbers.sample(sorted(sets), numbers.randint(1, len(sets))))
    one = task(f"t{i}", period_ns - numbers.choice((0, 10, 50)), useful, sets)
    return replace(one, period_ns=period_ns, wcet_ns=period_ns // numbers.randint(4, 7))


def test_what_is_not_known_is_named():
    assert why_no_charge(TASKS, CACHE, Method.UCB_UNION) == ""
    unknown = (replace(A, ecb=frozenset()), B, C)
    assert why_no_charge(unknown, CACHE, Method.ECB_ONLY) == 'ecb of task "a" is not known'
    assert why_no_charge(unknown, CACHE, Method.UCB_ONLY) == ""
    bare = (A, B, replace(C, ucb=frozenset(), ecb=frozenset()))
    assert "neither ucb nor ecb" in why_no_charge(bare, CACHE, Method.UCB_UNION)
    blocked = (A, replace(B, blocking_ns=1), C)
    assert 'blocks "a" or one that it preempts' in why_no_charge(blocked, CACHE, Method.ECB_ONLY)
    plru = Cache(10, Policy.PLRU, 4)
    assert "PLRU" in why_no_charge(TASKS, plru, Method.ECB_ONLY)


@pytest.mark.parametrize("ways", [1, 2])
def test_no_deadline_is_missed_through_a_played_cache(ways: int):
    numbers = random.Random(60 + ways)  # noqa: S311 - reproducible, no secret
    policy = Policy.LRU if ways > 1 else Policy.DIRECT_MAPPED
    n_compared = n_tight = n_missed_without = 0
    for _ in range(80):
        cache = Cache(numbers.randint(1, 6), policy, ways)
        half = numbers.randint(0, 3)
        drawn, programs = cached_tasks(numbers, cache)
        costs = PlatformCosts(switch_ns=2 * half, block_reload_ns=cache.reload_ns)
        free = replace(costs, block_reload_ns=0)
        # Of the others one is above each.
        for method in (Method.UCB_UNION_MULTISET, Method.ECB_UNION_MULTISET):
            sets = CacheSets(method, policy, ways)
            for charged in (costs, free):
                tasks = _tighten(drawn, charged, sets)
                for _ in range(5 if tasks else 0):
                    released = _released(tasks, numbers)
                    played = longest_ns(tasks, programs, released, cache, half, by_deadline)
                    is_met = all(played[one.name] <= one.deadline_ns for one in tasks)
                    if charged is free:
                        n_missed_without += not is_met
                        continue
                    assert is_met, (method, tasks, programs)
                    n_compared += 1
                    n_tight += any(played[one.name] > 0.9 * one.deadline_ns for one in tasks)
    assert n_compared > 500
    assert n_tight > 50
    # Were nothing charged, deadlines would be missed.
    assert n_missed_without > 10


def _released(tasks: list[Task], numbers: random.Random) -> dict[str, list[int]]:
    """Jobs of shorter deadlines soon after those of longer ones, so that they preempt."""
    latest = sum(one.wcet_ns for one in tasks) // 2
    until = 2 * max(one.period_ns for one in tasks)
    return {
        one.name: list(range(numbers.randint(0, latest), until, one.period_ns)) for one in tasks
    }


def _tighten(tasks: list[Task], costs: PlatformCosts, sets: CacheSets) -> list[Task] | None:
    """The shortest deadlines that the test allows, that of the last task first."""
    if not keeps_deadlines(tasks, costs, Setup(sets=sets)):
        return None
    for i in reversed(range(len(tasks))):
        least, most = 0, tasks[i].deadline_ns
        while most - least > 1:
            shorter = replace(tasks[i], deadline_ns=(least + most) // 2)
            tried = [*tasks[:i], shorter, *tasks[i + 1 :]]
            if keeps_deadlines(tried, costs, Setup(sets=sets)):
                most, tasks = shorter.deadline_ns, tried
            else:
                least = shorter.deadline_ns
    return tasks
