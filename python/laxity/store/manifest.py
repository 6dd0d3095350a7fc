# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""manifest.json, what a run was and how it ended; and native.json, laxity-run's half of it.

docs/run-directory.md says what the members mean. `null` means "not known", never zero.
"""

from typing import Any, Final, Literal, Protocol, TypeVar

import msgspec

from laxity.core.spec import SIMULATED
from laxity.core.third_party import GUEST_WORKLOAD
from laxity.core.units import exact_size
from laxity.core.wording import plain_words
from laxity.errors import RecordError
from laxity.store.experiment_result import ExperimentRun
from laxity.store.hindrances import GroupUse, Stall
from laxity.store.measurements import Measured
from laxity.store.observation import Observation

MANIFEST_SCHEMA = 1
# Metadata of a run with many tasks stays far below this; anything larger is not ours.
MAX_JSON_BYTES = 64 << 20

RunKind = Literal[
    "run",
    "demo",
    "measure",
    "monitor",
    "observe",
    "bound",
    "cache-misses",
    "compare",
    "contention",
    "experiment",
    "profile",
    "reproduction",
    "suite",
    "vetting",
    "workingset",
]
# Kinds of run that have jobs, their own or those of runs within them.
KINDS_WITH_JOBS: Final = frozenset({"run", "observe", "demo", "monitor", "cache-misses"})
Status = Literal["running", "complete", "interrupted", "failed", "recovered"]


class Record(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Base of all parts: closed and immutable."""


class Tool(Record, frozen=True, kw_only=True):
    """The program that wrote the run."""

    name: str
    version: str
    commit: str | None = None


class Clock(Record, frozen=True, kw_only=True):
    """The clock of all times; `t0_ns` null: the run ended before its first release."""

    name: str
    t0_ns: int | None = None
    end_ns: int | None = None


class Counter(Record, frozen=True, kw_only=True):
    """The user-readable constant-rate counter behind `*_ticks`."""

    name: str
    rate_hz: int | float | None = None


class SnapshotCost(Record, frozen=True, kw_only=True):
    """Calibrated cost of an empty pair of snapshots: what it adds to exec_ns and to wall time."""

    mode: Literal["none", "cpu", "all"]
    n: int = 0
    exec_ns: int | float | None = None
    wall_ns: int | float | None = None


class Event(Record, frozen=True, kw_only=True):
    """An event asked for; `platform_event` null: nothing here counts it, it has no columns.

    `modes` is `user+kernel`, `user` or `kernel`; `empty_count` is what an empty pair of snapshots
    counts (median), which only analysis subtracts.
    """

    name: str
    platform_event: str | None = None
    scope: Literal["core", "software", "system"] | None = None
    modes: str | None = None
    empty_count: int | float | None = None


class SampledCpu(Record, frozen=True, kw_only=True):
    """Samples of one CPU by interrupts; `groups` of counters that take turns, 1: none does.

    `lost`: found no room. `missing`: the timer owed them, and they are not there, mostly since a
    host had taken the CPU. `throttled`: so often the kernel held counting back.
    """

    cpu: int
    groups: int = 1
    samples: int = 0
    lost: int = 0
    missing: int = 0
    throttled: int = 0


class SampleCost(Record, frozen=True, kw_only=True):
    """How long a sample by interrupt takes: the median of `n` pairs of loops without and with them.

    `low_ns` to `high_ns`: 95 % interval; null: too few pairs. `ratio`: loop with samples / without
    at the rate of the calibration.
    """

    n: int
    ns: float | None = None
    low_ns: float | None = None
    high_ns: float | None = None
    ratio: float | None = None


class Interrupts(Record, frozen=True, kw_only=True):
    """Samples of whole CPUs by interrupts.

    `every_count` null: a timer interrupted, else the first event whenever it came so often.
    `lost_rows` could not be written. `cost` null: not measured.
    """

    every_count: int | None = None
    lost_rows: int = 0
    cpus: list[SampledCpu] = []
    cost: SampleCost | None = None


class Sampling(Record, frozen=True, kw_only=True):
    """Samples of the counters: rows of counters.npy, and those that were not taken.

    Within jobs, by a thread of each task: `cpu` null: it ran where its task does. Or of whole CPUs,
    whatever ran there: `interrupts`; then `bucket_ns` null: not by a timer.
    """

    bucket_ns: int | None
    cpu: int | None = None
    samples: int = 0
    lost: int = 0
    interrupts: Interrupts | None = None


