# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Periods, deadlines, working sets and whole sets drawn for experiments."""

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laxity.tasksets.experiment_spec import (
    Automotive,
    Deadlines,
    Generator,
    LogUniform,
    read_experiment,
)
from laxity.tasksets.periods import AUTOMOTIVE_SHARES, draw_period_ns
from laxity.tasksets.random_sets import draw_set, possible_sizes, set_seed

MS = 1_000_000
KIB = 1024
N = 8500
TEXT = """schema = 1
[experiment]
deadlines = "constrained"
working_set = ["4KiB", "1MiB"]
"""
# Ten tasks, periods of 10 ms to 1 s in steps of 1 ms.
EXPERIMENT = read_experiment(TEXT.encode())


def seeded(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - reproducible on purpose


def test_each_decade_of_periods_is_as_likely():
    # Drawn from 10 ms up to 1001 ms and rounded down: below 100 ms are log(100 / 10) of
    # log(1001 / 10), 0.49989.
    numbers = seeded(1)
    periods = LogUniform(10 * MS, 1000 * MS, MS)
    drawn = [draw_period_ns(periods, numbers) for _ in range(N)]
    assert {one % MS for one in drawn} == {0}
    assert (min(drawn), max(drawn)) == (10 * MS, 1000 * MS)
    below = sum(one < 100 * MS for one in drawn)
    expected = math.log(10) / math.log(100.1)
    assert below == pytest.approx(N * expected, abs=4 * math.sqrt(N / 4))


def test_one_period_is_always_that_one():
    periods = LogUniform(10 * MS, 10 * MS, 10 * MS)
    assert {draw_period_ns(periods, seeded(i)) for i in range(100)} == {10 * MS}


def test_automotive_periods_have_their_shares():
    # 8500 draws: the share of table III in percent, times 8500 / 85 = 100.
    numbers = seeded(1)
    drawn = [draw_period_ns(Automotive(), numbers) for _ in range(N)]
    assert sum(share for _, share in AUTOMOTIVE_SHARES) == 85
    for period_ms, share in AUTOMOTIVE_SHARES:
        expected = 100 * share
        spread = math.sqrt(expected * (1 - share / 85))
        assert drawn.count(period_ms * MS) == pytest.approx(expected, abs=4 * spread)


@given(st.integers(0, 2**256 - 1), st.integers(1, 100))
def test_every_task_is_within_what_was_asked_for(seed: int, percent: int):
    tasks = draw_set(EXPERIMENT, percent * 10_000, seed)
    assert len({one.name for one in tasks}) == 10
    for one in tasks:
        assert 0 < one.wcet_ns <= one.deadline_ns <= one.period_ns
        assert one.working_set_bytes in possible_sizes(4 * KIB, 1024 * KIB)
    # C is less by a nanosecond at most, and at least one.
    used = sum(one.wcet_ns / one.period_ns for one in tasks)
    assert used == pytest.approx(percent / 100, abs=10 / (10 * MS))


def test_constrained_deadlines_are_uniform_from_wcet_to_period():
    tasks = [
        one for i in range(600) for one in draw_set(EXPERIMENT, 500_000, set_seed(1, 500_000, i))
    ]
    places = [(one.deadline_ns - one.wcet_ns) / (one.period_ns - one.wcet_ns) for one in tasks]
    assert sum(places) / len(places) == pytest.approx(0.5, abs=4 / math.sqrt(12 * 6000))


def test_implicit_deadlines_are_the_periods():
    tasks = draw_set(replace(EXPERIMENT, deadlines=Deadlines.IMPLICIT), 500_000, 1)
    assert all(one.deadline_ns == one.period_ns for one in tasks)


def test_working_sets_are_rounded_up_by_a_sixteenth_at_most():
    # 5 significant bits: from 4096 on steps of 256, from 8192 on of 512.
    sizes = possible_sizes(4096, 16384)
    assert sizes[:3] == [4096, 4352, 4608]
    assert sizes[-3:] == [15360, 15872, 16384]
    assert len(sizes) == 33
    assert possible_sizes(100, 100) == [100]


def test_working_sets_that_are_not_asked_for_are_not_known():
    tasks = draw_set(replace(EXPERIMENT, working_set_bytes=None), 500_000, 1)
    assert {one.working_set_bytes for one in tasks} == {None}


def test_same_seed_draws_the_same_set_and_another_number_another_one():
    seeds = [set_seed(1, 500_000, number) for number in (0, 0, 1)]
    sets = [draw_set(EXPERIMENT, 500_000, seed) for seed in seeds]
    assert sets[0] == sets[1] != sets[2]
    assert len({set_seed(1, 500_000, 0), set_seed(2, 500_000, 0), set_seed(1, 500_001, 0)}) == 3


@pytest.mark.parametrize("generator", list(Generator))
def test_sets_are_the_same_in_every_python(generator: Generator):
    # Written down once: a Python, or a change, that draws others cannot go on with stored runs.
    recipe = replace(EXPERIMENT, tasks=3, generator=generator)
    drawn = draw_set(recipe, 600_000, set_seed(7, 600_000, 3))
    found = [(one.wcet_ns, one.period_ns, one.deadline_ns, one.working_set_bytes) for one in drawn]
    assert found == PINNED[generator]


PINNED = {
    Generator.UUNIFAST_DISCARD: [
        (7_396_162, 24_000_000, 20_400_537, 7_680),
        (156_383, 16_000_000, 12_657_663, 557_056),
        (9_025_681, 32_000_000, 30_488_312, 4_608),
    ],
    Generator.RAND_FIXED_SUM: [
        (1_959_108, 580_000_000, 148_278_053, 753_664),
        (673_149, 10_000_000, 7_421_912, 9_728),
        (9_527_531, 18_000_000, 11_238_096, 507_904),
    ],
}
