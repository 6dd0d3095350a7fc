# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The keys of a spec file, from where they are declared: what each takes, and what it means."""

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
from msgspec.inspect import Metadata, StructType, type_info

from laxity.core.schema import Option, options_by_key
from laxity.core.spec import InterfereTable, RegulateTable, RunTable, TaskTable

# Tables of a spec file, as `laxity schema spec` names them.
SPEC_TABLES: dict[str, type[msgspec.Struct]] = {
    "run": RunTable,
    "task[]": TaskTable,
    "interfere[]": InterfereTable,
    "regulate": RegulateTable,
}
# What stands in a file for the types of `schema/run.toml`, where that is another word.
_KINDS = {
    "flag": "true or false",
    "word": "list of texts",
    "cpus": 'text: "1", "0-1,3"',
    "duration": 'text: "10ms"',
    "size": 'text: "64KiB"',
    "percent": 'text: "20%"',
    "sets": "list of numbers: [0, 1]",
    "count": "number",
}


@dataclass(frozen=True, slots=True)
class SpecKey:
    """A key of a spec file.

    Attributes:
        table: `run`, `task[]`, `interfere[]` or `regulate`.
        name: Of the key.
        kind: What is written.
        default: What holds without it; "": nothing, or it must be there.
        meaning: A sentence.
    """

    table: str
    name: str
    kind: str
    default: str
    meaning: str


def option_keys(table: type[msgspec.Struct]) -> dict[str, Option]:
    """Find the keys of a table that are options of `laxity run` by the same name."""
    return _declared(table, options_by_key(), "option")


def spec_keys() -> Iterator[SpecKey]:
    """List all keys of a spec file, in the order of their tables."""
    for name, table in SPEC_TABLES.items():
        known = option_keys(table)
        # What is described as a key alone is that, whatever option has its name.
        known |= _declared(table, {}, "key")
        for key in table.__struct_fields__:
            of = known[key]
            yield SpecKey(name, key, _kind(of), _default(of), of.help)


def _declared(
    table: type[msgspec.Struct], elsewhere: dict[str, Option], how: str
) -> dict[str, Option]:
    known = type_info(table)
    assert isinstance(known, StructType)  # noqa: S101 - for mypy
    beside = {
        field.name: field.type.extra[how]
        for field in known.fields
        if isinstance(field.type, Metadata) and field.type.extra and how in field.type.extra
    }
    declared = elsewhere | beside
    return {key: declared[key] for key in table.__struct_fields__ if key in declared}


def _default(of: Option) -> str:
    if of.type == "flag":
        return "false"
    default = of.default if of.shown is None else of.shown
    return "" if default is None else str(default)


def _kind(of: Option) -> str:
    if of.type == "choice":
        return " ".join(of.words)
    if of.name == "sample-cpu":
        return _KINDS["count"]
    if of.type in {"text", "keep"}:
        shown = "" if of.metavar is None else f": {of.metavar.replace('|', ' ')}"
        return f"text{shown}"
    kind = _KINDS.get(of.type, of.type)
    if of.none:
        kind += ' or "none"'
    if of.type == "count" and of.high is not None and of.high < 10**6:
        kind += f", {of.low} to {of.high}"
    return kind
