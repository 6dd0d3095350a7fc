# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity suite vet`: which programs run rightly as jobs, and in which isolation mode."""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from laxity.cli.options import debug_option, format_option, quiet_option
from laxity.cli.suite_discover import (
    cc_option,
    chosen,
    directory_argument,
    discovered,
    only_option,
    show_left_out,
)
from laxity.cli.suite_manifest import manifest_options, read_stated
from laxity.cli.suite_target import TargetOptions, target_options, target_toolchain
from laxity.cli.tables import format_table, print_json
from laxity.errors import EXIT_DONE, EXIT_NO_VERDICT, EXIT_VIOLATED, ConfigError

if TYPE_CHECKING:
    from laxity.suites.classify import Vetted
    from laxity.suites.program import Discovery

_DEFAULT_JOBS = 5
_MOST_JOBS = 1000
# One job has nothing before it that it could be spoiled by.
_LEAST_JOBS = 3


class _Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options as click gives them."""

    directory: str
    manifest: str | None
    sizes: str | None
    only: tuple[str, ...]
    jobs: int
    cc: str
    target: str
    link: str | None
    emulator: str | None
    output: str
    output_format: str
    quiet: bool


@click.command()
@directory_argument
@manifest_options
@only_option
@click.option(
    "--jobs",
    type=click.IntRange(_LEAST_JOBS, _MOST_JOBS),
    default=_DEFAULT_JOBS,
    show_default=True,
    metavar="N",
    help="Jobs in each isolation mode.",
)
@cc_option
@target_options
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="vetting.toml",
    show_default=True,
    help="Where the verdicts go; must not exist.",
)
@format_option("table", "json")
@quiet_option
@debug_option
def vet(**given: object) -> int:
    """Find out which programs below DIR may run as jobs one after the other, and how.

    Results of fresh processes are compared with those of jobs in each isolation mode: what they
    return, check, print and write, the state that they leave, and how much work they are.
    The cheapest mode that is right is chosen. DIR is not written to. Exit code 1: a program has no
    right mode; 4: a program of the manifest cannot be had.
    """
    from laxity.store.run_directory import write_file  # noqa: PLC0415 - when needed
    from laxity.suites.jobs import require_tools  # noqa: PLC0415 - when needed
    from laxity.suites.vetting import VetRequest, vet_all  # noqa: PLC0415 - when needed
    from laxity.suites.vetting_file import vetting_to_toml  # noqa: PLC0415 - when needed

    options = msgspec.convert(given, _Options)
    to = Path(options.output)
    if to.exists():
        msg = f"{to}: exists; name another file with -o, or remove it"
        raise ConfigError(msg)
    toolchain = target_toolchain(
        TargetOptions(options.target, options.link, options.emulator), options.cc
    )
    require_tools(toolchain.target)
    stated = read_stated(options.manifest, options.sizes)
    found = chosen(discovered(options.directory, toolchain, stated), options.only)
    programs = found.programs
    n_told = 0

    def tell(one: "Vetted") -> None:
        nonlocal n_told
        n_told += 1
        if not options.quiet:
            print(f"vet {n_told}/{len(programs)}: {one.program}", file=sys.stderr, flush=True)

    root = Path(options.directory).resolve()
    with tempfile.TemporaryDirectory(prefix="laxity-suite-") as build:
        request = VetRequest(root, Path(build), toolchain, options.jobs)
        vetted = vet_all(request, programs, tell)
    write_file(to, vetting_to_toml(request, programs, vetted, stated.sha256).encode())
    _show(vetted, found, options.output_format)
    if not all(one.mode for one in vetted):
        return EXIT_VIOLATED
    return EXIT_NO_VERDICT if found.left_out else EXIT_DONE


def _show(vetted: "Sequence[Vetted]", found: "Discovery", output_format: str) -> None:
    if output_format == "json":
        keys = ("program", "classes", "mode", "verdict", "evidence")
        print_json(
            [{key: getattr(one, key) for key in keys} for one in (*vetted, *_left_out(found))]
        )
        return
    rows = [
        (one.program, ", ".join(one.classes) or "-", one.mode or "-", _why(one)) for one in vetted
    ]
    sys.stdout.write(format_table(("program", "classes", "mode", "evidence"), rows))
    show_left_out(found)


def _left_out(found: "Discovery") -> "list[Vetted]":
    """Give what cannot be had the shape of a verdict."""
    from laxity.suites.classify import Vetted  # noqa: PLC0415 - when needed

    return [
        Vetted(
            program=one.path, classes=(), mode=None, verdict=f"left out: {one.reason}", evidence=()
        )
        for one in found.left_out
    ]


def _why(one: "Vetted") -> str:
    return one.verdict if one.mode is None else (one.evidence[0] if one.evidence else "")
