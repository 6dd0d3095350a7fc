# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity measure switch`."""

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
from laxity.core.cpus import parse_cpus
from laxity.core.units import parse_duration_ns, parse_size_bytes
from laxity.errors import ConfigError, located

if TYPE_CHECKING:
    from laxity.costs.switch.plan import Asked

_SMALLEST_BYTES = 1024
_LARGEST_BYTES = 64 << 30
# One is below the victim.
_LOWEST_PRIORITY = 2
# As in native/cli/switch_options.c.
_LEAST_SPIN_NS = 10**6
_MOST_SPIN_NS = 3600 * 10**9
_QUANTITIES = ("preemption", "sync", "timer", "release", "spin", "wakeup", "kernel", "irq")


class _Options(MeasureOptions, frozen=True, kw_only=True):
    """The options as click gives them; None: not given."""

    cpus: str | None
    to: str | None
    quantity: tuple[str, ...]
    evict_size: str | None
    spin: str
    repetitions: int
    priority: int


@click.command()
@click.option("--cpus", metavar="LIST", help="Measured one after the other.  [default: one]")
@click.option("--to", metavar="LIST", help="CPUs that are woken from each.  [default: all others]")
@click.option(
    "--quantity",
    type=click.Choice(_QUANTITIES),
    multiple=True,
    help="What is observed.  [default: all]",
)
@click.option(
    "--evict-size",
    metavar="SIZE",
    help="Buffer that is written in the worst case.  [default: 4 x L2]",
)
@click.option(
    "--spin",
    metavar="TIME",
    default="2s",
    show_default=True,
    help="How long gaps are looked for, per CPU, for the tick and once more for irq.",
)
@repetitions_option(1000, "Observations of each kind; p99 needs 368 of them.")
@priority_option("Of the victim; the preemptor has one more.", lowest=_LOWEST_PRIORITY)
@measure_options(timeout="5m")
def switch(**given: object) -> int:
    """Measure what the kernel takes when it switches, wakes tasks and is interrupted.

    A victim stamps the clock in a tight loop; a task above it is released by a timer at a random
    phase. From its last stamp to the first one of the preemptor is preempt_in, back preempt_out;
    delta is half of both. Beside them: the kernel's own part by its records (switch_kernel),
    switch_sync, timer_latency, release_isr, the tick and its period, irq by interrupt, and
    ipi_wakeup per pair of CPUs.
    """
    from laxity.costs.switch.plan import describe, plan_switch  # noqa: PLC0415 - heavy

    options = msgspec.convert(given, _Options)
    asked = _asked(options)
    return plan_and_measure(
        options, "switch", lambda facts, cpus: plan_switch(asked, facts, cpus), describe
    )


def _asked(options: _Options) -> "Asked":
    from laxity.costs.switch.plan import Asked  # noqa: PLC0415 - heavy

    with located("--spin"):
        spin_ns = parse_duration_ns(options.spin)
        if not _LEAST_SPIN_NS <= spin_ns <= _MOST_SPIN_NS:
            msg = f"{options.spin} is out of range; choose 1ms to 3600s"
            raise ConfigError(msg)
    with located("--timeout"):
        timeout_ns = parse_duration_ns(options.timeout)
    return Asked(
        cpus=_cpus("--cpus", options.cpus),
        to_cpus=_cpus("--to", options.to),
        quantities=tuple(one for one in _QUANTITIES if one in options.quantity),
        evict_bytes=_evict_bytes(options.evict_size),
        spin_ns=spin_ns,
        repetitions=options.repetitions,
        priority=options.priority,
        timeout_ns=timeout_ns,
    )


def _cpus(option: str, text: str | None) -> tuple[int, ...]:
    with located(option):
        return () if text is None else tuple(parse_cpus(text))


def _evict_bytes(text: str | None) -> int | None:
    if text is None:
        return None
    with located("--evict-size"):
        size_bytes = parse_size_bytes(text)
    if not _SMALLEST_BYTES <= size_bytes <= _LARGEST_BYTES:
        msg = f"--evict-size: {text} is not within 1KiB to 64GiB; choose another size"
        raise ConfigError(msg)
    return size_bytes
