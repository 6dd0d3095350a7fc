# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Man pages, made from the option tables: click's for `laxity`, --help=json's for the C tools.

`laxity run` is laxity-run(1) and the program that it starts is laxity-run(8): pages of commands are
in section 1, pages of native programs in section 8.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

import click
import msgspec

from laxity import __version__
from laxity.cli.examples import EXAMPLES
from laxity.cli.main import PROGRAM
from laxity.core.spec_keys import SpecKey, spec_keys
from laxity.errors import ConfigError, ToolError
from laxity.platform.tools import find_tool

NATIVE_TOOLS = ("laxity-run", "laxity-facts", "laxity-trace", "laxity-probe")
_HELP_TIMEOUT_S = 10

_EXIT_CODES = (
    ("0", "Done. A missed deadline alone is data, not a failure."),
    ("1", "A stated limit was violated, or the workload failed (init, crash, job timeout)."),
    ("2", "Usage or specification: unknown name, bad value, bad path."),
    ("3", "The machine or a set-up step lacks or forbids something."),
    ("4", "No verdict: nothing can be concluded from what was measured."),
    ("5", "Internal error."),
    ("130", "Interrupted by SIGINT or SIGTERM; what was measured is kept."),
)
_OF_SPECS = """
A spec is a TOML file: schema = 1, a table [run], a [[task]] for each task, an [[interfere]] for
each co-runner. Durations and sizes are texts with a unit: ns us ms s m h, B kB MB GB TB KiB MiB GiB
TiB. Paths are relative to the file. An unknown key is refused. laxity schema spec prints the keys
as a table or as JSON.

Most keys are options of laxity run, too: max_misses is --max-misses.
"""
_EXAMPLE_SPEC = (
    "schema = 1",
    "[run]",
    'duration = "10s"',
    "[[task]]",
    'workload = "mem"',
    'args = ["64KiB"]',
    'period = "10ms"',
    "[[interfere]]",
    'workload = "bandwidth"',
    'args = ["write", "16MiB"]',
    'cpus = "1"',
)
_FILES = (
    ("./runs/", "Default place of run directories."),
    ("RUN/manifest.json", "What the run was, how it ended, hashes of its files."),
    ("RUN/spec.toml", "The resolved experiment; laxity run takes it again."),
    ("RUN/machine.json, RUN/doctor.json", "The machine, and its state before and after."),
    ("RUN/*.npy", "Raw streams."),
    ("RUN/report.html", "The report; it can be rebuilt at will."),
)
_ENVIRONMENT = (
    ("LAXITY_RUNS", "Place of run directories, instead of ./runs."),
    ("LAXITY_TOOLS", "Directory searched first for our native programs."),
    ("XDG_CACHE_HOME", "Place of laxity/streams, instead of ~/.cache."),
    ("NO_COLOR", "If it is set to anything, no colours are printed."),
)


class NativeOption(msgspec.Struct, frozen=True):
    """One option of a C tool."""

    name: str
    help: str
    short: str | None = None
    metavar: str | None = None
    default: str | None = None


class NativeGroup(msgspec.Struct, frozen=True):
    """Options that belong together."""

    title: str
    options: list[NativeOption]


