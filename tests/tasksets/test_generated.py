# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Task sets drawn at random: within what was asked for, the same again."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laxity.tasksets.experiment_spec import LogUniform
from laxity.tasksets.generated import DrawnTask, Range, Request, Share, draw_task_set

MS = 1_000_000
REQUEST = Request(
    n_tasks=5,
    line_bytes=64,
    code_bytes=Range(8192, 65536),
    code_ratio=Range(62_500, 1_000_000),
    data_bytes=Range(64, 4096),
    data_ratio=Range(500_000, 500_000),
    periods=LogUniform(5 * MS, 100 * MS, 5 * MS),
    work=Range(1, 20),
    priorities=(),
    highest_priority=90,
)


def within(value: int, bounds: Range) -> bool:
    return bounds.low <= value <= bounds.high


@given(st.integers(0, 2**63 - 1))
def test_every_task_is_within_what_was_asked_for(seed: int):
    tasks = draw_task_set(REQUEST, seed)
    assert len(tasks) == 5
    for task in tasks:
        assert within(task.code_bytes, Range(8192, 65536))
        assert task.code_bytes % 64 == 0
        assert within(task.code_ratio, REQUEST.code_ratio)
        assert within(task.data_bytes, Range(64, 4096))
        assert task.data_ratio == 500_000
        assert 5 * MS <= task.period_ns <= 100 * MS
        assert task.period_ns % (5 * MS) == 0
        assert within(task.passes, Range(1, 20))


@given(st.integers(0, 2**63 - 1))
def test_shorter_periods_have_higher_priorities(seed: int):
    tasks = draw_task_set(REQUEST, seed)
    assert [task.period_ns for task in tasks] == sorted(task.period_ns for task in tasks)
    assert [task.priority for task in tasks] == [90, 89, 88, 87, 86]


def test_same_seed_draws_the_same_set_and_another_one_another():
    assert draw_task_set(REQUEST, 1) == draw_task_set(REQUEST, 1)
    assert draw_task_set(REQUEST, 1) != draw_task_set(REQUEST, 2)


def test_given_priorities_go_to_the_tasks_by_period():
    tasks = draw_task_set(replace(REQUEST, priorities=(10, 50, 20, 40, 30)), 1)
    assert [task.priority for task in tasks] == [10, 50, 20, 40, 30]


def test_both_ends_of_a_range_are_drawn():
    request = replace(REQUEST, n_tasks=60, work=Range(1, 3))
    assert {task.passes for task in draw_task_set(request, 1)} == {1, 2, 3}


def test_longest_period_is_drawn_no_less_often_than_those_beside_it():
    # Of log(105 / 5) are log(105 / 100) its own, and log(100 / 95) those of 95 ms: 0.0160, 0.0168
    # of 6000 periods.
    request = replace(REQUEST, n_tasks=60)
    drawn = [task.period_ns for seed in range(100) for task in draw_task_set(request, seed)]
    for period_ms, expected in ((100, 96), (95, 101)):
        assert abs(drawn.count(period_ms * MS) - expected) < 40


def test_utilisation_counts_instructions_and_reads():
    # 128 lines of 2 instructions, 64 of 2 reads: 384 a pass, 10 passes at 1000 per us are 3.84 us;
    # of a period of 10 us that is 0.384.
    task = DrawnTask(64, 128 * 64, 500_000, 64 * 64, 500_000, 10, 10_000, 90)
    assert (task.instructions, task.reads) == (256, 128)
    assert task.utilisation(1000) == Fraction(384, 1000)


@given(st.integers(0, 2**63 - 1), st.integers(1, 20))
def test_utilisations_add_up_to_what_was_asked_for(seed: int, n_tasks: int):
    """But for passes being whole ones, and at least one."""
    request = replace(REQUEST, n_tasks=n_tasks, work=Share(600_000, 2500))
    tasks = draw_task_set(request, seed)
    total = sum(task.utilisation(2500) for task in tasks)
    one_pass_each = sum(task.utilisation(2500) / task.passes for task in tasks)
    assert abs(total - Fraction(6, 10)) <= one_pass_each


def test_more_passes_than_a_job_can_have_are_refused():
    request = replace(
        REQUEST,
        n_tasks=1,
        code_bytes=Range(64, 64),
        data_bytes=None,
        periods=LogUniform(10**13, 10**13, 10**13),
        work=Share(1_000_000, 2500),
    )
    # At most 16 instructions a pass: 10^10 us * 2500 / 16 > 10^9 passes.
    with pytest.raises(ValueError, match="passes a job"):
        draw_task_set(request, 1)
