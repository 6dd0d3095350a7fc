# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Reading sched.npy: when a thread was off its CPU, who had a CPU, what is missing, names."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laxity.model.manifest import TraceResult
from laxity.model.streams import SchedKind

Sched: TypeAlias = Any  # masked structured array of sched.npy
Threads: TypeAlias = Any  # masked structured array of threads.npy
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

IDLE_TID = 0
_IDLE_NAME = "idle"
_FAR_NS = int(np.iinfo(np.int64).max)


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the recorder says of its trace.

    Attributes:
        started_ns: From when on every CPU was watched.
        stopped_ns: Until when.
        lost: Lost records by CPU, also those after the last row.
    """

    started_ns: int
    stopped_ns: int
    lost: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Absences:
    """When one thread was off its CPU, in order; arrays of shape (absence,).

    Attributes:
        from_ns: Switched off.
        to_ns: Back on a CPU; the end of the trace if it did not come back.
        is_preempted: It could have gone on; otherwise it waited for something.
        cpu_from: CPU that it left; -1 if it was off before the trace began.
        cpu_to: CPU that it came back to; -1 if it did not.
    """

    from_ns: IntArray
    to_ns: IntArray
    is_preempted: BoolArray
    cpu_from: IntArray
    cpu_to: IntArray

    def time_before(self, instants_ns: IntArray, chosen: BoolArray) -> IntArray:
        """Sum up the chosen absences before each instant, nanoseconds."""
        from_ns, to_ns = self.from_ns[chosen], self.to_ns[chosen]
        lengths = to_ns - from_ns
        whole = np.concatenate(([0], np.cumsum(lengths)))
        begun = np.searchsorted(from_ns, instants_ns, "left")
        last = np.maximum(begun - 1, 0)
        if not lengths.size:
            return np.zeros(len(instants_ns), np.int64)
        within = np.minimum(instants_ns - from_ns[last], lengths[last])
        return np.asarray(np.where(begun > 0, whole[last] + within, 0), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Windows:
    """Stretches of time, which may overlap; sorted by their begin."""

    from_ns: IntArray
    to_ns: IntArray

    def touch(self, from_ns: IntArray, to_ns: IntArray) -> BoolArray:
        """Tell for each stretch given whether it shares an instant with any of the windows."""
        latest = np.maximum.accumulate(np.concatenate(([-_FAR_NS], self.to_ns)))
        begun = np.searchsorted(self.from_ns, to_ns, "left")
        return np.asarray(latest[begun] > from_ns)


@dataclass(frozen=True, slots=True)
class _Columns:
    """Switches in order of time, those of one CPU by the number of their record."""

    time_ns: IntArray
    cpu: IntArray
    tid: IntArray
    is_on: BoolArray
    is_preempted: BoolArray
    owner: IntArray  # who has the CPU from here on


@dataclass(slots=True)
class Trace:
    """sched.npy and threads.npy, made ready for questions.

    Attributes:
        lost: Where records are missing: a job that touches one has no verdict.
    """

    coverage: Coverage
    lost: Windows
    _switches: _Columns
    _threads: Threads
    _by_cpu: dict[int, tuple[IntArray, IntArray]] = field(default_factory=dict)
    _by_tid: dict[int, Threads] = field(default_factory=dict)

    def absences_of(self, tid: int) -> tuple[Absences, Windows] | None:
        """Find when a thread was off its CPU.

        Returns:
            The absences, and stretches over which the trace contradicts itself; None if the trace
            has never met the thread.
        """
        switches = self._switches
        mine = np.flatnonzero(switches.tid == tid)
        if not mine.size:
            return None
        is_on, when = switches.is_on[mine], switches.time_ns[mine]
        twice = np.flatnonzero(is_on[1:] == is_on[:-1])
        off = np.flatnonzero(~is_on)
        back = off + 1
        has_back = back < len(mine)
        next_ns = np.append(when, self.coverage.stopped_ns)[np.minimum(back, len(mine))]
        next_cpu = np.append(switches.cpu[mine], -1)[np.minimum(back, len(mine))]
        absences = Absences(
            when[off],
            next_ns,
            switches.is_preempted[mine][off],
            switches.cpu[mine][off],
            np.where(has_back, next_cpu, -1),
        )
        if is_on[0]:
            absences = _with_first(absences, self.coverage.started_ns, int(when[0]),
                                   int(switches.cpu[mine][0]))  # fmt: skip
        return absences, Windows(when[twice], when[twice + 1])

    def owners_of(
        self, cpu: int, from_ns: int, to_ns: int, absent_tid: int
    ) -> Iterator[tuple[int, int, int]]:
        """Tell who had a CPU while a thread was pushed off it.

        The switch to a thread counts as that thread's, the switch back to the absent one as that
        of the thread before it.

        Yields:
            (thread, from_ns, duration_ns) without a gap.
        """
        if cpu not in self._by_cpu:
            here = self._switches.cpu == cpu
            self._by_cpu[cpu] = (self._switches.time_ns[here], self._switches.owner[here])
        when, owners = self._by_cpu[cpu]
        first = int(np.searchsorted(when, from_ns, "left"))
        end = int(np.searchsorted(when, to_ns, "left"))
        begun_ns, owner = from_ns, None
        for index in range(first, end):
            if owners[index] == absent_tid:
                continue
            if owner is not None and owners[index] != owner:
                yield int(owner), begun_ns, int(when[index]) - begun_ns
                begun_ns = int(when[index])
            owner = owners[index]
        if owner is not None:
            yield int(owner), begun_ns, to_ns - begun_ns

    def name_of(self, tid: int, instant_ns: int) -> str | None:
        """Name a thread as it was called at an instant; None if the trace never met it."""
        if tid == IDLE_TID:
            return _IDLE_NAME
        if tid not in self._by_tid:
            self._by_tid[tid] = self._threads[np.ma.getdata(self._threads["tid"]) == tid]
        rows = self._by_tid[tid]
        begun = rows[np.ma.getdata(rows["from_ns"]) <= instant_ns]
        # A row may begin late where its first sign of life was lost.
        row = begun[-1] if len(begun) else rows[0] if len(rows) else None
        return None if row is None else bytes(row["comm"]).decode("utf-8", errors="replace")


def coverage_of(trace: TraceResult | None) -> Coverage | None:
    """Give what the recorder says of its trace; None if it did not record to the end."""
    if trace is None or trace.started_ns is None or trace.stopped_ns is None:
        return None
    lost = {cpu.cpu: cpu.lost for cpu in trace.cpus}
    return Coverage(trace.started_ns, trace.stopped_ns, lost)


def read_trace(sched: Sched, threads: Threads, coverage: Coverage) -> Trace:
    """Put a trace in order.

    Args:
        sched: Rows of sched.npy, in any order.
        threads: Rows of threads.npy; one thread's rows in order of time.
        coverage: What the recorder says of them.
    """
    data = np.ma.getdata(sched)
    data = data[np.lexsort((data["seq"], data["cpu"], data["time_ns"]))]
    lost = lost_windows(data, coverage)
    data = data[(data["kind"] == SchedKind.OFF) | (data["kind"] == SchedKind.ON)]
    is_on = data["kind"] == SchedKind.ON
    columns = _Columns(
        time_ns=data["time_ns"].astype(np.int64),
        cpu=data["cpu"].astype(np.int64),
        tid=data["tid"].astype(np.int64),
        is_on=is_on,
        is_preempted=data["preempted"] == 1,
        owner=np.where(is_on, data["tid"], data["other_tid"]).astype(np.int64),
    )
    return Trace(coverage, lost, columns, threads)


def _with_first(absences: Absences, from_ns: int, to_ns: int, cpu: int) -> Absences:
    """Add the absence that had begun before the trace: why, nobody knows."""
    return Absences(
        np.insert(absences.from_ns, 0, from_ns),
        np.insert(absences.to_ns, 0, to_ns),
        np.insert(absences.is_preempted, 0, False),
        np.insert(absences.cpu_from, 0, -1),
        np.insert(absences.cpu_to, 0, cpu),
    )


def lost_windows(data: Sched, coverage: Coverage) -> Windows:
    """Find where records are missing: from the last one before to the first one after.

    Args:
        data: Rows of sched.npy, in any order.
        coverage: What the recorder says of them.
    """
    begins: list[int] = []
    ends: list[int] = []
    for cpu, lost in coverage.lost.items():
        if not lost:
            continue
        here = data[data["cpu"] == cpu]
        here = here[np.argsort(here["seq"], kind="stable")]
        when = np.concatenate(
            ([coverage.started_ns], here["time_ns"].astype(np.int64), [coverage.stopped_ns])
        )
        numbers = here["seq"].astype(np.int64)
        total = len(numbers) + lost
        missing = np.diff(np.concatenate(([-1], numbers, [total]))) - 1
        begins += when[:-1][missing > 0].tolist()
        ends += when[1:][missing > 0].tolist()
    order = np.argsort(np.array(begins, np.int64), kind="stable")
    return Windows(np.array(begins, np.int64)[order], np.array(ends, np.int64)[order])
