# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity bound --against RUN` as a user calls it, on made-up runs."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from tests.bounds.made_up_costs import GAMMAS, SWITCHES, model
from tests.report.run_builder import Made, corunner, jobs_table, write_run

from laxity.cli.main import cli
from laxity.core.streams import Status
from laxity.errors import ConfigError, NoVerdict, RecordError
from laxity.store.manifest import encode_document

# As run_builder writes it: 5 ms, FIFO 90, CPU 1.
TASKS = """
schema = 1
[[task]]
name = "control"
workload = "mem"
args = ["64KiB"]
period = "5ms"
wcet = "{wcet}"
priority = {priority}
cpus = "1"
"""


def made() -> Made:
    """Two jobs that respond after 1 and 2 ms, execution 0.9 and 1.9 ms."""
    rows = jobs_table(2)
    rows["start_ns"] = rows["release_ns"] + 100_000
    rows["finish_ns"] = rows["release_ns"] + [1_000_000, 2_000_000]
    rows["exec_ns"] = [900_700, 1_900_700]
    rows["tid"] = 4711
    rows["status"] = Status.DONE
    return Made(rows)


def bound(
    tmp_path: Path, run: Made, *, wcet: str = "2ms", priority: int = 90, words: tuple[str, ...] = ()
) -> Result:
    tasks = tmp_path / "tasks.toml"
    tasks.write_text(TASKS.format(wcet=wcet, priority=priority))
    path = write_run(tmp_path / "run", run)
    return CliRunner().invoke(
        cli,
        ["bound", str(tasks), "--against", str(path), *(words or ("--costs", "none"))],
        standalone_mode=False,
        catch_exceptions=False,
    )


def test_a_program_named_by_its_path_from_the_file_is_that_of_the_run(tmp_path: Path):
    path = write_run(tmp_path / "run", made())
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["tasks"][0]["workload"] = str(tmp_path / "mine")
    (path / "manifest.json").write_text(json.dumps(manifest))
    tasks = tmp_path / "tasks.toml"
    text = TASKS.format(wcet="2ms", priority=90)
    words = ["bound", str(tasks), "--against", str(path), "--costs", "none"]
    tasks.write_text(text.replace('workload = "mem"', 'workload = "./mine"'))
    done = CliRunner().invoke(cli, words, standalone_mode=False, catch_exceptions=False)
    assert done.return_value == 0
    tasks.write_text(text.replace('workload = "mem"', 'workload = "./other"'))
    with pytest.raises(NoVerdict, match=f"{tmp_path}/mine 64KiB in the run, {tmp_path}/other"):
        CliRunner().invoke(cli, words, standalone_mode=False, catch_exceptions=False)


def test_run_within_its_bounds_exits_with_0(tmp_path: Path):
    done = bound(tmp_path, made())
    assert done.return_value == 0
    assert done.stdout.startswith("No response time above its bound, of 2 jobs.\n")
    assert "\nSchedulable: 1 task, zero overheads.\n" in done.stdout


def test_response_above_its_bound_exits_with_1_and_names_the_assumption(tmp_path: Path):
    # R = C = 1.5 ms < 2 ms, while the job executed 1.9 ms.
    done = bound(tmp_path, made(), wcet="1500us", words=("--costs", "none", "--format", "json"))
    answer = json.loads(done.stdout)
    assert (done.return_value, answer["verdict"]) == (1, "schedulable")
    (task,) = answer["against"]["tasks"]
    assert (task["jobs"], task["above"], task["largest_ns"]) == (2, 1, 2_000_000)
    (excess,) = task["excesses"]
    assert excess["reason"] == "not attributable: no trace"
    assert excess["long_jobs"] == [
        {"task": "control", "job": 1, "execution_ns": 1_900_000, "wcet_ns": 1_500_000}
    ]
    assert task["assumptions"][0]["n_beyond"] == 1


def test_table_says_what_was_seen_beyond_what_is_counted(tmp_path: Path):
    text = bound(tmp_path, made(), wcet="1500us").stdout
    assert text.startswith("1 of 2 response times above their bounds.\n")
    (row,) = re.findall(r"^control +1 +500 µs +(not attributable: .*)$", text, re.MULTILINE)
    assert row == "not attributable: no trace; control job 1 executed 1.90 ms, wcet 1.50 ms"


def test_run_of_which_a_job_was_aborted_does_not_read_as_a_pass(tmp_path: Path):
    run = made()
    run.rows["status"][1] = Status.ABORTED
    run.rows["finish_ns"][1] = np.iinfo(np.int64).min
    done = bound(tmp_path, run)
    assert done.return_value == 4
    assert done.stdout.startswith(
        "No response time above its bound, of 1 job; 1 job not judged (not known when it was "
        "released, aborted, or still pending).\n"
    )


def test_task_without_a_bound_does_not_read_as_a_pass(tmp_path: Path):
    # 6 ms each 5 ms: no bound.
    done = bound(tmp_path, made(), wcet="6ms")
    assert done.return_value == 1
    assert done.stdout.startswith("Nothing to compare; without a bound: control.\n")


