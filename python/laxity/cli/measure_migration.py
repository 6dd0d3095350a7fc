# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity measure migration`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from laxity.cli.measured import (
    MeasureOptions,
    measure_options,
    plan_and_measure,
    priority_option,
    repetitions_option,
)
from laxity.cli.sizes import read_size, read_sizes
from laxity.core.cpus import parse_cpus
from laxity.core.units import parse_duration_ns
from laxity.errors import located

if TYPE_CHECKING:
    from laxity.costs.migration.plan import Asked

_MOST_PAIRS = 10_000


class _Options(MeasureOptions, frozen=True, kw_only=True):
    """All options as click gives them; None: not given."""

    cpus: str | None
    pairs: int
    sizes: str | None
    max_size: str | None
    pattern: tuple[str, ...]
    repetitions: int
    priority: int
    budget: str
    costs: str | None


@click.command()
@click.option("--cpus", metavar="LIST", help="Between which the task moves.  [default: all]")
@click.option(
    "--pairs",
    type=click.IntRange(2, _MOST_PAIRS),
    metavar="N",
    default=12,
    show_default=True,
    help="Measure so many ordered pairs of CPUs at most, drawn at random, all kinds of distance.",
)
@click.option(
    "--sizes",
    metavar="SIZE,SIZE",
    help="Working sets.  [default: from 4KiB to min(2 x L2, 2 x last level, 64MiB, 1/8 of memory)]",
)
@click.option("--max-size", metavar="SIZE", help="Largest working set that is chosen.")
@click.option(
    "--pattern",
    type=click.Choice(("sequential", "chase")),
    multiple=True,
    help="Order of the task's accesses; chase is random.  [default: both]",
)
@repetitions_option(100, "Migrations of each kind, and as many of each control.")
@click.option(
    "--budget",
    metavar="TIME",
    default="45s",
    show_default=True,
    help="Fewer repetitions, but at least 6, where they take longer.",
)
@click.option(
    "--costs",
    metavar="FILE|RUN|none",
    help="Show gamma of this cost model (laxity measure crpd) beside.  [default: none]",
)
@priority_option("Of the task that moves.")
@measure_options(timeout="10m")
def migration(**given: object) -> int:
    """Measure what a task loses by going on on another CPU, against its working set.

    A task passes over its working set until it is warm, moves, and passes over it on the other CPU.
    Controls stay, sleep as long, or go and come back, all alternating at random. A figure that does
    not stand out of the noise is shown as not measurable.
    """
    from laxity.costs.migration.plan import describe, plan_migration  # noqa: PLC0415 - heavy

    options = msgspec.convert(given, _Options)
    asked = _asked(options)
    return plan_and_measure(
        options, "migration", lambda facts, cpus: plan_migration(asked, facts, cpus), describe
    )


def _asked(options: _Options) -> "Asked":
    from laxity.costs.merge import read_costs  # noqa: PLC0415 - with the above
    from laxity.costs.migration.plan import Asked  # noqa: PLC0415 - heavy

    with located("--cpus"):
        cpus = tuple(parse_cpus(options.cpus)) if options.cpus is not None else ()
    with located("--budget"):
        budget_ns = parse_duration_ns(options.budget)
    with located("--timeout"):
        timeout_ns = parse_duration_ns(options.timeout)
    return Asked(
        cpus=cpus,
        pairs_limit=options.pairs,
        sizes_bytes=read_sizes("--sizes", options.sizes),
        max_bytes=None if options.max_size is None else read_size("--max-size", options.max_size),
        patterns=options.pattern,
        repetitions=options.repetitions,
        priority=options.priority,
        budget_ns=budget_ns,
        timeout_ns=timeout_ns,
        seed=options.seed or 0,
        costs=None if options.costs in {None, "none"} else read_costs(Path(str(options.costs))),
    )
