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
    toolchain_of,
)
from laxity.cli.tables import format_table, print_json
from laxity.errors import EXIT_DONE, EXIT_VIOLATED, ConfigError

if TYPE_CHECKING:
    from laxity.suites.classify import Vetted

_DEFAULT_JOBS = 5
_MOST_JOBS = 1000
# One job has nothing before it that it could be spoiled by.
_LEAST_JOBS = 3


class _Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options as click gives them."""

    directory: str
    only: tuple[str, ...]
    jobs: int
    sanitize: bool
    cc: str
    output: str
    output_format: str
    quiet: bool


@click.command()
@directory_argument
@only_option
@click.option(
    "--jobs",
    type=click.IntRange(_LEAST_JOBS, _MOST_JOBS),
    default=_DEFAULT_JOBS,
    show_default=True,
    metavar="N",
    help="Jobs in each isolation mode.",
)
@click.option(
    "--sanitize",
    is_flag=True,
    help="Run a job of each also under AddressSanitizer, UndefinedBehaviorSanitizer, memcheck.",
)
@cc_option
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
    return, check, print and write, the state that they leave, and how many instructions they are.
    The cheapest mode that is right is chosen. DIR is not written to. Exit code 1: a program has no
    right mode.
    """
    from laxity.store.run_directory import write_file  # noqa: PLC0415 - when needed
    from laxity.suites.jobs import require_tools  # noqa: PLC0415 - when needed
    from laxity.suites.sanitize import require_sanitizers  # noqa: PLC0415 - when needed
    from laxity.suites.vetting import VetRequest, vet_all  # noqa: PLC0415 - when needed
    from laxity.suites.vetting_file import vetting_to_toml  # noqa: PLC0415 - when needed

    options = msgspec.convert(given, _Options)
    to = Path(options.output)
    if to.exists():
        msg = f"{to}: exists; name another file with -o, or remove it"
        raise ConfigError(msg)
    require_tools()
    toolchain = toolchain_of(options.cc)
    if options.sanitize:
        require_sanitizers(toolchain)
    programs = chosen(discovered(options.directory, toolchain).programs, options.only)
    n_told = 0

    def tell(one: "Vetted") -> None:
        nonlocal n_told
        n_told += 1
        if not options.quiet:
            print(f"vet {n_told}/{len(programs)}: {one.program}", file=sys.stderr, flush=True)

    root = Path(options.directory).resolve()
    with tempfile.TemporaryDirectory(prefix="laxity-suite-") as build:
        request = VetRequest(root, Path(build), toolchain, options.jobs, options.sanitize)
        vetted = vet_all(request, programs, tell)
    write_file(to, vetting_to_toml(request, programs, vetted).encode())
    _show(vetted, options.output_format)
    return EXIT_DONE if all(one.mode for one in vetted) else EXIT_VIOLATED


def _show(vetted: "Sequence[Vetted]", output_format: str) -> None:
    if output_format == "json":
        keys = ("program", "classes", "mode", "verdict", "evidence")
        print_json([{key: getattr(one, key) for key in keys} for one in vetted])
        return
    rows = [
        (one.program, ", ".join(one.classes) or "-", one.mode or "-", _why(one)) for one in vetted
    ]
    sys.stdout.write(format_table(("program", "classes", "mode", "evidence"), rows))
    found = [(one.program, words) for one in vetted for words in _found(one)]
    if found:
        sys.stdout.write("\n")
        sys.stdout.write(format_table(("program", "found by sanitizers"), found))


def _found(one: "Vetted") -> list[str]:
    """Pick what sanitizers told: every place, not the first piece of evidence alone."""
    from laxity.suites.sanitize import TOLD  # noqa: PLC0415 - when needed

    return [words for words in one.evidence if words.startswith(TOLD)]


def _why(one: "Vetted") -> str:
    return one.verdict if one.mode is None else (one.evidence[0] if one.evidence else "")
