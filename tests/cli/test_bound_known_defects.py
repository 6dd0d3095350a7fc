# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What another library of such tests gets wrong (SchedCAT, 2020), asked of `laxity bound`."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.bounds.made_up_costs import GAMMAS, entry, model

from laxity.cli.main import cli
from laxity.store.manifest import encode_document

LATE = """
schema = 1
[[task]]
name = "late"
wcet = "5ms"
deadline = "10ms"
period = "20ms"
jitter = "{jitter}"
"""
NESTED = """
schema = 1
[[task]]
name = "high"
wcet = "1ms"
period = "10ms"
priority = 90
cpus = "1"
[[task]]
name = "middle"
wcet = "2ms"
period = "20ms"
priority = 80
cpus = "1"
working_set = "64KiB"
[[task]]
name = "low"
wcet = "3ms"
period = "50ms"
priority = 70
cpus = "1"
working_set = "{working_set}"
"""


def answer(tmp_path: Path, text: str, costs: str) -> tuple[int, dict[str, Any]]:
    tasks = tmp_path / "tasks.toml"
    tasks.write_text(text)
    done = CliRunner().invoke(
        cli,
        ["bound", str(tasks), "--costs", costs, "--format", "json"],
        standalone_mode=False,
        catch_exceptions=False,
    )
    return done.return_value, json.loads(done.stdout)


@pytest.mark.parametrize(
    ("jitter", "code", "response_ms", "verdict"),
    # R = J + C is compared with D, not C with D before J is added.
    [("5ms", 0, 10, "schedulable"), ("6ms", 1, 11, "not_schedulable")],
)
def test_jitter_counts_before_the_deadline_is_compared(
    tmp_path: Path, jitter: str, code: int, response_ms: int, verdict: str
):
    returned, found = answer(tmp_path, LATE.format(jitter=jitter), "none")
    assert (returned, found["verdict"]) == (code, verdict)
    assert found["tasks"][0]["response_time_ns"] == response_ms * 1_000_000
    assert found["tasks"][0]["exact"] is True


@pytest.mark.parametrize(
    ("working_set", "gamma_us", "responses_us"),
    [
        # 2 delta = 20 us. high and middle make low load 30 us again, more than middle's 5:
        # C' = 1.05, 2.05, 3.02 ms; a switch under way 20 us for the first two.
        # 1.05 + 0.02; 2.05 + 1.05 + 0.02; 3.02 + 2.05 + 1.05.
        ("256KiB", 30, [1070, 3120, 6120]),
        # With 5 for both: C' = 1.025, 2.025, 3.02.
        ("64KiB", 5, [1045, 3070, 6070]),
    ],
)
def test_cost_that_depends_on_the_working_set_of_who_is_preempted_is_counted(
    tmp_path: Path, working_set: str, gamma_us: int, responses_us: list[int]
):
    costs = tmp_path / "costs.json"
    costs.write_bytes(encode_document(model(entry("delta", 10_000), *GAMMAS)))
    returned, found = answer(tmp_path, NESTED.format(working_set=working_set), str(costs))
    assert (returned, found["verdict"]) == (0, "schedulable")
    assert [one["response_time_ns"] for one in found["tasks"]] == [
        1000 * response_us for response_us in responses_us
    ]
    gammas = {one["of"]: one["value_ns"] for one in found["costs"]["entries"] if one["of"]}
    assert gammas == {"middle": 5_000, "low": 1000 * gamma_us}
