# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Programs that their control group keeps from running: named, and no thread is blamed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cli.commands import (
    LAXITY,
    Outcome,
    environment,
    finish,
    laxity,
    manifest_of,
    start,
)
from tests.cli.laxity_command import PATIENCE_S
from tests.cli.test_traced_runs import may_trace  # noqa: F401 - a fixture
from tests.waiting import wait_until

from laxity.cli.summary import summary_document
from laxity.store.run_directory import open_run

GROUPS = Path("/sys/fs/cgroup")
# Computes for 5 ms, sleeps for 15.
PROGRAM = """
import time
while True:
    until = time.monotonic() + 0.005
    while time.monotonic() < until: pass
    time.sleep(0.015)
"""

pytestmark = [pytest.mark.serial, pytest.mark.usefixtures("may_trace")]


@contextmanager
def group(controller: str, settings: dict[str, str]) -> Iterator[Path]:
    """Make a control group of version 1; at the end its processes are killed."""
    directory = GROUPS / controller / f"laxity-test-{os.getpid()}"
    try:
        directory.mkdir()
        for name, value in settings.items():
            (directory / name).write_text(value)
    except OSError:
        pytest.skip(f"needs permission to make a control group with {controller} of version 1")
    try:
        yield directory
    finally:
        directory.rmdir()


@contextmanager
def running(directory: Path, *words: str) -> Iterator[int]:
    script = f'echo $$ > {directory}/cgroup.procs; exec "$@"'
    with subprocess.Popen(["sh", "-c", script, "sh", *words]) as process:
        try:
            time.sleep(0.3)
            yield process.pid
        finally:
            process.kill()


def observe(tmp_path: Path, pid: int, *words: str) -> Outcome:
    return laxity("observe", str(pid), "--duration", "2s", "--run-dir", tmp_path / "D", "--quiet",
                  "--no-report", *words)  # fmt: skip


def test_program_that_its_quota_stopped_is_not_called_preempted(tmp_path: Path):
    """60 of 97 periods were throttled: "preempted", and another program was blamed for it."""
    quota = {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "4000"}
    with group("cpu", quota) as directory, running(directory, sys.executable, "-c", PROGRAM) as pid:
        outcome = observe(tmp_path, pid)
    (use,) = (group for group in manifest_of(tmp_path / "D").groups if group.path == str(directory))
    # 5 ms of every 20 need a quarter of a CPU, and may have 4 %.
    assert 0 < use.throttled <= use.periods
    assert use.throttled_ns > 0
    told = f"note: control group {directory} was throttled in {use.throttled} of {use.periods} "
    assert told in outcome.out
    assert "an estimated period may be that of the quota" in outcome.out
    assert "most of all by" not in outcome.out
    if "the trace explains no job" not in outcome.out:
        assert "preempted or throttled by the quota of their control group" in outcome.out
    task = summary_document(open_run(tmp_path / "D"))["runs"][0]["tasks"][0]
    assert task["trace"]["is_throttled_by_quota"]
    assert task["trace"]["preempted_by"] == []


def test_doctor_of_an_observation_looks_at_the_programs_group(tmp_path: Path):
    quota = {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "60000"}
    with group("cpu", quota) as directory, running(directory, sys.executable, "-c", PROGRAM) as pid:
        observe(tmp_path, pid)
    doctor = open_run(tmp_path / "D").doctor
    for when in ("before", "after"):
        (check,) = (check for check in doctor[when]["checks"] if check["id"] == "cpu-quota")
        assert check["value"] == f"{directory}/cpu.cfs_quota_us: 60000"
    assert not any("quota" in line for line in manifest_of(tmp_path / "D").doctor_drift)


def test_frozen_program_is_told_as_such(tmp_path: Path):
    with group("freezer", {}) as directory, running(directory, "sleep", str(PATIENCE_S)) as pid:
        (directory / "freezer.state").write_text("FROZEN")
        outcome = observe(tmp_path, pid)
        (directory / "freezer.state").write_text("THAWED")
    assert outcome.code == 4
    assert f"control group {directory} is frozen" in manifest_of(tmp_path / "D").message


def test_stopped_program_is_told_as_such(tmp_path: Path):
    with subprocess.Popen(["sleep", str(PATIENCE_S)]) as process:
        process.send_signal(signal.SIGSTOP)
        outcome = observe(tmp_path, process.pid)
        process.kill()
    assert outcome.code == 4
    assert f"process {process.pid} is stopped" in manifest_of(tmp_path / "D").message


def test_stop_during_an_observation_leaves_no_verdict(tmp_path: Path):
    """A job over it took as long as the stop, with exit code 0."""
    with subprocess.Popen([sys.executable, "-c", PROGRAM]) as process:
        words = ("--duration", "3s", "--run-dir", tmp_path / "D", "--quiet", "--no-report")
        observer = start("observe", str(process.pid), *words)
        stream = tmp_path / "D.tmp" / "sched.npy"
        wait_until(lambda: stream.exists() and stream.stat().st_size > 4096, "rows of the trace")
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.3)
        process.send_signal(signal.SIGCONT)
        outcome = finish(observer)
        process.kill()
    manifest = manifest_of(tmp_path / "D")
    if manifest.trace is None or "wakeup" not in manifest.trace.supplies:
        pytest.skip("needs permission to trace the scheduler by BPF")
    assert outcome.code == 4, outcome.err
    assert "stopped by a signal or a debugger (1 times)" in manifest.message


def test_tasks_of_a_run_in_a_group_with_a_quota_are_told(tmp_path: Path):
    quota = {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "60000"}
    words = ["run", "cpu", "2000", "4000", "-p", "10ms", "-t", "50", "--policy", "other", "--quiet"]
    with group("cpu", quota) as directory:
        script = f'echo $$ > {directory}/cgroup.procs; exec "$@"'
        command = ["sh", "-c", script, "sh", *LAXITY, *words, "--run-dir", str(tmp_path / "D")]
        subprocess.run(
            [*command, "--no-report"], env=environment(), check=False, timeout=PATIENCE_S
        )
    (use,) = (group for group in manifest_of(tmp_path / "D").groups if group.path == str(directory))
    assert use.quota_us == 60_000
