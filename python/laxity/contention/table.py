# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The contention table of a program: for each phase the upper envelope of its windows, packed.

Source: docs/regulation.md, sections 2 and 7.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Literal

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Meta

from laxity.contention.windows import IntArray, Progress, Windows
from laxity.errors import ConfigError

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
# Windows that no profile has seen lie above the largest seen ones: by some percent, and by what a
# refresh or a turnaround more, of 0.1 us, is in a window of 10 us.
MARGIN_PPM = 50_000
MARGIN_RATE = RATE_ONE // 100
_MILLION = 1_000_000

# native/regulator/plan.h: the numbers of marks that may be checkpoints lie below
MARKS = 256

Time = Annotated[int, Meta(ge=0, le=3600 * 10**9)]
Rate = Annotated[int, Meta(ge=0, le=RATE_ONE)]
OVERHEAD_MAX = (1 << 32) - 1
Overhead = Annotated[int, Meta(ge=0, le=OVERHEAD_MAX)]
Traffic = Annotated[int, Meta(ge=0, le=1 << 34)]
Cpu = Annotated[int, Meta(ge=0, le=63)]


class Load(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A load: `load 4MiB READS DELAY` on each of its CPUs.

    `factors` multiply the delay, one for each CPU; empty: all are 1.
    """

    reads: Annotated[int, Meta(ge=0, le=10)]
    delay: Annotated[int, Meta(ge=0, le=1_000_000)]
    cpus: Annotated[list[Cpu], Meta(min_length=1)]
    factors: list[Annotated[int, Meta(ge=1, le=100)]] = []

    @property
    def delays(self) -> list[int]:
        """The delay on each CPU."""
        factors = self.factors or [1] * len(self.cpus)
        return [factor * self.delay for factor in factors]


class MeasuredLoad(Load, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A load, the execution time that it adds to a whole job, and the platform's traffic then."""

    overhead_ppm: int
    traffic_bytes_per_s: Traffic


class Checkpoint(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A mark of the program, and how often the job has passed it by then, from 1."""

    mark: Annotated[int, Meta(ge=0, lt=MARKS)]
    passage: Annotated[int, Meta(ge=1, lt=1 << 32)]


class Phase(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A part of the job between two checkpoints.

    `checkpoint`: where it begins; null: at the start of the job. `begins_ns`: when, of the job
    alone, its caches cold at its start. `loss`: lost time per wall time in units of 2^-20, by step
    of the platform's traffic, margin included. `reserve_ns`: slack to keep for later phases.
    `overheads`: tables of Blin et al. (contention/paper.py), by the number of CPUs with loads, from
    1; in 2^-20 of the solo time.
    """

    checkpoint: Checkpoint | None
    begins_ns: Time
    loss: Annotated[list[Rate], Meta(min_length=2, max_length=STEPS_MAX)]
    reserve_ns: Annotated[list[Time], Meta(min_length=2, max_length=STEPS_MAX)]
    overheads: list[Annotated[list[Overhead], Meta(min_length=2, max_length=STEPS_MAX)]]


class _AnySchema(msgspec.Struct, frozen=True):
    """Of a table of any version."""

    schema: int


class ContentionTable(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """What `laxity contention profile` writes.

    `platform_sha256` is that of the platform file. `solo_ns`: the job alone, its caches cold.
    `reload_ns`: bound of what a stop costs the job. `last_passages`: the last of each mark, those
    that begin no phase included.
    """

    schema: Literal[2]  # TABLE_SCHEMA
    version: str
    platform: str
    platform_sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    workload: str
    args: list[str]
    cpu: Cpu
    solo_ns: Annotated[int, Meta(ge=1, le=3600 * 10**9)]
    solo_traffic_bytes_per_s: Traffic
    reload_ns: Time
    step_bytes_per_s: Annotated[int, Meta(ge=1, le=1 << 34)]
    last_passages: list[Checkpoint]
    phases: Annotated[list[Phase], Meta(min_length=1, max_length=PHASES_MAX)]
    loads: Annotated[list[MeasuredLoad], Meta(min_length=1)]

    @property
    def worst_rate(self) -> int:
        """Return the largest loss of all phases: that of the last step, and all traffic above."""
        return max(phase.loss[-1] for phase in self.phases)


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


def last_passages_of(solo: Progress) -> list[Checkpoint]:
    """List the marks of a job, and how often it passes each."""
    counts = Counter(mark for mark in solo.marks.tolist() if mark < MARKS)
    return [Checkpoint(mark=mark, passage=n) for mark, n in sorted(counts.items())]


def envelopes_of(windows: Sequence[Windows], begins_ns: Sequence[int]) -> list[list[int]]:
    """Bound the loss of each phase by the traffic; with margin, rising and packed.

    A window counts in each phase that it touches. A window between two steps stands at the lower
    step: a mixture of its traffic and none would otherwise lie above the hull.

    Args:
        windows: Of all loads.
        begins_ns: Where each phase begins in the job alone; the first at 0.

    Raises:
        ConfigError: The traffic is larger than a table can tell.
    """
    traffic = np.concatenate([part.traffic_bytes_per_s for part in windows])
    loss = np.concatenate([part.loss for part in windows])
    steps = (traffic // STEP_BYTES_PER_S).astype(np.int64)
    # The last step stands for all traffic above; what was seen lies below it with its margin.
    n_steps = max(2, int(steps.max() * (_MILLION + MARGIN_PPM) // _MILLION) + 2)
    if n_steps > STEPS_MAX:
        msg = f"traffic of {traffic.max() / 1e6:.0f} MB/s: more than a contention table can hold"
        raise ConfigError(msg)
    rates = np.ceil(loss * RATE_ONE * (_MILLION + MARGIN_PPM) / _MILLION).astype(np.int64)
    touched = np.concatenate([_touched(part, begins_ns) for part in windows], axis=1)
    curves: list[list[int]] = []
    for is_of_phase in touched:
        curve = np.zeros(n_steps, dtype=np.int64)
        np.maximum.at(curve, steps[is_of_phase], rates[is_of_phase])
        bound = np.minimum(np.maximum.accumulate(curve) + MARGIN_RATE, RATE_ONE)
        curves.append(pack(bound).tolist())
    return curves


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
    return (windows.begins_ns < edges_ns[1:]) & (windows.ends_ns > edges_ns[:-1])


def decode_table(data: bytes) -> ContentionTable:
    """Read a table strictly.

    Raises:
        ConfigError: It is none, or its curve falls or is not packed.
    """
    try:
        schema = msgspec.json.decode(data, type=_AnySchema).schema
        if schema != TABLE_SCHEMA:
            msg = f"contention table of schema {schema}, this build reads {TABLE_SCHEMA}; "
            raise ConfigError(msg + _AGAIN)
        table = msgspec.json.decode(data, type=ContentionTable)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        msg = f"no contention table: {error}; {_AGAIN}"
        raise ConfigError(msg) from error
    for phase in table.phases:
        curve = np.array(phase.loss, dtype=np.int64)
        if np.any(np.diff(curve) < 0) or np.any(pack(curve) > curve + 1):
            msg = "no contention table: loss falls with the traffic, or is not packed"
            raise ConfigError(msg)
    _check_phases(table)
    return table


def _check_phases(table: ContentionTable) -> None:
    """Check the order of phases, and that all have curves of one length.

    Raises:
        ConfigError: The table cannot be of a job.
    """
    first, *others = table.phases
    begins_ns = [phase.begins_ns for phase in table.phases] + [table.solo_ns]
    lengths = {len(values) for phase in table.phases for values in (phase.loss, phase.reserve_ns)}
    overheads = [phase.overheads for phase in table.phases]
    counts = {last.mark: last.passage for last in table.last_passages}
    checkpoints = [phase.checkpoint for phase in others]
    are_known = all(
        checkpoint is not None and checkpoint.passage <= counts.get(checkpoint.mark, 0)
        for checkpoint in checkpoints
    )
    is_right = (
        all(len(load.delays) == len(load.cpus) for load in table.loads)
        and first.checkpoint is None
        and begins_ns[0] == 0
        and all(before < after for before, after in pairwise(begins_ns))
        and len(lengths) == 1
        and len({len(values) for of_phase in overheads for values in of_phase}) == 1
        and {len(of_phase) for of_phase in overheads}
        == {max(len(load.cpus) for load in table.loads)}
        and len(counts) == len(table.last_passages)
        and are_known
        and len(set(checkpoints)) == len(checkpoints)
    )
    if not is_right:
        msg = (
            "no contention table: a phase begins before the phase before it, at an unknown "
            "passage of a mark, has fewer steps than another phase, or lacks overheads of a "
            "number of load CPUs, or a load has a factor for other CPUs"
        )
        raise ConfigError(msg)
