# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`[regulate]` of a spec file."""

import pytest

from laxity.core.regulate_table import read_regulate, with_theta
from laxity.core.spec import RegulateSpec
from laxity.core.spec_reader import read_spec_toml
from laxity.errors import ConfigError

SPEC = b"""\
schema = 1
[run]
platform = "sim:sabrelite"
jobs = 1
[[task]]
workload = "mem"
args = ["4KiB"]
period = "10ms"
[regulate]
"""


def test_defaults_are_those_of_the_evaluation():
    assert read_spec_toml(SPEC, {}, 1).regulate == RegulateSpec(
        task="mem",
        theta_ppm=50_000,
        period_ns=50_000,
        stop_latency_ns=10_000,
        resume_latency_ns=5_000,
        mark_latency_ns=1_000,
    )


def test_option_replaces_theta():
    read = read_spec_toml(SPEC, {}, 1, theta="7.5%").regulate
    assert read is not None
    assert read.theta_ppm == 75_000


def test_times_of_a_run_on_this_machine_are_longer():
    spec = read_spec_toml(SPEC.replace(b'"sim:sabrelite"', b'"native"'), {}, 1)
    assert spec.regulate is not None
    assert spec.regulate.period_ns == 200_000
    assert spec.regulate.stop_latency_ns == 500_000
    assert spec.regulate.mark_latency_ns == 100_000


def test_run_on_a_board_is_refused():
    with pytest.raises(ConfigError, match="not regulated on boards"):
        read_regulate({}, ["a"], "pi@board")


@pytest.mark.parametrize(
    ("table", "tasks", "reason"),
    [
        ({"theta": "5"}, ["a"], "is no percentage"),
        ({"period": "0us"}, ["a"], "is not above 0"),
        ({"stop_latency": "x"}, ["a"], "stop_latency"),
        ({"task": "c"}, ["a", "b"], 'task "c" is unknown; write task = one of a b'),
        ({}, ["a", "b"], "there are several tasks; write task = one of a b"),
        ({"thet": "5%"}, ["a"], "unknown key"),
        (1, ["a"], "regulate is not a table"),
    ],
)
def test_table_that_cannot_be_is_refused(table: object, tasks: list[str], reason: str):
    with pytest.raises(ConfigError, match=reason):
        read_regulate(table, tasks, "sim:sabrelite")


def test_theta_without_a_regulation_is_refused():
    with pytest.raises(ConfigError, match="--theta: nothing is regulated"):
        with_theta(None, "5%")
