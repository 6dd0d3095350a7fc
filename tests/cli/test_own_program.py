# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A program with its own main and loop, which makes its jobs with laxity/job.h (`program`)."""

import json
import os
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
    processes_naming,
    start,
)
from tests.waiting import wait_until

from laxity.core.streams import Cause, Status

OWN_LOOP = BUILT.tools / "tests" / "native" / "own_loop"
PERIOD_MS = 20
PERIOD_NS = 20_000_000


def own_spec(tmp_path: Path, *words: str, run: str = "", task: str = "") -> Path:
    """Write a spec of one task; `words`: JOBS known|unknown FAULT AT of own_loop.c."""
    program = json.dumps([str(OWN_LOOP), "20", *words])
    path = tmp_path / "own.toml"
    path.write_text(
        f"schema = 1\n[run]\n{run}\n"
        f'[[task]]\nname = "own"\nprogram = {program}\nperiod = "20ms"\ncpus = "{CPU}"\n'
        f'policy = "other"\n{task}\n'
    )
    return path


def run_own(tmp_path: Path, *words: str, run: str = "", task: str = "") -> Outcome:
    spec = own_spec(tmp_path, *words, run=run, task=task)
    return laxity("run", spec, "--run-dir", tmp_path / "D", "--quiet")


def printed_releases(directory: Path) -> list[int]:
    """What the program said its releases were."""
    lines = (directory / "output.log").read_text().split("\n")
    return [int(line) for line in lines if line.isdigit()]


def test_rows_are_the_jobs_of_the_program_judged_by_its_own_releases(tmp_path: Path) -> None:
    outcome = run_own(tmp_path, "8", "known", "late", "3")
    assert outcome.code == 0, outcome.err
    jobs = jobs_of(tmp_path / "D")
    assert jobs["job"].tolist() == list(range(8))
    assert jobs["release_ns"].tolist() == printed_releases(tmp_path / "D")
    deadlines = jobs["release_ns"] + PERIOD_NS
    assert jobs["abs_deadline_ns"].tolist() == deadlines.tolist()
    is_missed = jobs["finish_ns"] > deadlines
    assert bool(is_missed[3])
    expected = np.where(is_missed, Status.MISSED, Status.DONE)
    assert jobs["status"].tolist() == expected.tolist()
    assert (jobs["start_ns"] >= jobs["release_ns"]).all()
    assert (jobs["finish_ns"] >= jobs["start_ns"]).all()
    assert (jobs["exec_ns"] >= 0).all()
    assert set(jobs["cpu_start"].tolist()) == {CPU}
    # Neither ticks nor switches nor faults are read by job.h: they have no column.
    assert "preemptions" not in jobs.dtype.names
    task = manifest_of(tmp_path / "D").tasks[0]
    assert task.program == [str(OWN_LOOP), "20", "8", "known", "late", "3"]
    assert (task.end_cause, task.end_detail) == ("exit", "ended by itself with exit code 0")
    assert (task.released, task.started, task.counts.not_met) == (8, 8, int(is_missed.sum()))
    assert task.memory_locked is None
    assert task.faults_after_first_job is None


def test_without_releases_nothing_is_invented(tmp_path: Path) -> None:
    outcome = run_own(tmp_path, "6", "unknown", "late", "3")
    assert outcome.code == 0, outcome.err
    jobs = jobs_of(tmp_path / "D")
    assert jobs["job"].tolist() == list(range(6))
    assert np.ma.getmaskarray(jobs["release_ns"]).all()
    assert np.ma.getmaskarray(jobs["abs_deadline_ns"]).all()
    assert set(jobs["status"].tolist()) == {Status.DONE}
    assert "release not known of 6 of 6 finished jobs of own" in outcome.out
    assert not [line for line in outcome.out.splitlines() if " response time  " in line]
    assert "start to finish" in outcome.out
    report = (tmp_path / "D" / "report.html").read_text()
    assert "6 not judged: release not known" in report
    shown = laxity("show", tmp_path / "D", "--format", "json")
    assert shown.code == 0, shown.err


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
def test_a_program_that_was_moved_ends_the_run_without_verdict(tmp_path: Path) -> None:
    spec = own_spec(tmp_path, "0", "known", "none", "0", run='duration = "600s"')
    process = start("run", spec, "--run-dir", tmp_path / "D", "--quiet")
    stream = tmp_path / "D.tmp" / "jobs.npy"
    wait_until(lambda: stream.exists() and stream.stat().st_size > 4096, "rows")
    own = [
        pid
        for pid in processes_naming(f"{OWN_LOOP}\0{PERIOD_MS}\0")
        if b"--harness" not in Path(f"/proc/{pid}/cmdline").read_bytes()
        and os.sched_getaffinity(pid) == {CPU}
    ]
    for pid in own:
        os.sched_setaffinity(pid, os.sched_getaffinity(0) - {CPU})
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    assert finish(process).code == 4
    found = {one.what: one.planned for one in manifest_of(tmp_path / "D").tasks[0].displaced}
    assert found == {"cpus": str(CPU), "cpu_of_job": str(CPU)}


