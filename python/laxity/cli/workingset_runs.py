# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What of `laxity workingset` concerns runs of the programs and times of their blocks."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from laxity.cli.options import with_options
from laxity.core.spec_reader import split_words
from laxity.core.units import NS_PER_UNIT, parse_duration_ns
from laxity.errors import ConfigError, no_program
from laxity.workingset.document import Weight

if TYPE_CHECKING:
    from laxity.workingset.runs import RunsWanted
    from laxity.workingset.times import BlockTimes
    from laxity.workingset.trace import Inputs

_WEIGHTS = ("static", "situation", "trace", "time", "wcet")
# What runs of the programs need.
run_options = with_options(
    click.option(
        "--weight",
        "weights",
        type=click.Choice(_WEIGHTS),
        multiple=True,
        default=("static",),
        show_default=True,
        help="How instructions count in the heat map: each once, once per calling situation, as "
        "executed, as long as --times says, as loop bounds allow. Repeatable.",
    ),
    click.option("--times", metavar="FILE", help="Time of each block as CSV, for --weight time."),
    click.option("--run-args", metavar="'WORD...'", help="Arguments of the programs that are run."),
    click.option("--run-stdin", metavar="FILE", help="Their standard input.  [default: empty]"),
    click.option(
        "--progression",
        "progressions",
        metavar="NAME",
        multiple=True,
        help="Run this program for its live bytes along the run, too; with --weight trace the only "
        "one in any case. Repeatable.",
    ),
)


class RunWords(msgspec.Struct, frozen=True, kw_only=True):
    """The options as click gives them."""

    weights: tuple[Weight, ...]
    times: str | None
    run_args: str | None
    run_stdin: str | None
    progressions: tuple[str, ...]
    timeout: str


def read_times(options: RunWords) -> "BlockTimes | None":
    """Read --times.

    Raises:
        ConfigError: It is there without the weight `time`, or the other way round, or is none.
    """
    if (options.times is None) == ("time" in options.weights):
        msg = "--weight time: takes times from a file; name both --weight time and --times FILE"
        raise ConfigError(msg)
    if options.times is None:
        return None
    from laxity.workingset.times import read_block_times  # noqa: PLC0415 - loads numpy

    return read_block_times(Path(options.times))


def runs_wanted(
    options: RunWords,
    times: "BlockTimes | None",
    names: Sequence[str],
    scratch: Path,
    *,
    is_run_for_points: bool = False,
) -> "RunsWanted":
    """Say what has to be run for the options.

    Args:
        options: Of the command.
        times: Of --times.
        names: Of the programs that were made.
        scratch: Empty directory for what runs leave.
        is_run_for_points: Programs are run for windows of migration points in any case.

    Raises:
        ConfigError: Inputs that no run takes, or a program that is not there.
    """
    from laxity.workingset.runs import RunsWanted  # noqa: PLC0415 - loads numpy

    wants_executions = "trace" in options.weights or (times is not None and times.is_per_execution)
    for name in options.progressions:
        if name not in names:
            raise no_program(name, "--progression", names, names)
    given = options.run_args is not None or options.run_stdin is not None
    if given and not (wants_executions or options.progressions or is_run_for_points):
        msg = (
            "--run-args, --run-stdin: nothing is run; add --weight trace, --progression NAME or "
            "--migration-points --window N"
        )
        raise ConfigError(msg)
    progressions = options.progressions
    if "trace" in options.weights and len(names) == 1:
        progressions = tuple(names)
    return RunsWanted(
        inputs=read_inputs(options),
        wants_executions=wants_executions,
        progressions=progressions,
        scratch=scratch,
        patience_s=parse_duration_ns(options.timeout) / NS_PER_UNIT["s"],
    )


def read_inputs(options: RunWords) -> "Inputs":
    """Read what programs are given when they are run.

    Raises:
        ConfigError: It is nothing that a program can be given.
    """
    from laxity.workingset.trace import Inputs  # noqa: PLC0415 - only if asked for

    arguments = split_words(options.run_args or "", "--run-args")
    if options.run_stdin is None:
        return Inputs(tuple(arguments))
    stdin = Path(options.run_stdin).absolute()
    if not stdin.is_file():
        msg = f"--run-stdin {options.run_stdin}: no such file; correct the path"
        raise ConfigError(msg)
    return Inputs(tuple(arguments), stdin)
