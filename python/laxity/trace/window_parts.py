# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Who had the CPU from the release of a job to its finish, in the parts that a bound counts with.

The parts add up to the response time. They are cut along the trace of the job's CPU, one owner
after the other; interrupts come off whoever they interrupted. What the kernel's clock of processor
time does not have of a job that the trace saw running is unexplained: a hypervisor that took the
CPU away shows there, or as execution where the kernel charges it to the job.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from laxity.jobs.rows import IntArray
from laxity.trace.attribution import Pieces
from laxity.trace.interrupts import Interrupts
from laxity.trace.sched_trace import IDLE_TID, Absences, Trace

# No thread has it: owners_of leaves nobody out.
_NOBODY = -1


@dataclass(frozen=True, slots=True)
class Member:
    """A task of the set, as the trace knows it.

    Attributes:
        name: Of the task.
        priority: Larger is higher.
        tids: Of its jobs.
        pieces: Of its finished jobs.
        start_ns: When those started, in the same order.
    """

    name: str
    priority: int
    tids: frozenset[int]
    pieces: Pieces
    start_ns: IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A response time, in nanoseconds; the parts sum up to it.

    Attributes:
        release_ns: Not yet ready, or ready and the CPU stood idle until the job came.
        tasks_ns: The job itself and other tasks of its set, switches included.
        interrupts_ns: Interrupts and softirqs within these; None: the trace has none.
        foreign_ns: Threads that are none of the set, by name; the name None: not known.
        blocked_ns: The job waited for something after its start.
        idle_ns: The CPU stood idle although the job could have gone on.
        unexplained_ns: On the CPU by the trace, but not by the clock of processor time.
    """

    release_ns: int
    tasks_ns: int
    interrupts_ns: int | None
    foreign_ns: Mapping[str | None, int]
    blocked_ns: int
    idle_ns: int
    unexplained_ns: int


@dataclass(slots=True)
class _Sums:
    """What is summed up while the owners of the CPU are gone through."""

    release_ns: int = 0
    tasks_ns: int = 0
    interrupts_ns: int = 0
    blocked_ns: int = 0
    idle_ns: int = 0
    foreign_ns: dict[str | None, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Window:
    """A job between its release and its finish; `member` is its task."""

    member: Member
    tid: int
    cpu: int
    release_ns: int
    start_ns: int
    finish_ns: int


class Timeline:
    """Cuts windows along one trace; what it found of a thread it keeps."""

    def __init__(self, trace: Trace, members: Sequence[Member]) -> None:
        self._trace = trace
        self._members = members
        self._member_of = {tid: one for one in members for tid in one.tids}
        self._interrupts: dict[int, Interrupts] = {}
        self._absences: dict[int, Absences] = {}

    def parts_of(self, window: Window) -> Parts:
        """Cut the window of a job of which the trace tells (`Pieces.is_known`)."""
        sums = _Sums()
        begin_ns, end_ns = window.release_ns, window.finish_ns
        for tid, from_ns, length_ns in self._trace.owners_of(window.cpu, begin_ns, end_ns, _NOBODY):
            self._add(sums, window, (tid, from_ns, from_ns + length_ns))
        unexplained_ns = self._unexplained_ns(window)
        has_interrupts = self._trace.coverage.has_interrupts
        return Parts(
            release_ns=sums.release_ns,
            tasks_ns=sums.tasks_ns - unexplained_ns,
            interrupts_ns=sums.interrupts_ns if has_interrupts else None,
            foreign_ns=sums.foreign_ns,
            blocked_ns=sums.blocked_ns,
            idle_ns=sums.idle_ns,
            unexplained_ns=unexplained_ns,
        )

    def _add(self, sums: _Sums, window: Window, stretch: tuple[int, int, int]) -> None:
        tid, from_ns, to_ns = stretch
        member = self._member_of.get(tid)
        if member is not None and member.priority >= window.member.priority:
            taken_ns = self._interrupted_ns(tid, from_ns, to_ns)
            sums.interrupts_ns += taken_ns
            sums.tasks_ns += to_ns - from_ns - taken_ns
            return
        waited_ns = self._waited_ns(window, from_ns, to_ns)
        before_ns = max(0, min(to_ns, window.start_ns) - from_ns)
        late_ns = min(waited_ns, before_ns)
        sums.release_ns += late_ns
        sums.blocked_ns += waited_ns - late_ns
        self._add_ready(sums, window, stretch, to_ns - from_ns - waited_ns)

    def _add_ready(
        self, sums: _Sums, window: Window, stretch: tuple[int, int, int], ready_ns: int
    ) -> None:
        """Add what somebody else had of the CPU while the job could have had it."""
        tid, from_ns, _ = stretch
        if ready_ns <= 0:
            return
        if tid == IDLE_TID:
            # A CPU that sleeps has to wake up first: part of how late a release may be.
            is_release = from_ns < window.start_ns
            sums.release_ns += ready_ns if is_release else 0
            sums.idle_ns += 0 if is_release else ready_ns
        elif tid in self._member_of:
            # A task below it: the switch to the job is under way.
            sums.tasks_ns += ready_ns
        else:
            name = self._trace.name_of(tid, from_ns)
            sums.foreign_ns[name] = sums.foreign_ns.get(name, 0) + ready_ns

    def _interrupted_ns(self, tid: int, from_ns: int, to_ns: int) -> int:
        if not self._trace.coverage.has_interrupts:
            return 0
        if tid not in self._interrupts:
            self._interrupts[tid] = self._trace.interrupts_of(tid)
        ends = np.array([from_ns, to_ns], np.int64)
        before = self._interrupts[tid].time_before(ends)
        return int(before[1] - before[0])

    def _waited_ns(self, window: Window, from_ns: int, to_ns: int) -> int:
        """Sum up how long within a stretch the job's thread waited for something."""
        if window.tid not in self._absences:
            found = self._trace.absences_of(window.tid)
            absences = Absences.nothing() if found is None else found[0]
            if self._trace.coverage.has_wakeups:
                absences = absences.split(self._trace.wakeups_of(window.tid))
            self._absences[window.tid] = absences
        absences = self._absences[window.tid]
        ends = np.array([from_ns, to_ns], np.int64)
        before = absences.time_before(ends, ~absences.is_ready)
        return int(before[1] - before[0])

    def _unexplained_ns(self, window: Window) -> int:
        """Sum up what is unexplained of the jobs that lie within the window altogether."""
        total_ns = 0
        for one in self._members:
            if one.priority < window.member.priority:
                continue
            pieces = one.pieces
            length_ns = pieces.response_ns - pieces.release_latency_ns
            is_within = (one.start_ns >= window.release_ns) & (
                one.start_ns + length_ns <= window.finish_ns
            )
            total_ns += int(pieces.unexplained_ns[is_within & pieces.is_known].sum())
        return total_ns