def test_a_program_stops_at_the_job_that_the_run_stops_on(tmp_path: Path) -> None:
    # Job 3 is late by construction (own_loop.c), the ones before it may be on a loaded machine.
    outcome = run_own(
        tmp_path, "0", "known", "late", "3", run='duration = "600s"\nstop_on = "miss"'
    )
    assert outcome.code == 0, outcome.err
    manifest, jobs = manifest_of(tmp_path / "D"), jobs_of(tmp_path / "D")
    assert manifest.stop.job == jobs["job"][jobs["status"] == Status.MISSED][0]
    assert manifest.tasks[0].end_cause == "stopped"


@pytest.mark.parametrize(
    "limit", ["max_misses = 9", 'max_response = "1h"'], ids=["misses", "response"]
)
def test_a_limit_on_unknown_releases_has_no_verdict(tmp_path: Path, limit: str) -> None:
    outcome = run_own(tmp_path, "4", "unknown", "none", "0", run=limit)
    assert outcome.code == 4
    assert 'release of 4 jobs of task "own" is not known: no verdict' in outcome.out


def test_t_ends_an_endless_program_after_exactly_its_jobs(tmp_path: Path) -> None:
    outcome = run_own(tmp_path, "0", "known", "none", "0", run="jobs = 5")
    assert outcome.code == 0, outcome.err
    assert jobs_of(tmp_path / "D")["job"].tolist() == list(range(5))
    task = manifest_of(tmp_path / "D").tasks[0]
    assert (task.started, task.end_cause) == (5, "jobs")


def test_a_program_deaf_to_sigterm_is_killed_and_told(tmp_path: Path) -> None:
    outcome = run_own(tmp_path, "0", "known", "deaf", "0", run='duration = "100ms"')
    assert outcome.code == 0, outcome.err
    manifest = manifest_of(tmp_path / "D")
    assert [(one.what, one.used) for one in manifest.fallbacks] == [
        ("own: end by SIGTERM", "SIGKILL")
    ]
    clock = manifest.clock
    assert clock is not None
    assert clock.t0_ns is not None
    assert (jobs_of(tmp_path / "D")["release_ns"] < clock.t0_ns + 100_000_000).all()
    assert manifest.tasks[0].end_cause == "duration"


@pytest.mark.parametrize(
    ("fault", "how", "cause"),
    [
        ("exit", "called exit(3) in job 2", Cause.EXIT),
        ("leave", "called exit(0) in job 2", Cause.EXIT),
        ("crash", "killed by signal 11 (SIGSEGV) in job 2", Cause.SIGNAL),
        ("hang", "in job 2: longer than its timeout of 1000 ms", Cause.TIMEOUT),
    ],
)
def test_a_program_that_fails_in_a_job_aborts_it(
    tmp_path: Path, fault: str, how: str, cause: Cause
) -> None:
    outcome = run_own(tmp_path, "0", "known", fault, "2")
    assert outcome.code == 1
    assert f'task "own": {how}; jobs before it were kept' in outcome.err
    jobs = jobs_of(tmp_path / "D")
    assert jobs["job"].tolist() == [0, 1, 2]
    assert jobs["status"][2] == Status.ABORTED
    assert jobs["cause"][2] == cause
    assert jobs["release_ns"].tolist() == printed_releases(tmp_path / "D")


def test_an_unfinished_job_is_told_and_has_no_row(tmp_path: Path) -> None:
    outcome = run_own(tmp_path, "5", "known", "unfinished", "2")
    assert outcome.code == 0, outcome.err
    assert jobs_of(tmp_path / "D")["job"].tolist() == [0, 1, 3, 4]
    assert "own: 1 unfinished jobs: no rows used" in outcome.out


def number_of_its_own(test: int) -> str:
    """A number of jobs that no other run has, to find its program by."""
    return f"{1_000_000 + test}{os.getpid():07}"


def pid_of_program(spec_words: list[str]) -> int | None:
    """Find own_loop by its words."""
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")[:-1]
        except OSError:
            continue
        if [os.fsdecode(word) for word in words] == spec_words:
            return int(entry.name)
    return None


@pytest.mark.parametrize("victim", ["program", "relay"])
def test_a_killed_program_leaves_a_readable_run(tmp_path: Path, victim: str) -> None:
    number = number_of_its_own(1 if victim == "program" else 2)
    spec = own_spec(tmp_path, number, "known", "none", "0")
    words = [str(OWN_LOOP), "20", number, "known", "none", "0"]
    process = start("run", spec, "--run-dir", tmp_path / "D", "--quiet", "--no-report")
    log = tmp_path / "D.tmp" / "output.log"
    wait_until(lambda: log.exists() and log.read_text().count("\n") > 5, "jobs")
    pid = pid_of_program(words)
    assert pid is not None
    if victim == "relay":
        stat = Path(f"/proc/{pid}/stat").read_text()
        os.kill(int(stat.rsplit(")", 1)[1].split()[1]), signal.SIGKILL)
    else:
        os.kill(pid, signal.SIGKILL)
    outcome = finish(process)
    assert outcome.code == 1
    assert 'task "own": killed by signal 9 (SIGKILL)' in outcome.err
    jobs = jobs_of(tmp_path / "D")
    n = len(jobs)
    assert jobs["job"].tolist() == list(range(n))
    # Each of these was in the ring before the program printed the next one.
    printed = printed_releases(tmp_path / "D")
    assert n >= len(printed) - 1
    common = min(n, len(printed))
    assert jobs["release_ns"].tolist()[:common] == printed[:common]
    assert manifest_of(tmp_path / "D").tasks[0].end_cause == "killed"
    wait_until(lambda: pid_of_program(words) is None, "the end of the program")


