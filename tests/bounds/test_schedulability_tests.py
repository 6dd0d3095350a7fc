# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The registered tests: there is one for every word, and each answers its questions alike."""

import pytest
from hypothesis import given, settings
from tests.bounds.test_keeps_deadlines import platforms, task_sets

from laxity.bounds.overheads import PlatformCosts
from laxity.bounds.schedulability_tests import DRAWN_TESTS, choose_test
from laxity.bounds.setup import Setup
from laxity.core.schedulers import Scheduler, SetTest
from laxity.tasksets.task_model import Task


@pytest.mark.parametrize("scheduler", list(Scheduler))
@settings(max_examples=100)
@given(tasks=task_sets(), costs=platforms())
def test_task_is_late_where_not_all_keep_their_deadlines_and_nowhere_else(
    scheduler: Scheduler, tasks: list[Task], costs: PlatformCosts
):
    setup = Setup(scheduler=scheduler, cpus=(0, 1))
    chosen = choose_test(setup)
    late = chosen.find_late(tasks, costs, setup)
    assert chosen.keeps_deadlines(tasks, costs, setup) == (late is None)
    assert late in {None, *(one.name for one in tasks)}


def test_every_word_for_drawn_sets_has_a_test_and_a_title_of_its_own():
    assert set(DRAWN_TESTS) == set(SetTest)
    assert len({drawn.title for drawn in DRAWN_TESTS.values()}) == len(SetTest)
