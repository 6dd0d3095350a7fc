# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What Sebek's probes take (section 3.2): a task that reads counters, and an interrupt."""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from laxity.core.spec import SampleBy
from laxity.jobs.intrusion import Intrusion
from laxity.papers.paper import Exhibit, Experiment, Row, TaskRun
from laxity.papers.sebek_misses import EVENTS, FIGURE_6, LINES
from laxity.store.run_directory import Run

_PERCENT, _NS_PER_US = 100, 1e3
_LINE_BYTES = 32
Task = Mapping[str, Any]
# At the highest rate of his operating system, 500 Hz.
_EVERY_NS = 2_000_000
_PROBE: Task = {"name": "probe", "workload": "empty", "period": "2ms", "priority": 99}
# Code that nothing is lost of, code that has all of the cache with the five lines of its loop, and
# code that leaves the probe two of the cache's eight ways.
# A job takes more than 1 ms and less than 2; the probe comes 1 ms behind its release.
_VICTIMS = {"small": (32, 1900), "cache": (1019, 40), "partition": (763, 70)}


def _victim(name: str) -> Task:
    lines, passes = _VICTIMS[name]
    return {
        "name": "T1",
        "workload": "generated",
        "args": [f"code={lines * _LINE_BYTES}B", f"line={_LINE_BYTES}B", f"passes={passes}"],
        "offset": "1ms",
        "period": "2ms",
        "priority": 50,
    }


def _by_task(name: str) -> tuple[Experiment, Experiment]:
    alone = (_victim(name),)
    return (
        Experiment(f"{name}-unobserved", "mpc750-no-l2", TaskRun(alone, 0, duration="11ms")),
        Experiment(
            f"{name}-probe-task", "mpc750-no-l2", TaskRun((*alone, _PROBE), 0, duration="11ms")
        ),
    )


def _by_interrupt(every: str) -> Experiment:
    work = TaskRun(
        (_victim("small"),),
        0,
        events=EVENTS,
        sample_bucket=every,
        sample_by=SampleBy.INTERRUPT,
        duration="11ms",
    )
    return Experiment(f"interrupts-{every}", "mpc750-233", work)


BEST, WORST, PARTITIONED = _by_task("small"), _by_task("cache"), _by_task("partition")
# Who fills the cache, in half of its ways.
HALF = Experiment(
    "cache-halved",
    "mpc750",
    TaskRun(({**_victim("cache"), "period": "20ms"},), 3),
    changed='[l1i]\nsize = "16KiB"\nways = 4\n[[level]]\nname = "L2"\nsize = "0B"\n',
    change="of 4 ways, 16 KiB, without L2",
)
UNOBSERVED = Experiment(
    "interrupts-none", "mpc750-233", TaskRun((_victim("small"),), 0, duration="11ms")
)
AT_500_HZ, AT_1_MHZ = _by_interrupt("2ms"), _by_interrupt("1us")
# The tasks of figure 6, watched by the task.
_WATCHED = FIGURE_6.work
assert isinstance(_WATCHED, TaskRun)  # noqa: S101 - for mypy
BY_TASK = Experiment(
    "miss-ratios-probe-task",
    "mpc750",
    TaskRun((*_WATCHED.tasks, _PROBE), 0, events=EVENTS, sample_bucket="2ms", duration="100ms"),
)


class _Found(Protocol):
    def intrusion(self, unobserved: Experiment, observed: Experiment) -> Intrusion:
        """Compare T1 in two runs, from its second job on."""

    def job_percent(self, experiment: Experiment) -> dict[str, float]:
        """Misses per instruction of the first job of each task."""


def job_percent_of(run: Run) -> dict[str, float]:
    """Read misses per instruction, in percent, of the first job of each task of figure 6."""
    rows = np.ma.getdata(run.stream("jobs"))
    names = {task.index: task.name for task in run.manifest.tasks}
    first = rows[rows["job"] == 0]
    return {
        names[int(row["task"])]: float(_PERCENT * row[EVENTS[1]] / row[EVENTS[0]])
        for row in first
        if names[int(row["task"])] in LINES
    }


def _sample_us(found: _Found, pair: tuple[Experiment, Experiment]) -> float:
    one = found.intrusion(*pair)
    return (one.observed_ns - one.unobserved_ns) / one.n / _NS_PER_US


