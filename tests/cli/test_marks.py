# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Workloads that mark their phases and probes, as whole commands."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.commands import BUILT, CPU, Outcome, jobs_of, laxity, manifest_of, needs_two_cpus
from tests.cli.laxity_command import of_simulator

from laxity.core.streams import MarkKind
from laxity.store.npy import read_stream

MARKER = BUILT.tools / "tests" / "native" / "marker"
FLOOD_MARKS = 50_000
RING_MARKS = 16_384
MARKS_PER_THREAD = 100


def run_marker(tmp_path: Path, mode: str, jobs: int, more: str = "") -> Outcome:
    spec = tmp_path / "marker.toml"
    spec.write_text(
        f'schema = 1\n[run]\njobs = {jobs}\n[[task]]\nname = "marker"\nworkload = "{MARKER}"\n'
        f'args = ["{mode}"]\nperiod = "2ms"\ndeadline = "none"\npolicy = "other"\n'
        f'cpus = "{CPU}"\n{more}'
    )
    return laxity("run", spec, "--run-dir", tmp_path / "D", "--no-report")


def marks_of(directory: Path) -> Any:  # noqa: ANN401 - columns have types that mypy does not know
    return read_stream(directory / "probe.npy")


def test_every_mark_of_every_job_is_kept_in_order_and_within_its_job(tmp_path: Path):
    outcome = run_marker(tmp_path, "jobs", 200)
    assert outcome.code == 0, outcome.err
    marks, jobs = marks_of(tmp_path / "D"), jobs_of(tmp_path / "D")
    jobs = jobs[jobs["status"] == 0]
    assert len(jobs) == 200
    assert marks["probe"].tolist() == [1, 7, 300, 2] * 200
    phase, probe = int(MarkKind.PHASE), int(MarkKind.PROBE)
    assert marks["kind"].tolist() == [phase, probe, phase, phase] * 200
    assert np.all(np.diff(marks["time_ns"]) >= 0)
    first, last = marks["time_ns"][0::4], marks["time_ns"][3::4]
    assert np.all(first >= jobs["start_ns"])
    assert np.all(last <= jobs["finish_ns"])
    assert set(marks["tid"]) == set(jobs["tid"])
    assert set(marks["task"]) == {0}
    # The probe of job n is n; a phase has no value.
    assert marks["value"][1::4].tolist() == list(range(200))
    assert np.ma.getmaskarray(marks["value"])[0::4].all()
    assert manifest_of(tmp_path / "D").tasks[0].lost_marks == 0


def test_show_lists_the_phases_with_their_count(tmp_path: Path):
    assert run_marker(tmp_path, "jobs", 20).code == 0
    shown = laxity("show", tmp_path / "D")
    rows = [line.split() for line in shown.out.splitlines() if line.startswith("marker ")]
    rows = [row for row in rows if "measured" in row and row[2].isdigit()]
    assert [(row[1], row[2], row[4]) for row in rows] == [
        ("marker", "1", "20"),
        ("marker", "2", "20"),
        ("marker", "300", "20"),
    ]
    done = laxity("run", tmp_path / "marker.toml", "--run-dir", tmp_path / "E", "--format", "json")
    (run,) = json.loads(done.out)["runs"]
    assert [phase["n"] for phase in run["tasks"][0]["phases"]] == [20, 20, 20]


def test_marks_that_find_the_ring_full_are_counted_and_told(tmp_path: Path):
    outcome = run_marker(tmp_path, "flood", 1)
    assert outcome.code == 0, outcome.err
    marks = marks_of(tmp_path / "D")
    lost = manifest_of(tmp_path / "D").tasks[0].lost_marks
    assert len(marks) >= RING_MARKS
    assert len(marks) + lost == FLOOD_MARKS
    assert np.all(np.diff(marks["value"]) >= 1)
    assert (f"{lost} marks of marker were lost" in outcome.out) == bool(lost)


