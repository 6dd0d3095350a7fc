# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Every stream's fields as data: name, type, unit, meaning. Design: design.md section 4.

`native/harness/job_rows.c` writes the same fields; a test compares the two. A quantity that was not
measured in a whole run has no column; one that is absent in a row holds the smallest value of its
signed type, or all ones of its unsigned one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum


class Status(IntEnum):
    """What became of a release."""

    DONE = 0
    MISSED = 1
    SKIPPED = 2
    ABORTED = 3
    PENDING = 4


class Cause(IntEnum):
    """Why a job was aborted."""

    NONE = 0
    INTERRUPT = 1
    TIMEOUT = 2
    SIGNAL = 3
    EXIT = 4
    MEMORY_LIMIT = 5
    KILLED = 6


class Quantity(IntEnum):
    """What a row of histogram.npy counts."""

    RESPONSE_TIME = 0
    RELEASE_LATENCY = 1
    START_TO_FINISH = 2


class SchedKind(IntEnum):
    """What a row of sched.npy says happened."""

    OFF = 0
    ON = 1
    WAKEUP = 2
    MIGRATE = 3
    FORK = 4
    EXIT = 5
    IRQ_IN = 6
    IRQ_OUT = 7
    SOFTIRQ_IN = 8
    SOFTIRQ_OUT = 9


class SwitchQuantity(IntEnum):
    """What a row of switches.npy counts."""

    KERNEL = 0
    EMPTY = 1


class MarkKind(IntEnum):
    """What a row of probe.npy is."""

    PHASE = 0
    PROBE = 1


@dataclass(frozen=True, slots=True)
class Field:
    """One column of a stream.

    Attributes:
        name: Name, carrying the unit of a quantity.
        kind: Letter and bytes as in numpy: `u2`, `i8`, `f4`, `S16`.
        unit: `ns`, `ticks`, `count`, or empty.
        meaning: One line.
        is_required: Whether every file of this stream has the column.
    """

    name: str
    kind: str
    unit: str
    meaning: str
    is_required: bool = True


def _codes(words: Sequence[str]) -> str:
    """Write which code means what: `0 write, 1 read`."""
    return ", ".join(f"{code} {word}" for code, word in enumerate(words))


def _optional(name: str, kind: str, unit: str, meaning: str) -> Field:
    return Field(name, kind, unit, meaning, is_required=False)


