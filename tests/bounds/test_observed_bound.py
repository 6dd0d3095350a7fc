# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Bounds beside the jobs of a run, by hand. Thread 7 is the task."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from tests.bounds.test_bound import judge, task
from tests.trace.made_up_trace import NAMES, full_trace, jobs
from tests.trace.test_window_parts import ASLEEP, ON, SLEEPS, WOKEN

from laxity.bounds.observed_bound import Observed, TracedTask, counted, observe_task
from laxity.bounds.overheads import PlatformCosts, Tick
from laxity.bounds.verdicts import TaskBound
from laxity.core.streams import SchedKind, Status
from laxity.trace.attribution import attribute
from laxity.trace.gaps import Coverage
from laxity.trace.sched_trace import read_trace
from laxity.trace.window_parts import Member, Timeline


def bound_of(wcet: int, costs: PlatformCosts | None = None) -> TaskBound:
    return judge(task("mine", wcet, 10_000, 9), costs=costs or PlatformCosts()).tasks[0]


EVERYTHING = frozenset(SchedKind)
SWITCHES_ALONE = frozenset({SchedKind.OFF, SchedKind.ON})


def observed(
    bound: TaskBound,
    *rows: tuple[int, int, int, int],
    status: int = 0,
    supplies: frozenset[SchedKind] = frozenset(),
    unknown: Sequence[int] = (),
    end_ns: int | None = None,
) -> Observed:
    made = jobs(*rows)
    made["release_ns"][[*unknown]] = np.ma.masked
    made["status"] = status
    member, cut = None, None
    if supplies:
        trace = read_trace(
            full_trace(ASLEEP, WOKEN, ON, (1600, 0, SchedKind.OFF, 7, 0, SLEEPS)),
            NAMES, Coverage(0, 10_000, {}, supplies),
        )  # fmt: skip
        pieces = attribute(made, trace).pieces
        member = Member("mine", 9, frozenset({7}), pieces, np.array([row[1] for row in rows]))
        cut = Timeline(trace, [member]).parts_of
    one = TracedTask(bound, 400, made, end_ns, member, 0)
    return observe_task(one, [one], cut)


def test_what_a_bound_counts_with_sums_up_to_it():
    # C' = 400 + 4, jitter 6, ticks of 2 each 100: ceil((w + 2) / 100) 2: 404 -> 414, again 414.
    costs = PlatformCosts(switch_ns=4, timer_latency_ns=6, tick=Tick(2, 100))
    bound = bound_of(400, costs)
    parts = counted(bound)
    assert bound.response_time_ns == 420
    assert sum(parts.values()) == 420
    assert (parts["release"], parts["tasks"], parts["interrupts"]) == (6, 404, 10)


def test_of_a_later_job_of_the_window_the_periods_before_come_off():
    # Lehoczky 1990: the second task responds last in its fifth job: 518 - 4 * 100.
    bound = judge(task("1", 26, 70, 9), task("2", 62, 100, 8), costs=PlatformCosts()).tasks[1]
    assert bound.jobs == 5
    assert counted(bound)["tasks"] == 118


@pytest.mark.parametrize(("finish", "above"), [(1400, 0), (1401, 1)])
def test_response_at_the_bound_is_within_it_and_one_more_is_above(finish: int, above: int):
    found = observed(bound_of(400), (1000, 1050, finish, 300))
    assert (found.jobs, found.largest_ns, found.bound_ns) == (1, finish - 1000, 400)
    assert (found.above, len(found.excesses)) == (above, above)


def test_excess_without_a_trace_is_not_attributed():
    (one,) = observed(bound_of(400), (1000, 1050, 1500, 440)).excesses
    assert (one.job, one.response_ns, one.bound_ns) == (0, 500, 400)
    assert (one.parts, one.reason) == ((), "not attributable: no trace")
    # Its processor time stands in its row all the same.
    assert [(job.job, job.execution_ns) for job in one.long_jobs] == [(0, 440)]


def test_excess_is_the_sum_over_its_parts_of_seen_less_counted():
    # Released 1000, on at 1030, started 1050, finished 1550 with 500 of processor time: release 30
    # and tasks 520 against 0 and 400.
    (one,) = observed(bound_of(400), (1000, 1050, 1550, 500), supplies=EVERYTHING).excesses
    assert one.reason is None
    assert [(part.name, part.beyond_ns) for part in one.causes] == [("tasks", 120), ("release", 30)]
    assert sum(part.beyond_ns for part in one.parts) == one.response_ns - one.bound_ns == 150
    assert [(job.task, job.execution_ns, job.wcet_ns) for job in one.long_jobs] == [
        ("mine", 500, 400)
    ]


def test_interrupts_that_the_trace_lacks_are_part_of_the_tasks_and_never_zero():
    # C' = 400, ticks of 2 each 100: ceil((w + 2) / 100) 2: 400 -> 410, again 410.
    bound = bound_of(400, PlatformCosts(tick=Tick(2, 100)))
    row = (1000, 1050, 1550, 500)
    (one,) = observed(bound, row, supplies=SWITCHES_ALONE).excesses
    assert "interrupts" not in [part.name for part in one.parts]
    assert [(part.name, part.counted_ns) for part in one.causes] == [("tasks", 410), ("release", 0)]
    assert sum(part.beyond_ns for part in one.parts) == one.response_ns - one.bound_ns == 140
    (one,) = observed(bound, row, supplies=EVERYTHING).excesses
    assert [part.counted_ns for part in one.parts if part.name == "interrupts"] == [10]


