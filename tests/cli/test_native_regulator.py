# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity-run --regulate`: co-runners stand still while a job could not bear them."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.commands import (
    BUILT,
    CPU,
    children_of,
    finish,
    is_alive,
    needs_fifo,
    needs_two_cpus,
)
from tests.waiting import wait_until

from laxity.core.streams import STOP_REASONS
from laxity.store.npy import read_stream

pytestmark = [needs_fifo, needs_two_cpus, pytest.mark.serial]

OTHER_CPU = min(os.sched_getaffinity(0))
RUN = BUILT.tools / "native" / "laxity-run"
WORKLOADS = BUILT.tools / "workloads"
MS = 1_000_000
# Longer than any job below, also on a loaded machine.
LONG_NS = 10_000 * MS
# Times of the machine are generous: none of these tests is about how fast it stops.
TERMS = {
    "task": 0,
    "core": OTHER_CPU,
    "period_ns": MS,
    "stop_latency_ns": 0,
    "resume_latency_ns": 0,
    "mark_latency_ns": 0,
    "policy": 0,
    "has_sensor": 0,
    "budget_ns": 0,
    "reload_ns": 0,
    "preemption_ns": 0,
    "lease_ns": 5 * MS,
    "stop_ns": 50 * MS,
    "mark_ns": 20 * MS,
    "refill_bytes": 0,
    "refill_ns": MS,
    "phases": 1,
    "steps": 2,
    "step_bytes_per_s": MS,
}


def plan_file(path: Path, **changes: int) -> Path:
    """Write a plan of one phase, in which best-effort work may cost a job all of its time."""
    lines = [f"{key} {value}" for key, value in (TERMS | changes).items()]
    lines += ["loss 0 1048576 1048576", "reserve 0 0 0"]
    lines += [f"solo_from_ns {LONG_NS} 0", f"solo_until_ns 0 {LONG_NS}"]
    path.write_text("\n".join(lines) + "\n")
    return path


def command(
    tmp_path: Path, plan: Path, *, jobs: int = 5, workload: str = "mem", cpu: int = OTHER_CPU
) -> list[str]:
    """Run jobs of some milliseconds each 100 ms, and a load that never rests."""
    words = ("64KiB", "2000") if workload == "mem" else ("small",)
    task = (WORKLOADS / workload, "-p", "100ms", "-t", jobs, "-c", CPU, "-f", 60, *as_args(*words))
    as_corunner = ("--corunner", "-c", cpu, "--policy", "rr", "-f", 1)
    load = (WORKLOADS / "load", *as_corunner, *as_args("1MiB", "0", "0"))
    return [
        *map(str, (RUN, "--run-dir", tmp_path / "D", "--regulate", plan, "--", *task, "--", *load))
    ]


def as_args(*words: str) -> tuple[str, ...]:
    return tuple(part for word in words for part in ("--arg", word))


