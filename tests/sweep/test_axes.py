# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Axes of a grid: what they change, and which values they have."""

from typing import Any

import msgspec
import pytest

from laxity.errors import ConfigError
from laxity.sweep.axes import Axis, AxisTable, column_of, find_path, known_keys, read_values

TABLES = {
    "run": {},
    "task": [{"workload": "mem", "args": ["64KiB"]}, {"name": "v", "workload": "./video"}],
    "interfere": [{"workload": "load", "args": ["4MiB", "0", "5"]}],
}
KNOWN = known_keys(TABLES, {"level": ["L2"], "region": ["pad"]})


def values_of(**words: Any) -> list[Any]:  # noqa: ANN401 - as TOML has them
    table = msgspec.convert({"key": "run.seed", **words}, AxisTable)
    values = read_values(table, seed=1)
    return [values[at] for at in range(len(values))]


def axis(*values: Any) -> Axis:  # noqa: ANN401 - as TOML has them
    return Axis("task.v.period", ("task", 1, "period"), values, 1)


@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("run.platform", ("run", "platform")),
        ("task.mem.period", ("task", 0, "period")),
        ("task.v.args", ("task", 1, "args")),
        ("interfere.0.cpus", ("interfere", 0, "cpus")),
        ("interfere.0.args.2", ("interfere", 0, "args", 2)),
        ("platform.L2.size", ("platform", "L2", "size")),
        ("platform.pad.access_cycles", ("platform", "pad", "access_cycles")),
        ("platform.l1d.ways", ("platform", "l1d", "ways")),
        ("platform.line", ("platform", "", "line")),
    ],
)
def test_key_names_a_place_of_spec_or_platform(key: str, path: tuple[str | int, ...]):
    assert find_path(key, TABLES, KNOWN) == path


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("platform.L2.sise", 'did you mean "platform.L2.size"'),
        ("task.mem.perod", 'did you mean "task.mem.period"'),
        ("zzz", "write run.KEY, task.NAME.KEY"),
        # Names are in the names of columns; a level's is in those of keys.
        ("task.mem.name", "no key of spec or platform"),
        ("platform.L2.name", "no key of spec or platform"),
        ("interfere.0.args.3", "there are 3 words, numbered from 0"),
    ],
)
def test_key_that_names_nothing_is_refused(key: str, said: str):
    with pytest.raises(ConfigError, match=said):
        find_path(key, TABLES, KNOWN)


def test_range_has_both_ends_if_the_step_meets_them():
    assert values_of(**{"from": 1, "to": 4}) == [1, 2, 3, 4]
    assert values_of(**{"from": 1, "to": 9}, step=4) == [1, 5, 9]
    assert values_of(**{"from": 1, "to": 8}, step=4) == [1, 5]


def test_range_of_texts_is_written_as_a_spec_has_it():
    sizes = values_of(**{"from": "64KiB", "to": "512KiB"}, factor=2)
    assert sizes == ["64KiB", "128KiB", "256KiB", "512KiB"]
    durations = values_of(**{"from": "500us", "to": "1500us"}, step="500us")
    assert durations == ["500us", "1ms", "1500us"]


def test_draws_are_within_their_range_and_the_same_again():
    drawn = values_of(**{"from": "0us", "to": "3ns"}, draws=200)
    assert set(drawn) == {"0ns", "1ns", "2ns", "3ns"}
    assert values_of(**{"from": "0us", "to": "3ns"}, draws=200) == drawn
    # More draws begin with the same ones.
    assert values_of(**{"from": "0us", "to": "3ns"}, draws=210)[:200] == drawn


def test_huge_range_takes_no_memory():
    table = msgspec.convert({"key": "run.seed", "from": 0, "to": 10**15}, AxisTable)
    values = read_values(table, seed=1)
    assert len(values) == 10**15 + 1
    assert values[10**15] == 10**15


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({}, "has no values"),
        ({"values": []}, "values is empty"),
        ({"values": [1], "from": 1}, "values and a range"),
        ({"values": [1], "step": 1}, "step, factor and draws are of a range"),
        ({"from": 1}, "has one end"),
        ({"from": 2, "to": 1}, "is empty; swap them"),
        ({"from": 1, "to": 2, "step": 0}, "step 0 is not above 0"),
        ({"from": 1, "to": 2, "step": 1, "draws": 2}, "are three ways"),
        ({"from": 0, "to": 2, "factor": 2}, "does not grow"),
        ({"from": 1, "to": 2, "factor": 1}, "does not grow"),
        ({"from": 1, "to": 2, "draws": 0}, "draws 0 is not above 0"),
        ({"from": "1ms", "to": "2ms"}, "write step, factor or draws"),
        ({"from": "1ms", "to": "2KiB", "draws": 1}, "neither whole numbers nor sizes nor"),
        ({"from": "1ms", "to": 3, "draws": 1}, "neither whole numbers nor sizes nor"),
    ],
)
def test_axis_without_values_is_refused(words: dict[str, Any], said: str):
    with pytest.raises(ConfigError, match=said):
        values_of(**words)


def test_column_of_an_axis_has_the_unit_in_its_name():
    assert column_of(axis("1ms", "2500us")).name == "task.v.period_ns"
    assert column_of(axis("1ms", "2500us")).write("2500us") == 2_500_000
    assert column_of(axis("1KiB")).name == "task.v.period_bytes"
    assert column_of(axis(1, 2)).name == "task.v.period"
    assert not column_of(axis(1, 2)).is_text
    # A mixture of both stays as it was written.
    mixed = column_of(axis("1ms", "1KiB"))
    assert (mixed.name, mixed.is_text, mixed.write("1KiB")) == ("task.v.period", True, "1KiB")
    assert column_of(axis(["write", "4 MiB"], True)).write(["write", "4 MiB"]) == "write '4 MiB'"
