# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How far each family of tests is from another verdict; times in us, so that rounding is small."""

from dataclasses import replace
from typing import Any

import pytest
from tests.bounds.test_bound import KEYS, task

from laxity.bounds.bound import bound_task_set
from laxity.bounds.crpd_sets import Method, Policy
from laxity.bounds.overheads import PlatformCosts
from laxity.bounds.platform_costs import Accounted
from laxity.bounds.sensitivity import Factor, Sensitivity
from laxity.bounds.setup import CacheSets, Setup
from laxity.core.schedulers import Fit, Scheduler
from laxity.core.spec import Policy as TaskPolicy
from laxity.core.task_set import DeclaredTask, TaskSet

US = 1000


def us(name: str, wcet: int, period: int, priority: int, deadline: int = 0) -> DeclaredTask:
    return task(name, wcet * US, period * US, priority, deadline * US)


def found(
    setup: Setup, *tasks: DeclaredTask, costs: PlatformCosts | None = None
) -> Sensitivity | None:
    accounted = None if costs is None else Accounted(costs, (), (), (), ())
    return bound_task_set(TaskSet(tasks, has_corunners=False), accounted, setup).sensitivity


EDF = Setup(scheduler=Scheduler.EDF)
TWO = Setup(scheduler=Scheduler.GLOBAL_EDF, cpus=(0, 1))


def test_edf_names_the_task_whose_deadline_ends_the_interval():
    # h(10) = 2 * 2 + 3 + 3 = 10 leaves nothing, and 10 is a deadline of c alone.
    tasks = (us("a", 2, 5, 1, 4), us("b", 3, 10, 1, 8), us("c", 3, 15, 1, 10))
    spare = found(EDF, *tasks)
    assert spare is not None
    assert (spare.wcet, spare.delta, spare.gamma) == (Factor(1_000_000, "c"), None, None)
    # Switches of 1 each: h(10) = 10 f + 4, and 1 under way: f = 0.5; h(4) = 2 f + 1 + 1 fits.
    spare = found(EDF, *tasks, costs=PlatformCosts(switch_ns=US))
    assert spare is not None
    assert spare.wcet == Factor(500_000, "c")


def test_global_edf_is_as_far_as_its_density():
    # 3 * 0.25 f = 2 - 0.25 f: f = 2. Response times prove no more: 50 + floor(2 * 50 / 2) = 100.
    spare = found(TWO, *(us(name, 25, 100, 1) for name in "abc"))
    assert spare is not None
    assert spare.wcet.factor_ppm == 2_000_000
    # b and c: resumptions count as gamma.
    costs = PlatformCosts(migration_ns=dict.fromkeys("abc", US))
    spare = found(TWO, *(us(name, 25, 100, 1) for name in "abc"), costs=costs)
    assert spare is not None
    assert spare.gamma is not None
    # Each may be preempted once by each of the others, C' = 25 + 2 g: 3 C' = 200 - C', g = 12.5.
    assert spare.gamma.factor_ppm == 12_500_000


def test_cache_sets_scale_with_the_time_of_a_block():
    # low: 6 + 3 + 2 blocks; with two jobs of high before it 12 f + 4 = 40: f = 3; 12 + 4 g = 40: 7.
    high = replace(us("high", 3, 20, 9), keys=replace(KEYS, ecb=frozenset({1, 2, 3})))
    useful = frozenset({2, 3, 4})
    low = replace(us("low", 6, 40, 8), keys=replace(KEYS, ucb=useful, ecb=useful | {5}))
    sets = CacheSets(Method.ECB_UNION, Policy.DIRECT_MAPPED, reload_ns=US)
    spare = found(Setup(sets=sets), high, low)
    assert spare is not None
    assert (spare.wcet, spare.gamma) == (Factor(3_000_000, "low"), Factor(7_000_000, "low"))


def test_partition_is_as_far_as_its_cpus():
    # a alone on its CPU, b and c on the other: 40 f + 30 f = 100.
    tasks = (us("a", 50, 100, 9), us("b", 40, 100, 8), us("c", 30, 100, 7))
    setup = Setup(fit=Fit.WORST, cpus=(0, 1))
    spare = found(setup, *tasks)
    assert spare is not None
    assert spare.wcet == Factor(1_428_000, "c")
    spare = found(replace(setup, scheduler=Scheduler.EDF), *tasks)
    assert spare is not None
    assert spare.wcet.factor_ppm == 1_428_000


@pytest.mark.parametrize(
    ("setup", "odd"),
    [
        (Setup(sets=CacheSets(Method.COMBINED, Policy.PLRU, 4, reload_ns=US)), {}),
        (
            Setup(
                scheduler=Scheduler.EDF,
                sets=CacheSets(Method.COMBINED, Policy.PLRU, 4, reload_ns=US),
            ),
            {},
        ),
        (TWO, {"keys": replace(KEYS, blocking_ns=1)}),
        (replace(TWO, scheduler=Scheduler.GLOBAL_FIXED_PRIORITY), {"deadline_ns": 200 * US}),
    ],
)
def test_test_that_does_not_cover_the_tasks_is_no_distance_from_anything(
    setup: Setup, odd: dict[str, Any]
):
    tasks = (replace(us("a", 10, 100, 9), **odd), us("b", 10, 100, 8))
    assert found(setup, *tasks) is None


def test_tasks_that_take_turns_anywhere_have_no_factor_if_switches_cost():
    setup = replace(TWO, scheduler=Scheduler.GLOBAL_FIXED_PRIORITY)
    turns = [replace(us(name, 10, 100, 5), policy=TaskPolicy.RR) for name in "ab"]
    assert found(setup, *turns) is not None
    assert found(setup, *turns, costs=PlatformCosts(switch_ns=1)) is None
