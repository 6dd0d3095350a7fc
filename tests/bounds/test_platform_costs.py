# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
from dataclasses import replace
from decimal import Decimal

import msgspec
import pytest
from tests.bounds.made_up_costs import GAMMAS, KIB, SWITCHES, entry, gamma, model

from laxity.bounds.global_overheads import preemption_count
from laxity.bounds.overheads import Tick
from laxity.bounds.platform_costs import Accounted, Choice, account, interpolate_up
from laxity.bounds.setup import Setup
from laxity.core.schedulers import Fit, Scheduler
from laxity.costs.model import Entry
from laxity.tasksets.task_model import Task


def tasks(kib: int | None = 64, cpu: int = 1) -> tuple[Task, ...]:
    size = None if kib is None else kib * KIB
    low = Task(
        name="low", wcet_ns=1, period_ns=10, deadline_ns=10, priority=1, cpu=cpu,
        working_set_bytes=size,
    )  # fmt: skip
    return low, Task(name="high", wcet_ns=1, period_ns=10, deadline_ns=10, priority=2, cpu=cpu)


def accounted(
    *entries: Entry, kib: int | None = 64, quantile: Decimal | None = None, margin_ppm: int = 0
) -> Accounted:
    return account(model(*entries), tasks(kib), Choice(quantile, margin_ppm))


def test_largest_of_all_cases_counts_with_its_margin():
    # delta worst 20 us + 20 % = 24 us, twice.
    found = accounted(*SWITCHES, *GAMMAS, margin_ppm=200_000)
    assert found.missing == ()
    assert found.costs.switch_ns == 48_000
    assert found.costs.timer_latency_ns == 60_000
    assert found.costs.release_isr_ns == 8_400
    # The period is no cost: the kernel's raster, without a margin.
    assert found.costs.tick == Tick(10_800, 4_000_000)


def test_margin_is_rounded_up():
    assert Choice(None, 1).with_margin(1) == 2
    assert Choice(None, 0).with_margin(1) == 1


def test_gamma_is_that_of_the_next_larger_size_that_was_measured():
    assert accounted(*SWITCHES, *GAMMAS, kib=64).costs.gamma_ns == {"low": 5_000}
    assert accounted(*SWITCHES, *GAMMAS, kib=65).costs.gamma_ns == {"low": 30_000}
    # The curve falls behind 256 KiB; a bound does not.
    assert accounted(*SWITCHES, *GAMMAS, kib=1024).costs.gamma_ns == {"low": 30_000}


def test_gamma_is_the_largest_of_all_ways_to_evict():
    flushed = gamma(64, 80_000, evict="flush")
    found = accounted(*SWITCHES, *GAMMAS, flushed)
    assert found.costs.gamma_ns == {"low": 80_000}
    assert [one.evict for one in found.used if one.name == "gamma"] == ["flush"]


def test_gamma_of_a_curve_that_ends_before_the_working_set_still_counts():
    # Flushed, 64 KiB take 80 us; written, 256 KiB take 30 us: 200 KiB cannot take less than 80.
    flushed = gamma(64, 80_000, evict="flush")
    found = accounted(*SWITCHES, *GAMMAS, flushed, kib=200)
    assert found.costs.gamma_ns == {"low": 80_000}
    # But it holds no working set of that size by itself.
    assert accounted(*SWITCHES, flushed, kib=200).costs is None


def test_working_set_beyond_what_was_measured_is_missing():
    found = accounted(*SWITCHES, *GAMMAS, kib=1025)
    assert found.costs is None
    assert found.missing == (
        'gamma of task "low": working set 1025KiB, measured up to 1MiB; '
        "run laxity measure crpd --max-size 1025KiB",
    )


def test_working_set_that_nobody_states_is_missing():
    found = accounted(*SWITCHES, *GAMMAS, kib=None)
    assert found.missing == ('gamma of task "low": no working set is stated; add working_set',)


def test_task_that_nobody_preempts_needs_no_working_set():
    # high states none above either.
    assert not accounted(*SWITCHES, *GAMMAS).missing


