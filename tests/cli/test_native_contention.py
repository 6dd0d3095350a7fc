# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity contention profile` and `laxity run --regulate` on this machine."""

import json
import os
from pathlib import Path

import pytest
from tests.cli.commands import CPU, Outcome, laxity, needs_fifo, needs_two_cpus

from laxity.core.percent import format_percent
from laxity.core.spec import Policy
from laxity.jobs.limits import read_resolved_spec
from laxity.store.npy import read_stream

pytestmark = [needs_fifo, needs_two_cpus, pytest.mark.serial]

OTHER_CPU = min(os.sched_getaffinity(0))
JOBS = 10
CORUNNER = f"load 8MiB 0 0@{OTHER_CPU}"


def profile(table: Path, *words: str) -> Outcome:
    where = ("--cpu", str(CPU), "--load-cpus", str(OTHER_CPU), "-p", "20ms", "-t", str(JOBS))
    return laxity("contention", "profile", "corners vga", *where, "-o", table, "--quiet", *words)


@pytest.fixture(scope="module")
def profiled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return a table, and the smallest theta that it lasts for."""
    table = tmp_path_factory.mktemp("profiled") / "corners.json"
    done = profile(table, "--format", "json")
    assert done.code == 0, done.err
    (least,) = [
        figure["value"]
        for figure in json.loads(done.out)["figures"]
        if figure["name"] == "least_theta_ppm"
    ]
    return table, format_percent(least)


def regulated(tmp_path: Path, table: Path, theta: str, *words: str | Path) -> Outcome:
    task = ("corners", "vga", "-p", "20ms", "-t", str(JOBS), "--cpus", str(CPU))
    run = ("--run-dir", tmp_path / "run", "--no-report", *words)
    asked = ("--regulate", table, "--theta", theta)
    return laxity("run", *task, "--interfere", CORUNNER, *asked, *run)


def test_run_is_regulated_by_a_profile_of_this_machine(profiled: tuple[Path, str], tmp_path: Path):
    table, least = profiled
    done = regulated(tmp_path, table, least)
    # On a loaded machine a job may be longer than each of the profile; then there is no verdict.
    assert done.code in {0, 4}, done.err
    assert f"of {JOBS} jobs (measured, C " in done.out
    assert done.code == 4 or f"in {JOBS} of {JOBS} jobs" in done.out
    assert len(read_stream(tmp_path / "run" / "regulation.npy")) > JOBS
    (corunner,) = read_resolved_spec(tmp_path / "run").interfere
    assert (corunner.policy, corunner.priority) == (Policy.RR, 1)


def test_theta_that_lasts_for_no_permission_is_refused(profiled: tuple[Path, str], tmp_path: Path):
    table, least = profiled
    done = regulated(tmp_path, table, "0.1%")
    assert (done.code, f"use at least {least}" in done.err) == (2, True), done.err
    assert not (tmp_path / "run").exists()


def test_table_of_a_machine_is_tried_by_a_run_alone(profiled: tuple[Path, str]):
    done = laxity("contention", "evaluate", profiled[0])
    assert (done.code, "try it with laxity run --regulate" in done.err) == (2, True), done.err


def test_loads_on_the_cpu_of_the_job_are_refused(tmp_path: Path):
    done = laxity(
        *("contention", "profile", "corners vga", "--cpu", str(CPU), "--load-cpus", str(CPU)),
        *("-t", "1", "-o", tmp_path / "table.json", "--quiet"),
    )
    assert (done.code, "--load-cpus" in done.err) == (2, True), done.err
    assert not (tmp_path / "table.json").exists()
