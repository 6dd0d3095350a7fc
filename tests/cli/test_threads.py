# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Workloads that fork to threads and join them, as whole commands."""

import os
import re
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from tests.cli.commands import (
    BUILT,
    CPU,
    Outcome,
    finish,
    jobs_of,
    laxity,
    manifest_of,
    needs_fifo,
    needs_two_cpus,
    start,
)
from tests.cli.laxity_command import PATIENCE_S

from laxity.store.npy import read_stream

FORKER = BUILT.tools / "tests" / "native" / "forker"
JOBS = 30
ALL_CPUS = ",".join(map(str, sorted(os.sched_getaffinity(0))))
BOTH_WAYS = pytest.mark.parametrize("mode", ["init", "job"])


def forker_spec(tmp_path: Path, mode: str, run: str = f"jobs = {JOBS}", **keys: str) -> Path:
    task = {"period": '"10ms"', "deadline": '"none"', "policy": '"other"', "cpus": f'"{ALL_CPUS}"'}
    lines = ["schema = 1", "[run]", run, "[[task]]", 'name = "forker"', f'workload = "{FORKER}"']
    lines += [f'args = ["{mode}"]', *(f"{key} = {value}" for key, value in (task | keys).items())]
    spec = tmp_path / "forker.toml"
    spec.write_text("\n".join(lines) + "\n")
    return spec


def run_forker(tmp_path: Path, mode: str, run: str = f"jobs = {JOBS}", **keys: str) -> Outcome:
    spec = forker_spec(tmp_path, mode, run, **keys)
    outcome = laxity("run", spec, "--run-dir", tmp_path / "D", "--no-report")
    assert outcome.code == 0, outcome.err
    return outcome


def finished_jobs(directory: Path) -> np.ndarray:
    jobs = np.ma.getdata(jobs_of(directory))
    return jobs[jobs["status"] <= 1]


def what_the_thread_saw(directory: Path) -> str:
    found = re.search(r"second thread: (.*)", (directory / "output.log").read_text())
    assert found
    return found[1]


@BOTH_WAYS
def test_jobs_count_the_processor_time_of_every_thread(tmp_path: Path, mode: str):
    run_forker(tmp_path, mode, threads="2")
    jobs = finished_jobs(tmp_path / "D")
    assert len(jobs) == JOBS
    # What the thread measured of itself, in whole microseconds, is in its own job, not in the next
    # one: that one is of another length.
    assert np.all(jobs["burned_us"] >= 500)
    assert np.all(jobs["exec_ns"] >= jobs["burned_us"].astype(np.int64) * 1000)
    assert manifest_of(tmp_path / "D").fallbacks == []


@needs_fifo
@needs_two_cpus
@pytest.mark.serial
def test_time_of_a_thread_that_still_runs_when_the_job_ends_counts_in_that_job(tmp_path: Path):
    """The kernel's clock of a process lags behind for such a thread, up to its next tick."""
    run_forker(tmp_path, "beside", threads="2", policy='"fifo"')
    jobs = finished_jobs(tmp_path / "D")
    # Jobs 0, 2, ...: the thread has done one half of its work when they end. The whole of it is
    # told after the next job.
    work_ns = jobs["burned_us"][1::2].astype(np.int64) * 1000
    assert len(work_ns) == JOBS // 2
    # Half the bound and most of the jobs: the halves are equal in work, not to the nanosecond.
    assert np.mean(jobs["exec_ns"][0::2] >= work_ns / 4) > 0.5
    # The other half is not lost: it counts in jobs 1, 3, ..., whose own thread does nothing.
    assert jobs["exec_ns"].sum() >= work_ns.sum()


@BOTH_WAYS
def test_threads_that_are_not_declared_are_told(tmp_path: Path, mode: str):
    outcome = run_forker(tmp_path, mode)
    jobs = finished_jobs(tmp_path / "D")
    # The main thread only waits; were the second one counted, no job would be below its time.
    assert np.any(jobs["exec_ns"] < jobs["burned_us"].astype(np.int64) * 1000)
    (fallback,) = manifest_of(tmp_path / "D").fallbacks
    assert fallback.what == "forker: threads 1"
    assert fallback.used == {"init": "2", "job": "more"}[mode]
    assert "set the task's threads to" in fallback.reason
    assert "fallback: forker: threads 1" in outcome.out


