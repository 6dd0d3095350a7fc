# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity run --trace`: recorded, not permitted, and with a recorder or a caller that is killed."""

import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from tests.cli.commands import (
    BUILT,
    CPU,
    fault_spec,
    finish,
    jobs_of,
    laxity,
    manifest_of,
    needs_fifo,
    start,
)
from tests.cli.laxity_command import PATIENCE_S, Laxity

from laxity.model.streams import SchedKind
from laxity.store.npy import read_stream
from laxity.store.run_directory import open_run

REASON = "perf: CPU 0 may not be watched (Permission denied); run as root"


@pytest.fixture(scope="module")
def may_trace(tmp_path_factory: pytest.TempPathFactory) -> None:
    directory = tmp_path_factory.mktemp("tried") / "D"
    tool = BUILT.tools / "native" / "laxity-trace"
    words: list[str | Path] = [tool, "--run-dir", directory]
    if (
        subprocess.run([*words, "--duration", "1ms"], capture_output=True, check=False).returncode
        == 3
    ):
        pytest.skip("needs permission to trace the scheduler")


def refusing_tools(directory: Path) -> dict[str, str]:
    """Our programs, with a laxity-trace that no kernel lets record."""
    tools = directory / "tools"
    (tools / "native").mkdir(parents=True)
    (tools / "workloads").symlink_to(BUILT.tools / "workloads")
    (tools / "native" / "laxity-run").symlink_to(BUILT.tools / "native" / "laxity-run")
    refusing = tools / "native" / "laxity-trace"
    refusing.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && exec echo laxity-trace 0.1.0\n'
        f'echo "laxity-trace: {REASON}" >&2\nexit 3\n'
    )
    refusing.chmod(0o755)
    return {"LAXITY_TOOLS": str(tools)}


@needs_fifo
@pytest.mark.usefixtures("may_trace")
def test_trace_covers_every_job_of_the_run(laxity: Laxity):
    run = laxity.run("empty", "-p", "2ms", "-t", "50", "-c", str(CPU), "--trace")
    trace = run.manifest.trace
    assert trace is not None
    assert (trace.backend, trace.lost) == ("perf", 0)
    assert trace.supplies == ["off", "on", "fork", "exit"]
    assert run.manifest.fallbacks == []
    assert {"sched.npy", "threads.npy"} <= set(run.manifest.files)
    assert not (run.path / "trace.json").exists()
    assert run.verify() == []
    rows, jobs = run.stream("sched"), run.stream("jobs")
    assert run.manifest.tables["sched.npy"] == len(rows) == sum(cpu.rows for cpu in trace.cpus)
    assert trace.started_ns is not None
    assert trace.stopped_ns is not None
    assert trace.started_ns < int(jobs["release_ns"][0])
    assert trace.stopped_ns > int(jobs["finish_ns"][-1])
    # The job sleeps between two releases: it comes on before each start, and goes off after it.
    task = rows[np.ma.getdata(rows["tid"]) == int(jobs["tid"][0])]
    on = np.ma.getdata(task["time_ns"])[np.ma.getdata(task["kind"]) == SchedKind.ON]
    for job in jobs:
        assert np.any((on > int(job["release_ns"])) & (on < int(job["start_ns"])))


@needs_fifo
def test_run_without_permission_to_trace_goes_on_and_says_so(laxity: Laxity):
    words = ("run", "empty", "-p", "2ms", "-t", "5", "-c", str(CPU), "--trace", "--no-report")
    tools = refusing_tools(laxity.directory)
    done = laxity(*words, "--run-dir", "D", "--quiet", environment=tools)
    assert done.returncode == 0
    assert done.stderr == f"laxity run: trace: used none instead: {REASON}\n"
    assert f"fallback: trace: none used ({REASON})\n" in done.stdout
    run = open_run(laxity.directory / "D")
    assert run.manifest.trace is not None
    assert (run.manifest.trace.backend, run.manifest.trace.lost) == (None, None)
    assert [(one.what, one.used) for one in run.manifest.fallbacks] == [("trace", "none")]
    assert not run.has_stream("sched")
    assert run.verify() == []


def test_back_end_that_was_asked_for_by_name_is_not_replaced(laxity: Laxity):
    words = ("run", "empty", "-p", "2ms", "-t", "5", "-c", str(CPU), "--trace-backend", "perf")
    tools = refusing_tools(laxity.directory)
    done = laxity(*words, "--run-dir", "D", "--quiet", environment=tools)
    assert done.returncode == 3
    assert done.stderr == f"laxity run: trace: {REASON}\n"
    assert not list(laxity.directory.glob("D*"))


def kill_within(tmp_path: Path, victim: str) -> None:
    """Kill the recorder or the caller in the middle of a run, and let the run end."""
    spec = fault_spec(tmp_path / "D.toml", "none", duration='"3s"', period='"1ms"')
    process = start(
        "run", spec, "--trace", "--run-dir", tmp_path / "D", "--no-report", is_own_session=True
    )
    stream, end_s = tmp_path / "D.tmp" / "jobs.npy", time.monotonic() + PATIENCE_S
    # The header is 4096 bytes long.
    while not (stream.exists() and stream.stat().st_size > 4096):
        assert time.monotonic() < end_s
        time.sleep(0.01)
    found = subprocess.run(
        ["pgrep", "-P", str(process.pid), "-f", "laxity-trace --run-dir"],
        capture_output=True,
        text=True,
        check=True,
    )
    time.sleep(0.7)
    os.kill(int(found.stdout) if victim == "recorder" else process.pid, signal.SIGKILL)
    finish(process)


@needs_fifo
@pytest.mark.usefixtures("may_trace")
def test_recorder_that_is_killed_costs_the_verdict_not_the_run(tmp_path: Path):
    kill_within(tmp_path, "recorder")
    manifest = manifest_of(tmp_path / "D")
    assert (manifest.status, manifest.exit_code) == ("complete", 0)
    assert len(jobs_of(tmp_path / "D")) == 3000
    assert manifest.trace is not None
    assert (manifest.trace.backend, manifest.trace.lost) == (None, None)
    assert manifest.fallbacks[0].reason.startswith("laxity-trace was killed")
    assert len(read_stream(tmp_path / "D" / "sched.npy")) > 0


@needs_fifo
@pytest.mark.usefixtures("may_trace")
def test_trace_is_whole_after_its_caller_was_killed(tmp_path: Path):
    kill_within(tmp_path, "caller")
    end_s = time.monotonic() + PATIENCE_S
    while not (tmp_path / "D").exists():
        assert time.monotonic() < end_s
        time.sleep(0.05)
    assert laxity("show", tmp_path / "D").code == 0
    run = open_run(tmp_path / "D")
    assert run.manifest.status == "recovered"
    assert run.manifest.trace is not None
    assert run.manifest.trace.backend == "perf"
    assert run.verify() == []
    assert sum(cpu.rows for cpu in run.manifest.trace.cpus) == len(run.stream("sched"))
