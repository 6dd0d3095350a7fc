# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity measure`: the platform's costs, a command per probe, and one for all of them."""

import sys
from dataclasses import fields, replace
from typing import Any

import click
import msgspec
from click.core import ParameterSource
from typing_extensions import override

from laxity.cli.command_group import CommandGroup
from laxity.cli.finished import show_finished
from laxity.cli.measure_all import measure_all
from laxity.cli.measure_cache_misses import measure_cache_misses
from laxity.cli.options import (
    allow_unprivileged_option,
    debug_option,
    format_option,
    no_report_option,
    on_option,
    quiet_option,
    run_dir_option,
    run_path,
    run_root_option,
    seed_option,
)
from laxity.cli.spec_options import key_option
from laxity.core.signals import forwarded_signals
from laxity.core.spec import NATIVE_PLATFORM, RunTable
from laxity.costs.measure import MeasureRequest, run_measurement
from laxity.costs.options import time_option
from laxity.costs.probe import NAMES, Asked, Probe, probe_of
from laxity.errors import located
from laxity.platform.machine import SimulatedFacts
from laxity.platform.platform import open_platform

# Of several runs each, not of one probe.
_OWN = {"all": measure_all, "cache-misses": measure_cache_misses}
platform_option = key_option(RunTable, "platform")
_OPTIONS = (
    seed_option,
    allow_unprivileged_option,
    platform_option,
    on_option,
    run_dir_option,
    run_root_option,
    no_report_option,
    format_option("table", "json"),
    quiet_option,
    debug_option,
)


class _Common(msgspec.Struct, frozen=True, kw_only=True):
    """The options that every measurement takes, as click gives them; None: not given."""

    seed: int | None
    allow_unprivileged: bool
    platform: str | None
    on: str | None
    run_dir: str | None
    run_root: str | None
    no_report: bool
    output_format: str
    quiet: bool


class Probes(CommandGroup):
    """The commands of the probes; each is loaded when it is called."""

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted((*_OWN, *map(_command_name, NAMES)))

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _OWN:
            return _OWN[cmd_name]
        names = {_command_name(name): name for name in NAMES}
        return _probe_command(names[cmd_name]) if cmd_name in names else None


@click.group(cls=Probes)
def measure() -> None:
    """Measure what the platform takes from jobs, and write it as costs.json into a run."""


def _command_name(probe: str) -> str:
    return probe.replace("_", "-")


def _with_common_options(command: click.Command) -> click.Command:
    for option in _OPTIONS:
        option(command)
    return command


def _probe_command(name: str) -> click.Command:
    """Make the command of a probe of what its descriptor says."""
    probe = probe_of(name)
    usual = probe.asked()
    options = [option(usual) for option in probe.options]
    options.append(time_option("--timeout", "timeout_ns", "End the measurement then.")(usual))

    def call(**given: Any) -> int:  # noqa: ANN401 - what click read
        return _plan_and_measure(_command_name(name), probe, given)

    command = click.Command(_command_name(name), params=[*options], help=probe.help, callback=call)
    return _with_common_options(command)


def _plan_and_measure(name: str, probe: Probe, given: dict[str, Any]) -> int:
    """Decide what is measured on the machine in question, say it, measure, show.

    Args:
        name: Of the command.
        probe: What measures.
        given: Options as click gives them; None: not given.

    Returns:
        The exit code.
    """
    options = msgspec.convert(given, _Common)
    asked = _asked(probe, given)
    final = run_path(name, options.run_dir, options.run_root)
    with located("--on" if options.platform is None else "--platform"):
        opened = open_platform(options.on, options.platform or NATIVE_PLATFORM)
    with opened as platform:
        facts = platform.facts()
        if isinstance(facts, SimulatedFacts):
            asked = _of_simulated(asked, probe)
        measurement, fallbacks = probe.plan(asked, facts, platform.cpus())
        if not options.quiet:
            print(f"laxity measure {name}: {probe.describe(measurement)}", file=sys.stderr)
        for left in fallbacks:
            line = f"{left.what}: {left.used} ({left.reason})"
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
            finished = run_measurement(request, signals, platform)
    return show_finished(
        finished, output_format=options.output_format, has_report=not options.no_report
    )


def _of_simulated(asked: Asked, probe: Probe) -> Asked:
    """Ask for what a simulated platform needs where the user has not said what."""
    source_of = click.get_current_context().get_parameter_source
    usual = {
        name: value
        for name, value in probe.simulated.items()
        if source_of(name) is ParameterSource.DEFAULT
    }
    return replace(asked, **usual)


def _asked(probe: Probe, given: dict[str, Any]) -> Asked:
    """Take what was given; the rest is what the probe usually asks."""
    names = {member.name for member in fields(probe.asked)}
    chosen = {name: value for name, value in given.items() if value is not None and value != ()}
    return probe.asked(**{name: value for name, value in chosen.items() if name in names})
