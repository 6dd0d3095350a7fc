# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The demonstration's verdict: from what its runs saw to a task set, and where nothing is known."""

import json
from pathlib import Path

import pytest
from tests.costs.made_up_measurement import ended, left_measurement
from tests.report.run_builder import Made, ordinary_rows, write_run

from laxity.bounds.data import Bounded, read_bound
from laxity.bounds.platform_costs import Choice
from laxity.cli.bound_wcet import read_with_runs
from laxity.cli.demo_bound import (
    TASKS,
    VERDICT,
    bound_measured_tasks,
    pilot_of,
    plan_tasks,
    sized_by,
)
from laxity.errors import NoVerdict
from laxity.jobs.finish import finish_run
from laxity.store.run_directory import open_run

KIB = 1024


def write_tasks(
    runs: Path, n_jobs: int = 3, longest_ns: tuple[int, int] = (1_000_000, 2_000_000)
) -> None:
    """Two tasks of 5 ms whose longest jobs execute for 1 ms and 2 ms."""
    made = []
    for name, ns in zip(("high", "low"), longest_ns, strict=True):
        rows = ordinary_rows(n_jobs)
        rows["exec_ns"] = ns - 1000 * rows["job"].astype("i8")
        made.append(Made(rows, name=name))
    high, low = made
    path = write_run(runs / TASKS, Made(high.rows, name="high", others=[low])) / "manifest.json"
    # The machine of the made-up measurements.
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "machine_hash": "abc"}))
    spec = runs / TASKS / "spec.toml"
    first, second = spec.read_text().rsplit("priority = 90", 1)
    spec.write_text(f"{first}priority = 89{second}")


def answer_of(runs: Path, *measured: str) -> Bounded:
    done = bound_measured_tasks(runs, measured, runs / VERDICT, ["laxity", "demo"])
    assert done.path is not None
    found, problems = read_bound(open_run(done.path))
    assert problems == ()
    return found


def test_wcet_is_the_largest_execution_time_and_a_margin(tmp_path: Path):
    write_tasks(tmp_path)
    found = answer_of(tmp_path)
    assert found.answer is not None
    # 20 % on 1 ms and 2 ms.
    times = [(wcet.task, wcet.max_ns, wcet.wcet_ns, wcet.n) for wcet in found.answer.wcet_from]
    assert times == [("high", 1_000_000, 1_200_000, 3), ("low", 2_000_000, 2_400_000, 3)]


def test_task_set_that_is_stored_can_be_bound_again_where_it_lies(tmp_path: Path):
    write_tasks(tmp_path)
    answer_of(tmp_path)
    path = tmp_path / VERDICT / "taskset.toml"
    task_set, measured = read_with_runs(path.read_bytes(), path.parent, Choice(None, 0))
    assert [task.observed_ns for task in task_set.tasks] == [1_000_000, 2_000_000]
    assert [task.keys.working_set_bytes for task in task_set.tasks] == [64 * KIB, 64 * KIB]
    assert [wcet.run for wcet in measured] == ["../tasks", "../tasks"]


def test_margin_never_proves_that_a_deadline_is_missed(tmp_path: Path):
    # (2.3 ms + 2 ms) / 5 ms = 0.86 was seen; with 20 % it is 1.032.
    write_tasks(tmp_path, longest_ns=(2_300_000, 2_000_000))
    left_measurement(tmp_path / "crpd.tmp", {64 * KIB: 10_000}, 20, result=ended())
    finish_run(tmp_path / "crpd.tmp", has_survived=True, returncode=0)
    answer = answer_of(tmp_path, "crpd").answer
    assert answer is not None
    assert [task.verdict for task in answer.tasks] == ["not_provable", "not_provable"]
    assert answer.verdict == "not_provable"


def test_times_that_were_seen_prove_that_a_deadline_is_missed(tmp_path: Path):
    # (3.3 ms + 2 ms) / 5 ms = 1.06 was seen.
    write_tasks(tmp_path, longest_ns=(3_300_000, 2_000_000))
    answer = answer_of(tmp_path).answer
    assert answer is not None
    assert answer.verdict == "not_schedulable"


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
    with pytest.raises(NoVerdict, match=r'task "high".*no job finished with a processor time'):
        answer_of(tmp_path)


def test_tasks_pass_through_parts_of_the_cache_that_gamma_is_measured_of():
    spec = plan_tasks({"duration": "3s"}, 1, 1024 * KIB, 1)
    # 8 MiB in passes of 32 KiB: 256; of 128 KiB: 64; of 256 KiB: 32.
    assert [task.args for task in spec.tasks] == [
        ("32KiB", "256"),
        ("128KiB", "64"),
        ("256KiB", "32"),
    ]
    assert [task.priority for task in spec.tasks] == [90, 89, 88]
    assert {task.cpus for task in spec.tasks} == {(1,)}


def test_tasks_of_the_pilot_are_apart():
    tasks = plan_tasks({"duration": "3s"}, 1, 1024 * KIB, 1)
    pilot = pilot_of(tasks, 400_000_000)
    assert [task.args for task in pilot.tasks] == [task.args for task in tasks.tasks]
    released_ns = [(task.offset_ns, task.period_ns, task.deadline_ns) for task in pilot.tasks]
    apart_ns = 20_000_000, 20_000_000
    assert released_ns == [(0, *apart_ns), (6_000_000, *apart_ns), (12_000_000, *apart_ns)]
    assert pilot.duration_ns == 400_000_000


def test_tasks_are_sized_by_the_pilot_so_that_long_jobs_have_room(tmp_path: Path):
    tasks = plan_tasks({"duration": "3s"}, 1, 1024 * KIB, 1)
    made = []
    for name, usual_ns in (("control", 100_000), ("filter", 200_000), ("vision", 0)):
        rows = ordinary_rows(5 if usual_ns else 0)
        rows["exec_ns"] = usual_ns
        # The first job finds its caches cold; the second job was held up.
        rows["exec_ns"][:2] = 900_000
        made.append(Made(rows, name=name))
    write_run(tmp_path / "pilot", Made(made[0].rows, name="control", others=made[1:]))
    sized = sized_by(open_run(tmp_path / "pilot"), tasks)
    # A third of 0.3 each, margin of 20 % included: period * 0.3 / 3 / 1.2. Of 5 ms 416,667 ns, and
    # a pass takes 100,000 / 256 ns: 1066.7 passes. Of 20 ms 1,666,667 ns by 200,000 / 64: 533.3.
    # Of vision no job is known.
    assert [task.args for task in sized.tasks] == [
        ("32KiB", "1067"),
        ("128KiB", "533"),
        ("256KiB", "32"),
    ]
