# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Access times: what the probe `memory_latency` is asked, and what it finds."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from laxity.core.cpus import format_cpus
from laxity.core.streams import MEMORY_CASES
from laxity.core.units import format_size_bytes
from laxity.costs import probe
from laxity.costs.memory_latency import data, rows, section
from laxity.costs.options import (
    cpus_option,
    nodes_option,
    priority_option,
    repetitions_option,
    size_option,
    sizes_option,
    word_option,
    words_option,
)
from laxity.costs.places import available_bytes, check_cpus
from laxity.costs.probe import Probe, Source, repeated
from laxity.errors import ConfigError
from laxity.jobs.view import View
from laxity.platform.doctor import default_cpus
from laxity.platform.facts import Facts
from laxity.platform.machine import Cache, Machine, caches_of, describe_machine
from laxity.platform.placement import Cpus
from laxity.store.manifest import Fallback
from laxity.store.measurements import MemoryLatencyMeasurement

_NODE = "/sys/devices/system/node"
_SMALLEST_BYTES = 4096
# Where no cache is known: beyond the last level of what runs Linux without saying so.
_UNKNOWN_LIMIT_BYTES = 64 << 20
# Far enough behind the last level for the plateau of the memory itself.
_LAST_LEVELS = 4
# Of what is free, so that nothing is swapped or killed.
_MEMORY_SHARE = 8
# Around a cache size, where the curve bends, sizes lie closer: in quarters of it.
_QUARTERS = (3, 4, 5, 6)
_DEFAULT_LINE_BYTES = 64
_LINES_BYTES = (16, 1024)
# Two CPUs of a node are a control: within a node they should not differ.
_CPUS_PER_SINGLE_NODE = 2
# More CPUs, each with the memory of every node, take minutes that nobody asked for.
_MOST_CPUS = 4
# Indices of a batch are words of 4 bytes, numbered in 32 bits.
_SIZES_BYTES = (1024, 16 << 30)
_OPTIONS = (
    cpus_option(
        "Measured one after the other.  [default: one per NUMA node, at most 4; two where there "
        "is one node]"
    ),
    nodes_option("NUMA nodes of the memory.  [default: all that have any]"),
    sizes_option(
        "Of the array.  [default: from 4KiB to min(4 x last level, 1/8 of free memory)]",
        limits_bytes=_SIZES_BYTES,
    ),
    size_option("Largest size that is chosen.", limits_bytes=_SIZES_BYTES),
    words_option(
        "--case",
        "cases",
        MEMORY_CASES,
        "Random accesses that wait for each other, or that do not; streams.  [default: all]",
    ),
    word_option(
        "--pages",
        "pages",
        ("ordinary", "huge"),
        "Kind of pages; huge ones take the TLB out of the curve.",
    ),
    repetitions_option("Batches of each case and size, each in other pages and another order."),
    priority_option("Of what is measured."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(probe.Asked):
    """What the user asked of `measure memory-latency`; empty or None: chosen for the machine.

    Attributes:
        nodes: Of the memory.
        sizes_bytes: Of the array.
        max_bytes: Largest size that is chosen.
        pages: `ordinary` or `huge`.
    """

    nodes: tuple[int, ...] = ()
    sizes_bytes: tuple[int, ...] = ()
    max_bytes: int | None = None
    cases: tuple[str, ...] = ()
    pages: str = "ordinary"
    repetitions: int = 36


def plan_memory_latency(
    asked: Asked, facts: Facts, cpus: Cpus
) -> tuple[MemoryLatencyMeasurement, tuple[Fallback, ...]]:
    """Decide what `measure memory-latency` measures on a machine.

    Args:
        asked: What the user chose.
        facts: The machine.
        cpus: What this process may use.

    Returns:
        The measurement, and what was left out and why.

    Raises:
        ConfigError: There is no such CPU or node.
        PlatformError: A CPU that this process may not use.
    """
    machine = describe_machine(facts)
    nodes, fallbacks = _nodes(asked, facts, machine)
    chosen = asked.cpus or choose_cpus(machine, default_cpus(facts), cpus)
    check_cpus(chosen, cpus)
    caches = [cache for cpu in chosen for cache in data_caches(machine, cpu)]
    limit_bytes = size_limit_bytes(caches, free_bytes(facts, nodes))
    sizes = asked.sizes_bytes or sizes_bytes(caches, asked.max_bytes or limit_bytes)
    measurement = MemoryLatencyMeasurement(
        cpus=format_cpus(chosen),
        priority=asked.priority,
        repetitions=asked.repetitions,
        timeout_ns=asked.timeout_ns,
        working_sets_bytes=list(sizes),
        nodes=list(nodes),
        cases=list(asked.cases or MEMORY_CASES),
        pages=asked.pages,
        line_bytes=_line_bytes(caches),
    )
    return measurement, fallbacks


def choose_cpus(machine: Machine, suited: Sequence[int], cpus: Cpus) -> tuple[int, ...]:
    """Choose CPUs: one of each node, at most four; two where there is only one node.

    Args:
        machine: Its nodes are looked at.
        suited: CPUs that disturb least.
        cpus: What this process may use.

    Returns:
        Ascending, at least one.
    """
    usable = [cpu for cpu in suited if cpu in cpus.allowed] or sorted(cpus.allowed)
    nodes = [set(node.cpus) for node in machine.stable.nodes if node.cpus]
    if len(nodes) < 2:  # noqa: PLR2004 - then nothing is remote
        return tuple(sorted(usable)[-_CPUS_PER_SINGLE_NODE:])
    found = [max(inside) for node in nodes if (inside := node & set(usable))]
    return tuple(sorted(found)[:_MOST_CPUS]) or (max(usable),)


def data_caches(machine: Machine, cpu: int) -> list[Cache]:
    """List the caches of a CPU that hold data and whose size is known, nearest first."""
    caches = caches_of(machine, cpu)
    return [one for one in caches if one.kind.lower() != "instruction" and one.size_bytes]


def size_limit_bytes(caches: Sequence[Cache], available: int | None) -> int:
    """Bound the array: min(4 x last level, 1/8 of free memory); what is not known bounds nothing.

    Args:
        caches: Of all CPUs that are measured.
        available: Bytes of free memory; None: not known.
    """
    largest = max((cache.size_bytes or 0 for cache in caches), default=0)
    limits = [_LAST_LEVELS * largest or _UNKNOWN_LIMIT_BYTES]
    limits += [available // _MEMORY_SHARE] if available else []
    return max(_SMALLEST_BYTES, min(limits))


def sizes_bytes(caches: Sequence[Cache], limit_bytes: int) -> list[int]:
    """Choose sizes: two per octave, and quarters of each cache around its size.

    Returns:
        Ascending, at least one; none is larger than the limit.
    """
    octaves = [1 << power for power in range(12, 64) if 1 << power <= limit_bytes]
    sizes = {*octaves, *(octave // 2 * 3 for octave in octaves)}
    sizes |= {
        quarters * cache.size_bytes // 4
        for cache in caches
        for quarters in _QUARTERS
        if cache.size_bytes
    }
    return sorted(size for size in sizes if _SMALLEST_BYTES <= size <= limit_bytes)


def free_bytes(facts: Facts, nodes: Sequence[int]) -> int | None:
    """Return the memory that an array may lie in: of the fullest node, or of the machine.

    Every node gets an array, so a machine of n nodes spends n of them at once.
    """
    per_node = [free for node in nodes if (free := _meminfo(facts, node, "MemFree")) is not None]
    total = available_bytes(facts)
    shares = [*per_node] if len(nodes) > 1 else []
    shares += [total // max(1, len(nodes))] if total is not None else []
    return min(shares, default=None)


def describe(measurement: MemoryLatencyMeasurement) -> str:
    """Say in one line what is measured."""
    sizes = measurement.working_sets_bytes
    nodes = ", ".join(map(str, measurement.nodes)) or "not chosen"
    return (
        f"{len(sizes)} arrays from {format_size_bytes(min(sizes))} to "
        f"{format_size_bytes(max(sizes))} in {measurement.pages} pages on CPU {measurement.cpus}, "
        f"memory of node {nodes}, {', '.join(measurement.cases)}, "
        f"{measurement.repetitions} times each"
    )


def _nodes(
    asked: Asked, facts: Facts, machine: Machine
) -> tuple[tuple[int, ...], tuple[Fallback, ...]]:
    known = [node.node for node in machine.stable.nodes]
    absent = sorted(set(asked.nodes) - set(known))
    if absent:
        there = format_cpus(known) if known else "none that the kernel tells of"
        msg = f"--nodes: no node {format_cpus(absent)} on this machine; there are: {there}"
        raise ConfigError(msg)
    if asked.nodes:
        return asked.nodes, ()
    empty = [node for node in known if _meminfo(facts, node, "MemTotal") == 0]
    fallbacks = [
        Fallback(what=f"node {node}", used="left out", reason="it has no memory") for node in empty
    ]
    return tuple(node for node in known if node not in empty), tuple(fallbacks)


def _meminfo(facts: Facts, node: int, key: str) -> int | None:
    """Read bytes from a line as `Node 0 MemFree:  123 kB`."""
    text = facts.text(f"{_NODE}/node{node}/meminfo") or ""
    match = re.search(rf"^Node \d+ {key}:\s+(\d{{1,15}}) kB", text, re.MULTILINE)
    return None if match is None else int(match[1]) * 1024


def _line_bytes(caches: Sequence[Cache]) -> int:
    """The longest line, so that no two elements of a chain share one."""
    longest = max((cache.line_bytes or 0 for cache in caches), default=0)
    is_usable = _LINES_BYTES[0] <= longest <= _LINES_BYTES[1] and longest & (longest - 1) == 0
    return longest if is_usable else _DEFAULT_LINE_BYTES


def _words(asked: MemoryLatencyMeasurement) -> list[str]:
    return [
        *repeated("--size", [f"{size}B" for size in asked.working_sets_bytes]),
        *repeated("--node", [str(node) for node in asked.nodes]),
        *repeated("--case", asked.cases),
        *("--pages", asked.pages, "--line", f"{asked.line_bytes}B"),
    ]


def _measured(sources: Sequence[Source]) -> tuple[rows.AccessTime, ...]:
    return rows.pool(
        time
        for source in sources
        for time in rows.access_times(source.streams["memory_latency"], source.run)
    )


PROBE = Probe(
    help="""Measure the time of a memory access against the size of the array that is used.

    Per CPU and NUMA node: 4096 random reads and writes, a chain of pointers in random order, and
    streams. Levels of the memory hierarchy are detected in the chain's curve and shown beside what
    the system claims.
    """,
    asked=Asked,
    options=_OPTIONS,
    plan=plan_memory_latency,
    describe=describe,
    words=_words,
    streams=("memory_latency",),
    measured=_measured,
    entries=rows.entries,
    view=View(
        read=data.read_findings,
        document=data.document,
        asked="how long a memory access takes, against the size of the array",
        sentences=section.sentences,
        sections=(section.build, section.build_method),
    ),
)
