# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Priorities found: published and hand-made examples, and every order tried by force."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

from laxity.bounds.overheads import PlatformCosts, Tick, load_cpu
from laxity.bounds.priority_assignment import by_deadline, keeps_deadline, order_tasks, prioritised
from laxity.bounds.response_time import response_time
from laxity.tasksets.task_model import Task

NO_COSTS = PlatformCosts()


def task(name: str, wcet: int, period: int, deadline: int = 0, **more: Any) -> Task:  # noqa: ANN401 - any field of a task
    return Task(name=name, wcet_ns=wcet, period_ns=period, deadline_ns=deadline or period, **more)


def names(order: Sequence[Task] | None) -> str | None:
    return None if order is None else "".join(one.name for one in order)


def responses(tasks: Sequence[Task], costs: PlatformCosts = NO_COSTS) -> dict[str, int | None]:
    """Bound every task as the verdict does."""
    cpu = load_cpu(tasks, costs)
    return {one.name: cpu.response(one).response_ns for one in tasks}


def keeps_all(tasks: Sequence[Task], costs: PlatformCosts) -> bool:
    found = responses(tasks, costs)
    return all(
        (response_ns := found[one.name]) is not None and response_ns <= one.deadline_ns
        for one in tasks
    )


def test_shortest_deadline_is_highest_where_it_may_be():
    a, b, c = task("a", 1, 10), task("b", 1, 4), task("c", 1, 20, 6)
    assert names(order_tasks((a, b, c), keeps_deadline(NO_COSTS))) == "bca"
    # D − J of a is then 3: the shortest.
    assert names(by_deadline((task("a", 1, 10, jitter_ns=7), b, c))) == "abc"


def test_deadline_monotonic_order_fails_where_deadlines_exceed_periods():
    # Lehoczky 1990: 52/100 with D = 110 and 52/140 with D = 154.
    a, b = task("a", 52, 100, 110), task("b", 52, 140, 154)
    # a above: b finishes at 52 + 2 * 52 = 156 > 154.
    assert responses(prioritised((a, b), 9)) == {"a": 52, "b": 156}
    # b above: a finishes at 104, then at 156 + 52 (b again at 140) = 208, 108 after its release,
    # then at 260, 60 after it, before b comes at 280.
    assert responses(prioritised((b, a), 9)) == {"a": 108, "b": 52}
    assert names(order_tasks((a, b), keeps_deadline(NO_COSTS))) == "ba"


def test_no_order_is_found_where_there_is_none():
    # 3 + 3 > 5: whichever is below misses.
    assert order_tasks((task("a", 3, 5), task("b", 3, 9, 5)), keeps_deadline(NO_COSTS)) is None


def test_priorities_fall_by_one():
    first, second = prioritised((task("a", 1, 5), task("b", 1, 9)), 90)
    assert [(one.name, one.priority) for one in (first, second)] == [("a", 90), ("b", 89)]


def test_bound_of_the_lowest_depends_on_the_order_above_it():
    # a makes b load 7 again only if it is above b; low itself loads nothing.
    a, b, low = task("a", 10, 1000), task("b", 10, 1000), task("low", 10, 1000)
    costs = PlatformCosts(gamma_ns={"a": 0, "b": 7, "low": 0})
    assert responses(prioritised((a, b, low), 9), costs)["low"] == 37
    assert responses(prioritised((b, a, low), 9), costs)["low"] == 30


def test_search_counts_what_no_order_of_those_above_exceeds():
    # As above: a pays 7 for b in any order, b itself never does: 30 + 7.
    tasks = task("a", 10, 1000), task("b", 10, 1000)
    costs = PlatformCosts(gamma_ns={"a": 0, "b": 7, "low": 0})
    passes = keeps_deadline(costs)
    assert passes(task("low", 10, 1000, 37), tasks, ())
    assert not passes(task("low", 10, 1000, 36), tasks, ())


def test_task_pays_for_those_below_only():
    costs = PlatformCosts(gamma_ns={"a": 5, "b": 7, "c": 3})
    above, below = (task("b", 10, 1000),), (task("c", 1, 1000),)
    # a: 10 + 3 for c. b: 10 + 5 for a, which is larger than 3 for c.
    assert keeps_deadline(costs)(task("a", 10, 1000, 28), above, below)
    assert not keeps_deadline(costs)(task("a", 10, 1000, 27), above, below)


