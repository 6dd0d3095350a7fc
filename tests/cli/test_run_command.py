# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity run` on this machine: rows, files, output, limits."""

import json
import tomllib

import numpy as np
import pytest
from tests.cli.commands import needs_fifo
from tests.cli.laxity_command import ROOT, Laxity

from laxity.core.streams import STREAMS, Status
from laxity.store.run_directory import open_run

pytestmark = [pytest.mark.serial, needs_fifo]

EMPTY = ("empty", "-c", "0", "-f", "60", "-p", "2ms")
QUIET = ("--run-dir", "D", "--no-report", "--quiet")
# Said of a co-runner that cannot disturb the task.
SHARED_CPU = "so it runs only while the task sleeps"
SNAPSHOT_COLUMNS = {
    "exec_ns",
    "preemptions",
    "blockings",
    "minor_faults",
    "major_faults",
}


def test_run_accounts_for_every_release(laxity: Laxity):
    run = laxity.run(*EMPTY, "-t", "100")
    (task,) = run.manifest.tasks
    assert task.started == 100
    counts = task.counts
    by_status = counts.done + counts.missed + counts.skipped + counts.aborted + counts.pending
    assert by_status == task.released == len(run.stream("jobs"))
    assert counts.not_met == counts.missed + counts.skipped + counts.aborted


def test_every_row_is_arithmetic(laxity: Laxity):
    run = laxity.run(*EMPTY, "-t", "200", "-d", "1ms", "--offset", "3ms")
    assert run.manifest.clock is not None
    t0_ns = run.manifest.clock.t0_ns
    rows = run.stream("jobs")
    assert rows["job"].tolist() == list(range(len(rows)))
    # r_j = t0 + offset + j * T
    expected_ns = [t0_ns + 3_000_000 + job * 2_000_000 for job in range(len(rows))]
    assert rows["release_ns"].tolist() == expected_ns
    assert (rows["abs_deadline_ns"] - rows["release_ns"] == 1_000_000).all()
    finished = rows[~np.ma.getmaskarray(rows["finish_ns"])]
    assert (finished["start_ns"] >= finished["release_ns"]).all()
    assert (finished["finish_ns"] >= finished["start_ns"]).all()
    is_late = finished["finish_ns"] > finished["abs_deadline_ns"]
    assert (finished["status"] == np.where(is_late, Status.MISSED, Status.DONE)).all()


def test_columns_written_by_c_are_those_listed_here(laxity: Laxity):
    names = laxity.run(*EMPTY, "-t", "3").stream("jobs").dtype.names
    assert names is not None
    schema = tomllib.loads((ROOT / "schema" / "streams.toml").read_text())
    # Of jobs of several calls, of programs with regions, of observed programs and simulated ones.
    elsewhere = {"calls", "regions", "moves", "simulated"}
    assert [name for name in names if not name.endswith("_ticks")] == [
        column["name"]
        for column in schema["jobs"]["columns"]
        if column.get("when") not in {*elsewhere, "ticks"}
    ]
    assert {name for name in names if name.endswith("_ticks")} in (
        set(),
        {"start_ticks", "finish_ticks"},
    )


@pytest.mark.parametrize(
    ("mode", "present"), [("none", set()), ("cpu", {"exec_ns"}), ("all", SNAPSHOT_COLUMNS)]
)
def test_what_was_not_measured_has_no_column(laxity: Laxity, mode: str, present: set[str]):
    run = laxity.run(*EMPTY, "-t", "3", "--snapshots", mode)
    assert set(run.stream("jobs").dtype.names or ()) & SNAPSHOT_COLUMNS == present
    assert run.manifest.snapshots is not None
    assert run.manifest.snapshots.mode == mode


def test_run_directory_holds_what_the_design_lists_and_its_hashes(laxity: Laxity):
    run = laxity.run(*EMPTY, "-t", "3", "--seed", "11")
    names = {path.name for path in run.path.iterdir()}
    assert {"manifest.json", "spec.toml", "machine.json", "doctor.json", "jobs.npy"} <= names
    assert "histogram.npy" in names
    assert not {"native.json", "segment"} & names
    assert run.verify() == []
    assert (run.manifest.seed, run.manifest.status, run.manifest.kind) == (11, "complete", "run")
    assert run.manifest.machine_hash == run.machine["hash"]
    assert run.doctor["before"] is not None
    assert run.doctor["after"] is not None
    assert run.manifest.tables["jobs.npy"] == len(run.stream("jobs"))


