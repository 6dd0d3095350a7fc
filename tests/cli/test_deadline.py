# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Policy deadline on this machine: what runs, what the kernel refuses, and who stops it."""

import ctypes
import os
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
from tests.cli.commands import (
    BUILT,
    CPU,
    aborted_job,
    fault_spec,
    jobs_of,
    laxity,
    manifest_of,
    needs_two_cpus,
    start,
)
from tests.waiting import wait_until

from laxity.core.cpus import format_cpus
from laxity.core.streams import Cause, Status

ALL_CPUS = format_cpus(os.sched_getaffinity(0))
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


def can_reserve() -> bool:
    """Try it in a child: root, an exclusive set of CPUs or all of them, bandwidth left."""
    pid = os.fork()
    if pid == 0:
        # struct sched_attr: size, policy 6, reset on fork, nice, priority, 1 ms in 10 ms of 10 ms.
        attributes = struct.pack("IIQiIQQQ", 48, 6, 1, 0, 0, 10**6, 10**7, 10**7)
        number = {"x86_64": 314, "aarch64": 274, "riscv64": 274}.get(os.uname().machine, -1)
        os._exit(ctypes.CDLL(None).syscall(number, 0, attributes, 0) != 0)
    return os.waitpid(pid, 0)[1] == 0


pytestmark = pytest.mark.skipif(not can_reserve(), reason="needs permission for SCHED_DEADLINE")


def run(tmp_path: Path, *words: str):
    line = ("run", "empty", "-p", "10ms", "-t", "20", "--run-dir", tmp_path / "D", "--no-report")
    return laxity(*line, *words)


def test_jobs_of_a_reservation_are_measured_as_others(tmp_path: Path):
    outcome = run(tmp_path, "--runtime", "1ms")
    assert (outcome.code, outcome.err) == (0, "")
    (task,) = manifest_of(tmp_path / "D").tasks
    assert (task.policy, task.priority, task.runtime_ns) == ("deadline", None, 1_000_000)
    assert task.started == 20
    assert "deadline 1 ms per period on CPUs" in laxity("show", tmp_path / "D").out


def test_letters_of_rt_bench_mean_the_same_with_units(tmp_path: Path):
    outcome = run(tmp_path, "-P", "10ms", "-D", "8ms", "-T", "1ms")
    assert outcome.code == 0, outcome.err
    (task,) = manifest_of(tmp_path / "D").tasks
    assert (task.policy, task.deadline_ns, task.runtime_ns) == ("deadline", 8_000_000, 1_000_000)
    plain = run(tmp_path, "-P", "10000000", "-T", "1ms")
    assert plain.code == 2
    assert '-P: "10000000" has no unit; write 10000000us or 10000000ns' in plain.err


def test_job_that_never_returns_is_killed_though_it_outranks_the_killer(tmp_path: Path):
    spec = fault_spec(
        tmp_path / "fault.toml",
        "hang",
        3,
        jobs="100",
        period='"10ms"',
        policy='"deadline"',
        # Less than half a CPU: whatever else runs here goes on.
        runtime='"4ms"',
        cpus=f'"{ALL_CPUS}"',
        # Far beyond what a loaded machine takes from the jobs before it.
        job_timeout='"1s"',
    )
    outcome = laxity("run", spec, "--run-dir", tmp_path / "D", "--no-report")
    assert outcome.code == 1
    number = aborted_job(tmp_path / "D")
    assert f"in job {number}: longer than its timeout of 1000 ms" in outcome.err
    jobs = jobs_of(tmp_path / "D")
    assert np.count_nonzero(jobs["status"] <= Status.MISSED) == 3
    assert list(jobs["cause"][jobs["status"] == Status.ABORTED]) == [Cause.TIMEOUT]


@needs_two_cpus
def test_task_bound_to_one_cpu_is_refused_with_what_to_do(tmp_path: Path):
    outcome = run(tmp_path, "-T", "1ms", "-c", str(CPU))
    assert outcome.code == 3
    assert f"cannot use deadline: bound to CPUs {CPU} of " in outcome.err
    assert not (tmp_path / "D").exists()


@pytest.mark.parametrize(
    ("period", "bound"), [("50us", "sched_deadline_period_min_us"), ("8s", "_period_max_us")]
)
def test_period_outside_the_kernels_bounds_is_refused(tmp_path: Path, period: str, bound: str):
    outcome = run(tmp_path, "-p", period, "-T", "10us")
    assert outcome.code == 3
    assert bound in outcome.err


def test_bandwidth_that_is_not_left_is_refused(tmp_path: Path):
    # As many tasks of 90 % as there are CPUs pass our own check, and not the kernel's.
    task = '[[task]]\nname = "t{}"\nworkload = "empty"\nperiod = "10ms"\npolicy = "deadline"\n'
    others = 'runtime = "9ms"\n'
    n = len(os.sched_getaffinity(0))
    spec = tmp_path / "spec.toml"
    spec.write_text("schema = 1\n" + "".join(task.format(i) + others for i in range(n)))
    words = ("-p", "5ms", "--duration", "60s", "-T", "1500us", "--no-report")
    hold = start("run", "empty", *words, "--run-dir", tmp_path / "H")
    rows = tmp_path / "H.tmp" / "jobs.npy"
    try:
        wait_until(lambda: rows.exists() and rows.stat().st_size > 4096, "the first reservation")
        outcome = laxity("run", spec, "-t", "5", "--run-dir", tmp_path / "D", "--no-report")
    finally:
        hold.terminate()
        hold.communicate()
    assert outcome.code == 3
    assert "90 % of a CPU is more than SCHED_DEADLINE has left" in outcome.err


def test_user_without_the_capability_is_told_that_no_limit_helps():
    # The executable itself: laxity's Python may lie where another user cannot read it.
    words = ("-p", "0.01", "-t", "5", "-P", "10000000", "-T", "1000000")
    empty = BUILT.tools / "workloads" / "empty"
    done = subprocess.run([*NOBODY, empty, *words], capture_output=True, text=True, check=False)
    if "Permission denied" in done.stderr:
        pytest.skip("needs a checkout that other users may read")
    assert (done.returncode, done.stdout) == (3, "")
    assert "it needs CAP_SYS_NICE whatever RLIMIT_RTPRIO allows; run as root" in done.stderr
