# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity profile ... --suite DIR`: programs of a suite in fresh processes."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.cli.laxity_command import Laxity, of_simulator, take_vetted, vet_programs

from laxity.jobs.rows import finished
from laxity.store.run_directory import open_run

VETTED = ("appends_file", "clean_sum", "never_alike", "stale_static")
BUSY = ("--scenario", "busy=load 64KiB@0", "--processes", "2", "-t", "3", "--run-dir", "P")
NATIVE = ("-p", "5ms", "--policy", "other", "--cpus", "0", "--no-report", "--quiet")
LEFT_OUT_NATIVE = "rejected: two fresh processes have different results"


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Laxity:
    """Vet some mini-programs, once for all tests."""
    # One of them has no right mode.
    return vet_programs(tmp_path_factory.mktemp("vetted"), VETTED, 1)


@pytest.fixture
def vetted(once: Laxity, laxity: Laxity) -> Laxity:
    """A directory with the checkout `suite`, its vetting V and vetting.toml."""
    return take_vetted(once, laxity)


def profile(laxity: Laxity, *words: str) -> "subprocess.CompletedProcess[str]":
    return laxity("profile", "wcet", "--suite", "suite", *BUSY, *words)


def document(laxity: Laxity) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((laxity.directory / "P" / "profile.json").read_text())
    return found


def test_programs_run_in_their_modes_and_their_profile_needs_no_checkout(vetted: Laxity):
    done = profile(vetted, "clean_sum", "stale_static", *NATIVE)
    assert done.returncode == 0, done.stderr
    shutil.rmtree(vetted.directory / "suite")
    run = open_run(vetted.directory / "P")
    assert run.verify() == []
    # With a period, and nothing to sample, there are no pilots.
    assert run.manifest.runs == [
        f"{target:02}-{name}-{scenario}-{process:02}"
        for process in range(2)
        for target, name in enumerate(("clean_sum", "stale_static"))
        for scenario in ("alone", "busy")
    ]
    told = document(vetted)
    assert [(one["workload"], one["isolation"]) for one in told["targets"]] == [
        ("clean_sum", "none"),
        ("stale_static", "restore"),
    ]
    # 2 processes of 3 jobs.
    assert {(one["processes"], one["jobs"]) for one in told["times"]} == {(2, 6)}
    assert len(told["times"]) == 2 * 2 * 2
    for child in run.children:
        assert finished(child.stream("jobs"))["right"].tolist() == [1, 1, 1]
    spec = "P/runs/01-stale_static-alone-00/spec.toml"
    again = vetted("run", spec, "--run-dir", "D", "--no-report", "--quiet")
    assert again.returncode == 0, again.stderr
    assert finished(open_run(vetted.directory / "D").stream("jobs"))["right"].tolist() == [1, 1, 1]


def test_without_names_all_that_may_run_do_and_the_others_are_told(vetted: Laxity):
    done = profile(vetted, *NATIVE)
    assert done.returncode == 4, done.stderr
    names = [one["workload"] for one in document(vetted)["targets"]]
    assert names == ["appends_file", "clean_sum", "stale_static"]
    run = vetted("suite", "run", "suite", "-t", "1", *NATIVE, "--run-dir", "R")
    assert run.returncode == 4
    (reason,) = (line for line in run.stdout.splitlines() if LEFT_OUT_NATIVE in line)
    for told in (done.stdout, vetted("show", "P").stdout):
        assert reason in told.splitlines()
        assert "complete: 1 of 4 programs were left out" in told


def test_profile_goes_on_and_builds_elsewhere(vetted: Laxity):
    assert profile(vetted, "clean_sum", *NATIVE).returncode == 0
    path = vetted.directory / "P"
    figures = document(vetted)["times"]
    # As if it had been killed in its last process.
    shutil.rmtree(path / "report.html", ignore_errors=True)
    last = path / "runs" / "clean_sum-busy-01"
    shutil.rmtree(last)
    path.rename(vetted.directory / "P.tmp")
    left = inodes(vetted.directory / "P.tmp" / "runs")
    done = profile(vetted, "clean_sum", *NATIVE)
    assert done.returncode == 0, done.stderr
    assert last.is_dir()
    # What was complete was not run again.
    assert left.items() <= inodes(path / "runs").items()
    alone = [one for one in figures if one["scenario"] == 0]
    assert [one for one in document(vetted)["times"] if one["scenario"] == 0] == alone
    other = profile(vetted, "stale_static", *NATIVE)
    assert other.returncode == 2
    assert "(workload: clean_sum, and not stale_static)" in other.stderr


def inodes(runs: Path) -> dict[str, int]:
    return {one.name: one.stat().st_ino for one in runs.iterdir()}


