# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Made-up runs as Perfetto traces, decoded again."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from tests.export.perfetto_reader import Decoded, decode
from tests.report.run_builder import (
    PERIOD_NS,
    SNAPSHOT_EXEC_NS,
    T0_NS,
    Made,
    jobs_table,
    ordinary_rows,
    overrun,
    write_run,
)

from laxity.core.streams import STREAMS, Field, MarkKind, SchedKind, Status, absent_value
from laxity.errors import RecordError
from laxity.export.perfetto import write_perfetto
from laxity.store.manifest import Event, TraceCpu, TraceResult, encode_document
from laxity.store.run_directory import hash_files, open_run, read_manifest

TID, OTHER = 4711, 99
NO_TID, NO_STATE = absent_value("i4"), absent_value("i8")


def exported(directory: Path) -> Decoded:
    file = io.BytesIO()
    write_perfetto(open_run(directory), file)
    return decode(file.getvalue())


def table(fields: Sequence[Field], rows: Sequence[tuple[Any, ...]]) -> "np.ndarray[Any, Any]":
    """Make a stream; its last columns, which not every one has, may be left out."""
    columns = fields[: len(rows[0])] if rows else fields
    return np.array(list(rows), dtype=[(field.name, field.kind) for field in columns])


def add(directory: Path, changes: dict[str, Any], **streams: "np.ndarray[Any, Any]") -> Path:
    """Put streams into a run, and what its manifest says of them."""
    for name, rows in streams.items():
        np.save(directory / f"{name}.npy", rows)
    manifest = msgspec.structs.replace(
        read_manifest(directory), files=hash_files(directory), **changes
    )
    (directory / "manifest.json").write_bytes(encode_document(manifest))
    return directory


def test_a_job_is_a_slice_from_release_to_finish_that_waits_and_executes(tmp_path: Path):
    rows = ordinary_rows(3)
    decoded = exported(write_run(tmp_path / "run", Made(rows)))
    jobs = decoded.track("jobs", "task control")
    assert [(one.name, one.depth) for one in jobs.slices] == [
        *(("job 0", 0), ("waits", 1), ("executes", 1)),
        *(("job 1", 0), ("waits", 1), ("executes", 1)),
        *(("job 2", 0), ("waits", 1), ("executes", 1)),
    ]
    for row, job, waits, executes in zip(
        rows, jobs.slices[::3], jobs.slices[1::3], jobs.slices[2::3], strict=True
    ):
        assert (job.begin_ns, job.end_ns) == (row["release_ns"], row["finish_ns"])
        assert (waits.begin_ns, waits.end_ns) == (row["release_ns"], row["start_ns"])
        assert (executes.begin_ns, executes.end_ns) == (row["start_ns"], row["finish_ns"])
        assert waits.length_ns + executes.length_ns == job.length_ns == job.args["response_ns"]
        assert job.args["execution_ns"] == row["exec_ns"] - SNAPSHOT_EXEC_NS
        assert job.args["lateness_ns"] == row["finish_ns"] - row["release_ns"] - PERIOD_NS
        assert (job.args["status"], job.args["preemptions_count"]) == ("done", row["preemptions"])
    # A column that no job has a value in is no argument.
    assert "cause" not in jobs.slices[0].args
    assert "start_ticks" not in jobs.slices[0].args


def test_an_arrow_leads_from_each_release_to_its_job(tmp_path: Path):
    decoded = exported(write_run(tmp_path / "run", Made(ordinary_rows(3))))
    releases, jobs = decoded.track("releases"), decoded.track("jobs")
    assert [one.name for one in releases.instants] == ["release 0", "release 1", "release 2"]
    arrows = [one.flows for one in releases.instants]
    assert arrows == [one.flows for one in jobs.slices if one.depth == 0]
    assert len({arrow for (arrow,) in arrows}) == 3


def test_missed_and_skipped_jobs_are_told_apart(tmp_path: Path):
    # Job 1 takes 13.2 ms of periods of 5 ms: releases 2 and 3 pass, 1 misses its deadline.
    rows = ordinary_rows(5)
    overrun(rows, 1, 13_200_000)
    decoded = exported(write_run(tmp_path / "run", Made(rows)))
    assert [one.name for one in decoded.track("jobs").slices if one.depth == 0] == [
        "job 0",
        "job 1 missed",
        "job 4",
    ]
    assert [one.name for one in decoded.track("releases").instants] == [
        "release 0",
        "release 1",
        "release 2 skipped",
        "release 3 skipped",
        "release 4",
    ]
    deadlines = decoded.track("deadlines").instants
    assert [one.name for one in deadlines][1:3] == ["deadline 1 missed", "deadline 2 skipped"]
    assert deadlines[1].begin_ns == T0_NS + 2 * PERIOD_NS


