# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What two runs differ in besides their figures."""

from typing import Any

import msgspec
import pytest

from laxity.compare.comparable import Difference, differences, spec_differences
from laxity.store.manifest import (
    Clock,
    KnobsUsed,
    Manifest,
    SnapshotCost,
    TaskResult,
    Tool,
    TraceResult,
)

HASH = "ab" * 32
TASK = {"name": "control", "workload": "mem", "args": ["64KiB"], "period": "5ms", "cpus": "1"}
SPEC: dict[str, Any] = {"schema": 1, "run": {"idle": "deep", "jobs": 10}, "task": [TASK]}


def manifest(**more: Any) -> Manifest:  # noqa: ANN401 - any field of a manifest
    task = TaskResult(
        index=0, name="control", workload="mem", args=["64KiB"], policy="fifo", priority=90,
        cpus="1", period_ns=5_000_000, deadline_ns=None, offset_ns=0, overrun="skip",
    )  # fmt: skip
    fields: dict[str, Any] = {
        "tool": Tool(name="laxity", version="0"), "kind": "run", "name": "a", "command_line": [],
        "status": "complete", "started_at": "", "machine_hash": HASH,
        "clock": Clock(name="CLOCK_MONOTONIC"), "snapshots": SnapshotCost(mode="all"),
        "tasks": [task],
    }  # fmt: skip
    return Manifest(**{**fields, **more})


def test_runs_of_one_experiment_on_one_machine_differ_in_nothing():
    assert differences(manifest(), manifest(), SPEC, SPEC) == []


@pytest.mark.parametrize(
    ("more", "difference"),
    [
        ({"machine_hash": "cd" * 32}, Difference("machine", "abababababab", "cdcdcdcdcdcd")),
        ({"machine_hash": None}, Difference("machine", "abababababab", "not known")),
        ({"clock": Clock(name="virtual")}, Difference("clock", "CLOCK_MONOTONIC", "virtual")),
        ({"snapshots": SnapshotCost(mode="cpu")}, Difference("snapshots", "all", "cpu")),
        ({"platform": "sim:x"}, Difference("platform", "native", "sim:x")),
        ({"on": "ssh://b"}, Difference("board", "none", "ssh://b")),
        ({"trace": TraceResult(backend="bpf")}, Difference("trace recorded by", "none", "bpf")),
        ({"knobs": KnobsUsed(rt_runtime_us_before=950_000)},
         Difference("real-time throttling", "as it was", "lifted")),
    ],
)  # fmt: skip
def test_each_thing_that_makes_runs_incomparable_is_told(
    more: dict[str, Any], difference: Difference
):
    assert differences(manifest(), manifest(**more), SPEC, SPEC) == [difference]


def test_two_machines_that_are_not_known_are_not_one_machine():
    unknown = manifest(machine_hash=None)
    assert [one.what for one in differences(unknown, unknown, SPEC, SPEC)] == ["machine"]


def test_a_policy_that_was_not_permitted_makes_runs_incomparable():
    fallen = msgspec.structs.replace(manifest().tasks[0], policy="other")
    found = differences(manifest(), manifest(tasks=[fallen]), SPEC, SPEC)
    assert found == [Difference("policies used", "control fifo", "control other")]


@pytest.mark.parametrize(
    ("key", "value", "difference"),
    [
        ("args", ["128KiB"], Difference('task "control" args', "64KiB", "128KiB")),
        ("period", "6ms", Difference('task "control" period', "5ms", "6ms")),
        ("threads", 2, Difference('task "control" threads', "none", "2")),
    ],
)
def test_each_parameter_of_a_task_that_differs_is_told(
    key: str, value: object, difference: Difference
):
    assert spec_differences(SPEC, {**SPEC, "task": [{**TASK, key: value}]}) == [difference]


@pytest.mark.parametrize("key", ["jobs", "duration", "seed", "keep", "max_misses", "stop_on"])
def test_how_long_a_run_is_and_what_it_keeps_is_no_difference(key: str):
    assert spec_differences(SPEC, {**SPEC, "run": {**SPEC["run"], key: "other"}}) == []


@pytest.mark.parametrize("key", ["idle", "trace", "events"])
def test_what_disturbs_or_is_counted_is_a_difference(key: str):
    other = {**SPEC, "run": {**SPEC["run"], key: "other"}}
    assert [one.what for one in spec_differences(SPEC, other)] == [f"[run] {key}"]


def test_what_only_bound_reads_of_a_task_is_no_difference():
    assert spec_differences(SPEC, {**SPEC, "task": [{**TASK, "wcet": "1ms"}]}) == []


def test_tasks_are_matched_by_name_not_by_order():
    video = {**TASK, "name": "video"}
    one, other = {**SPEC, "task": [TASK, video]}, {**SPEC, "task": [video, TASK]}
    assert spec_differences(one, other) == []
    assert spec_differences(one, SPEC) == [Difference('task "video"', "there", "not there")]


def test_another_promise_is_a_difference():
    regulated = {**SPEC, "regulate": {"task": "control", "theta": "5%"}}
    other = {**regulated, "regulate": {"task": "control", "theta": "10%"}}
    assert spec_differences(regulated, other) == [Difference("[regulate] theta", "5%", "10%")]
    other = {**regulated, "task": [{**TASK, "gamma": "1ms"}]}
    assert spec_differences(regulated, other) == [Difference('task "control" gamma', "none", "1ms")]


def test_another_co_runner_is_a_difference():
    loaded = {"workload": "bandwidth", "args": ["write", "64MiB"], "cpus": "0"}
    found = spec_differences(SPEC, {**SPEC, "interfere": [loaded]})
    assert found == [Difference("co-runners", "none", "bandwidth write 64MiB@0")]
