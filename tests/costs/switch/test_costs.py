# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Costs of switching from made-up stamps whose distances are known by hand."""

import pytest
from tests.costs.switch.made_up_switch import (
    Row,
    gap,
    idle,
    interrupted,
    kernel,
    preemption,
    release,
    row,
    sync,
    table,
    wakeup,
    window,
)

from laxity.costs.switch import costs as switch
from laxity.costs.switch.costs import Cost
from laxity.costs.switch.rows import CONTROL, KERNEL, PREEMPTION, SPIN
from laxity.errors import RecordError

MS = 1_000_000


def found(*rows: Row, run: str = "a") -> dict[tuple[object, ...], Cost]:
    costs = switch.costs(table(rows), run)
    return {
        tuple(
            part
            for part in (one.place.name, one.place.cpu, one.place.cpu_to, one.place.case)
            if part is not None
        ): one
        for one in costs
    }


def test_preemption_is_parted_at_the_stamps():
    costs = found(*(preemption(at * MS, 300, 101, late_ns=250) for at in range(1, 8)))
    assert costs["preempt_in", 1, "best"].samples_ns.tolist() == [300] * 7
    assert costs["preempt_out", 1, "best"].samples_ns.tolist() == [101] * 7
    # (300 + 101) / 2 = 200.5, rounded up.
    assert costs["delta", 1, "best"].median_ns == 201
    assert costs["timer_latency", 1, "busy"].median_ns == 250
    assert ("preempt_in", 1, "worst") not in costs


def test_preemption_in_no_gap_is_left_out_and_counted():
    lost = preemption(9 * MS, 1, 1)
    del lost["victim_last_ns"], lost["victim_first_ns"]
    costs = found(*(preemption(at * MS, 300, 100, case=1) for at in range(6)), lost | {"case": 1})
    assert (costs["delta", 1, "worst"].n, costs["delta", 1, "worst"].n_left_out) == (6, 1)


def test_sync_is_half_a_round():
    # (40 + 61) / 2 = 50.5, rounded up.
    assert found(*[sync(40, 61)] * 6)["switch_sync", 1, "best"].median_ns == 51


def test_kernels_part_is_both_switches_less_the_recording():
    recordings = [kernel(90, 90, CONTROL)] * 3
    costs = found(*[kernel(600, 640)] * 6, *recordings)
    one = costs["switch_kernel", 1, "best"]
    assert one.samples_ns.tolist() == [510, 550] * 6
    # Twelve samples: the 95 % interval of the median is the third to the tenth, (640 - 600) / 2.
    assert one.noise_floor_ns == 20
    assert costs["switch_recording", 1, "best"].median_ns == 90
    # Without knowing what recording takes there is no figure.
    assert found(*[kernel(600, 640)] * 6) == {}


def test_switches_that_were_not_recorded_whole_are_left_out():
    lost = row(KERNEL, time_ns=1000)
    costs = found(*[kernel(600, 640)] * 6, lost, *[kernel(90, 90, CONTROL)] * 3)
    one = costs["switch_kernel", 1, "best"]
    assert (one.n, one.n_left_out) == (12, 2)


def test_kernels_part_is_within_what_tasks_see():
    rows = [preemption(at * MS, 300, 100) for at in range(1, 7)]
    recordings = [kernel(20, 20, CONTROL)] * 3
    costs = switch.costs(table([*rows, *recordings, *[kernel(220, 220)] * 6]), "a")
    # 2 * (220 - 20) = 300 + 100
    (check,) = switch.check_kernel(costs)
    assert (check.both_switches_ns, check.preemption_ns, check.holds) == (400, 400, True)
    costs = switch.costs(table([*rows, *recordings, *[kernel(221, 221)] * 6]), "a")
    assert not switch.check_kernel(costs)[0].holds
    assert switch.check_kernel(switch.costs(table(rows), "a")) == ()


def test_timer_latency_counts_from_the_expiry():
    assert found(idle(700), idle(300), idle(500))["timer_latency", 1, "idle"].median_ns == 500


def test_release_costs_what_is_lost_beyond_what_is_lost_anyway():
    control = [release(lost, CONTROL) for lost in (0, 5, 5, 5, 5, 5, 90)]
    costs = found(*control, *[release(2005)] * 5, release(2009))
    one = costs["release_isr", 1, "best"]
    assert one.samples_ns.tolist() == [2000] * 5 + [2004]
    # n = 7: the 95 % interval of the median is the first to the seventh, (90 - 0) / 2 = 45; and the
    # stamps are 10 apart.
    assert one.noise_floor_ns == 55
    assert ("release_isr", 1, "best") not in found(release(2005))


def test_release_into_evicted_caches_is_compared_with_evicted_caches():
    # Without a timer 5 is lost, after eviction 300: 2005 - 5 and 2300 - 300 are alike.
    control = [*[release(5, CONTROL)] * 6, *[release(300, CONTROL, case=1)] * 6]
    costs = found(*control, *[release(2005)] * 6, *[release(2300, case=1)] * 6)
    assert costs["release_isr", 1, "best"].samples_ns.tolist() == [2000] * 6
    assert costs["release_isr", 1, "worst"].samples_ns.tolist() == [2000] * 6


def test_release_that_nobody_saw_is_left_out_and_counted():
    unseen = release(0)
    del unseen["lost_ns"]
    costs = found(*[release(0, CONTROL)] * 6, *[release(2005)] * 6, unseen)
    assert (costs["release_isr", 1, "best"].n, costs["release_isr", 1, "best"].n_left_out) == (6, 1)