def test_an_aborted_job_ends_with_its_task_and_says_why(tmp_path: Path):
    rows = jobs_table(1)
    rows["start_ns"] = T0_NS + 1000
    rows["status"], rows["cause"] = Status.ABORTED, 2
    decoded = exported(write_run(tmp_path / "run", Made(rows, deadline_ns=None)))
    job = decoded.track("jobs").slices[0]
    # The builder ends a task one period after its last release.
    assert (job.name, job.end_ns) == ("job 0 aborted (timeout)", T0_NS + PERIOD_NS)
    assert job.args == {
        "job": 0,
        "release_ns": T0_NS,
        "start_ns": T0_NS + 1000,
        "release_latency_ns": 1000,
        "status": "aborted",
    }
    assert decoded.track("deadlines").instants == []


@pytest.mark.parametrize(("overrun_mode", "wait_ns"), [("skip", 0), ("queue", 9_000)])
def test_job_that_is_aborted_ends_before_the_next_one_begins(
    tmp_path: Path, overrun_mode: str, wait_ns: int
):
    # Programs in a process of their own go on behind a job that was ended by its timeout.
    rows = jobs_table(4)
    rows["start_ns"] = rows["release_ns"] + 9_000
    rows["finish_ns"] = rows["start_ns"] + 1_000_000
    rows["status"] = Status.DONE
    rows["status"][1], rows["cause"][1], rows["finish_ns"][1] = Status.ABORTED, 2, NO_STATE
    made = Made(rows, deadline_ns=None, overrun=overrun_mode)
    jobs = exported(write_run(tmp_path / "run", made)).track("jobs")
    outer = [one for one in jobs.slices if one.depth == 0]
    assert [one.name for one in outer][1] == "job 1 aborted (timeout)"
    # A queued one may have waited for it until it started.
    assert outer[1].end_ns == outer[2].begin_ns == T0_NS + 2 * PERIOD_NS + wait_ns
    assert outer[2].end_ns == T0_NS + 2 * PERIOD_NS + 1_009_000
    assert jobs.open == []


