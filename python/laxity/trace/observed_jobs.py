# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Jobs of an unmodified program: what a thread does from a wake-up until it blocks.

The trace knows when a thread is switched on and off, why it is switched off (preempted or
blocked), and, where its back-end supplies them, when it is woken. A *stretch* is all from a wake-up
to the next block. A job is one stretch; where the stretches have a period, a job is all stretches
from one release to the next, so that a thread may also block within its jobs.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laxity.core.streams import STREAMS, SchedKind, Status, absent_value
from laxity.trace.gaps import Coverage, Sched, Windows, lost_windows
from laxity.trace.period import PeriodFit, Rhythm, estimate_period
from laxity.trace.sched_trace import IDLE_TID

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Rows: TypeAlias = Any  # structured array with columns of jobs.npy

_ABSENT = int(np.iinfo(np.int64).min)
# What a trace measures of a job: no processor clock, no ticks, no page faults.
_COLUMNS = (
    "task",
    "job",
    "release_ns",
    "abs_deadline_ns",
    "start_ns",
    "finish_ns",
    "exec_ns",
    "tid",
    "cpu_start",
    "cpu_finish",
    "preemptions",
    "blockings",
    "migrations",
    "status",
)
DTYPE = np.dtype([(one.name, one.kind) for one in STREAMS["jobs"] if one.name in _COLUMNS])
_KINDS = (SchedKind.OFF, SchedKind.ON, SchedKind.WAKEUP, SchedKind.FORK, SchedKind.EXIT)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user asked of the jobs.

    Attributes:
        deadline_ns: Relative deadline; None: none.
        is_split: Each stretch is a job with its wake-up as release, also where there is a period.
    """

    deadline_ns: int | None = None
    is_split: bool = False


@dataclass(frozen=True, slots=True)
class ThreadJobs:
    """The jobs of one thread.

    Attributes:
        fit: Its period, or why there is none.
        rows: A row per job that was seen whole, in order.
        n_stretches: Stretches that the rows consist of.
        n_lost: Jobs over which records were lost, and gaps between jobs; no rows.
        n_contradictory: Jobs whose switches contradict each other (some virtual machines hide
            some); no rows.
        n_cut: Jobs that had begun before the observation, or did not end within it; no rows.
        n_without_job: Releases between the first and the last row that no row has: passed while an
            earlier job ran, left out by the thread, or not seen whole.
    """

    fit: PeriodFit
    rows: Rows
    n_stretches: int
    n_lost: int
    n_contradictory: int
    n_cut: int
    n_without_job: int


@dataclass(frozen=True, slots=True)
class _Stretches:
    """From wake-up to block, in order; arrays of shape (stretch,)."""

    wake_ns: IntArray  # _ABSENT: not known
    start_ns: IntArray
    finish_ns: IntArray
    exec_ns: IntArray
    cpu_start: IntArray
    cpu_finish: IntArray
    preemptions: IntArray
    migrations: IntArray
    is_sound: BoolArray
    from_idle: BoolArray  # the CPU had nothing else to do, so the thread had not waited for it
    n_cut: int

    @property
    def arrival_ns(self) -> IntArray:
        """When each began to want a CPU, as far as that is known."""
        return np.where(self.wake_ns == _ABSENT, self.start_ns, self.wake_ns)


class Observed:
    """A trace, made ready for questions about threads."""

    def __init__(self, sched: Sched, coverage: Coverage, *, has_wake_ups: bool) -> None:
        data = np.ma.getdata(sched)
        self._lost = lost_windows(data, coverage)
        self._stopped_ns = coverage.stopped_ns
        self._has_wake_ups = has_wake_ups
        data = data[np.isin(data["kind"], _KINDS)]
        self._rows = data[np.lexsort((data["seq"], data["cpu"], data["time_ns"], data["tid"]))]
        self._tids = self._rows["tid"]

    def children_of(self, tids: set[int]) -> set[int]:
        """Return threads with all that they, and those again, have started."""
        forks = self._rows[self._rows["kind"] == SchedKind.FORK]
        forks = forks[np.argsort(forks["time_ns"], kind="stable")]
        found = set(tids)
        for child, parent in zip(forks["tid"].tolist(), forks["other_tid"].tolist(), strict=True):
            if parent in found:
                found.add(child)
        return found

    def jobs_of(self, tid: int, asked: Asked, *, is_real_time: bool = False) -> ThreadJobs:
        """Make the jobs of one thread.

        Args:
            tid: The thread.
            asked: What the user wants of the jobs.
            is_real_time: It never waits for a CPU that an ordinary thread has. Of others, where
                wake-ups are not traced, only starts on an idle CPU tell of the period: the rest
                come with the scheduler's ticks, which have a period as well.
        """
        first, end = np.searchsorted(self._tids, (tid, tid + 1))
        stretches = _stretches(self._rows[first:end], has_wake_ups=self._has_wake_ups)
        is_telling = stretches.is_sound
        if not self._has_wake_ups and not is_real_time:
            is_telling = is_telling & stretches.from_idle
        fit = estimate_period(stretches.arrival_ns[is_telling])
        groups = _Groups(stretches, fit, is_split=asked.is_split)
        return _jobs(stretches, groups, asked, self._lost, (tid, self._stopped_ns))


class _Groups:
    """Which stretches make one job: `first` and `last` are their indices; shape (job,)."""

    def __init__(self, stretches: _Stretches, fit: PeriodFit, *, is_split: bool) -> None:
        n = len(stretches.start_ns)
        self.fit = fit
        self.slots: IntArray | None = None
        begins = np.ones(n, np.bool_)
        if fit.rhythm is Rhythm.PERIODIC and n and not is_split:
            slots = fit.slots(stretches.arrival_ns)
            begins[1:] = slots[1:] != slots[:-1]
            self.slots = slots[begins]
        self.first = np.flatnonzero(begins)
        self.last = np.append(self.first[1:], n)[: len(self.first)] - 1

    @property
    def has_several(self) -> bool:
        """Whether a job has more than one stretch."""
        return bool((self.last > self.first).any())


def _stretches(rows: Sched, *, has_wake_ups: bool) -> _Stretches:
    """Cut the events of one thread into stretches."""
    kinds = rows["kind"]
    ends = rows["time_ns"][kinds == SchedKind.EXIT]
    is_switch = (kinds == SchedKind.ON) | (kinds == SchedKind.OFF)
    if ends.size:
        # The last switch of a thread that exits is no block.
        is_switch &= rows["time_ns"] < ends[-1]
    switches = rows[is_switch]
    is_on = switches["kind"] == SchedKind.ON
    when = switches["time_ns"].astype(np.int64)
    blocks = np.flatnonzero(~is_on & (switches["preempted"] != 1))
    begins = np.concatenate(([0], blocks[:-1] + 1)) if blocks.size else blocks
    wakes = rows["time_ns"][kinds == SchedKind.WAKEUP].astype(np.int64)
    is_born = bool((kinds == SchedKind.FORK).any())
    n_after = len(switches) - (int(blocks[-1]) + 1 if blocks.size else 0)
    found = _measured(switches, is_on, when, (begins, blocks))
    found = _with_wake_ups(found, wakes if has_wake_ups else wakes[:0])
    if not blocks.size:
        return _left_out(found, 0, int(n_after > 0))
    # A stretch whose begin was not seen: the thread may have been running for long.
    is_whole = has_wake_ups and not is_born and found.wake_ns[0] != _ABSENT and bool(is_on[0])
    has_begun = blocks[0] > 0 and not is_whole
    return _left_out(found, 0 if is_whole else 1, int(has_begun) + int(n_after > 0))


def _measured(
    switches: Sched, is_on: BoolArray, when: IntArray, bounds: tuple[IntArray, IntArray]
) -> _Stretches:
    """Sum up each stretch: on, off again, on, ..., off for good."""
    begins, blocks = bounds
    place = np.arange(len(switches))[: int(blocks[-1]) + 1 if blocks.size else 0]
    lengths = blocks - begins + 1
    place -= np.repeat(begins, lengths)
    on, cpu = is_on[: len(place)], switches["cpu"][: len(place)].astype(np.int64)
    is_right = on == (place % 2 == 0)
    signed = np.where(on, -when[: len(place)], when[: len(place)])
    moved = np.zeros(len(place), np.int64)
    moved[1:] = on[1:] & (place[1:] > 0) & (cpu[1:] != cpu[:-1])
    empty = np.zeros(0, np.int64)
    return _Stretches(
        wake_ns=np.full(len(blocks), _ABSENT, np.int64),
        start_ns=when[begins],
        finish_ns=when[blocks],
        exec_ns=np.add.reduceat(signed, begins) if blocks.size else empty,
        cpu_start=cpu[begins],
        cpu_finish=cpu[blocks],
        preemptions=np.maximum(lengths // 2 - 1, 0),
        migrations=np.add.reduceat(moved, begins) if blocks.size else empty,
        is_sound=np.logical_and.reduceat(is_right, begins) & (lengths % 2 == 0)
        if blocks.size
        else empty.astype(np.bool_),
        from_idle=switches["other_tid"][begins] == IDLE_TID,
        n_cut=0,
    )


def _with_wake_ups(stretches: _Stretches, wakes: IntArray) -> _Stretches:
    """Find the wake-up of each stretch: the first one after the block before it.

    A waker on another CPU may call while the thread is still going to sleep; then the wake-up
    stands just before the block.
    """
    n = len(stretches.start_ns)
    if not wakes.size or not n:
        return stretches
    before_ns = np.concatenate(([_ABSENT], stretches.finish_ns[:-1]))
    started_ns = np.concatenate(([_ABSENT], stretches.start_ns[:-1]))
    first = np.searchsorted(wakes, before_ns, "left")
    after_ns = wakes[np.minimum(first, len(wakes) - 1)]
    is_after = (first < len(wakes)) & (after_ns <= stretches.start_ns)
    racing_ns = wakes[np.maximum(first - 1, 0)]
    is_racing = (first > 0) & (racing_ns > started_ns)
    wake_ns = np.where(is_after, after_ns, np.where(is_racing, racing_ns, _ABSENT))
    return _replaced(stretches, wake_ns=wake_ns)


def _left_out(stretches: _Stretches, n_first: int, n_cut: int) -> _Stretches:
    """Leave out the first stretches; say how many jobs were cut off."""
    names = [name for name in _Stretches.__slots__ if name != "n_cut"]
    return _Stretches(**{name: getattr(stretches, name)[n_first:] for name in names}, n_cut=n_cut)


def _replaced(stretches: _Stretches, **changed: IntArray) -> _Stretches:
    return _Stretches(
        **{name: changed.get(name, getattr(stretches, name)) for name in _Stretches.__slots__}
    )


def _jobs(
    stretches: _Stretches,
    groups: _Groups,
    asked: Asked,
    lost: Windows,
    where: tuple[int, int],
) -> ThreadJobs:
    """Make rows of groups; leave out those that were not seen whole."""
    tid, stopped_ns = where
    first, last = groups.first, groups.last
    arrival_ns, finish_ns = stretches.arrival_ns[first], stretches.finish_ns[last]
    is_sound = np.ones(len(first), np.bool_)
    if len(first):
        is_sound = np.logical_and.reduceat(stretches.is_sound, first)
    is_lost = lost.touch(arrival_ns, finish_ns)
    is_whole = _is_whole(stretches, groups, stopped_ns)
    chosen = is_sound & ~is_lost & is_whole
    n_lost = int(np.count_nonzero(is_lost & is_whole))
    n_lost += _lost_between(lost, arrival_ns, finish_ns)
    n_contradictory = int(np.count_nonzero(~is_sound & ~is_lost & is_whole))
    rows = _rows(stretches, groups, asked, tid)[chosen]
    n_without = 0
    if len(rows):
        rows["job"] -= rows["job"][0]
        n_without = int(rows["job"][-1]) + 1 - len(rows)
    if groups.slots is None:
        rows["job"], n_without = np.arange(len(rows)), 0
    n_stretches = int((last - first + 1)[chosen].sum())
    n_cut = stretches.n_cut + int(np.count_nonzero(~is_whole))
    return ThreadJobs(groups.fit, rows, n_stretches, n_lost, n_contradictory, n_cut, n_without)


def _is_whole(stretches: _Stretches, groups: _Groups, stopped_ns: int) -> BoolArray:
    """Tell which jobs have neither their first nor their last stretch outside the observation."""
    is_whole = np.ones(len(groups.first), np.bool_)
    if groups.slots is None or not groups.has_several:
        return is_whole
    first_ns = stretches.arrival_ns[groups.first[0]]
    late_ns = int(first_ns) - int(groups.fit.releases_ns(groups.slots[:1])[0])
    # Later than what is usual, it may be the rest of a job whose first stretch was not seen.
    is_whole[0] = late_ns <= 2 * groups.fit.reach_ns
    next_ns = int(groups.fit.releases_ns(groups.slots[-1:] + 1)[0])
    is_whole[-1] &= next_ns <= stopped_ns
    return is_whole


def _lost_between(lost: Windows, arrival_ns: IntArray, finish_ns: IntArray) -> int:
    """Count gaps of the trace between jobs: each may hide at least one."""
    if not len(arrival_ns) or not len(lost.from_ns):
        return 0
    jobs = Windows(arrival_ns, finish_ns)
    inside = (lost.from_ns < finish_ns[-1]) & (lost.to_ns > arrival_ns[0])
    return int(np.count_nonzero(inside & ~jobs.touch(lost.from_ns, lost.to_ns)))


def _rows(stretches: _Stretches, groups: _Groups, asked: Asked, tid: int) -> Rows:
    first, last = groups.first, groups.last
    rows = np.zeros(len(first), DTYPE)
    if not len(rows):
        return rows
    release_ns = stretches.wake_ns[first]
    if groups.slots is not None:
        # What woke a thread cannot have come before its release.
        release_ns = np.minimum(groups.fit.releases_ns(groups.slots), stretches.arrival_ns[first])
        rows["job"] = groups.slots - groups.slots[0]
    rows["release_ns"], rows["tid"] = release_ns, tid
    rows["start_ns"], rows["finish_ns"] = stretches.start_ns[first], stretches.finish_ns[last]
    rows["cpu_start"], rows["cpu_finish"] = stretches.cpu_start[first], stretches.cpu_finish[last]
    rows["blockings"] = last - first
    for name in ("exec_ns", "preemptions", "migrations"):
        rows[name] = np.add.reduceat(getattr(stretches, name), first)
    rows["abs_deadline_ns"], rows["status"] = absent_value("i8"), Status.DONE
    if asked.deadline_ns is not None:
        is_known = release_ns != _ABSENT
        rows["abs_deadline_ns"][is_known] = release_ns[is_known] + asked.deadline_ns
        is_late = is_known & (rows["finish_ns"] > rows["abs_deadline_ns"])
        rows["status"] = np.where(is_late, Status.MISSED, Status.DONE)
    return rows
