# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Tests that only say yes or no say what those that give figures say."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from laxity.bounds import bound_edf
from laxity.bounds.bound_fixed_priority import keeps_deadlines as keeps_by_priority
from laxity.bounds.edf import edf_verdict
from laxity.bounds.edf_overheads import with_edf_overheads
from laxity.bounds.overheads import PlatformCosts, Tick, load_cpu
from laxity.bounds.response_time import response_time
from laxity.bounds.verdicts import SCHEDULABLE
from laxity.tasksets.task_model import Task

# A window that does not end within so many steps never does in sets as small as these.
MAX_STEPS = 1000


@st.composite
def task_sets(draw: st.DrawFn) -> list[Task]:
    """Draw small numbers: boundaries are met; deadlines beyond periods, equal priorities."""
    tasks = []
    for index in range(draw(st.integers(1, 6))):
        period_ns = draw(st.integers(2, 60))
        tasks.append(
            Task(
                name=f"t{index}",
                wcet_ns=draw(st.integers(1, max(1, period_ns // 3))),
                period_ns=period_ns,
                deadline_ns=draw(st.integers(1, period_ns + draw(st.sampled_from([0, 0, 20])))),
                jitter_ns=draw(st.sampled_from([0, 0, 1, 5])),
                blocking_ns=draw(st.sampled_from([0, 0, 2])),
                priority=draw(st.sampled_from([index, index, 3])),
            )
        )
    return tasks


@st.composite
def platforms(draw: st.DrawFn) -> PlatformCosts:
    """Costs of a size that some of these sets bear."""
    return PlatformCosts(
        switch_ns=draw(st.integers(0, 2)),
        gamma_ns={f"t{index}": draw(st.integers(0, 3)) for index in range(6)},
        timer_latency_ns=draw(st.integers(0, 2)),
        preempt_out_ns=draw(st.sampled_from([None, 0, 1])),
        release_isr_ns=draw(st.integers(0, 3)),
        tick=draw(st.sampled_from([None, Tick(1, 20)])),
    )


def response_ns(task: Task, tasks: Sequence[Task], costs: PlatformCosts) -> int | None:
    """Bound a response time, with fewer steps."""
    return load_cpu(tasks, costs).response(task, MAX_STEPS).response_ns


def all_in_time(tasks: Sequence[Task], costs: PlatformCosts) -> bool:
    found = [response_ns(one, tasks, costs) for one in tasks]
    return all(
        at is not None and at <= one.deadline_ns for one, at in zip(tasks, found, strict=True)
    )


@settings(max_examples=300)
@given(task_sets(), platforms())
def test_fixed_priorities_are_answered_as_by_response_times(
    tasks: list[Task], costs: PlatformCosts
):
    assert keeps_by_priority(tasks, PlatformCosts()) == all_in_time(tasks, PlatformCosts())
    assert keeps_by_priority(tasks, costs) == all_in_time(tasks, costs)


@settings(max_examples=300)
@given(task_sets(), platforms())
def test_fixed_priorities_are_in_time_up_to_the_response_time_and_not_before(
    tasks: list[Task], costs: PlatformCosts
):
    # Shares of a twentieth each, so that most windows end within the period.
    light = [replace(one, period_ns=20 * one.wcet_ns + one.period_ns) for one in tasks]
    found = [response_ns(one, light, costs) for one in light]
    exact = [
        replace(one, deadline_ns=one.period_ns if at is None else at)
        for one, at in zip(light, found, strict=True)
    ]
    assert keeps_by_priority(exact, costs) == (None not in found)
    for index, at in enumerate(found):
        # Beyond the period a task may wait for itself, so that a deadline changes its own bound.
        if at is not None and 1 < at <= light[index].period_ns:
            late = replace(exact[index], deadline_ns=at - 1)
            assert not keeps_by_priority([*exact[:index], late, *exact[index + 1 :]], costs)


@settings(max_examples=200)
@given(task_sets(), platforms())
def test_edf_is_answered_as_by_processor_demand(tasks: list[Task], costs: PlatformCosts):
    for one in (PlatformCosts(), costs):
        loaded = with_edf_overheads(tasks, one)
        found = edf_verdict(loaded.tasks, interrupts=loaded.interrupts)
        assert bound_edf.keeps_deadlines(tasks, one) == (found.verdict == SCHEDULABLE)


def test_response_that_reaches_its_deadline_is_in_time():
    # Lehoczky (1990): C 26, T 70 before C 62, T 100, D = 118: R2 = 114, 102, 116, 104, 118, ...;
    # only D >= 118 holds, which is beyond the period and so is answered by the whole busy window.
    tasks = [
        Task(name="high", wcet_ns=26, period_ns=70, deadline_ns=70, priority=2),
        Task(name="low", wcet_ns=62, period_ns=100, deadline_ns=118, priority=1),
    ]
    assert keeps_by_priority(tasks, PlatformCosts())
    assert not keeps_by_priority([tasks[0], replace(tasks[1], deadline_ns=117)], PlatformCosts())
    # Within the period: 20 + 26 = 46.
    short = replace(tasks[1], wcet_ns=20, deadline_ns=46)
    assert keeps_by_priority([tasks[0], short], PlatformCosts())
    assert not keeps_by_priority([tasks[0], replace(short, deadline_ns=45)], PlatformCosts())


@settings(max_examples=300)
@given(task_sets(), platforms())
def test_deadline_is_kept_by_few_sums_as_by_the_response_time(
    tasks: list[Task], costs: PlatformCosts
):
    cpu = load_cpu(tasks, costs)
    for one in tasks:
        at = cpu.response(one, MAX_STEPS).response_ns
        kept = at is not None and at <= one.deadline_ns
        assert cpu.keeps_deadline(one, MAX_STEPS) == kept, one


@settings(max_examples=200)
@given(task_sets(), platforms())
def test_response_of_a_cpu_is_that_of_its_tasks_one_by_one(tasks: list[Task], costs: PlatformCosts):
    # Timers of own jobs in a long window stand in no task: without them both are one formula.
    cpu = load_cpu(tasks, replace(costs, release_isr_ns=0))
    for one in tasks:
        loaded = cpu.of(one)
        plain = response_time(loaded.task, (*loaded.interfering, *loaded.interrupts), MAX_STEPS)
        assert cpu.response(one, MAX_STEPS) == plain