def test_jobs_that_queue_follow_each_other_without_overlap(tmp_path: Path):
    # Each takes 7 ms of periods of 5 ms: released at 0, 5, 10; finished at 7, 14, 21.
    rows = jobs_table(3)
    for job, (start_ms, finish_ms) in enumerate([(0, 7), (7, 14), (14, 21)]):
        rows["start_ns"][job] = T0_NS + start_ms * 1_000_000
        rows["finish_ns"][job] = T0_NS + finish_ms * 1_000_000
    rows["status"] = Status.DONE
    made = Made(rows, deadline_ns=None, overrun="queue")
    jobs = exported(write_run(tmp_path / "run", made)).track("jobs")
    outer = [one for one in jobs.slices if one.depth == 0]
    assert [(one.begin_ns - T0_NS) // 1_000_000 for one in outer] == [0, 7, 14]
    assert [one.args["response_ns"] // 1_000_000 for one in outer] == [7, 9, 11]
    assert all(one.end_ns is not None for one in jobs.slices)
    assert jobs.open == []


def test_two_tasks_have_tracks_and_arrows_of_their_own(tmp_path: Path):
    other = Made(ordinary_rows(2, 2), name="video")
    decoded = exported(write_run(tmp_path / "run", Made(ordinary_rows(2), others=[other])))
    arrows = set()
    for name in ("task control", "task video"):
        jobs = decoded.track("jobs", name)
        assert [one.name for one in jobs.slices if one.depth == 0] == ["job 0", "job 1"]
        arrows |= {arrow for one in jobs.slices for arrow in one.flows}
    assert len(arrows) == 4


def test_phases_last_from_mark_to_mark_and_probes_are_points(tmp_path: Path):
    rows = ordinary_rows(1)
    start_ns, finish_ns = int(rows["start_ns"][0]), int(rows["finish_ns"][0])
    marks = [
        (start_ns + 10, 0, 1, NO_STATE, MarkKind.PHASE, TID),
        (start_ns + 20, 0, 7, -5, MarkKind.PROBE, TID),
        (start_ns + 30, 0, 2, NO_STATE, MarkKind.PHASE, TID),
    ]
    directory = write_run(tmp_path / "run", Made(rows))
    decoded = exported(add(directory, {}, probe=table(STREAMS["probe"], marks)))
    phases = decoded.track(f"phases of thread {TID}", "task control").slices
    assert [(one.name, one.begin_ns, one.end_ns) for one in phases] == [
        ("phase 1", start_ns + 10, start_ns + 30),
        ("phase 2", start_ns + 30, finish_ns),
    ]
    (probe,) = decoded.track("probes").instants
    assert (probe.name, probe.begin_ns) == ("probe 7", start_ns + 20)
    assert probe.args == {"value": -5, "tid": TID}


def test_samples_are_counters_and_an_estimate_is_called_one(tmp_path: Path):
    # 40 counted while half of the time was: an estimate of 80.
    samples = [
        (T0_NS + 1, 0, 0, 10, 1.0), (T0_NS + 1, 0, 1, 20, 1.0), (T0_NS + 1, 0, 2, 5, 1.0),
        (T0_NS + 2, 0, 0, 30, 1.0), (T0_NS + 2, 0, 1, 40, 2.0), (T0_NS + 2, 0, 2, NO_STATE, 1.0),
    ]  # fmt: skip
    events = [Event(name="instructions"), Event(name="l2_refill"), Event(name="task-clock")]
    directory = write_run(tmp_path / "run", Made(ordinary_rows(1), events=events))
    decoded = exported(add(directory, {}, counters=table(STREAMS["counters"], samples)))
    exact = decoded.track("instructions since t0", "task control")
    assert (exact.counts, exact.unit) == ([(T0_NS + 1, 10), (T0_NS + 2, 30)], "count")
    estimate = decoded.track("l2_refill (estimate: multiplexed) since t0")
    assert estimate.counts == [(T0_NS + 1, 20.0), (T0_NS + 2, 80.0)]
    clock = decoded.track("task-clock since t0")
    assert (clock.counts, clock.unit) == ([(T0_NS + 1, 5)], "ns")


def test_samples_of_a_whole_platform_are_beside_those_of_its_tasks(tmp_path: Path):
    nobody = absent_value("u2")
    samples = [(T0_NS + 1, 0, 0, 10, 1.0), (T0_NS + 1, nobody, 0, 70, 1.0)]
    directory = write_run(
        tmp_path / "run", Made(ordinary_rows(1), events=[Event(name="bus_access")])
    )
    decoded = exported(add(directory, {}, counters=table(STREAMS["counters"], samples)))
    assert decoded.track("bus_access since t0", "task control").counts == [(T0_NS + 1, 10)]
    assert decoded.track("bus_access since t0", "all cores").counts == [(T0_NS + 1, 70)]


def test_samples_of_cpus_have_a_track_for_each_cpu_and_event(tmp_path: Path):
    nobody = absent_value("u2")
    samples = [
        (T0_NS + 1, nobody, 0, 10, 1.0, 0, TID), (T0_NS + 1, nobody, 1, 3, 1.0, 0, TID),
        (T0_NS + 2, nobody, 0, 70, 1.0, 1, OTHER), (T0_NS + 3, nobody, 0, 15, 1.0, 0, 0),
    ]  # fmt: skip
    events = [Event(name="page-faults"), Event(name="cpu-clock")]
    directory = write_run(tmp_path / "run", Made(ordinary_rows(1), events=events))
    decoded = exported(add(directory, {}, counters=table(STREAMS["counters"], samples)))
    first = decoded.track("page-faults since t0", "counters of CPU 0")
    assert first.counts == [(T0_NS + 1, 10), (T0_NS + 3, 15)]
    assert decoded.track("page-faults since t0", "counters of CPU 1").counts == [(T0_NS + 2, 70)]
    clock = decoded.track("cpu-clock since t0", "counters of CPU 0")
    assert (clock.counts, clock.unit) == ([(T0_NS + 1, 3)], "ns")
    assert "all cores" not in decoded.names()


def traced(tmp_path: Path, sched: Sequence[tuple[Any, ...]], *, lost: int = 0) -> Decoded:
    """A run with a trace of CPU 1 from T0 on; names of two threads, one of them renamed."""
    names = [
        (TID, TID, 0, "laxity-run", T0_NS, T0_NS + 50),
        (TID, TID, 0, "control", T0_NS + 50, T0_NS + 900),
        (OTHER, 90, absent_value("u2"), "worker", T0_NS, T0_NS + 900),
    ]
    trace = TraceResult(
        backend="made up", supplies=["off", "on"], lost=lost, started_ns=T0_NS,
        stopped_ns=T0_NS + 1000, cpus=[TraceCpu(cpu=1, rows=len(sched), lost=lost)],
    )  # fmt: skip
    directory = write_run(tmp_path / "run", Made(ordinary_rows(1)))
    streams = {"sched": table(STREAMS["sched"], sched), "threads": table(STREAMS["threads"], names)}
    return exported(add(directory, {"trace": trace}, **streams))


def row(
    time: int, seq: int, kind: SchedKind, tid: int, other: int = NO_TID, state: int = NO_STATE
) -> tuple[Any, ...]:
    return (T0_NS + time, seq, 1, kind, tid, other, state, 255)


def off(time: int, seq: int, tid: int, other: int, *, preempted: int = 1) -> tuple[Any, ...]:
    return (*row(time, seq, SchedKind.OFF, tid, other)[:-1], preempted)


SWITCHES = [
    off(100, 0, TID, OTHER),
    row(101, 1, SchedKind.ON, OTHER, TID),
    off(300, 2, OTHER, 0, preempted=0),
    row(301, 3, SchedKind.ON, 0, OTHER),
]


def test_each_instant_of_a_cpu_belongs_to_one_thread_from_the_start_of_the_trace(tmp_path: Path):
    running = traced(tmp_path, SWITCHES).running
    assert [(one.tid, one.comm, one.begin_ns - T0_NS) for one in running] == [
        (TID, "laxity-run", 0),
        (OTHER, "worker", 100),
        (0, "swapper", 300),
    ]
    assert [one.end_ns for one in running] == [T0_NS + 100, T0_NS + 300, None]
    # 0x100: preempted, as kernels since 4.14 number it (the made-up one is 6.1); 1: it sleeps.
    assert [one.left for one in running] == [0x100, 1, None]


@pytest.mark.parametrize(
    ("state", "reported"),
    [
        (0x2001, 1),  # TASK_INTERRUPTIBLE | TASK_FREEZABLE
        (0x102, 2),  # TASK_KILLABLE: 0x100 is no preemption here
        (0x402, 0x80),  # TASK_IDLE
        (0x80, 0x10),  # TASK_DEAD
        (0x1000, 2),  # TASK_RTLOCK_WAIT
        (4, 4),
    ],
)
def test_states_of_threads_are_numbered_as_the_kernel_reports_them(
    tmp_path: Path, state: int, reported: int
):
    rows = [(*row(100, 0, SchedKind.OFF, TID, OTHER, state)[:-1], 0)]
    assert [one.left for one in traced(tmp_path, rows).running] == [reported, None]


def test_a_cpu_that_was_watched_before_the_others_begins_earlier(tmp_path: Path):
    rows = [off(-30, 0, TID, OTHER), row(-29, 1, SchedKind.ON, OTHER, TID), off(50, 2, OTHER, 0)]
    running = traced(tmp_path, rows).running
    assert [(one.tid, one.begin_ns - T0_NS) for one in running] == [
        (TID, -30),
        (OTHER, -30),
        (0, 50),
    ]


def test_threads_and_processes_have_their_names(tmp_path: Path):
    decoded = traced(tmp_path, SWITCHES)
    assert decoded.threads == {TID: (TID, "control"), OTHER: (90, "worker")}
    assert decoded.processes == {TID: "task control"}
    assert decoded.release == "6.1.0-example"


def test_lost_records_are_shown_where_they_are_missing(tmp_path: Path):
    # Two are missing between 101 and 300, one after 300.
    rows = [
        *SWITCHES[:2],
        off(300, 4, OTHER, 0, preempted=0),
    ]
    lost = traced(tmp_path, rows, lost=3).track("lost records of CPU 1").slices
    found = [(one.begin_ns - T0_NS, one.end_ns - T0_NS, one.args) for one in lost]
    assert found == [(101, 300, {"records_count": 2}), (300, 1000, {"records_count": 1})]


def test_nobody_is_said_to_have_run_before_records_that_are_missing_at_the_start(tmp_path: Path):
    rows = [off(100, 5, TID, OTHER)]
    running = traced(tmp_path, rows, lost=5).running
    assert [(one.tid, one.begin_ns - T0_NS) for one in running] == [(OTHER, 100)]


OF_TID = {"pid": TID, "comm": "laxity-run"}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (SchedKind.WAKEUP, ("sched_waking", OTHER, {**OF_TID, "target_cpu": 3})),
        (SchedKind.MIGRATE, ("sched_migrate_task", TID, {**OF_TID, "dest_cpu": 3})),
        (SchedKind.IRQ_IN, ("irq_handler_entry", TID, {"irq": 3, "name": "3"})),
        (SchedKind.IRQ_OUT, ("irq_handler_exit", TID, {"irq": 3})),
        (SchedKind.SOFTIRQ_IN, ("softirq_entry", TID, {"vec": 3})),
        (SchedKind.SOFTIRQ_OUT, ("softirq_exit", TID, {"vec": 3})),
        (SchedKind.EXIT, ("sched_process_exit", TID, {"pid": TID, "comm": "laxity-run"})),
    ],
)
def test_what_only_some_back_ends_supply_is_an_event_of_the_kernel(
    tmp_path: Path, kind: SchedKind, expected: tuple[str, int, dict[str, Any]]
):
    ((cpu, event),) = traced(tmp_path, [row(20, 0, kind, TID, OTHER, 3)]).events
    name, pid, fields = expected
    body = getattr(event, event.WhichOneof("event"))
    assert (cpu, event.timestamp, event.WhichOneof("event")) == (1, T0_NS + 20, name)
    assert event.pid == pid
    assert {one.name: value for one, value in body.ListFields()} == fields


