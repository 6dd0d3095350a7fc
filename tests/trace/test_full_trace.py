# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Pieces of response times with wake-ups and interrupts, calculated by hand. The task: thread 7."""

from tests.trace.made_up_trace import full_trace, fully_attributed, jobs, only

from laxity.core.streams import SchedKind
from laxity.trace.attribution import Verdict

OFF, WAKEUP = SchedKind.OFF, SchedKind.WAKEUP
IRQ_IN, IRQ_OUT = SchedKind.IRQ_IN, SchedKind.IRQ_OUT
SOFTIRQ_IN, SOFTIRQ_OUT = SchedKind.SOFTIRQ_IN, SchedKind.SOFTIRQ_OUT
NONE = 0
TIMER, MESSAGE, RCU = -236, -253, 9
SLEEPS, READY = 1, 0
# Off from 100 on; released at 1000, woken at 1012 by the timer on idle CPU 0, on at 1030.
ASLEEP = (100, 0, OFF, 7, 0, SLEEPS)
WOKEN = (1012, 0, WAKEUP, 7, 0, 0)
ON = (1030, 0, OFF, 0, 7, READY)


def test_release_latency_is_timer_latency_and_scheduling_latency():
    # Woken 12 after the release, started 38 after that; of the 38, 18 were off its CPU.
    found = only(fully_attributed(jobs((1000, 1050, 1450, 400)), full_trace(ASLEEP, WOKEN, ON)))
    assert found["verdict"] == Verdict.KNOWN
    assert (found["timer_latency_ns"], found["scheduling_latency_ns"]) == (12, 38)
    assert (found["waited_ns"], found["entered_ns"]) == (30, 20)
    assert (found["execution_ns"], found["interrupted_ns"], found["unexplained_ns"]) == (400, 0, 0)


def test_thread_that_was_woken_before_its_release_has_no_timer_latency():
    # Woken at 990, ten before the release, and kept from its CPU until 1030.
    trace = full_trace(ASLEEP, (990, 0, WAKEUP, 7, 0, 0), ON)
    found = only(fully_attributed(jobs((1000, 1050, 1450, 400)), trace))
    assert (found["timer_latency_ns"], found["scheduling_latency_ns"]) == (0, 50)


def test_job_released_while_the_one_before_runs_has_no_timer_latency():
    # Queue: job 1 is released at 1200 and starts at 1455; its thread slept last until 1012.
    rows = jobs((1000, 1050, 1450, 400), (1200, 1455, 1800, 345))
    pieces = fully_attributed(rows, full_trace(ASLEEP, WOKEN, ON)).pieces
    assert pieces.timer_latency_ns is not None
    assert pieces.timer_latency_ns.tolist() == [12, 0]


def test_interrupt_within_a_job_is_named_and_taken_off_its_execution():
    # 1100 to 1140: the timer, 40. The kernel charges it to the job, whose 400 are then 360 of its
    # own.
    trace = full_trace(
        ASLEEP, WOKEN, ON, (1100, 0, IRQ_IN, 7, NONE, TIMER), (1140, 0, IRQ_OUT, 7, NONE, TIMER)
    )
    result = fully_attributed(jobs((1000, 1050, 1450, 400)), trace)
    found = only(result)
    assert (found["execution_ns"], found["interrupted_ns"], found["unexplained_ns"]) == (360, 40, 0)
    assert result.has_interrupts_in_exec is True
    assert result.interrupters is not None
    (one,) = result.interrupters
    assert (one.name, one.is_soft, one.n, one.n_jobs) == ("local_timer", False, 1, 1)
    assert (one.total_ns, one.median_ns, one.max_ns) == (40, 40, 40)


def test_kernel_that_does_not_charge_interrupts_to_threads_is_recognised():
    # The same, but of 400 between start and finish the kernel says 360: nothing is taken off.
    trace = full_trace(
        ASLEEP, WOKEN, ON, (1100, 0, IRQ_IN, 7, NONE, TIMER), (1140, 0, IRQ_OUT, 7, NONE, TIMER)
    )
    result = fully_attributed(jobs((1000, 1050, 1450, 360)), trace)
    found = only(result)
    assert (found["execution_ns"], found["interrupted_ns"], found["unexplained_ns"]) == (360, 40, 0)
    assert result.has_interrupts_in_exec is False


def test_nested_interrupts_do_not_count_twice():
    # A softirq from 1100 to 1160, interrupted by the timer from 1120 to 1130: 50 and 10.
    trace = full_trace(
        ASLEEP, WOKEN, ON,
        (1100, 0, SOFTIRQ_IN, 7, NONE, RCU), (1120, 0, IRQ_IN, 7, NONE, TIMER),
        (1130, 0, IRQ_OUT, 7, NONE, TIMER), (1160, 0, SOFTIRQ_OUT, 7, NONE, RCU),
    )  # fmt: skip
    result = fully_attributed(jobs((1000, 1050, 1450, 400)), trace)
    assert only(result)["interrupted_ns"] == 60
    assert result.interrupters is not None
    assert [(one.name, one.is_soft, one.n, one.total_ns) for one in result.interrupters] == [
        ("rcu", True, 1, 50), ("local_timer", False, 1, 10),
    ]  # fmt: skip


