# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Pieces of response times, calculated by hand. Thread 7 is the task; 8 and 9 are others."""

import numpy as np
from tests.trace.made_up_trace import ABSENT_TID, NAMES, attributed, jobs, only, sched, threads

from laxity.trace.attribution import Verdict, attribute
from laxity.trace.gaps import Coverage
from laxity.trace.sched_trace import read_trace

# The task is off from 100 on; its release is at 1000. CPU 0 is idle (thread 0) meanwhile.
ASLEEP = (100, 0, 7, 0, False)
WOKEN = (1029, 0, 0, 7, False)  # on at 1030


def test_job_that_nobody_disturbs_is_latency_and_execution():
    # On at 1030, started at 1050, finished at 1450: waited 30, entered 20, 400 on its CPU, of which
    # 390 were its own processor time.
    found = only(attributed(jobs((1000, 1050, 1450, 390)), sched([ASLEEP, WOKEN])))
    assert found["verdict"] == Verdict.KNOWN
    assert (found["waited_ns"], found["entered_ns"]) == (30, 20)
    assert (found["execution_ns"], found["preempted_ns"], found["blocked_ns"]) == (390, 0, 0)
    assert found["unexplained_ns"] == 10


def test_preemption_is_named_with_its_cpu_and_its_length():
    # Off at 1100, back at 1301: 201 ns, all of them 8's, both switches included.
    trace = sched([ASLEEP, WOKEN, (1100, 0, 7, 8, True), (1300, 0, 8, 7, False)])
    result = attributed(jobs((1000, 1050, 1450, 199)), trace)
    found = only(result)
    assert (found["preempted_ns"], found["n_preemptions"], found["n_migrations"]) == (201, 1, 0)
    assert found["unexplained_ns"] == 450 - 50 - 199 - 201
    (one,) = result.preemptions
    assert (one.job, one.cpu, one.tid, one.comm) == (0, 0, 8, "eight")
    assert (one.from_ns, one.duration_ns) == (1100, 201)


def test_two_that_follow_each_other_share_one_preemption():
    # 8 from 1100 to 1200, 9 from there until the job is back at 1301.
    trace = sched([
        ASLEEP, WOKEN, (1100, 0, 7, 8, True), (1200, 0, 8, 9, False), (1300, 0, 9, 7, False),
    ])  # fmt: skip
    result = attributed(jobs((1000, 1050, 1450, 199)), trace)
    assert [(one.tid, one.duration_ns) for one in result.preemptions] == [(8, 100), (9, 101)]
    assert only(result)["n_preemptions"] == 1


def test_thread_that_the_kernel_hides_is_named_by_its_neighbours():
    # No record of 8 itself: it is only what 7 was left for.
    trace = sched([ASLEEP, WOKEN, (1100, 0, 7, 8, True), (1300, 0, 8, 7, False)])
    hidden = trace[np.ma.getdata(trace["tid"]) != 8]
    result = attributed(jobs((1000, 1050, 1450, 199)), hidden)
    (one,) = result.preemptions
    assert (one.tid, one.duration_ns) == (8, 201)


def test_waiting_for_something_is_blocked_whoever_runs_meanwhile():
    trace = sched([ASLEEP, WOKEN, (1100, 0, 7, 8, False), (1300, 0, 8, 7, True)])
    result = attributed(jobs((1000, 1050, 1450, 199)), trace)
    found = only(result)
    assert (found["blocked_ns"], found["preempted_ns"], found["n_preemptions"]) == (201, 0, 0)
    assert result.preemptions == ()


def test_migration_within_a_job_is_counted_and_charged_to_the_cpu_it_left():
    # Off CPU 0 at 1100, on CPU 1 at 1151: 8 took CPU 0 for 51 ns as far as the job is concerned.
    trace = sched([ASLEEP, WOKEN, (1100, 0, 7, 8, True), (1150, 1, 9, 7, False)])
    result = attributed(jobs((1000, 1050, 1450, 349)), trace)
    found = only(result)
    assert (found["preempted_ns"], found["n_migrations"], found["n_preemptions"]) == (51, 1, 1)
    (one,) = result.preemptions
    assert (one.cpu, one.tid, one.duration_ns) == (0, 8, 51)


