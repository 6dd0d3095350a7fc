# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity run --stop-on`: real runs whose job N misses its deadline by construction.

Job N spins for 20 ms of a deadline of 10 ms. On a loaded machine a job before it may be late too:
then that one is the first, and all the same must hold for it.
"""

import json
import os
import signal
import time
from pathlib import Path

import pytest
from tests.cli.commands import (
    CPU,
    FAULT,
    jobs_of,
    laxity,
    manifest_of,
    needs_fifo,
    needs_two_cpus,
    start,
)
from tests.cli.laxity_command import PATIENCE_S

from laxity.core.streams import Status
from laxity.report.read_run import read_page
from laxity.store.npy import read_stream
from laxity.store.run_directory import open_run
from laxity.trace.attribution import Verdict

# Long enough that a run which does not stop is noticed, by its length in jobs.
ENDLESS = '"600s"'
MS = 1_000_000


def late_spec(path: Path, job: int, run: str, more: str = "", deadline: str = "10ms") -> Path:
    path.write_text(
        f"schema = 1\n[run]\n{run}\n"
        f'[[task]]\nname = "late"\nworkload = "{FAULT}"\nargs = ["late", "{job}"]\n'
        f'period = "10ms"\ndeadline = "{deadline}"\npolicy = "other"\ncpus = "{CPU}"\n{more}'
    )
    return path


def run_late(tmp_path: Path, job: int, run: str, more: str = "", deadline: str = "10ms") -> Path:
    spec = late_spec(tmp_path / "late.toml", job, run, more, deadline)
    outcome = laxity("run", spec, "--run-dir", tmp_path / "D", "--no-report", "--quiet")
    assert outcome.code == 0, outcome.err
    return tmp_path / "D"


def test_the_run_ends_at_the_first_miss_and_says_at_which_job(tmp_path: Path):
    directory = run_late(tmp_path, 20, f'duration = {ENDLESS}\nstop_on = "miss"')
    manifest, jobs = manifest_of(directory), jobs_of(directory)
    assert (manifest.status, manifest.exit_code, manifest.message) == ("complete", 0, "")
    first = jobs[jobs["status"] == Status.MISSED][0]
    stop = manifest.stop
    assert (stop.condition, stop.task, stop.job) == ("miss", 0, first["job"])
    assert stop.job <= 20
    times = (stop.release_ns, stop.abs_deadline_ns, stop.finish_ns)
    assert times == tuple(first[name] for name in ("release_ns", "abs_deadline_ns", "finish_ns"))
    assert stop.finish_ns <= stop.seen_ns <= manifest.tasks[0].end_ns <= manifest.clock.end_ns
    assert manifest.tasks[0].end_cause == "stopped"
    assert manifest.tasks[0].counts.aborted == 0
    words = f'topped on miss: job {stop.job} of task "late": finished '
    assert f"s{words}" in laxity("show", directory).out
    assert laxity("report", directory).code == 0
    assert f"S{words}" in page_of(directory)
    document = json.loads(laxity("show", directory, "--format", "json").out)
    assert document["stop"]["job"] == stop.job


def page_of(directory: Path) -> str:
    return (directory / "report.html").read_text().replace("&#34;", '"')


@pytest.mark.parametrize("isolation", ["", "exec"])
def test_no_job_starts_behind_the_one_that_the_run_stops_on(tmp_path: Path, isolation: str):
    """The condition was met in job 0, and 43 jobs ran: only the drain process judged."""
    # Job 0 of "late" spins for 20 ms of a deadline of 1 ms, a shell needs more than 1 us: the first
    # job is the one. Job 20, the next release after job 0 of "late", is 1 ms away or less.
    spec = tmp_path / "late.toml"
    what = f'workload = "{FAULT}"\nargs = ["late", "0"]'
    deadline = "1ms"
    if isolation:
        what, deadline = 'exec = ["/bin/sh", "-c", ":"]\nisolation = "exec"', "1us"
    spec.write_text(
        f'schema = 1\n[run]\nduration = {ENDLESS}\nstop_on = "miss"\n[[task]]\nname = "late"\n'
        f'{what}\nperiod = "1ms"\ndeadline = "{deadline}"\npolicy = "other"\ncpus = "{CPU}"\n'
    )
    outcome = laxity("run", spec, "--run-dir", tmp_path / "D", "--no-report", "--quiet")
    assert outcome.code == 0, outcome.err
    manifest, jobs = manifest_of(tmp_path / "D"), jobs_of(tmp_path / "D")
    assert (manifest.stop.job, manifest.tasks[0].started) == (0, 1)
    assert jobs["job"][jobs["status"] <= Status.MISSED].tolist() == [0]
    assert manifest.tasks[0].end_cause == "stopped"
    assert manifest.stop.finish_ns <= manifest.stop.seen_ns == manifest.tasks[0].end_ns


def test_the_run_ends_at_a_longer_response_also_without_deadlines(tmp_path: Path):
    run = f'duration = {ENDLESS}\nstop_on = "response > 15ms"'
    directory = run_late(tmp_path, 5, run, deadline="none")
    stop, jobs = manifest_of(directory).stop, jobs_of(directory)
    response_ns = jobs["finish_ns"] - jobs["release_ns"]
    assert stop.job == jobs["job"][response_ns > 15 * MS][0]
    assert (stop.condition, stop.abs_deadline_ns) == ("response>15ms", None)


@needs_two_cpus
def test_a_job_that_runs_elsewhere_may_finish(tmp_path: Path):
    # The other task's only job lasts 1 s, far beyond the miss; no second one starts.
    other = (
        f'[[task]]\nname = "long"\nworkload = "{FAULT}"\nargs = ["spin", "1000000"]\n'
        f'period = "2s"\ndeadline = "none"\npolicy = "other"\ncpus = "{CPU - 1}"\n'
    )
    directory = run_late(tmp_path, 5, f'duration = {ENDLESS}\nstop_on = "miss"', other)
    manifest, jobs = manifest_of(directory), jobs_of(directory)
    assert [task.end_cause for task in manifest.tasks] == ["stopped", "stopped"]
    rows = jobs[jobs["task"] == 1]
    assert rows["status"].tolist() == [Status.DONE]
    assert rows["finish_ns"][0] > manifest.stop.seen_ns


@needs_two_cpus
def test_co_runners_go_on_until_the_last_job_and_are_stopped(tmp_path: Path):
    more = f'[[interfere]]\nworkload = "bandwidth"\nargs = ["write", "1MiB"]\ncpus = "{CPU - 1}"\n'
    directory = run_late(tmp_path, 5, f'duration = {ENDLESS}\nstop_on = "miss"', more)
    manifest = manifest_of(directory)
    assert manifest.stop is not None
    assert manifest.corunners[0].end_cause == "stopped"


def test_a_run_without_such_a_job_goes_on_to_its_end(tmp_path: Path):
    run = 'jobs = 5\nstop_on = "response>10s"'
    manifest = manifest_of(run_late(tmp_path, 100, run))
    assert manifest.stop is None
    assert (manifest.tasks[0].end_cause, manifest.tasks[0].started) == ("jobs", 5)
    assert "stopped on" not in laxity("show", tmp_path / "D").out


def test_a_miss_in_the_last_job_is_told_though_the_run_was_over(tmp_path: Path):
    manifest = manifest_of(run_late(tmp_path, 0, 'jobs = 1\nstop_on = "miss"'))
    assert (manifest.stop.job, manifest.tasks[0].end_cause) == (0, "jobs")


def test_a_limit_is_judged_as_ever(tmp_path: Path):
    run = f'duration = {ENDLESS}\nstop_on = "miss"\nmax_misses = 0'
    spec = late_spec(tmp_path / "late.toml", 5, run)
    outcome = laxity("run", spec, "--run-dir", tmp_path / "D", "--no-report", "--quiet")
    assert outcome.code == 1
    assert manifest_of(tmp_path / "D").stop is not None


def traced(directory: Path) -> None:
    if manifest_of(directory).trace.backend is None:
        pytest.skip("needs permission to trace the scheduler")


@pytest.mark.serial
@needs_fifo
def test_the_trace_holds_the_last_100_ms_before_the_job(tmp_path: Path):
    spec = late_spec(
        tmp_path / "late.toml", 60, f'duration = {ENDLESS}\nstop_on = "miss"\ntrace = true'
    )
    spec.write_text(spec.read_text().replace('"other"', '"fifo"'))
    outcome = laxity("run", spec, "--run-dir", tmp_path / "D", "--quiet")
    assert outcome.code == 0, outcome.err
    directory = tmp_path / "D"
    traced(directory)
    manifest, rows = manifest_of(directory), read_stream(directory / "sched.npy")
    trace, stop = manifest.trace, manifest.stop
    assert trace.started_ns == min(stop.finish_ns - 100 * MS, stop.release_ns)
    assert rows["time_ns"].min() >= trace.started_ns
    assert trace.stopped_ns >= stop.finish_ns
    assert trace.dropped > 0
    assert sum(cpu.rows for cpu in trace.cpus) == len(rows)
    assert all(cpu.steal_ns is None for cpu in trace.cpus)
    for cpu in trace.cpus:
        here = rows[rows["cpu"] == cpu.cpu]["seq"]
        if not cpu.lost:
            assert sorted(here.tolist()) == list(range(cpu.rows))
    pieces = read_page(open_run(directory)).runs[0].attributions[0].pieces
    before = pieces.job < stop.job - 12  # released more than 100 ms before the end of the job
    assert set(pieces.verdict[before]) <= {Verdict.NOT_COVERED}
    assert Verdict.NOT_COVERED not in pieces.verdict[pieces.job == stop.job]
    assert "only the end of the trace was kept" in page_of(directory)


@pytest.mark.serial
def test_without_such_a_job_the_trace_holds_the_last_100_ms_of_the_run(tmp_path: Path):
    directory = run_late(tmp_path, 1000, 'jobs = 30\nstop_on = "response>10s"\ntrace = true')
    traced(directory)
    manifest = manifest_of(directory)
    assert manifest.trace.started_ns == manifest.clock.end_ns - 100 * MS


@pytest.mark.serial
def test_a_killed_laxity_leaves_a_whole_trace(tmp_path: Path):
    spec = late_spec(
        tmp_path / "late.toml", 10_000, f'duration = {ENDLESS}\nstop_on = "miss"\ntrace = true'
    )
    process = start("run", spec, "--run-dir", tmp_path / "D", "--no-report", is_own_session=True)
    jobs, end_s = tmp_path / "D.tmp" / "jobs.npy", time.monotonic() + PATIENCE_S
    while not jobs.exists():
        assert time.monotonic() < end_s
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    while not (tmp_path / "D").exists() and time.monotonic() < end_s:
        time.sleep(0.05)
    traced(tmp_path / "D")
    manifest = manifest_of(tmp_path / "D")
    rows = read_stream(tmp_path / "D" / "sched.npy")
    assert manifest.status in {"recovered", "interrupted"}
    assert manifest.files["sched.npy"]
    assert len(rows) > 0
    assert rows["time_ns"].min() >= manifest.trace.started_ns


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--stop-on", "misses"],
            '--stop-on "misses" is unknown; write miss or, with a time of yours, response>5ms',
        ),
        (
            ["--stop-on", "miss", "-d", "none"],
            "--stop-on miss: no task has a deadline; set one or write response>5ms",
        ),
        (["--stop-on", "response>5"], '--stop-on response: "5" has no unit; write 5ms or 5s'),
    ],
)
def test_a_condition_that_cannot_be_judged_is_refused(words: list[str], message: str):
    outcome = laxity("run", "empty", "-p", "10ms", "-t", "1", *words)
    assert outcome.code == 2
    assert outcome.err.startswith(f"laxity run: {message}")
