# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity schema`: a table and its JSON say the same; documents are what their types say.

What the schemas hold, member by member, stands in tests/golden.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner
from tests.golden.schema_text import members_of

from laxity.cli.document_schema import DOCUMENTS
from laxity.cli.main import cli
from laxity.core.streams import STREAMS

EXPLAINED = ("costs", "bound", "suite")


def printed(*words: str) -> str:
    done = CliRunner().invoke(cli, ["schema", *words], standalone_mode=False)
    assert done.exit_code == 0, done.output
    assert done.stderr == ""
    return done.stdout


def as_json(*words: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(printed(*words, "--format", "json"))
    return document


def rows_of(table: str, columns: Sequence[str]) -> list[tuple[str, ...]]:
    """Read a table by where its columns begin, which are these in this order."""
    heads, *lines = table.splitlines()
    assert heads.split() == list(columns)
    starts = [found.start() for found in re.finditer(r"\S+", heads)]
    ends = [*starts[1:], None]
    return [
        tuple(line[start:end].rstrip() for start, end in zip(starts, ends, strict=True))
        for line in lines
    ]


def cells_of(records: list[dict[str, Any]], columns: Sequence[str]) -> list[tuple[str, ...]]:
    """Write records as rows; each has these members in this order."""
    for record in records:
        assert list(record) == list(columns)
    return [
        tuple("" if value is None else str(value) for value in record.values())
        for record in records
    ]


def test_streams_as_table_and_as_json_say_the_same():
    columns = ("column", "type", "unit", "required", "absent", "meaning")
    document = as_json()
    tables = printed().rstrip("\n").split("\n\n")
    assert [table.partition("\n")[0] for table in tables] == [f"{name}.npy" for name in STREAMS]
    for table, (name, records) in zip(tables, document.items(), strict=True):
        assert rows_of(table.partition("\n")[2], columns) == cells_of(records, columns), name


@pytest.mark.parametrize("name", STREAMS)
def test_a_single_stream_is_printed_as_among_all(name: str):
    assert printed(name) in printed()
    assert as_json(name) == {name: as_json()[name]}


@pytest.mark.parametrize("name", EXPLAINED)
def test_members_as_table_and_as_json_say_the_same(name: str):
    records = as_json(name)[name]
    title, _, table = printed(name).partition("\n")
    assert title == f"{name}.{'toml' if name == 'suite' else 'json'}"
    rows = rows_of(table.rstrip("\n"), ("member", "type", "unit", "meaning"))
    assert rows == cells_of(records, ("name", "kind", "unit", "meaning"))


def test_keys_of_a_task_set_as_table_and_as_json_say_the_same():
    records = as_json("spec")["spec"]
    columns = ("table", "name", "kind", "default", "meaning")
    keys = [(f"{table}.{name}", *rest) for table, name, *rest in cells_of(records, columns)]
    title, _, table = printed("spec").partition("\n")
    assert title == "FILE.toml"
    first, *rows = rows_of(table.rstrip("\n"), ("key", "takes", "default", "meaning"))
    assert first == ("schema", "1", "", "Must be there.")
    assert rows == keys


@pytest.mark.parametrize("name", DOCUMENTS)
def test_table_of_a_document_lists_each_member_of_its_json_schema(name: str):
    title, _, table = printed(name).partition("\n")
    assert title == DOCUMENTS[name][0]
    assert rows_of(table.rstrip("\n"), ("member", "type", "values")) == members_of(as_json(name))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_json_schema_of_a_document_names_its_dialect_and_begins_with_its_type(name: str):
    document = as_json(name)
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert document["$ref"] == f"#/$defs/{DOCUMENTS[name][2]}"
    assert DOCUMENTS[name][2] in document["$defs"]


def test_each_name_that_a_shell_completes_has_a_schema():
    complete = ShellComplete(cli, {}, "laxity", "_LAXITY_COMPLETE")
    offered = [one.value for one in complete.get_completions(["schema"], "")]
    assert offered == ["spec", *STREAMS, *EXPLAINED, *DOCUMENTS]
    assert all(as_json(name) for name in offered)
