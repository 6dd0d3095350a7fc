# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Runs that stood still while their clock went on: said, set apart, and no verdict."""

import itertools
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from tests.cli.commands import (
    Outcome,
    children_of,
    fault_spec,
    finish,
    manifest_of,
    start,
)
from tests.cli.fault_runs import Processes, processes_of, wait_for_rows
from tests.cli.test_own_program import own_spec

from laxity.report.read_run import read_page
from laxity.store.run_directory import open_run

STOP_S = 0.7
FREEZER = Path("/sys/fs/cgroup/freezer")

pytestmark = pytest.mark.serial


def run_while(tmp_path: Path, disturb: Callable[[Processes], None]) -> Outcome:
    """Run a task of 10 ms for 4 s under the ordinary policy; do something to it in between."""
    keys = {"duration": '"4s"', "period": '"10ms"', "policy": '"other"'}
    spec = fault_spec(tmp_path / "s.toml", "none", **keys)
    process = start("run", spec, "--run-dir", tmp_path / "D", "--no-report")
    wait_for_rows(tmp_path / "D.tmp")
    disturb(processes_of(process))
    return finish(process)


def stop(*pids: int) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(STOP_S)
    for pid in pids:
        os.kill(pid, signal.SIGCONT)


@contextmanager
def frozen_group() -> Iterator[Path]:
    group = FREEZER / f"laxity-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError:
        pytest.skip("needs permission to make a control group with a freezer of version 1")
    try:
        yield group
    finally:
        (group / "freezer.state").write_text("THAWED")
        for pid in (group / "cgroup.procs").read_text().split():
            (FREEZER / "cgroup.procs").write_text(pid)
        group.rmdir()


def freeze(running: Processes) -> None:
    with frozen_group() as group:
        for pid in (running.supervisor, running.task):
            (group / "cgroup.procs").write_text(str(pid))
        (group / "freezer.state").write_text("FROZEN")
        time.sleep(STOP_S)


@pytest.mark.parametrize(
    "disturb",
    [lambda running: stop(running.supervisor, running.task), freeze],
    ids=["SIGSTOP", "freezer"],
)
def test_run_that_stood_still_says_so_and_sets_its_jobs_apart(
    tmp_path: Path, disturb: Callable[[Processes], None]
):
    """Its release latency of 0.7 s was counted as the platform's, with exit code 0."""
    outcome = run_while(tmp_path, disturb)
    assert outcome.code == 4, outcome.err
    (stall,) = (stall for stall in manifest_of(tmp_path / "D").stalls if stall.task is None)
    assert stall.to_ns is not None
    # From the last job before it to the first one after it: at least the stop less one period.
    assert stall.to_ns - stall.from_ns > (STOP_S - 0.1) * 1e9
    assert "the run stood still for " in outcome.out
    (data,) = read_page(open_run(tmp_path / "D")).runs
    (task,) = data.tasks
    # 0.6 s of a task of 10 ms are 60 releases.
    assert task.n_stalled >= 60
    assert f"jobs set apart: {task.n_stalled} of {task.result.name}\n" in outcome.out
    release_ns = np.ma.getdata(task.rows["release_ns"])
    assert not np.any((release_ns > stall.from_ns) & (release_ns < stall.to_ns))
    assert task.result.released == len(task.rows)


def test_task_that_a_signal_stopped_is_named(tmp_path: Path):
    outcome = run_while(tmp_path, lambda running: stop(running.task))
    assert outcome.code == 4, outcome.err
    (stall,) = (stall for stall in manifest_of(tmp_path / "D").stalls if stall.task == 0)
    assert stall.to_ns is not None
    assert stall.to_ns - stall.from_ns > (STOP_S - 0.1) * 1e9
    assert '" was stopped for ' in outcome.out


def test_program_that_a_signal_stopped_is_named(tmp_path: Path):
    """It is a child of its task, which waits for its jobs."""
    spec = own_spec(tmp_path, "0", "known", "none", "0", run='duration = "4s"')
    process = start("run", spec, "--run-dir", tmp_path / "D", "--no-report")
    wait_for_rows(tmp_path / "D.tmp")
    (supervisor,) = children_of(process.pid, "laxity-run --run-dir")
    below = (children_of(child, "own_loop") for child in children_of(supervisor, "."))
    (program,) = itertools.chain(*below)
    stop(program)
    outcome = finish(process)
    assert outcome.code == 4, outcome.err
    stalls = manifest_of(tmp_path / "D").stalls
    assert [stall.task for stall in stalls] == [0]
    assert '" was stopped for ' in outcome.out


def test_stop_of_the_supervisor_alone_is_none_of_the_run(tmp_path: Path):
    run_while(tmp_path, lambda running: stop(running.supervisor))
    assert not manifest_of(tmp_path / "D").stalls


def test_terminal_stop_leaves_the_run_its_killer(tmp_path: Path):
    """Ctrl-Z stopped the supervisor: its tasks ran on, and nothing ended a task that loops."""

    def press(running: Processes) -> None:
        os.kill(running.supervisor, signal.SIGTSTP)
        time.sleep(0.1)
        state = Path(f"/proc/{running.supervisor}/stat").read_text().rpartition(")")[2].split()[0]
        assert state != "T"

    run_while(tmp_path, press)
    assert not manifest_of(tmp_path / "D").stalls
