# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What switches take: what the probe `switch` is asked, and what it finds."""

from collections.abc import Sequence
from dataclasses import dataclass

from laxity.core.cpus import format_cpus, parse_cpus
from laxity.core.units import format_duration_ns, format_size_bytes
from laxity.costs import probe
from laxity.costs.options import (
    cpus_option,
    priority_option,
    repetitions_option,
    size_option,
    time_option,
    words_option,
)
from laxity.costs.pace import Pace
from laxity.costs.places import check_cpus, default_cpu, usual_limits_bytes
from laxity.costs.probe import NS_PER_S, Probe, Source, repeated
from laxity.costs.switch import costs, data, section
from laxity.costs.switch.rows import QUANTITIES
from laxity.errors import PlatformError
from laxity.jobs.view import View
from laxity.platform.facts import Facts
from laxity.platform.machine import SimulatedFacts
from laxity.platform.placement import Cpus
from laxity.store.manifest import Fallback
from laxity.store.measurements import SwitchMeasurement

# One is below the victim.
_LOWEST_PRIORITY = 2
_SPIN_NS = (10**6, 3600 * NS_PER_S)
# Who takes the core, and when; nothing else interrupts a task there.
_SIMULATED_QUANTITIES = ("preemption", "sync", "timer")
# Per repetition (native/probes/switch_settings.c); to each CPU that is woken one more.
_ROWS = {"preemption": 2, "timer": 1, "release": 4, "kernel": 6, "sync": 2}
_OPTIONS = (
    cpus_option("Measured one after the other.  [default: one]"),
    cpus_option("CPUs that are woken from each.  [default: all others]", "--to", "to_cpus"),
    words_option("--quantity", "quantities", QUANTITIES, "What is observed.  [default: all]"),
    size_option(
        "Buffer that is written in the worst case.  [default: 4 x L2; simulated: 2 x last cache]",
        "--evict-size",
        "evict_bytes",
    ),
    time_option(
        "--spin",
        "spin_ns",
        "How long gaps are looked for, per CPU, for the tick and once more for irq.",
        _SPIN_NS,
    ),
    repetitions_option("Observations of each kind; p99 needs 368 of them."),
    priority_option("Of the victim; the preemptor has one more.", _LOWEST_PRIORITY),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(probe.Asked):
    """What the user asked of `measure switch`; empty or None: chosen for the machine.

    Attributes:
        to_cpus: Woken from each of the CPUs.
        evict_bytes: Buffer that is written in the worst case.
    """

    to_cpus: tuple[int, ...] = ()
    quantities: tuple[str, ...] = ()
    evict_bytes: int | None = None
    spin_ns: int = 2 * NS_PER_S
    repetitions: int = 1000
    timeout_ns: int = 300 * NS_PER_S


def plan_switch(
    asked: Asked, facts: Facts, cpus: Cpus
) -> tuple[SwitchMeasurement, tuple[Fallback, ...]]:
    """Decide what `measure switch` measures on a machine.

    Args:
        asked: What the user chose.
        facts: The machine.
        cpus: What this process may use.

    Returns:
        The measurement, and what was left out and why.

    Raises:
        ConfigError: There is no such CPU.
        PlatformError: A CPU that this process may not use, or none to wake.
    """
    chosen = asked.cpus or default_cpu(facts, cpus)
    check_cpus(chosen, cpus)
    to_cpus = asked.to_cpus or tuple(sorted(cpus.allowed))
    check_cpus(to_cpus, cpus)
    quantities, fallbacks = _quantities(asked, facts)
    if "wakeup" in quantities and len({*chosen, *to_cpus}) == 1:
        reason = f"there is no CPU beside {format_cpus(chosen)} to be woken"
        quantities = tuple(one for one in quantities if one != "wakeup")
        if not quantities:
            msg = f"--quantity wakeup: {reason}; choose another quantity or widen the cpuset"
            raise PlatformError(msg)
        fallbacks += (Fallback(what="ipi_wakeup", used="nothing", reason=reason),)
    _, evict_bytes = usual_limits_bytes(facts, chosen[0])
    measurement = SwitchMeasurement(
        cpus=format_cpus(chosen),
        priority=asked.priority,
        repetitions=asked.repetitions,
        timeout_ns=asked.timeout_ns,
        to_cpus=format_cpus(to_cpus),
        quantities=list(quantities),
        evict_bytes=asked.evict_bytes or evict_bytes,
        spin_ns=asked.spin_ns,
    )
    return measurement, fallbacks


def _quantities(asked: Asked, facts: Facts) -> tuple[tuple[str, ...], tuple[Fallback, ...]]:
    """Choose what is observed: on a simulated platform only what its model knows.

    Raises:
        PlatformError: Something else was asked for.
    """
    if not isinstance(facts, SimulatedFacts):
        return asked.quantities or QUANTITIES, ()
    reason = "a simulated platform has no Linux with interrupts, ticks and records"
    unknown = [one for one in asked.quantities if one not in _SIMULATED_QUANTITIES]
    if unknown:
        msg = f"--quantity {unknown[0]}: {reason}; use {', '.join(_SIMULATED_QUANTITIES)}"
        raise PlatformError(msg)
    left_out = [one for one in QUANTITIES if one not in _SIMULATED_QUANTITIES]
    fallback = Fallback(what=f"quantities {', '.join(left_out)}", used="nothing", reason=reason)
    return asked.quantities or _SIMULATED_QUANTITIES, () if asked.quantities else (fallback,)


def describe(measurement: SwitchMeasurement) -> str:
    """Say in one line what is measured."""
    text = (
        f"{', '.join(measurement.quantities)} on CPU {measurement.cpus}, "
        f"{measurement.repetitions} times each; worst case by writing "
        f"{format_size_bytes(measurement.evict_bytes)}"
    )
    if {"spin", "irq"} & {*measurement.quantities}:
        text += f", interrupts looked for during {format_duration_ns(measurement.spin_ns)}"
    return text


def _words(asked: SwitchMeasurement) -> list[str]:
    return [
        *repeated("--quantity", asked.quantities),
        *(("--to", asked.to_cpus) if asked.to_cpus else ()),
        *("--evict-size", f"{asked.evict_bytes}B", "--spin", f"{asked.spin_ns}ns"),
    ]


def _measured(sources: Sequence[Source]) -> tuple[costs.Cost, ...]:
    return costs.pool(
        cost for source in sources for cost in costs.costs(source.streams["switch"], source.run)
    )


def _paced(asked: SwitchMeasurement) -> Pace | None:
    """Tell how many rows are planned on a CPU; interrupts are as many as there are.

    With several CPUs nobody knows on which of them the observations so far were made.
    """
    if len(parse_cpus(asked.cpus)) > 1:
        return None
    n_to = len(set(parse_cpus(asked.to_cpus)) - set(parse_cpus(asked.cpus))) if asked.to_cpus else 0
    rows = {**_ROWS, "wakeup": n_to}
    n_looked_for = len({"spin", "irq"} & {*asked.quantities})
    n = sum(rows.get(one, 0) for one in asked.quantities) * asked.repetitions
    return Pace([(n, 1.0)], after_s=n_looked_for * asked.spin_ns / NS_PER_S)


PROBE = Probe(
    help="""Measure what the kernel takes when it switches, wakes tasks and is interrupted.

    A victim stamps the clock in a tight loop; a task above it is released by a timer at a random
    phase. From its last stamp to the first one of the preemptor is preempt_in, back preempt_out;
    delta is half of both. Beside them: the kernel's own part by its records (switch_kernel),
    switch_sync, timer_latency, release_isr, the tick and its period, irq by interrupt, and
    ipi_wakeup per pair of CPUs.
    """,
    asked=Asked,
    options=_OPTIONS,
    plan=plan_switch,
    describe=describe,
    words=_words,
    paced=_paced,
    streams=("switch",),
    measured=_measured,
    entries=costs.entries,
    samples=costs.entry_samples,
    view=View(
        read=data.read_switch,
        document=data.document,
        asked="what the kernel takes when it switches, wakes tasks and is interrupted",
        sentences=section.sentences,
        sections=(section.build, section.build_method),
    ),
)
