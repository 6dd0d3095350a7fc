# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
from dataclasses import replace

from laxity.bounds.bound import bound_task_set
from laxity.bounds.overheads import PlatformCosts
from laxity.bounds.platform_costs import Accounted
from laxity.bounds.verdicts import SetBound
from laxity.core.spec import Policy
from laxity.core.task_set import BoundKeys, DeclaredTask, TaskSet

KEYS = BoundKeys(
    wcet_ns=None,
    jitter_ns=0,
    blocking_ns=0,
    working_set_bytes=None,
    ucb=frozenset(),
    ecb=frozenset(),
    overhead_ppm=0,
)


def task(name: str, wcet: int, period: int, priority: int, deadline: int = 0) -> DeclaredTask:
    return DeclaredTask(
        name=name,
        period_ns=period,
        deadline_ns=deadline or period,
        offset_ns=0,
        policy=Policy.FIFO,
        priority=priority,
        cpu=0,
        wcet_ns=wcet,
        keys=KEYS,
    )


def judge(*tasks: DeclaredTask, costs: PlatformCosts | None = None) -> SetBound:
    accounted = None if costs is None else Accounted(costs, (), (), (), ())
    return bound_task_set(TaskSet(tasks, has_corunners=False), accounted)


def verdicts(result: SetBound) -> list[str]:
    return [one.verdict for one in result.tasks]


# 5/10 and 5/20: the second one responds after 10.
FIRST = task("first", 5, 10, 9)
SECOND = task("second", 5, 20, 8)


def test_exact_test_says_yes_and_no():
    assert verdicts(judge(FIRST, SECOND)) == ["schedulable", "schedulable"]
    late = judge(FIRST, replace(SECOND, deadline_ns=9))
    assert (late.verdict, verdicts(late)) == ("not_schedulable", ["schedulable", "not_schedulable"])
    assert (late.tasks[1].response_time_ns, late.tasks[1].exact) == (10, True)
    assert late.tasks[1].reason == "the bound is beyond the deadline by 1 ns"


def test_jitter_makes_a_task_miss_its_deadline():
    # C = 5, D = 10, J = 6: R = 6 + 5 = 11.
    late = judge(replace(task("a", 5, 20, 9, 10), keys=replace(KEYS, jitter_ns=6)))
    assert (late.verdict, late.tasks[0].response_time_ns) == ("not_schedulable", 11)
    in_time = judge(replace(task("a", 5, 20, 9, 10), keys=replace(KEYS, jitter_ns=5)))
    assert in_time.verdict == "schedulable"


def test_jitter_of_others_proves_no_miss_of_tasks_that_start_together():
    # A job of first is ready 4 late and the next one 6 later, so second may wait for two of them:
    # 5 + 2 * 5 = 15. But it is released with first, never 4 after it: 10 at most.
    late_first = replace(FIRST, keys=replace(KEYS, jitter_ns=4), deadline_ns=20)
    found = judge(late_first, replace(SECOND, deadline_ns=12)).tasks[1]
    assert (found.verdict, found.response_time_ns, found.exact) == ("not_provable", 15, False)
    # Nobody late: 5 + 5 = 10 > 9.
    late = judge(late_first, replace(SECOND, deadline_ns=9)).tasks[1]
    assert late.verdict == "not_schedulable"


def test_costs_that_may_be_absent_prove_no_miss():
    # second: 5 + 1 own switch, first 5 + 1 twice: 6 + 12 = 18 > 17, without costs 10.
    costs = PlatformCosts(switch_ns=1)
    tight = judge(FIRST, replace(SECOND, deadline_ns=17), costs=costs)
    assert tight.verdict == "not_provable"
    assert (tight.tasks[1].response_time_ns, tight.tasks[1].exact) == (18, False)
    assert judge(FIRST, replace(SECOND, deadline_ns=18), costs=costs).verdict == "schedulable"
    # It misses for certain where it does so without any cost.
    assert judge(FIRST, replace(SECOND, deadline_ns=9), costs=costs).verdict == "not_schedulable"


def test_blocking_and_contention_prove_no_miss():
    blocked = replace(SECOND, deadline_ns=10, keys=replace(KEYS, blocking_ns=1))
    assert verdicts(judge(FIRST, blocked))[1] == "not_provable"
    # 5 * 1.2 = 6: 6 + 5 = 11 > 10.
    contended = replace(SECOND, deadline_ns=10, keys=replace(KEYS, overhead_ppm=200_000))
    assert verdicts(judge(FIRST, contended))[1] == "not_provable"


def test_equal_priorities_prove_no_miss():
    # Each counted before the other: 5 + 5 = 10, though one of the two responds after 5.
    equal = judge(replace(FIRST, priority=8, deadline_ns=9), SECOND)
    assert verdicts(equal) == ["not_provable", "schedulable"]
    assert equal.notes == ("equal priorities (first, second): each is counted before the other",)


def test_tasks_that_start_apart_prove_no_miss():
    # first at 0, second at 5: they need not meet.
    apart = judge(FIRST, replace(SECOND, deadline_ns=9, offset_ns=5))
    assert verdicts(apart)[1] == "not_provable"
    # A task that is too long alone is.
    alone = judge(FIRST, replace(SECOND, deadline_ns=4, offset_ns=5))
    assert verdicts(alone)[1] == "not_schedulable"


def test_more_than_the_processor_has_is_not_schedulable():
    # 5/10 + 6/10 > 1.
    full = judge(FIRST, task("second", 6, 10, 8))
    assert (full.tasks[1].verdict, full.tasks[1].response_time_ns) == ("not_schedulable", None)
    assert full.tasks[1].breakdown is None
    # Only with its costs: nothing is proven.
    costly = judge(FIRST, task("second", 5, 10, 8), costs=PlatformCosts(switch_ns=1))
    assert verdicts(costly) == ["schedulable", "not_provable"]


def test_missing_cost_proves_nothing_but_what_is_certain_without_it():
    missing = bound_task_set(
        TaskSet((FIRST, replace(SECOND, deadline_ns=9)), has_corunners=False),
        Accounted(None, (), ("delta",), (), ()),
    )
    assert verdicts(missing) == ["not_provable", "not_schedulable"]
    assert missing.tasks[0].response_time_ns is None
    assert missing.tasks[0].reason == "a cost is missing"


def test_time_slices_have_no_bound_if_switches_cost():
    sliced = [replace(one, policy=Policy.RR, priority=8) for one in (FIRST, SECOND)]
    assert judge(*sliced).verdict == "schedulable"
    assert judge(*sliced, costs=PlatformCosts(switch_ns=1)).verdict == "not_provable"


def test_each_cpu_is_bounded_alone():
    elsewhere = replace(FIRST, name="elsewhere", cpu=1)
    apart = judge(FIRST, elsewhere, replace(SECOND, deadline_ns=10))
    assert [one.response_time_ns for one in apart.tasks] == [5, 5, 10]


def test_tasks_without_cpus_share_one():
    together = judge(replace(FIRST, cpu=None), replace(SECOND, cpu=None))
    assert [one.response_time_ns for one in together.tasks] == [5, 10]
    assert together.notes == ("the file names no cpus: all tasks are taken to share one CPU",)
