# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Suite runs and vettings as stored runs, also those that are cut off."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.laxity_command import PATIENCE_S, Laxity, checkout, make_laxity
from tests.waiting import wait_until

from laxity.store.run_directory import open_run
from laxity.suites.result import SuiteDocument, VettingDocument
from laxity.suites.stored_results import read_suite, read_vetting_seen

VETTED = ("clean_sum", "exits", "never_alike", "shrinking_work", "stale_static")
RUN = ("suite", "run", "suite", "--vetting", "V")
TASK = ("-p", "5ms", "--policy", "other", "--no-report", "--quiet")


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Laxity:
    """Vet some mini-programs into the run V, once for all tests that only need verdicts."""
    laxity = make_laxity(tmp_path_factory.mktemp("vetted"))
    root = checkout(laxity, *VETTED)
    done = laxity("suite", "vet", root, "--run-dir", "V", "--jobs", "3", "--quiet", "--no-report")
    # One of them has no right mode.
    assert done.returncode == 1, done.stderr
    return laxity


@pytest.fixture
def vetted(once: Laxity, laxity: Laxity) -> Laxity:
    """A directory with the checkout `suite` and its vetting V."""
    for name in ("suite", "V"):
        shutil.copytree(once.directory / name, laxity.directory / name)
    return laxity


def start(laxity: Laxity, *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "laxity", *words],
        cwd=laxity.directory,
        env=laxity.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def results(document: SuiteDocument) -> dict[str, int | None]:
    """Right jobs by program, of those that have a result."""
    return {one.program: one.result.right for one in document.programs if one.result is not None}


def test_a_suite_run_is_one_run_with_a_row_per_program(vetted: Laxity):
    only = ("--only", "stale_static,exits,never_alike")
    done = vetted(*RUN, *only, "--run-dir", "R", "-t", "6", *TASK)
    assert done.returncode == 4, done.stderr
    run = open_run(vetted.directory / "R")
    assert (run.manifest.kind, run.manifest.status, run.manifest.exit_code) == (
        "suite", "complete", 4,
    )  # fmt: skip
    assert (run.manifest.parents, run.manifest.runs) == (["V"], ["exits", "stale_static"])
    document = read_suite(run.path)
    assert results(document) == {"exits": 6, "stale_static": 6}
    times = {one.program: one.result.times[0] for one in document.programs if one.result}
    assert (times["exits"].unit, times["exits"].n, times["exits"].kind) == ("ns", 6, "measured")
    left_out = {one.program: one.left_out for one in document.programs if one.left_out}
    assert left_out["never_alike"].startswith("rejected: two fresh processes have different res")
    assert run.verify() == []
    shown = vetted("show", "R")
    assert shown.returncode == 0
    assert "never_alike  rejected" in shown.stdout


def test_a_suite_run_goes_where_other_runs_go_and_is_no_vetting(vetted: Laxity):
    done = vetted(*RUN, "--only", "exits", "--jobs", "3", *TASK)
    assert done.returncode == 0, done.stderr
    (made,) = (vetted.directory / "runs").iterdir()
    assert "_suite_" in made.name
    assert open_run(made).children[0].manifest.tasks[0].started == 3
    done = vetted("suite", "run", "suite", "--vetting", str(made), "-t", "3", *TASK)
    assert done.returncode == 2
    assert f"--vetting {made}: a run of kind suite" in done.stderr


def test_only_takes_several_names_and_patterns(laxity: Laxity):
    root = checkout(laxity, "exits", "stale_static", "fails_at_once", "failing_check")
    only = ("--only", "exits,fail*", "--jobs", "3", "--quiet", "--no-report", "--format", "json")
    done = laxity("suite", "vet", root, *only)
    names = [one["program"] for one in json.loads(done.stdout)]
    assert names == ["exits", "failing_check", "fails_at_once"]
    done = laxity("suite", "vet", root, "--only", "exits,stale_statik", "-o", "other.toml")
    assert done.returncode == 2
    assert 'no program "stale_statik"; did you mean "stale_static"?' in done.stderr


def test_a_vetting_stores_what_every_job_did(once: Laxity):
    run = open_run(once.directory / "V")
    assert (run.manifest.kind, run.manifest.exit_code, run.verify()) == ("vetting", 1, [])
    programs = {one.program: one for one in read_vetting_seen(run.path).programs}
    assert list(programs) == list(VETTED)
    assert not programs["never_alike"].modes
    seen = programs["shrinking_work"]
    modes = {one.mode: one for one in seen.modes}
    assert list(modes) == ["none", "reinit", "restore", "fork"]
    reference = seen.reference_instructions
    assert reference is not None
    counted = [job.instructions for job in modes["none"].jobs]
    # The values are sorted after the first job: the others do much less, and are right.
    assert all(one is not None and one * 5 < reference for one in counted[1:])
    assert all(job.is_right for job in modes["none"].jobs)
    assert all(job.instructions is None for job in modes["fork"].jobs)
    rows = run.stream("vetted")
    rows = rows[rows["program"] == VETTED.index("shrinking_work")]
    # Four modes, three jobs each; instructions of a child are not counted.
    assert len(rows) == 12
    assert rows["instructions"].mask.sum() == 3
    exported = once("export", "csv", "V", "--stream", "vetted")
    assert exported.stdout.startswith("program,mode,job,right,state,instructions,")
    assert (run.path / "vetting.toml").is_file()
    assert not (once.directory / "vetting.toml").exists()


def test_two_suite_runs_are_compared_program_by_program(vetted: Laxity):
    for name in ("A", "B"):
        only = ("--only", "exits,stale_static", "--run-dir", name)
        done = vetted(*RUN, *only, "-t", "10", *TASK)
        assert done.returncode == 0, done.stderr
    done = vetted("compare", "A", "B", "--format", "json")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)["results"][0]["comparison"]["figures"]
    assert {one["subject"] for one in figures} == {"exits/exits", "stale_static/stale_static"}