def test_threads_mark_at_once_each_in_its_order(tmp_path: Path):
    outcome = run_marker(tmp_path, "threads", 50)
    assert outcome.code == 0, outcome.err
    marks = marks_of(tmp_path / "D")
    for probe in (10, 11):
        of_thread = marks[marks["probe"] == probe]
        assert of_thread["value"].tolist() == list(range(MARKS_PER_THREAD)) * 50
    assert not set(marks["tid"][marks["probe"] == 10]) & set(marks["tid"][marks["probe"] == 11])


def test_marks_outside_the_jobs_are_kept_but_are_no_phases_of_a_job(tmp_path: Path):
    outcome = run_marker(tmp_path, "around", 5)
    assert outcome.code == 0, outcome.err
    marks, clock = marks_of(tmp_path / "D"), manifest_of(tmp_path / "D").clock
    assert marks["probe"].tolist() == [1, 2]
    assert marks["time_ns"][0] < clock.t0_ns < marks["time_ns"][1]
    assert "phase" not in outcome.out


@needs_two_cpus
def test_marks_of_a_corunner_do_nothing(tmp_path: Path):
    more = f'[[interfere]]\nworkload = "{MARKER}"\nargs = ["jobs"]\ncpus = "0"\n'
    outcome = run_marker(tmp_path, "jobs", 20, more)
    assert outcome.code == 0, outcome.err
    assert len(marks_of(tmp_path / "D")) == 4 * 20
    assert manifest_of(tmp_path / "D").corunners[0].passes > 0


def test_run_without_marks_has_no_file_of_them(tmp_path: Path):
    assert run_marker(tmp_path, "none", 5).code == 0
    assert not (tmp_path / "D" / "probe.npy").exists()


@pytest.mark.parametrize(
    ("platform", "architecture"), [("sabrelite", "armhf"), ("mpc750", "powerpc")]
)
def test_simulated_program_marks_as_a_native_one(tmp_path: Path, platform: str, architecture: str):
    spec = tmp_path / "phased.toml"
    spec.write_text(
        f'schema = 1\n[run]\njobs = 3\nplatform = "sim:{platform}"\n[[task]]\nname = "phased"\n'
        f'workload = "{of_simulator(f"{architecture}-phased")}"\nperiod = "1s"\n'
    )
    outcome = laxity("run", spec, "--run-dir", tmp_path / "D", "--no-report")
    assert outcome.code == 0, outcome.err
    marks, jobs = marks_of(tmp_path / "D"), jobs_of(tmp_path / "D")
    # Phase 1, the number of the job as probe 7, and phase 300, which is no byte.
    assert marks["probe"].tolist() == [1, 7, 300] * 3
    phase, probe = int(MarkKind.PHASE), int(MarkKind.PROBE)
    assert marks["kind"].tolist() == [phase, probe, phase] * 3
    assert marks["value"][1::3].tolist() == [0, 1, 2]
    assert np.ma.getmaskarray(marks["value"])[0::3].all()
    times = np.ma.getdata(marks["time_ns"]).reshape(3, 3)
    assert np.all(np.diff(times) > 0)
    assert np.all(times[:, 0] >= jobs["start_ns"])
    assert np.all(times[:, 2] < jobs["finish_ns"])
    rows = [line.split() for line in outcome.out.splitlines() if " phased " in line]
    assert [(row[2], row[4]) for row in rows if row[2].isdigit()] == [("1", "3"), ("300", "3")]


def test_simulated_marks_that_a_ring_does_not_hold_are_kept_all_the_same(tmp_path: Path):
    spec = tmp_path / "phased.toml"
    spec.write_text(
        'schema = 1\n[run]\njobs = 1\nplatform = "sim:sabrelite"\n[[task]]\n'
        f'workload = "{of_simulator("armhf-phased")}"\nargs = ["flood"]\nperiod = "1s"\n'
    )
    outcome = laxity("run", spec, "--run-dir", tmp_path / "D", "--no-report")
    assert outcome.code == 0, outcome.err
    marks = marks_of(tmp_path / "D")
    assert marks["value"].tolist() == list(range(-1, -FLOOD_MARKS - 1, -1))
    assert manifest_of(tmp_path / "D").tasks[0].lost_marks == 0