class NativeHelp(msgspec.Struct, frozen=True):
    """What a C tool prints on --help=json."""

    tool: str
    summary: str
    groups: list[NativeGroup]
    usage: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its name, its section of the manual, its text in roff."""

    name: str
    section: int
    text: str


def write_man_pages(
    directory: Path, root: click.Group, native: Sequence[NativeHelp] | None = None
) -> list[Path]:
    """Write every man page.

    Args:
        directory: Gets man1/, man5/ and man8/; made if it is not there.
        root: The `laxity` command.
        native: Option tables of the C tools; None asks the tools.

    Returns:
        The files, sorted.

    Raises:
        ConfigError: The directory cannot be written.
        ToolError: A C tool is missing or prints no option table.
    """
    tables = [read_native_help(name) for name in NATIVE_TOOLS] if native is None else native
    written: list[Path] = []
    pages = (*command_pages(root), spec_page(), *(native_page(table) for table in tables))
    for page in pages:
        path = directory / f"man{page.section}" / f"{page.name}.{page.section}"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(page.text, encoding="ascii")
        except OSError as error:
            msg = f"{path}: cannot be written ({error.strerror}); choose another directory"
            raise ConfigError(msg) from error
        written.append(path)
    return sorted(written)


def read_native_help(name: str) -> NativeHelp:
    """Ask one of our C tools for its option table.

    Raises:
        ToolError: It is missing, fails or prints something else.
    """
    path = find_tool(name)
    try:
        done = subprocess.run(
            [path, "--help=json"], capture_output=True, timeout=_HELP_TIMEOUT_S, check=True
        )
        return msgspec.json.decode(done.stdout, type=NativeHelp)
    except (OSError, subprocess.SubprocessError, msgspec.DecodeError) as error:
        msg = f"{path}: --help=json gives no option table ({error}); rebuild it with ninja -C build"
        raise ToolError(msg) from error


def command_pages(root: click.Group) -> Iterator[Page]:
    """Make the page of `laxity` and of each of its commands."""
    context = click.Context(root, info_name=PROGRAM, **root.context_settings)
    names = [name for name in root.list_commands(context) if not _is_hidden(root, context, name)]
    yield _command_page(root, context, [f"{PROGRAM}-{name}" for name in names])
    for name in names:
        command = root.get_command(context, name)
        if command is not None:
            inner = click.Context(command, info_name=name, parent=context)
            yield _command_page(command, inner, [PROGRAM])


def _is_hidden(root: click.Group, context: click.Context, name: str) -> bool:
    command = root.get_command(context, name)
    return command is None or command.hidden


def _command_page(command: click.Command, context: click.Context, related: list[str]) -> Page:
    name = context.command_path.replace(" ", "-")
    lines = _header(name, 1, command.get_short_help_str(limit=1000))
    lines += [".SH SYNOPSIS", *_synopsis(context.command_path, _usage(command, context))]
    lines += [".SH DESCRIPTION", *_paragraphs(command.help or command.short_help or "")]
    if isinstance(command, click.Group):
        lines += [".SH COMMANDS", *_definitions(_subcommands(command, context))]
    records = [parameter.get_help_record(context) for parameter in command.get_params(context)]
    # An argument without a help text of its own is explained in the description.
    options = [record for record in records if record is not None and record[1]]
    if options:
        lines += [".SH OPTIONS", *_definitions(options)]
    if examples := EXAMPLES.get(command.name or ""):
        lines += [".SH EXAMPLES", *_definitions(examples)]
    return Page(name, 1, _finish(lines, [f"{other}(1)" for other in related]))


def _usage(command: click.Command, context: click.Context) -> str:
    return " ".join(command.collect_usage_pieces(context))


def _subcommands(group: click.Group, context: click.Context) -> Iterator[tuple[str, str]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is not None and not command.hidden:
            yield name, command.get_short_help_str(limit=1000)


def spec_page() -> Page:
    """Make the page of the file that `laxity run` takes."""
    name = f"{PROGRAM}-spec"
    lines = _header(name, 5, "tasks, co-runners, and how long they run")
    lines += [".SH DESCRIPTION", *_paragraphs(_OF_SPECS)]
    lines += [".SH EXAMPLE", ".nf", *map(_escape, _EXAMPLE_SPEC), ".fi", ".SH KEYS"]
    for table, keys in groupby(spec_keys(), lambda one: one.table):
        header = f"[[{table.removesuffix('[]')}]]" if table.endswith("[]") else f"[{table}]"
        records = ((f"{one.name} = {one.kind}", _with_default(one)) for one in keys)
        lines += [f".SS {_escape(header)}", *_definitions(records)]
    return Page(name, 5, _finish(lines, [f"{PROGRAM}-run(1)", f"{PROGRAM}-bound(1)"]))


def _with_default(key: SpecKey) -> str:
    return f"{key.meaning}  [default: {key.default}]" if key.default else key.meaning


def native_page(table: NativeHelp) -> Page:
    """Make the page of a C tool from its option table."""
    lines = _header(table.tool, 8, table.summary)
    lines += [".SH SYNOPSIS", *_synopsis(table.tool, table.usage or "[OPTIONS]")]
    lines += [".SH DESCRIPTION", *_paragraphs(_sentence(table.summary))]
    lines += [".SH OPTIONS"]
    for group in table.groups:
        lines += [f".SS {_escape(group.title)}", *_definitions(map(_native_record, group.options))]
    return Page(table.tool, 8, _finish(lines, [f"{PROGRAM}(1)"]))


def _native_record(option: NativeOption) -> tuple[str, str]:
    names = ", ".join(name for name in (option.short, option.name) if name)
    text = f"{option.help}  [default: {option.default}]" if option.default else option.help
    return f"{names} {option.metavar or ''}".strip(), text


def _header(name: str, section: int, summary: str) -> list[str]:
    title = name.upper()
    date = _date()
    return [
        '.\\" Made from the option tables by laxity.cli.man; do not edit.',
        f'.TH "{_escape(title)}" {section} {date} "laxity {__version__}" "laxity"',
        ".SH NAME",
        f"{_escape(name)} \\- {_escape(_one_line(summary).rstrip('.') or 'no summary')}",
    ]


def _date() -> str:
    """Return the day of the page; $SOURCE_DATE_EPOCH makes it reproducible."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    is_given = re.fullmatch(r"[0-9]{1,11}", epoch)
    moment = datetime.fromtimestamp(int(epoch), UTC) if is_given else datetime.now(UTC)
    return moment.strftime("%Y-%m-%d")


