# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The supervisor, which kills jobs that hang, stands above whatever runs for ever."""

import os
import subprocess
from pathlib import Path

import pytest
from tests.cli.commands import CPU, finish, needs_fifo, needs_two_cpus, start
from tests.waiting import wait_until

OTHER_CPU = min(os.sched_getaffinity(0))
TASK = f'[[task]]\nworkload = "empty"\nperiod = "5ms"\npriority = 50\ncpus = "{CPU}"\n'
CORUNNER = (
    '[[interfere]]\nworkload = "bandwidth"\nargs = ["write", "64KiB"]\n'
    f'policy = "fifo"\ncpus = "{OTHER_CPU}"\npriority = '
)


def supervisors_priority(tmp_path: Path, text: str) -> int:
    """Run a spec for a moment, and ask the kernel meanwhile."""
    spec = tmp_path / "spec.toml"
    spec.write_text(f"schema = 1\n[run]\nduration = '100s'\n{text}")
    process = start("run", spec, "--run-dir", tmp_path / "D", "--no-report")
    rows = tmp_path / "D.tmp" / "jobs.npy"
    try:
        # The header is 4096 bytes long.
        wait_until(lambda: rows.exists() and rows.stat().st_size > 4096, f"rows in {rows}")
        found = subprocess.run(
            ["pgrep", "-P", str(process.pid), "-f", "laxity-run --run-dir"],
            capture_output=True,
            text=True,
            check=True,
        )
        return os.sched_getparam(int(found.stdout)).sched_priority
    finally:
        process.terminate()
        finish(process)


@needs_fifo
def test_supervisor_is_above_the_highest_task(tmp_path: Path):
    assert supervisors_priority(tmp_path, TASK) == 51


@needs_fifo
@needs_two_cpus
@pytest.mark.serial
def test_supervisor_is_above_a_corunner_that_would_keep_it_from_its_cpu(tmp_path: Path):
    assert supervisors_priority(tmp_path, TASK + CORUNNER + "70\n") == 71
