# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a regulated run is refused for, and the plan that it gets."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.contention.test_table import FIRST, PREEMPTED, table

from laxity import __version__
from laxity.contention.regulate import Regulation, regulation_of
from laxity.contention.run import platform_sha256
from laxity.contention.table import RATE_ONE
from laxity.core.spec_reader import resolve_spec
from laxity.errors import ConfigError
from laxity.platform.platform_file import read_platform

PLATFORM = "sim:sabrelite-partitioned"
TASK: dict[str, Any] = {
    "name": "a",
    "workload": "dijkstra",
    "args": ["large"],
    "cpus": "0",
    "period": "20ms",
}
LOAD: dict[str, Any] = {"workload": "load", "args": ["4MiB", "0", "0"], "cpus": "1"}
HIGH: dict[str, Any] = {
    "name": "b",
    "workload": "sha",
    "args": ["small"],
    "cpus": "0",
    "period": "9ms",
}


def regulation(
    tmp_path: Path,
    of_table: dict[str, Any],
    run: dict[str, Any],
    tasks: list[dict[str, Any]],
    loads: list[dict[str, Any]],
) -> Regulation:
    made_here = {
        "version": __version__,
        "reload_ns": 2_305,
        "platform_sha256": platform_sha256(read_platform(PLATFORM)),
    }
    path = tmp_path / "t.json"
    path.write_bytes(msgspec.json.encode(table(**made_here | of_table)))
    tasks = [{"contention": str(path)} | tasks[0], *tasks[1:]]
    run = {"platform": PLATFORM, "jobs": 1} | run
    spec = resolve_spec(run, tasks, loads, 1, {"task": "a"})
    assert spec.regulate is not None
    return regulation_of(spec, spec.regulate)


def plan_lines(found: Regulation) -> list[str]:
    return found.files["regulation.plan"].decode().splitlines()


def test_directory_of_the_run_gets_table_and_plan(tmp_path: Path):
    found = regulation(tmp_path, {}, {}, [TASK], [LOAD])
    assert set(found.files) == {"contention.json", "regulation.plan"}
    assert found.spec.tasks[0].bound["contention"] == "./contention.json"
    lines = plan_lines(found)
    # 5 % of the 8 ms of the table; the regulator is where the first co-runner is.
    assert {"budget_ns 400000", "core 1", "task 0", "preemption_ns 0"} <= set(lines)


def test_stated_wcet_is_c_and_stated_gamma_the_reload(tmp_path: Path):
    tasks = [TASK | {"wcet": "10ms", "gamma": "70us"}, HIGH | {"priority": 60}]
    lines = plan_lines(regulation(tmp_path, {}, {}, tasks, [LOAD]))
    wanted = {"budget_ns 500000", "preemption_ns 70000", "solo_from_ns 10000000 0"}
    assert wanted <= set(lines)


def test_profiled_reload_counts_where_none_is_stated(tmp_path: Path):
    """C: 8 ms and 0.4 with 5 % more; 5 % of it may be lost; the loss is that after other tasks."""
    higher = [0, RATE_ONE // 2, RATE_ONE // 2]
    of_table = {"preempted": PREEMPTED, "phases": [FIRST | {"shared_loss": higher}]}
    lines = plan_lines(regulation(tmp_path, of_table, {}, [TASK, HIGH], [LOAD]))
    wanted = {"budget_ns 421000", "preemption_ns 1050000", "solo_from_ns 8420000 0"}
    assert {*wanted, f"loss 0 0 {RATE_ONE // 2} {RATE_ONE // 2}"} <= set(lines)


def test_task_that_has_its_cpu_to_itself_is_not_charged_for_other_tasks(tmp_path: Path):
    higher = [0, RATE_ONE // 2, RATE_ONE // 2]
    of_table = {"preempted": PREEMPTED, "phases": [FIRST | {"shared_loss": higher}]}
    lines = plan_lines(regulation(tmp_path, of_table, {}, [TASK], [LOAD]))
    assert {"budget_ns 400000", f"loss 0 0 {RATE_ONE // 4} {RATE_ONE // 2}"} <= set(lines)


def test_task_below_needs_no_gamma(tmp_path: Path):
    tasks = [TASK | {"wcet": "8ms"}, HIGH | {"priority": 40}]
    lines = plan_lines(regulation(tmp_path, {}, {}, tasks, [LOAD]))
    assert "preemption_ns 0" in lines


@pytest.mark.parametrize(
    ("of_table", "run", "tasks", "loads", "reason"),
    [
        ({"version": "0"}, {}, [TASK], [LOAD], "the table is of laxity 0"),
        ({"platform_sha256": "0" * 64}, {}, [TASK], [LOAD], "has changed since the profile"),
        ({}, {"platform": "sim:sabrelite"}, [TASK], [LOAD], "the run is on sim:sabrelite"),
        ({}, {}, [TASK | {"args": ["small"]}], [LOAD], "is of 'dijkstra large', the task runs"),
        ({}, {}, [TASK | {"cpus": "2"}], [LOAD], "is of CPU 0, the task runs on CPU 2"),
        ({}, {}, [TASK], [], "there is no co-runner; put .* on CPUs 1"),
        ({}, {}, [TASK], [LOAD | {"cpus": "2"}], "co-runners are on CPUs 2; put"),
        ({}, {}, [TASK], [LOAD | {"args": ["4MiB", "1"]}], "'load 4MiB 1' on 1 CPUs is not cov"),
        ({}, {}, [TASK, HIGH | {"cpus": "3"}], [LOAD], "b on other CPUs are never stopped"),
        ({}, {}, [TASK, HIGH | {"priority": 40}], [LOAD], "shares its CPU with b.*add wcet"),
        ({}, {}, [TASK | {"wcet": "8ms"}, HIGH | {"priority": 60}], [LOAD], "b.*add gamma"),
        ({}, {}, [TASK | {"wcet": "7ms"}], [LOAD], "a job alone took 8ms"),
        ({"solo_ns": 100_000}, {}, [TASK], [LOAD], "theta 5% allows a loss of 5 µs"),
        ({}, {"keep": "misses"}, [TASK], [LOAD], "use keep all and snapshots all"),
        ({}, {"snapshots": "none"}, [TASK], [LOAD], "use keep all and snapshots all"),
    ],
)  # fmt: skip
def test_run_that_promises_nothing_is_refused(
    tmp_path: Path,
    of_table: dict[str, Any],
    run: dict[str, Any],
    tasks: list[dict[str, Any]],
    loads: list[dict[str, Any]],
    reason: str,
):
    with pytest.raises(ConfigError, match=reason):
        regulation(tmp_path, of_table, run, tasks, loads)


def test_task_without_a_table_is_refused():
    run = {"platform": PLATFORM, "jobs": 1}
    spec = resolve_spec(run, [TASK], [LOAD], 1, {"task": "a"})
    assert spec.regulate is not None
    with pytest.raises(ConfigError, match="no contention table; add contention"):
        regulation_of(spec, spec.regulate)
