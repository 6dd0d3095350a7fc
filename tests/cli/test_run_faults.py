# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Faults of workloads: the message, the exit code, and nothing lost."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from tests.cli.commands import (
    CPU,
    FAULT,
    aborted_job,
    children_of,
    fault_spec,
    finish,
    jobs_of,
    laxity,
    manifest_of,
    needs_fifo,
    needs_two_cpus,
    start,
)
from tests.cli.fault_runs import (
    only_aborted,
    only_task,
    processes_of,
    rows_account_for_every_release,
    run_fault,
    wait_for_rows,
)

from laxity.core.streams import Cause, Status

pytestmark = needs_fifo


def test_crash_after_17_jobs_keeps_them_and_the_aborted_one(tmp_path: Path):
    outcome = run_fault(tmp_path, "crash", 17, jobs="100")
    assert outcome.code == 1
    number = aborted_job(tmp_path / "D")
    assert f'task "fault": killed by signal 11 (SIGSEGV) in job {number};' in outcome.err
    jobs = jobs_of(tmp_path / "D")
    # The 18th job that ran: 17 finished, and all other releases before it were skipped.
    before = jobs["status"][:number]
    assert np.count_nonzero(before <= Status.MISSED) == 17
    assert np.count_nonzero(before == Status.SKIPPED) == number - 17
    aborted = only_aborted(tmp_path)
    assert list(aborted["cause"]) == [Cause.SIGNAL]
    assert np.ma.getmaskarray(aborted["finish_ns"]).all()
    assert not np.ma.getmaskarray(aborted["start_ns"]).any()
    assert manifest_of(tmp_path / "D").status == "failed"


def test_job_that_never_returns_is_killed_at_its_timeout(tmp_path: Path):
    # Far beyond what a loaded machine takes from the jobs before it.
    outcome = run_fault(tmp_path, "hang", 3, jobs="100", job_timeout='"1s"')
    assert outcome.code == 1
    number = aborted_job(tmp_path / "D")
    assert f"in job {number}: longer than its timeout of 1000 ms" in outcome.err
    assert np.count_nonzero(jobs_of(tmp_path / "D")["status"] <= Status.MISSED) == 3
    assert list(only_aborted(tmp_path)["cause"]) == [Cause.TIMEOUT]
    assert only_task(tmp_path).end_cause == "timeout"


def test_exit_in_a_job_is_told_with_its_code(tmp_path: Path):
    outcome = run_fault(tmp_path, "exit", 5, jobs="100")
    assert outcome.code == 1
    assert f"called exit(3) in job {aborted_job(tmp_path / 'D')};" in outcome.err
    assert np.count_nonzero(jobs_of(tmp_path / "D")["status"] <= Status.MISSED) == 5
    assert list(only_aborted(tmp_path)["cause"]) == [Cause.EXIT]


def test_workload_that_finds_its_own_result_wrong_says_why(tmp_path: Path):
    outcome = run_fault(tmp_path, "check", 5, jobs="100")
    assert outcome.code == 1
    assert "sum is 41, expected 42" in outcome.err


def test_init_that_fails_ends_the_run_before_any_release(tmp_path: Path):
    outcome = run_fault(tmp_path, "init-fails", jobs="100")
    assert outcome.code == 1
    assert "its init failed (benchmark_init returned -7)" in outcome.err
    manifest = manifest_of(tmp_path / "D")
    assert manifest.status == "failed"
    assert manifest.clock.t0_ns is None


def test_words_of_a_workload_whose_init_fails_reach_the_user(tmp_path: Path):
    words = ["run", "mem", "1B", "-p", "1ms", "-t", "3", "-c", str(CPU)]
    outcome = laxity(*words, "--run-dir", tmp_path / "D", "--no-report")
    assert outcome.code == 1
    assert 'mem: SIZE "1B": is ' in outcome.err


def test_crash_in_teardown_keeps_all_jobs(tmp_path: Path):
    outcome = run_fault(tmp_path, "teardown-crash", jobs="50")
    assert outcome.code == 1
    assert "in its teardown" in outcome.err
    assert only_task(tmp_path).counts.aborted == 0
    assert only_task(tmp_path).started == 50


def test_workload_that_prints_much_neither_blocks_nor_fills_the_disk(tmp_path: Path):
    # A job prints 2000 lines of at least 43 bytes: 40 jobs print more than 3.4 MB.
    outcome = run_fault(tmp_path, "print", jobs="40", period='"20ms"')
    assert outcome.code == 0
    assert "nobody asked for" not in outcome.out
    log = tmp_path / "D" / "output.log"
    assert 1_000_000 < log.stat().st_size <= 1024 * 1024 + 100
    assert only_task(tmp_path).output_bytes > 3_400_000