def test_excess_over_a_bound_without_parts_is_not_held_against_parts_of_0():
    one = replace(bound_of(400), breakdown=None)
    (excess,) = observed(one, (1000, 1100, 1600, 420), supplies=EVERYTHING).excesses
    assert excess.parts == ()
    assert excess.reason == "not attributable: a bound by this test has no parts"


@pytest.mark.parametrize(("finish", "above"), [(11_000, 0), (11_001, 1)])
def test_job_after_its_deadline_is_above_a_verdict_without_a_response_time(finish: int, above: int):
    # Released at 1000, proven to finish within 10,000.
    one = replace(bound_of(400), response_time_ns=None)
    found = observed(one, (1000, 1100, finish, 300))
    assert (found.bound_ns, found.above) == (10_000, above)


def test_job_that_the_trace_does_not_cover_is_not_attributed():
    # It finishes when the trace has stopped.
    (one,) = observed(bound_of(400), (1000, 1050, 10_001, 500), supplies=EVERYTHING).excesses
    assert one.reason == "not attributable: the trace does not tell of this job"


def test_what_a_bound_assumes_stands_beside_what_was_seen():
    execution, latency = observed(
        bound_of(400, PlatformCosts(timer_latency_ns=11)),
        (1000, 1050, 1550, 500),
        supplies=EVERYTHING,
    ).assumptions
    assert (execution.counted_ns, execution.seen_ns, execution.n_beyond) == (400, 500, 1)
    # Woken 12 after its release.
    assert (latency.counted_ns, latency.seen_ns, latency.n_beyond) == (11, 12, 1)
    assert observed(bound_of(400), (1000, 1050, 1100, 5)).assumptions[1].seen_ns is None


def test_jobs_of_which_the_trace_tells_nothing_are_not_said_to_take_no_time():
    # Jobs that are processes of their own, for example: their threads are not the task's. What
    # was read around the job counts then, 500, and was shown as 0 of 400 counted.
    unknown = (1000, 1050, 10_001, 500)
    execution, _ = observed(bound_of(400), unknown, supplies=EVERYTHING).assumptions
    assert (execution.seen_ns, execution.n, execution.n_beyond) == (500, 1, 1)
    # Of two, one of which the trace tells, both count.
    known = (1000, 1050, 1550, 500)
    longer = (1000, 1050, 10_001, 700)
    execution, _ = observed(bound_of(400), known, longer, supplies=EVERYTHING).assumptions
    assert (execution.seen_ns, execution.n, execution.n_beyond) == (700, 2, 2)


def test_job_of_unknown_release_that_takes_longer_than_the_bound_from_its_start_is_above_it():
    # The bound is 400. From start to finish 450: above it, whenever it was released. 300: nobody
    # tells. Both executed, one of them longer than its wcet.
    rows = (1000, 1050, 1500, 440), (2000, 2050, 2350, 300), (3000, 3000, 3100, 100)
    found = observed(bound_of(400), *rows, unknown=[0, 1])
    assert (found.jobs, found.unjudged, found.unfinished) == (2, 1, 0)
    assert (found.above, found.largest_ns) == (1, 450)
    (excess,) = found.excesses
    assert (excess.response_ns, excess.reason) == (450, "at least: its release is not known")
    assert (found.assumptions[0].seen_ns, found.assumptions[0].n) == (440, 3)
    assert found.assumptions[0].n_beyond == 1


@pytest.mark.parametrize(
    ("status", "end_ns", "unjudged"),
    [
        (Status.ABORTED, None, 1),
        (Status.SKIPPED, None, 0),
        # Released at 1000, the bound is 400.
        (Status.PENDING, 1400, 0),
        (Status.PENDING, 1401, 1),
    ],
)
def test_job_that_was_cut_off_after_more_than_the_bound_is_not_judged(
    status: Status, end_ns: int | None, unjudged: int
):
    found = observed(bound_of(400), (1000, 1050, 1100, 5), status=status, end_ns=end_ns)
    assert (found.unjudged, found.unfinished, found.above) == (unjudged, 1, 0)


def test_jobs_without_a_response_are_counted_apart():
    found = observed(bound_of(400), (1000, 1050, 1100, 5), status=Status.SKIPPED)
    assert (found.jobs, found.unfinished, found.largest_ns, found.above) == (0, 1, None, 0)


def test_task_without_a_bound_has_nothing_above_it():
    # Two of 6/10 at one priority level each: the second one has no bound.
    full = judge(task("1", 6, 10, 9), task("mine", 6, 10, 8), costs=PlatformCosts()).tasks[1]
    found = observed(full, (1000, 1050, 1100, 5))
    assert (found.bound_ns, found.above) == (None, 0)
