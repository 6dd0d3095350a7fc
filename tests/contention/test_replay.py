# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Replayed jobs, against hand calculations: 1000 µs alone, 2000 µs with the load."""

from dataclasses import replace

import numpy as np
import pytest

from laxity.contention.replay import Replayed, ReplayRun, replay
from laxity.contention.windows import Progress
from laxity.errors import ToolError

NOTHING = np.zeros(0, dtype=np.int64)
SOLO = Progress(np.array([0, 1e6]), np.array([0, 1e6]), np.array([0, 1e5]), NOTHING, NOTHING)
# 2 MB in 2 ms are 1 GB/s.
LOADED = Progress(
    np.array([500, 2e6 + 500]), np.array([0, 1e6]), np.array([7, 2e6 + 7]), NOTHING, NOTHING
)
SOUND, SUSPEND = 0, 1
# Of the time, in units of 2^-20.
HALF = 1 << 19


def plan(policy: int, loss: int, **other: int) -> str:
    """A reading each 50 µs, 10 µs for a stop; one phase, steps of 10 GB/s."""
    numbers = {
        "task": 0,
        "core": 1,
        "period_ns": 50_000,
        "stop_latency_ns": 10_000,
        "resume_latency_ns": 5_000,
        "mark_latency_ns": 1_000,
        "policy": policy,
        "has_sensor": 1,
        "budget_ns": 400_000,
        "reload_ns": 0,
        "preemption_ns": 0,
        "lease_ns": 50_000,
        "stop_ns": 10_000,
        "mark_ns": 1_000,
        "refill_bytes": 0,
        "refill_ns": 1_000_000,
        "phases": 1,
        "steps": 2,
        "step_bytes_per_s": 10**10,
        **other,
    }
    lists = f"loss 0 0 {loss}\nreserve 0 0 0\nsolo_from_ns 1000000 0\nsolo_until_ns 0 1000000\n"
    return "".join(f"{name} {value}\n" for name, value in numbers.items()) + lists


def passing(mark: int) -> Progress:
    """The job alone, with a mark after 500 µs."""
    return replace(SOLO, marks=np.array([mark]), marks_ns=np.array([500_000]))


def replayed(text: str, run: ReplayRun) -> Replayed:
    (one,) = replay(text, SOLO, LOADED, [run])
    return one


def test_load_that_no_table_charges_runs_until_the_end_of_the_job():
    """The first reading stops the load, which has no permission; from the second on it has.

    A job that loses 1000 µs is outside of a profile in which it loses nothing.
    """
    run = replayed(plan(SOUND, 0), ReplayRun(210_000))
    assert run == Replayed(2_000_000, 2_000_000, 1, is_void=True, is_beyond=False)


def test_suspended_load_delays_the_job_until_it_stands_still():
    """The job starts at 210, a reading at 250 stops the load at 260 µs.

    50 µs with the load are 25 µs of progress, the other 975 µs follow alone.
    """
    run = replayed(plan(SUSPEND, HALF), ReplayRun(210_000))
    assert run == Replayed(1_025_000, 40_000, 1, is_void=False, is_beyond=False)


def test_mark_that_is_published_after_a_reading_waits_for_the_next():
    """The start at 249.5 µs is not read at 250: the load stops at 310 µs, 60.5 µs after the start.

    30.25 µs of progress are made until then: 60.5 + 969.75 µs.
    """
    run = replayed(plan(SUSPEND, HALF), ReplayRun(249_500))
    assert run.execution_ns == 1_030_250


def test_load_that_pauses_by_itself_holds_the_job_up_half_of_the_time():
    """Of each 20 µs 10 are with the load: 15 µs of progress.

    After 66 of them, 1320 µs, 10 are left, which take 10 µs with the load for 5, and 5 alone.
    """
    run = replayed(plan(SOUND, 0), ReplayRun(200_000, on_ns=10_000, off_ns=10_000))
    assert run.execution_ns == 1_335_000


def test_budget_is_spent_at_the_rate_of_the_table():
    """At step 1 the table charges half of the time, of a budget of 400 µs.

    The start is charged at that rate, too: t after it, a reading has left 400 - t / 2. A permission
    needs (50 + 10 + 1) / 2 = 30.5 µs: the last is given at 700 with 50 left; at 750, with 25, the
    load is stopped, at 760 it stands still. 380 µs of progress are made, 620 follow alone.
    """
    run = replayed(plan(SOUND, HALF), ReplayRun(200_000))
    assert run == Replayed(1_380_000, 750_000, 2, is_void=False, is_beyond=False)


def test_traffic_above_the_table_is_reported():
    """1 GB/s is above the only step of 100 MB/s."""
    assert replayed(plan(SOUND, 0, step_bytes_per_s=10**8), ReplayRun(200_000)).is_beyond


def test_passages_are_marks_of_the_job():
    """A mark that the table lacks puts the job outside of its profile; the table has mark 3."""
    phases = f"loss 1 0 {HALF}\nreserve 1 0 0\nmark 1 3 1\n"
    text = plan(SOUND, HALF, phases=2).replace("1000000 0\n", "1000000 500000 0\n")
    text = text.replace("0 1000000\n", "0 500000 1000000\n") + phases
    known, unknown = (
        replay(text, passing(mark), LOADED, [ReplayRun(200_000)])[0] for mark in (3, 4)
    )
    assert (known.is_void, unknown.is_void) == (False, True)


def test_plan_that_cannot_be_is_refused():
    with pytest.raises(ToolError, match='bad line "policy 9"'):
        replay(plan(9, 0), SOLO, LOADED, [ReplayRun(200_000)])


def test_pause_without_work_is_refused():
    with pytest.raises(ToolError, match="run 0 cannot be"):
        replayed(plan(SOUND, 0), ReplayRun(0, on_ns=0, off_ns=1))
