# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
import random
from dataclasses import replace

import pytest
from tests.bounds.schedule_simulation import Job, by_deadline, by_priority, play
from tests.bounds.test_bound import KEYS, task
from tests.bounds.test_overheads import reloads

from laxity.bounds.bound import bound_task_set
from laxity.bounds.crpd_sets import Method, Policy
from laxity.bounds.overheads import PlatformCosts
from laxity.bounds.platform_costs import Accounted
from laxity.bounds.setup import CacheSets, Setup
from laxity.bounds.tasks import tasks_of
from laxity.bounds.verdicts import SetBound
from laxity.core.schedulers import Fit, Scheduler
from laxity.core.spec import Policy as TaskPolicy
from laxity.core.task_set import DeclaredTask, TaskSet


def share(
    *tasks: DeclaredTask,
    fit: Fit = Fit.FIRST,
    costs: PlatformCosts | None = None,
    scheduler: Scheduler = Scheduler.FIXED_PRIORITY,
    sets: CacheSets | None = None,
) -> SetBound:
    accounted = None if costs is None else Accounted(costs, (), (), (), ())
    setup = Setup(scheduler=scheduler, fit=fit, cpus=(2, 3), sets=sets)
    return bound_task_set(TaskSet(tasks, has_corunners=False), accounted, setup)


def placed(found: SetBound) -> dict[str, int | None]:
    return {one.name: one.cpu for one in found.tasks}


# Utilisations 0.5, 0.4, 0.3, 0.2, whose periods and priorities let them be full.
A = task("a", 50, 100, 9)
B = task("b", 40, 100, 8)
C = task("c", 30, 100, 7)
D = task("d", 20, 100, 6)


@pytest.mark.parametrize(
    ("fit", "cpus"),
    [
        # a, b on 2 (0.9); c and d no longer fit there.
        (Fit.FIRST, {"a": 2, "b": 2, "c": 3, "d": 3}),
        (Fit.BEST, {"a": 2, "b": 2, "c": 3, "d": 3}),
        # a on 2, b on 3, c on 3 (0.4 is the emptier), d on 2 (0.5 against 0.7).
        (Fit.WORST, {"a": 2, "b": 3, "c": 3, "d": 2}),
    ],
)
def test_tasks_are_placed_by_falling_utilisation(fit: Fit, cpus: dict[str, int]):
    found = share(D, C, B, A, fit=fit)
    assert (found.verdict, placed(found)) == ("schedulable", cpus)
    assert [one.name for one in found.tasks] == ["d", "c", "b", "a"]
    assert found.partition is not None
    assert found.partition.fit == f"{fit} fit"
    assert [one.cpu for one in found.partition.cpus] == [2, 3]
    assert found.partition.unplaced == ()


def test_costs_count_where_a_task_is_placed():
    # Without costs a and b share a CPU: 90 of 100. With 6 per switch 50 + 40 + 12 = 102.
    found = share(A, B, C, D, costs=PlatformCosts(switch_ns=6))
    assert placed(found) == {"a": 2, "b": 3, "c": 2, "d": 3}
    # a: 50 + 6, and a switch of c under way, 6; c: 36 + 56.
    assert [one.response_time_ns for one in found.tasks] == [62, 52, 92, 72]
    assert found.sensitivity is not None


def test_task_without_a_place_is_not_provable():
    # 0.6, 0.6, 0.5 on two CPUs: 1.7 < 2, yet no two fit together.
    found = share(task("a", 60, 100, 9), task("b", 60, 100, 8), task("c", 50, 100, 7))
    assert (found.verdict, placed(found)) == ("not_provable", {"a": 2, "b": 3, "c": None})
    assert found.tasks[2].reason is not None
    assert "has room for it" in found.tasks[2].reason
    assert found.partition is not None
    assert found.partition.unplaced == ("c",)
    assert found.sensitivity is None


def test_task_that_fails_alone_is_not_said_to_lack_room():
    # 50 + 60 > 100 on any CPU, 20 + 60 fits.
    found = share(A, D, costs=PlatformCosts(switch_ns=60))
    assert [one.verdict for one in found.tasks] == ["not_provable", "schedulable"]
    assert found.tasks[0].reason == "its deadline is not proven even on a CPU of its own"


