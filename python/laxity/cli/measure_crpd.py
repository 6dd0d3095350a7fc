# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity measure crpd`."""

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
from laxity.core.streams import CRPD_CASES, CRPD_EVICTS, CRPD_PATTERNS
from laxity.core.units import parse_duration_ns
from laxity.errors import located

if TYPE_CHECKING:
    from laxity.costs.crpd.plan import Asked


class _Options(MeasureOptions, frozen=True, kw_only=True):
    """The options as click gives them; None: not given."""

    cpus: str | None
    sizes: str | None
    max_size: str | None
    evict_size: str | None
    case: tuple[str, ...]
    pattern: tuple[str, ...]
    evict: tuple[str, ...]
    repetitions: int
    priority: int
    preemption: str | None


@click.command()
@click.option("--cpus", metavar="LIST", help="Measured one after the other.  [default: one]")
@click.option(
    "--sizes",
    metavar="SIZE,SIZE",
    help="Working sets.  [default: from 4KiB to min(4 x L2, 2 x last level, 64MiB, 1/8 of memory)]",
)
@click.option("--max-size", metavar="SIZE", help="Largest working set that is chosen.")
@click.option(
    "--evict-size",
    metavar="SIZE,SIZE",
    help="What the preemptor writes, reads or executes; several give gamma over the length of the "
    "preemption.  [default: 4 x L2]",
)
@click.option(
    "--case",
    type=click.Choice(CRPD_CASES),
    multiple=True,
    help="Preempted between two passes, or anywhere by a timer.  [default: both]",
)
@click.option(
    "--pattern",
    type=click.Choice(CRPD_PATTERNS),
    multiple=True,
    help="What the victim does: data in order, at random; code straight on, by a jump per line.  "
    "[default: all]",
)
@click.option(
    "--evict",
    type=click.Choice(CRPD_EVICTS),
    multiple=True,
    help="How lines are evicted: read data only, execute code only.  [default: all that the "
    "processor has]",
)
@repetitions_option(60, "Evicting observations of each kind; as many spin twice.")
@priority_option("Of the victim; the preemptor has one more.")
@click.option("--preemption", metavar="TIME", help="The preemptor lasts at least so long.")
@measure_options(timeout="10m")
def crpd(**given: object) -> int:
    """Measure the cache-related preemption delay (gamma) against the working set.

    A victim passes over its working set; a preemptor on the same CPU either evicts its lines or
    spins equally long, alternating at random. gamma is what the evicting one costs more. A figure
    that does not stand out of the noise is shown as not measurable.
    """
    from laxity.costs.crpd.plan import describe, plan_crpd  # noqa: PLC0415 - heavy

    options = msgspec.convert(given, _Options)
    asked = _asked(options)
    return plan_and_measure(
        options, "crpd", lambda facts, cpus: plan_crpd(asked, facts, cpus), describe
    )


def _asked(options: _Options) -> "Asked":
    from laxity.costs.crpd.plan import Asked  # noqa: PLC0415 - heavy

    with located("--cpus"):
        cpus = tuple(parse_cpus(options.cpus)) if options.cpus is not None else ()
    with located("--preemption"):
        preemption_ns = parse_duration_ns(options.preemption) if options.preemption else 0
    with located("--timeout"):
        timeout_ns = parse_duration_ns(options.timeout)
    return Asked(
        cpus=cpus,
        sizes_bytes=read_sizes("--sizes", options.sizes),
        max_bytes=None if options.max_size is None else read_size("--max-size", options.max_size),
        evict_sizes_bytes=read_sizes("--evict-size", options.evict_size),
        cases=options.case,
        patterns=options.pattern,
        evicts=options.evict,
        repetitions=options.repetitions,
        priority=options.priority,
        preemption_ns=preemption_ns,
        timeout_ns=timeout_ns,
    )