def test_cpu_that_stood_idle_while_the_job_moved_is_named_so():
    trace = sched([
        ASLEEP, WOKEN, (1100, 0, 7, 8, True), (1120, 0, 8, 0, False), (1150, 1, 9, 7, False),
    ])  # fmt: skip
    result = attributed(jobs((1000, 1050, 1450, 349)), trace)
    named = [(one.comm, one.duration_ns) for one in result.preemptions]
    assert named == [("eight", 20), ("idle", 31)]


def test_switch_at_the_instant_of_start_or_finish_is_outside_the_job():
    # On exactly at the start (1030), off exactly at the finish (1450).
    trace = sched([ASLEEP, WOKEN, (1450, 0, 7, 8, True)])
    found = only(attributed(jobs((1000, 1030, 1450, 420)), trace))
    assert found["verdict"] == Verdict.KNOWN
    assert (found["waited_ns"], found["entered_ns"]) == (30, 0)
    assert (found["preempted_ns"], found["n_preemptions"]) == (0, 0)


def test_switch_one_nanosecond_within_the_job_counts():
    # Off at 1448, back at 1449, one before the finish.
    trace = sched([ASLEEP, WOKEN, (1447, 0, 7, 8, True), (1448, 0, 8, 7, True)])
    found = only(attributed(jobs((1000, 1030, 1450, 418)), trace))
    assert (found["preempted_ns"], found["n_preemptions"], found["verdict"]) == (2, 1, 0)


def test_equal_times_are_ordered_by_the_number_of_the_record():
    # Off and on again within one nanosecond, and given in the wrong order: as one off, 0 ns long.
    trace = sched([ASLEEP, WOKEN, (1100, 0, 7, 8, True), (1100, 0, 8, 7, True)])
    trace["time_ns"][4:] = 1100
    found = only(attributed(jobs((1000, 1050, 1450, 400)), trace[::-1]))
    assert found["verdict"] == Verdict.KNOWN
    assert (found["preempted_ns"], found["n_preemptions"]) == (0, 1)


def test_job_released_while_the_one_before_runs_has_not_waited_off_its_cpu():
    # Queue: job 1 is released at 1200 and starts at 1455, when job 0 is done; nothing was off.
    result = attributed(jobs((1000, 1050, 1450, 400), (1200, 1455, 1800, 345)),
                        sched([ASLEEP, WOKEN]))  # fmt: skip
    pieces = result.pieces
    assert pieces.waited_ns.tolist() == [30, 0]
    assert pieces.entered_ns.tolist() == [20, 255]
    assert pieces.verdict.tolist() == [Verdict.KNOWN, Verdict.KNOWN]


def test_thread_that_runs_when_the_trace_begins_was_on_its_cpu():
    # The first record of 7 is an off: before it was on, also at its release.
    found = only(attributed(jobs((10, 20, 90, 70)), sched([ASLEEP])))
    assert (found["waited_ns"], found["entered_ns"], found["verdict"]) == (0, 10, Verdict.KNOWN)


def test_thread_whose_first_record_is_an_on_was_off_before():
    found = only(attributed(jobs((1000, 1050, 1450, 400)), sched([WOKEN])))
    assert (found["waited_ns"], found["entered_ns"], found["verdict"]) == (30, 20, Verdict.KNOWN)


def test_job_outside_what_was_recorded_has_no_verdict():
    rows = jobs((1000, 1050, 1450, 400))
    trace = sched([ASLEEP, WOKEN])
    for started_ns, stopped_ns, verdict in (
        (1000, 1450, Verdict.KNOWN),
        (1001, 1450, Verdict.NOT_COVERED),
        (1000, 1449, Verdict.NOT_COVERED),
    ):
        coverage = Coverage(started_ns, stopped_ns, {})
        found = attribute(rows, read_trace(trace, NAMES, coverage))
        assert found.pieces.verdict.tolist() == [verdict]


