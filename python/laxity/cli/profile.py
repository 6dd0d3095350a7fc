# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity profile`: what programs do in jobs, alone and interfered with."""

import sys
from typing import TYPE_CHECKING, Any

import click
import msgspec

from laxity.cli.command_group import CommandGroup
from laxity.cli.finished import show_finished
from laxity.cli.options import (
    allow_unprivileged_option,
    continued_options,
    named_as_options,
    run_path,
    seed_option,
    with_options,
)
from laxity.cli.profile_common import (
    Which,
    progress,
    read_suite,
    targets_of,
    which_options,
)
from laxity.cli.profile_need import memory_need
from laxity.cli.run import resolution_here_ns
from laxity.cli.spec_options import key_option
from laxity.core.cpus import parse_cpus
from laxity.core.executor import MOST_WORKERS, Workers, n_cpus
from laxity.core.spec import NATIVE_PLATFORM, SIMULATED, RunTable, TaskTable
from laxity.errors import ConfigError, located

if TYPE_CHECKING:
    from laxity.profile.document import Analysis

_PROCESSES, _JOBS = 20, 50
# Of a profile that ends by itself.
_MOST_PROCESSES = 200
# Nothing varies from one simulated process to the next.
_PROCESSES_SIMULATED, _JOBS_SIMULATED = 1, 5
_COUNTED: tuple["Analysis", ...] = ("cache", "intensity", "memory-traffic")
_ALL: tuple["Analysis", ...] = ("wcet", "schedulability", *_COUNTED)
_TASK_KEYS = ("period", "deadline", "cpus", "policy", "priority", "runtime", "threads", "calls")


class _Options(Which, frozen=True, kw_only=True):
    """The options as click gives them; None: not given."""

    period: str | None
    deadline: str | None
    cpus: str | None
    policy: str | None
    priority: int | None
    runtime: str | None
    threads: int | None
    calls: int | None
    processes: int | None
    still: int | None
    jobs: int | None
    scenario: tuple[str, ...]
    platform: str | None
    workers: int | None
    seed: int | None
    allow_unprivileged: bool
    run_dir: str | None
    run_root: str | None
    no_report: bool
    output_format: str

    @property
    def task(self) -> dict[str, Any]:
        """What was given of the task."""
        given = {key: getattr(self, key) for key in _TASK_KEYS}
        return {key: value for key, value in given.items() if value is not None}


@click.group(cls=CommandGroup)
def profile() -> None:
    """Tell what programs do in jobs: how long they take, alone and interfered with."""


_options = with_options(
    which_options,
    key_option(TaskTable, "calls"),
    key_option(TaskTable, "period"),
    key_option(TaskTable, "deadline"),
    key_option(TaskTable, "cpus"),
    key_option(TaskTable, "policy"),
    key_option(TaskTable, "priority"),
    key_option(TaskTable, "runtime"),
    key_option(TaskTable, "threads"),
    click.option(
        "--processes",
        type=click.IntRange(1, 1000),
        metavar="N",
        help="Fresh processes in each scenario.  [default: 20; simulated 1; --still 200 at most]",
    ),
    click.option(
        "--still",
        type=click.IntRange(1),
        metavar="N",
        help="End when no maximum has moved for N jobs, after 20 processes or more.",
    ),
    click.option(
        "-t",
        "--jobs",
        type=click.IntRange(1),
        metavar="N",
        help="Jobs of each process.  [default: 50; simulated 5]",
    ),
    click.option(
        "--scenario",
        metavar="'NAME=WORKLOAD ARG...@CPUS'",
        multiple=True,
        help="Co-runners, several with semicolons; repeatable.  [default: readers, mixed, writers]",
    ),
    key_option(RunTable, "platform"),
    click.option(
        "--workers",
        type=click.IntRange(1, MOST_WORKERS),
        metavar="N",
        help="Simulated processes at once.  [default: one per CPU]",
    ),
    seed_option,
    allow_unprivileged_option,
    continued_options,
)


@profile.command()
@_options
def wcet(**given: object) -> int:
    """Measure how long jobs take: the observed maximum, quantiles, how much longer than alone.

    Each WORKLOAD, quoted with its words if it has some, or program of a --suite, runs in fresh
    processes, alone and beside the co-runners of each scenario in turn, so that what the machine
    does meanwhile is in all of them. Without --period it is twice the longest response of a pilot.
    The observed maximum is not a bound. With --run-dir one that was interrupted or killed goes on.
    """
    return _profile("wcet", options=msgspec.convert(given, _Options))


