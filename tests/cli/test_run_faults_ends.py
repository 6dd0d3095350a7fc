# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Runs that are interrupted or killed: nothing is lost."""

import os
import signal
import time
from pathlib import Path

import pytest
from tests.cli.commands import (
    children_of,
    fault_spec,
    finish,
    laxity,
    manifest_of,
    needs_fifo,
    start,
)
from tests.cli.fault_runs import (
    Processes,
    only_task,
    processes_of,
    rows_account_for_every_release,
    run_fault,
    wait_for_rows,
)
from tests.cli.laxity_command import PATIENCE_S
from tests.waiting import wait_until

from laxity.store.manifest import Manifest

pytestmark = needs_fifo


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_is_kept_and_says_so(tmp_path: Path, number: signal.Signals):
    spec = fault_spec(tmp_path / "s.toml", "churn", duration='"60s"')
    process = start("run", spec, "--run-dir", tmp_path / "D")
    wait_for_rows(tmp_path / "D.tmp")
    time.sleep(0.2)
    process.send_signal(number)
    outcome = finish(process)
    assert outcome.code == 130
    manifest = manifest_of(tmp_path / "D")
    assert manifest.status == "interrupted"
    assert manifest.exit_code == 130
    assert (tmp_path / "D" / "report.html").exists()
    rows_account_for_every_release(tmp_path / "D", manifest)


def interrupt_many(tmp_path: Path, count: int) -> None:
    for n in range(count):
        spec = fault_spec(tmp_path / "s.toml", "churn", duration='"60s"', period='"300us"')
        process = start("run", spec, "--run-dir", tmp_path / f"D{n}", "--no-report")
        wait_for_rows(tmp_path / f"D{n}.tmp")
        time.sleep(0.01 * (n % 10))
        process.send_signal(signal.SIGINT)
        assert finish(process).code == 130
        manifest = manifest_of(tmp_path / f"D{n}")
        assert manifest.status == "interrupted"
        rows_account_for_every_release(tmp_path / f"D{n}", manifest)


def test_interrupt_in_the_middle_of_malloc_leaves_a_readable_run(tmp_path: Path):
    """15 of 40 interrupts crashed, because exit() ran inside the signal handler."""
    interrupt_many(tmp_path, 4)


@pytest.mark.serial
@pytest.mark.slow
def test_forty_interrupts_leave_forty_readable_runs(tmp_path: Path):
    interrupt_many(tmp_path, 40)


def kill_and_read(tmp_path: Path, victim: str, name: str = "D") -> Manifest:
    """Kill one part of a run in its middle; return the manifest that a reader then sees."""
    directory = tmp_path / name
    spec = fault_spec(tmp_path / f"{name}.toml", "none", duration='"60s"', period='"500us"')
    process = start("run", spec, "--run-dir", directory, "--no-report", is_own_session=True)
    wait_for_rows(directory.with_name(f"{name}.tmp"))
    time.sleep(0.3)
    processes = processes_of(process)
    kill_part(victim, processes)
    process.communicate(timeout=PATIENCE_S)
    wait_until(processes.are_gone, "the end of all")
    shown = laxity("show", directory)
    assert shown.code == 0, shown.err
    manifest = manifest_of(directory)
    rows_account_for_every_release(directory, manifest)
    # 300 ms at 500 µs: what was in the ring is in the file.
    assert manifest.tasks[0].released >= 300
    return manifest


def kill_part(victim: str, processes: Processes) -> None:
    if victim == "group":
        os.killpg(processes.caller, signal.SIGKILL)
        return
    pids = {
        "harness": (processes.task,),
        "caller": (processes.caller,),
        "supervisor": (processes.supervisor,),
        # The drain process first: it would complete the run when it sees the others die.
        "everything": (processes.drain, processes.supervisor, processes.task, processes.caller),
    }
    for pid in pids[victim]:
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("victim", "status"),
    [
        ("harness", "failed"),
        ("caller", "recovered"),
        ("group", "recovered"),
        ("supervisor", "recovered"),
        ("everything", "recovered"),
    ],
)
def test_kill_loses_nothing_that_was_in_the_ring(tmp_path: Path, victim: str, status: str):
    assert kill_and_read(tmp_path, victim).status == status


@pytest.mark.serial
@pytest.mark.slow
def test_twenty_kills_leave_twenty_readable_runs(tmp_path: Path):
    victims = ["harness", "caller", "group", "supervisor"]
    for n in range(20):
        kill_and_read(tmp_path, victims[n % len(victims)], f"D{n}")


def test_recovery_invents_no_release_after_the_death(tmp_path: Path):
    """Whoever looked later at a run that was killed saw more skipped releases."""
    spec = fault_spec(tmp_path / "s.toml", "none", duration='"60s"', period='"500us"')
    process = start("run", spec, "--run-dir", tmp_path / "D", "--no-report", is_own_session=True)
    wait_for_rows(tmp_path / "D.tmp")
    kill_part("everything", processes_of(process))
    process.communicate(timeout=PATIENCE_S)
    # Only now: on a loaded machine a process may still run for a moment after the signal was sent.
    killed_ns = time.monotonic_ns()
    time.sleep(1.0)
    assert laxity("show", tmp_path / "D").code == 0
    manifest = manifest_of(tmp_path / "D")
    assert manifest.clock.end_ns <= killed_ns
    rows_account_for_every_release(tmp_path / "D", manifest)


def test_workload_ended_by_somebody_else_is_no_complete_run(tmp_path: Path):
    """SIGTERM to the workload alone made a run of 20 s complete after 1 s, exit code 0."""
    spec = fault_spec(tmp_path / "s.toml", "none", duration='"60s"')
    process = start("run", spec, "--run-dir", tmp_path / "D", "--no-report")
    wait_for_rows(tmp_path / "D.tmp")
    os.kill(processes_of(process).task, signal.SIGTERM)
    outcome = finish(process)
    assert outcome.code == 1
    assert "ended by SIGTERM from outside" in outcome.err
    assert manifest_of(tmp_path / "D").status == "failed"


def test_abort_after_the_duration_covers_no_later_release(tmp_path: Path):
    outcome = run_fault(tmp_path, "hang", 0, duration='"100ms"', job_timeout='"500ms"')
    assert outcome.code == 1
    # 100 ms / 1 ms, whenever the job was killed.
    assert only_task(tmp_path).released == 100


def test_killed_drain_process_is_replaced_and_no_row_is_lost(tmp_path: Path):
    # The job of the release after 0.5 s lasts until we have killed: the run cannot end before.
    go_on = tmp_path / "go on"
    keys = {"duration": '"1500ms"', "period": '"500us"', "job_timeout": f'"{PATIENCE_S}s"'}
    spec = fault_spec(tmp_path / "s.toml", "wait", 300, go_on, **keys)
    process = start("run", spec, "--run-dir", tmp_path / "D", "--no-report")
    wait_for_rows(tmp_path / "D.tmp")
    killed = processes_of(process)
    os.kill(killed.drain, signal.SIGKILL)

    def is_replaced() -> bool:
        return bool(set(children_of(killed.supervisor, "laxity-run --run-dir")) - {killed.drain})

    wait_until(is_replaced, "another drain process")
    go_on.touch()
    assert finish(process).code == 0
    manifest = manifest_of(tmp_path / "D")
    assert manifest.status == "complete"
    # 1500 ms / 0.5 ms
    assert manifest.tasks[0].released == 3000
    rows_account_for_every_release(tmp_path / "D", manifest)
