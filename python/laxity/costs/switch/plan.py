# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `measure switch` measures on a machine."""

from dataclasses import dataclass

from laxity.core.cpus import format_cpus
from laxity.core.units import format_duration_ns, format_size_bytes
from laxity.costs.places import available_bytes, check_cpus, default_cpu, size_limit_bytes
from laxity.errors import PlatformError
from laxity.platform.facts import Facts
from laxity.platform.machine import describe_machine
from laxity.platform.placement import Cpus
from laxity.store.manifest import Fallback
from laxity.store.measurements import SwitchMeasurement

QUANTITIES = ("preemption", "sync", "timer", "release", "spin", "wakeup", "kernel", "irq")
_NS_PER_S = 10**9


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user asked of `measure switch`; empty or None: chosen for the machine.

    Attributes:
        cpus: Measured one after the other.
        to_cpus: Woken from each of them.
        evict_bytes: Buffer that is written in the worst case.
    """

    cpus: tuple[int, ...] = ()
    to_cpus: tuple[int, ...] = ()
    quantities: tuple[str, ...] = ()
    evict_bytes: int | None = None
    spin_ns: int = 2 * _NS_PER_S
    repetitions: int = 1000
    priority: int = 80
    timeout_ns: int = 300 * _NS_PER_S


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
    quantities: tuple[str, ...] = asked.quantities or QUANTITIES
    fallbacks: tuple[Fallback, ...] = ()
    if "wakeup" in quantities and len({*chosen, *to_cpus}) == 1:
        reason = f"there is no CPU beside {format_cpus(chosen)} to be woken"
        quantities = tuple(one for one in quantities if one != "wakeup")
        if not quantities:
            msg = f"--quantity wakeup: {reason}; choose another quantity or widen the cpuset"
            raise PlatformError(msg)
        fallbacks = (Fallback(what="ipi_wakeup", used="nothing", reason=reason),)
    limit_bytes = size_limit_bytes(describe_machine(facts), chosen[0], available_bytes(facts))
    measurement = SwitchMeasurement(
        cpus=format_cpus(chosen),
        priority=asked.priority,
        repetitions=asked.repetitions,
        timeout_ns=asked.timeout_ns,
        to_cpus=format_cpus(to_cpus),
        quantities=list(quantities),
        evict_bytes=asked.evict_bytes or limit_bytes,
        spin_ns=asked.spin_ns,
    )
    return measurement, fallbacks


def describe(measurement: SwitchMeasurement) -> str:
    """Say in one line what is measured."""
    return (
        f"{', '.join(measurement.quantities)} on CPU {measurement.cpus}, "
        f"{measurement.repetitions} times each; worst case by writing "
        f"{format_size_bytes(measurement.evict_bytes)}, interrupts looked for during "
        f"{format_duration_ns(measurement.spin_ns)}"
    )
