# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The contention table of a program: for each phase the upper envelope of its windows, packed.

Source: docs/regulation.md, sections 2 and 7.
"""

import hashlib
import math
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Meta

from laxity.contention.windows import FloatArray, IntArray, Progress, Windows
from laxity.core.input_file import read_input
from laxity.core.spec import NATIVE_PLATFORM
from laxity.errors import ConfigError, located

# Blin et al., 3.3: the granularity of their tables.
STEP_BYTES_PER_S = 20_480_000
# native/regulator/table.h
RATE_ONE = 1 << 20
STEPS_MAX = 256
PHASES_MAX = 64
# A reading comes each 50 µs: it can use no more than the newest of the checkpoints in between.
LEAST_PHASE_NS = 50_000
TABLE_SCHEMA: Literal[2] = 2
_AGAIN = "profile again (laxity contention profile)"
# Of a file.
MOST_BYTES = 1 << 24
# Traffic and overheads of whole jobs that no profile has seen lie above the largest seen ones.
MARGIN_PPM = 50_000
# Windows that no profile has seen, likewise: by a fifth of the overhead, and by what a refresh and
# a turnaround more, of 0.2 us, are in a window of 10 us.
MARGIN_OF_OVERHEAD = 0.2
MARGIN_OF_WALL = 0.02
# A window in which the job does not proceed at all loses no more than this leaves.
_LEAST_PROGRESS = 1e-6
_MILLION = 1_000_000

# native/regulator/plan.h: the numbers of marks that may be checkpoints lie below
MARKS = 256

# workloads/load/load.c
PAUSE_MAX, GROUPS_MAX = 1_000_000_000, 1_000_000

Time = Annotated[int, Meta(ge=0, le=3600 * 10**9)]
Rate = Annotated[int, Meta(ge=0, le=RATE_ONE)]
OVERHEAD_MAX = (1 << 32) - 1
Overhead = Annotated[int, Meta(ge=0, le=OVERHEAD_MAX)]
OverheadPpm = Annotated[int, Meta(ge=-_MILLION, le=OVERHEAD_MAX)]
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Traffic = Annotated[int, Meta(ge=0, le=1 << 34)]
Cpu = Annotated[int, Meta(ge=0, le=63)]


class Load(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A load: `load 4MiB READS DELAY PAUSE GROUPS` on each of its CPUs.

    `factors` multiply the delay, one for each CPU; empty: all are 1. `pause`: turns of the wait
    loop after each `groups` times 10 lines; 0: the load never pauses.
    """

    reads: Annotated[int, Meta(ge=0, le=10)]
    delay: Annotated[int, Meta(ge=0, le=1_000_000)]
    cpus: Annotated[list[Cpu], Meta(min_length=1)]
    factors: list[Annotated[int, Meta(ge=1, le=100)]] = []
    pause: Annotated[int, Meta(ge=0, le=PAUSE_MAX)] = 0
    groups: Annotated[int, Meta(ge=1, le=GROUPS_MAX)] = 1

    @property
    def pauses(self) -> str | None:
        """Its pauses as an option has them; None: it never pauses."""
        return f"{self.pause}/{self.groups}" if self.pause else None

    @property
    def delays(self) -> list[int]:
        """The delay on each CPU."""
        factors = self.factors or [1] * len(self.cpus)
        return [factor * self.delay for factor in factors]


