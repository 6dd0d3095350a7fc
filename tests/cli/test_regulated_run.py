# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity run` with regulated co-runners on a simulated platform."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.cli.commands import Outcome, laxity
from tests.cli.laxity_command import of_simulator
from tests.contention.test_table import cold_only, write_signed

from laxity.contention.regulated import REASONS

pytestmark = pytest.mark.skipif(
    not of_simulator("laxity-sim").exists(), reason="simulated platforms are not built"
)

PLATFORM = ("--platform", "sim:sabrelite-partitioned")
# Another task of its CPU preempts the regulated task; three CPUs have loads.
SET = """\
schema = 1
[run]
platform = "sim:sabrelite-partitioned"
jobs = 4
[[task]]
name = "low"
workload = "edges"
args = ["sqcif"]
period = "12ms"
priority = 40
cpus = "0"
wcet = "1.6ms"
contention = "edges.json"
gamma = "200us"
[[task]]
name = "high"
workload = "sha"
args = ["small"]
period = "3ms"
offset = "500us"
cpus = "0"
[[interfere]]
workload = "load"
args = ["4MiB", "0", "0"]
cpus = "1-3"
[regulate]
task = "low"
theta = "20%"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with the table of the regulated task."""
    path = tmp_path_factory.mktemp("regulated")
    words = ("--load-cpus", "1-3", "--reads", "0", "--delays", "0,200", "--quiet")
    more = ("--preemptions", "3", "--pauses", "none")
    done = laxity(
        "contention", "profile", "edges sqcif", *PLATFORM, "-o", path / "edges.json", *words, *more
    )
    assert done.code == 0, done.err
    (path / "set.toml").write_text(SET)
    return path


def run(*words: str | Path) -> Outcome:
    return laxity("run", *words, "--no-report", "--quiet", "--format", "json")


def alone(folder: Path, to: Path, *words: str | Path) -> Outcome:
    interfere = ("--interfere", "load 4MiB 0 0@1-3")
    what = ("edges", "sqcif", "-p", "10ms", "-t", "3", "--cpus", "0", *PLATFORM, *interfere)
    return run(*what, "--regulate", folder / "edges.json", "--run-dir", to, *words)


def test_promise_is_kept_for_each_job_of_a_preempted_task(folder: Path, tmp_path: Path):
    done = run(folder / "set.toml", "--run-dir", tmp_path / "R")
    assert done.code == 0, done.err
    found: dict[str, Any] = json.loads(done.out)["regulation"]
    assert (found["jobs"], found["kept"]) == (4, 4)
    assert found["nearest_ns"] <= found["nearest_promised_ns"]
    # A regulator that allows nothing, or all, would keep no promise or be of no use.
    assert 0 < found["parallelism_ppm"] < 1_000_000
    assert found["stops"] > 0


