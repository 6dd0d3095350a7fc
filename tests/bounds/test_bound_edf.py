# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
from dataclasses import replace

from tests.bounds.test_bound import KEYS, task

from laxity.bounds.bound import bound_task_set
from laxity.bounds.crpd_sets import Method
from laxity.bounds.crpd_sets import Policy as CachePolicy
from laxity.bounds.overheads import PlatformCosts
from laxity.bounds.platform_costs import Accounted
from laxity.bounds.setup import CacheSets, Setup
from laxity.bounds.verdicts import SetBound
from laxity.core.schedulers import Scheduler
from laxity.core.spec import Policy
from laxity.core.task_set import DeclaredTask, TaskSet


def judge(*tasks: DeclaredTask, costs: PlatformCosts | None = None) -> SetBound:
    accounted = None if costs is None else Accounted(costs, (), (), (), ())
    task_set = TaskSet(tasks, has_corunners=False)
    return bound_task_set(task_set, accounted, Setup(scheduler=Scheduler.EDF))


def verdicts(result: SetBound) -> list[str]:
    return [one.verdict for one in result.tasks]


# h(4) = 2, h(8) = 2 + 3 = 5, h(9) = 4 + 3 = 7, h(10) = 4 + 3 + 3 = 10 (test_edf.py).
A = task("a", 2, 5, 1, 4)
B = task("b", 3, 10, 1, 8)
C = task("c", 3, 15, 1, 10)


def test_set_that_fits_is_schedulable():
    found = judge(A, B, C)
    assert (found.verdict, verdicts(found)) == ("schedulable", ["schedulable"] * 3)
    # By hand in test_edf_response.py.
    assert [one.response_time_ns for one in found.tasks] == [4, 8, 10]
    assert {(one.priority, one.exact) for one in found.tasks} == {(None, True)}
    # 2/5 + 3/10 + 3/15 = 0.9.
    assert [(one.cpus, one.utilisation_ppm) for one in found.cpus] == [((0,), 900_000)]


def test_overload_is_that_of_the_cpu_and_no_task_is_blamed_for_certain():
    found = judge(A, B, replace(C, deadline_ns=9))
    assert (found.verdict, verdicts(found)) == ("not_schedulable", ["not_provable"] * 3)
    cpu = found.cpus[0]
    assert (cpu.verdict, cpu.exact) == ("not_schedulable", True)
    assert (cpu.interval_ns, cpu.demand_ns) == (9, 10)
    assert cpu.reason == "10 ns of work within 9 ns"


def test_task_that_keeps_its_deadline_beside_one_that_may_not_is_schedulable():
    # C' = 2 + 1 each, and 1 of a switch under way: first may take 4 of 3, second 7 of 20.
    tasks = (task("first", 2, 20, 1, 3), task("second", 2, 20, 1, 20))
    found = judge(*tasks, costs=PlatformCosts(switch_ns=1))
    assert (found.verdict, verdicts(found)) == ("not_provable", ["not_provable", "schedulable"])
    assert [one.response_time_ns for one in found.tasks] == [4, 7]


def test_response_time_is_no_longer_than_the_deadline_that_demand_proves():
    # Blocking of 10 is of the second task: h(3) = 2 fits, and so does h(20) + 10 = 14.
    blocked = replace(task("b", 2, 20, 1, 20), keys=replace(KEYS, blocking_ns=10))
    found = judge(task("a", 2, 20, 1, 3), blocked)
    assert (found.verdict, [one.response_time_ns for one in found.tasks]) == (
        "schedulable",
        [3, 14],
    )


def test_task_that_is_late_alone_is_blamed():
    late = replace(B, keys=replace(KEYS, jitter_ns=6))
    assert verdicts(judge(A, late)) == ["not_provable", "not_schedulable"]