def test_jobs_that_are_not_like_a_fresh_process_are_a_failure(vetted: Laxity):
    path = vetted.directory / "vetting.toml"
    # What the first job has added up is still there in the others.
    path.write_text(path.read_text().replace('mode = "restore"', 'mode = "none"'))
    done = profile(vetted, "stale_static", *NATIVE)
    assert done.returncode == 1, done.stderr
    # 2 of 3 jobs, in 2 processes, in 2 scenarios.
    assert "8 jobs were not like a fresh process: stale_static" in done.stdout


def test_a_job_of_several_calls_is_told(vetted: Laxity):
    done = profile(vetted, "clean_sum", "stale_static", "--calls", "4", *NATIVE)
    assert done.returncode == 4, done.stderr
    assert [one["workload"] for one in document(vetted)["targets"]] == ["clean_sum"]
    assert "A job is 4 calls of its program in a row." in done.stdout
    assert "--calls: in mode restore state is taken back after each call" in done.stdout


def test_no_process_finds_files_that_one_that_died_has_left(laxity: Laxity):
    folder = laxity.directory / "suite" / "appends"
    folder.mkdir(parents=True)
    (folder / "log.txt").write_text("x")
    (folder / "appends.c").write_text(
        "#include <stdio.h>\n"
        "int main(void)\n{\n"
        '    FILE *log = fopen("log.txt", "a+");\n'
        '    fprintf(log, "x");\n'
        '    printf("%ld\\n", ftell(log));\n'
        "    if (ftell(log) > 3) {\n        __builtin_trap();\n    }\n"
        "    return fclose(log);\n}\n"
    )
    (laxity.directory / "suite" / "listed.toml").write_text(
        'schema = 1\n[[program]]\nname = "appends"\ninputs = ["log.txt"]\n'
    )
    words = ("--manifest", "suite/listed.toml")
    vet = laxity("suite", "vet", "suite", *words, "--jobs", "3", "--no-report", "--quiet")
    assert vet.returncode == 0, vet.stderr
    path = laxity.directory / "vetting.toml"
    path.write_text(path.read_text().replace('mode = "restore"', 'mode = "none"'))
    done = profile(laxity, *words, *NATIVE)
    assert done.returncode == 1, done.stderr
    # The log has 1 letter as it is given: jobs leave 2, which is right, then 3, and die of the 4th.
    runs = open_run(laxity.directory / "P").children
    assert len(runs) == 2 * 2
    for child in runs:
        assert finished(child.stream("jobs"))["right"][:2].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--suite", "suite", "clean_sun"), 'NAME: no program "clean_sun"; did you mean'),
        (("--suite", "suite", "-b", "1"), "-b: programs of a suite have those of their"),
        (("mem", "--vetting", "vetting.toml"), "--vetting: is of a suite; add --suite DIR"),
        (("mem", "--calls", "2"), '--calls 2: workload "mem" has no calls'),
        ((), "nothing to profile; name a workload"),
    ],
)
def test_what_cannot_be_meant_is_refused(vetted: Laxity, words: tuple[str, ...], said: str):
    done = vetted("profile", "wcet", *words, *BUSY, *NATIVE)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert not (vetted.directory / "P").exists()


def test_nothing_is_stored_where_no_program_may_run(vetted: Laxity):
    done = profile(vetted, "never_alike", *NATIVE)
    assert done.returncode == 4
    assert f"never_alike: {LEFT_OUT_NATIVE}" in done.stderr
    assert not (vetted.directory / "P").exists()


def test_programs_are_profiled_on_a_simulated_platform(vetted: Laxity):
    if not of_simulator("armhf-run-linked.o").exists():
        pytest.skip("no compiler for armhf, or simulated platforms are not built")
    words = ("clean_sum", "stale_static", "appends_file", "-p", "1ms", "--quiet", "--no-report")
    where = ("--platform", "sim:sabrelite", "--cpus", "1")
    done = profile(vetted, *words, *where)
    assert done.returncode == 4, done.stderr
    assert "it writes files, which are not simulated" in done.stdout
    first = document(vetted)
    assert first["kind"] == "simulated"
    assert [one["workload"] for one in first["targets"]] == ["clean_sum", "stale_static"]
    assert {(one["processes"], one["jobs"]) for one in first["times"]} == {(2, 6)}
    # One run serves all analyses.
    assert {one["under"] for one in first["ratios"]} >= {"instructions", "l1d_access"}
    (vetted.directory / "P").rename(vetted.directory / "Q")
    assert profile(vetted, *words, *where).returncode == 4
    assert document(vetted) == first
