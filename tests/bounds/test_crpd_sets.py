# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Preemption delays from cache sets: by hand, against one another, and against a cache played."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.bounds.cached_schedule import alone, draw_programs, longest_ns

from laxity.bounds.crpd_sets import SOURCES, Cache, Method, Policy, response_times
from laxity.bounds.response_time import interfering_tasks, response_time
from laxity.bounds.verdicts import NOT_PROVABLE, SCHEDULABLE
from laxity.tasksets.task_model import Task

ONE = Cache(reload_ns=1)
# Task 2 lives for a short time, task 3 has most to lose. Below: C, T = D, UCB, ECB.
MIXED = (
    (1, 10, {1}, {1, 2, 3}),
    (2, 20, {2}, {2, 4}),
    (12, 60, {1, 3, 4}, {1, 2, 3, 4}),
)
# Task 2 has most to lose, and can lose it only once per job.
RARE = (
    (1, 10, {1}, {1, 2, 3}),
    (2, 20, {1, 2, 3}, {1, 2, 3}),
    (12, 60, {3}, {3, 4}),
)


def made(rows: Sequence[tuple[int, int, set[int], set[int]]]) -> list[Task]:
    """Tasks 1, 2, … in order of falling priority."""
    return [
        Task(
            name=str(i),
            wcet_ns=wcet_ns,
            period_ns=period_ns,
            deadline_ns=period_ns,
            priority=100 - i,
            ucb=frozenset(ucb),
            ecb=frozenset(ecb),
        )
        for i, (wcet_ns, period_ns, ucb, ecb) in enumerate(rows, 1)
    ]


def bounds(tasks: Sequence[Task], method: Method, cache: Cache = ONE) -> list[int | None]:
    return [found.response_time_ns for found in response_times(tasks, cache, method)]


def at_most(lesser: list[int | None], greater: list[int | None]) -> bool:
    """Whether each bound is at most the other one; None is beyond the period."""
    return all(
        more is None or (less is not None and less <= more)
        for less, more in zip(lesser, greater, strict=True)
    )


