# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Columns of a sweep: their names, and the figures that they hold."""

import numpy as np
import pytest

from laxity.core.streams import Status
from laxity.errors import ConfigError
from laxity.jobs.rows import Jobs
from laxity.store.manifest import Clock, Counts, MemoryTraffic
from laxity.store.native import Native, NativeCorunner, NativeTask
from laxity.sweep.columns import Value, measure, read_columns

NAMES = [
    *("task", "status", "release_ns", "start_ns", "finish_ns", "abs_deadline_ns"),
    *("exec_ns", "stall_shared_ns"),
]
# Task 0 has three jobs that finished and one that was skipped, task 1 one job.
ROWS = [
    (0, Status.DONE, 0, 5, 105, 50, 90, 1),
    (0, Status.DONE, 1000, 1000, 1200, 1050, 200, 2),
    (0, Status.MISSED, 2000, 2010, 2310, 2050, 280, 3),
    (0, Status.SKIPPED, 3000, 3000, 3000, 3050, 7777, 7777),
    (1, Status.DONE, 0, 0, 40, 50, 40, 0),
]
JOBS: Jobs = np.ma.array(ROWS, dtype=[(name, "i8") for name in NAMES])


def values_of(*names: str, events: tuple[str, ...] = ()) -> list[Value]:
    counts = Counts(done=2, missed=1, skipped=1, aborted=0, pending=0, not_met=2)
    native = Native(
        clock=Clock(name="simulated", t0_ns=1, end_ns=2),
        status="complete",
        exit_code=0,
        tasks=[NativeTask(index=0, released=4, started=3, counts=counts)],
        corunners=[NativeCorunner(index=1, passes=9)],
        memory_traffic=MemoryTraffic(lines_read=5, lines_written=6),
    )
    columns = read_columns(names, ("a", "b"), events, 4)
    # The hash is there in any case.
    return measure(columns, native, JOBS, "digest")[:-1]


def test_statistics_are_of_the_jobs_that_finished():
    statistics = ("min", "median", "mean", "max", "sum", "p34")
    # 90, 200, 280: their mean is 570 / 3; p34 is the ceil(1.02) = 2nd smallest.
    values = values_of(*(f"a.exec_ns.{one}" for one in statistics))
    assert values == [90, 200, 190.0, 280, 570, 200]


def test_times_between_instants_are_derived():
    # 105, 200, 310; 5, 0, 10; 310 - 50 = 260.
    names = ("a.response_ns.max", "a.release_latency_ns.sum", "a.lateness_ns.max")
    assert values_of(*names) == [310, 15, 260]


def test_column_without_a_task_is_of_each():
    columns = read_columns(["exec_ns.max", "not_met"], ("a", "b"), (), 0)
    names = [one.name for one in columns]
    assert names == ["a.exec_ns.max", "b.exec_ns.max", "a.not_met", "b.not_met", "result_hash"]
    assert values_of("stall_shared_ns.sum") == [6, 0]


def test_counts_and_what_is_of_no_task():
    names = ("a.released", "a.started", "a.skipped", "a.not_met")
    assert values_of(*names) == [4, 3, 1, 2]
    assert values_of("memory.lines_read", "corunner.1.passes") == [5, 9]
    # There is no such co-runner, and no such event was counted.
    absent = ("corunner.0.passes", "a.instructions.sum")
    assert values_of(*absent, events=("instructions",)) == [None, None]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a.exec_n.max", 'did you mean "a.exec_ns.max"'),
        ("c.exec_ns.max", "is none"),
        ("a.exec_ns.p0", "is none"),
        ("a.exec_ns.p100", "is none"),
        ("a.exec_ns", "is none"),
        ("memory.lines_red", 'did you mean "memory.lines_read"'),
        ("", "is none"),
    ],
)
def test_column_that_is_none_is_refused(name: str, said: str):
    with pytest.raises(ConfigError, match=said):
        read_columns([name], ("a", "b"), (), 1)


def test_column_is_wanted_once():
    with pytest.raises(ConfigError, match=r'"a\.exec_ns\.max" stands there twice'):
        read_columns(["a.exec_ns.max", "exec_ns.max"], ("a", "b"), (), 1)
    with pytest.raises(ConfigError, match="columns is empty"):
        read_columns([], ("a",), (), 1)
