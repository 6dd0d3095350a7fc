# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity versus`: workloads and programs side by side."""

import sys

import click
import msgspec

from laxity.cli.finished import show_finished
from laxity.cli.options import (
    allow_unprivileged_option,
    continued_options,
    named_as_options,
    run_path,
    seed_option,
)
from laxity.cli.profile_common import target_of_command
from laxity.cli.run import resolution_here_ns
from laxity.cli.spec_options import key_option
from laxity.core.executor import Workers, n_cpus
from laxity.core.progress import Countdown
from laxity.core.spec import NATIVE_PLATFORM, SIMULATED, RunTable, TaskTable
from laxity.errors import ConfigError, located

_ROUNDS, _JOBS = 10, 20
# Nothing varies from one simulated process to the next.
_ROUNDS_SIMULATED, _JOBS_SIMULATED = 1, 5
_FEWEST = 2
_TASK_KEYS = ("period", "cpus", "policy", "priority", "runtime", "threads")


class _Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options as click gives them; None: not given."""

    commands: tuple[str, ...]
    period: str | None
    cpus: str | None
    policy: str | None
    priority: int | None
    runtime: str | None
    threads: int | None
    rounds: int | None
    jobs: int | None
    platform: str | None
    seed: int | None
    allow_unprivileged: bool
    fail_on: tuple[str, ...]
    run_dir: str | None
    run_root: str | None
    no_report: bool
    output_format: str
    quiet: bool


@click.command()
@click.argument("commands", metavar="'COMMAND [WORD...]'...", nargs=-1)
@key_option(TaskTable, "period")
@click.option(
    "-t",
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    help="Jobs of each process.  [default: 20; simulated 5]",
)
@click.option(
    "--rounds",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Processes of each command, in turn.  [default: 10; simulated 1]",
)
@key_option(TaskTable, "cpus")
@key_option(TaskTable, "policy")
@key_option(TaskTable, "priority")
@key_option(TaskTable, "runtime")
@key_option(TaskTable, "threads")
@key_option(RunTable, "platform")
@click.option(
    "--fail-on",
    metavar="EXPR",
    multiple=True,
    help="Exit with 1 if so: ratio > 1.05, of a command to the first. Repeatable.",
)
@seed_option
@allow_unprivileged_option
@continued_options
def versus(**given: object) -> int:
    """Tell which of several workloads or programs is the quickest, and by how much.

    Each COMMAND, quoted with its words, is a bundled workload, the path of one of your own, or any
    program, of which each job is a process. They run in turn, a process of each in every round, so
    that what the machine does meanwhile is in all of them. Without --period each has twice the
    longest response of its pilot.

    As a gate: `laxity versus OLD NEW --fail-on 'ratio > 1.05'`. Exit codes: 0 all of the 95 %
    interval is within the limit, 1 all of it is beyond, 4 the limit lies within the interval.
    """
    from laxity.core.signals import forwarded_signals  # noqa: PLC0415 - with the below
    from laxity.platform.doctor import default_cpus  # noqa: PLC0415 - heavy
    from laxity.platform.platform import open_platform  # noqa: PLC0415 - with the above
    from laxity.profile.execute import ProfileRequest, run_profile  # noqa: PLC0415 - with the above
    from laxity.profile.ratio_gate import parse_ratio_limit  # noqa: PLC0415 - with the above
    from laxity.profile.scenario import ALONE, Scenario  # noqa: PLC0415 - with the above

    options = msgspec.convert(given, _Options)
    if len(options.commands) < _FEWEST:
        msg = "it compares commands; name two or more, each quoted with its words"
        raise ConfigError(msg)
    for text in options.fail_on:
        parse_ratio_limit(text)
    name = options.platform or NATIVE_PLATFORM
    is_simulated = name.startswith(SIMULATED)
    with located("--platform"):
        opened = open_platform(None, name)
    task = {key: one for key in _TASK_KEYS if (one := getattr(options, key)) is not None}
    rounds, jobs = (_ROUNDS_SIMULATED, _JOBS_SIMULATED) if is_simulated else (_ROUNDS, _JOBS)
    with forwarded_signals() as signals, opened as where:
        if "cpus" not in task:
            allowed = sorted(where.cpus().allowed)
            task["cpus"] = str(allowed[0] if is_simulated else default_cpus(where.facts())[-1])
        request = ProfileRequest(
            analyses=("versus",),
            targets=tuple(
                {**task, **target_of_command(one, is_simulated=is_simulated)}
                for one in options.commands
            ),
            scenarios=(Scenario(ALONE),),
            n_processes=options.rounds or rounds,
            still_jobs=0,
            events=(),
            has_samples=False,
            run={
                "jobs": options.jobs or jobs,
                "seed": 1 if options.seed is None and is_simulated else options.seed,
                "platform": name,
            },
            resolution_ns=1 if is_simulated else resolution_here_ns(),
            final=run_path("versus", options.run_dir, options.run_root),
            command_line=["laxity", *sys.argv[1:]],
            allow_unprivileged=options.allow_unprivileged,
            workers=Workers(n_cpus() if is_simulated else 1),
            display=Countdown("laxity versus", "runs", is_quiet=options.quiet),
            fail_on=options.fail_on,
        )
        with named_as_options({*task, "jobs", "seed"}):
            finished = run_profile(request, signals, where)
    return show_finished(
        finished, output_format=options.output_format, has_report=not options.no_report
    )
