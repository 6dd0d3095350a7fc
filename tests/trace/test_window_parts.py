# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Windows of jobs cut into parts, by hand. Thread 7 is the job, 8 and 9 are others."""

import numpy as np
from tests.trace.made_up_trace import NAMES, full_trace, jobs

from laxity.core.streams import SchedKind
from laxity.trace.attribution import attribute
from laxity.trace.gaps import Coverage
from laxity.trace.sched_trace import read_trace
from laxity.trace.window_parts import Member, Parts, Timeline, Window

OFF, WAKEUP = SchedKind.OFF, SchedKind.WAKEUP
IRQ_IN, IRQ_OUT = SchedKind.IRQ_IN, SchedKind.IRQ_OUT
TIMER = -236
SLEEPS, READY = 1, 0
# Asleep from 100 on; released at 1000, woken at 1012 on idle CPU 0, on it at 1030.
ASLEEP = (100, 0, OFF, 7, 0, SLEEPS)
WOKEN = (1012, 0, WAKEUP, 7, 0, 0)
ON = (1030, 0, OFF, 0, 7, READY)
ABOVE, BELOW = 9, 1


def cut(
    job: tuple[int, int, int, int],
    rows: tuple[tuple[int, int, SchedKind, int, int, int], ...],
    others: dict[int, int],
    supplies: frozenset[SchedKind] = frozenset(SchedKind),
) -> Parts:
    """Cut one job of thread 7, priority 5; `others`: priority by thread of the other tasks."""
    coverage = Coverage(0, 10_000, {}, supplies, {TIMER: "local_timer"})
    trace = read_trace(full_trace(*rows), NAMES, coverage)
    release_ns, start_ns, finish_ns, _ = job
    mine = attribute(jobs(job), trace)
    assert mine.pieces.is_known.all()
    member = Member("mine", 5, frozenset({7}), mine.pieces, np.array([start_ns]))
    none = attribute(jobs(), trace).pieces
    members = [
        member,
        *(
            Member(str(tid), priority, frozenset({tid}), none, np.zeros(0, np.int64))
            for tid, priority in others.items()
        ),
    ]
    window = Window(member, 7, 0, release_ns, start_ns, finish_ns)
    parts = Timeline(trace, members).parts_of(window)
    # Nothing is lost and nothing counts twice.
    assert (
        parts.release_ns
        + parts.tasks_ns
        + (parts.interrupts_ns or 0)
        + sum(parts.foreign_ns.values())
        + parts.blocked_ns
        + parts.idle_ns
        + parts.unexplained_ns
        == finish_ns - release_ns
    )
    return parts


def test_job_that_nobody_disturbs_is_release_and_its_own_time():
    # Off until 1030: 30, of them 18 ready on a CPU that wakes up. Then on until 1450: 420.
    parts = cut((1000, 1050, 1450, 400), (ASLEEP, WOKEN, ON), {})
    assert (parts.release_ns, parts.tasks_ns) == (30, 420)
    assert (parts.interrupts_ns, parts.foreign_ns) == (0, {})
    assert (parts.blocked_ns, parts.idle_ns, parts.unexplained_ns) == (0, 0, 0)


def test_task_above_counts_as_the_sets_and_a_stranger_by_name():
    # 8 has it from 1100 to 1300, 9 until 1350. 7: 70 + 350 and 8: 200 are the set's.
    rows = (
        ASLEEP, WOKEN, ON,
        (1100, 0, OFF, 7, 8, READY), (1300, 0, OFF, 8, 9, SLEEPS), (1350, 0, OFF, 9, 7, READY),
    )  # fmt: skip
    parts = cut((1000, 1050, 1700, 400), rows, {8: ABOVE})
    assert (parts.tasks_ns, parts.foreign_ns) == (620, {"nine": 50})


def test_interrupts_come_off_the_task_that_they_interrupt():
    # 40 within 8 and 30 within 7: 620 - 70.
    rows = (
        ASLEEP, WOKEN, ON,
        (1100, 0, OFF, 7, 8, READY),
        (1150, 0, IRQ_IN, 8, 0, TIMER), (1190, 0, IRQ_OUT, 8, 0, TIMER),
        (1300, 0, OFF, 8, 9, SLEEPS), (1350, 0, OFF, 9, 7, READY),
        (1400, 0, IRQ_IN, 7, 0, TIMER), (1430, 0, IRQ_OUT, 7, 0, TIMER),
    )  # fmt: skip
    parts = cut((1000, 1050, 1700, 400), rows, {8: ABOVE})
    assert (parts.tasks_ns, parts.interrupts_ns) == (550, 70)


def test_interrupts_that_are_not_recorded_are_absent_not_zero():
    supplies = frozenset({SchedKind.OFF, SchedKind.ON, SchedKind.WAKEUP})
    parts = cut((1000, 1050, 1450, 400), (ASLEEP, WOKEN, ON), {}, supplies)
    assert parts.interrupts_ns is None


def test_job_that_waits_for_something_is_blocked_until_it_is_woken():
    # Asleep from 1100, woken at 1250, back at 1300: 150 blocked, then 9 keeps the CPU for 50.
    rows = (
        ASLEEP, WOKEN, ON,
        (1100, 0, OFF, 7, 9, SLEEPS), (1250, 0, WAKEUP, 7, 0, 0), (1300, 0, OFF, 9, 7, READY),
    )  # fmt: skip
    parts = cut((1000, 1050, 1700, 450), rows, {})
    assert (parts.blocked_ns, parts.foreign_ns, parts.tasks_ns) == (150, {"nine": 50}, 470)


def test_cpu_that_stands_idle_though_the_job_could_go_on_is_told():
    rows = (ASLEEP, WOKEN, ON, (1100, 0, OFF, 7, 0, READY), (1160, 0, OFF, 0, 7, READY))
    parts = cut((1000, 1050, 1450, 340), rows, {})
    assert (parts.idle_ns, parts.tasks_ns, parts.release_ns) == (60, 360, 30)


def test_task_below_that_has_the_cpu_at_the_release_is_a_late_timer_then_a_switch():
    # 9, of the set, from 900 on: 12 until the wake-up are the release's, 18 the switch's.
    rows = (ASLEEP, (900, 0, OFF, 0, 9, READY), WOKEN, (1030, 0, OFF, 9, 7, READY))
    parts = cut((1000, 1050, 1450, 400), rows, {9: BELOW})
    assert (parts.release_ns, parts.tasks_ns, parts.foreign_ns) == (12, 438, {})


def test_time_that_the_clock_of_processor_time_lacks_is_unexplained():
    # On its CPU for 400 after its start, of which the kernel charged 390.
    parts = cut((1000, 1050, 1450, 390), (ASLEEP, WOKEN, ON), {})
    assert (parts.tasks_ns, parts.unexplained_ns) == (410, 10)