def until_it_measures(laxity: Laxity, process: "subprocess.Popen[str]", program: str) -> Path:
    """Wait until a program measures; give the directory of the suite run while it is written."""
    tmp = laxity.directory / "R.tmp"
    jobs = tmp / "runs" / f"{program}.tmp" / "jobs.npy"
    wait_until(jobs.exists, f"jobs of {program}", limit_s=PATIENCE_S)
    assert process.poll() is None
    return tmp


def suite_in_three(laxity: Laxity) -> "subprocess.Popen[str]":
    """Start a run of three programs, 2 s each."""
    only = ("--only", "clean_sum,exits,stale_static", "--run-dir", "R", "--duration", "2s")
    return start(laxity, *RUN, *only, *TASK)


def test_an_interrupted_suite_keeps_what_it_has(vetted: Laxity):
    process = suite_in_three(vetted)
    until_it_measures(vetted, process, "exits")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    run = open_run(vetted.directory / "R")
    assert (run.manifest.status, run.manifest.exit_code) == ("interrupted", 130)
    assert run.manifest.runs == ["clean_sum", "exits"]
    found = {one.program: one.result for one in read_suite(run.path).programs}
    assert found["clean_sum"] is not None
    # 2 s of 5 ms; a busy machine skips some, which are released all the same.
    assert found["clean_sum"].released == 400
    assert found["exits"] is not None
    assert found["exits"].status == "interrupted"
    assert found["stale_static"] is None
    assert "stale_static  the run ended before its turn" in out
    assert run.verify() == []


def test_a_killed_suite_is_recovered_with_its_table(vetted: Laxity):
    process = suite_in_three(vetted)
    tmp = until_it_measures(vetted, process, "exits")
    process.kill()
    process.communicate(timeout=PATIENCE_S)
    # laxity-run notices that its caller has gone, and ends in order.
    child = tmp / "runs" / "exits"
    wait_until((child / "manifest.json").exists, "the finished run", limit_s=PATIENCE_S)
    shown = vetted("show", "R")
    assert shown.returncode == 0, shown.stderr
    run = open_run(vetted.directory / "R")
    assert (run.manifest.status, run.manifest.runs) == ("recovered", ["clean_sum", "exits"])
    assert set(results(read_suite(run.path))) == {"clean_sum", "exits"}
    assert run.verify() == []


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_a_full_disk_ends_a_suite_with_3_and_keeps_the_programs_before(vetted: Laxity):
    small = vetted.directory / "small"
    small.mkdir()
    # A run of few jobs is 120 KiB, most of it what the doctor said: the second does not fit.
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=260k", "tmpfs", small],
        capture_output=True, check=False,
    )  # fmt: skip
    if mounted.returncode:
        pytest.skip("needs permission to mount a tmpfs")
    try:
        done = vetted(*RUN, "--run-dir", "small/R", "-t", "6", *TASK)
        assert done.returncode == 3, done.stderr
        assert "No space left on device" in done.stderr
        subprocess.run(["mount", "-o", "remount,size=64m", small], check=True)
        shown = vetted("show", "small/R")
        assert shown.returncode == 0, shown.stderr
        assert results(read_suite(small / "R"))["clean_sum"] == 6
    finally:
        subprocess.run(["umount", small], check=True)


def verdicts_so_far(laxity: Laxity) -> int:
    path = laxity.directory / "V.tmp"
    return len(read_vetting_seen(path).programs) if (path / "vetting.toml").exists() else 0


def vetting_cut_off(laxity: Laxity, number: signal.Signals) -> tuple[int, VettingDocument]:
    """Vet and send a signal after the first verdict; give exit code and verdicts.

    One program is rejected at once, the others take a hundred times as long, on any machine.
    """
    root = checkout(laxity, *VETTED)
    words = ("--run-dir", "V", "--jobs", "3", "--quiet", "--no-report")
    process = start(laxity, "suite", "vet", root, *words)
    wait_until(lambda: verdicts_so_far(laxity) > 0, "a verdict", limit_s=PATIENCE_S)
    process.send_signal(number)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode in {130, -signal.SIGKILL}, err
    # Who can still speak says what is left.
    assert ("their verdicts are in V/vetting.toml" in err) == (number != signal.SIGKILL)
    assert laxity("show", "V").returncode == 0
    return process.returncode, read_vetting_seen(laxity.directory / "V")


def test_a_vetting_whose_run_is_named_leaves_nothing_else_and_can_be_made_again(laxity: Laxity):
    root = checkout(laxity, "exits")
    words = ("suite", "vet", root, "--jobs", "3", "--quiet", "--no-report", "--run-dir")
    for run in ("V", "W"):
        done = laxity(*words, run)
        assert done.returncode == 0, done.stderr
    assert {path.name for path in laxity.directory.iterdir()} == {root, "V", "W"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_vetting_keeps_its_verdicts(laxity: Laxity, number: signal.Signals):
    code, seen = vetting_cut_off(laxity, number)
    assert code == 130
    assert open_run(laxity.directory / "V").manifest.status == "interrupted"
    assert 0 < len(seen.programs) < seen.programs_asked
    # Half of the verdicts are not what somebody looks for under this name.
    assert not (laxity.directory / "vetting.toml").exists()


def test_a_killed_vetting_is_recovered_with_its_verdicts(laxity: Laxity):
    _, seen = vetting_cut_off(laxity, signal.SIGKILL)
    run = open_run(laxity.directory / "V")
    assert (run.manifest.status, run.verify()) == ("recovered", [])
    assert 0 < len(seen.programs) < seen.programs_asked
