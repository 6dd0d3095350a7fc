# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Options that several commands share, spelled and explained once."""

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from laxity.errors import ConfigError
from laxity.store.run_directory import default_root, run_name

_PERCENT = 100

Command = TypeVar("Command", bound=Callable[..., Any])

quiet_option = click.option("--quiet", is_flag=True, help="Show no progress.")
debug_option = click.option(
    "--debug", is_flag=True, expose_value=False, help="Show the trace of an error."
)
run_dir_option = click.option(
    "--run-dir", metavar="DIR", help="Directory of the run; must not exist."
)
# Of a command that goes on where it was interrupted.
continued_run_dir_option = click.option(
    "--run-dir",
    metavar="DIR",
    help="Directory of the run; where it exists, the same command goes on in it.",
)
run_root_option = click.option(
    "--run-root",
    metavar="DIR",
    help="Where to make the directory of the run.  [default: $LAXITY_RUNS, else ./runs]",
)
on_option = click.option(
    "--on",
    metavar="ssh://USER@HOST",
    help="A board that your ssh reaches without a question, in place of this machine.",
)
seed_option = click.option(
    "--seed", type=click.IntRange(0), metavar="N", help="Seed.  [default: drawn, stored]"
)
allow_unprivileged_option = click.option(
    "--allow-unprivileged", is_flag=True, help="FIFO where permitted, else ordinary priorities."
)
no_report_option = click.option(
    "--no-report", is_flag=True, help="Do not write report.html; laxity report does it later."
)


def split_names(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> list[str] | None:
    """Read names between commas."""
    return None if value is None else value.split(",")


def _refuse_empty(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    if not value:
        msg = "run: an empty path; name a directory that laxity wrote"
        raise ConfigError(msg)
    return value


run_argument = click.argument("path", metavar="RUN", callback=_refuse_empty)
# The place of a key in a message about a spec, as laxity.core.spec_reader writes it.
_KEY_PLACE = re.compile(r'(?:spec .*?: )?(?:\[run\]|task "[^"]*"): (\w+)(?=[: ])')


@contextmanager
def named_as_options(keys: Collection[str]) -> Iterator[None]:
    """Let a message about a key that was given as an option name the option.

    Args:
        keys: The keys, `max_misses` for `--max-misses`.

    Raises:
        ConfigError: The same error, in the user's words.
    """
    try:
        yield
    except ConfigError as error:
        match = _KEY_PLACE.match(str(error))
        if match is None or match[1] not in keys:
            raise
        msg = f"--{match[1].replace('_', '-')}{str(error)[match.end() :]}"
        raise ConfigError(msg) from error


def format_option(*formats: str) -> Callable[[Command], Command]:
    """Make `--format` with the formats that a command has; the first is the default."""
    return click.option(
        "--format",
        "output_format",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="How to write the result to stdout.",
    )


def with_options(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Make what gives a command several options, in this order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


_options_beside_run_dir = (
    run_root_option,
    no_report_option,
    format_option("table", "json"),
    quiet_option,
    debug_option,
)
# Of a command whose answer is stored as a run.
stored_options = with_options(run_dir_option, *_options_beside_run_dir)
continued_options = with_options(continued_run_dir_option, *_options_beside_run_dir)


def refuse_existing(final: Path) -> None:
    """Refuse a directory for a run before what takes long begins; `create_run` would later.

    Raises:
        ConfigError: It is there already.
    """
    if final.exists() or final.is_symlink():
        msg = f"run directory {final}: exists; name another one or remove it"
        raise ConfigError(msg)


def run_path(name: str, run_dir: str | None, run_root: str | None, host: str | None = None) -> Path:
    """Decide where a new run goes.

    Args:
        name: Name of the experiment, part of the directory's name.
        run_dir: `--run-dir`: the directory itself.
        run_root: `--run-root`: where the directory is made.
        host: Name of the board it runs on; None: this machine.

    Raises:
        ConfigError: Both are given, or one is empty.
    """
    if run_dir is not None and run_root is not None:
        msg = "--run-dir and --run-root: only one can say where the run goes; drop the other"
        raise ConfigError(msg)
    if "" in {run_dir, run_root}:
        msg = "--run-dir, --run-root: an empty path; name a directory"
        raise ConfigError(msg)
    if run_dir is not None:
        # "D/" and "D" are one directory.
        return Path(run_dir)
    root = default_root() if run_root is None else Path(run_root)
    return root / run_name(name, datetime.now(UTC), host)


def read_overhead(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> float | None:
    """Read --max-overhead, as a share; None: it was not given.

    Raises:
        ConfigError: It is no share above 0% and below 100%.
    """
    if value is None:
        return None
    text = value.removesuffix("%")
    try:
        percent = float(text) if text != value else -1.0
    except ValueError:
        percent = -1.0
    if not 0 < percent < _PERCENT:
        msg = (
            f'--max-overhead "{value}": not a share of the time; write 1%, above 0% and below 100%'
        )
        raise ConfigError(msg)
    return percent / _PERCENT
