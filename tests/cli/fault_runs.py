# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Runs of a workload with a fault of one's choice, and what every run has to account for."""

import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tests.cli.commands import (
    Outcome,
    children_of,
    fault_spec,
    finish,
    is_alive,
    jobs_of,
    laxity,
    manifest_of,
)
from tests.waiting import wait_until

from laxity.core.streams import Status
from laxity.store.manifest import Manifest


@dataclass(frozen=True)
class Processes:
    """The processes of one run. Other tests run the same programs at the same time."""

    caller: int
    supervisor: int
    drain: int
    task: int

    def are_gone(self) -> bool:
        return not any(is_alive(pid) for pid in (self.supervisor, self.drain, self.task))


def processes_of(process: "subprocess.Popen[str]") -> Processes:
    (supervisor,) = children_of(process.pid, "laxity-run --run-dir")
    (drain,) = children_of(supervisor, "laxity-run --run-dir")
    (task,) = children_of(supervisor, "harness=task")
    return Processes(process.pid, supervisor, drain, task)


def end_soon(process: "subprocess.Popen[str]") -> Outcome:
    """Interrupt an endless run when what was done to it has been seen: that hides nothing."""
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    return finish(process)


def run_fault(tmp_path: Path, mode: str, number: int | None = None, **keys: str) -> Outcome:
    spec = fault_spec(tmp_path / "fault.toml", mode, number, **keys)
    return laxity("run", spec, "--run-dir", tmp_path / "D", "--no-report")


def only_task(tmp_path: Path):
    return manifest_of(tmp_path / "D").tasks[0]


def only_aborted(tmp_path: Path) -> Any:  # noqa: ANN401 - columns have types that mypy does not know
    """The aborted row; releases may pass while the process dies, so it need not be the last."""
    jobs = jobs_of(tmp_path / "D")
    return jobs[jobs["status"] == Status.ABORTED]


def wait_for_rows(tmp: Path) -> None:
    stream = tmp / "jobs.npy"
    # The header is 4096 bytes long.
    wait_until(lambda: stream.exists() and stream.stat().st_size > 4096, f"rows in {stream}")


def rows_account_for_every_release(directory: Path, manifest: Manifest) -> None:
    jobs = jobs_of(directory)
    task = manifest.tasks[0]
    assert list(jobs["job"]) == list(range(len(jobs)))
    assert task.released == len(jobs)
    assert task.counts.aborted == np.count_nonzero(jobs["status"] == Status.ABORTED)