def test_thread_that_the_trace_never_met_has_no_verdict():
    found = attributed(jobs((1000, 1050, 1450, 400)), sched([(1100, 0, 8, 9, True)]))
    assert found.pieces.verdict.tolist() == [Verdict.NO_THREAD]
    assert found.preemptions == ()


def test_job_over_a_loss_has_no_verdict_and_its_neighbours_have():
    # Three records are missing between 1031 (the on at 1030) and the switch at 1500, on CPU 0.
    rows = jobs((500, 1040, 1050, 10), (1000, 1460, 1470, 10), (1600, 1610, 1620, 10))
    trace = sched([(100, 0, 8, 9, False), (1029, 0, 9, 7, False), (1500, 0, 7, 8, True),
                   (1550, 0, 8, 7, True)], {2: 3})  # fmt: skip
    found = attributed(rows, trace, {0: 3})
    assert found.pieces.verdict.tolist() == [Verdict.LOST, Verdict.LOST, Verdict.KNOWN]


def test_loss_after_the_last_record_is_a_loss_until_the_end():
    # The CPU's last row is the on at 1030; two were lost after it and no row shows a gap.
    rows = jobs((1000, 1050, 1450, 400))
    trace = sched([ASLEEP, WOKEN])
    assert attributed(rows, trace, {0: 2}).pieces.verdict.tolist() == [Verdict.LOST]
    assert attributed(rows, trace, {0: 0}).pieces.verdict.tolist() == [Verdict.KNOWN]
    # All that was lost on another CPU, which has no row at all.
    assert attributed(rows, trace, {1: 2}).pieces.verdict.tolist() == [Verdict.LOST]


def test_trace_that_says_off_while_the_job_starts_or_finishes_is_contradictory():
    for rows in (jobs((1000, 1020, 1450, 400)), jobs((1000, 1050, 1650, 400))):
        trace = sched([ASLEEP, WOKEN, (1600, 0, 7, 8, True), (1700, 0, 8, 7, True)])
        assert attributed(rows, trace).pieces.verdict.tolist() == [Verdict.CONTRADICTORY]


def test_two_ons_in_a_row_are_contradictory():
    trace = sched([ASLEEP, WOKEN, (1100, 0, 8, 7, True)])
    found = attributed(jobs((1000, 1050, 1450, 400), (2000, 2050, 2450, 400)), trace)
    assert found.pieces.verdict.tolist() == [Verdict.CONTRADICTORY, Verdict.KNOWN]


def test_without_processor_times_execution_is_what_the_trace_saw():
    rows = jobs((1000, 1050, 1450, 0))[
        ["job", "release_ns", "start_ns", "finish_ns", "tid", "status"]
    ]
    trace = sched([ASLEEP, WOKEN, (1100, 0, 7, 8, True), (1300, 0, 8, 7, False)])
    found = only(attributed(np.ma.array(rows), trace))
    assert (found["execution_ns"], found["unexplained_ns"]) == (199, 0)


def test_processor_time_of_several_threads_is_no_execution_of_one():
    # 2000 ns of processor time in a job of 400 ns: other threads of the task helped.
    trace = sched([ASLEEP, WOKEN, (1100, 0, 7, 8, True), (1300, 0, 8, 7, False)])
    rows = jobs((1000, 1050, 1450, 2000))
    found = only(attribute(rows, read_trace(trace, NAMES, Coverage(0, 10_000, {})), None))
    assert (found["execution_ns"], found["unexplained_ns"]) == (199, 0)


def test_culprits_are_summed_by_name_largest_first():
    # 8 takes 101 and 51, 9 takes 201 in one; the median of two is the smaller (nearest rank).
    trace = sched([
        ASLEEP, WOKEN,
        (1100, 0, 7, 8, True), (1200, 0, 8, 7, True),
        (1300, 0, 7, 9, True), (1500, 0, 9, 7, True),
        (1600, 0, 7, 8, True), (1650, 0, 8, 7, True),
    ])  # fmt: skip
    result = attributed(jobs((1000, 1050, 1950, 500)), trace)
    nine, eight = result.culprits
    assert (nine.comm, nine.n, nine.total_ns) == ("nine", 1, 201)
    assert (eight.comm, eight.n, eight.total_ns, eight.median_ns, eight.max_ns) == (
        "eight", 2, 152, 51, 101,
    )  # fmt: skip
    assert only(result)["preempted_ns"] == 353


