# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity demo`: the main job here, in under a minute."""

import sys
import time
from typing import TYPE_CHECKING

import click
import msgspec

from laxity.cli.finished import show_finished
from laxity.cli.options import (
    debug_option,
    format_option,
    named_as_options,
    quiet_option,
    run_dir_option,
    run_path,
    run_root_option,
)
from laxity.errors import ConfigError

if TYPE_CHECKING:
    from laxity.cli.demo_run import DemoRequest, Plan

# What is drawn is the same in every demonstration, so that two are identical.
_SIMULATED_SEED = 1
_USUAL, _USUAL_SIMULATED = "10s", "200ms"


class _Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options as click gives them; None: not given."""

    duration: str | None
    platform: str
    seed: int | None
    run_dir: str | None
    run_root: str | None
    output_format: str
    quiet: bool


@click.command()
@click.option(
    "--duration",
    metavar="TIME",
    help="Length of each run.  [default: 10s; simulated 200ms of virtual time]",
)
@click.option(
    "--platform",
    metavar="NAME",
    default="native",
    show_default=True,
    help="Where to run: here, or simulated, sim:NAME.",
)
@click.option("--seed", type=int, metavar="N", help="Seed.  [default: drawn, stored; simulated 1]")
@run_dir_option
@run_root_option
@format_option("table", "json")
@quiet_option
@debug_option
def demo(**given: object) -> int:
    """Show what this machine does to a periodic task, alone and interfered with, and its costs.

    Examines the machine, then runs the workload mem every 5 ms on one CPU, first alone, then while
    bandwidth writes memory on all the other CPUs, then three tasks together; it measures what a
    switch, a preemption and a migration cost here, and tells whether the three keep their deadlines
    with that. One report, one cost model. Where real-time priorities are not permitted it uses
    ordinary ones, and says so.

    On a simulated platform it runs the same, and a task that its higher ones drive from core to
    core; it needs no privilege, and two runs are identical. sim:sabrelite-partitioned adds a task
    that loads make late, unregulated and regulated.
    """
    from laxity.cli.demo_run import DemoRequest, run_demo  # noqa: PLC0415 - heavy
    from laxity.core.signals import forwarded_signals  # noqa: PLC0415 - with the above
    from laxity.core.spec import SIMULATED  # noqa: PLC0415 - with the above
    from laxity.platform.platform import open_for  # noqa: PLC0415 - with the above

    options = msgspec.convert(given, _Options)
    is_simulated = options.platform.startswith(SIMULATED)
    usual = _USUAL_SIMULATED if is_simulated else _USUAL
    request = DemoRequest(
        final=run_path("demo", options.run_dir, options.run_root),
        command_line=["laxity", *sys.argv[1:]],
        duration=options.duration or usual,
        seed=_SIMULATED_SEED if options.seed is None and is_simulated else options.seed,
        is_quiet=options.quiet,
    )
    plan = (_plan_simulated if is_simulated else _plan_here)(request, options.platform)
    for one in plan.fallbacks:
        line = f"{one.what}: {one.used} used instead ({one.reason})"
        print(f"laxity demo: {line}", file=sys.stderr)
    with open_for(plan.runs[0][1]) as platform, forwarded_signals() as signals:
        finished = run_demo(request, plan, signals, platform)
    return show_finished(
        finished,
        output_format=options.output_format,
        has_report=True,
        label=None if options.quiet else "laxity demo",
    )


def _plan_simulated(request: "DemoRequest", platform: str) -> "Plan":
    from laxity.cli.demo_simulated import plan_simulated_demo  # noqa: PLC0415 - heavy
    from laxity.platform.platform_file import read_platform  # noqa: PLC0415 - with the above

    with named_as_options(("duration", "seed", "platform")):
        return plan_simulated_demo(read_platform(platform), platform, request)


def _plan_here(request: "DemoRequest", platform: str) -> "Plan":
    from laxity.cli.demo_run import plan_demo  # noqa: PLC0415 - heavy
    from laxity.platform.doctor import diagnose  # noqa: PLC0415 - with the above
    from laxity.platform.facts import collect_facts  # noqa: PLC0415 - with the above
    from laxity.platform.placement import cpus_of_this_process  # noqa: PLC0415 - with the above

    if platform != "native":
        msg = f'--platform "{platform}" is unknown; use native or sim:NAME (laxity list platforms)'
        raise ConfigError(msg)
    facts = collect_facts()
    resolution_ns = round(time.clock_getres(time.CLOCK_MONOTONIC) * 1e9)
    with named_as_options(("duration", "seed")):
        plan = plan_demo(facts, cpus_of_this_process(), request, resolution_ns)
    state = diagnose(facts, plan.runs[0][1].tasks[0].cpus)
    if not request.is_quiet:
        told = f"this machine is {state.badge}: {state.reason}; laxity doctor tells more"
        print(f"laxity demo: {told}", file=sys.stderr)
    return plan
