# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity suite discover`: the programs of a checkout and their conventions."""

import sys
import tempfile
from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import click

from laxity.cli.options import debug_option, format_option
from laxity.cli.tables import format_table, print_json
from laxity.errors import ConfigError, suggestion
from laxity.model.spec_reader import split_words

if TYPE_CHECKING:
    from laxity.suites.program import Discovery, Program
    from laxity.suites.toolchain import Toolchain

_MAX_NAMES = 8

directory_argument = click.argument("directory", metavar="DIR")
cc_option = click.option(
    "--cc",
    metavar="'PROGRAM FLAG...'",
    default="cc",
    show_default=True,
    help="The C compiler, and flags that the suite wants: 'cc -DSIZE=1'.",
)
only_option = click.option(
    "--only",
    metavar="NAME,...",
    multiple=True,
    help="These programs alone: names, or patterns as of a shell ('adpcm_*'); may be repeated.",
)


@click.command()
@directory_argument
@cc_option
@format_option("table", "json")
@debug_option
def discover(directory: str, cc: str, output_format: str) -> None:
    """Find the programs below DIR, and by which convention each is a job.

    They are compiled as their folders suggest, in a directory for temporary files; nothing is
    written into DIR. What could not be placed is told, and why.
    """
    found = discovered(directory, toolchain_of(cc))
    if output_format == "json":
        print_json(found)
        return
    rows = [
        (one.name, one.convention, str(len(one.sources)), one.directory) for one in found.programs
    ]
    sys.stdout.write(format_table(("program", "convention", "sources", "folder"), rows, right=(2,)))
    if found.unplaced:
        sys.stdout.write("\n")
        left = [(one.path, one.reason) for one in found.unplaced]
        sys.stdout.write(format_table(("not placed", "why"), left))


def toolchain_of(cc: str) -> "Toolchain":
    """Make the toolchain of `--cc`.

    Raises:
        ConfigError: No words, or a quote that is not closed.
    """
    from laxity.suites.toolchain import Toolchain  # noqa: PLC0415 - when needed

    words = split_words(cc, "--cc")
    if not words:
        msg = "--cc: names no compiler; write for example --cc 'gcc -DSIZE=1'"
        raise ConfigError(msg)
    return Toolchain(cc=tuple(words))


def discovered(directory: str, toolchain: "Toolchain") -> "Discovery":
    """Discover, with a build directory that is gone afterwards.

    Raises:
        ConfigError: There is no such directory, or nothing in it.
        PlatformError: No compiler.
    """
    from laxity.suites.discover import discover as find  # noqa: PLC0415 - when needed

    with tempfile.TemporaryDirectory(prefix="laxity-suite-") as build:
        return find(Path(directory), Path(build), toolchain)


def chosen(programs: "Sequence[Program]", only: Collection[str]) -> "list[Program]":
    """Choose programs by `--only`: names and patterns, each word several by commas.

    Raises:
        ConfigError: No program, or none of such a name.
    """
    if not programs:
        msg = "no program was found; laxity suite discover says why"
        raise ConfigError(msg)
    names = [one.name for one in programs]
    wanted: set[str] = set()
    for word in (part.strip() for words in only for part in words.split(",")):
        found = {name for name in names if fnmatchcase(name, word)}
        if not found:
            some = ", ".join(names[:_MAX_NAMES])
            msg = f'--only: no program "{word}"; {suggestion(word, names, f"there are {some}")}'
            raise ConfigError(msg)
        wanted |= found
    return [one for one in programs if not only or one.name in wanted]