def test_reload_of_the_profile_counts_where_none_is_stated(folder: Path, tmp_path: Path):
    preempted = json.loads((folder / "edges.json").read_text())["preempted"]
    lines = [line for line in SET.splitlines() if not line.startswith(("wcet", "gamma"))]
    (folder / "profiled.toml").write_text("\n".join(lines))
    done = run(folder / "profiled.toml", "--run-dir", tmp_path / "R")
    assert done.code == 0, done.err
    found: dict[str, Any] = json.loads(done.out)["regulation"]
    assert (found["jobs"], found["kept"]) == (4, 4)
    # Largest observed and 5 %, rounded up; C is that of a job after another task.
    assert found["gamma_ns"] == -(-preempted["loaded_ns"] * 21 // 20)
    assert found["solo_ns"] > preempted["dirty_ns"]


def test_stored_run_is_repeated_by_its_spec_alone(folder: Path, tmp_path: Path):
    assert alone(folder, tmp_path / "R", "--theta", "20%").code == 0
    assert (tmp_path / "R/contention.json").read_bytes() == (folder / "edges.json").read_bytes()
    assert run(tmp_path / "R/spec.toml", "--run-dir", tmp_path / "S").code == 0
    for name in ("regulation.plan", "regulation.npy", "jobs.npy"):
        assert (tmp_path / "R" / name).read_bytes() == (tmp_path / "S" / name).read_bytes()


def test_report_draws_the_job_nearest_to_its_promise(folder: Path, tmp_path: Path):
    answer = json.loads(alone(folder, tmp_path / "R", "--theta", "20%").out)["regulation"]
    assert laxity("report", tmp_path / "R").code == 0
    page = (tmp_path / "R/report.html").read_text()
    assert 'id="r0-regulation"' in page
    assert f"job {answer['nearest_job']} of edges, simulated, n = " in page
    assert "co-runners: running, or why they are stopped" in page
    # The answer stands on the first screen.
    promise = "edges kept the promise of (1 + 20.00 %) C in 3 of 3 jobs"
    assert promise in page[: page.index("</section>")]
    derived = json.loads((tmp_path / "R/derived.json").read_text())["quantities"]
    values = {figure["name"]: (figure["value"], figure["n"]) for figure in derived}
    assert values["promise_kept"] == (3, 3)
    assert values["regulation_stops"] == (answer["stops"], 3)
    assert sum(answer["reasons"].values()) == answer["stops"]
    assert values["parallelism"] == (answer["parallelism_ppm"] / 1e6, 3)


def test_each_stop_has_a_reason_on_a_terminal(folder: Path, tmp_path: Path):
    answer = json.loads(alone(folder, tmp_path / "R", "--theta", "20%").out)["regulation"]
    shown = laxity("show", tmp_path / "R").out
    reasons = ", ".join(f"{n} {REASONS[code]}" for code, n in answer["reasons"].items())
    assert f"Reasons of the stops: {reasons}.\n" in shown
    # 20 % of 1.5 ms last for a few permissions only.
    assert answer["reasons"]["slack"] > 0
    assert shown.count("kept the promise") == 1


def test_job_outside_its_profile_leaves_no_verdict(folder: Path, tmp_path: Path):
    document = json.loads((folder / "edges.json").read_text())
    # With checkpoints the regulator would notice in time: one phase, which knows all marks.
    first = document["phases"][0]
    document["phases"] = [first | {"loss": [rate // 20 for rate in first["loss"]]}]
    write_signed(tmp_path / "edges.json", document)
    done = alone(tmp_path, tmp_path / "R", "--theta", "10%")
    answer = json.loads(done.out)
    assert (done.code, answer["exit_code"]) == (4, 4)
    assert "jobs ran longer than profiled" in answer["message"]
    assert answer["regulation"]["kept"] < answer["regulation"]["jobs"]


@pytest.fixture(scope="module")
def of_corners(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Profile a program whose later jobs take longer: they evict dirty lines of the job before."""
    path = tmp_path_factory.mktemp("corners") / "corners.json"
    words = ("--load-cpus", "1-3", "--reads", "0", "--delays", "0", "--quiet", "-o", path)
    more = ("--preempt", "none", "--pauses", "none")
    assert laxity("contention", "profile", "corners sqcif", *PLATFORM, *words, *more).code == 0
    document = json.loads(path.read_text())
    assert document["repeated"]["most_ns"] > document["solo_ns"]
    return path


def test_job_after_one_of_its_own_is_within_its_profile(of_corners: Path, tmp_path: Path):
    path = tmp_path / "corners.json"
    document = json.loads(of_corners.read_text())
    write_signed(path, document)
    what = ("corners", "sqcif", "-p", "20ms", "-t", "6", "--cpus", "0", *PLATFORM)
    beside = ("--interfere", "load 4MiB 0 0@1-3", "--regulate", path, "--theta", "5%")
    done = run(*what, *beside, "--run-dir", tmp_path / "R")
    assert done.code == 0, done.out
    answer = json.loads(done.out)["regulation"]
    assert (answer["kept"], answer["jobs"]) == (6, 6)
    # As before jobs that follow one another were profiled.
    write_signed(path, cold_only(document))
    assert run(*what, *beside, "--run-dir", tmp_path / "cold").code == 4


def test_cold_job_of_an_evaluation_is_within_its_profile(of_corners: Path):
    """It may lose 5 % of its own time, not of that of a later job."""
    of = ("--theta", "5%", "--reads", "0", "--delays", "0", "--pauses", "none", "--quiet")
    done = laxity("contention", "evaluate", of_corners, *of, "--format", "json")
    assert done.code == 0, done.err
    (tried,) = json.loads(done.out)["evaluations"]
    figures = {figure["name"]: figure["value"] for figure in tried["figures"]}
    solo_ns = json.loads(of_corners.read_text())["solo_ns"]
    assert (figures["beyond"], figures["solo_ns"]) == (0, solo_ns)
    assert figures["least_parallelism_ppm"] > 50_000


def test_table_of_a_program_that_has_changed_is_refused(folder: Path, tmp_path: Path):
    document = json.loads((folder / "edges.json").read_text())
    document["solo_ns"] += 1
    write_signed(tmp_path / "edges.json", cold_only(document))
    done = alone(tmp_path, tmp_path / "R", "--theta", "20%")
    assert (done.code, "the program has changed: profile again" in done.err) == (2, True), done.err
    assert not (tmp_path / "R").exists()


def test_program_of_a_user_is_found_from_anywhere(tmp_path: Path):
    program = of_simulator("armhf-edges")
    words = ("--load-cpus", "1", "--reads", "0", "--delays", "0", "--quiet", "--preempt", "none")
    more = ("--pauses", "none")
    what = (f"{os.path.relpath(program)} sqcif", *PLATFORM, "-o", tmp_path / "own.json")
    assert laxity("contention", "profile", *what, *words, *more).code == 0
    (tmp_path / "own").symlink_to(program)
    spec = (
        SET.split("[[task]]", maxsplit=1)[0]
        + '[[task]]\nworkload = "./own"\nargs = ["sqcif"]\nperiod = "12ms"\ncpus = "0"\n'
        + 'contention = "own.json"\n[[interfere]]\nworkload = "load"\ncpus = "1"\n[regulate]\n'
    )
    (tmp_path / "own.toml").write_text(spec)
    done = run(tmp_path / "own.toml", "--run-dir", tmp_path / "R")
    assert done.code == 0, done.err
    assert json.loads(done.out)["regulation"]["kept"] == 4


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--theta", "5"), '[regulate]: theta: "5" is no percentage'),
        (("--theta", "0.1%"), "use at least"),
        (("--interfere", "load 4MiB 0 0@0"), "co-runners are on CPUs 0-3"),
    ],
)
def test_regulation_that_cannot_be_is_refused(
    folder: Path, tmp_path: Path, words: tuple[str, ...], reason: str
):
    done = alone(folder, tmp_path / "R", *words)
    assert (done.code, reason in done.err) == (2, True), done.err
    assert not (tmp_path / "R").exists()


def test_option_is_of_a_task_that_the_spec_describes(folder: Path):
    done = run(folder / "set.toml", "--regulate", folder / "edges.json")
    assert (done.code, "--regulate: describes a task" in done.err) == (2, True), done.err