def run(words: list[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)


def readings(tmp_path: Path) -> tuple[Any, Any]:
    """Read the stream, and tell which rows are of a job: others have no phase."""
    rows = read_stream(tmp_path / "D" / "regulation.npy")
    return rows, ~np.ma.getmaskarray(rows["phase"])


def test_corunners_stand_still_in_jobs_that_can_bear_no_loss_and_run_between_them(tmp_path: Path):
    done = run(command(tmp_path, plan_file(tmp_path / "plan")))
    assert done.returncode == 0, done.stderr
    rows, is_in_job = readings(tmp_path)
    assert np.count_nonzero(is_in_job) > 5
    # There is no sensor.
    assert np.all(np.ma.getmaskarray(rows["traffic_bytes"]))
    assert not np.any(rows["allowed"][is_in_job])
    assert {STOP_REASONS[reason] for reason in rows["reason"][is_in_job]} <= {"slack", "waits"}
    # A permission of 5 ms and a stop of 50 ms last to a release each 100 ms: 45 ms are left.
    assert np.count_nonzero(rows["allowed"]) > 100


def test_corunners_run_in_jobs_that_can_bear_it(tmp_path: Path):
    # 5 + 50 + 20 ms, in which all of the time may be lost: a second bears that 13 times.
    plan = plan_file(tmp_path / "plan", budget_ns=1000 * MS)
    done = run(command(tmp_path, plan))
    assert done.returncode == 0, done.stderr
    rows, is_in_job = readings(tmp_path)
    assert np.mean(rows["allowed"][is_in_job]) > 0.5
    # All of the time is charged, and the job has no mark that gives a part of it back.
    assert np.all(rows["slack_ns"][is_in_job] < 1000 * MS)


def test_job_that_is_longer_than_its_plan_leaves_no_verdict(tmp_path: Path):
    plan = plan_file(tmp_path / "plan", budget_ns=0)
    plan.write_text(plan.read_text().replace(str(LONG_NS), "1000"))
    done = run(command(tmp_path, plan))
    assert (done.returncode, "5 of 5 jobs ran longer than profiled" in done.stderr) == (4, True)


def test_mark_that_the_plan_lacks_leaves_no_verdict(tmp_path: Path):
    plan = plan_file(tmp_path / "plan")
    done = run(command(tmp_path, plan, workload="dijkstra"))
    assert done.returncode == 4
    assert "a job passed mark 1 for the 1. time, which the table does not have" in done.stderr


def test_corunner_on_the_cpu_of_a_task_is_refused(tmp_path: Path):
    done = run(command(tmp_path, plan_file(tmp_path / "plan"), cpu=CPU))
    assert (done.returncode, "give both CPUs of their own" in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize("policy", [("--policy", "other"), ("--policy", "rr", "-f", "50")])
def test_corunner_that_a_guard_cannot_hold_is_refused(policy: tuple[str, ...], tmp_path: Path):
    words = command(tmp_path, plan_file(tmp_path / "plan"))
    at = words.index("--policy")
    done = run([*words[:at], *policy, *words[at + 4 :]])
    assert done.returncode == 2
    assert 'co-runner "load": a guard holds only work of policy fifo or rr' in done.stderr


def test_regulator_on_the_cpu_of_a_task_is_refused(tmp_path: Path):
    done = run(command(tmp_path, plan_file(tmp_path / "plan", core=CPU)))
    assert (done.returncode, "choose another cpu in [regulate]" in done.stderr) == (2, True)


@contextmanager
def running(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Start a long run, and wait until it regulates."""
    words = command(tmp_path, plan_file(tmp_path / "plan"), jobs=1000)
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    rows = tmp_path / "D" / "regulation.npy"
    try:
        # The header is 4096 bytes long.
        wait_until(lambda: rows.exists() and rows.stat().st_size > 4096, f"rows in {rows}")
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("name", ["laxity-guard", "laxity-regulate"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_run_ends_without_verdict_when_its_regulator_or_guard_does(
    name: str, number: int, tmp_path: Path
):
    with running(tmp_path) as process:
        (victim,) = pids_of(process.pid, name)
        corunners = children_of(process.pid, "corunner")
        os.kill(victim, number)
        done = finish(process)
    assert done.code == 4, done.err
    who = "a guard" if name == "laxity-guard" else "the regulator"
    assert f"{who} was killed or stopped by another program" in done.err
    assert not any(map(is_alive, corunners))


def test_no_guard_outlives_a_supervisor_that_was_killed(tmp_path: Path):
    with running(tmp_path) as process:
        left = pids_of(process.pid, "laxity-guard") + pids_of(process.pid, "laxity-regulate")
        assert len(left) == 2
        process.kill()
        wait_until(lambda: not any(map(is_alive, left)), f"the end of {left}")


def pids_of(parent: int, name: str) -> list[int]:
    """Find children by the name that they gave themselves, of which the kernel keeps 15 letters."""
    found = subprocess.run(
        ["pgrep", "-P", str(parent), "-x", name[:15]], capture_output=True, text=True, check=False
    )
    return [int(word) for word in found.stdout.split()]