class MeasuredLoad(Load, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A load, the execution time that it adds to a whole job, and the platform's traffic then.

    `traffic_bytes_per_s`: null: the machine has no sensor.
    """

    overhead_ppm: OverheadPpm
    traffic_bytes_per_s: Traffic | None


class Checkpoint(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A mark of the program, and how often the job has passed it by then, from 1."""

    mark: Annotated[int, Meta(ge=0, lt=MARKS)]
    passage: Annotated[int, Meta(ge=1, lt=1 << 32)]


class Phase(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A part of the job between two checkpoints.

    `checkpoint`: where it begins; null: at the start of the job. `begins_ns`: when, of the job
    alone, its caches cold at its start. `soonest_ns`: no job gets from a phase to a later one in
    less than their difference; 0 in all phases: not known. `latest_ns`, `rest_ns`: the longest that
    a job alone took until there, and from there on; null: only the cold job was measured. `loss`:
    lost time per wall time in units of 2^-20, by step of the platform's traffic, margin included.
    `shared_loss`: the same where jobs of other tasks may precede the job, whose lines it evicts;
    empty: it was not measured.
    `cold_ns`: how much longer the rest of the job takes with the caches full of other lines at the
    checkpoint; 0 where loads cannot evict lines of the job. `reserve_ns`: slack to keep for later
    phases.
    `overheads`: tables of Blin et al. (contention/paper.py), by the number of CPUs with loads, from
    1; in 2^-20 of the solo time.
    """

    checkpoint: Checkpoint | None
    begins_ns: Time
    soonest_ns: Time = 0
    latest_ns: Time | None = None
    rest_ns: Time | None = None
    loss: Annotated[list[Rate], Meta(min_length=2, max_length=STEPS_MAX)]
    shared_loss: Annotated[list[Rate], Meta(max_length=STEPS_MAX)] = []
    cold_ns: Time = 0
    reserve_ns: Annotated[list[Time], Meta(min_length=2, max_length=STEPS_MAX)]
    overheads: list[Annotated[list[Overhead], Meta(min_length=2, max_length=STEPS_MAX)]]

    @property
    def shared(self) -> list[Rate]:
        """Return the losses where jobs of other tasks may precede the job, as far as measured."""
        return self.shared_loss or self.loss


class Preempted(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """What another program on the CPU of the job costs it: the largest observed, no bounds.

    `program`: the workload and its arguments. `dirty_ns`: the job alone, with the caches full of
    lines of that program at its start. `alone_ns`, `loaded_ns`: reload after one preemption, alone
    and with `load`. `loaded_at_ns`: when the job with the load was preempted, since its start.
    """

    kind: Literal["observed"]
    program: Annotated[list[str], Meta(min_length=1)]
    dirty_ns: Time
    n_alone: Annotated[int, Meta(ge=1)]
    alone_ns: Time
    n_loaded: Annotated[int, Meta(ge=1)]
    loaded_ns: Time
    loaded_at_ns: Time
    load: Load

    @property
    def gamma_ns(self) -> int:
        """Return the reload after one preemption, with the margin of a table."""
        return with_margin(max(self.alone_ns, self.loaded_ns))


class Repeated(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Jobs alone, each after one of the same task, whose dirty lines they evict.

    `n`: jobs. `most_ns`: the longest of them; observed, no bound.
    """

    kind: Literal["observed"]
    n: Annotated[int, Meta(ge=1)]
    most_ns: Annotated[int, Meta(ge=1, le=3600 * 10**9)]


class Stopped(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """What a stop of `load` costs the job: the largest observed, no bound.

    `queue_ns`: calculated time to serve what other cores have queued. `n`: stops, one in each
    simulation. `reload_ns`: time that the job loses after a stop. `at_ns`: when the load stood
    still, since the start of the job. `is_level_shared`: the load can evict lines of the job from
    the last cache level.
    """

    kind: Literal["observed"]
    n: Annotated[int, Meta(ge=1)]
    reload_ns: Time
    at_ns: Time
    load: Load
    queue_ns: Time
    is_level_shared: bool


class _AnySchema(msgspec.Struct, frozen=True):
    """Of a table of any version."""

    schema: int


class ContentionTable(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """What `laxity contention profile` writes.

    `platform_sha256` is that of the platform file; of a machine its hash. `solo_ns`: the job alone,
    its caches cold.
    `reload_ns`: K, what a stop costs the job: a bound where the last cache level is partitioned,
    else the largest observed, with margin. `last_passages`: the last of each mark, those
    that begin no phase included. `contended_ns`: the job if each 10 µs of it met the load that
    delays that part most; `shared_contended_ns`: the same where jobs of other tasks may precede the
    job. `repeated`, `preempted`, `stopped`: null, as for these two: it was not measured.
    `drift_ppm`: of a machine, how far the median of jobs alone moved within their run. `sha256`: of
    all other members; null: written before tables had one.
    """

    schema: Literal[2]  # TABLE_SCHEMA
    version: str
    platform: str
    platform_sha256: Sha256
    workload: str
    args: list[str]
    cpu: Cpu
    solo_ns: Annotated[int, Meta(ge=1, le=3600 * 10**9)]
    solo_traffic_bytes_per_s: Traffic | None
    reload_ns: Time
    step_bytes_per_s: Annotated[int, Meta(ge=1, le=1 << 34)]
    last_passages: list[Checkpoint]
    phases: Annotated[list[Phase], Meta(min_length=1, max_length=PHASES_MAX)]
    loads: Annotated[list[MeasuredLoad], Meta(min_length=1)]
    contended_ns: Time | None = None
    shared_contended_ns: Time | None = None
    repeated: Repeated | None = None
    preempted: Preempted | None = None
    stopped: Stopped | None = None
    drift_ppm: OverheadPpm | None = None
    sha256: Sha256 | None = None

    @property
    def is_native(self) -> bool:
        """Tell whether the table is of a machine without a sensor of its traffic."""
        return self.platform == NATIVE_PLATFORM

    @property
    def load_cpus(self) -> list[int]:
        """CPUs with loads of the profile, ascending."""
        return sorted({cpu for load in self.loads for cpu in load.cpus})

    @property
    def gamma_ns(self) -> int | None:
        """Return the reload after one preemption; None: it was not measured."""
        return None if self.preempted is None else self.preempted.gamma_ns

    @property
    def longest_ns(self) -> int:
        """Return the longest job alone of those that were measured on a CPU of its own."""
        return self.solo_ns if self.repeated is None else max(self.solo_ns, self.repeated.most_ns)

    @property
    def alone_ns(self) -> int:
        """Return the time of a job that has its CPU for itself, with the margin of a table."""
        return self.solo_ns + with_margin(self.longest_ns - self.solo_ns)

    @property
    def shared_ns(self) -> int | None:
        """Return the time alone after jobs of other tasks; None: it was not measured."""
        if self.preempted is None:
            return None
        return self.solo_ns + with_margin(self.longest_shared_ns - self.solo_ns)

    @property
    def longest_shared_ns(self) -> int:
        """Return the longest job alone, those after jobs of other tasks included."""
        dirty_ns = 0 if self.preempted is None else self.preempted.dirty_ns
        return max(self.longest_ns, dirty_ns)

    def lost_ns(self, solo_ns: int, *, is_shared: bool) -> int | None:
        """Return what a job loses to co-runners that nothing stops; None: nothing bounds it.

        What it takes longer than the longest job of the profile may lose as much as any window.

        Args:
            solo_ns: The job alone.
            is_shared: Jobs of other tasks may precede the job on its CPU.
        """
        is_shared = is_shared or self.is_level_shared
        contended_ns = self.shared_contended_ns if is_shared else self.contended_ns
        if contended_ns is None:
            return None
        longest_ns = self.longest_shared_ns if is_shared else self.longest_ns
        lost_ns = (contended_ns - longest_ns) * (1 + MARGIN_OF_OVERHEAD)
        lost_ns += contended_ns * MARGIN_OF_WALL
        more_ns = max(solo_ns - longest_ns, 0)
        if more_ns > 0:
            rate = self.for_cpu(is_shared=is_shared).worst_rate
            if rate >= RATE_ONE:
                return None
            lost_ns += more_ns * rate / (RATE_ONE - rate)
        return math.ceil(lost_ns)

    @property
    def queue_ns(self) -> int:
        """Return the time that queues hold up a core whose load is to stop."""
        return self.reload_ns if self.stopped is None else self.stopped.queue_ns

    @property
    def is_level_shared(self) -> bool:
        """Tell whether loads evict lines of the job, so that its caches may be full of theirs."""
        return self.stopped is not None and self.stopped.is_level_shared

    def for_cpu(self, *, is_shared: bool) -> "ContentionTable":
        """Take the losses of jobs that find lines of others in the caches, where measured.

        Args:
            is_shared: Jobs of other tasks may precede the job on its CPU.
        """
        if not is_shared and not self.is_level_shared:
            return self
        return msgspec.structs.replace(
            self,
            phases=[msgspec.structs.replace(phase, loss=phase.shared) for phase in self.phases],
        )

    def of_cold_jobs(self) -> "ContentionTable":
        """Leave out the times of jobs that follow one another: C is that of a cold job."""
        phases = [
            msgspec.structs.replace(phase, latest_ns=None, rest_ns=None) for phase in self.phases
        ]
        return msgspec.structs.replace(self, repeated=None, phases=phases)

    @property
    def worst_rate(self) -> int:
        """Return the largest loss of all phases: that of the last step, and all traffic above."""
        return max(phase.loss[-1] for phase in self.phases)

    def worst_within(self, wall_ns: int) -> int:
        """Return the largest loss of the phases that a job can reach so soon after its start."""
        return max(phase.loss[-1] for phase in self.phases if phase.soonest_ns <= wall_ns)


def with_margin(ns: int) -> int:
    """Raise a time by the margin of a table, rounded up."""
    return -(-ns * (_MILLION + MARGIN_PPM) // _MILLION)


def pack(curve: IntArray) -> IntArray:
    """Raise a curve to its upper concave hull, rounded up, as native/regulator/table.c does.

    Args:
        curve: Whole numbers; shape (step,).
    """
    corners: list[int] = []
    for i in range(len(curve)):
        while len(corners) > 1:
            a, b = corners[-2:]
            if (curve[b] - curve[a]) * (i - a) > (curve[i] - curve[a]) * (b - a):
                break
            corners.pop()
        corners.append(i)
    packed = curve.copy()
    for a, b in pairwise(corners):
        steps = np.arange(a + 1, b)
        rise = int(curve[b] - curve[a])
        packed[a + 1 : b] = curve[a] - (-rise * (steps - a) // (b - a))
    return packed


def checkpoints_of(solo: Progress, solo_ns: int) -> list[tuple[int, Checkpoint]]:
    """Choose the marks that begin phases: the first one of each 50 µs, at most 63.

    Args:
        solo: The job alone.
        solo_ns: How long it takes.

    Returns:
        When each is passed, since the start of the job, and which it is; in the order of time.
    """
    least_ns = LEAST_PHASE_NS
    if len(solo.marks) >= PHASES_MAX:
        least_ns = max(least_ns, -(-solo_ns // (PHASES_MAX - 1)))
    chosen: list[tuple[int, Checkpoint]] = []
    passed: Counter[int] = Counter()
    free_ns = least_ns
    for mark, at_ns in zip(solo.marks.tolist(), solo.marks_ns.tolist(), strict=True):
        passed[mark] += 1
        if mark < MARKS and free_ns <= at_ns <= solo_ns - LEAST_PHASE_NS:
            chosen.append((at_ns, Checkpoint(mark=mark, passage=passed[mark])))
            free_ns = at_ns + least_ns
    return chosen


def soonest_of(
    checkpoints: Sequence[Checkpoint], jobs: Sequence[tuple[IntArray, IntArray]]
) -> list[int]:
    """Tell how soon a job can reach each phase: all phases before take their least time.

    Args:
        checkpoints: Where phases begin, that at the start of the job left out.
        jobs: Marks of jobs alone, and when each was passed, since the start of the job.

    Returns:
        Of each phase, the first one included; ns.
    """
    least_ns = np.full(len(checkpoints), np.inf)
    for marks, marks_ns in jobs:
        # A job that leaves out a phase may reach the next one at once.
        times_ns = [at_ns or 0 for at_ns in _passed_ns(checkpoints, marks, marks_ns)]
        least_ns = np.minimum(least_ns, np.maximum(np.diff(times_ns, prepend=0), 0))
    raised = np.floor(least_ns * (_MILLION - MARGIN_PPM) / _MILLION)
    return [0, *np.cumsum(raised).astype(np.int64).tolist()]


def longest_of(
    checkpoints: Sequence[Checkpoint], jobs: Sequence[tuple[int, IntArray, IntArray]]
) -> list[tuple[int, int]]:
    """Tell how long jobs take at most until each phase begins, and from there to their end.

    A job whose caches hold lines of its own may begin a phase sooner than a cold one and end later.

    Args:
        checkpoints: As of `soonest_of`.
        jobs: Execution time in ns, marks, and when each was passed.

    Returns:
        Of each phase, the first one included; ns.
    """
    latest_ns, rest_ns = [0] * len(checkpoints), [0] * len(checkpoints)
    for took_ns, marks, marks_ns in jobs:
        for i, at_ns in enumerate(_passed_ns(checkpoints, marks, marks_ns)):
            if at_ns is not None:
                latest_ns[i] = max(latest_ns[i], at_ns)
                rest_ns[i] = max(rest_ns[i], took_ns - at_ns)
    whole_ns = max(took_ns for took_ns, _, _ in jobs)
    return [(0, whole_ns), *zip(latest_ns, rest_ns, strict=True)]


def _passed_ns(
    checkpoints: Sequence[Checkpoint], marks: IntArray, marks_ns: IntArray
) -> list[int | None]:
    """List when a job passed each checkpoint; None: it left it out."""
    passed: Counter[int] = Counter()
    at_ns: dict[tuple[int, int], int] = {}
    for mark, mark_ns in zip(marks.tolist(), marks_ns.tolist(), strict=True):
        passed[mark] += 1
        at_ns[mark, passed[mark]] = mark_ns
    return [at_ns.get((point.mark, point.passage)) for point in checkpoints]


def last_passages_of(solo: Progress) -> list[Checkpoint]:
    """List the marks of a job, and how often it passes each."""
    counts = Counter(mark for mark in solo.marks.tolist() if mark < MARKS)
    return [Checkpoint(mark=mark, passage=n) for mark, n in sorted(counts.items())]


def envelopes_of(windows: Iterable[Windows], begins_ns: Sequence[int]) -> list[list[int]]:
    """Bound the loss of each phase by the traffic; with margin, rising and packed.

    A window counts in each phase that it touches. A window between two steps stands at the lower
    step: a mixture of its traffic and none would otherwise lie above the hull.

    Args:
        windows: Of all loads.
        begins_ns: Where each phase begins in the job alone; the first at 0.

    Raises:
        ConfigError: The traffic is larger than a table can tell.
    """
    curves = np.zeros((len(begins_ns), STEPS_MAX))
    highest = 0.0
    for part in windows:
        highest = max(highest, float(part.traffic_bytes_per_s.max()))
        steps = (part.traffic_bytes_per_s // STEP_BYTES_PER_S).astype(np.int64)
        steps = np.minimum(steps, STEPS_MAX - 1)
        for curve, is_of_phase in zip(curves, _touched(part, begins_ns), strict=True):
            np.maximum.at(curve, steps[is_of_phase], part.loss[is_of_phase])
    # The last step stands for all traffic above; what was seen lies below it with its margin.
    of_most = int(highest // STEP_BYTES_PER_S)
    n_steps = max(2, of_most * (_MILLION + MARGIN_PPM) // _MILLION + 2)
    if n_steps > STEPS_MAX:
        msg = f"traffic of {highest / 1e6:.0f} MB/s: more than a contention table can hold"
        raise ConfigError(msg)
    bounds = np.maximum.accumulate(raised(curves[:, :n_steps]), axis=1)
    return [pack(np.ceil(bound * RATE_ONE).astype(np.int64)).tolist() for bound in bounds]


def raised(loss: FloatArray) -> FloatArray:
    """Add to a loss per wall time what no profile has seen: it stays below 1."""
    overhead = loss / np.maximum(1 - loss, _LEAST_PROGRESS)
    lost = overhead * (1 + MARGIN_OF_OVERHEAD) + (1 + overhead) * MARGIN_OF_WALL
    return lost / (1 + lost)


def windows_above(table: ContentionTable, windows: Windows) -> int:
    """Count windows that lose more than the table says of each phase that they touch."""
    steps = np.ceil(windows.traffic_bytes_per_s / table.step_bytes_per_s).astype(np.int64)
    curves = np.array([phase.loss for phase in table.phases])
    rates = curves[:, np.minimum(steps, curves.shape[1] - 1)]
    touched = _touched(windows, [phase.begins_ns for phase in table.phases])
    bounds = np.where(touched, rates, 0).max(axis=0)
    return int(np.count_nonzero(windows.loss * RATE_ONE > bounds))


def _touched(windows: Windows, begins_ns: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Tell which phases each window touches; shape (phase, window)."""
    edges_ns = np.array([*begins_ns, np.inf])[:, np.newaxis]
    # A window without progress at the very beginning of a phase touches this phase.
    is_past = (windows.ends_ns > edges_ns[:-1]) | (windows.begins_ns == edges_ns[:-1])
    touched: npt.NDArray[np.bool_] = (windows.begins_ns < edges_ns[1:]) & is_past
    return touched


def content_sha256(document: dict[str, Any]) -> str:
    """Hash what a table says, whatever its layout and the order of its members."""
    content = {name: value for name, value in document.items() if name != "sha256"}
    return hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()


def signed(table: ContentionTable) -> ContentionTable:
    """Give a table its hash, by which `decode_table` finds later changes."""
    return msgspec.structs.replace(table, sha256=content_sha256(msgspec.to_builtins(table)))


def read_table(path: Path) -> tuple[ContentionTable, bytes]:
    """Read the file of a table; stderr says where changes of it cannot be found.

    Returns:
        The table, and the bytes of the file.

    Raises:
        ConfigError: The file cannot be read, or as `decode_table`.
    """
    data = read_input(path, MOST_BYTES, "a contention table")
    with located(str(path)):
        table = decode_table(data)
    if table.sha256 is None:
        _say_unsigned(path)
    return table, data


@cache
def _say_unsigned(path: Path) -> None:
    """Say it once for each file."""
    sys.stderr.write(
        f"laxity: {path}: the table has no sha256 (older laxity), so that changes of the file "
        f"cannot be found; {_AGAIN}\n"
    )


def decode_table(data: bytes) -> ContentionTable:
    """Read a table strictly.

    Raises:
        ConfigError: It is none, was changed since it was written, or its parts do not fit.
    """
    try:
        schema = msgspec.json.decode(data, type=_AnySchema).schema
        if schema != TABLE_SCHEMA:
            msg = f"contention table of schema {schema}, this build reads {TABLE_SCHEMA}; "
            raise ConfigError(msg + _AGAIN)
        table = msgspec.json.decode(data, type=ContentionTable)
        sha256 = content_sha256(msgspec.json.decode(data))
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        msg = f"no contention table: {error}; {_AGAIN}"
        raise ConfigError(msg) from error
    if table.sha256 not in {None, sha256}:
        msg = f"the contention table has changed since it was written (sha256 differs); {_AGAIN}"
        raise ConfigError(msg)
    for flaw in (*_flaws_of_loads(table), *_flaws_of_curves(table), *_flaws_of_phases(table)):
        msg = f"no contention table: {flaw}; {_AGAIN}"
        raise ConfigError(msg)
    return table


def _flaws_of_curves(table: ContentionTable) -> Iterator[str]:
    phases = table.phases
    curves = [(i, loss) for i, phase in enumerate(phases) for loss in (phase.loss, phase.shared)]
    for i, loss in curves:
        curve = np.array(loss, dtype=np.int64)
        if np.any(np.diff(curve) < 0):
            yield f"the loss of phase {i} falls with the traffic"
        elif np.any(pack(curve) > curve + 1):
            yield f"the loss of phase {i} is not packed"
    others = [(i, phase.reserve_ns) for i, phase in enumerate(phases)]
    if len({len(values) for _, values in (*curves, *others)}) > 1:
        yield "a phase has fewer steps than another phase"
    overheads = [phase.overheads for phase in phases]
    n_loads = max(len(load.cpus) for load in table.loads)
    n_measured = 0 if table.is_native else n_loads
    if {len(of_phase) for of_phase in overheads} != {n_measured}:
        yield "a phase lacks overheads of a number of load CPUs"
    if len({len(values) for of_phase in overheads for values in of_phase}) > 1:
        yield "overheads of a phase have fewer steps than others"


def _flaws_of_phases(table: ContentionTable) -> Iterator[str]:
    first, *others = table.phases
    begins_ns = [phase.begins_ns for phase in table.phases] + [table.solo_ns]
    if first.checkpoint is not None or first.begins_ns != 0:
        yield "phase 0 begins after the start of the job"
    if any(before >= after for before, after in pairwise(begins_ns)):
        yield "a phase begins before the phase before it, or after the end of the job"
    yield from _flaws_of_times(table)
    counts = {last.mark: last.passage for last in table.last_passages}
    if len(counts) != len(table.last_passages):
        yield "last_passages has a mark twice"
    checkpoints = [phase.checkpoint for phase in others]
    for i, checkpoint in enumerate(checkpoints, 1):
        if checkpoint is None or checkpoint.passage > counts.get(checkpoint.mark, 0):
            yield f"phase {i} begins at an unknown passage of a mark"
    if len(set(checkpoints)) != len(checkpoints):
        yield "two phases begin at one passage of a mark"


def _flaws_of_times(table: ContentionTable) -> Iterator[str]:
    soonest_ns = [phase.soonest_ns for phase in table.phases]
    if soonest_ns[0] != 0 or sorted(soonest_ns) != soonest_ns:
        yield "soonest_ns of a phase is less than that of the phase before it"
    for contended_ns, alone_ns in (
        (table.contended_ns, table.longest_ns),
        (table.shared_contended_ns, table.longest_shared_ns),
    ):
        if contended_ns is not None and contended_ns < alone_ns:
            yield "a job with loads takes less than alone"
    if any(phase.soonest_ns > phase.begins_ns for phase in table.phases):
        yield "a phase begins sooner than at the soonest"
    if any(
        (known is None) != (table.repeated is None)
        for phase in table.phases
        for known in (phase.latest_ns, phase.rest_ns)
    ):
        yield "phases need latest_ns and rest_ns where jobs were repeated, and only there"
    if any(
        phase.latest_ns is not None and phase.latest_ns < phase.begins_ns for phase in table.phases
    ):
        yield "a phase begins later than at the latest"
    if any(
        phase.rest_ns is not None and phase.rest_ns < table.solo_ns - phase.begins_ns
        for phase in table.phases
    ):
        yield "from a phase on the job takes longer than the longest"


def _flaws_of_loads(table: ContentionTable) -> Iterator[str]:
    for load in table.loads:
        if len(load.delays) != len(load.cpus):
            yield "a load has a factor for other CPUs"
        if table.cpu in load.cpus or sorted(set(load.cpus)) != load.cpus:
            yield "a load is on the CPU of the job, or its CPUs do not rise"