def drawn(seed: int, n_sets: int) -> list[list[Task]]:
    """Tasks whose sets are drawn, U below 1, with jitter; some of equal priority."""
    numbers = random.Random(seed)  # noqa: S311 - reproducible, no secret
    found = []
    for _ in range(n_sets):
        rows = []
        for _ in range(numbers.randint(2, 6)):
            period_ns = numbers.randint(20, 400)
            ecb = set(numbers.sample(range(10), numbers.randint(1, 8)))
            ucb = set(numbers.sample(sorted(ecb), numbers.randint(0, len(ecb))))
            rows.append((numbers.randint(1, max(1, period_ns // 6)), period_ns, ucb, ecb))
        rows.sort(key=lambda row: row[1])
        tasks = [replace(one, jitter_ns=numbers.choice([0, 0, 5])) for one in made(rows)]
        if numbers.random() < 0.2:
            tasks[-2] = replace(tasks[-2], priority=tasks[-1].priority)
        found.append(tasks)
    return found


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        # Task 2: 2 + E1 (1 + 3) = 6. Task 3 pays 1 + 3 and 2 + 2 per job:
        # 12 + 2*4 + 1*4 = 24, 12 + 3*4 + 2*4 = 32, 12 + 4*4 + 2*4 = 36, again 36.
        (Method.ECB_ONLY, [1, 6, 36]),
        # Task 2: 2 + (1 + 1) = 4. Task 3: 1 + max(1, 3) and 2 + 3:
        # 12 + 2*4 + 5 = 25, 12 + 3*4 + 2*5 = 34, 12 + 4*4 + 2*5 = 38, again 38.
        (Method.UCB_ONLY, [1, 4, 38]),
        # {2} and {1,3,4} hold 3 of {1,2,3}; {1,3,4} holds 1 of {2,4}: 1 + 3 and 2 + 1:
        # 12 + 2*4 + 3 = 23, 12 + 3*4 + 2*3 = 30, again 30.
        (Method.UCB_UNION, [1, 4, 30]),
        # max(|{2}|, |{1,3}|) = 2 and |{1,3,4} in {1,2,3,4}| = 3: 1 + 2 and 2 + 3:
        # 12 + 2*3 + 5 = 23, 12 + 3*3 + 2*5 = 31, 12 + 4*3 + 2*5 = 34, again 34.
        (Method.ECB_UNION, [1, 4, 34]),
        (Method.COMBINED, [1, 4, 30]),
        # Set 2 is lost once per job of task 2, of which E1(4) = 1 preempts. At w = 29, E1 = 3 and
        # E2 = 2: sets 1 and 3 three times, 2 twice, 4 (by task 2) twice: 12 + 3 + 4 + 8 + 2 = 29.
        (Method.UCB_UNION_MULTISET, [1, 4, 29]),
        # Task 3 is the dearest victim and can be preempted by every job: as ECB union.
        (Method.ECB_UNION_MULTISET, [1, 4, 34]),
        (Method.COMBINED_MULTISET, [1, 4, 29]),
    ],
)
def test_example_worked_by_hand(method: Method, expected: list[int]):
    tasks = made(MIXED)
    assert bounds(tasks, method) == expected
    # Nothing to load: 12 + 2*1 + 2 = 16, again 16.
    assert bounds(tasks, method, Cache(reload_ns=0)) == [1, 3, 16]


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        # 1 + max(3, 1) and 2 + 1: 12 + 2*4 + 3 = 23, 12 + 3*4 + 2*3 = 30, again 30.
        (Method.ECB_UNION, 30),
        # w2 = 2 + (1 + 3) = 6, E1(6) = 1, so 3 blocks at most E2(w) times, then 1:
        # 12 + (2 + 3+1) + (2 + 1) = 21, 12 + (3 + 3+3+1) + (4 + 2) = 28, again 28.
        (Method.ECB_UNION_MULTISET, 28),
        # {1,2,3} and {3} hold 3 of {1,2,3}: as ECB union.
        (Method.UCB_UNION, 30),
        # Sets 1 and 2 E2(w) times, 3 E1(w) times: 1+1+2, then 2+2+3 = 7 blocks, as above.
        (Method.UCB_UNION_MULTISET, 28),
    ],
)
def test_victim_that_is_rarely_there_is_not_charged_every_time(method: Method, expected: int):
    assert bounds(made(RARE), method) == [1, 6, expected]


def test_every_way_of_a_set_is_loaded_again():
    # As the example, UCB union: with 2 ways 1 + 6 and 2 + 2; task 2: 2 + 1 + 2 = 5.
    # 12 + 2*7 + 4 = 30, 12 + 3*7 + 2*4 = 41, 12 + 5*7 + 3*4 = 59, 12 + 6*7 + 3*4 = 66 > 60.
    two_ways = Cache(reload_ns=1, policy=Policy.LRU, ways=2)
    assert bounds(made(MIXED), Method.UCB_UNION, two_ways) == [1, 5, None]


@pytest.mark.parametrize("method", Method)
def test_verdict_names_method_and_paper_and_is_never_exact(method: Method):
    tasks = made(MIXED)
    tasks[2] = replace(tasks[2], deadline_ns=28)
    found = response_times(tasks, ONE, method)
    assert [one.verdict for one in found] == [
        SCHEDULABLE,
        SCHEDULABLE,
        NOT_PROVABLE,
    ]
    assert {one.test for one in found} == {f"fixed-priority response time, CRPD by {method}"}
    assert {one.source for one in found} == {SOURCES[method]}
    assert not any(one.exact for one in found)


@pytest.mark.parametrize("policy", [Policy.FIFO, Policy.PLRU, Policy.RANDOM])
@pytest.mark.parametrize("method", Method)
def test_cache_that_keeps_no_order_of_use_is_refused(policy: Policy, method: Method):
    found = response_times(made(MIXED), Cache(reload_ns=1, policy=policy, ways=4), method)
    assert {one.verdict for one in found} == {NOT_PROVABLE}
    assert {one.response_time_ns for one in found} == {None}
    word = "chance" if policy is Policy.RANDOM else policy.upper()
    assert all(word in one.reason for one in found)