def test_declared_threads_that_were_never_made_are_no_fallback(tmp_path: Path):
    spec = forker_spec(tmp_path, "init", threads="5")
    assert laxity("run", spec, "--run-dir", tmp_path / "D", "--no-report").code == 0
    manifest = manifest_of(tmp_path / "D")
    assert manifest.fallbacks == []
    assert manifest.tasks[0].threads_seen == 2


def test_threads_npy_lists_the_threads_of_every_task(tmp_path: Path):
    run_forker(tmp_path, "init", threads="2")
    rows = read_stream(tmp_path / "D" / "threads.npy")
    manifest, jobs = manifest_of(tmp_path / "D"), finished_jobs(tmp_path / "D")
    main, second = rows
    assert (main["tid"], main["pid"]) == (jobs["tid"][0], main["tid"])
    assert (second["pid"], second["task"]) == (main["pid"], 0)
    assert second["tid"] != main["tid"]
    assert second["comm"] == b"forker"
    for row in rows:
        assert row["from_ns"] == manifest.clock.t0_ns
        assert row["to_ns"] == manifest.tasks[0].end_ns


@needs_fifo
@BOTH_WAYS
def test_threads_run_under_the_policy_and_on_the_cpus_of_their_task(tmp_path: Path, mode: str):
    run_forker(tmp_path, mode, threads="2", policy='"fifo"', priority="42", cpus=f'"{CPU}"')
    expected = "policy 1, priority 42, 1 CPUs, signals blocked, interrupted 0 times"
    assert what_the_thread_saw(tmp_path / "D") == expected


def test_signal_to_the_process_interrupts_no_system_call_of_a_thread(tmp_path: Path):
    """Each of the jobs sends SIGXCPU, as RLIMIT_RTTIME would, while a thread waits in read()."""
    run_forker(tmp_path, "blocked", threads="2")
    assert "signals blocked, interrupted 0 times" in what_the_thread_saw(tmp_path / "D")
    # The main thread gets it, between jobs.
    assert manifest_of(tmp_path / "D").tasks[0].rttime_pauses > 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_interrupted_run_interrupts_no_system_call_of_a_thread(tmp_path: Path, number: int):
    spec = forker_spec(tmp_path, "init", 'duration = "60s"', threads="2")
    process = start("run", spec, "--run-dir", tmp_path / "D", "--no-report")
    end_s = time.monotonic() + PATIENCE_S
    while not (tmp_path / "D.tmp" / "jobs.npy").exists() and time.monotonic() < end_s:
        time.sleep(0.05)
    time.sleep(0.3)  # some jobs
    process.send_signal(number)
    assert finish(process).code == 130
    (task,) = manifest_of(tmp_path / "D").tasks
    if task.counts.aborted == 0:  # in a job it is killed at once, and then nothing is torn down
        assert "signals blocked, interrupted 0 times" in what_the_thread_saw(tmp_path / "D")


@needs_fifo
@needs_two_cpus
@pytest.mark.serial
def test_bundled_workload_runs_its_threads_side_by_side(tmp_path: Path):
    words = ["-b", "small 2", "--threads", "2", "-p", "10ms", "-c", ALL_CPUS, "-t", "50"]
    where = ["--seed", "1", "--run-dir", str(tmp_path / "D"), "--no-report"]
    outcome = laxity("run", "parallel", *words, *where)
    assert outcome.code == 0, outcome.err
    manifest = manifest_of(tmp_path / "D")
    assert manifest.fallbacks == []
    assert manifest.tasks[0].threads_seen == 2
    assert "digest=63253013" in (tmp_path / "D" / "output.log").read_text()
    spec_text = (tmp_path / "D" / "spec.toml").read_text()
    assert "threads = 2" in spec_text
