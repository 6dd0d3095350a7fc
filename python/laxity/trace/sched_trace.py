# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Reading sched.npy: when a thread was off its CPU, who had a CPU, what is missing, names."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laxity.core.streams import SchedKind
from laxity.store.manifest import TraceResult
from laxity.trace.gaps import Coverage, Sched, Untold, Windows, lost_windows, untold_switches
from laxity.trace.interrupts import Interrupts, find_interrupts

Threads: TypeAlias = Any  # masked structured array of threads.npy
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

IDLE_TID = 0
_IDLE_NAME = "idle"
# Rows of a thread that has a CPU then, or leaves it.
_ON_A_CPU = (
    SchedKind.OFF,
    SchedKind.ON,
    SchedKind.IRQ_IN,
    SchedKind.IRQ_OUT,
    SchedKind.SOFTIRQ_IN,
    SchedKind.SOFTIRQ_OUT,
)
# x86's name of the interrupt by which a CPU tells another one to look at what it has woken.
_MESSAGE = "reschedule"
_FAR_NS = int(np.iinfo(np.int64).max)


@dataclass(frozen=True, slots=True)
class Absences:
    """When one thread was off its CPU, in order; arrays of shape (absence,).

    Attributes:
        from_ns: Switched off.
        to_ns: Back on a CPU; the end of the trace if it did not come back.
        is_pushed: It was switched off although it could have gone on.
        is_ready: It could go on; otherwise it waited for something.
        cpu_from: CPU that it left; -1 if it was off before the trace began.
        cpu_to: CPU that it came back to; -1 if it did not.
        cpu_ready: CPU that it waited for while it was ready; -1 if that is not known.
        next_tid: The thread that followed; -1 if that is not known.
        has_waited: It is known to have waited for something.
    """

    from_ns: IntArray
    to_ns: IntArray
    is_pushed: BoolArray
    is_ready: BoolArray
    cpu_from: IntArray
    cpu_to: IntArray
    cpu_ready: IntArray
    next_tid: IntArray
    has_waited: BoolArray

    @classmethod
    def nothing(cls) -> "Absences":
        """Return those of a thread that was never off."""
        none, no = np.zeros(0, np.int64), np.zeros(0, np.bool_)
        return cls(none, none, no, no, none, none, none, none, no)

    def split(self, wakeups: "Wakeups") -> "Absences":
        """Cut each wait for something in two: until it was woken, and ready from then on."""
        last = np.searchsorted(wakeups.time_ns, self.to_ns, "right") - 1
        if not len(wakeups.time_ns):
            return self
        woken_ns = wakeups.time_ns[np.maximum(last, 0)]
        is_cut = ~self.is_ready & (last >= 0) & (woken_ns >= self.from_ns)
        before = replace(
            self,
            to_ns=np.where(is_cut, woken_ns, self.to_ns),
            cpu_to=np.where(is_cut, -1, self.cpu_to),
        )
        after = Absences(
            woken_ns[is_cut],
            self.to_ns[is_cut],
            self.is_pushed[is_cut],
            np.ones(np.count_nonzero(is_cut), np.bool_),
            self.cpu_from[is_cut],
            self.cpu_to[is_cut],
            wakeups.cpu[np.maximum(last, 0)][is_cut],
            self.next_tid[is_cut],
            np.zeros(np.count_nonzero(is_cut), np.bool_),
        )
        return _in_order(before, after)

    def unwoken(self, wakeups: "Wakeups") -> Windows:
        """Find those that waited for something, and ended although nobody woke the thread."""
        times = np.concatenate(([-_FAR_NS], wakeups.time_ns))
        woken_ns = times[np.searchsorted(times, self.to_ns, "right") - 1]
        chosen = self.has_waited & (self.cpu_to >= 0) & (woken_ns < self.from_ns)
        return Windows(self.from_ns[chosen], self.to_ns[chosen])

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
class Wakeups:
    """When one thread was woken, in order, and for which CPU (-1: not told); shape (wake-up,)."""

    time_ns: IntArray
    cpu: IntArray


@dataclass(frozen=True, slots=True)
class _Columns:
    """Switches in order of time, those of one CPU by the number of their record."""

    time_ns: IntArray
    cpu: IntArray
    tid: IntArray
    is_on: BoolArray
    is_preempted: BoolArray
    has_waited: BoolArray
    owner: IntArray  # who has the CPU from here on


