# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a probe was asked to measure, every default written out: `measurement` of manifest.json."""

from typing import TypeAlias

import msgspec


class Measurement(
    msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True, tag_field="probe"
):
    """What is asked of every probe; its name is `probe` in the document.

    Attributes:
        cpus: List as in "0-1,3".
        priority: Of what is measured; who preempts it has one more.
        repetitions: Observations at each place.
        timeout_ns: The measurement is ended then.
    """

    cpus: str
    priority: int
    repetitions: int
    timeout_ns: int

    @property
    def probe(self) -> str:
        """Name of the probe, of its stream and of the command."""
        return str(self.__struct_config__.tag)


# Patterns of crpd whose working set is executed; that of the others is data.
CODE_PATTERNS = ("code", "jumps")


def crpd_serves(evict: str, pattern: str) -> bool:
    """Tell whether a way to evict is measured with a pattern (native/probes/crpd_patterns.h)."""
    return evict != ("read" if pattern in CODE_PATTERNS else "execute")


class CrpdMeasurement(Measurement, frozen=True, kw_only=True, tag="crpd"):
    """Cache-related preemption delay."""

    working_sets_bytes: list[int]
    cases: list[str]
    patterns: list[str]
    evicts: list[str]
    evict_sizes_bytes: list[int]
    # The preemptor lasts at least so long; 0: as long as evicting takes.
    preemption_ns: int = 0


class MemoryLatencyMeasurement(Measurement, frozen=True, kw_only=True, tag="memory_latency"):
    """Access time against the size of the array."""

    working_sets_bytes: list[int]
    # Of the memory; none: wherever the kernel lets it lie.
    nodes: list[int]
    cases: list[str]
    # ordinary or huge
    pages: str
    # From one element of a chain to the next possible one.
    line_bytes: int


class SwitchMeasurement(Measurement, frozen=True, kw_only=True, tag="switch"):
    """What the kernel takes when it switches, wakes and is interrupted.

    Attributes:
        to_cpus: Woken from each measured CPU; empty: none.
        quantities: Which rows there are: preemption, sync, timer, release, spin, wakeup,
            kernel, irq.
        evict_bytes: Buffer that is written in the worst case.
        spin_ns: How long interrupts were looked for, per CPU.
    """

    to_cpus: str
    quantities: list[str]
    evict_bytes: int
    spin_ns: int


class Pair(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Two CPUs in the order of a migration.

    `domain` says what they have in common: `shared_l1`, `shared_l2`, ... (the nearest cache),
    `same_node`, `other_node`; `unknown` where the machine does not tell its caches. It is what the
    system claims. `own_bytes`: the cache of `cpu_to` before the shared one, by the same claim (for
    `shared_l1` that cache itself); null: not known, or none is shared.
    """

    cpu: int
    cpu_to: int
    domain: str
    own_bytes: int | None = None


class KnownGamma(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """What a preemption costs the caches by a cost model, to stand beside a migration."""

    working_set_bytes: int
    pattern: str
    median_ns: int
    n: int
    runs: list[str]


class MigrationMeasurement(Measurement, frozen=True, kw_only=True, tag="migration"):
    """What a task loses by going on on another CPU."""

    pairs: list[Pair]
    working_sets_bytes: list[int]
    patterns: list[str]
    # No further repetition begins then, but for the first six.
    budget_ns: int
    # Synchronous, evicted by writing; empty: none given.
    gamma: list[KnownGamma] = []


class MigrationJobsMeasurement(Measurement, frozen=True, kw_only=True, tag="migration_jobs"):
    """Jobs that change their CPU every few jobs, with an ordinary task on every CPU.

    `repetitions` are jobs per load; `changes` the changes of CPU, in their order.
    """

    working_sets_bytes: list[int]
    has_primes: bool
    changes: list[Pair]
    # Jobs on one CPU, about.
    jobs_per_cpu: int
    pause_ns: int


# One member per probe.
Measured: TypeAlias = (
    CrpdMeasurement
    | MemoryLatencyMeasurement
    | MigrationJobsMeasurement
    | MigrationMeasurement
    | SwitchMeasurement
)
