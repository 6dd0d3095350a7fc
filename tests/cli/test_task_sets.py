# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Several tasks in one run: one t0, one jobs.npy, and each task answers for itself."""

from pathlib import Path

import numpy as np
import pytest
from tests.cli.commands import CPU, FAULT, Outcome, jobs_of, laxity, manifest_of, needs_fifo

from laxity.core.streams import Status

pytestmark = needs_fifo

FIRST_CPU = 0


def write_spec(path: Path, run: str, *tasks: str) -> Path:
    tables = [f'[[task]]\nworkload = "{FAULT}"\n{task}\n' for task in tasks]
    path.write_text(f"schema = 1\n[run]\n{run}\n" + "".join(tables))
    return path


def run_tasks(tmp_path: Path, run: str, *tasks: str) -> Outcome:
    spec = write_spec(tmp_path / "set.toml", run, *tasks)
    return laxity("run", spec, "--run-dir", tmp_path / "D", "--no-report")


def task(name: str, mode: str, period: str, cpu: int = CPU, more: str = "") -> str:
    return f'name = "{name}"\nargs = {mode}\nperiod = "{period}"\ncpus = "{cpu}"\n{more}'


def each_release_has_its_row(directory: Path) -> None:
    manifest = manifest_of(directory)
    jobs = jobs_of(directory)
    order = list(zip(jobs["release_ns"], jobs["task"], strict=True))
    assert order == sorted(order)
    for one in manifest.tasks:
        rows = jobs[jobs["task"] == one.index]
        assert len(rows) == one.released
        assert list(rows["job"]) == list(range(len(rows)))
        first_ns = manifest.clock.t0_ns + one.offset_ns
        assert np.all(rows["release_ns"] == first_ns + rows["job"] * one.period_ns)


def no_job_of_another_task_is_mixed_in(directory: Path) -> None:
    """The workload counts its own jobs: after the n-th that it ran it logs n + 1."""
    jobs = jobs_of(directory)
    for one in manifest_of(directory).tasks:
        ran = jobs[(jobs["task"] == one.index) & (jobs["status"] <= Status.MISSED)]
        assert list(ran["jobs before(exp:n)"]) == [float(n + 1) for n in range(len(ran))]
        assert len(set(ran["tid"])) == 1


def test_tasks_share_t0_and_their_rows_are_merged_by_release(tmp_path: Path):
    outcome = run_tasks(
        tmp_path,
        'duration = "200ms"',
        task("a", '["none"]', "1ms"),
        task("b", '["none"]', "700us", FIRST_CPU, 'offset = "300us"\npriority = 40'),
    )
    assert outcome.code == 0, outcome.err
    # 200 ms / 1 ms; releases 0.3 + 0.7 j < 200: j < 285.3, so 286 of them.
    assert [one.released for one in manifest_of(tmp_path / "D").tasks] == [200, 286]
    each_release_has_its_row(tmp_path / "D")
    no_job_of_another_task_is_mixed_in(tmp_path / "D")


def test_task_that_crashes_ends_alone(tmp_path: Path):
    outcome = run_tasks(
        tmp_path,
        'duration = "300ms"',
        task("bad", '["crash", "5"]', "1ms"),
        task("good", '["none"]', "1ms", FIRST_CPU),
    )
    assert outcome.code == 1
    assert 'task "bad": killed by signal 11' in outcome.err
    bad, good = manifest_of(tmp_path / "D").tasks
    assert bad.end_cause == "signal"
    assert (good.end_cause, good.released) == ("duration", 300)
    each_release_has_its_row(tmp_path / "D")


def test_fail_fast_ends_the_other_tasks_too(tmp_path: Path):
    outcome = run_tasks(
        tmp_path,
        'duration = "30s"\nfail_fast = true',
        task("bad", '["crash", "5"]', "1ms"),
        task("good", '["none"]', "1ms", FIRST_CPU),
    )
    assert outcome.code == 1
    good = manifest_of(tmp_path / "D").tasks[1]
    assert good.end_cause == "interrupt"
    # Of 30 s / 1 ms.
    assert good.released < 30_000
    each_release_has_its_row(tmp_path / "D")


def test_task_that_fails_before_t0_cancels_the_run(tmp_path: Path):
    outcome = run_tasks(
        tmp_path,
        'duration = "30s"',
        task("bad", '["init-fails"]', "1ms"),
        task("good", '["none"]', "1ms", FIRST_CPU),
    )
    assert outcome.code == 1
    manifest = manifest_of(tmp_path / "D")
    assert manifest.clock.t0_ns is None
    assert [one.released for one in manifest.tasks] == [0, 0]


def test_report_of_a_task_set_names_every_task(tmp_path: Path):
    spec = write_spec(
        tmp_path / "set.toml",
        'duration = "200ms"',
        task("control", '["none"]', "1ms"),
        task("vision", '["spin", "300"]', "5ms", FIRST_CPU),
    )
    outcome = laxity("run", spec, "--run-dir", tmp_path / "D")
    assert outcome.code == 0, outcome.err
    report = (tmp_path / "D" / "report.html").read_text()
    assert "control" in report
    assert "vision" in report
    assert "control" in outcome.out
    assert "vision" in outcome.out


@pytest.mark.serial
@pytest.mark.slow
def test_four_tasks_of_hundred_thousand_jobs_do_not_mix(tmp_path: Path):
    tasks = [
        task(f"t{n}", '["none"]', "200us", FIRST_CPU if n % 2 else CPU, f"priority = {50 + n}")
        for n in range(4)
    ]
    outcome = run_tasks(tmp_path, "jobs = 100000", *tasks)
    assert outcome.code == 0, outcome.err
    assert [one.started for one in manifest_of(tmp_path / "D").tasks] == [100_000] * 4
    each_release_has_its_row(tmp_path / "D")
    no_job_of_another_task_is_mixed_in(tmp_path / "D")