@pytest.mark.parametrize(
    ("deadline_ns", "is_preempted"),
    # Jitter 20 us, timer latency 50 us and, where a switch cannot be preempted on any CPU, 2 delta
    # = 40 us: a task of D = 10 ms may preempt those of 10 ms - 110 us = 9.89 ms and more.
    [(9_889_999, False), (9_890_000, True), (9_929_999, True)],
)
def test_task_that_is_counted_as_preempted_under_global_edf_needs_a_working_set(
    deadline_ns: int, is_preempted: bool
):
    first = Task(name="first", wcet_ns=1, period_ns=20_000_000, deadline_ns=deadline_ns)
    second = Task(
        name="second", wcet_ns=1, period_ns=20_000_000, deadline_ns=10_000_000, jitter_ns=20_000,
        working_set_bytes=64 * KIB,
    )  # fmt: skip
    setup = Setup(scheduler=Scheduler.GLOBAL_EDF, cpus=(0, 1))
    entries = (*SWITCHES, *GAMMAS, entry("ipi_wakeup", 0))
    found = account(model(*entries), (first, second), Choice(), setup)
    late = [replace(one, jitter_ns=one.jitter_ns + 90_000) for one in (first, second)]
    assert (preemption_count(late[0], late, is_edf=True) > 0) == is_preempted
    assert any('gamma of task "first": no working set' in one for one in found.missing) == (
        is_preempted
    )


def test_costs_that_were_not_measured_are_named_with_what_to_measure():
    found = accounted()
    assert found.costs is None
    assert found.missing == (
        "delta: is not among the costs; run laxity measure switch",
        'gamma of task "low": is not among the costs; run laxity measure crpd',
    )
    assert found.not_accounted[:3] == (
        "timer latency (timer_latency): run laxity measure switch",
        "timers of tasks that may not run yet (release_isr): run laxity measure switch",
        "ticks (tick): run laxity measure switch",
    )


def test_timer_that_a_simulated_platform_may_have_is_told_to_be_left_out():
    simulated = [msgspec.structs.replace(one, kind="simulated") for one in (*SWITCHES[:2], *GAMMAS)]
    assert accounted(*simulated).not_accounted[-2:] == (
        "interrupts of the kernel's timer, if the platform file has a [timer] (tick)",
        "instructions that are loaded again after a preemption (gamma_code)",
    )


def test_halves_of_a_preemption_stand_in_for_delta():
    # in + out = 2 delta.
    halves = (entry("preempt_in", 15_000), entry("preempt_out", 8_000))
    assert accounted(*halves, *GAMMAS).costs.switch_ns == 23_000
    assert accounted(halves[0], *GAMMAS).costs is None


def test_quantile_counts_where_it_is_asked_for():
    found = accounted(*SWITCHES, *GAMMAS, quantile=Decimal("0.99"))
    assert [one.value_ns for one in found.used if one.name == "delta"] == [6_000]
    assert found.missing == (
        'gamma of task "low": no entry has a p99 (n = 1000 at most); '
        "run laxity measure crpd anew, with more --repetitions",
    )


@pytest.mark.parametrize(("largest", "counts"), [(300, 300), (100, 200), (-50, 200)])
def test_what_is_not_measurable_counts_with_its_noise_floor_or_its_figure(
    largest: int, counts: int
):
    lost = gamma(64, largest, verdict="not_measurable", noise_floor=200)
    assert accounted(*SWITCHES, lost).costs.gamma_ns == {"low": counts}


def test_entry_without_a_verdict_does_not_count():
    unknown = entry("delta", 1, verdict="no_verdict", n=3)
    assert accounted(unknown, *GAMMAS).missing == (
        "delta: too few samples for a verdict; run laxity measure switch",
    )


def test_curve_of_a_model_is_read_between_its_points():
    points = [(0, 0), (64 * KIB, 100), (128 * KIB, 1_000)]
    curve = entry("gamma", None, kind="modelled", points=points)
    # Half way: 550.
    assert accounted(*SWITCHES, curve, kib=96).costs.gamma_ns == {"low": 550}
    # Of a measured curve the points lie above 90 % only.
    measured = entry("gamma", 1_000, kind="measured", points=points)
    assert accounted(*SWITCHES, measured, kib=96).costs is None


def test_curve_is_rounded_up_and_has_an_end():
    # 0 + 1 * 1 / 3, rounded up.
    assert interpolate_up([(0, 0), (3, 1)], 1) == 1
    assert interpolate_up([(0, 0), (3, 1)], 3) == 1
    assert interpolate_up([(0, 0), (3, 1)], 4) is None
    assert interpolate_up([], 0) is None


def test_figure_of_another_cpu_is_told():
    found = account(model(*SWITCHES, *GAMMAS), tasks(cpu=0), Choice())
    assert "delta was measured on CPU 1, not on CPU 0" in found.notes
    assert accounted(*SWITCHES, *GAMMAS).notes == ()


def test_figure_of_several_other_cpus_is_told_once():
    setup = Setup(fit=Fit.FIRST, cpus=(0, 1, 2, 3))
    notes = account(model(*SWITCHES, *GAMMAS), tasks(), Choice(), setup).notes
    assert [one for one in notes if one.startswith("delta")] == [
        "delta was measured on CPU 1, not on CPU 0,2-3"
    ]
