# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Sebek's figure 6: tasks of known miss ratios, sampled while they preempt each other."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laxity.core.spec import SampleBy
from laxity.papers.paper import Experiment, TaskRun
from laxity.store.run_directory import Run

LINE_BYTES = 32
# In the order of their tables. The idle task fits; of the others these lines are more than the
# cache has. The loop around the code has five lines more, which count.
IDLE = "T1"
LINES = {"T2": 1024 + 28, IDLE: 512, "T3": 1024 + 38, "T4": 1024 + 59}
# What the paper has for them, of instructions.
PAPER_PERCENT = {"T2": 3.27, IDLE: 0.0, "T3": 4.25, "T4": 6.20}
EVENTS = ("instructions", "l1i_refill")
_PASSES = {"T2": 250, IDLE: 1800, "T3": 250, "T4": 300}
_PRIORITIES = {"T2": 90, IDLE: 50, "T3": 80, "T4": 70}
# T2 yields to the idle task; T3 executes and yields to T4; T2 preempts T3 in its second job.
_OFFSETS_MS = {"T2": 0, IDLE: 0, "T3": 16, "T4": 16}
_PERIODS_MS = {"T2": 40, IDLE: 100, "T3": 20, "T4": 100}
_APART_MS = 50
_PERCENT = 100
_ON = 1
# Of no task: of all cores, the kernel's switches with them.
_ALL = np.iinfo(np.uint16).max


def _tasks(offsets_ms: Mapping[str, int], periods_ms: Mapping[str, int]) -> tuple[Any, ...]:
    return tuple(
        {
            "name": name,
            "workload": "generated",
            "args": [f"code={lines * LINE_BYTES}B", f"line={LINE_BYTES}B", f"passes={passes}"],
            "offset": f"{offsets_ms[name]}ms",
            "period": f"{periods_ms[name]}ms",
            "priority": _PRIORITIES[name],
        }
        for (name, lines), passes in zip(LINES.items(), _PASSES.values(), strict=True)
    )


FIGURE_6 = Experiment(
    "miss-ratios",
    "mpc750",
    TaskRun(
        _tasks(_OFFSETS_MS, _PERIODS_MS),
        2,
        events=EVENTS,
        sample_bucket="100us",
        sample_by=SampleBy.INTERRUPT,
        is_traced=True,
    ),
)
# One task after the other.
EXACT = Experiment(
    "miss-ratios-lru",
    "mpc750",
    TaskRun(
        _tasks(
            {name: number * _APART_MS for number, name in enumerate(LINES)},
            dict.fromkeys(LINES, len(LINES) * _APART_MS),
        ),
        1,
        events=EVENTS,
        sample_bucket="100us",
        is_traced=True,
    ),
    changed='[l1i]\nreplacement = "lru"\n',
    change="with exact LRU, one task after the other",
)


@dataclass(frozen=True)
class Windows:
    """What lies between two samples.

    Attributes:
        end_ns: Of each window.
        counts: Instructions and misses of each window, by task and of all together, last.
        switched_at: The window of each switch to a task.
        switched_to: And that task.
    """

    end_ns: NDArray[np.int64]
    counts: NDArray[np.int64]
    switched_at: NDArray[np.intp]
    switched_to: NDArray[np.intp]

    @cached_property
    def ran(self) -> NDArray[np.intp]:
        """The task that executed most in each."""
        found: NDArray[np.intp] = self.counts[: len(LINES), 0].argmax(axis=0)
        return found

    @cached_property
    def is_quiet(self) -> NDArray[np.bool_]:
        """Whether a task had the core alone, in the window and in the two before.

        In those it may still reload what it has lost; from memory that takes a whole one.
        """
        alone = (self.counts[: len(LINES), 0] > 0).sum(axis=0) == 1
        alone[self.switched_at] = False
        found: NDArray[np.bool_] = np.zeros_like(alone)
        found[2:] = alone[2:] & alone[1:-1] & alone[:-2]
        return found

    @cached_property
    def percent(self) -> NDArray[np.float64]:
        """Misses per instruction of all that was executed; nothing where nothing was."""
        instructions, misses = self.counts[-1]
        found = np.full(len(misses), np.nan)
        np.divide(_PERCENT * misses, instructions, out=found, where=instructions > 0)
        return found

    def quiet_percent(self, task: str) -> float:
        """Misses per instruction of a task in all its windows without a switch."""
        number = list(LINES).index(task)
        instructions, misses = self.counts[number][:, self.is_quiet & (self.ran == number)]
        return float(_PERCENT * misses.sum() / instructions.sum())

    @cached_property
    def lowest_peak_times(self) -> float:
        """The lowest peak at a switch, over the ratio of the task that was switched to.

        A peak is the higher of the switch's window and the next one.
        """
        return min(
            float(self.percent[at : at + 2].max()) / self.quiet_percent(list(LINES)[task])
            for at, task in zip(self.switched_at, self.switched_to, strict=True)
            if list(LINES)[task] != IDLE
        )


def windows_of(run: Run) -> Windows:
    """Read the samples and switches of a run."""
    rows = np.ma.getdata(run.stream("counters"))
    times_ns = np.unique(rows["time_ns"])
    values = np.zeros((len(LINES) + 1, len(EVENTS), len(times_ns) + 1), dtype=np.int64)
    task = np.where(rows["task"] == _ALL, len(LINES), rows["task"]).astype(np.intp)
    at = np.searchsorted(times_ns, rows["time_ns"]) + 1
    values[task, rows["event"], at] = rows["value"]
    # A task that has ended has no rows, and counts no more.
    np.maximum.accumulate(values, axis=2, out=values)
    sched = np.ma.getdata(run.stream("sched"))
    ons = sched[sched["kind"] == _ON]
    # A thread's number is its task's and 1.
    return Windows(
        times_ns,
        np.diff(values, axis=2),
        np.searchsorted(times_ns, ons["time_ns"]),
        ons["tid"].astype(np.intp) - 1,
    )
