# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity measure migration-jobs`."""

from typing import TYPE_CHECKING

import click
import msgspec

from laxity.cli.measured import MeasureOptions, measure_options, plan_and_measure, priority_option
from laxity.cli.sizes import read_sizes
from laxity.core.cpus import parse_cpus
from laxity.core.units import parse_duration_ns
from laxity.errors import located

if TYPE_CHECKING:
    from laxity.costs.migration_jobs.plan import Asked

_MOST_JOBS = 1_000_000


class _Options(MeasureOptions, frozen=True, kw_only=True):
    """All options as click gives them; None: not given."""

    cpus: str | None
    sizes: str
    workload: tuple[str, ...]
    jobs: int
    change: int
    pause: str
    priority: int


@click.command(name="migration-jobs")
@click.option("--cpus", metavar="LIST", help="Among which the task changes.  [default: all]")
@click.option(
    "--sizes",
    metavar="SIZE,SIZE",
    default="2KiB,32KiB,786KiB,8MiB",
    show_default=True,
    help="Working sets of MEM, of the task and of those that interfere.",
)
@click.option(
    "--workload",
    type=click.Choice(("cpu", "mem")),
    multiple=True,
    help="CPU: primes up to two limits in turn; MEM: a pass over a working set.  [default: both]",
)
@click.option(
    "-t",
    "--jobs",
    type=click.IntRange(1, _MOST_JOBS),
    metavar="N",
    default=1000,
    show_default=True,
    help="Jobs of each load.",
)
@click.option(
    "--change",
    type=click.IntRange(1, _MOST_JOBS),
    metavar="N",
    default=9,
    show_default=True,
    help="Change the CPU after so many jobs or so; how many is drawn each time.",
)
@click.option(
    "--pause",
    metavar="TIME",
    default="1ms",
    show_default=True,
    help="Sleep between two jobs, or as long as a job takes; the ordinary tasks run then.",
)
@priority_option("Of the task that changes.")
@measure_options(timeout="10m")
def migration_jobs(**given: object) -> int:
    """Compare jobs that migrated with jobs that were only preempted.

    A real-time task changes its CPU every few jobs, while an ordinary task on every CPU uses a
    working set of the same size between its jobs (Raffeck et al., figures 8 to 13). A test says
    whether the first job on another CPU takes longer, and how large a difference may go unseen.
    """
    from laxity.costs.migration_jobs.plan import describe, plan_migration_jobs  # noqa: PLC0415 - heavy

    options = msgspec.convert(given, _Options)
    asked = _asked(options)
    return plan_and_measure(
        options,
        "migration-jobs",
        lambda facts, cpus: plan_migration_jobs(asked, facts, cpus),
        describe,
    )


def _asked(options: _Options) -> "Asked":
    from laxity.costs.migration_jobs.plan import Asked  # noqa: PLC0415 - heavy

    with located("--cpus"):
        cpus = tuple(parse_cpus(options.cpus)) if options.cpus is not None else ()
    with located("--pause"):
        pause_ns = parse_duration_ns(options.pause)
    with located("--timeout"):
        timeout_ns = parse_duration_ns(options.timeout)
    workloads = options.workload or ("cpu", "mem")
    sizes_bytes = read_sizes("--sizes", options.sizes)
    return Asked(
        cpus=cpus,
        sizes_bytes=sizes_bytes if "mem" in workloads else (),
        has_primes="cpu" in workloads,
        jobs=options.jobs,
        jobs_per_cpu=options.change,
        pause_ns=pause_ns,
        priority=options.priority,
        timeout_ns=timeout_ns,
    )
