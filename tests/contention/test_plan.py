# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The plan of a regulation."""

import re
from dataclasses import replace

import pytest
from msgspec import structs
from tests.contention.test_table import (
    FIRST,
    LATER,
    LOAD,
    PREEMPTED,
    REPEATED,
    SECOND,
    STOPPED,
    later_jobs,
    phase,
    table,
)

from laxity.contention.plan import Policy, Terms, plan_of, solo_ns_of
from laxity.contention.table import RATE_ONE
from laxity.core.percent import parse_percent
from laxity.core.spec import RegulateSpec, TaskTable
from laxity.core.task_set import read_bound_keys
from laxity.errors import ConfigError


def terms(theta_ppm: int) -> Terms:
    regulate = RegulateSpec(
        task="dijkstra",
        theta_ppm=theta_ppm,
        period_ns=50_000,
        stop_latency_ns=10_000,
        resume_latency_ns=5_000,
        mark_latency_ns=999,
    )
    return Terms(regulate, core=1)


def test_terms_follow_from_table_and_latencies():
    """5 % of 8 ms are 400 µs. A stop takes 10 µs, and 2 µs until its instruction has ended."""
    lines = plan_of(table(), terms(50_000)).splitlines()
    assert "budget_ns 400000" in lines
    assert "stop_latency_ns 10000" in lines
    assert "stop_ns 12000" in lines
    assert "lease_ns 50000" in lines
    assert "mark_ns 1000" in lines
    assert "loss 0 0 262144 524288" in lines
    assert "solo_until_ns 0 8000000" in lines


def test_phases_begin_at_passages_of_marks():
    """Of 8 ms 2 are left where the second phase begins, after 6; and 2 µs to drain queues."""
    lines = plan_of(table(phases=[FIRST, SECOND]), terms(50_000)).splitlines()
    assert "phases 2" in lines
    assert "mark 1 7 2" in lines
    assert "passages 7 3" in lines
    assert "loss 1 0 100 200" in lines
    assert "reserve 1 0 0 0" in lines
    assert "solo_from_ns 8000000 2002000 0" in lines
    assert "solo_until_ns 0 6000000 8000000" in lines


def test_later_job_may_pass_a_checkpoint_later_and_take_longer_from_there_on():
    """C is 8.1 ms, and 5 % of 0.1 ms: 5 µs more than the longest job, also until and from 6 ms."""
    found = table(**later_jobs(6_040_000, 2_090_000))
    c_ns = solo_ns_of(found, read_bound_keys(TaskTable()), is_shared=False)
    assert c_ns == 8_105_000
    lines = plan_of(found, replace(terms(50_000), solo_ns=c_ns)).splitlines()
    # 2.09 ms, 5 µs, and 2 µs to drain queues.
    assert "solo_from_ns 8105000 2097000 0" in lines
    assert "solo_until_ns 0 6045000 8105000" in lines


def test_job_takes_at_most_what_the_longest_of_the_profile_did_if_nothing_else_is_said():
    """C is 8.105 ms: of it 5 % are 405.25 µs. Without later jobs it is 8 ms."""
    found = table(**later_jobs(6_040_000, 2_090_000))
    lines = plan_of(found, terms(50_000)).splitlines()
    assert "budget_ns 405250" in lines
    assert "solo_from_ns 8105000 2097000 0" in lines
    lines = plan_of(found.of_cold_jobs(), terms(50_000)).splitlines()
    assert "budget_ns 400000" in lines
    assert "solo_until_ns 0 6000000 8000000" in lines


def test_wcet_below_a_later_job_is_refused():
    keys = read_bound_keys(TaskTable(wcet="8.05ms"))
    with pytest.raises(ConfigError, match="a job alone took 8100us when it was profiled"):
        solo_ns_of(table(repeated=REPEATED), keys, is_shared=False)
    assert solo_ns_of(table(), keys, is_shared=False) == 8_050_000


def test_rest_of_a_job_reloads_what_loads_have_evicted():
    """From 6 of 8 ms on: 2 ms, 0.3 ms reloaded, 2 µs to drain queues; a stop takes 10 + 2 µs."""
    shared = {"phases": [FIRST, SECOND | {"cold_ns": 300_000}], "stopped": STOPPED}
    lines = plan_of(table(reload_ns=200_000, **shared), terms(50_000)).splitlines()
    assert {"reload_ns 200000", "stop_ns 12000"} <= set(lines)
    assert "solo_from_ns 8000000 2302000 0" in lines


def test_refusal_for_a_long_reload_names_it_and_the_partition():
    """(50 + 12 + 1) µs / 2 + 500 µs = 531.5 µs; of 8 ms that is 6.64375 %."""
    wanted = (
        "one permission may cost a job 531.5 µs, 500 µs of that after its stop; use at least "
        "6.6438%, or partition the last cache level, whose lines a job reloads after a stop"
    )
    with pytest.raises(ConfigError, match=re.escape(wanted)):
        plan_of(table(reload_ns=500_000, stopped=STOPPED), terms(50_000))


def test_job_finds_lines_of_loads_where_they_share_the_last_level():
    """C is 8 ms, and the 0.4 ms that dirty lines add, with 5 %: also of a task alone on its CPU."""
    keys = read_bound_keys(TaskTable())
    shared = table(preempted=PREEMPTED, stopped=STOPPED)
    parted = table(preempted=PREEMPTED, stopped=STOPPED | {"is_level_shared": False})
    assert solo_ns_of(shared, keys, is_shared=False) == 8_420_000
    assert solo_ns_of(parted, keys, is_shared=False) == 8_000_000


