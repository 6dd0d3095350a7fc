# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity suite discover`: the programs of a checkout and their conventions."""

import sys
import tempfile
from collections.abc import Collection
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from laxity.cli.options import debug_option, format_option
from laxity.cli.suite_manifest import Stated, manifest_options, read_stated
from laxity.cli.tables import print_json
from laxity.core.spec_reader import split_words
from laxity.core.text_table import format_table
from laxity.errors import EXIT_DONE, EXIT_NO_VERDICT, ConfigError, no_program

if TYPE_CHECKING:
    from laxity.suites.program import Discovery, Program
    from laxity.suites.toolchain import Toolchain

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
@manifest_options
@only_option
@cc_option
@format_option("table", "json")
@debug_option
def discover(
    directory: str,
    manifest: str | None,
    sizes: str | None,
    only: tuple[str, ...],
    cc: str,
    output_format: str,
) -> int:
    """Find the programs below DIR, and by which convention each is a job.

    They are compiled as their folders suggest, in a directory for temporary files; nothing is
    written into DIR. What could not be placed is told, and why. Exit code 4: a program of the
    manifest cannot be had.
    """
    found = chosen(
        discovered(directory, toolchain_of(cc), read_stated(manifest, sizes), only), only
    )
    if output_format == "json":
        print_json(found)
    else:
        _show(found)
    return EXIT_NO_VERDICT if found.left_out else EXIT_DONE


def _show(found: "Discovery") -> None:
    rows = [
        (one.name, one.convention, str(len(one.sources)), one.directory) for one in found.programs
    ]
    sys.stdout.write(format_table(("program", "convention", "sources", "folder"), rows, right=(2,)))
    if found.unplaced:
        sys.stdout.write("\n")
        left = [(one.path, one.reason) for one in found.unplaced]
        sys.stdout.write(format_table(("not placed", "why"), left))
    show_left_out(found)


def show_left_out(found: "Discovery") -> None:
    """Print the programs of the manifest that cannot be had, if there are such."""
    if found.left_out:
        rows = [(one.path, one.reason) for one in found.left_out]
        sys.stdout.write("\n" + format_table(("left out", "why"), rows))


def toolchain_of(cc: str) -> "Toolchain":
    """Make the toolchain of `--cc`, for shared objects on this machine.

    Raises:
        ConfigError: No words, or a quote that is not closed.
    """
    from laxity.suites.toolchain import Toolchain  # noqa: PLC0415 - when needed

    return Toolchain(cc=words_of_cc(cc))


def words_of_cc(cc: str) -> tuple[str, ...]:
    """Split `--cc` into words.

    Raises:
        ConfigError: No words, or a quote that is not closed.
    """
    words = split_words(cc, "--cc")
    if not words:
        msg = "--cc: names no compiler; write for example --cc 'gcc -DSIZE=1'"
        raise ConfigError(msg)
    return tuple(words)


def discovered(
    directory: str, toolchain: "Toolchain", stated: Stated, only: Collection[str]
) -> "Discovery":
    """Discover, with a build directory that is gone afterwards; what `--only` cannot mean is not.

    Raises:
        ConfigError: There is no such directory, nothing in it, or not what the manifest names.
        PlatformError: No compiler.
    """
    from laxity.suites.discover import discover as find  # noqa: PLC0415 - when needed

    toolchain.require()
    context = stated.context(directory, toolchain)
    with tempfile.TemporaryDirectory(prefix="laxity-suite-") as build:
        return find(Path(directory), Path(build), toolchain, context, patterns_of(only))


def patterns_of(only: Collection[str]) -> list[str]:
    """Split what was given for `--only`."""
    return [part.strip() for words in only for part in words.split(",")]


def chosen(found: "Discovery", only: Collection[str]) -> "Discovery":
    """Choose programs by `--only`: names, with or without size, and patterns, with commas between.

    Raises:
        ConfigError: No program, or none of such a name.
    """
    names = [one.name for one in found.programs]
    known = {*names, *(one.path for one in found.left_out), *map(_sizeless, found.programs)}
    if not known and not (only and found.unplaced):
        msg = "no program was found; laxity suite discover says why"
        raise ConfigError(msg)
    wanted: set[str] = set()
    unplaced = {Path(one.path).name: one.reason for one in found.unplaced}
    for word in patterns_of(only):
        meant = {name for name in known if fnmatchcase(name, word)}
        reason = next((why for name, why in unplaced.items() if fnmatchcase(name, word)), None)
        if not meant and reason is not None:
            msg = f'--only: "{word}" is no program: {reason}'
            raise ConfigError(msg)
        if not meant:
            raise no_program(word, "--only", sorted(known), names)
        wanted |= meant
    if not only:
        return found
    return msgspec.structs.replace(
        found,
        programs=tuple(
            one for one in found.programs if one.name in wanted or _sizeless(one) in wanted
        ),
        left_out=tuple(one for one in found.left_out if one.path in wanted),
    )


def _sizeless(program: "Program") -> str:
    return program.name.removesuffix(f"-{program.size}")