def test_culprit_is_called_as_it_was_called_then():
    names = threads((8, "before", 0), (8, "after", 1250))
    trace = sched([
        ASLEEP, WOKEN,
        (1100, 0, 7, 8, True), (1200, 0, 8, 7, True),
        (1300, 0, 7, 8, True), (1400, 0, 8, 7, True),
    ])  # fmt: skip
    found = attribute(
        jobs((1000, 1050, 1450, 200)), read_trace(trace, names, Coverage(0, 10_000, {}))
    )
    assert [one.comm for one in found.preemptions] == ["before", "after"]
    unknown = attribute(
        jobs((1000, 1050, 1450, 200)), read_trace(trace, names[:0], Coverage(0, 10_000, {}))
    )
    assert [one.comm for one in unknown.preemptions] == [None, None]


def test_task_without_a_finished_job_has_no_pieces():
    found = attributed(jobs()[:0], sched([ASLEEP]))
    assert len(found.pieces.job) == 0
    assert found.culprits == ()


def test_preempted_job_has_no_verdict_where_a_thread_left_that_nobody_saw_come():
    # 8 came at 1100 and 9 left at 1300: how 9 got the CPU no row tells. The second job's thread
    # waits for nothing meanwhile, but for its release.
    trace = sched([
        ASLEEP, WOKEN, (1100, 0, 7, 8, True), (1300, 0, 9, 7, True), (1460, 0, 7, 0, False),
        (2029, 0, 0, 7, False),
    ])  # fmt: skip
    found = attributed(jobs((1000, 1050, 1450, 199), (2000, 2050, 2450, 390)), trace)
    assert found.pieces.verdict.tolist() == [Verdict.HIDDEN, Verdict.KNOWN]
    assert found.n_untold == 1


def test_job_has_a_verdict_where_nobody_saw_who_had_another_cpu():
    trace = sched([
        ASLEEP, WOKEN, (1060, 1, 0, 8, False), (1100, 0, 7, 8, True), (1300, 0, 8, 7, True),
        (1400, 1, 9, 0, False),
    ])  # fmt: skip
    found = attributed(jobs((1000, 1050, 1450, 199)), trace)
    assert (only(found)["verdict"], found.n_untold) == (Verdict.KNOWN, 1)


def test_job_whose_thread_nobody_saw_come_has_no_verdict():
    # 7 leaves CPU 0 at 1500; that it had come after 8, which had come at 1029, no row tells.
    trace = sched([(1028, 0, 0, 8, False), (1500, 0, 7, 0, False)])
    found = attributed(jobs((1000, 1050, 1450, 390)), trace)
    assert found.pieces.verdict.tolist() == [Verdict.HIDDEN]


def test_thread_that_comes_behind_a_hidden_one_contradicts_nothing():
    # The on at 1301 does not say who went before; the off at 1100 said that 8 would come.
    trace = sched([ASLEEP, WOKEN, (1100, 0, 7, 8, True), (1300, 0, 8, 7, False)])
    trace = trace[np.ma.getdata(trace["tid"]) != 8]
    trace["other_tid"][np.ma.getdata(trace["time_ns"]) == 1301] = ABSENT_TID
    found = attributed(jobs((1000, 1050, 1450, 199)), trace)
    assert (only(found)["preempted_ns"], found.n_untold) == (201, 0)
    assert [(one.tid, one.duration_ns) for one in found.preemptions] == [(8, 201)]


def test_switch_behind_lost_records_is_counted_as_those_alone():
    trace = sched([ASLEEP, WOKEN, (1100, 0, 7, 8, True), (1300, 0, 9, 7, True)], {3: 2})
    found = attributed(jobs((1000, 1050, 1450, 199)), trace, {0: 2})
    assert (found.pieces.verdict.tolist(), found.n_untold) == ([Verdict.LOST], 0)