@pytest.mark.parametrize(("reload_ns", "ways"), [(-1, 1), (1, 0)])
def test_cache_without_ways_or_with_negative_times_is_none(reload_ns: int, ways: int):
    with pytest.raises(ValueError, match=f"{ways} ways"):
        Cache(reload_ns, Policy.LRU, ways)


def test_blocked_task_and_those_below_have_no_verdict_unless_loading_costs_nothing():
    tasks = made(MIXED)
    tasks[1] = replace(tasks[1], blocking_ns=3)
    found = response_times(tasks, ONE, Method.COMBINED_MULTISET)
    assert [one.response_time_ns for one in found] == [1, None, None]
    assert {one.reason for one in found[1:]} == {
        'what a task that blocks "2" loads again or evicts is not known'
    }
    assert bounds(tasks, Method.COMBINED, Cache(reload_ns=0)) == [1, 6, 16]


def test_task_whose_sets_are_not_known_leaves_those_below_without_verdict():
    tasks = made(MIXED)
    tasks[0] = replace(tasks[0], ucb=frozenset(), ecb=frozenset())
    found = response_times(tasks, ONE, Method.UCB_UNION)
    assert [one.response_time_ns for one in found] == [1, None, None]
    assert found[1].reason == 'ecb of task "1" is not known'
    # Who preempts does not matter to UCB only.
    assert bounds(tasks, Method.UCB_ONLY) == [1, 4, 38]


def test_useful_sets_that_are_not_known_are_all_that_the_task_uses():
    tasks = made(MIXED)
    tasks[2] = replace(tasks[2], ucb=frozenset())
    spelled = [*tasks[:2], replace(tasks[2], ucb=tasks[2].ecb)]
    for method in Method:
        assert bounds(tasks, method) == bounds(spelled, method)


def test_tasks_of_other_cpus_do_not_matter():
    tasks = made(MIXED)
    elsewhere = [replace(one, name=one.name + "b", cpu=1) for one in tasks]
    for method in Method:
        assert bounds([*tasks, *elsewhere], method) == 2 * bounds(tasks, method)


@pytest.mark.parametrize("method", Method)
def test_loading_that_costs_nothing_gives_the_plain_bound(method: Method):
    for tasks in drawn(1, 200):
        for one, found in zip(
            tasks, response_times(tasks, Cache(reload_ns=0), method), strict=True
        ):
            plain_ns = response_time(one, interfering_tasks(one, tasks)).response_ns
            if found.response_time_ns is None:
                assert plain_ns is None or plain_ns > one.period_ns
            else:
                assert found.response_time_ns == plain_ns


@pytest.mark.parametrize(
    ("lesser", "greater"),
    [
        (Method.UCB_UNION, Method.ECB_ONLY),
        (Method.ECB_UNION, Method.UCB_ONLY),
        (Method.UCB_UNION_MULTISET, Method.UCB_UNION),
        (Method.ECB_UNION_MULTISET, Method.ECB_UNION),
        (Method.COMBINED, Method.UCB_UNION),
        (Method.COMBINED, Method.ECB_UNION),
        (Method.COMBINED_MULTISET, Method.UCB_UNION_MULTISET),
        (Method.COMBINED_MULTISET, Method.ECB_UNION_MULTISET),
        (Method.COMBINED_MULTISET, Method.COMBINED),
    ],
)
def test_one_method_is_never_above_another(lesser: Method, greater: Method):
    is_less = False
    for tasks in drawn(2, 400):
        less, more = bounds(tasks, lesser), bounds(tasks, greater)
        assert at_most(less, more), tasks
        is_less |= less != more
    assert is_less


def test_neither_union_is_always_the_smaller_one():
    orders = Counter[tuple[bool, bool]]()
    for tasks in drawn(3, 400):
        first, second = bounds(tasks, Method.UCB_UNION), bounds(tasks, Method.ECB_UNION)
        orders[at_most(first, second), at_most(second, first)] += 1
    assert orders[True, False] > 0
    assert orders[False, True] > 0