def test_wakeups_go_both_ways_and_clocks_may_be_apart():
    spinning = [wakeup(-40, 130, CONTROL), wakeup(60, 150, CONTROL)]
    costs = found(*[wakeup(9000, 8000)] * 6, *spinning)
    assert costs["ipi_wakeup", 1, 0].median_ns == 9000
    assert costs["ipi_wakeup", 0, 1].median_ns == 8000
    # The other clock leads by less than -40 and by more than -130.
    assert costs["ipi_wakeup", 1, 0].noise_floor_ns == 130
    assert found(*[wakeup(9000, 8000)] * 6)["ipi_wakeup", 1, 0].verdict == "no_verdict"


def test_wakeups_that_two_cpus_measured_are_one_cost():
    spinning = wakeup(60, 150, CONTROL)
    other_way = [wakeup(8000, 9000) | {"cpu": 0, "cpu_to": 1}] * 6
    costs = switch.costs(table([*[wakeup(9000, 8000)] * 6, spinning, *other_way]), "a")
    assert [(one.place.cpu, one.place.cpu_to, one.n) for one in costs] == [(0, 1, 12), (1, 0, 12)]


def test_ticks_are_gaps_at_a_kernels_period():
    ticks = [gap(5 * MS + number * 4 * MS, 900 + number) for number in range(9)]
    others = [gap(9 * MS + 777_000, 5000), gap(14 * MS + 100_000, 500)]
    costs = found(*ticks, *others, window(MS, 40 * MS))
    assert costs["tick", 1].samples_ns.tolist() == list(range(900, 909))
    assert set(costs["tick_period", 1].samples_ns.tolist()) == {4 * MS}
    assert costs["tick_period", 1].n == 8
    # Gaps below 400 ns do not count.
    assert costs["tick", 1].noise_floor_ns == 400


def test_interrupts_are_told_apart_by_their_label():
    rows = [
        *(interrupted(at * MS, 900, b"LOC") for at in range(6)),
        *(interrupted(at * MS, 500, b"36") for at in range(5)),
        *(interrupted(at * MS, 3000, b"") for at in range(7)),
    ]
    costs = found(*rows)
    assert (costs["irq", 1, "LOC"].median_ns, costs["irq", 1, "LOC"].verdict) == (900, "ok")
    assert (costs["irq", 1, "36"].n, costs["irq", 1, "36"].verdict) == (5, "no_verdict")
    assert costs["irq", 1, "none"].median_ns == 3000


def test_floor_is_the_largest_of_what_cannot_be_resolved():
    few = found(*(preemption(at * MS, 300, 100) for at in range(5)))["preempt_in", 1, "best"]
    assert (few.noise_floor_ns, few.verdict) == (None, "no_verdict")
    enough = found(*(preemption(at * MS, 300, 100) for at in range(6)))["preempt_in", 1, "best"]
    assert (enough.noise_floor_ns, enough.verdict) == (10, "ok")
    # 6 samples: their range is the interval; (360 - 260) / 2 = 50.
    apart = found(*(preemption(at * MS, 260 + 20 * at, 100) for at in range(6)))
    assert apart["preempt_in", 1, "best"].noise_floor_ns == 50


def test_median_within_the_noise_is_not_measurable():
    rows = [preemption(at * MS, 10, 11) for at in range(6)]
    assert found(*rows)["preempt_in", 1, "best"].verdict == "not_measurable"
    assert found(*rows)["preempt_out", 1, "best"].verdict == "ok"


def test_runs_are_pooled_by_place():
    first = switch.costs(table([preemption(at * MS, 300, 100) for at in range(6)]), "a")
    second = switch.costs(table([preemption(at * MS, 500, 100) for at in range(7)]), "b")
    pooled = switch.pool([*first, *second])
    assert [one.place.name for one in pooled] == [one.place.name for one in first]
    one = pooled[0]
    assert (one.n, one.median_ns, one.runs) == (13, 500, ("a", "b"))


def test_entries_state_only_what_the_samples_support():
    rows = [preemption(at * MS, 300 + at, 100) for at in range(368)]
    entries = {one.name: one for one in switch.entries(switch.costs(table(rows), "a"))}
    one = entries["preempt_in"]
    # The ceil(0.99 * 368) = 365th of 300, 301, ...
    assert one.quantiles == {"0.5": 483, "0.9": 631, "0.99": 664}
    assert (one.max, one.n, one.kind, one.unit) == (667, 368, "measured", "ns")
    assert (one.axes.cpu, one.axes.case, one.axes.cpu_to) == (1, "best", None)
    fewer = switch.entries(switch.costs(table(rows[:367]), "a"))
    assert "0.99" not in fewer[0].quantiles


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"quantity": 8}, "quantity 8 is no value"),
        ({"interrupt": b"a\nb"}, "is no label"),
        ({"case": 2}, "case 2 is no value"),
        ({"role": 9}, "role 9 is no value"),
        ({"cpu": -4}, "cpu -4 is no value"),
        ({"time_ns": 1 << 60}, "time_ns"),
        ({"preemptor_first_ns": -(1 << 63)}, "preemption without preemptor_first_ns"),
    ],
)
def test_rows_that_no_probe_writes_are_refused(fields: Row, told: str):
    with pytest.raises(RecordError, match=told):
        switch.costs(table([preemption(MS, 300, 100) | fields]), "a")


def test_window_without_an_end_is_refused():
    with pytest.raises(RecordError, match="a window of"):
        switch.costs(table([row(SPIN, role=CONTROL, victim_last_ns=5, victim_first_ns=1)]), "a")
    with pytest.raises(RecordError, match="without victim_first_ns"):
        switch.costs(table([row(SPIN, role=CONTROL, victim_last_ns=5)]), "a")


def test_nothing_is_no_cost():
    assert switch.costs(table([]), "a") == ()
    assert switch.costs(table([row(PREEMPTION, role=CONTROL)]), "a") == ()
