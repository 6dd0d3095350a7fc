# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The demonstration's verdict: from what its runs saw to a task set, and where nothing is known."""

from pathlib import Path

import pytest
from tests.costs.made_up_measurement import ended, left_measurement
from tests.report.run_builder import Made, ordinary_rows, write_run

from laxity.bounds.data import Bounded, read_bound
from laxity.cli.demo_bound import TASKS, VERDICT, bound_measured_tasks, plan_tasks
from laxity.core.task_set import read_task_set
from laxity.errors import NoVerdict
from laxity.jobs.finish import finish_run
from laxity.store.run_directory import open_run

KIB = 1024


def write_tasks(runs: Path, n_jobs: int = 3) -> None:
    """Two tasks whose longest jobs execute for 1 ms and 2 ms."""
    made = []
    for name, longest_ns in (("high", 1_000_000), ("low", 2_000_000)):
        rows = ordinary_rows(n_jobs)
        rows["exec_ns"] = longest_ns - 1000 * rows["job"].astype("i8")
        made.append(Made(rows, name=name))
    high, low = made
    write_run(runs / TASKS, Made(high.rows, name="high", others=[low]))


def answer_of(runs: Path, *measured: str) -> Bounded:
    done = bound_measured_tasks(runs, measured, runs / VERDICT, ["laxity", "demo"])
    assert done.path is not None
    found, problems = read_bound(open_run(done.path))
    assert problems == ()
    return found


def test_wcet_is_the_largest_execution_time_and_a_margin(tmp_path: Path):
    write_tasks(tmp_path)
    found = answer_of(tmp_path)
    tasks = read_task_set(found.task_set_text.encode()).tasks
    # 20 % on 1 ms and 2 ms.
    assert [one.wcet_ns for one in tasks] == [1_200_000, 2_400_000]
    assert [one.keys.working_set_bytes for one in tasks] == [64 * KIB, 64 * KIB]
    assert found.answer is not None
    assert found.answer.notes[0] == (
        "each wcet is the largest execution time seen in run tasks (jobs: 3 of high, 3 of low) "
        "+ 20%: observed, not proven"
    )


def test_without_costs_nothing_is_proven_and_the_answer_says_why(tmp_path: Path):
    write_tasks(tmp_path)
    answer = answer_of(tmp_path, "switch", "crpd").answer
    assert answer is not None
    assert answer.verdict == "not_provable"
    assert answer.missing[0] == "delta: is not among the costs; run laxity measure switch"


def test_costs_that_were_measured_count_with_the_margin(tmp_path: Path):
    write_tasks(tmp_path)
    left_measurement(tmp_path / "crpd.tmp", {64 * KIB: 10_000}, 20, result=ended())
    finish_run(tmp_path / "crpd.tmp", has_survived=True, returncode=0)
    answer = answer_of(tmp_path, "switch", "crpd").answer
    assert answer is not None
    assert (answer.costs.use, answer.costs.margin) == ("max", "20%")
    assert {one.name for one in answer.costs.entries} == {"gamma"}


def test_task_without_a_finished_job_has_no_wcet(tmp_path: Path):
    write_tasks(tmp_path, n_jobs=0)
    with pytest.raises(NoVerdict, match='task "high" finished no job'):
        answer_of(tmp_path)


def test_tasks_pass_through_parts_of_the_cache_that_gamma_is_measured_of():
    spec = plan_tasks({"duration": "3s"}, 1, 1024 * KIB, 1)
    # 48 MiB in passes of 32 KiB: 1536; 192 MiB / 128 KiB = 1536; 384 MiB / 256 KiB = 1536.
    assert [one.args for one in spec.tasks] == [
        ("32KiB", "1536"),
        ("128KiB", "1536"),
        ("256KiB", "1536"),
    ]
    assert [one.priority for one in spec.tasks] == [90, 89, 88]
    assert {one.cpus for one in spec.tasks} == {(1,)}
