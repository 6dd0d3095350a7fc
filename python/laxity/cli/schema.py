# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity schema`: the columns of every stream, the members of costs.json and bound.json."""

import sys
from typing import Any

import click

from laxity.cli.options import debug_option, format_option
from laxity.cli.tables import format_table, print_json
from laxity.errors import ConfigError, suggestion
from laxity.model.bound_members import BOUND_MEMBERS
from laxity.model.costs import MEMBERS
from laxity.model.streams import EVENT_FIELDS, STREAMS, absent_value

# Documents, which have members instead of columns.
_DOCUMENTS = {"costs": MEMBERS, "bound": BOUND_MEMBERS}
_HEADERS = ("column", "type", "unit", "required", "absent", "meaning")


def _complete_stream(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[str]:
    return [name for name in (*STREAMS, *_DOCUMENTS) if name.startswith(incomplete)]


@click.command()
@click.argument("stream", required=False, shell_complete=_complete_stream)
@format_option("table", "json")
@debug_option
def schema(stream: str | None, output_format: str) -> None:
    """Print the columns of STREAM, or of every stream: name, type, unit, absent value, meaning.

    `costs` and `bound` print the members of costs.json and bound.json instead.
    """
    if stream in _DOCUMENTS:
        _print_members(stream, output_format)
        return
    if stream is not None and stream not in STREAMS:
        known = (*STREAMS, *_DOCUMENTS)
        advice = suggestion(stream, known, f"use one of {' '.join(known)}")
        msg = f'stream "{stream}": unknown; {advice}'
        raise ConfigError(msg)
    names = list(STREAMS) if stream is None else [stream]
    if output_format == "json":
        print_json({name: _columns(name) for name in names})
        return
    for name in names:
        rows = [
            tuple("" if cell is None else str(cell) for cell in column.values())
            for column in _columns(name)
        ]
        sys.stdout.write(f"{name}.npy\n{format_table(_HEADERS, rows)}\n")


def _print_members(document: str, output_format: str) -> None:
    members = _DOCUMENTS[document]
    if output_format == "json":
        print_json({document: members})
        return
    rows = [(member.name, member.kind, member.unit, member.meaning) for member in members]
    headers = ("member", "type", "unit", "meaning")
    sys.stdout.write(f"{document}.json\n{format_table(headers, rows)}\n")


def _columns(stream: str) -> list[dict[str, Any]]:
    return [
        {
            "column": field.name,
            "type": field.kind,
            "unit": field.unit,
            "required": "yes" if field.is_required else "no",
            "absent": absent_value(field.kind),
            "meaning": field.meaning,
        }
        for field in (*STREAMS[stream], *(EVENT_FIELDS if stream == "jobs" else ()))
    ]
