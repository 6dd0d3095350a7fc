# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Schedules of several cores played from event to event: what the simulator is compared with.

Written from docs/simulation-model.md, sections 2 and 6, and knows nothing of caches: a job is a
number of instructions that all take the same time. The first one of a task on each core takes
longer, since its line is nowhere yet; that is the one thing that caches do here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.bounds.simulated_sets import SimulatedTask


class Played(NamedTuple):
    """A job that has ended; times in ticks."""

    task: int
    job: int
    status: str
    start: int
    finish: int
    preemptions: int
    migrations: int
    core: int


@dataclass
class _Task:
    number: int
    asked: SimulatedTask
    lengths: Sequence[int]  # of its jobs, in instructions
    release: int
    ready_since: int
    job: int = 0
    n_done: int = 0
    left: int = 0
    start: int | None = None
    deadline: int | None = None  # absolute, of a reservation
    core: int | None = None
    last_core: int | None = None
    job_core: int | None = None
    visited: set[int] = field(default_factory=set)
    preemptions: int = 0
    migrations: int = 0

    @property
    def rank(self) -> int:
        """The least goes first."""
        return -self.asked.priority if self.deadline is None else self.deadline


@dataclass
class _Core:
    task: _Task | None = None
    began: int = 0
    late: int = 0  # how much longer the first instruction takes
    stop: int | None = None  # when it stops, if it is asked to
    is_switching: bool = False
    last: _Task | None = None


class Schedule:
    """The cores, and who is on them."""

    def __init__(
        self,
        tasks: Sequence[SimulatedTask],
        lengths: Sequence[Sequence[int]],
        n_cores: int,
        instruction: int = 1,
        cold: int = 0,
    ) -> None:
        self._tasks = [
            _Task(number, one, of_one, one.first, one.first)
            for number, (one, of_one) in enumerate(zip(tasks, lengths, strict=True))
        ]
        self._cores = [_Core() for _ in range(n_cores)]
        self._instruction = instruction
        self._cold = cold
        self.played: list[Played] = []

    def play(self) -> list[Played]:
        """Play to the last job's end."""
        now: int | None = -1
        while now is not None and (now := self._next_event(now)) is not None:
            while self._act(now):
                pass
        return self.played

    def _next_event(self, now: int) -> int | None:
        events = [
            self._end(core) if core.stop is None else core.stop
            for core in self._cores
            if core.task is not None
        ]
        # Who has been released waits for a core.
        events += [one.release for one in self._tasks if self._is_alive(one) and one.release > now]
        return min(events, default=None)

    def _is_alive(self, task: _Task) -> bool:
        return task.n_done < len(task.lengths)

    def _end(self, core: _Core) -> int:
        assert core.task is not None
        return core.began + core.late + core.task.left * self._instruction

    def _act(self, now: int) -> bool:
        has_changed = False
        for number, core in enumerate(self._cores):
            if core.is_switching:
                self._end_switch(core, number)
                has_changed = True
            elif core.task is not None and self._end(core) == now:
                self._finish(core, number, now)
                has_changed = True
            elif core.task is not None and core.stop == now:
                self._stop(core, now)
                has_changed = True
        self._wake(now)
        return self._assign(now) or has_changed

    def _finish(self, core: _Core, number: int, now: int) -> None:
        task = core.task
        assert task is not None
        assert task.start is not None
        asked = task.asked
        release = asked.first + task.job * asked.period
        status = "missed" if now > release + asked.deadline else "done"
        done = (task.number, task.job, status, task.start, now)
        self.played.append(Played(*done, task.preemptions, task.migrations, number))
        core.task = core.stop = None
        task.core = task.start = task.deadline = task.job_core = None
        task.n_done += 1
        task.job += 1
        if asked.skips:
            # None that was released before this one's end.
            task.job = max(task.job, -(-(now - asked.first) // asked.period))
        task.release = asked.first + task.job * asked.period
        task.ready_since = max(task.release, now)

    def _stop(self, core: _Core, now: int) -> None:
        task = core.task
        assert task is not None
        if now > core.began:
            task.left -= (now - core.began - core.late) // self._instruction
        task.preemptions += 1
        task.core = core.task = core.stop = None

    def _end_switch(self, core: _Core, number: int) -> None:
        """End a switch, which takes no time: whoever is the first then takes the core."""
        task = core.task
        assert task is not None
        core.last, core.task, core.is_switching = task, None, False
        task.core, task.last_core = None, number

    def _wake(self, now: int) -> None:
        for one in self._tasks:
            is_new = self._is_alive(one) and one.deadline is None and one.release <= now
            if is_new and one.asked.reserved:
                one.deadline = now + one.asked.deadline

    def _assign(self, now: int) -> bool:
        claimed: set[int] = set()
        ready = [
            one
            for one in self._tasks
            if self._is_alive(one) and one.core is None and one.release <= now
        ]
        has_changed = False
        for task in sorted(ready, key=lambda one: (one.rank, one.ready_since, one.number)):
            mine = [n for n in range(len(self._cores)) if task.asked.cores >> n & 1]
            mine = [n for n in mine if n not in claimed]
            idle = [n for n in mine if self._cores[n].task is None]
            stopping = [n for n in mine if self._cores[n].stop is not None]
            below = [
                (-running.rank, n)
                for n in mine
                if (running := self._cores[n].task) is not None
                and self._cores[n].stop is None
                and running.rank > task.rank
            ]
            if idle:
                number = task.last_core if task.last_core in idle else idle[0]
                assert number is not None
                self._run(task, number, now)
                claimed.add(number)
                has_changed = True
            elif stopping:
                claimed.add(stopping[0])
            elif below:
                number = min(below)[1]
                self._ask(self._cores[number], now)
                claimed.add(number)
                has_changed |= self._cores[number].stop == now
        return has_changed

    def _run(self, task: _Task, number: int, now: int) -> None:
        core = self._cores[number]
        core.task, core.began, core.stop = task, now, None
        task.core = number
        if core.last is not task:
            core.is_switching = True
            return
        core.late = 0 if number in task.visited else self._cold
        task.visited.add(number)
        if task.start is None:
            task.start = now
            task.left = task.lengths[task.n_done]
            task.preemptions = task.migrations = 0
        task.migrations += task.job_core is not None and task.job_core != number
        task.last_core = task.job_core = number

    def _ask(self, core: _Core, now: int) -> None:
        """Stop a core before its next instruction, unless the job ends there."""
        if now == core.began:
            core.stop = now
            return
        since = max(now - core.began - core.late, self._instruction)
        at = core.began + core.late + -(-since // self._instruction) * self._instruction
        core.stop = min(at, self._end(core))