def test_interrupt_of_another_thread_or_outside_the_job_is_not_the_jobs():
    # One before the start, one behind the finish, one of thread 8 on the other CPU.
    trace = full_trace(
        ASLEEP, WOKEN, ON,
        (1035, 0, IRQ_IN, 7, NONE, TIMER), (1045, 0, IRQ_OUT, 7, NONE, TIMER),
        (1100, 1, IRQ_IN, 8, NONE, TIMER), (1140, 1, IRQ_OUT, 8, NONE, TIMER),
        (1460, 0, IRQ_IN, 7, NONE, TIMER), (1470, 0, IRQ_OUT, 7, NONE, TIMER),
    )  # fmt: skip
    result = fully_attributed(jobs((1000, 1050, 1450, 400)), trace)
    assert only(result)["interrupted_ns"] == 0
    assert result.interrupters == ()


def test_end_of_an_interrupt_without_its_begin_is_passed_over():
    trace = full_trace(ASLEEP, WOKEN, ON, (1140, 0, IRQ_OUT, 7, NONE, TIMER))
    assert only(fully_attributed(jobs((1000, 1050, 1450, 400)), trace))["interrupted_ns"] == 0


# The timer comes in at 1100, wakes thread 8 at 1103, goes out at 1110; the switch is at 1112. 8
# sleeps at 1300. From the wake-up on the kernel charges 8, not the task: 1050 to 1103 and 1300 to
# 1450 are 203.
PREEMPTED = (
    ASLEEP, WOKEN, ON,
    (1100, 0, IRQ_IN, 7, NONE, TIMER), (1103, 0, WAKEUP, 8, 7, 0),
    (1110, 0, IRQ_OUT, 7, NONE, TIMER), (1112, 0, OFF, 7, 8, READY), (1300, 0, OFF, 8, 7, SLEEPS),
)  # fmt: skip


def test_way_to_a_switch_is_a_piece_of_its_own_and_not_the_jobs_execution():
    # Interrupted 10, of which 3 were charged to it: 203 - 3 = 200 of execution. Switching: 1110 to
    # 1112. Preempted: 1112 to 1300.
    result = fully_attributed(jobs((1000, 1050, 1450, 203)), full_trace(*PREEMPTED))
    found = only(result)
    assert (found["execution_ns"], found["interrupted_ns"], found["switching_ns"]) == (200, 10, 2)
    assert (found["preempted_ns"], found["n_preemptions"], found["unexplained_ns"]) == (188, 1, 0)
    (one,) = result.preemptions
    assert (one.comm, one.from_ns, one.duration_ns) == ("eight", 1112, 188)


def test_wake_up_with_an_interrupt_begun_after_it_did_not_lead_to_the_switch():
    # 8 was woken at 1103 and did not preempt; a later tick gave it the CPU at 1112. That tick, 1104
    # to 1110, is charged to the job: 1050 to 1112 and 1300 to 1450 are 212.
    trace = full_trace(
        ASLEEP, WOKEN, ON, (1103, 0, WAKEUP, 8, 7, 0),
        (1104, 0, IRQ_IN, 7, NONE, TIMER), (1110, 0, IRQ_OUT, 7, NONE, TIMER),
        (1112, 0, OFF, 7, 8, READY), (1300, 0, OFF, 8, 7, SLEEPS),
    )  # fmt: skip
    found = only(fully_attributed(jobs((1000, 1050, 1450, 212)), trace))
    assert (found["switching_ns"], found["interrupted_ns"], found["unexplained_ns"]) == (0, 6, 0)
    assert found["execution_ns"] == 206


def test_message_of_the_cpu_that_woke_the_preemptor_is_part_of_the_way():
    # CPU 1 wakes 8 at 1103; its message is in from 1105 to 1108, the switch at 1112: 9 in all, of
    # which 3 are the interrupt's. Charged to the job: 53 + 150 = 203.
    trace = full_trace(
        ASLEEP, WOKEN, ON, (1103, 1, WAKEUP, 8, 9, 0),
        (1105, 0, IRQ_IN, 7, NONE, MESSAGE), (1108, 0, IRQ_OUT, 7, NONE, MESSAGE),
        (1112, 0, OFF, 7, 8, READY), (1300, 0, OFF, 8, 7, SLEEPS),
    )  # fmt: skip
    found = only(fully_attributed(jobs((1000, 1050, 1450, 203)), trace))
    assert (found["switching_ns"], found["interrupted_ns"], found["unexplained_ns"]) == (6, 3, 0)
    assert found["execution_ns"] == 203