@dataclass(slots=True)
class Trace:
    """sched.npy and threads.npy, made ready for questions.

    Attributes:
        lost: Where records are missing: a job that touches one has no verdict.
        untold: Switches that are missing without having been lost.
    """

    coverage: Coverage
    lost: Windows
    untold: Untold
    _rows: Sched
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
        is_pushed, cpu_from = switches.is_preempted[mine][off], switches.cpu[mine][off]
        absences = Absences(
            when[off],
            next_ns,
            is_pushed,
            is_pushed,
            cpu_from,
            np.where(has_back, next_cpu, -1),
            cpu_from,
            switches.owner[mine][off],
            switches.has_waited[mine][off],
        )
        if is_on[0]:
            absences = _with_first(absences, self.coverage.started_ns, int(when[0]),
                                   int(switches.cpu[mine][0]))  # fmt: skip
        return absences, Windows(when[twice], when[twice + 1])

    def hidden_from(self, tid: int, absences: Absences) -> Windows:
        """Find where rows are missing that the pieces of a thread's jobs would need.

        It came without a row; nobody tells who woke it; or, while it was ready, its CPU passed from
        hand to hand without a row.

        Args:
            tid: The thread.
            absences: Its absences, not split.
        """
        untold = self.untold
        parts = [untold.windows(untold.tid == tid)]
        if self.coverage.has_wakeups:
            wakeups = self.wakeups_of(tid)
            parts.append(absences.unwoken(wakeups))
            absences = absences.split(wakeups)
        for cpu in np.unique(untold.cpu):
            here = untold.windows(untold.cpu == cpu)
            mine = absences.is_ready & (absences.cpu_ready == cpu)
            from_ns, to_ns = absences.from_ns[mine], absences.to_ns[mine]
            is_hit = here.touch(from_ns, to_ns)
            parts.append(Windows(from_ns[is_hit], to_ns[is_hit]))
        return Windows.joined(*parts)

    def wakeups_of(self, tid: int) -> Wakeups:
        """Find when a thread was woken."""
        rows = self._rows[(self._rows["kind"] == SchedKind.WAKEUP) & (self._rows["tid"] == tid)]
        cpu = rows["prev_state_or_vector"].astype(np.int64)
        return Wakeups(rows["time_ns"].astype(np.int64), np.where(cpu < 0, -1, cpu))

    def interrupts_of(self, tid: int) -> Interrupts:
        """Find the interrupts that came while a thread had its CPU."""
        rows = self._rows[(self._rows["tid"] == tid) & np.isin(self._rows["kind"], _ON_A_CPU)]
        return find_interrupts(rows["time_ns"], rows["kind"], rows["prev_state_or_vector"])

    def handovers_of(self, tid: int, absences: Absences) -> Windows:
        """Find how long a thread was on its way to being pushed off.

        From the wake-up that led to it until the switch: the kernel takes no time in between and
        charges all of it to the thread that comes (rq_clock_skip_update). The wake-up is that of
        the thread that follows, with no interrupt begun after it: behind one, the kernel's clock
        has been read again. Another CPU's message to look at what it has woken is none.

        Args:
            tid: The thread.
            absences: Its absences, not split.
        """
        rows = self._rows[(self._rows["tid"] == tid) & (self._rows["kind"] == SchedKind.IRQ_IN)]
        messages = [one for one, name in self.coverage.vectors.items() if name == _MESSAGE]
        rows = rows[~np.isin(rows["prev_state_or_vector"], messages)]
        begun_ns = rows["time_ns"].astype(np.int64)
        pushed = np.flatnonzero(absences.is_pushed)
        before = np.concatenate(([self.coverage.started_ns], absences.to_ns[:-1]))[pushed]
        off_ns, woken_ns = absences.from_ns[pushed], np.full(len(pushed), -_FAR_NS, np.int64)
        for follower in np.unique(absences.next_tid[pushed]):
            mine = absences.next_tid[pushed] == follower
            times = np.concatenate(([-_FAR_NS], self.wakeups_of(int(follower)).time_ns))
            woken_ns[mine] = times[np.searchsorted(times, off_ns[mine], "right") - 1]
        n_after = np.searchsorted(begun_ns, off_ns) - np.searchsorted(begun_ns, woken_ns)
        is_direct = (woken_ns >= before) & (n_after == 0)
        return Windows(woken_ns[is_direct], off_ns[is_direct])

    def owners_of(
        self, cpu: int, from_ns: int, to_ns: int, absent_tid: int
    ) -> Iterator[tuple[int, int, int]]:
        """Tell who had a CPU that a thread was pushed off, or waited for since it was woken.

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
        if first > 0 and (first == len(when) or when[first] > from_ns):
            owner = None if owners[first - 1] == absent_tid else owners[first - 1]
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
    """Return what the recorder says of its trace; None if it did not record to the end."""
    if trace is None or trace.started_ns is None or trace.stopped_ns is None:
        return None
    lost = {cpu.cpu: cpu.lost for cpu in trace.cpus}
    kinds = {kind.name.lower(): kind for kind in SchedKind}
    supplies = frozenset(kinds[name] for name in trace.supplies if name in kinds)
    vectors = {vector.number: vector.name for vector in trace.vectors}
    return Coverage(trace.started_ns, trace.stopped_ns, lost, supplies, vectors)


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
    rows = data
    data = data[(data["kind"] == SchedKind.OFF) | (data["kind"] == SchedKind.ON)]
    is_on = data["kind"] == SchedKind.ON
    columns = _Columns(
        time_ns=data["time_ns"].astype(np.int64),
        cpu=data["cpu"].astype(np.int64),
        tid=data["tid"].astype(np.int64),
        is_on=is_on,
        is_preempted=data["preempted"] == 1,
        has_waited=~is_on & (data["preempted"] == 0),
        owner=np.where(is_on, data["tid"], data["other_tid"]).astype(np.int64),
    )
    return Trace(coverage, lost, untold_switches(rows), rows, columns, threads)


def _with_first(absences: Absences, from_ns: int, to_ns: int, cpu: int) -> Absences:
    """Add the absence that had begun before the trace: why, nobody knows."""
    return Absences(
        np.insert(absences.from_ns, 0, from_ns),
        np.insert(absences.to_ns, 0, to_ns),
        np.insert(absences.is_pushed, 0, False),
        np.insert(absences.is_ready, 0, False),
        np.insert(absences.cpu_from, 0, -1),
        np.insert(absences.cpu_to, 0, cpu),
        np.insert(absences.cpu_ready, 0, -1),
        np.insert(absences.next_tid, 0, -1),
        np.insert(absences.has_waited, 0, False),
    )


def _in_order(first: Absences, second: Absences) -> Absences:
    """Put absences that do not overlap into one order."""
    names = [one.name for one in fields(Absences)]
    joined = {name: np.concatenate([getattr(first, name), getattr(second, name)])
              for name in names}  # fmt: skip
    order = np.lexsort((joined["to_ns"], joined["from_ns"]))
    return Absences(**{name: column[order] for name, column in joined.items()})
