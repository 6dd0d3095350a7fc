# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Sets of an experiment: which curves there are, and that each answers its own question."""

from dataclasses import replace

import pytest
from tests.bounds.made_up_costs import GAMMAS, SWITCHES, model

from laxity.bounds.experiment import CurveOfTest, Plan, judge_sets
from laxity.bounds.platform_costs import Choice
from laxity.bounds.set_costs import SetCosts, set_costs
from laxity.core.schedulers import Fit, SetTest
from laxity.tasksets.experiment_spec import Experiment, read_experiment

KIB = 1024
WORKING_SET = 'working_set = ["4KiB", "64KiB"]'


def experiment(*lines: str) -> Experiment:
    return read_experiment("\n".join(["schema = 1", "[experiment]", *lines]).encode())


def costs(low: int = 4 * KIB, high: int = 64 * KIB) -> SetCosts:
    found, missing = set_costs(model(*SWITCHES, *GAMMAS), (low, high), Choice())
    assert found is not None, missing
    return found


def counts(plan: Plan, percent: int, n: int = 200) -> list[int]:
    answers = judge_sets(plan, percent * 10_000, range(n))
    return [sum(column) for column in zip(*answers, strict=True)]


def test_each_test_is_a_curve_without_and_with_costs():
    plan = Plan(experiment(), costs())
    rate, edf = SetTest.RATE_MONOTONIC, SetTest.EDF
    expected = [
        CurveOfTest(rate, False),
        CurveOfTest(edf, False),
        CurveOfTest(rate, True),
        CurveOfTest(edf, True),
    ]
    assert list(plan.curves) == expected
    assert len(Plan(experiment(), None).curves) == 2


def test_edf_without_costs_takes_all_up_to_one_and_rate_monotonic_fewer():
    # Liu and Layland (1973): with implicit deadlines EDF takes all of a processor, rate-monotonic
    # priorities surely n (2^(1/n) - 1) of it, for n = 10 that is 71.8 %.
    plan = Plan(experiment(), None)
    assert counts(plan, 71) == [200, 200]
    rate, edf = counts(plan, 95)
    assert edf == 200
    assert rate < 150
    # Up to one, and one itself.
    assert counts(plan, 100)[1] == 200


def test_deadline_monotonic_priorities_are_the_best_under_constrained_deadlines():
    tests = 'tests = ["rate-monotonic", "deadline-monotonic", "edf"]'
    plan = Plan(experiment('deadlines = "constrained"', tests), None)
    for rate, deadline, edf in judge_sets(plan, 600_000, range(200)):
        assert rate <= deadline <= edf
    found = counts(plan, 60)
    assert found[0] < found[1] < found[2]


def test_costs_never_make_a_set_schedulable():
    plan = Plan(experiment('period_range = ["1ms", "100ms"]', WORKING_SET), costs())
    answers = judge_sets(plan, 850_000, range(200))
    assert all(with_costs <= without for without, _, with_costs, _ in answers)
    rate, edf, costly_rate, costly_edf = counts(plan, 85)
    assert costly_rate < rate
    assert costly_edf < edf


def test_answer_of_a_set_does_not_depend_on_the_others():
    plan = Plan(experiment(WORKING_SET), costs())
    together = judge_sets(plan, 900_000, range(20))
    alone = [judge_sets(plan, 900_000, [number])[0] for number in range(20)]
    assert alone == together


@pytest.mark.parametrize("fit", list(Fit))
def test_two_cpus_hold_what_one_cannot(fit: Fit):
    spec = replace(experiment("cpus = 2"), fit=fit)
    assert counts(Plan(spec, None), 130)[0] > 100
    assert counts(Plan(experiment(), None), 100)[0] == 0


def test_gamma_is_that_of_the_least_measured_size_that_holds_the_working_set():
    # made_up_costs: see GAMMAS; steps rise with the size and end at the largest one.
    steps = costs().steps()
    assert steps[-1][0] == 64 * KIB
    assert [size for size, _ in steps] == sorted(size for size, _ in steps)
    assert steps[-1][1] == 5_000


def test_working_sets_beyond_what_was_measured_are_missing():
    found, missing = set_costs(model(*SWITCHES, *GAMMAS), (4 * KIB, 2048 * KIB), Choice())
    assert found is None
    assert "run laxity measure crpd --max-size 2MiB" in missing[-1]
