# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Jobs of made-up traces, calculated by hand. Thread 7 is observed; 8 and 9 are others."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from laxity.core.streams import SchedKind, Status, dtype_of
from laxity.trace.gaps import Coverage
from laxity.trace.observed_jobs import Asked, Observed, ThreadJobs
from laxity.trace.period import Rhythm

ABSENT_TID = np.iinfo(np.int32).min
ABSENT_NS = np.iinfo(np.int64).min
PERIOD = 1_000_000
NOTHING_ASKED = Asked()
Event = tuple[int, str]  # time, and what thread 7 does


def trace(events: Sequence[Event], lost_before: Mapping[int, int] = {}):
    """Make a trace of thread 7: `wake on off preempted fork exit`, with a CPU as in `on1`.

    `lost_before`: by index of an event, how many records are missing before it on its CPU.
    """
    kinds = {
        "wake": SchedKind.WAKEUP,
        "on": SchedKind.ON,
        "off": SchedKind.OFF,
        "preempted": SchedKind.OFF,
        "fork": SchedKind.FORK,
        "exit": SchedKind.EXIT,
    }
    rows = []
    seq: dict[int, int] = {}
    for index, (time_ns, text) in enumerate(events):
        name, cpu = text.rstrip("01"), int(text[-1]) if text[-1] in "01" else 0
        number = seq.get(cpu, 0) + lost_before.get(index, 0)
        seq[cpu] = number + 1
        flag = {"off": 0, "preempted": 1}.get(name, 255)
        other = 0 if name == "on" else 8
        rows.append((time_ns, number, cpu, kinds[name], 7, other, 0, flag))
    return np.ma.array(np.array(rows, dtype=dtype_of("sched")))


def jobs_of(
    events: Sequence[Event],
    asked: Asked = NOTHING_ASKED,
    *,
    wake_ups: bool = True,
    lost_before: Mapping[int, int] = {},
    stopped_ns: int = 10**9,
) -> ThreadJobs:
    lost = {cpu: sum(lost_before.values()) if cpu == 0 else 0 for cpu in (0, 1)}
    observed = Observed(
        trace(events, lost_before), Coverage(0, stopped_ns, lost), has_wake_ups=wake_ups
    )
    return observed.jobs_of(7, asked)


def column(found: ThreadJobs, name: str) -> list[int]:
    return [int(value) for value in found.rows[name]]


def periodic(n: int, *, wake_ups: bool = True, length: int = 100) -> list[Event]:
    """N jobs: woken at k * PERIOD + 1000, on 10 later, blocked `length` after that."""
    events: list[Event] = []
    for k in range(n):
        at = 1_000 + k * PERIOD
        events += [(at, "wake")] if wake_ups else []
        events += [(at + 10, "on"), (at + 10 + length, "off")]
    return events


def test_job_lasts_from_wake_up_until_the_thread_blocks():
    found = jobs_of([(100, "wake"), (130, "on"), (180, "off"),
                     (500, "wake"), (501, "on1"), (600, "off1")])  # fmt: skip
    assert found.fit.rhythm is Rhythm.TOO_FEW
    assert column(found, "release_ns") == [100, 500]
    assert column(found, "start_ns") == [130, 501]
    assert column(found, "finish_ns") == [180, 600]
    assert column(found, "exec_ns") == [50, 99]
    assert column(found, "cpu_start") == column(found, "cpu_finish") == [0, 1]
    # The thread was asleep when it changed its CPU.
    assert column(found, "migrations") == column(found, "preemptions") == [0, 0]
    assert column(found, "abs_deadline_ns") == [ABSENT_NS, ABSENT_NS]
    assert column(found, "status") == [Status.DONE, Status.DONE]
    assert column(found, "job") == [0, 1]
    assert (found.n_cut, found.n_lost, found.n_without_job) == (0, 0, 0)