def test_teardown_is_called_once_with_the_same_words_after_the_last_job(tmp_path: Path):
    """The words were freed before teardown read them (SIGSEGV)."""
    assert run_fault(tmp_path, "churn", 7, jobs="20").code == 0
    assert (tmp_path / "D" / "output.log").read_text() == "== fault ==\ntorn down after 20 jobs\n"


def test_value_that_a_workload_logs_stands_in_the_row_of_its_own_job(tmp_path: Path):
    """The value was read after the row was written: the last job's, or 0."""
    assert run_fault(tmp_path, "none", jobs="30").code == 0
    jobs = jobs_of(tmp_path / "D")
    started = jobs[jobs["status"] <= Status.MISSED]
    # The workload counts its jobs; after the n-th (from 0) it logs n + 1.
    assert list(started["jobs before(exp:n)"]) == [float(n + 1) for n in range(30)]


def test_status_is_arithmetic_on_the_nominal_release(tmp_path: Path):
    """A job of 4 µs was reported missed because its deadline timer was armed late."""
    spec = fault_spec(tmp_path / "s.toml", "alternate", 1500, jobs="400", deadline='"500us"')
    assert laxity("run", spec, "--run-dir", tmp_path / "D", "--no-report").code == 0
    jobs = jobs_of(tmp_path / "D")
    manifest = manifest_of(tmp_path / "D")
    t0_ns = manifest.clock.t0_ns
    assert list(jobs["release_ns"]) == [t0_ns + n * 1_000_000 for n in range(len(jobs))]
    assert np.all(jobs["abs_deadline_ns"] == jobs["release_ns"] + 500_000)
    finished = ~np.ma.getmaskarray(jobs["finish_ns"])
    late = jobs["finish_ns"][finished] > jobs["abs_deadline_ns"][finished]
    assert list(jobs["status"][finished] == Status.MISSED) == list(late)
    # Every second job spins 1.5 ms: missed, and the next release is skipped.
    assert manifest.tasks[0].counts.missed >= 200
    assert manifest.tasks[0].counts.skipped >= 200


def test_release_that_finds_the_task_running_is_a_row_of_its_own(tmp_path: Path):
    """Periods lost to a long job were invisible: the next job's start counted as its release."""
    # C = 3.5 T: job 0 covers the releases 1, 2, 3; job 4 the releases 5, 6, 7 (design section 4).
    assert run_fault(tmp_path, "spin", 35_000, jobs="2", period='"10ms"').code == 0
    jobs = jobs_of(tmp_path / "D")
    rows_account_for_every_release(tmp_path / "D", manifest_of(tmp_path / "D"))
    assert list(jobs["status"][:4]) == [Status.MISSED, *[Status.SKIPPED] * 3]
    assert np.ma.min(jobs["start_ns"] - jobs["release_ns"]) >= 0


def test_queue_runs_every_job_and_leaves_the_rest_pending(tmp_path: Path):
    # C = 3.5 T, D = 4 T, two jobs: 0 met or missed by latency alone, 1 ends after 7 T > 5 T.
    outcome = run_fault(
        tmp_path, "spin", 35_000, jobs="2", period='"10ms"', deadline='"40ms"', overrun='"queue"'
    )
    assert outcome.code == 0
    jobs = jobs_of(tmp_path / "D")
    assert len(jobs) >= 7
    assert jobs["status"][1] == Status.MISSED
    assert set(jobs["status"][2:]) == {Status.PENDING}


@pytest.mark.parametrize(
    ("mode", "number", "blockings"), [("none", None, 0), ("block", None, 1), ("spin", 950, 0)]
)
def test_a_job_is_not_charged_the_sleep_before_it(
    tmp_path: Path, mode: str, number: int | None, blockings: int
):
    """Switches are read before the sleep, or behind it where the release is as near as 50 us."""
    assert run_fault(tmp_path, mode, number, jobs="30").code == 0
    jobs = jobs_of(tmp_path / "D")
    started = jobs[jobs["status"] <= Status.MISSED]["blockings"]
    assert np.ma.max(started) == blockings
    # A host that takes the CPU away between the arming of a timer and the switch lets the timer end
    # first: that sleep is none, and the job's count one lower or unknown.
    assert np.count_nonzero(np.ma.filled(started == blockings, False)) >= 28  # of 30