class Counts(Record, frozen=True, kw_only=True):
    """Releases by what became of them."""

    done: int = 0
    missed: int = 0
    skipped: int = 0
    aborted: int = 0
    pending: int = 0
    not_met: int = 0

    @property
    def released(self) -> int:
        """All of them."""
        return self.started + self.skipped + self.pending

    @property
    def started(self) -> int:
        """Releases whose job began."""
        return self.done + self.missed + self.aborted

    @property
    def undecided(self) -> int:
        """Pending jobs whose deadline had not come when their task ended."""
        return self.missed + self.skipped + self.aborted + self.pending - self.not_met


class Faults(Record, frozen=True, kw_only=True):
    """Page faults."""

    minor: int = 0
    major: int = 0


class Memory(Record, frozen=True, kw_only=True):
    """Dynamic memory that a workload held, from its init to its teardown.

    `limit_bytes` null: no limit.
    """

    peak_bytes: int
    limit_bytes: int | None = None


class Need(Record, frozen=True, kw_only=True):
    """Bytes beyond those before a workload's init: most at once, and all that were ever added."""

    peak_bytes: int
    total_bytes: int


class MemoryNeed(Record, frozen=True, kw_only=True):
    """How much memory a workload needed, from its init to its teardown; the harness's share is in.

    `requested`: of the heap, to the byte. `mapped`: what may be accessed, in whole pages; of the
    stack what was reached. `touched`: pages that were there. `written`: those but for pages of
    zeroes and of files that were only read; null: the kernel does not tell. `stack_bytes`: of
    mapped, how far the stack of the main thread went. `static_bytes`: mapped before, which the
    executable and its libraries can write. `calls`: that were watched. `method`: how pages were
    looked at. `limit_is_crossed` null: no limit.
    """

    requested: Need
    mapped: Need
    touched: Need
    written: Need | None
    stack_bytes: int
    static_bytes: int
    calls: int
    method: Literal["PAGEMAP_SCAN", "pagemap"]
    limit_is_crossed: bool | None = None


class Isolating(Record, frozen=True, kw_only=True):
    """What isolating jobs from one another took, between them and off their own time."""

    n: int
    mean_ns: int
    max_ns: int


class Displaced(Record, frozen=True, kw_only=True):
    """Something of a task or co-runner that was found otherwise than planned, the first time.

    `what`: `policy` (with priority, niceness or reservation), `cpus` (it may run on others),
    `cpu_of_job` (a job started or finished on another). `jobs`: so many ended so, where the task
    itself looked after each.
    """

    what: Literal["policy", "cpus", "cpu_of_job"]
    planned: str
    found: str
    seen_ns: int
    jobs: int = 0


class TaskResult(Record, frozen=True, kw_only=True):
    """One task: what was asked for and what became of it.

    `program`: a program that makes its jobs itself, and its arguments, which stand in `workload`
    and `args` too; null for another task. Runs stored by earlier versions have it as `exec`.
    `isolation`: what is done between jobs of third-party code; exec: each is a process. `calls`:
    how often each job does its work. `runtime_ns`: what policy deadline reserved in each period;
    null under another policy. Period and offset of an observed thread are estimates; null: it has
    none. `asked_calls`: system calls of a simulated task that make it not deterministic.
    """

    index: int
    name: str
    workload: str
    args: list[str]
    program: list[str] | None = None
    exec: list[str] | None = None
    isolation: str | None = None
    calls: int = 1
    policy: str
    priority: int | None
    runtime_ns: int | None = None
    cpus: str
    period_ns: int | None
    deadline_ns: int | None
    offset_ns: int | None
    overrun: str
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
    displaced: list[Displaced] = []
    rttime_pauses: int = 0
    output_bytes: int = 0
    asked_calls: list[str] = []

    @property
    def makes_own_jobs(self) -> bool:
        """Whether the jobs are made by a program with its own loop."""
        return self.program is not None or self.exec is not None

    @property
    def job_is(self) -> str:
        """What a job is where it is not one execution of the workload's hook; "": it is."""
        if self.calls > 1:
            return f"{self.calls} calls in a row, and its figures are of all of them together"
        if self.isolation is None:
            return ""
        if self.workload != GUEST_WORKLOAD:
            return "a process of its own, from its begin (main, or exec) to its end"
        return f"one call of the program, in isolation {self.isolation}"


class CorunnerResult(Record, frozen=True, kw_only=True):
    """One co-runner: what was asked for and what it did.

    `exec`: a program and its arguments, which stand in `workload` and `args` too; each pass is one
    process. null for a workload.
    """

    index: int
    workload: str
    args: list[str]
    exec: list[str] | None = None
    policy: str
    priority: int | None
    cpus: str
    passes_before_t0: int | None = None
    passes: int | None = None
    elapsed_ns: int | None = None
    end_cause: str | None = None
    end_detail: str | int | None = None
    displaced: list[Displaced] = []