@pytest.mark.parametrize("ways", [1, 2])
def test_no_response_through_a_played_cache_exceeds_a_bound(ways: int):
    numbers = random.Random(4 + ways)  # noqa: S311 - reproducible, no secret
    n_above_plain, n_compared = 0, 0
    for _ in range(400):
        cache = Cache(numbers.randint(1, 6), Policy.LRU if ways > 1 else Policy.DIRECT_MAPPED, ways)
        tasks, programs = cached_tasks(numbers, cache)
        played = longest_ns(tasks, programs, readies(tasks, numbers), cache)
        for method in Method:
            for one, bound_ns in zip(tasks, bounds(tasks, method, cache), strict=True):
                if bound_ns is not None:
                    assert played[one.name] <= bound_ns, (method, tasks, programs)
                    n_compared += 1
        for one in tasks:
            plain_ns = response_time(one, interfering_tasks(one, tasks)).response_ns
            n_above_plain += plain_ns is not None and played[one.name] > plain_ns
    assert n_compared > 3000
    # Without preemption delays the bounds would be wrong: what is played does exceed those.
    assert n_above_plain > 10


def test_one_block_that_evicts_can_cost_as_many_misses_as_there_are_ways():
    # Blocks 0 and 6 share set 0 of two ways; in between task 1 reads 12. Then 0 is gone, loading it
    # evicts 6, loading that evicts 12: two misses of 10 each. Task 2 alone: 2 * 11 + 6 = 28.
    cache = Cache(10, Policy.LRU, ways=2)
    programs = {"1": [12], "2": [0, 6] * 4}
    tasks = made([(11, 100, set(), {0}), (28, 200, {0}, {0})])
    played = longest_ns(tasks, programs, {"1": [24], "2": [0]}, cache)
    assert played == {"1": 11, "2": 28 + 11 + 2 * 10}
    for method in Method:
        assert bounds(tasks, method, cache) == [11, 28 + 11 + 2 * 10]


def test_every_preemption_of_a_victim_counts_within_one_job_of_it():
    # All in set 0 but task 3. Task 1 is ready at 7, 27, 47 and takes 6; task 2 reads 0-7, 13-27
    # and 33-47, twice loading its block again: 25 + 2*6 + 2*5. Then task 1 and, at 53, task 3.
    cache = Cache(5)
    programs = {"1": [12], "2": [0] * 20, "3": [1]}
    tasks = made([(6, 20, set(), {0}), (25, 100, {0}, {0}), (6, 100, set(), {1})])
    played = longest_ns(tasks, programs, {"1": [7, 27, 47], "2": [0], "3": [0]}, cache)
    assert played == {"1": 6, "2": 47, "3": 59}
    # w2 = 25 + 3*11 = 58, so E1(w2) = 3: at w = 70, E1 = 4 and 6 + 25 + 4*6 + 3*5 = 70.
    assert bounds(tasks, Method.UCB_UNION_MULTISET, cache) == [6, 58, 70]
    assert bounds(tasks, Method.ECB_UNION_MULTISET, cache) == [6, 58, 70]


def cached_tasks(numbers: random.Random, cache: Cache) -> tuple[list[Task], dict[str, list[int]]]:
    """Tasks of drawn programs, shorter periods and higher priorities first."""
    drawn_programs = sorted(draw_programs(numbers, cache.ways), key=len)
    tasks = []
    for i, program in enumerate(drawn_programs):
        took_ns, useful, evicting = alone(program, cache)
        period_ns = took_ns * numbers.randint(2, 6) * (1 + 3 * i)
        one = Task(
            name=str(i),
            wcet_ns=took_ns,
            period_ns=period_ns,
            deadline_ns=period_ns,
            priority=10 - i,
            ucb=useful,
            ecb=evicting,
        )
        tasks.append(one)
    return tasks, {str(i): program for i, program in enumerate(drawn_programs)}


def readies(tasks: Sequence[Task], numbers: random.Random) -> dict[str, list[int]]:
    """When jobs become ready; those of the last task first, so that the others preempt."""
    until_ns = 4 * max(one.period_ns for one in tasks)
    return {
        one.name: list(range(numbers.randint(0, one.wcet_ns + 5), until_ns, one.period_ns))
        for one in tasks
    }