JOBS = (
    Field("task", "u2", "", "index of the [[task]]"),
    Field("job", "u8", "", "number of the release, from 0"),
    Field("release_ns", "i8", "ns", "nominal release: t0 + offset + job * period"),
    Field("abs_deadline_ns", "i8", "ns", "release + deadline; absent without a deadline"),
    Field("start_ns", "i8", "ns", "first runs; absent if it did not start"),
    Field("finish_ns", "i8", "ns", "completes; absent if it did not finish"),
    _optional(
        "exec_ns",
        "i8",
        "ns",
        "processor time, raw: with the reading of the clocks (snapshots.exec_ns in manifest.json), "
        "which only analysis subtracts (snapshots cpu, all)",
    ),
    _optional("start_ticks", "u8", "ticks", "constant-rate counter at the start"),
    _optional("finish_ticks", "u8", "ticks", "constant-rate counter at the finish"),
    _optional("tid", "i4", "", "the kernel's thread number"),
    _optional("cpu_start", "i4", "", "CPU at the start"),
    _optional("cpu_finish", "i4", "", "CPU at the finish"),
    _optional(
        "preemptions",
        "i4",
        "count",
        "involuntary switches from just before the sleep to the finish (snapshots all)",
    ),
    _optional("blockings", "i4", "count", "voluntary switches within the job (snapshots all)"),
    _optional("migrations", "i4", "count", "resumed on another CPU within the job (observe)"),
    _optional("minor_faults", "i4", "count", "page faults without input or output (snapshots all)"),
    _optional("major_faults", "i4", "count", "page faults with input or output (snapshots all)"),
    Field("status", "u1", "", "0 done, 1 missed, 2 skipped, 3 aborted, 4 pending"),
    _optional(
        "cause",
        "u1",
        "",
        "0 none, 1 interrupt, 2 timeout, 3 signal, 4 exit, 5 memory limit, 6 killed",
    ),
    _optional(
        "calls",
        "u4",
        "count",
        "calls of the program's function in this job: all its figures are of so many together",
    ),
    _optional("roi_ns", "i8", "ns", "in its regions of interest, all of them; absent: none"),
    _optional("roi_count", "u4", "count", "regions of interest that it entered and left"),
)
HISTOGRAM = (
    Field("task", "u2", "", "index of the [[task]]"),
    Field("quantity", "u1", "", "0 response time, 1 release latency, 2 start to finish"),
    Field("lower_ns", "i8", "ns", "lower edge, inclusive"),
    Field("upper_ns", "i8", "ns", "upper edge, exclusive"),
    Field("count", "u8", "count", "finished jobs in between"),
)
SCHED = (
    Field("time_ns", "i8", "ns", "when"),
    Field("seq", "u8", "", "number of the record on its CPU; a gap: so many were lost there"),
    Field("cpu", "i4", "", "where"),
    Field(
        "kind",
        "u1",
        "",
        "0 off, 1 on, 2 wakeup, 3 migrate, 4 fork, 5 exit, 6 irq_in, 7 irq_out, "
        "8 softirq_in, 9 softirq_out",
    ),
    Field("tid", "i4", "", "the thread it happened to; 0: the CPU is idle"),
    Field("other_tid", "i4", "", "the other thread of a switch, wake-up or fork"),
    Field(
        "prev_state_or_vector",
        "i8",
        "",
        "of off: state of the thread left; of wakeup, migrate: CPU to run on; of irq: Linux's "
        "number, or the CPU's own vector, negated (names: trace.vectors in manifest.json); of "
        "softirq: number",
    ),
    Field("preempted", "u1", "", "of off: 1 if the thread could have gone on; else absent"),
)
THREADS = (
    Field("tid", "i4", "", "the kernel's thread number"),
    Field("pid", "i4", "", "its process"),
    Field("task", "u2", "", "index of the [[task]]; absent if none"),
    Field("comm", "S16", "", "its name"),
    Field("from_ns", "i8", "ns", "traced: forked, renamed or first met; else as at t0 or a look"),
    Field("to_ns", "i8", "ns", "last seen; the end of its task, or absent, if still there then"),
)
# Of `laxity-trace --switch-histogram`, which keeps no single switch.
SWITCHES = (
    Field("cpu", "i4", "", "where"),
    Field(
        "quantity",
        "u1",
        "",
        "0 the kernel's switch, off to on, as recorded: with what recording takes; 1 that alone, "
        "measured before: the same with no switch within",
    ),
    Field("lower_ns", "i8", "ns", "lower edge, inclusive; absent: the on was not seen"),
    Field("upper_ns", "i8", "ns", "upper edge, exclusive; absent with it"),
    Field("count", "u8", "count", "switches in between"),
)
COUNTERS = (
    Field("time_ns", "i8", "ns", "when it was read"),
    Field("task", "u2", "", "index of the [[task]]; absent if of a whole CPU"),
    Field("event", "u2", "", "index of the event in the manifest"),
    Field("value", "i8", "count", "counted since t0, raw"),
    Field("scale_ratio", "f4", "", "time enabled / time counted since t0 (multiplexing)"),
)
PROBE = (
    Field("time_ns", "i8", "ns", "when"),
    Field("task", "u2", "", "index of the [[task]]"),
    Field("probe", "u4", "", "number that the program gave to the phase or probe"),
    Field("value", "i8", "", "value that the program gave; absent for a phase"),
    Field("kind", "u1", "", "0 a phase begins, 1 probe"),
    Field("tid", "i4", "", "the kernel's number of the thread that marked"),
)
# One row per preemption, written by probe "crpd" (native/probes/crpd.c). Words of codes are in the
# order of native/probes/crpd.h, and those that the command takes.
CRPD_PASSES = 6
CRPD_CASES = ("synchronous", "asynchronous")
CRPD_PATTERNS = ("sequential", "chase", "code", "jumps")
CRPD_EVICTS = ("write", "read", "flush", "execute")
CRPD = (
    Field("time_ns", "i8", "ns", "the preemption was asked for"),
    Field("working_set_bytes", "u8", "bytes", "what a pass of the victim touches"),
    Field("preemptor_ns", "i8", "ns", "how long the preemptor evicted or spun"),
    Field("warm_ns", "i8", "ns", "a pass just before the preemption; absent if there was none"),
    *(
        Field(f"pass{number}_ns", "i8", "ns", f"pass {number} from the preemption on")
        for number in range(1, CRPD_PASSES + 1)
    ),
    Field("evict_bytes", "u8", "bytes", "what the preemptor used; flushing: the working set"),
    Field("cpu", "i4", "", "where both ran"),
    Field("case", "u1", "", f"{_codes(CRPD_CASES)}: pass 1 or 2 holds the preemptor"),
    Field("evict", "u1", "", _codes(CRPD_EVICTS)),
    Field("role", "u1", "", "0 spins, 1 evicts, 2 spins as a control"),
    Field("pattern", "u1", "", f"{_codes(CRPD_PATTERNS)}; chase: lines in random order"),
)
# One row per batch, written by probe "memory_latency" (native/probes/memory_latency.c); words of
# codes are in the order of its header.
MEMORY_CASES = ("chase", "read", "write", "stream_read", "stream_write", "stream_copy")
MEMORY_PAGES = ("ordinary", "huge")
MEMORY_LATENCY = (
    Field("time_ns", "i8", "ns", "the batch began"),
    Field("working_set_bytes", "u8", "bytes", "size of the array"),
    Field("elapsed_ns", "i8", "ns", "the whole batch, raw: with one reading of the clock"),
    Field(
        "empty_ns", "i8", "ns", "a batch without accesses, just before: one reading of the clock"
    ),
    Field("accesses", "u8", "count", "of the batch; streams: lines of 64 bytes, a copied one once"),
    Field("cpu", "i4", "", "where it ran"),
    Field("node", "i4", "", "NUMA node of the array; absent: wherever the kernel put it"),
    Field("repetition", "u4", "", "from 0; each has physical pages and an order of its own"),
    Field("line_bytes", "u2", "bytes", "one element of a chain in each"),
    Field("case", "u1", "", f"{_codes(MEMORY_CASES)}; those before streams: at random"),
    Field("pages", "u1", "", _codes(MEMORY_PAGES)),
)