def test_histogram_counts_every_finished_job_once_per_quantity(laxity: Laxity):
    run = laxity.run(*EMPTY, "-t", "50", "--keep", "tail:5")
    assert len(run.stream("jobs")) == 5
    histogram = run.stream("histogram")
    counts = run.manifest.tasks[0].counts
    for quantity in (0, 1, 2):
        of_quantity = histogram["count"][histogram["quantity"] == quantity]
        assert int(of_quantity.sum()) == counts.done + counts.missed
    assert (histogram["lower_ns"] < histogram["upper_ns"]).all()


def test_resolved_spec_runs_again(laxity: Laxity):
    laxity.run(*EMPTY, "-t", "3", "--interfere", "bandwidth read 1MiB@0", told=SHARED_CPU)
    again = laxity("run", "D/spec.toml", "--run-dir", "E", "--no-report", "--quiet")
    assert again.returncode == 0
    spec = (laxity.directory / "D" / "spec.toml").read_bytes()
    assert (laxity.directory / "E" / "spec.toml").read_bytes() == spec


def test_summary_is_on_stdout_and_progress_on_stderr(laxity: Laxity):
    done = laxity("run", *EMPTY, "-t", "3", "--run-root", "R", "--no-report")
    assert (done.returncode, done.stderr) == (0, "")
    (path,) = (laxity.directory / "R").iterdir()
    assert done.stdout.splitlines()[-1] == f"R/{path.name}"
    assert "release latency" in done.stdout
    assert "3 started" in done.stdout


def test_json_is_one_document_with_units_counts_and_kinds(laxity: Laxity):
    done = laxity("run", *EMPTY, "-t", "3", "--format", "json", "--run-dir", "D", "--no-report")
    document = json.loads(done.stdout)
    assert (document["run"], document["status"], document["exit_code"]) == ("D", "complete", 0)
    (task,) = document["runs"][0]["tasks"]
    assert task["started"] == 3
    for quantity in task["quantities"]:
        assert (quantity["n"], quantity["kind"]) == (3, "measured")
        assert quantity["min_ns"] <= quantity["median_ns"] <= quantity["max_ns"]


def test_run_goes_to_laxity_runs_by_default(laxity: Laxity):
    assert laxity("run", *EMPTY, "-t", "3", "--no-report").returncode == 0
    (path,) = (laxity.directory / "runs").iterdir()
    assert "_empty_" in path.name


def test_duration_ends_the_run(laxity: Laxity):
    run = laxity.run(*EMPTY, "--duration", "100ms")
    # 100 ms / 2 ms = 50 releases, r_0 ... r_49 < t0 + 100 ms.
    assert run.manifest.tasks[0].released == 50


def test_corunner_is_shown_to_have_run(laxity: Laxity):
    words = ("--duration", "300ms", "--interfere", "bandwidth write 1MiB@0")
    run = laxity.run(*EMPTY, *words, told=SHARED_CPU)
    (one,) = run.manifest.corunners
    assert (one.workload, one.args, one.cpus) == ("bandwidth", ["write", "1MiB"], "0")
    assert one.passes_before_t0 is not None
    assert one.passes_before_t0 > 0
    assert one.end_cause == "stopped"


def test_interference_on_the_only_core_of_the_task_ends(laxity: Laxity):
    """RT-Bench's start_interfering loops for ever when target and system leave no core."""
    run = laxity.run(*EMPTY, "-t", "5", "--interfere", "latency 1MiB@0", told=SHARED_CPU)
    assert run.manifest.status == "complete"


def test_what_was_told_before_the_run_is_stored_and_shown(laxity: Laxity):
    """It went to stderr only: whoever read the run later thought that the task was disturbed."""
    words = (*EMPTY, "-t", "5", "--interfere", "latency 1MiB@0")
    done = laxity("run", *words, "--run-dir", "D", "--no-report", "--format", "json")
    (note,) = laxity.manifest().notes
    assert SHARED_CPU in note
    assert done.stderr == f"laxity run: {note}\n"
    assert json.loads(done.stdout)["notes"] == [note]
    assert f"note: {note}\n" in laxity("show", "D").stdout


