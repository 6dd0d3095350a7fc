# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity measure all` as a user calls it."""

import subprocess

import pytest
from tests.cli.commands import LAXITY, needs_fifo
from tests.cli.laxity_command import Laxity

from laxity.costs.merge import merge_runs, read_costs
from laxity.store.run_directory import open_run

# Four minutes on an idle machine.
TIMEOUT_S = 1200
NAMES = {
    "switch_kernel",
    "preempt_in",
    "preempt_out",
    "delta",
    "switch_sync",
    "timer_latency",
    "release_isr",
    "ipi_wakeup",
    "gamma",
    "gamma_code",
    "migration",
    "memory_latency",
}


@pytest.mark.serial
@pytest.mark.slow
@needs_fifo
def test_all_costs_stand_in_one_model_and_one_report(laxity: Laxity) -> None:
    done = subprocess.run(
        [*LAXITY, "measure", "all", "--run-dir", "D", "--quiet", "--seed", "3"],
        cwd=laxity.directory,
        env=laxity.environment(),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode in (0, 4), done.stderr
    run = open_run(laxity.directory / "D")
    assert run.manifest.runs == ["switch", "crpd", "migration", "migration-jobs", "memory-latency"]
    assert run.verify() == []
    costs = read_costs(run.path)
    assert {one.name for one in costs.entries} >= NAMES
    assert merge_runs([run.path]).entries == costs.entries
    page = (run.path / "report.html").read_text()
    assert [f'id="r{number}-method"' in page for number in range(5)] == [True] * 5
    assert laxity("costs", "show", "D").returncode == 0
