# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity demo`: the main job here, in under a minute."""

import sys
import time

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


class _Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options as click gives them; None: not given."""

    duration: str
    seed: int | None
    run_dir: str | None
    run_root: str | None
    output_format: str
    quiet: bool


@click.command()
@click.option(
    "--duration", metavar="TIME", default="10s", show_default=True, help="Length of each run."
)
@click.option("--seed", type=int, metavar="N", help="Seed.  [default: drawn, stored]")
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
    """
    from laxity.cli.demo_run import DemoRequest, plan_demo, run_demo  # noqa: PLC0415 - heavy
    from laxity.core.signals import forwarded_signals  # noqa: PLC0415 - with the above
    from laxity.platform.doctor import diagnose  # noqa: PLC0415 - with the above
    from laxity.platform.facts import collect_facts  # noqa: PLC0415 - with the above
    from laxity.platform.placement import cpus_of_this_process  # noqa: PLC0415 - with the above

    options = msgspec.convert(given, _Options)
    request = DemoRequest(
        final=run_path("demo", options.run_dir, options.run_root),
        command_line=["laxity", *sys.argv[1:]],
        duration=options.duration,
        seed=options.seed,
        is_quiet=options.quiet,
    )
    facts = collect_facts()
    resolution_ns = round(time.clock_getres(time.CLOCK_MONOTONIC) * 1e9)
    with named_as_options(("duration", "seed")):
        plan = plan_demo(facts, cpus_of_this_process(), request, resolution_ns)
    state = diagnose(facts, plan.runs[0][1].tasks[0].cpus)
    if not options.quiet:
        told = f"this machine is {state.badge}: {state.reason}; laxity doctor tells more"
        print(f"laxity demo: {told}", file=sys.stderr)
    for one in plan.fallbacks:
        line = f"{one.what}: {one.used} used instead ({one.reason})"
        print(f"laxity demo: {line}", file=sys.stderr)
    with forwarded_signals() as signals:
        finished = run_demo(request, plan, signals)
    return show_finished(finished, output_format=options.output_format, has_report=True)
