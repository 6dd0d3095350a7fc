# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""One processor played unit of time by unit of time: the witness that bounds are held against.

It knows no formula and shares no code with the analyses: in each unit it asks what a kernel asks,
who runs now. Slow and plain on purpose; times are small whole numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass
class Job:
    """One job.

    Attributes:
        task: Name of its task.
        release: What responses and deadlines count from.
        ready: When its timer wakes it: late by its jitter, and by how late timers are.
        length: What it runs if nothing disturbs it.
        urgency: The least one runs; equal ones in the order in which they became ready.
        section: From its start on no other job takes its CPU for so long.
    """

    task: str
    release: int
    ready: int
    length: int
    urgency: int
    section: int = 0
    rest: int = field(init=False)
    has_started: bool = field(default=False, init=False)
    ran: int = field(default=0, init=False)
    timer: int = field(default=0, init=False)
    was_preempted: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.rest = self.length


@dataclass(frozen=True)
class Kernel:
    """What the kernel and the caches take.

    Attributes:
        half_switch: Before a job's start and again after its end; nothing interrupts it.
        half_out: After its end, if that differs.
        reload: By task: what it runs longer each time that it resumes.
        timer: What the timer of a job takes. It is part of the job's own switch; where another job
            runs on it comes when the timer expires, and the switch that follows later is so much
            shorter, at most by all of its first half.
        is_cyclic: Whether timers expire while the job before has not ended; else a task sets its
            timer when that has.
        tick: What each tick takes; 0: none.
        tick_period: From one tick to the next.
        first_tick: When the first one comes.
    """

    half_switch: int = 0
    half_out: int | None = None
    reload: Mapping[str, int] = field(default_factory=dict)
    timer: int = 0
    is_cyclic: bool = False
    tick: int = 0
    tick_period: int = 1
    first_tick: int = 0

    @property
    def out(self) -> int:
        """What follows a job's end."""
        return self.half_switch if self.half_out is None else self.half_out


Finished: TypeAlias = Callable[[Job, int], None]


@dataclass
class Cpu:
    """The state of the processor between two units of time."""

    kernel: Kernel
    pending: list[Job] = field(default_factory=list)
    running: Job | None = None
    switching: int = 0
    interrupts: int = 0
    preemptions: int = 0

    def run_unit(self, now: int, finished: Finished) -> None:
        """Let whoever has the processor run from now to now + 1."""
        if self.switching:
            self.switching -= 1
        elif self.interrupts:
            self.interrupts -= 1
        elif self.pending:
            self._dispatch(self._chosen(), now, finished)

    def _chosen(self) -> Job:
        current = self.running
        if current is not None and current.ran < current.section:
            return current
        return min(self.pending, key=lambda job: (job.urgency, job.ready, job.release))

    def _dispatch(self, job: Job, now: int, finished: Finished) -> None:
        if job is not self.running:
            if self.running is not None:
                self.running.was_preempted = True
                self.preemptions += 1
            self.running = job
            if job.has_started:
                job.rest += self.kernel.reload.get(job.task, 0)
            else:
                job.has_started = True
                self.switching = max(0, self.kernel.half_switch - job.timer)
            if self.switching:
                self.switching -= 1
                return
        job.rest -= 1
        job.ran += 1
        if not job.rest:
            self.pending.remove(job)
            self.running = None
            self.switching = self.kernel.out
            finished(job, now + 1)

    def wake(self, job: Job) -> None:
        """Let a timer expire; whoever runs on meanwhile is interrupted by it."""
        is_set = self.kernel.is_cyclic or all(other.task != job.task for other in self.pending)
        current = self.running
        is_kept = current is not None and current.ran < current.section
        if is_set and (is_kept or any(other.urgency <= job.urgency for other in self.pending)):
            job.timer = self.kernel.timer
            self.interrupts += job.timer
        self.pending.append(job)


@dataclass
class Played:
    """What came of it: longest response and latest finish after a release, by task."""

    longest: dict[str, int] = field(default_factory=dict)
    preemptions: int = 0


def play(jobs: Sequence[Job], kernel: Kernel | None = None, until: int = 1_000_000) -> Played:
    """Play jobs to their ends.

    Args:
        jobs: Any order; those of one task are ready in the order of their releases.
        kernel: None: nothing costs anything.
        until: Whatever is not finished then had no end.
    """
    cpu, found = Cpu(kernel or Kernel()), Played()
    coming = sorted(jobs, key=lambda job: (job.ready, job.release))
    at, now = 0, 0

    def finished(job: Job, when: int) -> None:
        found.longest[job.task] = max(found.longest.get(job.task, 0), when - job.release)

    while (at < len(coming) or cpu.pending) and now < until:
        if not cpu.pending and not cpu.switching and not cpu.kernel.tick:
            # Nothing happens before the next job.
            now = max(now, coming[at].ready)
        while at < len(coming) and coming[at].ready <= now:
            cpu.wake(coming[at])
            at += 1
        since = now - cpu.kernel.first_tick
        if cpu.kernel.tick and since >= 0 and since % cpu.kernel.tick_period == 0:
            cpu.interrupts += cpu.kernel.tick
        cpu.run_unit(now, finished)
        now += 1
    assert not cpu.pending, "the schedule has no end"
    found.preemptions = cpu.preemptions
    return found
