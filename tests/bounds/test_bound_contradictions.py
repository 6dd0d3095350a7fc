# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""No answer contradicts itself: verdict, exact, response time, test and reason say one thing."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from tests.bounds.test_bound import KEYS, task
from tests.bounds.test_exact_schedule import drawn, numbers_of

from laxity.bounds import edf, response_time
from laxity.bounds.bound import bound_task_set
from laxity.bounds.bound_priorities import find_priorities, judge_found
from laxity.bounds.crpd_sets import Method, Policy
from laxity.bounds.overheads import PlatformCosts
from laxity.bounds.platform_costs import Accounted
from laxity.bounds.setup import CacheSets, Setup
from laxity.bounds.verdicts import (
    NOT_PROVABLE,
    NOT_SCHEDULABLE,
    SCHEDULABLE,
    CpuBound,
    SetBound,
    TaskBound,
)
from laxity.core.schedulers import Fit, Scheduler
from laxity.core.task_set import DeclaredTask, TaskSet

# These tests are sufficient only: they prove no task late.
_SUFFICIENT = ("global", "partition")
SETS = CacheSets(Method.ECB_UNION, Policy.DIRECT_MAPPED, reload_ns=1)
SETUPS = {
    "fixed priorities": Setup(),
    "EDF": Setup(scheduler=Scheduler.EDF),
    "global EDF": Setup(scheduler=Scheduler.GLOBAL_EDF, cpus=(0, 1)),
    "global priorities": Setup(scheduler=Scheduler.GLOBAL_FIXED_PRIORITY, cpus=(0, 1)),
    "partition": Setup(fit=Fit.FIRST, cpus=(0, 1)),
    "partition, EDF": Setup(scheduler=Scheduler.EDF, fit=Fit.FIRST, cpus=(0, 1)),
    "cache sets": Setup(sets=SETS),
    "EDF, cache sets": Setup(scheduler=Scheduler.EDF, sets=SETS),
}


def contradictions(found: SetBound) -> Iterator[str]:
    judged: list[TaskBound | CpuBound] = [*found.tasks, *found.cpus]
    for one in judged:
        if one.exact and one.verdict == NOT_PROVABLE:
            yield f"{one}: exact, but nothing is proven"
        if (one.verdict == SCHEDULABLE) != (one.reason is None):
            yield f"{one}: the reason is not that of the verdict"
        if one.verdict == NOT_SCHEDULABLE and one.test.startswith(_SUFFICIENT):
            yield f"{one}: a test that is sufficient only proves no task late"
    for one in found.tasks:
        yield from _of_response(one, has_notes=bool(found.notes))
    verdicts = {one.verdict for one in judged}
    if found.verdict == SCHEDULABLE and verdicts != {SCHEDULABLE}:
        yield "the set is schedulable and a task is not"


def _of_response(one: TaskBound, *, has_notes: bool) -> Iterator[str]:
    if one.response_time_ns is not None:
        if (one.response_time_ns > one.deadline_ns) == (one.verdict == SCHEDULABLE):
            yield f"{one}: the response time says otherwise"
        return
    if one.breakdown is not None or one.window_ns is not None:
        yield f"{one}: parts of no response time"
    if one.verdict == SCHEDULABLE and "response" in one.test and not has_notes:
        yield f"{one}: schedulable by a response time that there is not"


def judge(tasks: Sequence[DeclaredTask], setup: Setup, costs: PlatformCosts | None) -> SetBound:
    accounted = None if costs is None else Accounted(costs, (), (), (), ())
    return bound_task_set(TaskSet(tuple(tasks), has_corunners=False), accounted, setup)


@pytest.mark.parametrize("name", SETUPS)
def test_no_answer_of_a_drawn_set_contradicts_itself(name: str):
    numbers = numbers_of(len(name))
    verdicts = set()
    for _ in range(40):
        scale = numbers.choice([10, 13, 16])
        tasks = [
            replace(
                task(one.name, one.wcet_ns * scale, one.period_ns * 10, one.priority),
                deadline_ns=one.deadline_ns * 10,
                offset_ns=numbers.choice([0, 0, 0, 7]),
                keys=replace(
                    KEYS,
                    jitter_ns=numbers.choice([0, 0, 5]),
                    ucb=frozenset({1, 2}),
                    ecb=frozenset({1, 2, 3}),
                ),
            )
            for one in drawn(numbers, arbitrary=numbers.random() < 0.3)
        ]
        costs = numbers.choice(
            [None, PlatformCosts(switch_ns=4, release_isr_ns=5, block_reload_ns=1)]
        )
        found = judge(tasks, SETUPS[name], costs)
        verdicts.add(found.verdict)
        assert list(contradictions(found)) == [], (tasks, costs)
    assert len(verdicts) > 1


# U = 1 - 1e-6 with periods that share no factor: a busy window of some million jobs.
LONG = (task("a", 500_001, 1_000_003, 2), task("b", 500_016, 1_000_033, 1))


def test_task_whose_window_was_not_followed_to_its_end_is_not_exact(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(response_time, "MAX_SUMS", 1000)
    found = judge(LONG, SETUPS["fixed priorities"], None)
    assert [one.verdict for one in found.tasks] == [SCHEDULABLE, NOT_PROVABLE]
    assert [one.exact for one in found.tasks] == [True, False]
    assert list(contradictions(found)) == []


def test_cpu_of_which_not_all_intervals_were_looked_at_is_not_exact(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(edf, "MAX_SUMS", 2)
    short = [replace(one, deadline_ns=one.period_ns - 10) for one in LONG]
    found = judge(short, SETUPS["EDF"], None)
    assert [one.verdict for one in found.cpus] == [NOT_PROVABLE]
    assert list(contradictions(found)) == []


def test_task_that_is_late_with_priorities_that_were_found_is_not_exact():
    # U = 1.2 with different offsets: an order of others was not ruled out.
    tasks = [task("a", 6, 10, 0), replace(task("b", 5, 10, 0, 9), offset_ns=0), task("c", 1, 9, 0)]
    tasks = [replace(one, offset_ns=place) for place, one in enumerate(tasks)]
    found = find_priorities(TaskSet(tuple(tasks), has_corunners=False), PlatformCosts())
    bound = bound_task_set(found.task_set, None)
    judged = judge_found(bound, replace(found, is_impossible=False))
    assert NOT_SCHEDULABLE in {one.verdict for one in bound.tasks}
    assert list(contradictions(judged)) == []


def test_density_that_proves_deadlines_names_itself_for_every_task():
    # Densities 1 / 2 * 3 = 1.5 = 2 - 0.5; the response of b counts 2 + floor((3 + 3) / 2) > 4.
    tasks = [task("a", 3, 6, 1), task("b", 2, 4, 1), task("c", 6, 12, 1)]
    found = judge(tasks, SETUPS["global EDF"], None)
    assert [one.test for one in found.tasks] == ["global EDF density"] * 3
    assert list(contradictions(found)) == []


def test_task_late_alone_is_not_late_by_a_test_that_is_sufficient_only():
    tasks = [task("late", 5, 10, 2, 4), task("b", 1, 10, 1)]
    for name, setup in SETUPS.items():
        found = judge(tasks, setup, None)
        assert found.tasks[0].verdict == NOT_SCHEDULABLE
        assert list(contradictions(found)) == [], name
