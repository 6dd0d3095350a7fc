# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Interrupts and softirqs that came while a thread had its CPU: which, how often, how long.

They nest: what interrupts an interrupt is not part of it, so that no time counts twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from laxity.core.streams import SchedKind

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

# linux/interrupt.h: the order is an interface (/proc/softirqs shows it).
SOFTIRQS = (
    "hi", "timer", "net_tx", "net_rx", "block", "irq_poll", "tasklet", "sched", "hrtimer", "rcu",
)  # fmt: skip
_IN = frozenset({SchedKind.IRQ_IN, SchedKind.SOFTIRQ_IN})
_OUT = frozenset({SchedKind.IRQ_OUT, SchedKind.SOFTIRQ_OUT})


@dataclass(frozen=True, slots=True)
class Interrupts:
    """Stretches of one thread's time on a CPU that interrupts had, in order.

    Attributes:
        from_ns: Begin of each stretch, shape (stretch,).
        to_ns: Its end; the next one does not begin before it.
        which: Index of the interrupt that a stretch is part of.
        is_soft: Of each interrupt, shape (interrupt,).
        number: Of each interrupt.
    """

    from_ns: IntArray
    to_ns: IntArray
    which: IntArray
    is_soft: BoolArray
    number: IntArray

    def time_before(self, instants_ns: IntArray) -> IntArray:
        """Sum up what interrupts had before each instant, nanoseconds."""
        lengths = self.to_ns - self.from_ns
        if not lengths.size:
            return np.zeros(len(instants_ns), np.int64)
        whole = np.concatenate(([0], np.cumsum(lengths)))
        begun = np.searchsorted(self.from_ns, instants_ns, "left")
        last = np.maximum(begun - 1, 0)
        within = np.minimum(instants_ns - self.from_ns[last], lengths[last])
        return np.asarray(np.where(begun > 0, whole[last] + within, 0), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Hits:
    """Interrupts within jobs, arrays of shape (interrupt,); `length_ns` of what lay within."""

    is_soft: BoolArray
    number: IntArray
    job: IntArray
    length_ns: IntArray

    @classmethod
    def nothing(cls) -> "Hits":
        """Return those of jobs that nothing interrupted."""
        none = np.zeros(0, np.int64)
        return cls(none.astype(np.bool_), none, none, none)

    @classmethod
    def joined(cls, parts: "Sequence[Hits]") -> "Hits":
        """Put those of several threads together."""
        names = [one.name for one in fields(cls)]
        every = [cls.nothing(), *parts]
        return cls(*(np.concatenate([getattr(part, name) for part in every]) for name in names))


@dataclass(frozen=True, slots=True)
class Interrupter:
    """What the interrupts of one number took from the jobs of a task, in nanoseconds."""

    name: str
    is_soft: bool
    n_jobs: int
    n: int
    total_ns: int
    median_ns: int
    max_ns: int


@dataclass(slots=True)
class _Open:
    """What is found while rows are read in order."""

    stretches: list[tuple[int, int, int]]
    interrupts: list[tuple[bool, int]]
    running: list[int]
    begun_ns: int = 0

    def end_stretch(self, now_ns: int) -> None:
        if self.running:
            self.stretches.append((self.begun_ns, now_ns, self.running[-1]))
        self.begun_ns = now_ns


def find_interrupts(time_ns: IntArray, kind: IntArray, number: IntArray) -> Interrupts:
    """Find interrupts in the rows of one thread that had a CPU, in order of time.

    An end without its begin is passed over; a switch ends all that is open.
    """
    found = _Open([], [], [])
    for now_ns, what, vector in zip(time_ns.tolist(), kind.tolist(), number.tolist(), strict=True):
        if what in _IN:
            found.end_stretch(now_ns)
            found.running.append(len(found.interrupts))
            found.interrupts.append((what == SchedKind.SOFTIRQ_IN, vector))
        elif what in _OUT:
            is_soft = what == SchedKind.SOFTIRQ_OUT
            if found.running and found.interrupts[found.running[-1]] == (is_soft, vector):
                found.end_stretch(now_ns)
                found.running.pop()
        else:
            found.end_stretch(now_ns)
            found.running.clear()
    stretches = np.array(found.stretches, np.int64).reshape(-1, 3)
    return Interrupts(
        stretches[:, 0],
        stretches[:, 1],
        stretches[:, 2],
        np.array([soft for soft, _ in found.interrupts], np.bool_),
        np.array([vector for _, vector in found.interrupts], np.int64),
    )


def within_jobs(
    interrupts: Interrupts, job: IntArray, start_ns: IntArray, finish_ns: IntArray
) -> Hits:
    """Find the interrupts that came within jobs.

    Args:
        interrupts: Of the jobs' thread.
        job: Numbers of its jobs.
        start_ns: Of each, in order; no two jobs overlap.
        finish_ns: As many.
    """
    n = len(interrupts.number)
    if not len(start_ns) or not n:
        return Hits.nothing()
    row = np.searchsorted(start_ns, interrupts.to_ns, "left") - 1
    begin = np.maximum(interrupts.from_ns, start_ns[np.maximum(row, 0)])
    end = np.minimum(interrupts.to_ns, finish_ns[np.maximum(row, 0)])
    is_within = (row >= 0) & (end > begin)
    which = interrupts.which[is_within]
    lengths = np.zeros(n, np.int64)
    np.add.at(lengths, which, (end - begin)[is_within])
    # An interrupt ends before its thread goes on, so all of its stretches are of one job.
    job_of = np.zeros(n, np.int64)
    job_of[which] = job[row[is_within]]
    met = np.unique(which)
    return Hits(interrupts.is_soft[met], interrupts.number[met], job_of[met], lengths[met])


def sum_up(hits: Hits, names: Mapping[int, str]) -> tuple[Interrupter, ...]:
    """Sum up by interrupt, largest total first; `names` by number."""
    kinds = sorted(set(zip(hits.is_soft.tolist(), hits.number.tolist(), strict=True)))
    found = []
    for is_soft, number in kinds:
        chosen = (hits.is_soft == is_soft) & (hits.number == number)
        durations = np.sort(hits.length_ns[chosen])
        found.append(
            Interrupter(
                name=name_of(is_soft, number, names),
                is_soft=is_soft,
                n_jobs=len(np.unique(hits.job[chosen])),
                n=len(durations),
                total_ns=int(durations.sum()),
                # Nearest rank, as every quantile of ours.
                median_ns=int(durations[(len(durations) - 1) // 2]),
                max_ns=int(durations[-1]),
            )
        )
    return tuple(sorted(found, key=lambda one: -one.total_ns))


def name_of(is_soft: bool, number: int, names: Mapping[int, str]) -> str:
    """Name an interrupt; one whose name nobody told has its number."""
    if is_soft:
        return SOFTIRQS[number] if 0 <= number < len(SOFTIRQS) else f"softirq {number}"
    name = names.get(number, "")
    return name or (f"vector {-number}" if number < 0 else f"irq {number}")
