# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""GRID.toml: the order of its experiments, and mistakes with their lines."""

import pytest

from laxity.errors import ConfigError
from laxity.sweep.grid import Grid, make_grid, read_grid

TABLES = {"run": {}, "task": [{"workload": "mem", "args": ["64KiB"]}], "interfere": []}
TOP = 'schema = 1\n[sweep]\nrun = "mem"\nplatform = "sim:sabrelite"\n'
AXIS = '[[axis]]\nkey = "task.mem.period"\nvalues = ["1ms", "2ms"]\n'
OTHER = '[[axis]]\nkey = "platform.L2.size"\nfrom = "1KiB"\nto = "4KiB"\nfactor = 2\n'


def grid_of(text: str, limit: int = 100) -> Grid:
    lists = {"level": ["L2"], "region": []}
    return make_grid(read_grid(text.encode()), TABLES, lambda _: lists, limit)


def test_last_axis_changes_from_one_experiment_to_the_next():
    grid = grid_of(TOP + AXIS + OTHER)
    assert [grid.point(number) for number in range(len(grid))] == [
        ("1ms", "1KiB"),
        ("1ms", "2KiB"),
        ("1ms", "4KiB"),
        ("2ms", "1KiB"),
        ("2ms", "2KiB"),
        ("2ms", "4KiB"),
    ]


def test_values_are_put_into_spec_and_platform_and_change_no_other_experiment():
    grid = grid_of(TOP + AXIS + OTHER + '[[axis]]\nkey = "task.mem.args.0"\nvalues = ["8KiB"]\n')
    tables, changes = grid.tables_of(grid.point(4))
    assert tables["task"] == [{"workload": "mem", "args": ["8KiB"], "period": "2ms"}]
    assert changes == (("L2", "size", "2KiB"),)
    assert grid.tables["task"] == TABLES["task"]
    # Two runs must be the same: nobody may draw a seed.
    assert tables["run"] == {"platform": "sim:sabrelite", "seed": 1}


def test_grid_is_known_by_what_it_consists_of():
    one = grid_of(TOP + AXIS)
    assert one.identity() == grid_of("# a remark\n" + TOP + "\n" + AXIS).identity()
    others = [AXIS.replace('"2ms"', '"3ms"'), AXIS + OTHER]
    assert one.identity() not in {grid_of(TOP + other).identity() for other in others}
    assert one.identity() != grid_of(TOP + "seed = 2\n" + AXIS).identity()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TOP, "^2: no .*axis"),
        (TOP + AXIS + AXIS, "^9: axis .*: line 5 changes it, too"),
        (TOP + AXIS.replace("period", "perod"), '^6: key .* did you mean "task.mem.period"'),
        (TOP + AXIS.replace('"1ms", "2ms"', ""), "^7: axis .*: values is empty"),
        (TOP + AXIS.replace("values", "value"), '^5: .*unknown key "value"; did you mean'),
        (TOP.replace("sim:sabrelite", "native") + AXIS, '^4: platform "native": is not simulated'),
        (TOP.replace("run", "runs") + AXIS, '^2: .*unknown key "runs"'),
        (TOP.replace('run = "mem"\n', "") + AXIS, "^2: .*: write either spec"),
        (TOP + 'spec = "a.toml"\n' + AXIS, "^2: .*: write either spec"),
        (TOP.replace("schema = 1", "") + AXIS, "^1: schema is missing"),
        ("schema = 1\n[sweep\n", "^2: not TOML"),
        (TOP + "seed = true\n" + AXIS, "^2: .*seed is true or false, not a whole number"),
    ],
)
def test_mistake_is_named_with_its_line(text: str, said: str):
    with pytest.raises(ConfigError, match=said):
        grid_of(text)


def test_word_of_arguments_and_all_of_them_are_one_axis():
    words = '[[axis]]\nkey = "task.mem.args"\nvalues = [["1KiB"]]\n'
    word = '[[axis]]\nkey = "task.mem.args.0"\nvalues = ["1KiB"]\n'
    with pytest.raises(ConfigError, match="line 5 changes it, too"):
        grid_of(TOP + words + word)


def test_grid_of_a_thousand_million_experiments_is_refused_with_its_size():
    seeds = '[[axis]]\nkey = "run.seed"\nfrom = 1\nto = 500000000\n'
    with pytest.raises(ConfigError, match="2 x 500000000 = 1000000000 experiments, more than 100;"):
        grid_of(TOP + AXIS + seeds)
    assert len(grid_of(TOP + AXIS + seeds, limit=10**9)) == 10**9
    with pytest.raises(ConfigError, match="--limit 6"):
        grid_of(TOP + AXIS + OTHER, limit=5)
    assert len(grid_of(TOP + AXIS + OTHER, limit=6)) == 6
