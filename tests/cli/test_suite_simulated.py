# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity suite run --platform sim:NAME`: programs of a suite on a processor that is not there."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.laxity_command import Laxity, of_simulator, take_vetted, vet_programs

from laxity.store.run_directory import open_run
from laxity.suites.result import SuiteDocument
from laxity.suites.stored_results import read_suite

# In each mode that there is here; and what is left out.
VETTED = (
    "appends_file", "child_exits", "clean_sum", "exits", "joined_threads", "own_section",
    "shrinking_work", "small_heap_leak", "stale_static",
)  # fmt: skip
MODES = {
    "clean_sum": "none", "exits": "none", "shrinking_work": "reinit",
    "small_heap_leak": "restore", "stale_static": "restore",
}  # fmt: skip
TASK = ("-p", "5ms", "--no-report", "--quiet")
JOBS = 4


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Laxity:
    """Vet some mini-programs, once for all tests."""
    return vet_programs(tmp_path_factory.mktemp("vetted"), VETTED, 0)


@pytest.fixture
def vetted(once: Laxity, laxity: Laxity) -> Laxity:
    """A directory with the checkout `suite`, its vetting V and vetting.toml."""
    return take_vetted(once, laxity)


def run_suite(
    laxity: Laxity, *words: str, platform: str = "sabrelite"
) -> "subprocess.CompletedProcess[str]":
    """Run the suite into R."""
    architecture = {"sabrelite": "armhf", "mpc750": "powerpc"}[platform]
    if not of_simulator(f"{architecture}-run-linked.o").exists():
        pytest.skip(f"no compiler for {architecture}, or simulated platforms are not built")
    where = ("--platform", f"sim:{platform}", "--run-dir", "R")
    return laxity("suite", "run", "suite", *where, *TASK, *words)


def ran(document: SuiteDocument) -> dict[str, tuple[int | None, int | None]]:
    """Right and wrong jobs by program, of those that have a result."""
    found = ((one.program, one.result) for one in document.programs)
    return {name: (result.right, result.wrong) for name, result in found if result is not None}


def busy_ns(run: Path) -> Iterator[int]:
    yield from open_run(run).stream("jobs")["busy_ns"].tolist()


@pytest.mark.parametrize("platform", ["sabrelite", "mpc750"])
def test_programs_that_only_compute_run_in_their_modes_and_others_are_named(
    vetted: Laxity, platform: str
):
    done = run_suite(vetted, "-t", str(JOBS), platform=platform)
    assert done.returncode == 4, done.stderr
    assert "not deterministic" not in done.stderr
    whole = open_run(vetted.directory / "R")
    assert whole.manifest.platform == f"sim:{platform}"
    document = read_suite(whole.path)
    assert ran(document) == dict.fromkeys(MODES, (JOBS, 0))
    assert {one.program: one.mode for one in document.programs if one.result} == MODES
    assert {one.program: one.left_out for one in document.programs if one.left_out} == {
        "appends_file": "it writes files, which are not simulated",
        "child_exits": "mode fork: processes are not simulated; no cheaper mode is right",
        "joined_threads": "it makes threads, which are not simulated",
        "own_section": "cannot be built: error: writable section own_counters: nobody knows "
        "whether it is state that a job must find afresh",
    }
    assert {time.kind for one in document.programs if one.result for time in one.result.times} == {
        "simulated"
    }


def test_isolation_costs_jobs_nothing_and_makes_them_alike(vetted: Laxity):
    done = run_suite(vetted, "-t", str(JOBS), "--only", "shrinking_work,stale_static")
    assert done.returncode == 0, done.stderr
    for program in ("shrinking_work", "stale_static"):
        # Each job executes the same instructions; what lies between jobs is not simulated.
        assert len(set(busy_ns(vetted.directory / "R" / "runs" / program))) == 1


@pytest.mark.parametrize("jobs", [2, 4])
def test_a_job_that_is_not_like_a_fresh_process_ends_its_program_also_as_the_last(
    vetted: Laxity, jobs: int
):
    path = vetted.directory / "vetting.toml"
    # What the first job has added up is still there in the second one.
    path.write_text(path.read_text().replace('mode = "restore"', 'mode = "none"'))
    done = run_suite(vetted, "-t", str(jobs), "--only", "stale_static,clean_sum")
    assert done.returncode == 1, done.stderr
    assert ran(read_suite(vetted.directory / "R")) == {
        "clean_sum": (jobs, 0),
        "stale_static": (1, 1),
    }
    printed = (vetted.directory / "R" / "runs" / "stale_static" / "output.log").read_text()
    assert "job 1 is not like a fresh process: returned:0, its check 1" in printed


def test_a_program_runs_again_alike_without_its_checkout(vetted: Laxity):
    assert run_suite(vetted, "-t", "3", "--only", "exits").returncode == 0
    shutil.rmtree(vetted.directory / "suite")
    spec = "R/runs/exits/spec.toml"
    done = vetted("run", spec, "--run-dir", "D", "--no-report", "--quiet")
    assert done.returncode == 0, done.stderr
    first = open_run(vetted.directory / "R" / "runs" / "exits").manifest
    assert vetted.manifest().result_hash == first.result_hash
    assert first.result_hash is not None


def test_verdicts_and_options_that_do_not_fit_the_platform_are_refused(vetted: Laxity):
    done = run_suite(vetted, "-t", "2", "--no-throttling")
    assert (done.returncode, "changes settings of this machine" in done.stderr) == (2, True)
    path = vetted.directory / "vetting.toml"
    path.write_text(path.read_text().replace('target = "native"', 'target = "powerpc"'))
    done = run_suite(vetted, "-t", "2")
    assert done.returncode == 2
    assert "is of programs for powerpc, and the platform executes armhf" in done.stderr
    assert not (vetted.directory / "R").exists()


def test_verdicts_for_the_processor_of_the_platform_serve_too(vetted: Laxity):
    path = vetted.directory / "vetting.toml"
    path.write_text(path.read_text().replace('target = "native"', 'target = "armhf"'))
    done = run_suite(vetted, "-t", "2", "--only", "clean_sum")
    assert done.returncode == 0, done.stderr


def test_what_the_compiler_of_the_platform_cannot_build_is_named(vetted: Laxity):
    (vetted.directory / "suite" / "clean_sum" / "clean_sum.c").write_text("#error not here\n")
    done = run_suite(vetted, "-t", "2")
    assert done.returncode == 4, done.stderr
    document = read_suite(vetted.directory / "R")
    left_out = {one.program: str(one.left_out) for one in document.programs if one.left_out}
    assert "does not compile" in left_out["clean_sum"]
    assert "exits" in ran(document)


def test_results_of_programs_are_told_as_simulated(vetted: Laxity):
    done = run_suite(vetted, "-t", "2", "--only", "clean_sum", "--format", "json")
    assert done.returncode == 0, done.stderr
    (one,) = json.loads(done.stdout)["runs"]
    assert (one["right"], {time["kind"] for time in one["times"]}) == (2, {"simulated"})
    shown = vetted("show", "R").stdout
    assert "Jobs of each program, simulated" in shown
