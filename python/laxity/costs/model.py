# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""costs.json: what the platform takes from a job, one entry per cost. Design: design.md section 4.

The fields are a contract. Times are integers of nanoseconds, or of picoseconds where `unit` says so
(an access to the first cache takes less than a nanosecond); `null` means "not known", never zero.
"""

from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from laxity.core.wording import plain_words
from laxity.errors import RecordError
from laxity.store.manifest import MAX_JSON_BYTES, Record, Tool

COSTS_SCHEMA = 1
GAMMA = "gamma"
GAMMA_CODE = "gamma_code"
# Time per random access, and per 64 bytes of a stream.
MEMORY_LATENCY = "memory_latency"
MEMORY_STREAM = "memory_stream"
SWITCH_KERNEL = "switch_kernel"
# What recording a switch takes itself; it has been subtracted from switch_kernel.
SWITCH_RECORDING = "switch_recording"
PREEMPT_IN = "preempt_in"
PREEMPT_OUT = "preempt_out"
DELTA = "delta"
SWITCH_SYNC = "switch_sync"
TIMER_LATENCY = "timer_latency"
RELEASE_ISR = "release_isr"
TICK = "tick"
TICK_PERIOD = "tick_period"
IPI_WAKEUP = "ipi_wakeup"
IRQ = "irq"
# What `measure switch` finds, in the order in which tables show it.
SWITCH_NAMES = (
    SWITCH_KERNEL,
    SWITCH_RECORDING,
    PREEMPT_IN,
    PREEMPT_OUT,
    DELTA,
    SWITCH_SYNC,
    TIMER_LATENCY,
    RELEASE_ISR,
    TICK,
    TICK_PERIOD,
    IPI_WAKEUP,
    IRQ,
)
MIGRATION = "migration"
MIGRATION_MOVE = "migration_move"
MIGRATION_OVER_PREEMPTION = "migration_over_preemption"
COST_NAMES = (
    GAMMA,
    GAMMA_CODE,
    MEMORY_LATENCY,
    MEMORY_STREAM,
    *SWITCH_NAMES,
    MIGRATION,
    MIGRATION_MOVE,
    MIGRATION_OVER_PREEMPTION,
)

Kind = Literal["measured", "simulated", "modelled", "proven"]
Verdict = Literal["ok", "not_measurable", "no_verdict"]


class Axes(Record, frozen=True, kw_only=True):
    """Where and how a cost was found; null: the cost does not depend on it, or the entry is of all.

    `case` of gamma is the kind of preemption and the pattern of the victim's passes:
    `synchronous_chase`, of gamma_code `synchronous_jumps`. Of memory_latency it is chase, read or
    write, of memory_stream read, write or copy, each with `_huge` in huge pages; of switches best
    or worst, of timer_latency idle or busy; of a migration the pattern, `_fetched` where memory
    went along, and, where `cpu` is null, what the CPUs of all its pairs have in common:
    `chase_shared_l3`.
    """

    cpu: int | None = None
    cpu_to: int | None = None
    node: int | None = None
    working_set_bytes: int | None = None
    case: str | None = None
    evict: str | None = None

    @property
    def stated(self) -> list[tuple[str, int | str]]:
        """Those that a cost depends on."""
        values = [(key, getattr(self, key)) for key in self.__struct_fields__]
        return [(key, value) for key, value in values if value is not None]


class Entry(Record, frozen=True, kw_only=True):
    """One cost. `points` (x, time) are a bound over an axis, linear between them; empty: no curve.

    x is the working set where `axes.working_set_bytes` is null, else the preemption's length in ns.
    """

    name: str
    kind: Kind
    unit: Literal["ns", "ps"] = "ns"
    n: int
    quantiles: dict[str, int]
    max: int | None
    noise_floor: int | None
    verdict: Verdict
    runs: list[str]
    axes: Axes
    points: list[tuple[int, int]] = msgspec.field(default_factory=list)


class Costs(Record, frozen=True, kw_only=True):
    """costs.json.

    `contention`: contention tables of programs (docs/regulation.md), as `laxity contention profile`
    writes them; left out: there are none.
    """

    schema: int = COSTS_SCHEMA
    tool: Tool
    machine_hash: str
    entries: list[Entry]
    contention: list[dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET


def decode_costs(data: bytes, where: str) -> Costs:
    """Read costs.json.

    Args:
        data: Content of the file.
        where: Path, for the message.

    Raises:
        RecordError: Not JSON, not this shape, or of another schema version.
    """
    if len(data) > MAX_JSON_BYTES:
        msg = f"{where}: {len(data)} bytes is too large for a cost model; name another file"
        raise RecordError(msg)
    try:
        costs = msgspec.json.decode(data, type=Costs)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        msg = f"{where}: no cost model ({plain_words(error)}); name a run of laxity measure"
        raise RecordError(msg) from error
    if costs.schema != COSTS_SCHEMA:
        msg = f"{where}: schema {costs.schema}; this build reads {COSTS_SCHEMA}"
        raise RecordError(msg)
    return costs


@dataclass(frozen=True, slots=True)
class Member:
    """One member of costs.json as `laxity schema costs` prints it."""

    name: str
    kind: str
    unit: str
    meaning: str


MEMBERS = (
    Member("schema", "integer", "", "1"),
    Member("tool", "object", "", "name, version, commit of the writer"),
    Member("machine_hash", "text", "", "of the stable part of machine.json"),
    Member(
        "entries[].name",
        "text",
        "",
        f"{', '.join(COST_NAMES)}, later more",
    ),
    Member("entries[].kind", "text", "", "measured, simulated, modelled, proven"),
    Member(
        "entries[].unit",
        "text",
        "",
        "of quantiles, max, noise_floor and points: ns; memory_latency: ps per access, "
        "memory_stream: ps per 64 bytes",
    ),
    Member("entries[].n", "integer", "count", "samples behind the entry"),
    Member(
        "entries[].quantiles",
        "object",
        "unit",
        "by q, nearest rank; only those that n supports with a 95 % interval",
    ),
    Member("entries[].max", "integer, null", "unit", "largest sample"),
    Member("entries[].noise_floor", "integer, null", "unit", "what the measurement cannot resolve"),
    Member(
        "entries[].verdict",
        "text",
        "",
        "ok; not_measurable: the median is not above the noise floor; no_verdict: too few samples",
    ),
    Member("entries[].runs", "list of text", "", "names of the runs it was found in"),
    Member("entries[].axes.cpu", "integer, null", "", "where it was measured"),
    Member(
        "entries[].axes.cpu_to", "integer, null", "", "where a migration went, or who was woken"
    ),
    Member("entries[].axes.node", "integer, null", "", "NUMA node of the memory"),
    Member("entries[].axes.working_set_bytes", "integer, null", "bytes", "null: the whole curve"),
    Member(
        "entries[].axes.case",
        "text, null",
        "",
        "gamma: synchronous or asynchronous, then _sequential or _chase, of gamma_code _code or "
        "_jumps; memory_latency: chase, read, write; memory_stream: read, write, copy; _huge in "
        "huge pages; switches: best (nothing evicted) or worst; timer_latency: idle or busy; "
        "irq: label in /proc/interrupts, or none; migration: chase or sequential, _fetched where "
        "memory went along, and without a CPU _shared_l3, _same_node, ...",
    ),
    Member(
        "entries[].axes.evict",
        "text, null",
        "",
        "write, read, flush, execute: how lines were evicted",
    ),
    Member(
        "entries[].points",
        "list of [x, ns]",
        "bytes or ns, unit",
        "a bound, monotone, linear between the points: over the working set where that is null, "
        "else over the length of the preemption",
    ),
    Member(
        "contention",
        "list of objects",
        "",
        "contention tables of programs, as laxity contention profile writes them; left out: none",
    ),
)