def draw(generator: random.Random) -> tuple[tuple[Task, ...], PlatformCosts]:
    n_tasks = generator.randint(2, 4)
    tasks = []
    for name in "abcd"[:n_tasks]:
        period = generator.randint(20, 90)
        deadline = generator.randint(period // 2, period * 3 // 2)
        jitter = generator.choice((0, generator.randint(0, 6)))
        blocking = generator.choice((0, 0, 3))
        more = {"jitter_ns": jitter, "blocking_ns": blocking}
        tasks.append(task(name, generator.randint(1, 14), period, deadline, **more))
    costs = PlatformCosts(
        switch_ns=generator.choice((0, 2)),
        gamma_ns={one.name: generator.choice((0, 1, 5)) for one in tasks},
        release_isr_ns=generator.choice((0, 0, 1)),
        tick=generator.choice((None, Tick(1, 12))),
    )
    return tuple(tasks), costs


@pytest.mark.parametrize("seed", range(4))
def test_order_that_is_found_keeps_every_deadline(seed: int):
    generator = random.Random(seed)  # noqa: S311 - reproducible, no secret
    n_found = n_not = 0
    for _ in range(150):
        tasks, costs = draw(generator)
        order = order_tasks(tasks, keeps_deadline(costs))
        if order is None:
            n_not += 1
            continue
        n_found += 1
        assert keeps_all(prioritised(order, 9), costs), (tasks, costs)
    assert min(n_found, n_not) > 15


@pytest.mark.parametrize("seed", range(4))
def test_without_costs_an_order_is_found_if_any_keeps_all_deadlines(seed: int):
    generator = random.Random(seed)  # noqa: S311 - reproducible, no secret
    for _ in range(150):
        tasks, _ = draw(generator)
        exists = any(keeps_all(prioritised(order, 9), NO_COSTS) for order in permutations(tasks))
        found = order_tasks(tasks, keeps_deadline(NO_COSTS)) is not None
        assert found == exists, tasks


@pytest.mark.parametrize("seed", range(2))
def test_order_is_found_if_one_passes_with_every_job_paying_most(seed: int):
    generator = random.Random(seed)  # noqa: S311 - reproducible, no secret
    n_found = 0
    for _ in range(150):
        tasks, costs = draw(generator)
        # Nothing of this test depends on who is below: it is the one that the search improves on.
        exists = any(_keeps_all_paying_most(order, costs) for order in permutations(tasks))
        n_found += exists
        if exists:
            assert order_tasks(tasks, keeps_deadline(costs)) is not None, (tasks, costs)
    assert n_found > 15


def _keeps_all_paying_most(order: Sequence[Task], costs: PlatformCosts) -> bool:
    """Let every job pay the largest gamma of any other task, its wait, and all timers."""
    isr_ns = costs.release_isr_ns
    timers = {
        one.name: task(f"timer {one.name}", isr_ns, one.period_ns, jitter_ns=one.jitter_ns)
        for one in order
        if isr_ns
    }
    for place, one in enumerate(order):
        # Of equal priority, so that each may preempt each.
        loaded = load_cpu(order, replace(costs, release_isr_ns=0)).of(one)
        names_above = {other.name for other in order[:place]}
        before = [_waiting(other, costs) for other in loaded.interfering]
        before = [other for other in before if other.name in names_above] + [*timers.values()]
        is_lowest = place == len(order) - 1
        more_ns = 0 if is_lowest else costs.switch_ns
        tested = replace(
            _waiting(loaded.task, costs), blocking_ns=loaded.task.blocking_ns + more_ns
        )
        response_ns = response_time(tested, (*before, *loaded.interrupts)).response_ns
        if response_ns is None or response_ns > one.deadline_ns:
            return False
    return True


def _waiting(one: Task, costs: PlatformCosts) -> Task:
    return replace(one, wcet_ns=one.wcet_ns + costs.waiting_ns)
