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


def test_samples_show_the_middle_of_jobs(laxity: Laxity) -> None:
    if events_here(laxity)["task-clock"] is None:
        pytest.skip("no permission to count")
    # Jobs of 5 ms in periods of 20 ms, a sample every millisecond.
    spec = laxity.spec(args=["spin", "5000"], period="20ms", policy="other", deadline="none")
    words = ("-M", "-B", "1ms", "--events", "page-faults,task-clock", "-t", "15")
    run = laxity.run(spec, *words)
    samples, sampling = run.stream("counters"), run.manifest.sampling
    assert sampling is not None
    assert sampling.bucket_ns == 1_000_000
    assert sampling.samples > 0
    # Two events per sample, each event's index that of the manifest.
    assert len(samples) == 2 * sampling.samples == run.manifest.tables["counters.npy"]
    clock = samples[samples["event"] == 1]
    assert (np.diff(clock["time_ns"]) > 0).all()
    # Counted since t0: it never falls, and at the end no more than the task ran in all.
    assert (np.diff(clock["value"]) >= 0).all()
    rows = finished(run)
    inside = [
        ((clock["time_ns"] > row["start_ns"]) & (clock["time_ns"] < row["finish_ns"])).sum()
        for row in rows
    ]
    assert sum(inside) > len(rows), "jobs of 5 ms hold several samples each"
    clock_instance = run.manifest.clock
    assert clock_instance is not None
    assert clock_instance.t0_ns is not None
    assert clock["time_ns"].min() > clock_instance.t0_ns


def test_every_bucket_is_a_sample_or_counted_as_lost(laxity: Laxity) -> None:
    if events_here(laxity)["task-clock"] is None:
        pytest.skip("no permission to count")
    spec = laxity.spec(args=["spin", "100"], period="1ms", policy="other", deadline="none")
    run = laxity.run(spec, "-M", "-B", "100us", "--events", "task-clock", "--duration", "500ms")
    samples, sampling = run.stream("counters"), run.manifest.sampling
    assert sampling is not None
    clock = run.manifest.clock
    assert clock is not None
    assert clock.t0_ns is not None
    last_finish_ns = int(finished(run)["finish_ns"].max())
    assert len(samples) == sampling.samples
    # t0 + k * 100 us, k = 1 2 ..., until the last job has finished, or a little later.
    assert sampling.samples + sampling.lost >= (last_finish_ns - clock.t0_ns) // 100_000
    assert (np.diff(samples["time_ns"]) > 0).all()


def test_sampling_of_nothing_is_refused(laxity: Laxity) -> None:
    done = laxity("run", "empty", *SHORT, "-M")
    assert done.returncode == 2
    assert "--sample-bucket (-M): no event to sample; name some in events" in done.stderr
    done = laxity("run", "empty", *SHORT, "--events", "task-clock", "-B", "1ms")
    assert "-B: nothing is sampled; add -M" in done.stderr
    assert done.returncode == 2