def _load_percent(found: _Found, pair: tuple[Experiment, Experiment]) -> float:
    return _PERCENT * _sample_us(found, pair) * _NS_PER_US / _EVERY_NS


def _share_percent(found: _Found, observed: Experiment) -> float:
    one = found.intrusion(UNOBSERVED, observed)
    return _PERCENT * (1 - one.unobserved_ns / one.observed_ns)


def _times_longer(found: _Found, unobserved: Experiment, observed: Experiment) -> float:
    one = found.intrusion(unobserved, observed)
    return one.observed_ns / one.unobserved_ns


def _largest_difference(found: _Found) -> float:
    by_interrupt, by_task = found.job_percent(FIGURE_6), found.job_percent(BY_TASK)
    return max(
        _PERCENT * abs(by_task[task] / by_interrupt[task] - 1) for task in LINES if task != "T1"
    )


SECTION_3_2 = Exhibit(
    "section-3.2",
    "Section 3.2: what a probe takes",
    (*BEST, *WORST, *PARTITIONED, HALF, UNOBSERVED, AT_500_HZ, AT_1_MHZ, FIGURE_6, BY_TASK),
    (
        Row(
            "probe task, best case: each sample",
            43.1,
            "µs",
            "input",
            lambda found: _sample_us(found, BEST),
            "Two switches, which the platform file has from his table 1, and a job of a few "
            "instructions.",
        ),
        Row(
            "probe task, worst case: each sample",
            86.9,
            "µs",
            "predicted",
            lambda found: _sample_us(found, WORST),
            "Both switches miss their 32 lines of code, but not their data, which no code evicts; "
            "and of a full set the task loses more than the line that was evicted.",
        ),
        Row(
            "probe task at 500 Hz, best case",
            2.0,
            "% of the processor",
            "input",
            lambda found: _load_percent(found, BEST),
            "He rounds: 43.1 µs of 2 ms are 2.2 %.",
        ),
        Row(
            "probe task at 500 Hz, worst case",
            4.0,
            "% of the processor",
            "predicted",
            lambda found: _load_percent(found, WORST),
            "As each sample; he rounds: 86.9 µs of 2 ms are 4.3 %.",
        ),
        Row(
            "probe task with a quarter of the cache for itself: each sample",
            None,
            "µs",
            "predicted",
            lambda found: _sample_us(found, PARTITIONED),
            "The task leaves two ways of the instruction cache alone: what it costs is the best "
            "case. The probe's lines need no more than one way, but one with five lines of the "
            "task's loop in it is not enough: 52.0 µs.",
            said="keeping it in the cache by partitioning reduces the cost",
            agrees=lambda us: us < 65,  # noqa: PLR2004 - between his two
        ),
        Row(
            "task of 32 KiB in the rest of the cache: its jobs",
            None,
            "times as long",
            "predicted",
            lambda found: _times_longer(found, WORST[0], HALF),
            "In half of the cache, since the model's caches are powers of two; in three quarters "
            "it is the same: a task that comes round in order, and has more lines than there are "
            "places, misses with each (section 3.5.1).",
            said="the price is a decreased over-all performance (section 1.3)",
            agrees=lambda times: times > 1,
        ),
        Row(
            "interrupt at 1 MHz",
            12.0,
            "% of the processor",
            "fitted",
            lambda found: _share_percent(found, AT_1_MHZ),
            "The cycles of an interrupt are his 12 % of a processor of 233 MHz.",
        ),
        Row(
            "interrupt at 500 Hz",
            None,
            "% of the processor",
            "predicted",
            lambda found: _share_percent(found, AT_500_HZ),
            "It drops from 4 % to this.",
            said="an immeasurable level",
            agrees=lambda percent: percent < 0.1,  # noqa: PLR2004 - of a load of 4 %
        ),
        Row(
            "miss ratios by the probe task against interrupts, largest difference",
            None,
            "%",
            "predicted",
            _largest_difference,
            "Of the first job of each task of figure 6; what the two evict differs.",
            said="both measurement methods work",
            agrees=lambda percent: percent < 1,
        ),
    ),
    notes=(
        "T1, the same in both runs, is preempted or interrupted in the middle of its jobs of "
        "1.5 ms: what they take more is a sample. The probe task does what table 1 has: it is "
        "switched to, and back.",
    ),
)
