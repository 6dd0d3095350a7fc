# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity suite vet`: which programs run rightly as jobs, and in which isolation mode."""

import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from laxity.cli.finished import show_finished
from laxity.cli.options import (
    refuse_existing,
    run_path,
    stored_options,
)
from laxity.cli.suite_discover import (
    cc_option,
    chosen,
    directory_argument,
    discovered,
    only_option,
)
from laxity.cli.suite_manifest import manifest_options, read_stated
from laxity.cli.suite_target import TargetOptions, target_options, target_toolchain
from laxity.core.progress import Meter
from laxity.errors import ConfigError

if TYPE_CHECKING:
    from laxity.suites.classify import Vetted

# What laxity suite run takes if it is not told otherwise.
_VERDICTS = "vetting.toml"
_DEFAULT_JOBS = 5
_MOST_JOBS = 1000
# One job has nothing before it that it could be spoiled by.
_LEAST_JOBS = 3


class _Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options as click gives them; None: not given."""

    directory: str
    manifest: str | None
    sizes: str | None
    only: tuple[str, ...]
    jobs: int
    sanitize: bool
    cc: str
    target: str
    link: str | None
    emulator: str | None
    output: str | None
    run_dir: str | None
    run_root: str | None
    no_report: bool
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
@click.option(
    "--sanitize",
    is_flag=True,
    help="Run a job of each also under AddressSanitizer, UndefinedBehaviorSanitizer, memcheck.",
)
@cc_option
@target_options
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where the verdicts go, beside the run; must not exist.  "
    f"[default: {_VERDICTS}, with --run-dir: there alone]",
)
@stored_options
def vet(**given: object) -> int:
    """Find out which programs below DIR may run as jobs one after the other, and how.

    Results of fresh processes are compared with those of jobs in each isolation mode: what they
    return, check, print and write, the state that they leave, and how much work they are.
    The cheapest mode that is right is chosen. DIR is not written to. What every job did is stored
    as a run, with a report. Exit code 1: a program has no right mode; 4: a program of the manifest
    cannot be had.
    """
    from laxity.core.signals import forwarded_signals  # noqa: PLC0415 - with the above
    from laxity.store.run_directory import VETTING, write_file  # noqa: PLC0415 - with the above
    from laxity.suites.jobs import require_tools  # noqa: PLC0415 - with the above
    from laxity.suites.sanitize import require_sanitizers  # noqa: PLC0415 - with the above
    from laxity.suites.store_vetting import VettingRequest, left_out_verdict, run_vetting  # noqa: PLC0415 - when needed

    options = msgspec.convert(given, _Options)
    to = _verdicts_path(options)
    if to is not None and to.exists():
        msg = f"{to}: exists; name another file with -o, or remove it"
        raise ConfigError(msg)
    final = run_path("vet", options.run_dir, options.run_root)
    refuse_existing(final)
    toolchain = target_toolchain(
        TargetOptions(options.target, options.link, options.emulator), options.cc
    )
    require_tools(toolchain.target)
    if options.sanitize:
        require_sanitizers(toolchain)
    stated = read_stated(options.manifest, options.sizes)
    every = discovered(options.directory, toolchain, stated, options.only)
    found = chosen(every, options.only)
    request = VettingRequest(
        root=Path(options.directory).resolve(),
        toolchain=toolchain,
        found=found,
        manifest_sha256=stated.sha256,
        jobs=options.jobs,
        sanitizes=options.sanitize,
        final=final,
        command_line=["laxity", *sys.argv[1:]],
        on_vetted=_teller(len(found.programs), is_quiet=options.quiet),
    )
    with forwarded_signals() as signals:
        finished, vetted = run_vetting(request, signals)
    is_complete = finished.manifest.status == "complete"
    if finished.path is not None and is_complete and to is not None:
        write_file(to, (finished.path / VETTING).read_bytes())
    if finished.path is not None and not is_complete:
        _tell_rest(finished.path, finished.manifest.message, to)
    keys = ("program", "classes", "mode", "verdict", "evidence")
    return show_finished(
        finished,
        output_format=options.output_format,
        has_report=not options.no_report,
        document=[
            {key: getattr(one, key) for key in keys}
            for one in (*vetted, *map(left_out_verdict, found.left_out))
        ],
    )


def _verdicts_path(options: _Options) -> Path | None:
    """Say where the verdicts go beside the run; None: nowhere, the user has named the run."""
    if options.output is not None:
        return Path(options.output)
    return Path(_VERDICTS) if options.run_dir is None else None


def _tell_rest(run: Path, message: str, to: Path | None) -> None:
    """Say what a vetting that was ended before its last program has left."""
    unwritten = f"; {to} is not written" if to is not None else ""
    print(
        f"laxity suite vet: {message}: their verdicts are in {run / _VERDICTS}{unwritten}; "
        f"take them by --vetting {run}, or vet again",
        file=sys.stderr,
    )


def _teller(n_programs: int, *, is_quiet: bool) -> "Callable[[Vetted], None]":
    meter = Meter("vet", is_quiet=is_quiet)
    numbers = itertools.count(1)

    def tell(one: "Vetted") -> None:
        n_told = next(numbers)
        left = meter.left(n_told / n_programs)
        if not is_quiet:
            text = f"vet {n_told}/{n_programs}: {one.program}{left and f', {left}'}"
            print(text, file=sys.stderr, flush=True)

    return tell