def test_preempted_job_goes_on_and_its_processor_time_has_no_gap():
    # On 110-150, 190-220 and, on CPU 1, 300-310: 40 + 30 + 10.
    found = jobs_of([(100, "wake"), (110, "on"), (150, "preempted"), (190, "on"),
                     (220, "preempted"), (300, "on1"), (310, "off1")])  # fmt: skip
    assert column(found, "exec_ns") == [80]
    assert column(found, "preemptions") == [2]
    assert column(found, "migrations") == [1]
    assert (column(found, "cpu_start"), column(found, "cpu_finish")) == ([0], [1])


def test_without_wake_ups_the_release_is_absent_and_nothing_is_judged():
    events = [(50, "on"), (90, "off"), (110, "on"), (150, "off"), (500, "on"), (520, "off")]
    found = jobs_of(events, Asked(deadline_ns=1), wake_ups=False)
    # Nobody saw whether the first stretch began with that switch.
    assert column(found, "start_ns") == [110, 500]
    assert column(found, "release_ns") == column(found, "abs_deadline_ns") == [ABSENT_NS] * 2
    assert column(found, "status") == [Status.DONE] * 2
    assert found.n_cut == 1


def test_deadline_counts_from_the_wake_up_of_a_thread_without_period():
    events = [(100, "wake"), (130, "on"), (180, "off"), (500, "wake"), (501, "on"), (581, "off")]
    found = jobs_of(events, Asked(deadline_ns=80))
    # 180 <= 100 + 80 is met, 581 > 500 + 80 is not.
    assert column(found, "abs_deadline_ns") == [180, 580]
    assert column(found, "status") == [Status.DONE, Status.MISSED]


def test_job_that_runs_at_begin_or_end_is_left_out():
    events = [(10, "off"), (100, "wake"), (110, "on"), (120, "off"), (200, "wake"), (210, "on")]
    found = jobs_of(events)
    assert column(found, "start_ns") == [110]
    assert found.n_cut == 1
    preempted = [*events[:4], (200, "wake"), (210, "on"), (220, "preempted")]
    assert column(jobs_of(preempted), "start_ns") == [110]
    assert jobs_of(preempted).n_cut == 1


def test_last_switch_of_a_thread_that_exits_is_no_block():
    events = [(100, "wake"), (110, "on"), (120, "off"),
              (200, "wake"), (210, "on"), (230, "exit"), (240, "off")]  # fmt: skip
    found = jobs_of(events)
    assert column(found, "start_ns") == [110]
    assert found.n_cut == 1


def test_what_a_new_thread_does_first_is_no_job():
    events = [(100, "fork"), (101, "wake"), (110, "on"), (120, "off"),
              (200, "wake"), (210, "on"), (220, "off")]  # fmt: skip
    found = jobs_of(events)
    assert column(found, "start_ns") == [210]
    assert found.n_cut == 1


def test_wake_up_that_comes_while_the_thread_goes_to_sleep_counts():
    # A waker on another CPU calls at 175; the thread, on since 130, is off at 180 and on at 181.
    events = [(100, "wake"), (130, "on"), (175, "wake"), (180, "off"), (181, "on"), (190, "off")]
    found = jobs_of(events)
    assert column(found, "release_ns") == [100, 175]


def test_thread_that_blocks_within_its_jobs_has_one_job_per_period():
    events: list[Event] = []
    for k in range(20):
        at = 1_000 + k * PERIOD
        events += [(at, "wake"), (at + 10, "on"), (at + 110, "off"),
                   (at + 5_110, "wake"), (at + 5_120, "on"), (at + 5_150, "off")]  # fmt: skip
    found = jobs_of(events, Asked(deadline_ns=5_149))
    assert found.fit.rhythm is Rhythm.PERIODIC
    assert found.fit.period_ns == pytest.approx(PERIOD)
    releases = [1_000 + k * PERIOD for k in range(20)]
    assert column(found, "release_ns") == releases
    assert column(found, "start_ns") == [at + 10 for at in releases]
    assert column(found, "finish_ns") == [at + 5_150 for at in releases]
    # 100 + 30, and one block in between.
    assert column(found, "exec_ns") == [130] * 20
    assert column(found, "blockings") == [1] * 20
    assert column(found, "status") == [Status.MISSED] * 20
    assert found.n_stretches == 40


