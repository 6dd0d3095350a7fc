# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity schema`: the columns of every stream, the members of every document."""

import sys
from typing import Any

import click

from laxity.bounds.members import BOUND_MEMBERS
from laxity.cli.document_schema import DOCUMENTS, document_members, document_schema
from laxity.cli.options import debug_option, format_option
from laxity.cli.tables import print_json
from laxity.core.spec_keys import spec_keys
from laxity.core.streams import EVENT_FIELDS, STREAMS, absent_value
from laxity.core.text_table import format_table
from laxity.costs.model import MEMBERS
from laxity.errors import ConfigError, suggestion
from laxity.suites.manifest import MANIFEST_MEMBERS

# Documents whose members are explained; those of the others are read off their types.
_EXPLAINED = {"costs": MEMBERS, "bound": BOUND_MEMBERS, "suite": MANIFEST_MEMBERS}
# What a user writes is TOML.
_WRITTEN_BY_HAND = frozenset({"suite"})
# The file that laxity run takes.
_SPEC = "spec"
_HEADERS = ("column", "type", "unit", "required", "absent", "meaning")


def _complete_name(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[str]:
    return [
        name for name in (_SPEC, *STREAMS, *_EXPLAINED, *DOCUMENTS) if name.startswith(incomplete)
    ]


@click.command()
@click.argument("name", metavar="[NAME]", required=False, shell_complete=_complete_name)
@format_option("table", "json")
@debug_option
def schema(name: str | None, output_format: str) -> None:
    """Print the columns of a stream, or of every stream, or the members of a document.

    NAME is spec: the file that laxity run takes; or a stream (jobs, histogram, ...), or a document:
    costs, bound, manifest, machine, doctor, compare, reproduction, suite-run, vetting, or suite:
    the manifest of a suite. With --format json all documents but spec, costs, bound and suite are a
    JSON Schema.
    """
    if name == _SPEC:
        _print_spec(output_format)
        return
    if name in _EXPLAINED:
        _print_members(name, output_format)
        return
    if name in DOCUMENTS:
        _print_document(name, output_format)
        return
    if name is not None and name not in STREAMS:
        known = (_SPEC, *STREAMS, *_EXPLAINED, *DOCUMENTS)
        advice = suggestion(name, known, f"use one of {' '.join(known)}")
        msg = f'"{name}": unknown stream or document; {advice}'
        raise ConfigError(msg)
    names = list(STREAMS) if name is None else [name]
    if output_format == "json":
        print_json({stream: _columns(stream) for stream in names})
        return
    for stream in names:
        rows = [
            tuple("" if cell is None else str(cell) for cell in column.values())
            for column in _columns(stream)
        ]
        sys.stdout.write(f"{stream}.npy\n{format_table(_HEADERS, rows)}\n")


def _print_spec(output_format: str) -> None:
    keys = list(spec_keys())
    if output_format == "json":
        print_json({_SPEC: keys})
        return
    rows = [(f"{one.table}.{one.name}", one.kind, one.default, one.meaning) for one in keys]
    headers = ("key", "takes", "default", "meaning")
    table = format_table(headers, [("schema", "1", "", "Must be there."), *rows])
    sys.stdout.write(f"FILE.toml\n{table}\n")


def _print_members(name: str, output_format: str) -> None:
    members = _EXPLAINED[name]
    if output_format == "json":
        print_json({name: members})
        return
    rows = [(member.name, member.kind, member.unit, member.meaning) for member in members]
    headers = ("member", "type", "unit", "meaning")
    suffix = "toml" if name in _WRITTEN_BY_HAND else "json"
    sys.stdout.write(f"{name}.{suffix}\n{format_table(headers, rows)}\n")


def _print_document(name: str, output_format: str) -> None:
    if output_format == "json":
        print_json(document_schema(name))
        return
    table = format_table(("member", "type", "values"), document_members(name))
    sys.stdout.write(f"{DOCUMENTS[name][0]}\n{table}\n")


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
