# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What is said of the keys of a spec, by the page, and by the files that show how one looks."""

import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from laxity.cli.main import cli
from laxity.core.spec_keys import SPEC_TABLES, spec_keys
from laxity.core.spec_reader import read_spec_toml

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "run.md"
EXAMPLES = ("one-task", "three-tasks", "simulated")


def test_each_key_of_each_table_is_there_once():
    found = [(one.table, one.name) for one in spec_keys()]
    assert found == [
        (name, key) for name, of in SPEC_TABLES.items() for key in of.__struct_fields__
    ]


def test_what_a_key_takes_and_means_is_that_of_the_option():
    keys = {(one.table, one.name): one for one in spec_keys()}
    priority = keys["task[]", "priority"]
    assert (priority.kind, priority.default) == ("number, 1 to 99", "50")
    assert keys["task[]", "deadline"].kind == 'text: "10ms" or "none"'
    assert keys["run", "idle"].kind == "deep poll"
    assert keys["run", "keep"].kind == "text: all misses tail:N"
    assert keys["interfere[]", "policy"].default == "other"
    assert all(one.meaning.endswith(".") for one in keys.values())


def test_page_has_a_row_of_each_key():
    rows = PAGE.read_text().splitlines()
    for one in spec_keys():
        row = f"| `{one.name}` | {one.kind} | {one.default} | {one.meaning} |"
        assert row.replace("|  |", "| |") in rows


def test_schema_prints_the_keys():
    done = CliRunner().invoke(cli, ["schema", "spec"])
    lines = done.output.splitlines()
    assert lines[1].split() == ["key", "takes", "default", "meaning"]
    assert [line.split()[0] for line in lines[3:] if line] == [
        f"{one.table}.{one.name}" for one in spec_keys()
    ]


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_whole_specs_that_the_page_names(name: str):
    data = (ROOT / "examples" / f"{name}.toml").read_bytes()
    spec = read_spec_toml(data, {}, 1)
    assert len(spec.tasks) == len(tomllib.loads(data.decode())["task"])
    assert f"(../examples/{name}.toml)" in PAGE.read_text()
