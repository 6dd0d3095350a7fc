# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A contention table of a machine without a sensor, from jobs that were made up."""

import msgspec
import numpy as np
import pytest

from laxity.contention.native import NativeJob as Job
from laxity.contention.native import (
    NativeProgram,
    as_best_effort,
    check_made_on_this_machine,
    native_text,
    pauses_table,
    table_of,
    this_machine_hash,
)
from laxity.contention.plan import Terms, plan_of
from laxity.contention.run import program_of
from laxity.contention.table import ContentionTable, decode_table, signed
from laxity.core.regulate_table import resolve_regulate
from laxity.core.spec import Policy, RegulateTable, Spec
from laxity.core.spec_reader import resolve_spec
from laxity.errors import ConfigError

PROGRAM = NativeProgram("tracking", ("vga",), 1, (0,), 10_000_000, 3)
US = 1000


def job(took_us: int, *marks_us: int) -> Job:
    """Make a job that passes mark 7 at some times."""
    times_ns = np.array(marks_us, dtype=np.int64) * US
    return Job(took_us * US, np.full(len(marks_us), 7, dtype=np.int64), times_ns)


ALONE = [job(1000, 300, 600), job(1000, 310, 620), job(1200, 300, 600)]
COLD = [job(1100, 400, 700), job(1300, 500, 800), job(1400, 350, 900)]
LOADED = [job(1500, 400, 700), job(1600, 500, 800), job(1800, 350, 900)]


def made() -> ContentionTable:
    return table_of(PROGRAM, ALONE, COLD, LOADED)


def test_times_of_a_table_are_the_longest_of_all_jobs_that_run_alone():
    table = made()
    # The usual cold job takes 1300 us and passes the mark at 500 and 800.
    assert table.solo_ns == 1_300_000
    assert [phase.begins_ns for phase in table.phases] == [0, 500_000, 800_000]
    # Until there: 400, 500, 350 cold, 310 at most alone; then 700, 800, 900.
    assert [phase.latest_ns for phase in table.phases] == [0, 500_000, 900_000]
    # From there: 1400 - 350 = 1050 and 1200 - 300; then 1200 - 600 = 600 and 1100 - 700.
    assert [phase.rest_ns for phase in table.phases] == [1_400_000, 1_050_000, 600_000]
    assert table.longest_ns == 1_400_000


def test_reload_after_a_stop_is_the_longest_cold_job_less_the_median_alone():
    # 1400 - 1000 us, and a margin of 5 %.
    assert made().reload_ns == 420_000


def test_overhead_is_that_of_the_median_job():
    # 1600 of 1000 us.
    assert made().loads[0].overhead_ppm == 600_000
    text = native_text(made())
    assert "takes 60.00 % longer than without (measured, medians, n = 3)." in text
    # 1000 us in the first half, the median of 1000 and 1200 in the second: 10 %, and 60 % is more
    # than three times that.
    assert made().drift_ppm == 100_000
    assert "no effect" not in text


def test_effect_that_is_no_larger_than_drift_is_none():
    table = table_of(PROGRAM, ALONE, COLD, [job(1290, 400, 700)])
    # 29 % is less than three times 10 %.
    words = "takes 29.00 % longer than without (measured, medians, n = 3). That shows no effect: "
    assert f"{words}jobs alone changed by 10.00 %" in native_text(table)


def test_all_time_with_loads_may_be_lost():
    assert {rate for phase in made().phases for rate in phase.loss} == {1 << 20}


def test_table_of_a_machine_is_read_as_it_was_written():
    table = signed(made())
    assert decode_table(msgspec.json.encode(table)) == table


def test_plan_of_a_machine_has_no_sensor_and_a_lease_of_three_periods():
    regulate = resolve_regulate(RegulateTable(theta="120%"), "tracking", is_native=True)
    plan = plan_of(made(), Terms(regulate, 0)).splitlines()
    # L is the stop's latency alone: the reload is no queue.
    for line in ("has_sensor 0", "period_ns 200000", "lease_ns 600000", "stop_ns 500000"):
        assert line in plan
    # From the second checkpoint on: 600 us, what the job may be longer than the longest of the
    # profile, 5 us of 100 us beyond the usual one, and nothing cold: K is charged for each stop.
    (line,) = [line for line in plan if line.startswith("solo_from_ns")]
    assert line.split()[3] == str(600_000 + 5_000)


def test_least_theta_bears_one_permission():
    regulate = resolve_regulate(RegulateTable(), "tracking", is_native=True)
    # A lease of 600 us, a stop of 500, a mark of 100 and 1 ns; K of 420 us: 1,620,001 ns of a C of
    # 1300 + 1.05 * 100 us = 1,405,000 ns.
    least_ppm = Terms(regulate, 0).least_theta_ppm(made())
    assert least_ppm == -(-1_620_001 * 1_000_000 // 1_405_000)


def test_no_load_runs_in_jobs_of_a_table_of_pauses():
    regulate = resolve_regulate(RegulateTable(theta="0%"), "tracking", is_native=True)
    plan = plan_of(pauses_table(PROGRAM, ALONE), Terms(regulate, 0), is_checked=False).splitlines()
    assert {"budget_ns 0", "phases 1", "passages 7 2"} <= set(plan)


def test_table_of_another_machine_is_refused():
    check_made_on_this_machine(made())
    assert made().platform_sha256 == this_machine_hash()
    other = msgspec.structs.replace(made(), platform_sha256="0" * 64)
    with pytest.raises(ConfigError, match="is of another machine"):
        check_made_on_this_machine(other)
    with pytest.raises(ConfigError, match="is of platform sim:sabrelite"):
        check_made_on_this_machine(msgspec.structs.replace(made(), platform="sim:sabrelite"))


def test_table_of_a_machine_bounds_no_loss_by_traffic():
    with pytest.raises(ConfigError, match="a machine without a sensor"):
        program_of(made())


def spec_with(**keys: str | int) -> Spec:
    task = {"workload": "empty", "period": "10ms", "cpus": "1"}
    return resolve_spec({"jobs": 1}, [task], [{"workload": "load", "cpus": "0", **keys}], 1)


def test_corunners_get_a_policy_of_which_the_kernel_runs_nothing_in_a_hold():
    (ordinary,) = as_best_effort(spec_with()).interfere
    assert (ordinary.policy, ordinary.priority) == (Policy.RR, 1)
    (chosen,) = as_best_effort(spec_with(policy="fifo", priority=9)).interfere
    assert (chosen.policy, chosen.priority) == (Policy.FIFO, 9)


def test_corunner_above_the_guards_is_refused():
    with pytest.raises(ConfigError, match="a guard has 50, write less"):
        as_best_effort(spec_with(policy="fifo", priority=50))