class Stop(Record, frozen=True, kw_only=True):
    """The job that the run stopped on (`[run] stop_on`), in the run's clock.

    `condition` as in the spec. `abs_deadline_ns` null: it had none. `seen_ns`: when the harness saw
    it; null: when the run was over anyway.
    """

    condition: str = ""
    task: int
    job: int
    release_ns: int | None
    abs_deadline_ns: int | None
    finish_ns: int
    seen_ns: int | None = None


class Fallback(Record, frozen=True, kw_only=True):
    """Something that was asked for and replaced by something less."""

    what: str
    used: str
    reason: str


class Shield(Record, frozen=True, kw_only=True):
    """CPUs kept free of others during the run: what moved, and what the kernel kept there.

    `workqueues_moved` null: there are none, or they were elsewhere.
    """

    cpus: str
    threads_moved: int
    threads_left: int
    threads_bound: int
    interrupts_moved: int
    interrupts_left: int
    workqueues_moved: bool | None


class KnobsUsed(Record, frozen=True, kw_only=True):
    """Kernel settings changed for the run.

    `rt_runtime_us_before` null: throttling was not lifted, or the kernel has none.
    """

    rt_runtime_us_before: int | None = None
    shield: Shield | None = None


class Writer(Record, frozen=True, kw_only=True):
    """The process that writes the run; its start time tells it from a later one of the same pid."""

    pid: int
    start_ticks: int
    boot_id: str


class TraceCpu(Record, frozen=True, kw_only=True):
    """What was recorded of one CPU.

    `lost` records found no room; the host took `steal_ns` (null: the kernel does not tell).
    """

    cpu: int
    rows: int
    lost: int
    steal_ns: int | None = None


class TraceVector(Record, frozen=True, kw_only=True):
    """An interrupt that came in: Linux's number, or the CPU's own vector, negated."""

    number: int
    name: str


class TraceResult(Record, frozen=True, kw_only=True):
    """The scheduling trace of a run. `backend` null: none recorded it to the end.

    `supplies` names kinds of sched.npy; what is not among them was not recorded, not absent. Jobs
    outside `started_ns` to `stopped_ns` are not covered. `dropped` rows before `started_ns` were
    recorded and not kept, since the run stopped on a job. `has_hidden_threads`: recorded in a PID
    namespace; idle CPUs and threads outside it have no number.
    """

    backend: str | None = None
    supplies: list[str] = []
    lost: int | None = None
    started_ns: int | None = None
    stopped_ns: int | None = None
    dropped: int = 0
    has_hidden_threads: bool = False
    ring_bytes: int | None = None
    steal_resolution_ns: int | None = None
    cpus: list[TraceCpu] = []
    vectors: list[TraceVector] = []


class MemoryTraffic(Record, frozen=True, kw_only=True):
    """What all cores have sent to the memory of a simulated platform, from its first tick on."""

    lines_read: int
    lines_written: int


class Manifest(Record, frozen=True, kw_only=True):
    """manifest.json."""

    schema: int = MANIFEST_SCHEMA
    tool: Tool
    kind: RunKind
    name: str
    command_line: list[str]
    status: Status
    exit_code: int | None = None
    message: str = ""
    started_at: str
    finished_at: str | None = None
    platform: str = "native"
    seed: int | None = None
    machine_hash: str | None = None
    clock: Clock | None = None
    counter: Counter | None = None
    snapshots: SnapshotCost | None = None
    events: list[Event] = []
    sampling: Sampling | None = None
    # Null: the run was to stop on no job, or none came.
    stop: Stop | None = None
    stalls: list[Stall] = []
    stalls_unlisted: int = 0
    groups: list[GroupUse] = []
    # Of a simulated platform.
    memory_traffic: MemoryTraffic | msgspec.UnsetType = msgspec.UNSET
    # Null: not asked for.
    trace: TraceResult | None = None
    tasks: list[TaskResult] = []
    corunners: list[CorunnerResult] = []
    measurement: Measured | None = None
    observation: Observation | None = None
    experiment: ExperimentRun | None = None
    fallbacks: list[Fallback] = []
    # What the user was told about the experiment before it ran: done as asked for, but of less use.
    notes: list[str] = []
    knobs: KnobsUsed | None = None
    doctor_drift: list[str] = []
    tables: dict[str, int] = {}
    parents: list[str] = []
    runs: list[str] = []
    files: dict[str, str] = {}
    # Of a simulated run that ended by itself: the same wherever it is made. Null: any other.
    result_hash: str | None = None
    # URL of the board it ran on; absent: the machine that wrote it.
    on: str | None = None
    # Only while status is "running".
    writer: Writer | msgspec.UnsetType = msgspec.UNSET
    # Likewise, of a run on a board: where its streams are there.
    board_run_dir: str | msgspec.UnsetType = msgspec.UNSET