def test_job_waits_until_it_is_woken_and_is_ready_from_then_on():
    # Blocked 1100 to 1200; woken while 8 has the CPU, which it gives up at 1300: ready for 100.
    trace = full_trace(
        ASLEEP, WOKEN, ON, (1100, 0, OFF, 7, 8, SLEEPS), (1200, 0, WAKEUP, 7, 8, 0),
        (1300, 0, OFF, 8, 7, SLEEPS),
    )  # fmt: skip
    result = fully_attributed(jobs((1000, 1050, 1450, 200)), trace)
    found = only(result)
    assert (found["blocked_ns"], found["preempted_ns"], found["unexplained_ns"]) == (100, 100, 0)
    # It gave its CPU up by itself: the harness counts no preemption, and neither do we.
    assert (found["n_preemptions"], found["n_migrations"]) == (0, 0)
    (one,) = result.preemptions
    assert (one.comm, one.from_ns, one.duration_ns, one.cpu) == ("eight", 1200, 100, 0)


def test_job_that_wakes_on_another_cpu_has_migrated_once():
    # Off CPU 0 at 1100, woken for CPU 1, which it gets from 9 at 1230.
    trace = full_trace(
        ASLEEP, WOKEN, ON, (1100, 0, OFF, 7, 0, SLEEPS), (1200, 0, WAKEUP, 7, 8, 1),
        (1230, 1, OFF, 9, 7, READY),
    )  # fmt: skip
    result = fully_attributed(jobs((1000, 1050, 1450, 270)), trace)
    found = only(result)
    assert (found["blocked_ns"], found["preempted_ns"], found["n_migrations"]) == (100, 30, 1)


def test_job_whose_cpu_stands_idle_until_it_comes_back_was_throttled():
    # Pushed off at 1100 for nobody, back on the same CPU at 1300.
    trace = full_trace(
        ASLEEP, WOKEN, ON, (1100, 0, OFF, 7, 0, READY), (1300, 0, OFF, 0, 7, READY)
    )  # fmt: skip
    result = fully_attributed(jobs((1000, 1050, 1450, 200)), trace)
    found = only(result)
    assert (found["throttled_ns"], found["preempted_ns"], found["n_preemptions"]) == (200, 0, 1)
    assert result.culprits == ()
    # Back on another CPU, it was on its way.
    moved = full_trace(
        ASLEEP, WOKEN, ON, (1100, 0, OFF, 7, 0, READY), (1300, 1, OFF, 9, 7, READY)
    )  # fmt: skip
    found = only(fully_attributed(jobs((1000, 1050, 1450, 200)), moved))
    assert (found["throttled_ns"], found["preempted_ns"]) == (0, 200)


def test_interrupts_of_several_jobs_are_summed_up_by_name():
    # Jobs of 100 with timers of 10 and 20 in the first and 30 in the second, all charged.
    pairs = ((1060, 1070), (1080, 1100), (2060, 2090))
    rows = [
        row
        for begin, end in pairs
        for row in ((begin, 0, IRQ_IN, 7, NONE, TIMER), (end, 0, IRQ_OUT, 7, NONE, TIMER))
    ]
    result = fully_attributed(
        jobs((1000, 1050, 1150, 100), (2000, 2050, 2150, 100)), full_trace(ASLEEP, WOKEN, ON, *rows)
    )
    assert result.interrupters is not None
    (one,) = result.interrupters
    assert (one.n, one.n_jobs, one.total_ns, one.median_ns, one.max_ns) == (3, 2, 60, 20, 30)
    assert result.pieces.execution_ns.tolist() == [70, 70]


def test_job_whose_thread_came_back_without_a_wake_up_has_no_verdict():
    # It waits from 1100 to 1200, and nobody tells who woke it; the job before was woken at 1012.
    trace = full_trace(ASLEEP, WOKEN, ON, (1100, 0, OFF, 7, 0, SLEEPS), (1200, 0, OFF, 0, 7, READY))
    pieces = fully_attributed(jobs((1000, 1050, 1080, 30), (1150, 1250, 1300, 50)), trace).pieces
    assert pieces.verdict.tolist() == [Verdict.KNOWN, Verdict.HIDDEN]


def test_wait_of_which_the_trace_does_not_say_that_it_was_one_needs_no_wake_up():
    # An older kernel tells no state: 7 may as well have been pushed off.
    trace = full_trace(ASLEEP, WOKEN, ON, (1100, 0, OFF, 7, 0, SLEEPS), (1200, 0, OFF, 0, 7, READY))
    trace["preempted"] = 255
    pieces = fully_attributed(jobs((1150, 1250, 1300, 50)), trace).pieces
    assert pieces.verdict.tolist() == [Verdict.KNOWN]
