# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity profile memory-need`: how much memory programs request, have mapped, and touch.

Simulated, how many lines and pages they touch.
"""

import sys

import click
import msgspec

from laxity.cli.finished import show_finished
from laxity.cli.options import (
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
from laxity.cli.run import resolution_here_ns
from laxity.cli.spec_options import key_option
from laxity.core.spec import NATIVE_PLATFORM, SIMULATED, RunTable, TaskTable
from laxity.errors import ConfigError, located

_PROCESSES, _JOBS = 3, 5


class _Options(Which, frozen=True, kw_only=True):
    """The options as click gives them; None: not given."""

    cpus: str | None
    processes: int | None
    jobs: int
    platform: str | None
    seed: int | None
    run_dir: str | None
    run_root: str | None
    no_report: bool
    output_format: str


@click.command("memory-need")
@with_options(
    which_options,
    key_option(TaskTable, "cpus"),
    click.option(
        "--processes",
        type=click.IntRange(1, 1000),
        metavar="N",
        help=f"Fresh processes.  [default: {_PROCESSES}; simulated 1]",
    ),
    click.option(
        "-t",
        "--jobs",
        type=click.IntRange(1),
        metavar="N",
        default=_JOBS,
        show_default=True,
        help="Jobs of each process.",
    ),
    key_option(RunTable, "platform"),
    seed_option,
    continued_options,
)
def memory_need(**given: object) -> int:
    """Measure how much memory programs need: requested, mapped and touched, which are never added.

    Each WORKLOAD, quoted with its words if it has some, or program of a --suite, runs alone in
    fresh processes, in which nothing is locked or prefaulted. What one that does nothing needs is
    the harness's, and is taken off. No program is killed to find out: a limit of memory is only
    noted when it is crossed. With --run-dir one that was interrupted or killed goes on.

    On a simulated platform what its jobs touch is counted instead: distinct lines of the platform's
    caches, and pages, by the kind of memory.
    """
    return _memory_need(msgspec.convert(given, _Options))


def _memory_need(options: _Options) -> int:
    from laxity.core.signals import forwarded_signals  # noqa: PLC0415 - with the below
    from laxity.platform.doctor import default_cpus  # noqa: PLC0415 - heavy
    from laxity.platform.platform import open_platform  # noqa: PLC0415 - with the above
    from laxity.profile.need_execute import NeedRequest, run_need  # noqa: PLC0415 - with the above

    name = options.platform or NATIVE_PLATFORM
    is_simulated = name.startswith(SIMULATED)
    if is_simulated and options.processes not in (None, 1):
        msg = f"--processes: nothing differs between processes on {name}; leave it out"
        raise ConfigError(msg)
    with located("--platform"):
        opened = open_platform(None, name)
    suite = read_suite(options, options.platform, is_need=True)
    with (
        forwarded_signals() as signals,
        opened as where,
        targets_of(options, suite, signals) as (targets, guests),
    ):
        here = min(where.cpus().allowed) if is_simulated else default_cpus(where.facts())[-1]
        request = NeedRequest(
            targets=tuple({"cpus": options.cpus or str(here), **one} for one in targets),
            n_processes=1 if is_simulated else options.processes or _PROCESSES,
            run={
                "jobs": options.jobs,
                "seed": 1 if options.seed is None and is_simulated else options.seed,
                "platform": name,
            },
            resolution_ns=1 if is_simulated else resolution_here_ns(),
            final=run_path("profile", options.run_dir, options.run_root),
            command_line=["laxity", *sys.argv[1:]],
            display=progress(is_quiet=options.quiet),
            guests=guests,
        )
        with named_as_options({"cpus", "jobs", "seed", "platform"}):
            finished = run_need(request, signals, where)
    return show_finished(
        finished, output_format=options.output_format, has_report=not options.no_report
    )