def test_costs_blocking_contention_and_jitter_of_others_prove_no_miss():
    # h(10) = 10 leaves nothing for any of them.
    assert judge(A, B, C, costs=PlatformCosts(switch_ns=1)).verdict == "not_provable"
    for keys in (
        replace(KEYS, blocking_ns=1),
        replace(KEYS, overhead_ppm=200_000),
        replace(KEYS, jitter_ns=2),
    ):
        found = judge(A, B, replace(C, keys=keys))
        assert (found.verdict, found.cpus[0].exact) == ("not_provable", False)


def test_tasks_that_start_apart_prove_no_miss():
    apart = replace(C, deadline_ns=9, offset_ns=1)
    assert judge(A, B, apart).verdict == "not_provable"
    # 2/5 + 3/10 + 6/15 > 1 whenever they start.
    assert judge(A, B, replace(apart, wcet_ns=6)).verdict == "not_schedulable"


def test_each_cpu_has_its_verdict():
    over = replace(A, name="over", cpu=1, wcet_ns=5)
    found = judge(A, over, B)
    assert [(one.cpus, one.verdict) for one in found.cpus] == [
        ((0,), "schedulable"),
        ((1,), "not_schedulable"),
    ]
    assert verdicts(found) == ["schedulable", "not_schedulable", "schedulable"]


def test_missing_cost_proves_nothing_but_what_is_certain_without_it():
    accounted = Accounted(None, (), ("delta",), (), ())
    setup = Setup(scheduler=Scheduler.EDF)
    found = bound_task_set(TaskSet((A, B, C), has_corunners=False), accounted, setup)
    assert (found.verdict, found.cpus[0].reason) == ("not_provable", "a cost is missing")
    late = TaskSet((A, B, replace(C, deadline_ns=9)), has_corunners=False)
    assert bound_task_set(late, accounted, setup).verdict == "not_schedulable"


def test_latency_makes_a_task_of_shorter_deadline_lose_its_sets_too():
    # Late by 100 a job of D = 1000 may preempt one of D = 950, whose sets nobody states: what it
    # loads again is not nothing.
    short = task("short", 490, 2000, 1, 950)
    long = task("long", 485, 2000, 1, 1000)
    sets = frozenset(range(64))
    long = replace(long, keys=replace(KEYS, ucb=sets, ecb=sets))
    costs = PlatformCosts(timer_latency_ns=100, block_reload_ns=1)
    ways = CacheSets(Method.UCB_ONLY, CachePolicy.DIRECT_MAPPED, reload_ns=1)

    def judged(deadline: int) -> SetBound:
        tasks = (replace(short, deadline_ns=deadline), long)
        setup = Setup(scheduler=Scheduler.EDF, sets=ways)
        return bound_task_set(
            TaskSet(tasks, has_corunners=False), Accounted(costs, (), (), (), ()), setup
        )

    for deadline in (1000, 950, 900):
        found = judged(deadline)
        assert found.verdict == "not_provable", deadline
        assert found.cpus[0].reason == 'neither ucb nor ecb of task "short" is known'
        assert [one.response_time_ns for one in found.tasks] == [None, None]
    # Later by one than any job may be late.
    assert judged(899).tasks[0].response_time_ns is not None


def test_sched_deadline_counts_the_latency_twice():
    # Latency 1 and, counted from the wake-up, 1 more: h(3) + 1 = 2 + 1 fits, h(4) + 1 = 4 + 1 not.
    costs = PlatformCosts(timer_latency_ns=1)
    first, second = task("a", 2, 20, 1, 4), task("b", 2, 20, 1, 5)
    kernel = [replace(one, policy=Policy.DEADLINE) for one in (first, second)]
    assert judge(first, second, costs=costs).verdict == "schedulable"
    assert judge(*kernel, costs=costs).verdict == "not_provable"
    longer = replace(kernel[1], deadline_ns=6)
    assert judge(kernel[0], longer, costs=costs).verdict == "schedulable"
    # A task alone cannot be overtaken.
    assert judge(replace(kernel[0], wcet_ns=3), costs=costs).verdict == "schedulable"