def test_an_interrupt_of_the_cpu_itself_has_a_vector(tmp_path: Path):
    ((_, event),) = traced(tmp_path, [row(20, 0, SchedKind.IRQ_IN, TID, state=-236)]).events
    assert (event.irq_handler_entry.irq, event.irq_handler_entry.name) == (-236, "vector 236")


def test_a_fork_makes_a_process_or_a_thread_of_one(tmp_path: Path):
    # TID is the first thread of its process; OTHER is one of process 90.
    rows = [row(1, 0, SchedKind.FORK, TID, 5), row(2, 1, SchedKind.FORK, OTHER, 90)]
    events = [event for _, event in traced(tmp_path, rows).events]
    flags = [
        (event.pid, event.task_newtask.pid, event.task_newtask.clone_flags) for event in events
    ]
    assert flags == [(5, TID, 0), (90, OTHER, 0x10000)]


def test_a_trace_longer_than_a_part_has_no_seam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # The two threads take turns, 10 ns each.
    turns = [(TID, OTHER), (OTHER, TID)] * 50
    rows = []
    for index, (before, after) in enumerate(turns):
        rows.append(off(10 * index + 10, 2 * index, before, after))
        rows.append(row(10 * index + 11, 2 * index + 1, SchedKind.ON, after, before))
    whole = traced(tmp_path / "whole", rows).running
    assert len(whole) == 101
    assert {one.end_ns - one.begin_ns for one in whole[:-1]} == {10}
    for part_rows in (1, 2, 7):
        monkeypatch.setattr("laxity.export.sched_packets._PART_ROWS", part_rows)
        assert traced(tmp_path / str(part_rows), rows).running == whole


def test_the_run_itself_is_a_slice_that_names_its_clock(tmp_path: Path):
    (one,) = exported(write_run(tmp_path / "run", Made(ordinary_rows(4)))).track("run").slices
    assert (one.begin_ns, one.length_ns) == (T0_NS, 4 * PERIOD_NS)
    assert one.args["clock"] == "CLOCK_MONOTONIC"
    assert (one.args["status"], one.args["exit_code"]) == ("complete", 0)


def test_a_time_that_no_trace_can_hold_is_damage(tmp_path: Path):
    rows = ordinary_rows(1)
    rows["release_ns"] = -5
    directory = write_run(tmp_path / "run", Made(rows))
    with pytest.raises(RecordError, match=r"a value that no trace can hold .*; the run is damaged"):
        exported(directory)


def test_a_status_that_nobody_knows_is_told_as_it_is(tmp_path: Path):
    rows = ordinary_rows(1)
    rows["status"] = 77
    jobs = exported(write_run(tmp_path / "run", Made(rows))).track("jobs")
    assert jobs.slices[0].name == "job 0 of unknown status 77"