def test_what_no_partition_gets_round_is_not_schedulable():
    # 0.7 * 3 = 2.1 > 2.
    over = share(*(replace(A, name=name, wcet_ns=70) for name in "abc"))
    assert (over.verdict, over.cpus[-1].reason) == (
        "not_schedulable",
        "utilisation 2.100 exceeds 2",
    )
    # 0.51 * 3 = 1.53, but no two fit on one CPU.
    halves = share(*(replace(A, name=name, wcet_ns=51) for name in "abc"))
    assert halves.verdict == "not_schedulable"
    # 0.5 * 3: two do, c is left out only for its deadline.
    even = share(*(replace(A, name=name, deadline_ns=60) for name in "abc"))
    assert even.verdict == "not_provable"
    # Contention may be absent: 0.7 / 1.4 = 0.5.
    keys = replace(KEYS, overhead_ppm=400_000)
    slowed = share(*(replace(A, name=name, keys=keys) for name in "abc"))
    assert slowed.verdict == "not_provable"
    late = share(A, replace(B, deadline_ns=39))
    assert [one.verdict for one in late.tasks] == ["schedulable", "not_schedulable"]


def test_missing_cost_places_no_task():
    setup = Setup(fit=Fit.FIRST, cpus=(0, 1))
    accounted = Accounted(None, (), ("delta",), (), ())
    found = bound_task_set(TaskSet((A, B), has_corunners=False), accounted, setup)
    assert (found.verdict, placed(found)) == ("not_provable", {"a": None, "b": None})
    assert {one.reason for one in found.tasks} == {"a cost is missing"}


def test_any_test_of_one_cpu_may_place():
    # Under EDF periods of 7 and 10 fill a CPU to 1: 4/7 + 4/10 = 0.971; under fixed priorities the
    # second responds after 4 + 2 * 4 = 12.
    first, second = task("first", 4, 7, 9), task("second", 4, 10, 8)
    assert placed(share(first, second, scheduler=Scheduler.EDF)) == {"first": 2, "second": 2}
    assert placed(share(first, second)) == {"first": 2, "second": 3}
    # a makes b load 2 blocks of 10 again: 50 + 20 + 40 > 100.
    keys = replace(KEYS, ucb=frozenset({1, 2}), ecb=frozenset({1, 2}))
    sets = CacheSets(Method.COMBINED, Policy.DIRECT_MAPPED, reload_ns=10)
    found = share(replace(A, keys=keys), replace(B, keys=keys), sets=sets)
    assert placed(found) == {"a": 2, "b": 3}


def test_tasks_that_take_turns_are_not_placed_together_if_switches_cost():
    turns = [replace(one, policy=TaskPolicy.RR, priority=5) for one in (C, D)]
    assert placed(share(*turns)) == {"c": 2, "d": 2}
    assert placed(share(*turns, costs=PlatformCosts(switch_ns=1))) == {"c": 2, "d": 3}


@pytest.mark.parametrize("scheduler", [Scheduler.FIXED_PRIORITY, Scheduler.EDF])
def test_no_task_is_late_where_it_was_placed(scheduler: Scheduler):
    numbers = random.Random(7)  # noqa: S311 - reproducible, no secret
    rank = by_deadline if scheduler.is_edf else by_priority
    n_played = n_preemptions = 0
    for _ in range(60):
        tasks = [
            task(f"t{i}", numbers.randint(5, 60), numbers.randint(60, 300), 20 - i)
            for i in range(6)
        ]
        gammas = {one.name: numbers.randint(0, 8) for one in tasks}
        costs = PlatformCosts(switch_ns=2, gamma_ns=gammas)
        found = share(*tasks, costs=costs, scheduler=scheduler, fit=numbers.choice(list(Fit)))
        for cpu in (2, 3):
            here = tasks_of([one for one in tasks if placed(found)[one.name] == cpu])
            jobs = [
                Job(one, at, at, one.wcet_ns)
                for one in here
                for at in range(numbers.randint(0, 60), 2000, one.period_ns)
            ]
            seen = play(jobs, 1, reloads(gammas), rank)
            assert all(seen.responses[one.name] <= one.deadline_ns for one in here)
            n_played += len(here) > 1
            n_preemptions += seen.preemptions
    assert n_played > 50
    assert n_preemptions > 300