# One row per observation of probe "switch" (native/probes/switch.c); times are CLOCK_MONOTONIC.
SWITCH = (
    Field("time_ns", "i8", "ns", "the timer's expiry; where there is none, the first stamp"),
    Field(
        "victim_last_ns",
        "i8",
        "ns",
        "victim, before the partner came or before the gap; kernel: these four are its records "
        "off, on, off, on",
    ),
    Field("preemptor_first_ns", "i8", "ns", "first stamp of the partner"),
    Field("preemptor_last_ns", "i8", "ns", "its last one"),
    Field("victim_first_ns", "i8", "ns", "victim, after the partner left or after the gap"),
    Field(
        "lost_ns",
        "i8",
        "ns",
        "in gaps between the victim's stamps: preemption, release and window; release: in those "
        "that end after the expiry",
    ),
    Field("period_ns", "u4", "ns", "of the victim's stamps: nothing shorter is resolved"),
    Field("cpu", "i4", "", "of the victim"),
    Field("cpu_to", "i4", "", "of the partner"),
    Field("gaps", "u1", "count", "in lost_ns; 254: or more"),
    Field(
        "quantity",
        "u1",
        "",
        "0 preemption, 1 sync, 2 timer, 3 release, 4 spin, 5 wakeup, 6 kernel, 7 irq",
    ),
    Field("case", "u1", "", "0 best: nothing is evicted, 1 worst: what can be"),
    Field(
        "role",
        "u1",
        "",
        "0 observed; 1 what that is compared with: release: nothing is released; spin: the whole "
        "window; wakeup: both spin; kernel: from one record of an off to a second one of it; "
        "preemption: while the kernel records",
    ),
    Field(
        "interrupt",
        "S8",
        "",
        "irq: the only one that this CPU counted in the window of the gap, as /proc/interrupts "
        "calls it; empty: none",
    ),
)

MIGRATION_PASSES = 6

MIGRATION = (
    Field("time_ns", "i8", "ns", "the event begins"),
    Field("working_set_bytes", "u8", "bytes", "of the task that moves"),
    Field("event_ns", "i8", "ns", "the event: from asking the kernel to going on"),
    Field("warm_ns", "i8", "ns", "the last pass before it"),
    *(
        Field(f"pass{number}_ns", "i8", "ns", f"pass {number} after it")
        for number in range(1, MIGRATION_PASSES + 1)
    ),
    Field("cpu", "i4", "", "where the task was warm"),
    Field("cpu_to", "i4", "", "where it went; roles 0, 2, 3: not at all, 4: and came back"),
    Field("node", "i4", "", "where its memory lay during the passes; absent: no nodes here"),
    Field(
        "role",
        "u2",
        "",
        "0 asks for its own CPU, 1 moves, 2 as 0 as a control, 3 sleeps as long as moving took, "
        "4 goes and comes back, 5 moves and takes its memory along to the node of that CPU",
    ),
    Field("pattern", "u2", "", f"{_codes(CRPD_PATTERNS[:2])}: lines in random order"),
)

