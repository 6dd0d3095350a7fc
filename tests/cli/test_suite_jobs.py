# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Jobs of a suite's program that end otherwise than vetted, are processes, or are batches."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.cli.commands import processes_naming
from tests.cli.laxity_command import NOTHING, PATIENCE_S, ROOT, Laxity, make_laxity
from tests.waiting import wait_until

from laxity.core.streams import Cause, Status
from laxity.jobs.rows import finished
from laxity.store.npy import read_stream
from laxity.store.run_directory import Run, open_run

SOURCE = ROOT / "tests" / "native" / "programs" / "ends_on_demand"
NAME = "ends_on_demand"


@pytest.fixture(scope="module")
def vetted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout of the program, vetted as it stands, and a run of it that can be run again."""
    directory = tmp_path_factory.mktemp("vetted")
    shutil.copytree(SOURCE, directory / "suite" / NAME)
    laxity = make_laxity(directory)
    done = laxity("suite", "vet", "suite", "--jobs", "3", "--quiet")
    assert done.returncode == 0, done.stderr
    words = ("--run-dir", "R", "-p", "20ms", "-t", "3", "--policy", "other", "--no-report")
    done = laxity("suite", "run", "suite", *words, "--quiet")
    assert done.returncode == 0, done.stderr
    return directory


def run_in(
    laxity: Laxity, vetted: Path, mode: str, *options: str, end: str = "", task: str = ""
) -> "subprocess.CompletedProcess[str]":
    """Run the stored run again, in another mode, to D; `task`: more keys of its task."""
    source = vetted / "R" / "runs" / NAME
    text = (source / "spec.toml").read_text()
    assert 'isolation = "none"' in text
    text = text.replace('isolation = "none"', f'isolation = "{mode}"\n{task}')
    shutil.copy(source / f"{NAME}.so", laxity.directory)
    (laxity.directory / "again.toml").write_text(text)
    return laxity(
        *("run", "./again.toml", "--run-dir", "D", "--no-report", "--quiet", *options),
        environment={"LAXITY_TEST_END": end} if end else NOTHING,
    )


def stored(laxity: Laxity) -> Run:
    return open_run(laxity.directory / "D")


def causes(laxity: Laxity) -> list[int]:
    jobs = stored(laxity).stream("jobs")
    return [int(one) for one in jobs["cause"][jobs["status"] == Status.ABORTED]]


def test_each_job_of_mode_exec_is_a_process_begun_anew_and_right(laxity: Laxity, vetted: Path):
    text = (vetted / "vetting.toml").read_text()
    (laxity.directory / "v.toml").write_text(text.replace('mode = "none"', 'mode = "exec"'))
    words = ("--vetting", "v.toml", "--run-dir", "D", "-p", "20ms", "-t", "3", "--policy", "other")
    done = laxity("suite", "run", str(vetted / "suite"), *words, "--no-report", "--format", "json")
    assert done.returncode == 0, done.stderr
    row = json.loads(done.stdout)["runs"][0]
    assert (row["mode"], row["finished"], row["right"]) == ("exec", 3, 3)
    run = open_run(laxity.directory / "D" / "runs" / NAME)
    assert len(set(finished(run.stream("jobs"))["tid"].tolist())) == 3
    isolating = run.manifest.tasks[0].isolating
    assert isolating is not None
    assert isolating.n == 3


@pytest.mark.parametrize(
    ("mode", "end", "cause"),
    [
        ("restore", "exit", Cause.EXIT),
        ("restore", "abort", Cause.SIGNAL),
        ("fork", "kill", Cause.KILLED),
        ("exec", "exit", Cause.EXIT),
    ],
)
def test_where_jobs_are_isolated_an_aborted_one_is_not_the_last(
    laxity: Laxity, vetted: Path, mode: str, end: str, cause: Cause
):
    done = run_in(laxity, vetted, mode, end=end)
    assert done.returncode == 1
    assert "3 of its jobs aborted, the first in job 0" in done.stderr
    assert causes(laxity) == [cause] * 3
    assert stored(laxity).manifest.status == "complete"


@pytest.mark.parametrize(
    ("mode", "end", "cause"), [("none", "exit", Cause.EXIT), ("reinit", "abort", Cause.SIGNAL)]
)
def test_where_nothing_is_taken_back_the_task_ends_with_its_aborted_job(
    laxity: Laxity, vetted: Path, mode: str, end: str, cause: Cause
):
    assert run_in(laxity, vetted, mode, end=end).returncode == 1
    assert causes(laxity) == [cause]
    assert stored(laxity).manifest.tasks[0].end_cause == cause.name.lower()


def test_a_process_of_a_job_that_never_ends_is_killed_and_the_next_one_goes_on(
    laxity: Laxity, vetted: Path
):
    assert 'job_timeout = "1s"' in (vetted / "R" / "runs" / NAME / "spec.toml").read_text()
    done = run_in(laxity, vetted, "fork", "-t", "2", end="loop")
    assert done.returncode == 1
    assert "(cause timeout)" in done.stderr
    assert causes(laxity) == [Cause.TIMEOUT] * 2


def test_an_interrupt_between_jobs_of_mode_fork_ends_the_run_at_once(laxity: Laxity, vetted: Path):
    assert run_in(laxity, vetted, "fork").returncode == 0
    spec = laxity.directory / "again.toml"
    spec.write_text(
        spec.read_text()
        .replace('period = "20ms"', 'period = "1h"')
        .replace('deadline = "20ms"', 'deadline = "1h"')
    )
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "laxity", "run", "./again.toml", "--run-dir", "E", "--quiet"],
        cwd=laxity.directory,
        env=laxity.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    jobs = laxity.directory / "E.tmp" / "jobs.npy"
    wait_until(lambda: jobs.exists() and len(read_stream(jobs)) > 0, "the first job")
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=PATIENCE_S)
    # The next release is an hour away.
    assert process.returncode == 130
    assert processes_naming(str(laxity.directory)) == []


@pytest.mark.parametrize("mode", ["fork", "exec"])
def test_events_are_counted_in_the_process_of_each_job(laxity: Laxity, vetted: Path, mode: str):
    done = run_in(laxity, vetted, mode, "--events", "page-faults")
    assert done.returncode == 0, done.stderr
    jobs = finished(stored(laxity).stream("jobs"))
    # Two ways of counting the same thing.
    assert np.array_equal(jobs["page-faults"], jobs["minor_faults"] + jobs["major_faults"])


def test_samples_within_jobs_that_are_processes_are_refused(laxity: Laxity, vetted: Path):
    done = run_in(laxity, vetted, "fork", "--events", "page-faults", "-M")
    assert done.returncode == 3
    assert "each of its jobs is a process" in done.stderr


def test_a_stored_run_names_its_object_which_is_hashed_and_runs_wherever_it_lies(
    laxity: Laxity, vetted: Path
):
    assert f"{NAME}.so" in open_run(vetted / "R" / "runs" / NAME).manifest.files
    assert run_in(laxity, vetted, "restore").returncode == 0
    jobs = finished(stored(laxity).stream("jobs"))
    assert jobs["right"].tolist() == [1, 1, 1]
    assert stored(laxity).manifest.tasks[0].isolation == "restore"


def test_a_job_may_be_several_calls_and_says_so_wherever_it_has_figures(
    laxity: Laxity, vetted: Path
):
    assert "calls" not in (open_run(vetted / "R" / "runs" / NAME).stream("jobs").dtype.names or ())
    done = run_in(laxity, vetted, "none", task="calls = 2")
    assert done.returncode == 0, done.stderr
    assert "each job of ends_on_demand is 2 calls in a row" in done.stdout
    jobs = finished(stored(laxity).stream("jobs"))
    assert jobs["calls"].tolist() == [2, 2, 2]
    assert jobs["right"].tolist() == [1, 1, 1]


def test_batches_are_left_out_where_state_would_be_taken_back_within_them(
    laxity: Laxity, vetted: Path
):
    done = run_in(laxity, vetted, "restore", task="calls = 2")
    assert done.returncode == 2
    assert "only mode none has batches" in done.stderr
    text = (vetted / "vetting.toml").read_text()
    (laxity.directory / "v.toml").write_text(text.replace('mode = "none"', 'mode = "restore"'))
    words = ("--vetting", "v.toml", "--run-dir", "E", "-p", "20ms", "-t", "3", "--calls", "2")
    done = laxity("suite", "run", str(vetted / "suite"), *words, "--format", "json")
    assert done.returncode == 4
    assert "only mode none has batches" in json.loads(done.stdout)["left_out"][0]["reason"]
