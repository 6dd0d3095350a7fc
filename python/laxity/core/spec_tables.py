# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The tables of a spec file as the user wrote them, and what all their readers check alike."""

import tomllib
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any, TypeVar

import msgspec

from laxity.core.schema import limit, options_by_key
from laxity.core.spec import SPEC_SCHEMA, InterfereTable, RegulateTable, RunTable, TaskTable
from laxity.core.units import exact_duration, exact_size, parse_duration_ns, parse_size_bytes
from laxity.core.wording import plain_words
from laxity.errors import ConfigError, located, suggestion

Word = TypeVar("Word", bound=StrEnum)
Table = TypeVar("Table", RunTable, TaskTable, InterfereTable, RegulateTable)
_READ_BY = {
    "task": "laxity run, laxity bound and others",
    "experiment": "laxity experiment",
    "sweep": "laxity sweep",
}


def read_document(
    data: bytes,
    tables: Sequence[str] = ("run", "task", "interfere", "regulate"),
    manual: str = "docs/run.md, or laxity schema spec",
) -> dict[str, Any]:
    """Read the text of a spec file into its tables.

    Args:
        data: Content of the file.
        tables: That it may have.
        manual: Where its keys are explained, and an example stands.

    Raises:
        ConfigError: Not TOML, another schema, or a table that nobody knows.
    """
    try:
        document = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        msg = f"{plain_words(error)}; see {manual}"
        raise ConfigError(msg) from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        what = "JSON, and not TOML" if data.lstrip().startswith(b"{") else f"not TOML: {error}"
        msg = f"{what}; see {manual}"
        raise ConfigError(msg) from error
    for table, command in _READ_BY.items():
        if table in document and table not in tables:
            msg = f"[{table}] is read by {command}, and not here"
            raise ConfigError(msg)
    check_keys(document, ("schema", *tables), "top level")
    if document.get("schema") != SPEC_SCHEMA or document.get("schema") is True:
        msg = f"schema is {document.get('schema', 'missing')}; write schema = {SPEC_SCHEMA}"
        raise ConfigError(msg)
    return document


def array_of_tables(document: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the tables of `[[key]]`, none if it is not there."""
    tables = document.get(key, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        msg = f"{key} is not an array of tables; write [[{key}]]"
        raise ConfigError(msg)
    return tables


def task_label(task: dict[str, Any], index: int) -> str:
    """Name a task in a message before it has been read."""
    name = task.get("name", task.get("workload", task.get("exec", task.get("program"))))
    name = name[0] if isinstance(name, list) and name else name
    return f'task "{name}"' if isinstance(name, str) else f"task {index}"


def check_keys(table: dict[str, Any], known: Iterable[str], where: str) -> None:
    """Refuse unknown keys, with a suggestion."""
    known = tuple(known)
    for key in table:
        if key not in known:
            advice = suggestion(key, known, f"use one of {' '.join(known)}")
            msg = f'{where}: unknown key "{key}"; {advice}'
            raise ConfigError(msg)


def convert_table(table: dict[str, Any], kind: type[Table], where: str) -> Table:
    """Turn a table into its struct; the struct's fields are the list of known keys."""
    check_keys(table, kind.__struct_fields__, where)
    try:
        return msgspec.convert(table, kind, strict=True)
    except msgspec.ValidationError as error:
        msg = f"{where}: {plain_words(error)}; correct it"
        raise ConfigError(msg) from error


def read_choice(value: str, kind: type[Word], what: str) -> Word:
    """Read one of the words of a key."""
    words = [word.value for word in kind]
    if value not in words:
        advice = suggestion(value, words, f"use one of {' '.join(words)}")
        msg = f'{what} "{value}" is unknown; {advice}'
        raise ConfigError(msg)
    return kind(value)


def read_duration_ns(value: object, what: str) -> int:
    """Read a duration of a key, 400 days at most."""
    with located(what):
        duration_ns = parse_duration_ns(value)
        if duration_ns > limit("duration_max_ns"):
            msg = f'"{value}" is longer than 400 days; write at most 9600h'
            raise ConfigError(msg)
        return duration_ns


def read_option(key: str, value: object) -> int:
    """Read a duration, a size or a count that laxity-run has as an option, within its bounds.

    Returns:
        In ns or bytes.

    Raises:
        ConfigError: It is none, or out of bounds.
    """
    option = options_by_key()[key]
    if option.type == "duration":
        number = read_duration_ns(value, key)
        if option.high is not None and not option.low <= number <= option.high:
            bounds = f"{exact_duration(option.low)} and {exact_duration(option.high)}"
            msg = f'{key} "{value}" is not between {bounds}; write one that is'
            raise ConfigError(msg)
        if number < option.low:
            msg = f'{key} "{value}" is below {exact_duration(option.low)}; write a longer one'
            raise ConfigError(msg)
        return number
    if option.type == "size":
        with located(key):
            number = parse_size_bytes(value)
        if option.high is not None and number > option.high:
            msg = f'{key}: "{value}" is more than {exact_size(option.high)}; write a smaller size'
            raise ConfigError(msg)
        if number < option.low:
            least = "not above 0" if option.low == 1 else f"below {exact_size(option.low)}"
            advice = (
                "leave it out for no limit" if option.default is None else "write a larger size"
            )
            msg = f'{key} "{value}" is {least}; {advice}'
            raise ConfigError(msg)
        return number
    if not isinstance(value, int):
        raise TypeError(key)
    if not option.low <= value <= (option.high or value):
        msg = f"{key} {value} is not between {option.low} and {option.high}; write a number that is"
        raise ConfigError(msg)
    return value
