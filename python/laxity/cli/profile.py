# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity profile`: what programs do in jobs, alone and interfered with."""

import sys
import time

import click

from laxity.cli.finished import show_finished
from laxity.cli.options import (
    allow_unprivileged_option,
    debug_option,
    format_option,
    named_as_options,
    no_report_option,
    quiet_option,
    run_dir_option,
    run_path,
    run_root_option,
    seed_option,
)
from laxity.cli.run import resolution_here_ns
from laxity.cli.spec_options import key_option
from laxity.core.cpus import parse_cpus
from laxity.core.spec import NATIVE_PLATFORM, SIMULATED, RunTable, TaskTable
from laxity.core.spec_reader import split_words
from laxity.errors import ConfigError, located

_PROCESSES, _JOBS = 20, 50
# Nothing varies from one simulated process to the next.
_PROCESSES_SIMULATED, _JOBS_SIMULATED = 1, 5
_TELL_EVERY_S = 10


@click.group()
def profile() -> None:
    """Tell what programs do in jobs: how long they take, alone and interfered with."""


@profile.command()
@click.argument("workloads", metavar="WORKLOAD...", nargs=-1, required=True)
@click.option(
    "-b",
    "--words",
    metavar="'WORD...'",
    help="Words for the workload, one quoted string.  [default: those of its example]",
)
@key_option(TaskTable, "period")
@key_option(TaskTable, "deadline")
@key_option(TaskTable, "cpus")
@key_option(TaskTable, "policy")
@key_option(TaskTable, "priority")
@click.option(
    "--processes",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Fresh processes in each scenario.  [default: 20; simulated 1]",
)
@click.option(
    "-t",
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    help="Jobs of each process.  [default: 50; simulated 5]",
)
@click.option(
    "--scenario",
    "scenarios",
    metavar="'NAME=WORKLOAD ARG...@CPUS'",
    multiple=True,
    help="Co-runners, several with semicolons; repeatable.  [default: readers, mixed, writers]",
)
@key_option(RunTable, "platform")
@seed_option
@allow_unprivileged_option
@run_dir_option
@run_root_option
@no_report_option
@format_option("table", "json")
@quiet_option
@debug_option
def wcet(  # noqa: PLR0913 - one parameter per option
    *,
    workloads: tuple[str, ...],
    words: str | None,
    processes: int | None,
    jobs: int | None,
    scenarios: tuple[str, ...],
    platform: str | None,
    seed: int | None,
    allow_unprivileged: bool,
    run_dir: str | None,
    run_root: str | None,
    no_report: bool,
    output_format: str,
    quiet: bool,
    **task: object,
) -> int:
    """Measure how long jobs take: the observed maximum, quantiles, how much longer than alone.

    Each WORKLOAD runs in fresh processes, alone and beside the co-runners of each scenario in turn,
    so that what the machine does meanwhile is in all of them. Without --period it is twice the
    longest response of a pilot. The observed maximum is not a bound.
    """
    from laxity.core.signals import forwarded_signals  # noqa: PLC0415 - with the below
    from laxity.platform.doctor import default_cpus  # noqa: PLC0415 - heavy
    from laxity.platform.platform import open_platform  # noqa: PLC0415 - with the above
    from laxity.platform.tools import list_workloads  # noqa: PLC0415 - with the above
    from laxity.profile.execute import ProfileRequest, run_profile  # noqa: PLC0415 - with the above
    from laxity.profile.scenario import read_scenarios, usual_scenarios  # noqa: PLC0415 - with the above

    if words is not None and len(workloads) > 1:
        msg = "-b: describes one workload, and several are named; name one"
        raise ConfigError(msg)
    name = platform or NATIVE_PLATFORM
    is_simulated = name.startswith(SIMULATED)
    examples = {one.name: one.example for one in list_workloads()}
    given = {key: value for key, value in task.items() if value is not None}
    targets = tuple(
        {
            "workload": one,
            "args": split_words(words, "-b") if words is not None else examples.get(one, []),
        }
        for one in workloads
    )
    with located("--platform"):
        opened = open_platform(None, name)
    with opened as where:
        allowed = sorted(where.cpus().allowed)
        if "cpus" not in given:
            given["cpus"] = str(allowed[0] if is_simulated else default_cpus(where.facts())[-1])
        others = [cpu for cpu in allowed if cpu not in parse_cpus(given["cpus"])]
        usual = (_PROCESSES_SIMULATED, _JOBS_SIMULATED) if is_simulated else (_PROCESSES, _JOBS)
        request = ProfileRequest(
            targets=tuple({**given, **one} for one in targets),
            scenarios=read_scenarios(scenarios) if scenarios else usual_scenarios(others),
            n_processes=processes or usual[0],
            run={
                "jobs": jobs or usual[1],
                "seed": 1 if seed is None and is_simulated else seed,
                "platform": name,
            },
            resolution_ns=1 if is_simulated else resolution_here_ns(),
            final=run_path("profile", run_dir, run_root),
            command_line=["laxity", *sys.argv[1:]],
            allow_unprivileged=allow_unprivileged,
            on_begin=_Progress(is_quiet=quiet).show,
        )
        with named_as_options({*given, "jobs", "seed"}), forwarded_signals() as signals:
            finished = run_profile(request, signals, where)
    return show_finished(finished, output_format=output_format, has_report=not no_report)


class _Progress:
    """A line on stderr, at most every 10 s, with the time that is left."""

    def __init__(self, *, is_quiet: bool) -> None:
        self._is_quiet = is_quiet
        self._begun_s = self._told_s = time.monotonic()

    def show(self, number: int, n_all: int, name: str) -> None:
        """Tell what begins."""
        now_s = time.monotonic()
        if self._is_quiet or (number > 1 and now_s - self._told_s < _TELL_EVERY_S):
            return
        self._told_s = now_s
        done = number - 1
        left = f", {(now_s - self._begun_s) / done * (n_all - done):.0f} s left" if done else ""
        print(f"laxity profile: {number} of {n_all}: {name}{left}", file=sys.stderr)