class Versioned(Protocol):
    """A document that says by which version of its shape it was written."""

    @property
    def schema(self) -> int:
        """The version; the default of the class is that of this build."""


Document = TypeVar("Document", bound=Versioned)


def kind_of_figures(manifest: Manifest) -> Literal["measured", "simulated"]:
    """Tell of which kind are figures that a run saw: the platform decides."""
    return "simulated" if manifest.platform.startswith(SIMULATED) else "measured"


def undetermined_tasks(manifest: Manifest) -> list[str]:
    """Name the tasks that may do something else in another run: they asked the host."""
    return [task.name for task in manifest.tasks if task.asked_calls]


def result_rows(manifest: Manifest) -> list[tuple[str, str]]:
    """Say by what a simulated run can be told from another, or why it cannot: (what, how)."""
    if kind_of_figures(manifest) != "simulated":
        return []
    why = "the run did not end by itself"
    if tasks := undetermined_tasks(manifest):
        why = f"not deterministic: {', '.join(tasks)} may do something else in another run"
    elif manifest.runs:
        why = "a run within was cut off, or is not deterministic"
    return [("result hash", manifest.result_hash or f"none: {why}")]


def decode_document(data: bytes, kind: type[Document], where: str) -> Document:
    """Read manifest.json or native.json.

    Args:
        data: Content of the file.
        kind: `Manifest` or `Native`.
        where: Path, for the message.

    Raises:
        RecordError: Not JSON, not this shape, or of another schema version; too large.
    """
    if len(data) > MAX_JSON_BYTES:
        limit = exact_size(MAX_JSON_BYTES)
        msg = f"{where}: larger than {limit}, too large for metadata; the run is damaged"
        raise RecordError(msg)
    return decode_versioned(data, kind, where)


def decode_versioned(data: bytes, kind: type[Document], where: str) -> Document:
    """Read a document that is as large as what was measured.

    Args:
        data: Content of the file.
        kind: Its type.
        where: Path, for the message.

    Raises:
        RecordError: Not JSON, not this shape, or of another schema version.
    """
    try:
        document = msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        msg = (
            f"{where}: unreadable ({plain_words(error)}); the run is damaged or of another version"
        )
        raise RecordError(msg) from error
    shape: type[Any] = kind
    known = next(one.default for one in msgspec.structs.fields(shape) if one.name == "schema")
    if document.schema != known:
        msg = f"{where}: schema {document.schema}; this build reads {known}"
        raise RecordError(msg)
    return document


def encode_document(document: msgspec.Struct | dict[str, Any]) -> bytes:
    """Write a document as people like to read it: indented, one final newline."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


_DISPLACED = {
    "policy": "under",
    "cpus": "on CPUs",
    "cpu_of_job": "with jobs on CPU",
}


def displaced_lines(name: str, displaced: list[Displaced]) -> list[str]:
    """Say of a task or co-runner what was found otherwise than planned.

    Args:
        name: What it is called in the text.
        displaced: As its result holds it.
    """
    return [
        f"{name} was found {_DISPLACED[one.what]} {one.found} ({one.jobs} jobs), planned was "
        f"{one.planned}; its figures are not those of the plan and support no verdict"
        for one in displaced
    ]


def knob_rows(used: KnobsUsed | None) -> list[tuple[str, str]]:
    """Name the kernel settings that were changed for a run: (what, how); none if none was."""
    rows: list[tuple[str, str]] = []
    if used is not None and used.rt_runtime_us_before is not None:
        before = f"before the run {used.rt_runtime_us_before} us in each period"
        rows.append(("real-time throttling", f"lifted; {before}"))
    if used is not None and used.shield is not None:
        one = used.shield
        rows.append(
            (
                f"shield of CPUs {one.cpus}",
                f"{one.threads_moved} threads moved, {one.threads_left} refused, "
                f"{one.threads_bound} bound there by the kernel; "
                f"{one.interrupts_moved} interrupts moved, {one.interrupts_left} refused",
            )
        )
    return rows
