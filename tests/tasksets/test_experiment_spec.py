# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""FILE.toml of an experiment: defaults, ranges, and what is refused with which advice."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laxity.core.schedulers import Fit, SetTest
from laxity.errors import ConfigError
from laxity.tasksets.experiment_spec import (
    Deadlines,
    Experiment,
    ExperimentTable,
    Generator,
    LogUniform,
    Periods,
    experiment_to_toml,
    read_experiment,
)

MS = 1_000_000


def read(*lines: str) -> Experiment:
    return read_experiment("\n".join(["schema = 1", "[experiment]", *lines]).encode())


def test_every_key_has_a_default():
    assert read_experiment(b"schema = 1") == read()
    assert read() == Experiment(
        tasks=10,
        sets=1000,
        utilisations_ppm=tuple(range(50_000, 1_000_001, 50_000)),
        generator=Generator.UUNIFAST_DISCARD,
        periods=LogUniform(10 * MS, 1000 * MS, MS),
        deadlines=Deadlines.IMPLICIT,
        working_set_bytes=None,
        tests=(SetTest.RATE_MONOTONIC, SetTest.EDF),
        cpus=1,
        fit=None,
        seed=1,
    )


def test_constrained_deadlines_are_tested_with_priorities_by_deadline():
    assert read('deadlines = "constrained"').tests == (SetTest.DEADLINE_MONOTONIC, SetTest.EDF)


def test_several_cpus_are_filled_up_to_the_last_one():
    # Twenty points up to four CPUs: steps of 20 %.
    four = read("cpus = 4")
    assert (four.utilisations_ppm[0], four.utilisations_ppm[-1]) == (200_000, 4_000_000)
    assert four.fit is Fit.FIRST
    # Two tasks cannot use more than two of them.
    assert read("cpus = 4", "tasks = 2").utilisations_ppm[-1] == 2_000_000


def test_utilisations_are_put_in_order():
    assert read('utilisations = ["90%", "12.5%"]').utilisations_ppm == (125_000, 900_000)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["task = 3"], '[experiment]: unknown key "task"; did you mean "tasks"?'),
        (["tasks = 0"], "[experiment]: tasks 0 is not within 1 to 1000"),
        (["tasks = 1001"], "tasks 1001 is not within"),
        (['tasks = "3"'], "tasks is a text, not a whole number"),
        (["tasks = true"], "[experiment]: tasks"),
        (["sets = 1.5"], "[experiment]: sets"),
        (['tests = ["rate-monotone"]'], 'did you mean "rate-monotonic"?'),
        (["tests = []"], "tests: none; write some of rate-monotonic"),
        (['tests = ["edf", "edf"]'], "tests: one stands there twice"),
        (['generator = "uunifast"'], 'did you mean "uunifast-discard"?'),
        (["utilisations = []"], "utilisations: 0 of them"),
        (['utilisations = ["50"]'], '"50" is no percentage'),
        (['utilisations = ["0%"]'], "utilisations: 0% is not above 0% and up to 100%"),
        (['utilisations = ["100.0001%"]'], "is not above 0% and up to 100%"),
        (['utilisations = ["50%", "50.0%"]'], "utilisations: 50.0% stands there twice"),
        (['period_range = ["10ms"]'], "period_range: 1 values; write two"),
        (['period_range = ["10", "1s"]'], 'period_range: "10" has no unit'),
        (['period_range = ["1s", "10ms"]'], "period_range: 1s is more than 10ms; swap them"),
        (['period_range = ["0s", "10ms"]'], "period_range: 0s is not above 0"),
        (['period_step = "7ms"'], "10ms is no multiple of period_step, 7ms"),
        (['period_step = "0s"'], "10ms is no multiple of period_step"),
        (['periods = "automotive"', 'period_step = "1ms"'], "period_step: automotive periods are"),
        (['working_set = "64"'], 'working_set: "64" has no unit'),
        (['working_set = ["2TiB", "3TiB"]'], "working_set: 3TiB is more than 1TiB"),
        (['fit = "first"'], "fit: there is one CPU"),
        (["cpus = 2", 'fit = "firts"'], 'did you mean "first"?'),
        (["seed = -1"], "seed -1 is not within"),
    ],
)
def test_what_cannot_be_is_refused_with_advice(lines: list[str], told: str):
    with pytest.raises(ConfigError) as refused:
        read(*lines)
    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "schema is missing; write schema = 1"),
        (b"schema = 2", "schema is 2"),
        (b"schema = 1\n[run]", 'unknown key "run"'),
        (b"schema = 1\nexperiment = 3", "experiment is not a table"),
        (b"schema = [", "not TOML"),
        (b"\xff", "docs/experiments.md"),
    ],
)
def test_what_is_no_experiment_is_refused(data: bytes, told: str):
    with pytest.raises(ConfigError) as refused:
        read_experiment(data)
    assert told in str(refused.value)


# Values as they stand in a file: right ones, nearly right ones, and others.
VALUES = st.sampled_from(
    ['"5%"', '["5%", "7.25%"]', '"10ms"', '["1ms", "1s"]', '["4KiB", "1MiB"]', '"64KiB"', "7", "0"]
    + [f'"{word}"' for kind in (Generator, Periods, Deadlines, Fit) for word in kind]
    + ['["edf"]', "-1", "1e9", "true", "[]", '""', "[1]", "9" * 30, '["9999h", "9999h"]']
)


@given(st.dictionaries(st.sampled_from(ExperimentTable.__struct_fields__), VALUES))
def test_any_table_is_read_and_writes_back_to_itself_or_is_refused(table: dict[str, str]):
    with suppress(ConfigError):
        found = read(*(f"{key} = {value}" for key, value in table.items()))
        assert read_experiment(experiment_to_toml(found).encode()) == found
