# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What runs beside a profiled task."""

import pytest

from laxity.errors import ConfigError
from laxity.profile.scenario import read_scenarios, usual_scenarios


def test_usual_scenarios_are_readers_half_of_each_and_writers():
    found = {one.name: one.interfere for one in usual_scenarios([1, 2, 3])}
    assert found == {
        "alone": (),
        "readers": ("bandwidth read 16MiB@1-3",),
        # Half of three is one.
        "mixed": ("bandwidth read 16MiB@1", "bandwidth write 16MiB@2-3"),
        "writers": ("bandwidth write 16MiB@1-3",),
    }


def test_one_other_cpu_is_no_mixture_and_none_leaves_the_task_alone():
    assert [one.name for one in usual_scenarios([0])] == ["alone", "readers", "writers"]
    assert [one.name for one in usual_scenarios([])] == ["alone"]


def test_scenarios_of_a_user_follow_that_of_the_task_alone():
    found = read_scenarios(["busy=load 1MiB@1; bandwidth write 4MiB@2"])
    assert [(one.name, one.interfere) for one in found] == [
        ("alone", ()),
        ("busy", ("load 1MiB@1", "bandwidth write 4MiB@2")),
    ]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["busy"], "write NAME=WORKLOAD ARG...@CPUS"),
        (["busy="], "write NAME=WORKLOAD ARG...@CPUS"),
        (["Busy=load@1"], "write NAME=WORKLOAD ARG...@CPUS"),
        (["busy=load 1MiB"], "not NAME ARG...@CPUS"),
        (["alone=load@1"], "the name alone is that of the task alone; choose another"),
        (["a=load@1", "a=load@2"], "the name a stands there twice; choose another"),
    ],
)
def test_what_is_no_scenario_is_refused(asked: list[str], said: str):
    with pytest.raises(ConfigError) as refused:
        read_scenarios(asked)
    assert said in str(refused.value)