def test_memory_of_init_is_present_before_the_first_job(tmp_path: Path):
    """2048 page faults stood in the first job although memory was said to be locked."""
    outcome = laxity(
        "run", "mem", "-b", "8MiB", "-p", "50ms", "-t", "5", "-c", str(CPU),
        "--run-dir", tmp_path / "D", "--no-report",
    )  # fmt: skip
    assert outcome.code == 0
    if not only_task(tmp_path).memory_locked:
        pytest.skip("needs permission to lock memory")
    jobs = jobs_of(tmp_path / "D")
    # 8 MiB are 2048 pages of 4 KiB.
    assert np.ma.sum(jobs["minor_faults"]) < 20


@needs_two_cpus
def test_interference_takes_the_cpus_it_is_given_and_no_more(tmp_path: Path):
    """Starting co-runners looped for ever on two CPUs."""
    other = min(os.sched_getaffinity(0))
    outcome = laxity(
        "run", "empty", "-p", "1ms", "-t", "50", "-c", str(CPU),
        "--interfere", f"bandwidth read 1MiB@{other}", "--run-dir", tmp_path / "D", "--no-report",
    )  # fmt: skip
    assert outcome.code == 0
    (corunner,) = manifest_of(tmp_path / "D").corunners
    assert corunner.cpus == str(other)
    assert corunner.passes_before_t0 >= 1
    assert corunner.passes >= 1
    assert corunner.end_cause == "stopped"


@needs_two_cpus
def test_corunner_that_dies_ends_the_run_without_verdict(tmp_path: Path):
    spec = fault_spec(tmp_path / "s.toml", "none", duration='"30s"')
    other = min(os.sched_getaffinity(0))
    with spec.open("a") as file:
        file.write(f'[[interfere]]\nworkload = "{FAULT}"\nargs = ["block"]\ncpus = "{other}"\n')
    process = start("run", spec, "--run-dir", tmp_path / "D", "--no-report")
    wait_for_rows(tmp_path / "D.tmp")
    (corunner,) = children_of(processes_of(process).supervisor, "harness=corunner")
    os.kill(corunner, signal.SIGSEGV)
    outcome = finish(process)
    assert outcome.code == 4
    assert "died: killed by signal 11 (SIGSEGV)" in outcome.err
    assert manifest_of(tmp_path / "D").corunners[0].end_cause == "signal"
    assert len(jobs_of(tmp_path / "D")) > 0


@pytest.mark.serial
@pytest.mark.slow
def test_hundred_thousand_jobs_have_a_row_for_every_release(tmp_path: Path):
    words = ["run", "empty", "-p", "100us", "-t", "100000", "-c", str(CPU), "-f", "90"]
    assert laxity(*words, "--run-dir", tmp_path / "D", "--no-report").code == 0
    directory = tmp_path / "D"
    manifest = manifest_of(directory)
    rows_account_for_every_release(directory, manifest)
    jobs = jobs_of(directory)
    task = manifest.tasks[0]
    assert task.started == 100_000
    assert np.all(np.diff(jobs["release_ns"]) == 100_000)
    finished = ~np.ma.getmaskarray(jobs["finish_ns"])
    late = jobs["finish_ns"][finished] > jobs["release_ns"][finished] + 100_000
    assert list(jobs["status"][finished] == Status.MISSED) == list(late)
    # A release is skipped if and only if it lies before the finish of the last job that ran.
    last_finish = np.maximum.accumulate(np.ma.filled(jobs["finish_ns"], 0))
    skipped = jobs["status"][1:] == Status.SKIPPED
    assert list(skipped) == list(jobs["release_ns"][1:] < last_finish[:-1])


@pytest.mark.serial
@pytest.mark.slow
def test_sixty_seconds_of_overload_under_queue_survive_the_kernels_limit(tmp_path: Path):
    """RLIMIT_RTTIME kills a FIFO task that never sleeps; each of its jobs ends in time."""
    outcome = run_fault(
        tmp_path, "spin", 2000, duration='"60s"', deadline='"2ms"', overrun='"queue"',
        job_timeout='"1s"',
    )  # fmt: skip
    assert outcome.code == 0
    task = only_task(tmp_path)
    assert task.end_cause == "duration"
    assert task.released == 60_000
    # The soft limit is the timeout + 1 s = 2 s of processor time: about 30 pauses in 60 s.
    assert task.rttime_pauses >= 10
