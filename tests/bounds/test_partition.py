# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Tasks shared out to processors: by hand, and that nothing is lost or placed where it fails."""

import random
from collections.abc import Sequence

import pytest
from tests.bounds.schedules import draw_tasks

from laxity.bounds.edf import edf_verdict
from laxity.bounds.partition import place_tasks
from laxity.bounds.response_time import utilisation
from laxity.bounds.verdicts import SCHEDULABLE
from laxity.core.schedulers import Fit
from laxity.tasksets.task_model import Task


def of_percent(*percents: int) -> list[Task]:
    """Tasks a, b, … that each need a share of a processor."""
    return [
        Task(name=name, wcet_ns=percent, period_ns=100, deadline_ns=100, cpu=9)
        for name, percent in zip("abcdefgh", percents, strict=False)
    ]


def has_room(tasks: Sequence[Task]) -> bool:
    return utilisation(tasks) <= 1


def meets_deadlines(tasks: Sequence[Task]) -> bool:
    return edf_verdict(tasks).verdict == SCHEDULABLE


@pytest.mark.parametrize(
    ("fit", "expected"),
    [
        # In order 60, 50, 30, 20, 20. First fit: 60; 50 on the next; 30 and 60 = 90 on 0; 20 on 1
        # = 70; 20 on 1 = 90.
        (Fit.FIRST, {0: "bd", 1: "aec"}),
        # Best fit: the fullest that has room: 30 to 60, then 20s to 50 because 90 is full.
        (Fit.BEST, {0: "bd", 1: "aec"}),
        # Worst fit: the emptiest: 30 to 50 = 80, 20 to 60 = 80, 20: both at 80, the first one.
        (Fit.WORST, {0: "bec", 1: "ad"}),
    ],
)
def test_example_worked_by_hand(fit: Fit, expected: dict[int, str]):
    found = place_tasks(of_percent(50, 60, 20, 30, 20), [0, 1], has_room, fit)
    assert found.is_complete
    order = {cpu: "".join(task.name for task in tasks) for cpu, tasks in found.placed.items()}
    assert {cpu: sorted(names) for cpu, names in order.items()} == {
        cpu: sorted(names) for cpu, names in expected.items()
    }


def test_best_fit_takes_the_fullest_and_first_fit_the_first():
    tasks = of_percent(60, 55, 54, 40)
    # 40 has room on 0 (100), 1 (95) and 2 (94): the fullest is 0, the emptiest 2.
    assert names(place_tasks(tasks, [2, 1, 0], has_room, Fit.FIRST).placed[2]) == "ad"
    assert names(place_tasks(tasks, [2, 1, 0], has_room, Fit.BEST).placed[2]) == "ad"
    assert names(place_tasks(tasks, [2, 1, 0], has_room, Fit.WORST).placed[0]) == "cd"
    # Where 60 leaves no room for 41, the next fullest is 55.
    tasks = of_percent(60, 54, 55, 41)
    assert names(place_tasks(tasks, [2, 1, 0], has_room, Fit.BEST).placed[1]) == "cd"


def names(tasks: Sequence[Task]) -> str:
    return "".join(task.name for task in tasks)


def test_task_without_a_place_is_named_and_those_after_it_are_tried():
    # 90 and 80 fill both; 70 has no place, 10 has one beside 90.
    found = place_tasks(of_percent(70, 90, 80, 10), [0, 1], has_room, Fit.FIRST)
    assert not found.is_complete
    assert names(found.unplaced) == "a"
    assert {cpu: names(tasks) for cpu, tasks in found.placed.items()} == {0: "bd", 1: "c"}


def test_test_of_a_processor_decides_not_the_utilisation():
    # Together 20 %, but 10 + 10 do not fit into 15.
    tasks = [Task(name=name, wcet_ns=10, period_ns=100, deadline_ns=15) for name in ("a", "b")]
    assert not place_tasks(tasks, [0], meets_deadlines, Fit.FIRST).is_complete
    assert place_tasks(tasks, [0, 1], meets_deadlines, Fit.FIRST).is_complete


@pytest.mark.parametrize("fit", Fit)
def test_every_task_is_placed_once_where_it_passes_or_nowhere(fit: Fit):
    numbers = random.Random(1)  # noqa: S311 - reproducible, no secret
    for _ in range(300):
        tasks = draw_tasks(numbers, most_tasks=8)
        found = place_tasks(tasks, [3, 5], meets_deadlines, fit)
        placed = [task for group in found.placed.values() for task in group]
        assert sorted(names([*placed, *found.unplaced])) == sorted(names(tasks))
        for cpu, group in found.placed.items():
            assert {task.cpu for task in group} <= {cpu}
            assert meets_deadlines(group)
        # Who is left out has no room beside what stands there in the end, either.
        for left in found.unplaced:
            assert not any(meets_deadlines((*group, left)) for group in found.placed.values())