def test_split_takes_every_wake_up_for_a_job():
    events: list[Event] = []
    for k in range(20):
        at = 1_000 + k * PERIOD
        events += [(at, "wake"), (at + 10, "on"), (at + 110, "off"),
                   (at + 5_110, "wake"), (at + 5_120, "on"), (at + 5_150, "off")]  # fmt: skip
    found = jobs_of(events, Asked(is_split=True))
    assert len(found.rows) == 40
    assert column(found, "release_ns")[:3] == [1_000, 6_110, 1_000 + PERIOD]
    assert column(found, "blockings") == [0] * 40
    assert column(found, "job") == list(range(40))
    assert found.fit.period_ns == pytest.approx(PERIOD)


def test_releases_without_a_job_leave_gaps_in_the_numbers():
    events = [one for one in periodic(30) if not 5 * PERIOD < one[0] < 7 * PERIOD]
    found = jobs_of(events)
    assert column(found, "job") == [k for k in range(30) if k not in {5, 6}]
    assert found.n_without_job == 2


def test_starts_alone_give_releases_as_early_as_the_starts():
    found = jobs_of(periodic(30, wake_ups=False), Asked(deadline_ns=150), wake_ups=False)
    assert found.fit.rhythm is Rhythm.PERIODIC
    # The first stretch is cut off; latencies are all the same, so none is left to be seen.
    assert column(found, "release_ns") == column(found, "start_ns")
    assert column(found, "start_ns") == [1_010 + k * PERIOD for k in range(1, 30)]
    assert column(found, "status") == [Status.DONE] * 29


def test_starts_of_an_ordinary_thread_tell_of_its_period_only_on_an_idle_cpu():
    rows = trace(periodic(30, wake_ups=False))
    rows["other_tid"] = np.where(rows["kind"] == SchedKind.ON, 9, rows["other_tid"])
    coverage = Coverage(0, 10**9, {0: 0, 1: 0})
    busy = Observed(rows, coverage, has_wake_ups=False)
    assert busy.jobs_of(7, Asked()).fit.rhythm is Rhythm.TOO_FEW
    assert busy.jobs_of(7, Asked(), is_real_time=True).fit.rhythm is Rhythm.PERIODIC


def test_job_over_a_gap_of_the_trace_is_left_out_and_counted():
    events = periodic(30)
    # Event 3 k + 2 is the block of job k: records before it are missing, within job 10.
    found = jobs_of(events, lost_before={3 * 10 + 2: 4})
    assert column(found, "job") == [k for k in range(30) if k != 10]
    assert (found.n_lost, found.n_contradictory, found.n_without_job) == (1, 0, 1)


def test_gap_between_two_jobs_may_hide_one():
    # Event 3 k is the wake-up of job k: the gap lies between the block of job 9 and it.
    found = jobs_of(periodic(30), lost_before={3 * 10: 4})
    assert len(found.rows) == 30
    assert (found.n_lost, found.n_contradictory) == (1, 0)


def test_job_with_two_ons_in_a_row_is_left_out():
    events = [(100, "wake"), (110, "on"), (120, "off"), (200, "wake"), (210, "on"), (215, "on"),
              (220, "off"), (300, "wake"), (310, "on"), (320, "off")]  # fmt: skip
    found = jobs_of(events)
    assert column(found, "start_ns") == [110, 310]
    assert (found.n_lost, found.n_contradictory) == (0, 1)


def test_thread_that_the_trace_never_met_has_no_jobs():
    found = Observed(trace([(100, "on")]), Coverage(0, 1, {}), has_wake_ups=True).jobs_of(
        4, Asked()
    )
    assert (len(found.rows), found.n_cut, found.n_lost) == (0, 0, 0)
    assert found.fit.rhythm is Rhythm.TOO_FEW


def test_children_are_those_that_descend_from_a_thread():
    rows = trace([(10, "fork"), (20, "fork"), (30, "fork")])
    rows["tid"], rows["other_tid"] = [8, 9, 11], [7, 8, 10]
    observed = Observed(rows, Coverage(0, 1, {}), has_wake_ups=True)
    assert observed.children_of({7}) == {7, 8, 9}
