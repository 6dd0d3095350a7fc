# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Specs of rt-app's task sets: what they say, and what they do not."""

import tomllib
from typing import Any

import pytest

from laxity.core.spec import Overrun, Policy
from laxity.core.spec_reader import read_spec_toml
from laxity.core.task_set import read_task_set
from laxity.errors import ConfigError
from laxity.tasksets.rtapp import read_rtapp
from laxity.tasksets.rtapp_spec import rtapp_spec_toml

TIMER = '"timer": {"ref": "unique", "period": 10000}'


def spec(keys: str, uses_per_us: int | None = 1000, settings: str = "") -> str:
    text = f'{{"tasks": {{"a": {{{keys}}}}}, "global": {{{settings}}}}}'
    return rtapp_spec_toml(read_rtapp(text.encode()), uses_per_us)


def table(text: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = tomllib.loads(text)["task"]
    assert len(found) == 1
    return found[0]


def test_run_takes_as_many_instructions_as_stated():
    # 2 KiB of code are 512 instructions; 1000 a microsecond for 1500 us are 1,500,000, or 2929.7
    # passes; 2930 make 1,500,160.
    text = spec(f'"run": 1500, {TIMER}')
    assert table(text)["workload"] == "generated"
    assert table(text)["args"] == ["code=2KiB", "code_miss=6.25%", "line=64B", "passes=2930"]
    assert "# 1500160 instructions for 1500 us of run." in text
    assert "# 1000 instructions are taken to need 1 us (assumed, not measured)." in text


def test_work_below_half_a_pass_is_one_pass_and_none_is_workload_empty():
    assert table(spec(f'"run": 1, {TIMER}', 1))["args"][-1] == "passes=1"
    assert table(spec(TIMER))["workload"] == "empty"
    assert "wcet" not in table(spec(TIMER))


def test_work_of_too_many_passes_is_refused():
    # 2147483647 us of 1000000 instructions each are 4.2e12 passes.
    with pytest.raises(ConfigError, match="lower --uses-per-us"):
        spec(f'"run": 2147483647, {TIMER}', 1_000_000)


def test_spec_reads_back_as_what_rt_app_says():
    keys = '"policy": "SCHED_FIFO", "priority": 7, "cpus": [2, 0, 1], "delay": 30, "loop": 9'
    timer = '"timer": {"ref": "unique", "period": 10000, "mode": "absolute"}'
    text = spec(f'{keys}, "run": 1500, {timer}', settings='"duration": 4')
    found = read_spec_toml(text.encode(), {}, 1)
    (task,) = found.tasks
    assert (found.jobs, found.duration_ns) == (9, 4_000_000_000)
    assert (task.policy, task.priority, task.cpus) == (Policy.FIFO, 7, (0, 1, 2))
    assert (task.period_ns, task.deadline_ns, task.offset_ns) == (10_000_000, 10_000_000, 30_000)
    assert task.overrun is Overrun.QUEUE
    (declared,) = read_task_set(text.encode()).tasks
    assert (declared.wcet_ns, declared.priority) == (1_500_000, 7)


def test_reservation_is_runtime_period_and_deadline():
    keys = '"policy": "SCHED_DEADLINE", "dl-runtime": 2000, "dl-period": 10000'
    text = spec(f'{keys}, "dl-deadline": 8000, "run": 1500, {TIMER}')
    (task,) = read_spec_toml(text.encode(), {}, 1).tasks
    assert (task.policy, task.priority, task.runtime_ns) == (Policy.DEADLINE, None, 2_000_000)
    assert (task.period_ns, task.deadline_ns) == (10_000_000, 8_000_000)


def test_spec_for_bound_alone_has_no_workload():
    text = spec(f'"policy": "SCHED_FIFO", "run": 1500, {TIMER}', None)
    assert "workload" not in table(text)
    assert read_task_set(text.encode()).tasks[0].wcet_ns == 1_500_000


def test_set_of_which_work_is_left_out_has_no_wcet_to_bound():
    text = spec(f'"policy": "SCHED_FIFO", "run": 9, "lock": "m", "run": 9, {TIMER}')
    assert '# Not supported: task "a": lock (event 2): jobs share no locks here.' in text
    assert "wcet" not in table(text)
    with pytest.raises(ConfigError, match="no wcet"):
        read_task_set(text.encode())
    # A clamp takes no work away.
    assert "wcet" in table(spec(f'"policy": "SCHED_FIFO", "util_min": 9, "run": 9, {TIMER}'))


def test_comments_say_where_rt_app_does_something_else():
    text = spec(f'"run": 1, "run": 2, "runtime": 3, {TIMER}', settings='"gnuplot": true')
    for part in (
        "all are taken, as workgen does",
        "elapsed time in rt-app",
        "moves all later releases",
        "global.gnuplot",
        "neither measured nor proven",
    ):
        assert sum(line.startswith("#") and part in line for line in text.splitlines()) == 1


def test_foreign_text_stays_within_its_comment():
    text = spec(f'"lock": "m\\n[[task]]", "run": 9, {TIMER}')
    assert len(tomllib.loads(text)["task"]) == 1
    name = '"x\\n[[task]]": {"run": 9}'
    found = read_rtapp(f'{{"tasks": {{{name}, "a": {{"run": 1, {TIMER}}}}}}}'.encode())
    assert [one["name"] for one in tomllib.loads(rtapp_spec_toml(found, 1))["task"]] == ["a"]