def test_an_interrupt_keeps_the_jobs_and_ends_the_program(tmp_path: Path) -> None:
    number = number_of_its_own(3)
    spec = own_spec(tmp_path, number, "known", "none", "0")
    process = start("run", spec, "--run-dir", tmp_path / "D", "--quiet", "--no-report")
    log = tmp_path / "D.tmp" / "output.log"
    wait_until(lambda: log.exists() and log.read_text().count("\n") > 3, "jobs")
    process.send_signal(signal.SIGINT)
    outcome = finish(process)
    assert outcome.code == 130
    manifest = manifest_of(tmp_path / "D")
    assert manifest.status == "interrupted"
    assert manifest.tasks[0].started >= 3
    assert pid_of_program([str(OWN_LOOP), "20", number, "known", "none", "0"]) is None


def test_a_program_that_makes_no_job_is_told_what_to_call(tmp_path: Path) -> None:
    spec = tmp_path / "true.toml"
    spec.write_text(
        f'schema = 1\n[[task]]\nprogram = ["true"]\nperiod = "20ms"\ncpus = "{CPU}"\n'
        'policy = "other"\n'
    )
    outcome = laxity("run", spec, "--run-dir", tmp_path / "D", "--no-report", "--quiet")
    assert outcome.code == 1
    assert "made no job; call laxity_job_start and laxity_job_finish" in outcome.err


def test_a_program_is_looked_for_beside_its_spec_and_missing_is_exit_2(tmp_path: Path) -> None:
    spec = tmp_path / "missing.toml"
    spec.write_text('schema = 1\n[[task]]\nprogram = ["./nothing"]\nperiod = "20ms"\n')
    outcome = laxity("run", spec, "--run-dir", tmp_path / "D")
    assert outcome.code == 2
    assert f'program "{tmp_path}/nothing": no executable file' in outcome.err
    assert not (tmp_path / "D").exists()


def test_run_that_stops_on_a_miss_ends_the_program_at_once(tmp_path: Path) -> None:
    run = 'stop_on = "miss"\nduration = "600s"'
    outcome = run_own(tmp_path, "100000", "known", "late", "3", run=run)
    assert outcome.code == 0, outcome.err
    manifest, jobs = manifest_of(tmp_path / "D"), jobs_of(tmp_path / "D")
    assert manifest.status == "complete"
    assert manifest.stop.job == jobs["job"][jobs["status"] == Status.MISSED][0]
    assert manifest.tasks[0].end_cause in {"stopped", "interrupt"}
    # A job that it was in is aborted: at most one, the last.
    assert set(jobs["status"][:-1].tolist()) <= {Status.DONE, Status.MISSED}
    assert jobs["cause"][-1] in {Cause.NONE, Cause.INTERRUPT}


def test_exec_of_a_program_with_its_own_loop_names_the_key_program(tmp_path: Path) -> None:
    """Specs of before said `exec` of such a program; each job would be a whole process of it."""
    spec = own_spec(tmp_path, "3", "known", "none", "0")
    text = spec.read_text().replace("program = ", "exec = ")
    spec.write_text(text)
    outcome = laxity("run", spec, "--run-dir", tmp_path / "D", "--quiet")
    assert outcome.code == 2
    assert (
        'task "own": exec starts a process for each job, and own_loop makes its jobs itself '
        "(laxity/job.h); write program in place of exec"
    ) in outcome.err
    assert not (tmp_path / "D").exists()
    spec.write_text(f'{text}isolation = "exec"\n')
    assert laxity("run", spec, "--dry-run").code == 0


def test_a_run_that_was_stored_before_there_was_program_reads_as_before(tmp_path: Path) -> None:
    assert run_own(tmp_path, "4", "unknown", "none", "0").code == 0
    stored, manifest = tmp_path / "D" / "spec.toml", tmp_path / "D" / "manifest.json"
    shown = (tmp_path / "D" / "derived.json").read_text()
    stored.write_text(stored.read_text().replace("program = ", "exec = "))
    document = json.loads(manifest.read_text())
    task = document["tasks"][0]
    task["exec"], task["program"] = task["program"], None
    del document["files"]["spec.toml"]
    manifest.write_text(json.dumps(document))
    assert laxity("report", tmp_path / "D").code == 0
    assert (tmp_path / "D" / "derived.json").read_text() == shown
    planned = laxity("run", stored, "--dry-run")
    assert "program = " in planned.out, planned.err