def test_without_a_run_the_answer_holds_no_comparison(tmp_path: Path):
    tasks = tmp_path / "tasks.toml"
    tasks.write_text(TASKS.format(wcet="2ms", priority=90))
    done = CliRunner().invoke(
        cli, ["bound", str(tasks), "--costs", "none", "--format", "json"], standalone_mode=False
    )
    assert "against" not in json.loads(done.stdout)


def test_comparison_is_not_stored(tmp_path: Path):
    words = ("--costs", "none", "--run-dir", str(tmp_path / "answer"))
    with pytest.raises(ConfigError, match="--against: is not stored"):
        bound(tmp_path, made(), words=words)


def test_run_with_other_parameters_is_refused(tmp_path: Path):
    with pytest.raises(NoVerdict, match=r'priority of task "control": 90 in the run, 80 in the'):
        bound(tmp_path, made(), priority=80)


def test_run_under_fixed_priorities_is_no_witness_of_edf(tmp_path: Path):
    words = ("--costs", "none", "--scheduler", "edf")
    with pytest.raises(NoVerdict, match="fixed priorities scheduled it, the bounds are of edf"):
        bound(tmp_path, made(), words=words)


def test_run_that_was_not_scheduled_as_planned_is_no_witness(tmp_path: Path):
    path = write_run(tmp_path / "run", made())
    manifest = json.loads((path / "manifest.json").read_text())
    moved = {"what": "policy", "planned": "fifo 90", "found": "other 0", "seen_ns": 5, "jobs": 2}
    manifest["tasks"][0]["displaced"] = [moved]
    (path / "manifest.json").write_text(json.dumps(manifest))
    tasks = tmp_path / "tasks.toml"
    tasks.write_text(TASKS.format(wcet="2ms", priority=90))
    words = ["bound", str(tasks), "--against", str(path), "--costs", "none"]
    with pytest.raises(NoVerdict, match=r'its task "control" was found .* planned was fifo 90'):
        CliRunner().invoke(cli, words, standalone_mode=False, catch_exceptions=False)


def test_run_with_other_deadlines_is_no_witness_of_edf(tmp_path: Path):
    # Deadlines order its jobs: with others it is another schedule.
    path = write_run(tmp_path / "run", made())
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["tasks"][0] |= {"policy": "deadline", "priority": None}
    (path / "manifest.json").write_text(json.dumps(manifest))
    tasks = tmp_path / "tasks.toml"
    words = ["bound", str(tasks), "--against", str(path), "--costs", "none", "--scheduler", "edf"]
    text = TASKS.format(wcet="2ms", priority=90).replace("priority = 90", 'policy = "deadline"')
    tasks.write_text(f'{text}deadline = "5ms"\n')
    assert CliRunner().invoke(cli, words, standalone_mode=False).return_value == 0
    tasks.write_text(f'{text}deadline = "4ms"\n')
    with pytest.raises(
        NoVerdict, match=r'deadline of task "control": 5ms in the run, 4ms in the bound'
    ):
        CliRunner().invoke(cli, words, standalone_mode=False, catch_exceptions=False)


def test_run_on_one_cpu_is_no_witness_of_a_global_scheduler(tmp_path: Path):
    words = ("--costs", "none", "--scheduler", "global-fixed-priority", "--cpus", "0-1")
    with pytest.raises(NoVerdict, match=r'cpus of task "control": 1 in the run, 0-1 in the bound'):
        bound(tmp_path, made(), words=words)


def test_run_of_another_task_is_refused(tmp_path: Path):
    with pytest.raises(NoVerdict, match=r'it has no task "control".*its task "other" is not in'):
        bound(tmp_path, replace(made(), name="other"))


def test_run_with_corunners_that_the_task_set_lacks_is_refused(tmp_path: Path):
    with pytest.raises(NoVerdict, match="it has co-runners, the task set has none"):
        bound(tmp_path, replace(made(), corunners=[corunner()]))


def test_run_of_another_machine_than_the_costs_is_refused(tmp_path: Path):
    costs = tmp_path / "costs.json"
    costs.write_bytes(encode_document(model(*SWITCHES, *GAMMAS)))
    with pytest.raises(NoVerdict, match=r"it was made on machine .*, the costs are of machine ab"):
        bound(tmp_path, made(), words=("--costs", str(costs)))


def test_run_that_kept_only_some_rows_is_refused(tmp_path: Path):
    with pytest.raises(RecordError, match=r'1 rows of 2 releases; run it with keep = "all"'):
        bound(tmp_path, replace(made(), keep="tail:1"))


def test_run_in_which_nothing_finished_is_no_verdict(tmp_path: Path):
    run = made()
    run.rows["status"] = Status.SKIPPED
    with pytest.raises(NoVerdict, match="no job of it finished"):
        bound(tmp_path, run)


def test_run_that_is_not_there_is_named(tmp_path: Path):
    tasks = tmp_path / "tasks.toml"
    tasks.write_text(TASKS.format(wcet="2ms", priority=90))
    with pytest.raises(ConfigError, match="no-run"):
        CliRunner().invoke(
            cli,
            ["bound", str(tasks), "--costs", "none", "--against", str(tmp_path / "no-run")],
            standalone_mode=False,
            catch_exceptions=False,
        )
