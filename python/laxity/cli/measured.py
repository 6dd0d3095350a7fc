# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What every `laxity measure` command does once its own options are read."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import click
import msgspec

from laxity.cli.finished import show_finished
from laxity.cli.options import (
    debug_option,
    format_option,
    no_report_option,
    on_option,
    quiet_option,
    run_dir_option,
    run_path,
    run_root_option,
)
from laxity.errors import located

if TYPE_CHECKING:
    from laxity.platform.facts import Facts
    from laxity.platform.placement import Cpus
    from laxity.store.manifest import Fallback
    from laxity.store.measurements import Measured

_MOST_REPETITIONS = 1_000_000
# Above it are who preempts and who ends what hangs.
_HIGHEST_PRIORITY = 98
# A command of click's.
Command: TypeAlias = Callable[..., int]
# The measurement of one probe.
One = TypeVar("One", bound="Measured")


class MeasureOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options that every measurement takes, as click gives them; None: not given."""

    timeout: str
    seed: int | None
    allow_unprivileged: bool
    on: str | None
    run_dir: str | None
    run_root: str | None
    no_report: bool
    output_format: str
    quiet: bool


def repetitions_option(default: int, description: str) -> Callable[[Command], Command]:
    """Give a measurement `--repetitions`; what one is, the description says."""
    return click.option(
        "--repetitions",
        type=click.IntRange(1, _MOST_REPETITIONS),
        metavar="N",
        default=default,
        show_default=True,
        help=description,
    )


def priority_option(description: str, lowest: int = 1) -> Callable[[Command], Command]:
    """Give a measurement `--priority`; whose it is, the description says."""
    return click.option(
        "--priority",
        type=click.IntRange(lowest, _HIGHEST_PRIORITY),
        metavar="N",
        default=80,
        show_default=True,
        help=description,
    )


def measure_options(timeout: str) -> Callable[[Command], Command]:
    """Give a measurement the options that all of them take, behind its own.

    Args:
        timeout: Default of `--timeout`.
    """
    options = (
        click.option(
            "--timeout",
            metavar="TIME",
            default=timeout,
            show_default=True,
            help="End the measurement then.",
        ),
        click.option(
            "--seed", type=click.IntRange(0), metavar="N", help="Seed.  [default: drawn, stored]"
        ),
        click.option(
            "--allow-unprivileged",
            is_flag=True,
            help="FIFO where permitted, else ordinary priorities.",
        ),
        on_option,
        run_dir_option,
        run_root_option,
        no_report_option,
        format_option("table", "json"),
        quiet_option,
        debug_option,
    )

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def plan_and_measure(
    options: MeasureOptions,
    name: str,
    plan: "Callable[[Facts, Cpus], tuple[One, tuple[Fallback, ...]]]",
    describe: "Callable[[One], str]",
) -> int:
    """Decide what is measured on the machine in question, say it, measure, show.

    Args:
        options: What was asked for.
        name: Of the command.
        plan: Makes a measurement of the facts and CPUs of a machine.
        describe: Says in one line what is measured.

    Returns:
        The exit code.
    """
    from laxity.core.signals import forwarded_signals  # noqa: PLC0415 - with the above
    from laxity.costs.measure import MeasureRequest, run_measurement  # noqa: PLC0415 - heavy
    from laxity.platform.target import open_target  # noqa: PLC0415 - with the above

    final = run_path(name, options.run_dir, options.run_root)
    with located("--on"):
        opened = open_target(options.on)
    with opened as target:
        measurement, fallbacks = plan(target.facts(), target.cpus())
        if not options.quiet:
            print(f"laxity measure {name}: {describe(measurement)}", file=sys.stderr)
        for one in fallbacks:
            line = f"{one.what}: {one.used} ({one.reason})"
            print(f"laxity measure {name}: {line}", file=sys.stderr)
        request = MeasureRequest(
            measurement=measurement,
            fallbacks=fallbacks,
            final=final,
            command_line=["laxity", *sys.argv[1:]],
            seed=options.seed,
            allow_unprivileged=options.allow_unprivileged,
            is_quiet=options.quiet,
        )
        with forwarded_signals() as signals:
            finished = run_measurement(request, signals, target)
    return show_finished(
        finished, output_format=options.output_format, has_report=not options.no_report
    )
