# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""One set of an experiment: drawn, and tested in each way that is a curve of the figure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from laxity.bounds.overheads import PlatformCosts
from laxity.bounds.partition import place_tasks
from laxity.bounds.schedulability_tests import DRAWN_TESTS, choose_test
from laxity.bounds.set_costs import SetCosts
from laxity.bounds.setup import Setup
from laxity.core.schedulers import SetTest
from laxity.tasksets.experiment_spec import Experiment
from laxity.tasksets.random_sets import draw_set, set_seed
from laxity.tasksets.task_model import Task


@dataclass(frozen=True, slots=True)
class CurveOfTest:
    """One way to test each set: which test, and whether the platform's costs are counted."""

    test: SetTest
    has_costs: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """An experiment ready to be run; `costs` None: zero overheads, as the user said."""

    experiment: Experiment
    costs: SetCosts | None

    @property
    def curves(self) -> tuple[CurveOfTest, ...]:
        """All tests without costs, then all of them with costs."""
        kinds = (False,) if self.costs is None else (False, True)
        return tuple(CurveOfTest(test, kind) for kind in kinds for test in self.experiment.tests)


def judge_sets(plan: Plan, utilisation_ppm: int, numbers: Sequence[int]) -> list[list[bool]]:
    """Draw sets and tell which are proven schedulable.

    Args:
        plan: The experiment.
        utilisation_ppm: Of the sets.
        numbers: Which of its sets.

    Returns:
        For each set one answer per curve.

    Raises:
        ValueError: The generator cannot split such a utilisation.
    """
    seeds = (set_seed(plan.experiment.seed, utilisation_ppm, number) for number in numbers)
    return [_judge(plan, draw_set(plan.experiment, utilisation_ppm, seed)) for seed in seeds]


def _judge(plan: Plan, tasks: Sequence[Task]) -> list[bool]:
    with_costs = None if plan.costs is None else plan.costs.of(tasks)
    answers = []
    for curve in plan.curves:
        costs = with_costs if curve.has_costs and with_costs is not None else PlatformCosts()
        answers.append(_is_schedulable(plan.experiment, curve.test, tasks, costs))
    return answers


def _is_schedulable(
    experiment: Experiment, test: SetTest, tasks: Sequence[Task], costs: PlatformCosts
) -> bool:
    drawn = DRAWN_TESTS[test]
    ordered = tasks if drawn.order is None else _with_priorities(tasks, drawn.order)
    setup = Setup(scheduler=drawn.scheduler)
    keeps_deadlines = choose_test(setup).keeps_deadlines
    if experiment.fit is None:
        return keeps_deadlines(ordered, costs, setup)
    placed = place_tasks(
        ordered,
        range(experiment.cpus),
        lambda together: keeps_deadlines(together, costs, setup),
        experiment.fit,
    )
    return placed.is_complete


def _with_priorities(tasks: Sequence[Task], order: Callable[[Task], int]) -> list[Task]:
    """Return each task a priority of its own, that with the least figure the highest."""
    ordered = sorted(tasks, key=order)
    return [replace(one, priority=len(ordered) - i) for i, one in enumerate(ordered)]
