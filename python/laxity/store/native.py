# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What native tools know at their end: native.json of laxity-run, trace.json of laxity-trace.

Whoever finishes a run folds both into its manifest.
"""

from typing import Literal

import msgspec

from laxity.store.hindrances import Stall
from laxity.store.manifest import (
    MANIFEST_SCHEMA,
    Clock,
    Counter,
    Counts,
    Displaced,
    Event,
    Fallback,
    Faults,
    Interrupts,
    Isolating,
    Memory,
    MemoryNeed,
    MemoryTraffic,
    Record,
    SampledCpu,
    Sampling,
    SnapshotCost,
    Stop,
    TraceResult,
)


class NativeTask(Record, frozen=True, kw_only=True):
    """laxity-run's half of a task. What only repeats the request is accepted and not used."""

    index: int
    name: str | None = None
    workload: str | None = None
    args: list[str] = msgspec.field(default_factory=list)
    policy: str | None = None
    priority: int | None = None
    cpus: str | None = None
    period_ns: int | None = None
    deadline_ns: int | None = None
    offset_ns: int | None = None
    overrun: str | None = None
    released: int = 0
    started: int = 0
    counts: Counts = Counts()
    lost_rows: int = 0
    lost_marks: int = 0
    threads_seen: int = 0
    end_ns: int | None = None
    end_cause: str | None = None
    end_detail: str | int | None = None
    memory_locked: bool | None = None
    faults_after_first_job: Faults | None = None
    memory: Memory | None = None
    memory_need: MemoryNeed | None = None
    isolating: Isolating | None = None
    displaced: list[Displaced] = msgspec.field(default_factory=list)
    rttime_pauses: int = 0
    output_bytes: int = 0
    asked_calls: list[str] = msgspec.field(default_factory=list)


class NativeCorunner(Record, frozen=True, kw_only=True):
    """laxity-run's half of a co-runner. What only repeats the request is accepted and not used."""

    index: int
    workload: str | None = None
    args: list[str] = msgspec.field(default_factory=list)
    policy: str | None = None
    priority: int | None = None
    cpus: str | None = None
    passes_before_t0: int | None = None
    passes: int | None = None
    elapsed_ns: int | None = None
    end_cause: str | None = None
    end_detail: str | int | None = None
    displaced: list[Displaced] = msgspec.field(default_factory=list)


class Native(Record, frozen=True, kw_only=True):
    """native.json: what laxity-run knows when a run has ended."""

    schema: int = MANIFEST_SCHEMA
    clock: Clock
    counter: Counter | None = None
    snapshots: SnapshotCost | None = None
    events: list[Event] = msgspec.field(default_factory=list)
    sampling: Sampling | None = None
    stop: Stop | None = None
    stalls: list[Stall] = msgspec.field(default_factory=list)
    stalls_unlisted: int = 0
    memory_traffic: MemoryTraffic | msgspec.UnsetType = msgspec.UNSET
    status: Literal["complete", "interrupted", "failed", "recovered"]
    exit_code: int
    message: str = ""
    tasks: list[NativeTask] = msgspec.field(default_factory=list)
    corunners: list[NativeCorunner] = msgspec.field(default_factory=list)
    fallbacks: list[Fallback] = msgspec.field(default_factory=list)
    tables: dict[str, int] = msgspec.field(default_factory=dict)


class TraceSampling(Record, frozen=True, kw_only=True):
    """What laxity-trace knows of its samples; `every_ns` null: not by a timer."""

    every_ns: int | None
    every_count: int | None
    lost_rows: int
    cpus: list[SampledCpu]


class TraceDocument(TraceResult, frozen=True, kw_only=True):
    """trace.json: what laxity-trace knows when it has ended."""

    schema: Literal[1] = 1
    events: list[Event] = msgspec.field(default_factory=list)
    sampling: TraceSampling | None = None
    fallbacks: list[Fallback] = msgspec.field(default_factory=list)

    def result(self) -> TraceResult:
        """Return what the manifest holds of it; its fallbacks stand with those of the run."""
        names = TraceResult.__struct_fields__
        return TraceResult(**{name: getattr(self, name) for name in names})

    def samples(self, before: Sampling | None) -> Sampling | None:
        """Return what the manifest holds of its samples; `before`: what it held until now."""
        one = self.sampling
        if one is None:
            return before
        planned = None if before is None else before.interrupts
        return Sampling(
            bucket_ns=one.every_ns,
            samples=sum(cpu.samples for cpu in one.cpus),
            lost=sum(cpu.lost for cpu in one.cpus),
            interrupts=Interrupts(
                every_count=one.every_count,
                lost_rows=one.lost_rows,
                cpus=one.cpus,
                cost=None if planned is None else planned.cost,
            ),
        )
