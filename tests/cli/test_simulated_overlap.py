# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Instructions of a simulated platform: only loads that do not depend on each other overlap."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.laxity_command import Laxity

BY_HAND = Path(__file__).with_name("one-core.toml").read_text(encoding="utf-8")
# 64 KiB are twice the first level: every line of the second job comes from the second level.
SPEC = """
schema = 1
[run]
platform = "sim:./platform.toml"
jobs = 2
[[task]]
workload = "{workload}"
args = {args}
period = "10ms"
"""
# Of that platform: cycles from the first level to the second, and cycles per microsecond.
HIT_CYCLES, CYCLES_PER_US = 19, 1200


def second_job(laxity: Laxity, task: tuple[str, str], core: str) -> Any:  # noqa: ANN401 - a row
    workload, args = task
    text = BY_HAND.replace("[core]\n", f"[core]\n{core}\n")
    (laxity.directory / "platform.toml").write_text(text, encoding="utf-8")
    spec = SPEC.format(workload=workload, args=args)
    (laxity.directory / "one.toml").write_text(spec, encoding="utf-8")
    name = f"D{sum(1 for _ in laxity.directory.glob('D*'))}"
    done = laxity("run", "./one.toml", "--run-dir", name, "--no-report", "--quiet")
    assert done.returncode == 0, done.stderr
    return np.load(laxity.directory / name / "jobs.npy")[1]


def misses(time_ns: int) -> float:
    return time_ns * CYCLES_PER_US / 1000 / HIT_CYCLES


CHASE = ("latency", '["64KiB"]')
STREAM = ("bandwidth", '["copy", "64KiB"]')
SCHEDULING = ["", 'scheduling = "cortex-a9"']


@pytest.mark.parametrize("scheduling", SCHEDULING, ids=["none", "cortex-a9"])
def test_pointer_chase_gains_nothing_from_more_fill_buffers(laxity: Laxity, scheduling: str):
    one, two, eight = (
        second_job(laxity, CHASE, f"{scheduling}\nfill_buffers = {n}") for n in (1, 2, 8)
    )
    assert one["exec_ns"] == two["exec_ns"] == eight["exec_ns"]


@pytest.mark.parametrize("scheduling", SCHEDULING, ids=["none", "cortex-a9"])
def test_loads_of_one_instruction_overlap_if_there_are_fill_buffers(
    laxity: Laxity, scheduling: str
):
    none, one, two = (
        second_job(laxity, STREAM, f"{scheduling}\nfill_buffers = {n}") for n in (0, 1, 2)
    )
    # 64 KiB are 2048 lines: each misses, and its 19 cycles are waited for.
    assert 2048 <= misses(none["stall_own_ns"]) <= 2060
    # Half of them are read, two by an instruction: with a second buffer one of the two is free.
    assert 512 <= misses(one["stall_own_ns"] - two["stall_own_ns"]) <= 516
    assert none["busy_ns"] == one["busy_ns"] == two["busy_ns"]


def test_all_that_a_program_executes_is_decoded(laxity: Laxity):
    # Its code has instructions in front of the ends of pages, where QEMU looks ahead.
    spec = SPEC.format(workload="sort", args='["small"]').replace("./platform.toml", "sabrelite")
    (laxity.directory / "one.toml").write_text(spec, encoding="utf-8")
    done = laxity("run", "./one.toml", "--run-dir", "D", "--no-report", "--quiet")
    assert done.returncode == 0, done.stderr
    assert "decoded" not in done.stderr