MIGRATION_JOBS = (
    Field("time_ns", "i8", "ns", "the job starts"),
    Field("exec_ns", "i8", "ns", "from its start to its end"),
    Field("working_set_bytes", "u8", "bytes", "of MEM; CPU: 0"),
    Field(
        "interfering_passes",
        "u8",
        "count",
        "what the ordinary task on this CPU finished since the job before",
    ),
    Field("job", "u4", "", "number of the job within its load, from 0"),
    Field("cpu", "i4", "", "where it ran"),
    Field("since_change", "i4", "", "jobs on this CPU before it; absent: no change yet"),
    Field("workload", "u2", "", "0 MEM, 1 CPU"),
    Field("limit", "u2", "", "CPU: 0 the lower limit of the primes, 1 the upper one; MEM: 0"),
)

SETS = (
    Field("point", "u2", "", "index of the utilisation among experiment.utilisations_ppm"),
    Field("set", "u4", "", "number of the drawn set among those of its utilisation"),
    Field("curve", "u1", "", "index among experiment.curves of manifest.json"),
    Field("schedulable", "u1", "", "1: proven to keep all deadlines; 0: not proven"),
)

# Of `suite vet`: jobs of third-party programs, against those of fresh processes.
VETTED = (
    Field("program", "u2", "", "index among programs of vetting.json"),
    Field("mode", "u1", "", "0 none, 1 reinit, 2 restore, 3 fork, 4 exec"),
    Field("job", "u8", "", "number of the job in its session, from 0"),
    Field("right", "u1", "", "1: end, check and output are those of a fresh process"),
    Field("state", "u1", "", "1: leaves the state that the first job of its session left"),
    Field("instructions", "i8", "count", "by callgrind, in a session of its own; absent: not"),
    Field("duration_ns", "i8", "ns", "of the job; several sessions ran at once: no timing"),
    Field("isolating_ns", "i8", "ns", "between this job and the next, likewise"),
    Field("heap_bytes", "i8", "bytes", "held after the job; absent: not counted"),
    Field("descriptors", "i4", "count", "open beyond those before the first job"),
    Field("threads", "i4", "count", "running beyond those before the first job"),
    Field("handlers", "i4", "count", "signals answered otherwise than before the first job"),
    Field("output_bytes", "i8", "bytes", "written to standard output and error"),
)

STREAMS: Mapping[str, tuple[Field, ...]] = {
    "jobs": JOBS,
    "histogram": HISTOGRAM,
    "sched": SCHED,
    "threads": THREADS,
    "switches": SWITCHES,
    "counters": COUNTERS,
    "probe": PROBE,
    "crpd": CRPD,
    "memory_latency": MEMORY_LATENCY,
    "switch": SWITCH,
    "migration": MIGRATION,
    "migration_jobs": MIGRATION_JOBS,
    "sets": SETS,
    "vetted": VETTED,
}
# Streams whose files may hold columns not listed above: one f4 per value that a workload logs, and
# per event of the run one i8 NAME with one f4 NAME_scale_ratio.
STREAMS_WITH_EXTRA_COLUMNS = frozenset({"jobs"})
EXTRA_COLUMN_KINDS = frozenset({"f4", "i8"})
RATIO_SUFFIX = "_scale_ratio"
# What `laxity schema` says of them.
EVENT_FIELDS = (
    _optional(
        "EVENT",
        "i8",
        "count",
        "one column per event of the run, under its name: counted within the job, raw "
        "(events[].empty_count in manifest.json is what reading the counters adds)",
    ),
    _optional(
        f"EVENT{RATIO_SUFFIX}",
        "f4",
        "",
        "time enabled / time counted: 1 = counted all the time, 2 = half of it (multiplexed); "
        "EVENT times this is the estimate for the whole job",
    ),
)


def absent_value(kind: str) -> int | None:
    """Give the value that stands for "absent" in a column of a type.

    Args:
        kind: Letter and bytes: `i8`, `u2`, `f4`, `S16`.

    Returns:
        The smallest value of a signed type, all ones of an unsigned one; None for other types:
        NaN is absent in a floating-point column, and text has no absent value.
    """
    letter, bits = kind[0], 8 * int(kind[1:])
    if letter == "i":
        return -(1 << (bits - 1))
    if letter == "u":
        return (1 << bits) - 1
    return None
