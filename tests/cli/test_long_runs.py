# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Runs that last: what is stored stays bounded, what is counted stays exact."""

from pathlib import Path

import numpy as np
import pytest
from tests.cli.commands import CPU, jobs_of, laxity, manifest_of, needs_fifo

from laxity.core.streams import Quantity, Status
from laxity.store.npy import read_stream

pytestmark = needs_fifo


def run_empty(directory: Path, jobs: int, *options: str) -> None:
    words = ["run", "empty", "-p", "100us", "-t", str(jobs), "-c", str(CPU), "-f", "90"]
    outcome = laxity(*words, *options, "--run-dir", directory, "--no-report")
    assert outcome.code == 0, outcome.err


def counted(directory: Path) -> dict[int, int]:
    """Jobs in the histogram, per quantity."""
    rows = read_stream(directory / "histogram.npy")
    return {
        int(quantity): int(rows["count"][rows["quantity"] == quantity].sum())
        for quantity in Quantity
    }


def check_tail(directory: Path, jobs: int, kept: int) -> None:
    run_empty(directory, jobs, "--keep", f"tail:{kept}")
    task = manifest_of(directory).tasks[0]
    assert task.started == jobs
    rows = jobs_of(directory)
    assert list(rows["job"]) == list(range(task.released - kept, task.released))
    # Every finished job counts, whatever rows are kept.
    assert set(counted(directory).values()) == {jobs}
    stored = sum(path.stat().st_size for path in directory.iterdir())
    # 100 bytes a row; the histogram has at most 3 * 3713 buckets of 27 bytes (300 kB), and the
    # rest does not grow with the run: 7 days at 1 kHz with tail:500000 stay below 100 MB.
    assert stored < kept * 100 + 300_000 + 300_000


def test_tail_of_a_run_is_kept_and_every_job_counted(tmp_path: Path):
    check_tail(tmp_path / "D", jobs=5_000, kept=1_000)


@pytest.mark.serial
@pytest.mark.slow
def test_run_of_200000_jobs_stores_no_more_than_one_of_5000(tmp_path: Path):
    check_tail(tmp_path / "D", jobs=200_000, kept=1_000)


def test_misses_are_kept_and_the_others_only_counted(tmp_path: Path):
    run_empty(tmp_path / "D", 3_000, "--keep", "misses")
    task = manifest_of(tmp_path / "D").tasks[0]
    rows = jobs_of(tmp_path / "D")
    assert not np.any(rows["status"] == Status.DONE)
    assert len(rows) == task.released - task.counts.done
    assert set(counted(tmp_path / "D").values()) == {3_000}