def test_misses_alone_are_data(laxity: Laxity):
    # Every job spins 3 ms in a period of 1 ms: all miss, 2 of 3 releases are skipped.
    done = laxity("run", laxity.spec(args=["spin", "3000"], period="1ms"), "-t", "3", *QUIET)
    assert done.returncode == 0
    counts = laxity.manifest().tasks[0].counts
    assert counts.missed == 3
    assert counts.not_met >= 3


@pytest.mark.parametrize(("limit", "exit_code"), [("1000000", 0), ("0", 1)])
def test_stated_limit_of_misses_decides_the_exit_code(laxity: Laxity, limit: str, exit_code: int):
    spec = laxity.spec(args=["spin", "3000"], period="1ms")
    done = laxity("run", spec, "-t", "3", "--max-misses", limit, *QUIET)
    assert done.returncode == exit_code
    assert laxity.manifest().exit_code == exit_code
    assert laxity.manifest().status == "complete"


@pytest.mark.parametrize(("limit", "exit_code"), [("60s", 0), ("2ms", 1)])
def test_stated_limit_of_response_decides_the_exit_code(laxity: Laxity, limit: str, exit_code: int):
    spec = laxity.spec(args=["spin", "3000"], period="1ms")
    done = laxity("run", spec, "-t", "3", "--max-response", limit, *QUIET)
    assert done.returncode == exit_code
    assert ("above the limit max_response" in done.stdout) == bool(exit_code)


@pytest.mark.parametrize("name", ["one-task", "three-tasks", "simulated"])
def test_examples_of_specs_run(laxity: Laxity, name: str):
    more = ("--jobs", "5") if name == "simulated" else ("--duration", "100ms")
    run = laxity.run(str(ROOT / "examples" / f"{name}.toml"), *more)
    assert run.manifest.status == "complete"
    assert all(task.started for task in run.manifest.tasks)


def test_worked_example_of_the_design_under_skip(laxity: Laxity):
    """C = 3.5 T, D = T, -t 2: rows 0 missed, 1-3 skipped, 4 missed, 5-7 skipped."""
    spec = laxity.spec(args=["spin", "35000"], period="10ms")
    assert laxity("run", spec, "-t", "2", *QUIET).returncode == 0
    task = laxity.manifest().tasks[0]
    assert task.started == 2
    assert task.counts.missed == 2
    assert task.counts.done == 0
    # A disturbance can only make jobs longer: more skipped, never fewer.
    assert task.counts.skipped >= 6


def test_extra_column_of_a_workload_is_stored(laxity: Laxity):
    """RT-Bench glues a header without comma to its neighbour."""
    assert laxity("run", laxity.spec(args=["none"]), "-t", "3", *QUIET).returncode == 0
    rows = open_run(laxity.directory / "D").stream("jobs")
    extra = [
        name for name in rows.dtype.names or () if name not in {f.name for f in STREAMS["jobs"]}
    ]
    assert len(extra) == 1
    assert rows[extra[0]].tolist() == [1.0, 2.0, 3.0]


def test_report_is_written_unless_it_is_not_wanted(laxity: Laxity):
    done = laxity("run", *EMPTY, "-t", "30", "--run-dir", "D", "--quiet")
    assert done.returncode == 0
    assert (laxity.directory / "D" / "report.html").is_file()
    assert done.stdout.splitlines()[-1] == "D/report.html"


def test_end_that_went_to_the_program_is_told_of(laxity: Laxity):
    words = ("run", "-p", "10ms", "--dry-run", "--exec", "/bin/true", "-t", "100")
    told = "it lasts until it is interrupted; -t behind --exec is a word of /bin/true"
    assert told in laxity(*words).stderr
    assert "lasts" not in laxity(*words[:3], "-t", "5", *words[3:]).stderr


def test_workload_of_ones_own_is_taken_by_its_path_for_a_platform_that_is_not_here(laxity: Laxity):
    # It is linked with another main there, which a program of this machine has not.
    (laxity.directory / "mine").write_bytes(b"\x7fELF, of another machine")
    words = ("run", "./mine", "-p", "10ms", "-t", "1", "--platform", "sim:sabrelite", "--dry-run")
    # The platform may read it, and say what is wrong with it; whether it is a workload is its own.
    assert "is no workload" not in laxity(*words).stderr