@profile.command()
@_options
def schedulability(**given: object) -> int:
    """Tell which share of jobs meets a deadline of WCET / utilisation, from 5 % to 100 %.

    The WCET is the longest execution that was observed alone; responses are those beside the
    co-runners of each scenario. What runs, and how often, is as in laxity profile wcet.
    """
    return _profile("schedulability", options=msgspec.convert(given, _Options))


@profile.command()
@_options
def cache(**given: object) -> int:
    """Tell how many references of each cache miss, alone and interfered with.

    Needs counters: those of this machine's processor, or of a simulated platform, which counts
    while it costs nothing. What runs, and how often, is as in laxity profile wcet.
    """
    return _profile("cache", options=msgspec.convert(given, _Options))


@profile.command()
@_options
def intensity(**given: object) -> int:
    """Tell whether programs are bound by the processor or by the memory.

    Last-level misses and memory traffic per instruction, and instructions per cycle, alone and
    interfered with. Needs counters, as laxity profile cache does.
    """
    return _profile("intensity", options=msgspec.convert(given, _Options))


@profile.command("memory-traffic")
@_options
def memory_traffic(**given: object) -> int:
    """Tell what programs ask of the memory in the course of a job, and in which phases.

    Jobs are laid over each other by their instructions; phases are those that the program names by
    laxity_phase, else those that its rate alone has, and how much slower each becomes beside the
    co-runners. Needs counters, as laxity profile cache does.
    """
    return _profile("memory-traffic", options=msgspec.convert(given, _Options))


@profile.command("all")
@_options
def every(**given: object) -> int:
    """Show all of these of the same runs.

    What runs, and how often, is as in laxity profile wcet. Needs counters, as laxity profile cache
    does.
    """
    return _profile(*_ALL, options=msgspec.convert(given, _Options))


profile.add_command(memory_need)


def _profile(*analyses: "Analysis", options: _Options) -> int:
    from laxity.core.signals import forwarded_signals  # noqa: PLC0415 - with the below
    from laxity.platform.doctor import default_cpus  # noqa: PLC0415 - heavy
    from laxity.platform.platform import open_platform  # noqa: PLC0415 - with the above
    from laxity.profile.events import events_to_count  # noqa: PLC0415 - with the above
    from laxity.profile.execute import ProfileRequest, run_profile  # noqa: PLC0415 - with the above
    from laxity.profile.scenario import read_scenarios, usual_scenarios  # noqa: PLC0415 - with the above

    given = options.task
    name = options.platform or NATIVE_PLATFORM
    is_simulated = name.startswith(SIMULATED)
    is_counting = any(one in _COUNTED for one in analyses)
    if options.workers is not None and not is_simulated:
        msg = "--workers: on a machine one process runs after the other; leave it out"
        raise ConfigError(msg)
    with located("--platform"):
        opened = open_platform(None, name)
    suite = read_suite(options, options.platform, options.calls)
    with (
        forwarded_signals() as signals,
        opened as where,
        targets_of(options, suite, signals) as (targets, guests),
    ):
        allowed = sorted(where.cpus().allowed)
        if "cpus" not in given:
            given["cpus"] = str(allowed[0] if is_simulated else default_cpus(where.facts())[-1])
        others = [cpu for cpu in allowed if cpu not in parse_cpus(given["cpus"])]
        usual = (_PROCESSES_SIMULATED, _JOBS_SIMULATED) if is_simulated else (_PROCESSES, _JOBS)
        request = ProfileRequest(
            analyses=analyses,
            targets=tuple({**given, **one} for one in targets),
            scenarios=read_scenarios(options.scenario)
            if options.scenario
            else usual_scenarios(others),
            n_processes=options.processes or (_MOST_PROCESSES if options.still else usual[0]),
            still_jobs=options.still or 0,
            # Where counting and sampling take no time, one run serves all analyses.
            events=events_to_count(name) if is_simulated or is_counting else (),
            has_samples=is_simulated or "memory-traffic" in analyses,
            run={
                "jobs": options.jobs or usual[1],
                "seed": 1 if options.seed is None and is_simulated else options.seed,
                "platform": name,
                # What the platform's processor does not count, its model does.
                **({"counters": "model"} if is_simulated else {}),
            },
            resolution_ns=1 if is_simulated else resolution_here_ns(),
            final=run_path("profile", options.run_dir, options.run_root),
            command_line=["laxity", *sys.argv[1:]],
            allow_unprivileged=options.allow_unprivileged,
            workers=Workers((options.workers or n_cpus()) if is_simulated else 1),
            display=progress(is_quiet=options.quiet),
            guests=guests,
        )
        with named_as_options({*given, "jobs", "seed"}):
            finished = run_profile(request, signals, where)
    return show_finished(
        finished, output_format=options.output_format, has_report=not options.no_report
    )
