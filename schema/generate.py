# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Write the C header of a schema: `generate.py SCHEMA.toml HEADER.h`. Called by meson.

Needs nothing but Python's standard library: the native half builds without the rest.
"""

import sys
import tomllib
from pathlib import Path
from typing import Any

C_TYPES = {
    "u1": "uint8_t",
    "u2": "uint16_t",
    "u4": "uint32_t",
    "u8": "uint64_t",
    "i4": "int32_t",
    "i8": "int64_t",
    "f4": "float",
}
# A member cannot be called as a keyword is.
KEYWORDS = frozenset({"case"})

Column = dict[str, Any]


def column_names(column: Column) -> list[str]:
    """Name the columns of a file that an entry stands for."""
    numbers = range(1, column.get("repeat", 1) + 1)
    return [column["name"].replace("%", str(number)) for number in numbers]


def size_of(column: Column) -> int:
    """Give the bytes of one column."""
    return int(column["type"][1:])


def member(column: Column) -> str:
    """Declare the member of a row's struct."""
    name = column["name"].replace("%", "")
    name += "_" if name in KEYWORDS else ""
    if column["type"][0] == "S":
        return f"char {name}[{size_of(column)}]"
    repeated = f"[{column['repeat']}]" if "repeat" in column else ""
    return f"{C_TYPES[column['type']]} {name}{repeated}"


def has_padding(columns: list[Column]) -> bool:
    """Tell whether a compiler would leave a gap in the struct or behind it."""
    at, widest = 0, 1
    for column in columns:
        bytes_ = size_of(column)
        aligned = 1 if column["type"][0] == "S" else bytes_
        if at % aligned:
            return True
        at += bytes_ * column.get("repeat", 1)
        widest = max(widest, aligned)
    return at % widest != 0


def enum_of(key: str, words: dict[str, str]) -> list[str]:
    """Write the enumeration of codes, and how many there are."""
    prefix = f"LAXITY_{key.upper()}"
    lines = [f"    {prefix}_{word.upper()} = {code}," for code, word in enumerate(words)]
    return [
        f"enum laxity_{key} {{",
        *lines,
        "};",
        "enum {",
        f"    {prefix}_COUNT = {len(words)},",
        "};",
    ]


def stream_of(name: str, columns: list[Column]) -> list[str]:
    """Write the columns of a stream and, where every file has them all, its row."""
    if any("when" in column for column in columns):
        listed = [
            f"    COLUMN({column['name']}, '{column['type'][0]}', {size_of(column)}, "
            f"LAXITY_WHEN_{column.get('when', 'always').upper()})"
            for column in columns
        ]
        row = [f"    {member(column)};" for column in columns]
        return [
            f"/* {name}.npy: COLUMN(name, kind, bytes, when) of each, and the members of a row. */",
            "enum {",
            f"    LAXITY_{name.upper()}_COLUMN_COUNT = {len(columns)},",
            "};",
            f"#define LAXITY_{name.upper()}_COLUMNS(COLUMN) " + "\\",
            " \\\n".join(listed),
            f"#define LAXITY_{name.upper()}_MEMBERS " + "\\",
            " \\\n".join(row),
        ]
    fields = [
        f"    {{\"{one}\", '{column['type'][0]}', {size_of(column)}}}"
        for column in columns
        for one in column_names(column)
    ]
    counts = [f"    LAXITY_{name.upper()}_FIELD_COUNT = {len(fields)},"]
    counts += [
        f"    LAXITY_{name.upper()}_{column['name'].partition('%')[0].upper()}_COUNT = "
        f"{column['repeat']},"
        for column in columns
        if "repeat" in column
    ]
    packed = "__attribute__((packed)) " if has_padding(columns) else ""
    return [
        f"/* {name}.npy: a row as it lies in the file; its fields, a struct laxity_field each. */",
        "enum {",
        *counts,
        "};",
        f"struct {packed}laxity_{name}_row {{",
        *(f"    {member(column)};" for column in columns),
        "};",
        f"#define LAXITY_{name.upper()}_FIELDS " + "\\",
        ", \\\n".join(fields),
    ]


def whens_of(streams: dict[str, list[Column]]) -> list[str]:
    """Write the enumeration of what a run must measure for a column to exist."""
    named = [one["when"] for columns in streams.values() for one in columns if "when" in one]
    lines = [f"    LAXITY_WHEN_{word.upper()}," for word in ("always", *dict.fromkeys(named))]
    return ["enum laxity_when {", *lines, "};"]


def header_of(schema: dict[str, Any], source: str) -> str:
    """Write the whole header."""
    streams = {name: table["columns"] for name, table in schema.items() if name != "codes"}
    guard = f"LAXITY_SCHEMA_{Path(source).stem.upper()}_H"
    lines = [
        f"/* Made of schema/{source} by schema/generate.py. */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        "#include <stdint.h>",
    ]
    for key, words in schema["codes"].items():
        lines += ["", *enum_of(key, words)]
    lines += ["", *whens_of(streams)]
    for name, columns in streams.items():
        lines += ["", *stream_of(name, columns)]
    return "\n".join([*lines, "", "#endif", ""])


def main(source: Path, output: Path) -> None:
    """Read the schema and write the header."""
    schema = tomllib.loads(source.read_text(encoding="utf-8"))
    output.write_text(header_of(schema, source.name), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
