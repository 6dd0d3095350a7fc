# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Where to measure on a machine: CPUs, and working sets that fit its caches and its memory."""

import re
from collections.abc import Sequence

from laxity.core.cpus import format_cpus
from laxity.errors import ConfigError, PlatformError
from laxity.platform.doctor import default_cpus
from laxity.platform.facts import Facts
from laxity.platform.machine import Machine, SimulatedFacts, caches_of, describe_machine
from laxity.platform.placement import Cpus

_SMALLEST_BYTES = 4096
_LARGEST_BYTES = 64 << 20
_L2, _FIRST_SHARED = 2, 2
# Around the L2, where the curve bends, sizes lie closer: in quarters of it.
_QUARTERS = (3, 5, 6)
# Of what is free, so that nothing is swapped: working set, evicting buffer, and the rest.
_MEMORY_SHARE = 8


def default_cpu(facts: Facts, cpus: Cpus) -> tuple[int, ...]:
    """Choose one CPU: the last of those that suit and that this process may use."""
    suited = [cpu for cpu in default_cpus(facts) if cpu in cpus.allowed] or sorted(cpus.allowed)
    return (suited[-1],)


def check_cpus(chosen: Sequence[int], cpus: Cpus) -> None:
    """Refuse CPUs that there are not, or that this process may not use.

    Raises:
        ConfigError: There is no such CPU.
        PlatformError: This process may not use one.
    """
    absent = sorted(set(chosen) - cpus.present)
    if absent:
        msg = (
            f"--cpus {format_cpus(chosen)}: no CPU {format_cpus(absent)} on this machine; "
            f"choose among {format_cpus(cpus.present)}"
        )
        raise ConfigError(msg)
    if not set(chosen) <= cpus.allowed:
        msg = (
            f"--cpus {format_cpus(chosen)}: this process may only use "
            f"{format_cpus(cpus.allowed)} (cpuset or affinity); choose among them or widen the set"
        )
        raise PlatformError(msg)


def cache_bytes(machine: Machine, cpu: int) -> tuple[int | None, int | None]:
    """Return the sizes of the second-level and the last-level cache of a CPU; None: not known."""
    data = [one for one in caches_of(machine, cpu) if one.kind.lower() != "instruction"]
    sizes = {one.level: one.size_bytes for one in data if one.size_bytes}
    last = sizes[max(sizes)] if sizes and max(sizes) >= _FIRST_SHARED else None
    return sizes.get(_L2), last


def size_limit_bytes(machine: Machine, cpu: int, free_bytes: int | None) -> int:
    """Bound working sets: min(4 x L2 per core, 2 x last level, 64 MiB, 1/8 of free memory).

    What is not known bounds nothing.
    """
    second, last = cache_bytes(machine, cpu)
    limits = [
        _LARGEST_BYTES,
        *([4 * second] if second else []),
        *([2 * last] if last else []),
        *([free_bytes // _MEMORY_SHARE] if free_bytes else []),
    ]
    return max(_SMALLEST_BYTES, min(limits))


def usual_limits_bytes(facts: Facts, cpu: int) -> tuple[int, int]:
    """Bound what is chosen: the working sets, and the buffer that evicts them.

    On a simulated platform the last level is exactly known and nobody else uses it: behind 9/8 of
    it gamma has gone, and twice as much empties it. Each byte more takes time to simulate.
    """
    machine = describe_machine(facts)
    if not isinstance(facts, SimulatedFacts):
        limit_bytes = size_limit_bytes(machine, cpu, available_bytes(facts))
        return limit_bytes, limit_bytes
    last = max((one.size_bytes or 0 for one in caches_of(machine, cpu)), default=0)
    return max(_SMALLEST_BYTES, last * 5 // 4), max(_SMALLEST_BYTES, 2 * last)


def sizes_bytes(second_level_bytes: int | None, limit_bytes: int) -> list[int]:
    """Choose working sets: powers of two, and quarters of the L2 around it.

    Args:
        second_level_bytes: L2 per core; None: not known.
        limit_bytes: None is larger.

    Returns:
        Ascending, at least one.
    """
    sizes = {1 << power for power in range(12, 64) if 1 << power <= limit_bytes}
    if second_level_bytes:
        sizes |= {quarters * second_level_bytes // 4 for quarters in (*_QUARTERS, 4)}
    return sorted(size for size in sizes if _SMALLEST_BYTES <= size <= limit_bytes)


def available_bytes(facts: Facts) -> int | None:
    """Return the memory that can be had without swapping; None: not known."""
    text = facts.text("/proc/meminfo") or ""
    match = re.search(r"^MemAvailable:\s+(\d{1,15}) kB", text, re.MULTILINE)
    return None if match is None else int(match[1]) * 1024