def test_loss_that_no_permission_fits_into_is_refused_with_the_smallest_that_does():
    """(50 + 12 + 1) µs / 2 + 2 µs = 33.5 µs; of 8 ms that is 0.41875 %."""
    plan_of(table(), terms(4_188))
    wanted = (
        "theta 0.4187% allows a loss of 33.496 µs, one permission may cost a job 33.5 µs, "
        "2 µs of that after its stop; use at least 0.4188%, or a shorter period or latency"
    )
    with pytest.raises(ConfigError, match=re.escape(wanted)):
        plan_of(table(), terms(4_187))


def test_permission_at_the_start_costs_what_reachable_phases_lose():
    """63 µs reach the second phase, which loses half, if it may begin by then; else 1/4 is lost.

    63 / 2 + 2 = 33.5 µs, 63 / 4 + 2 = 17.75 µs.
    """
    cheap = phase(0, RATE_ONE // 8, RATE_ONE // 4)
    dear = FIRST | LATER
    assert terms(0).permission_ns(table(phases=[cheap, dear | {"soonest_ns": 63_000}])) == 33_500
    assert terms(0).permission_ns(table(phases=[cheap, dear | {"soonest_ns": 63_001}])) == 17_750
    lines = plan_of(table(phases=[cheap, dear]), terms(50_000)).splitlines()
    assert "soonest_ns 0 5000000 5000000" in lines


@pytest.mark.parametrize("solo_ns", [7_000_001, 7_777_777, 8_000_001])
def test_smallest_theta_that_is_named_is_enough(solo_ns: int):
    """A figure of two decimals was rounded to the nearest one, and refused again."""
    with pytest.raises(ConfigError) as refused:
        plan_of(table(solo_ns=solo_ns), terms(0))
    (named,) = re.findall(r"at least (\S+%)", str(refused.value))
    plan_of(table(solo_ns=solo_ns), terms(parse_percent(named)))
    with pytest.raises(ConfigError):
        plan_of(table(solo_ns=solo_ns), terms(parse_percent(named) - 1))


def changed(theta_ppm: int, policy: Policy = "sound", **given: int) -> Terms:
    ours = terms(theta_ppm)
    return replace(ours, policy=policy, regulate=structs.replace(ours.regulate, **given))


def test_loads_that_run_for_less_than_a_window_between_readings_are_refused():
    """A curve that is packed charges parts of a window less than the whole.

    After a resume, which takes 5 µs, 10 µs are left until the next reading.
    """
    plan_of(table(), changed(50_000, period_ns=15_000))
    plan_of(table(), changed(50_000, "budget", period_ns=14_999))
    with pytest.raises(ConfigError, match=r'period "14999ns".* 5us.* write at least 15us'):
        plan_of(table(), changed(50_000, period_ns=14_999))


def test_stop_that_is_shorter_than_a_window_may_lose_all_of_its_time():
    """K of 2 µs is 11.999 µs with a stop of 9.999 µs."""
    assert "reload_ns 2000" in plan_of(table(), terms(50_000)).splitlines()
    lines = plan_of(table(), changed(50_000, stop_latency_ns=9_999)).splitlines()
    assert "reload_ns 11999" in lines
    assert "stop_ns 11999" in lines


def test_plan_of_the_paper_has_overheads_for_the_number_of_loads():
    """A budget of 0.01 % of 8 ms is less than a sample: the policy itself stops loads then."""
    two = [[1, 2, 3, 0], [4, 5, 6, 0]]
    whole = table(phases=[FIRST | {"overheads": two}], loads=[LOAD | {"cpus": [1, 2]}])
    lines = plan_of(whole, replace(terms(100), policy="paper", n_loads=2)).splitlines()
    assert "policy 2" in lines
    assert "steps 4" in lines
    assert "loss 0 4 5 6 0" in lines
    assert "reserve 0 0 0 0 0" in lines


def test_budget_is_what_the_dearest_load_may_cost():
    """A load of 25 % moves 1000 MB/s, the job 100 / 1.25 of it: 920 MB/s lose 1/5 of the time.

    5/105 of the time may be lost: 920 * 5/105 * 5 = 219.048 MB/s. The load of 1 % is cheaper, as is
    a loss of 0.01 % without traffic, taken for 20.48 MB/s; that on two CPUs does not count.
    """
    cheap = LOAD | {"overhead_ppm": 10_000}
    idle = LOAD | {"overhead_ppm": 100, "traffic_bytes_per_s": 99_000_000}
    other = LOAD | {"overhead_ppm": 900_000, "cpus": [1, 2]}
    whole = table(loads=[cheap, idle, LOAD, other])
    lines = plan_of(whole, replace(terms(50_000), policy="budget")).splitlines()
    assert "policy 3" in lines
    assert "refill_bytes 219047" in lines
    assert "refill_ns 1000000" in lines
    assert "loss 0 0 262144 524288" in lines
    assert "refill_bytes 0" in plan_of(whole, terms(50_000)).splitlines()


def test_budget_has_no_limit_where_no_load_costs_anything():
    whole = table(loads=[LOAD | {"overhead_ppm": 0}])
    lines = plan_of(whole, replace(terms(50_000), policy="budget")).splitlines()
    assert f"refill_bytes {(1 << 34) // 1000}" in lines
