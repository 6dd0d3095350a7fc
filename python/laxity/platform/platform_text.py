# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The text of a platform file: in which line something is, and how a document is written."""

import json
import re
from typing import Any

from laxity.core.schema import platform_lists, platform_tables

_TABLE = re.compile(r"\s*\[\[?\s*([\w-]+)\s*\]\]?\s*(?:#.*)?", re.ASCII)
_KEY = re.compile(r"\s*([\w-]+)\s*=", re.ASCII)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,15}", re.ASCII)


def place_of(kind: str, table: dict[str, Any]) -> str:
    """Name a table of a list, `level`: what its values are called by."""
    name = table.get("name")
    return name if isinstance(name, str) and _NAME.fullmatch(name) else kind


def find_lines(text: str, names: dict[str, list[str]]) -> dict[str, int]:
    """Find the lines of tables and keys.

    tomllib tells no lines. What is written in an uncommon way, as `core.clock = …`, is not found.

    Args:
        text: Of the file.
        names: What the tables of each list are called, in order.

    Returns:
        Lines, from 1 on, of `core`, `core.clock`, `L2.ways`.
    """
    lines: dict[str, int] = {}
    table, left = "", {kind: list(called) for kind, called in names.items()}
    for number, line in enumerate(text.splitlines(), start=1):
        header, key = _TABLE.fullmatch(line), _KEY.match(line)
        if header:
            table = header[1]
            if left.get(table):
                table = left[table].pop(0)
            lines.setdefault(table, number)
        elif key:
            lines.setdefault(f"{table}.{key[1]}".lstrip("."), number)
    return lines


def write_document(document: dict[str, Any]) -> str:
    """Write a platform file whose values have been checked."""
    tables = [name for name in platform_tables() if name in document]
    lines = _lines({key: one for key, one in document.items() if key not in tables})
    for name in tables:
        is_list = name in platform_lists()
        for one in document[name] if is_list else [document[name]]:
            lines += ["", f"[[{name}]]" if is_list else f"[{name}]", *_lines(one)]
    return "\n".join([*lines, ""])


def _lines(table: dict[str, Any]) -> list[str]:
    return [f"{key} = {_written(value)}" for key, value in table.items()]


def _written(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(_lines(value)) + " }"
    # TOML has texts without control characters, numbers, truths and lists as JSON has them.
    return json.dumps(value, ensure_ascii=False)