def _synopsis(command: str, usage: str) -> list[str]:
    return [f"\\fB{_escape(command)}\\fR {_escape(usage)}".rstrip()]


def _finish(lines: Iterable[str], related: Sequence[str]) -> str:
    """Add what every page has."""
    tail = [".SH EXIT STATUS", *_definitions(_EXIT_CODES)]
    tail += [".SH FILES", *_definitions(_FILES)]
    tail += [".SH ENVIRONMENT", *_definitions(_ENVIRONMENT)]
    if related:
        tail += [".SH SEE ALSO", _escape(", ".join(sorted(related)))]
    return "\n".join([*lines, *tail]) + "\n"


def _definitions(records: Iterable[tuple[str, str]]) -> Iterator[str]:
    for term, text in records:
        yield ".TP"
        yield f"\\fB{_escape(_one_line(term))}\\fR"
        yield _escape(_one_line(text)) or "\\&"


def _paragraphs(text: str) -> Iterator[str]:
    """Write click's help text: blank lines part paragraphs, a backspace keeps lines as they are."""
    is_first = True
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip() for line in paragraph.splitlines()]
        if not is_first:
            yield ".PP"
        is_first = False
        if lines[0] == "\b":
            yield ".nf"
            yield from (_escape(line) for line in lines[1:])
            yield ".fi"
        else:
            yield _escape(" ".join(lines))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _sentence(text: str) -> str:
    line = _one_line(text)
    return f"{line[:1].upper()}{line[1:].rstrip('.')}."


def _escape(text: str) -> str:
    """Make a text safe for roff: no escapes, no requests, ASCII only."""
    # A tab or another control character would be a request of its own.
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    safe = printable.replace("\\", "\\e").replace("-", "\\-")
    safe = "".join(
        letter if letter.isascii() else f"\\[u{ord(letter):04X}]" for letter in safe
    ).strip()
    return f"\\&{safe}" if safe.startswith((".", "'")) else safe
