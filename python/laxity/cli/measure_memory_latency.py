# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity measure memory-latency`."""

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
from laxity.core.cpus import parse_cpus, parse_nodes
from laxity.core.streams import MEMORY_CASES
from laxity.core.units import parse_duration_ns, parse_size_bytes
from laxity.errors import ConfigError, located

if TYPE_CHECKING:
    from laxity.costs.memory_latency.plan import Asked

_SMALLEST_BYTES = 1024
# Indices of a batch are words of 4 bytes, numbered in 32 bits.
_LARGEST_BYTES = 16 << 30


class _Options(MeasureOptions, frozen=True, kw_only=True):
    """The options as click gives them; None: not given."""

    cpus: str | None
    nodes: str | None
    sizes: str | None
    max_size: str | None
    case: tuple[str, ...]
    pages: str
    repetitions: int
    priority: int


@click.command("memory-latency")
@click.option(
    "--cpus",
    metavar="LIST",
    help="Measured one after the other.  [default: one per NUMA node, at most 4; two where there "
    "is one node]",
)
@click.option(
    "--nodes", metavar="LIST", help="NUMA nodes of the memory.  [default: all that have any]"
)
@click.option(
    "--sizes",
    metavar="SIZE,SIZE",
    help="Of the array.  [default: from 4KiB to min(4 x last level, 1/8 of free memory)]",
)
@click.option("--max-size", metavar="SIZE", help="Largest size that is chosen.")
@click.option(
    "--case",
    type=click.Choice(MEMORY_CASES),
    multiple=True,
    help="Random accesses that wait for each other, or that do not; streams.  [default: all]",
)
@click.option(
    "--pages",
    type=click.Choice(("ordinary", "huge")),
    default="ordinary",
    show_default=True,
    help="Kind of pages; huge ones take the TLB out of the curve.",
)
@repetitions_option(36, "Batches of each case and size, each in other pages and another order.")
@priority_option("Of what is measured.")
@measure_options(timeout="10m")
def memory_latency(**given: object) -> int:
    """Measure the time of a memory access against the size of the array that is used.

    Per CPU and NUMA node: 4096 random reads and writes, a chain of pointers in random order, and
    streams. Levels of the memory hierarchy are detected in the chain's curve and shown beside what
    the system claims.
    """
    from laxity.costs.memory_latency.plan import describe, plan_memory_latency  # noqa: PLC0415 - heavy

    options = msgspec.convert(given, _Options)
    asked = _asked(options)
    return plan_and_measure(
        options,
        "memory-latency",
        lambda facts, cpus: plan_memory_latency(asked, facts, cpus),
        describe,
    )


def _asked(options: _Options) -> "Asked":
    from laxity.costs.memory_latency.plan import Asked  # noqa: PLC0415 - heavy

    with located("--cpus"):
        cpus = parse_cpus(options.cpus) if options.cpus is not None else ()
    with located("--nodes"):
        nodes = parse_nodes(options.nodes) if options.nodes is not None else ()
    with located("--timeout"):
        timeout_ns = parse_duration_ns(options.timeout)
    parts = [] if options.sizes is None else options.sizes.split(",")
    return Asked(
        cpus=cpus,
        nodes=nodes,
        sizes_bytes=tuple(sorted({_size("--sizes", part) for part in parts})),
        max_bytes=None if options.max_size is None else _size("--max-size", options.max_size),
        cases=tuple(case for case in MEMORY_CASES if case in options.case),
        pages=options.pages,
        repetitions=options.repetitions,
        priority=options.priority,
        timeout_ns=timeout_ns,
    )


def _size(option: str, text: str) -> int:
    with located(option):
        size_bytes = parse_size_bytes(text)
    if not _SMALLEST_BYTES <= size_bytes <= _LARGEST_BYTES:
        msg = f"{option}: {text} is not within 1KiB to 16GiB; choose another size"
        raise ConfigError(msg)
    return size_bytes
