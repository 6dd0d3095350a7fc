# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity run --events`: columns of jobs.npy, what is told, what is refused.

The kernel's software events are counted everywhere; a PMU is what most test machines lack.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.cli.laxity_command import Laxity, make_laxity

from laxity.store.run_directory import Run

SHORT = ("-p", "2ms", "-t", "20", "--policy", "other", "--deadline", "none")
PMU_NAMES = ("cycles", "instructions", "l1i_access", "l1d_refill", "llc_refill")


@pytest.fixture
def laxity(tmp_path: Path) -> Laxity:
    return make_laxity(tmp_path)


def events_here(laxity: Laxity) -> dict[str, str | None]:
    """Every event with what counts it on this machine."""
    done = laxity("list", "events", "--format", "json")
    assert done.returncode == 0, done.stderr
    return {one["name"]: one["platform_event"] for one in json.loads(done.stdout)["events"]}


def finished(run: Run) -> np.ma.MaskedArray:
    """Rows of jobs that ran; on a loaded machine others are skipped and count nothing."""
    rows: np.ma.MaskedArray = run.stream("jobs")
    return rows[~np.ma.getmaskarray(rows["finish_ns"])]


def test_software_events_are_counted_in_every_job(laxity: Laxity) -> None:
    if events_here(laxity)["page-faults"] is None:
        pytest.skip("no permission to count")
    run = laxity.run("empty", *SHORT, "--events", "page-faults,task-clock")
    rows = finished(run)
    assert not np.ma.is_masked(rows["page-faults"])
    assert (rows["task-clock"] > 0).all()
    # Nothing takes turns with software events.
    assert (rows["task-clock_scale_ratio"] == 1).all()
    events = {event.name: event for event in run.manifest.events}
    assert list(events) == ["page-faults", "task-clock"]
    assert events["task-clock"].platform_event == "PERF_COUNT_SW_TASK_CLOCK"
    assert events["task-clock"].scope == "software"
    # An empty pair of snapshots takes time too, and that is stored.
    assert events["task-clock"].empty_count is not None
    assert events["task-clock"].empty_count > 0


def test_page_faults_agree_with_what_the_kernel_counts_for_the_thread(laxity: Laxity) -> None:
    if events_here(laxity)["page-faults"] is None:
        pytest.skip("no permission to count")
    spec = laxity.spec(args=["touch", "16"], policy="other")
    run = laxity.run(spec, "-t", "20", "--events", "minor-faults")
    rows = finished(run)
    # Both stand around the same job, which touches 16 pages anew. The first maps them as well.
    rows = rows[1:]
    assert (rows["minor-faults"] == rows["minor_faults"]).all()
    assert (rows["minor-faults"] == 16).all()


def test_without_a_pmu_one_message_names_the_events_and_the_run_goes_on(laxity: Laxity) -> None:
    here = events_here(laxity)
    absent = [name for name in PMU_NAMES if here[name] is None]
    if len(absent) < len(PMU_NAMES):
        pytest.skip("this machine has a PMU")
    told = "laxity-run: events: cycles, instructions, l1i_access, l1d_refill and 1 more: "
    run = laxity.run("empty", *SHORT, "--events", ",".join(PMU_NAMES), told=told)
    assert len(run.manifest.fallbacks) == 1
    assert run.manifest.exit_code == 0
    assert not set(PMU_NAMES) & set(run.stream("jobs").dtype.names)
    assert [event.platform_event for event in run.manifest.events] == [None] * len(PMU_NAMES)


def test_events_of_several_tasks_are_told_once(laxity: Laxity, tmp_path: Path) -> None:
    spec = tmp_path / "two.toml"
    task = '[[task]]\nname = "{}"\nworkload = "empty"\nperiod = "5ms"\npolicy = "other"\n'
    spec.write_text(
        'schema = 1\n[run]\njobs = 5\nevents = ["mem_read_bytes", "task-clock"]\n'
        + task.format("a")
        + task.format("b")
    )
    run = laxity.run(str(spec), told="events: mem_read_bytes: this build knows no such event")
    assert len(run.manifest.fallbacks) == 1
    rows = finished(run)
    for task_index in (0, 1):
        assert not np.ma.is_masked(rows[rows["task"] == task_index]["task-clock"])


def test_unknown_event_is_refused_with_the_nearest_name(laxity: Laxity) -> None:
    done = laxity("run", "empty", *SHORT, "--events", "instuctions", "--run-dir", "D")
    assert done.returncode == 2
    assert 'event "instuctions": unknown; did you mean instructions?' in done.stderr
    assert not (laxity.directory / "D").exists()


def test_schema_shows_the_columns_of_an_event(laxity: Laxity) -> None:
    done = laxity("schema", "jobs")
    assert "EVENT_scale_ratio" in done.stdout
