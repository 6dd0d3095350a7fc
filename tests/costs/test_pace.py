# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The time that is left of a measurement whose observations do not all take as long."""

import time
from collections.abc import Callable

import pytest

from laxity.core.progress import State
from laxity.costs.pace import Pace, ProbeDisplay
from laxity.costs.probe import probe_of
from laxity.store.measurements import CrpdMeasurement, MigrationMeasurement, Pair, SwitchMeasurement

S = 10**9
Told = Callable[..., list[str]]
ASKED = {"priority": 80, "repetitions": 10, "timeout_ns": 600 * S}


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Told:
    """Tell what is shown of states: rows, rows at most, seconds."""

    def show(pace: Pace | None, *states: tuple[int, int, float]) -> list[str]:
        now_s = [0.0]
        monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
        display = ProbeDisplay("crpd", pace, is_quiet=False)
        for n_done, n_all, elapsed_s in states:
            now_s[0] = elapsed_s
            display.show(State(n_done, n_all, int(elapsed_s * S)))
        display.close()
        return capsys.readouterr().err.splitlines()

    return show


def test_alike_observations_take_as_long_as_those_so_far(told: Told):
    # 100 in 10 s; 900 are left.
    assert told(Pace(), (100, 1000, 10)) == ["crpd: 10s, 100 of 1000 observations, about 90 s left"]


def test_observations_to_come_are_weighed(told: Told):
    # Of 1000 the last 100 take nine times as long as the others: 900 + 900. After 900 in 40 s, what
    # is counted says 93 % and more, and 40 s are left.
    pace = Pace([(900, 1.0), (100, 9.0)])
    assert told(pace, (900, 1000, 40)) == ["crpd: 40s, 900 of 1000 observations, about 40 s left"]


def test_without_a_pace_no_time_is_told(told: Told):
    assert told(None, (900, 1000, 40)) == ["crpd: 40s, 900 of 1000 observations"]


def test_nothing_is_told_before_something_is_learned(told: Told):
    # 19 of 1000 are less than 2 %.
    assert told(Pace(), (19, 1000, 10)) == ["crpd: 10s, 19 of 1000 observations"]


def test_what_takes_a_planned_time_follows(told: Told):
    # 100 of 200 in 10 s, then 4 s of whatever there is; at most so many rows are no aim.
    pace = Pace([(200, 1.0)], after_s=4)
    assert told(pace, (100, 9999, 10), (200, 9999, 20), (300, 9999, 31)) == [
        "crpd: 10s, 100 observations, about 14 s left",
        "crpd: 20s, 200 observations, about 4 s left",
        # It takes longer than planned: nothing is known.
        "crpd: 31s, 300 observations",
    ]


def test_budget_ends_a_measurement_unless_too_few_were_made(told: Told):
    pace = Pace(budget_s=45, least_share=0.06)
    # 100 of 1000 in 10 s: 90 s more would be 100 s; none begins after 45 s.
    assert told(pace, (100, 1000, 10))[0].endswith("about 35 s left")
    # 30 of 1000 in 40 s: the budget is over in 5 s, but 60 are made, which takes 40 s more.
    assert told(pace, (30, 1000, 40))[0].endswith("about 40 s left")


def test_preemptions_of_large_working_sets_take_longer():
    asked = CrpdMeasurement(
        cpus="0-1",
        working_sets_bytes=[1000, 2000],
        cases=["synchronous"],
        patterns=["jumps", "chase"],
        evicts=["write", "flush"],
        evict_sizes_bytes=[4000, 6000],
        **ASKED,
    )
    pace = probe_of("crpd").pace(asked, is_simulated=False)
    assert pace is not None
    # Two buffers that are written, and flushing: three ways, each in three roles, ten times. A row:
    # 5000 bytes that evict on average, and 48 times (chase) or 8 times (jumps) the working set.
    of_cpu = [(90, 53_000.0), (90, 13_000.0), (90, 101_000.0), (90, 21_000.0)]
    assert list(pace.stretches) == 2 * of_cpu
    assert probe_of("crpd").pace(asked, is_simulated=True) is None


def test_planned_rows_of_switches_are_known_for_one_cpu():
    asked = SwitchMeasurement(
        cpus="1",
        to_cpus="0-2",
        quantities=["preemption", "timer", "wakeup", "spin", "irq"],
        evict_bytes=4096,
        spin_ns=2 * S,
        **ASKED,
    )
    # Per repetition 2 preemptions, a timer, a wake-up of CPUs 0 and 2 each; 2 s for each of two.
    assert probe_of("switch").pace(asked, is_simulated=False) == Pace([(50, 1.0)], after_s=4)


def test_migrations_have_a_budget():
    asked = MigrationMeasurement(
        cpus="0-1",
        pairs=[Pair(cpu=0, cpu_to=1, domain="shared_l3")],
        working_sets_bytes=[4096],
        patterns=["chase"],
        budget_ns=45 * S,
        gamma=[],
        **ASKED,
    )
    # Six of ten repetitions are made in any case.
    expected = Pace(budget_s=45, least_share=0.6)
    assert probe_of("migration").pace(asked, is_simulated=False) == expected
