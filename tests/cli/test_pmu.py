# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Counters of a real kernel's PMU driver, in a virtual machine whose PMU counts exactly."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from tests.cli.laxity_command import ROOT
from tests.cli.virtual_machine import WITH_PMU, run_guest
from tests.cross_builds import cross_build

from laxity.store.npy import read_stream

CROSS = ROOT / "build-cross" / "aarch64"
PASSES = 1_000_000
# Two instructions per pass (tests/native/counters/counted_loop.c).
LOOP_INSTRUCTIONS = 2 * PASSES
JOBS = 10
# What the reading of six counters adds to a job: 5,000 instructions for each of its two samples.
AROUND = 0.02
# Of the laxity-trace that samples it all: longer than the run.
SAMPLED_S = 4
EVENTS = "--event instructions --event cycles --event page-faults"
TASK = f"--period 20ms --jobs {JOBS} --job-timeout 10s"


@pytest.mark.serial
@pytest.mark.slow
def test_instructions_and_cycles_of_a_known_loop_are_within_one_percent(tmp_path: Path) -> None:
    laxity_run, loop = CROSS / "native" / "laxity-run", CROSS / "tests" / "native" / "counted_loop"
    cross_build("aarch64")
    command = f"/laxity-run --run-dir /run/D {EVENTS} -- /counted_loop --arg {PASSES} {TASK}"
    guest = run_guest(
        WITH_PMU,
        tmp_path,
        CROSS / "tests" / "native" / "guest_init",
        {"/laxity-run": laxity_run, "/counted_loop": loop},
        [command.split()],
    )
    assert guest.statuses == [0]
    native = json.loads(guest.files["/run/D/native.json"])
    (tmp_path / "jobs.npy").write_bytes(guest.files["/run/D/jobs.npy"])
    rows = read_stream(tmp_path / "jobs.npy")
    assert len(rows) >= JOBS
    finished = rows[~np.ma.getmaskarray(rows["finish_ns"])]
    assert len(finished) == JOBS
    for event, empty in zip(("instructions", "cycles"), native["events"], strict=False):
        assert empty["name"] == event
        assert empty["modes"] == "user+kernel"
        counted = finished[event].filled(0)
        # All jobs: what the harness adds is below 1 % of the loop even before it is subtracted.
        assert (np.abs(counted - LOOP_INSTRUCTIONS) <= 0.01 * LOOP_INSTRUCTIONS).all()
        assert 0 < empty["empty_count"] < 0.01 * LOOP_INSTRUCTIONS
        assert (finished[f"{event}_scale_ratio"] == 1).all()
    assert native["events"][2]["scope"] == "software"


@pytest.mark.serial
@pytest.mark.slow
def test_interrupts_count_at_least_what_each_job_executes_between_two_samples(
    tmp_path: Path,
) -> None:
    native, loop = CROSS / "native", CROSS / "tests" / "native" / "counted_loop"
    cross_build("aarch64")
    run = f"/laxity-run --run-dir /run/D -- /counted_loop --arg {PASSES} {TASK} &"
    trace = f"/laxity-trace --run-dir /run/T {EVENTS} --sample-every 1ms --duration {SAMPLED_S}s"
    guest = run_guest(
        WITH_PMU,
        tmp_path,
        CROSS / "tests" / "native" / "guest_init",
        {
            "/laxity-run": native / "laxity-run",
            "/laxity-trace": native / "laxity-trace",
            "/counted_loop": loop,
        },
        [run.split(), trace.split()],
    )
    assert guest.statuses == [0, 0]
    document = json.loads(guest.files["/run/T/trace.json"])
    # What interrupts is a clock of the kernel's, and hardware events are in its group.
    assert [one["scope"] for one in document["events"]] == ["core", "core", "software"]
    (cpu,) = document["sampling"]["cpus"]
    assert (cpu["groups"], cpu["lost"], cpu["throttled"]) == (1, 0, 0)
    for name, path in (("jobs", "/run/D/jobs.npy"), ("counters", "/run/T/counters.npy")):
        (tmp_path / f"{name}.npy").write_bytes(guest.files[path])
    rows = np.ma.getdata(read_stream(tmp_path / "counters.npy"))
    assert (rows["scale_ratio"] == 1).all()
    instructions = rows[rows["event"] == 0]
    when = instructions["time_ns"]
    jobs = read_stream(tmp_path / "jobs.npy")
    covered = [
        job
        for job in jobs[~np.ma.getmaskarray(jobs["finish_ns"])]
        if when[0] < job["start_ns"] and job["finish_ns"] < when[-1]
    ]
    assert len(covered) > JOBS // 2
    for job in covered:
        before = instructions[when <= job["start_ns"]][-1]
        after = instructions[when >= job["finish_ns"]][0]
        # Two milliseconds of work between samples a millisecond apart: at most as much again of
        # others fits between the two, an instruction takes a nanosecond.
        counted = int(after["value"] - before["value"])
        assert LOOP_INSTRUCTIONS <= counted <= after["time_ns"] - before["time_ns"]
        within = (when > job["start_ns"]) & (when < job["finish_ns"])
        assert within.any()
        assert (instructions["tid"][within] == job["tid"]).all()


@pytest.mark.serial
@pytest.mark.slow
def test_instructions_of_a_known_loop_stand_in_rt_benchs_columns_and_profile(
    tmp_path: Path,
) -> None:
    loop = CROSS / "tests" / "native" / "counted_loop"
    cross_build("aarch64")
    profiled = f"-p 0.02 -t {JOBS} -l 2 -o /run/f -M 1 -B 1000000 -b {PASSES}"
    guest = run_guest(
        WITH_PMU,
        tmp_path,
        CROSS / "tests" / "native" / "guest_init",
        {"/counted_loop": loop},
        [["/counted_loop", *profiled.split()]],
    )
    assert guest.statuses == [0]
    rows = list(csv.DictReader(guest.files["/run/f.csv"].decode().splitlines()))
    finished = [row for row in rows if float(row["job_end(seconds)"]) > 0]
    assert len(finished) == JOBS
    for column in ("instructions_retired", "cpu_clock_count"):
        counted = [int(row[column]) for row in finished]
        assert all(abs(one - LOOP_INSTRUCTIONS) <= AROUND * LOOP_INSTRUCTIONS for one in counted)
    header, *samples = guest.files["/run/f_perf_profile.csv"].decode().splitlines()
    assert header.startswith("samples,")
    assert header.endswith(",inst_retired")
    # The first sample of a job is its zero; the loop has passes left at each of the later ones.
    sums = [int(line.rpartition(", ")[2]) for line in samples]
    assert sums[0] == 0
    assert 0 < max(sums) <= JOBS * LOOP_INSTRUCTIONS
