# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The section "Who took the time" of a made-up run."""

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from tests.report.run_builder import SNAPSHOT_EXEC_NS, T0_NS, Made, ordinary_rows, write_run

from laxity.cli.summary import summary_document, summary_text
from laxity.cli.took import _line
from laxity.core.streams import SchedKind, dtype_of
from laxity.report.page import write_report
from laxity.report.read_run import read_page
from laxity.store.hindrances import GroupUse
from laxity.store.manifest import TraceCpu, TraceResult, TraceVector, encode_document
from laxity.store.run_directory import hash_files, open_run, read_manifest

TID = 4711
BULLY = 99
BULLY_NS = 250_001


def traced_run(directory: Path, lost: int = 0, backend: str | None = "perf") -> Path:
    """Five jobs; in each a bully takes the CPU for 250 µs, 1 µs after the start."""
    rows = ordinary_rows(5)
    rows["finish_ns"] += BULLY_NS
    write_run(directory, Made(rows))
    switches = []
    for row in rows:
        start, finish = int(row["start_ns"]), int(row["finish_ns"])
        switches += [
            (start - 1_000, 0, TID, False),
            (start + 1_000, TID, BULLY, True),
            (start + 251_000, BULLY, TID, False),
            (finish + 1_000, TID, 0, False),
        ]
    events: list[tuple[int, ...]] = []
    for index, (time_ns, left, follows, is_preempted) in enumerate(switches):
        events.append((time_ns, 2 * index, 1, 0, left, follows, 0, is_preempted))
        events.append((time_ns + 1, 2 * index + 1, 1, 1, follows, left, 0, 255))
    np.save(
        directory / "sched.npy",
        np.array(events, dtype_of("sched")),
    )
    names = [(TID, TID, 0, "control", 0, T0_NS * 2), (BULLY, BULLY, 65535, "bully", 0, T0_NS * 2)]
    np.save(
        directory / "threads.npy",
        np.array(names, dtype_of("threads")),
    )
    trace = TraceResult(
        backend=backend,
        supplies=["off", "on"],
        lost=lost,
        started_ns=T0_NS - 1_000_000 if backend else None,
        stopped_ns=T0_NS + 10**9 if backend else None,
        steal_resolution_ns=10_000_000,
        cpus=[
            TraceCpu(cpu=0, rows=0, lost=0, steal_ns=0),
            TraceCpu(cpu=1, rows=len(events), lost=lost, steal_ns=30_000_000),
        ],
    )
    manifest = msgspec.structs.replace(
        read_manifest(directory), trace=trace, files=hash_files(directory)
    )
    (directory / "manifest.json").write_bytes(encode_document(manifest))
    return directory


def fully_traced_run(directory: Path) -> Path:
    """The same; each job is woken 2 µs before it is on its CPU and interrupted for 3 µs."""
    traced_run(directory)
    switches = np.load(directory / "sched.npy")
    rows = []
    for row in ordinary_rows(5):
        start = int(row["start_ns"])
        rows += [
            (start - 3_000, 0, 1, SchedKind.WAKEUP, TID, 0, 1, 255),
            (start + 500, 0, 1, SchedKind.IRQ_IN, TID, 0, -236, 255),
            (start + 3_500, 0, 1, SchedKind.IRQ_OUT, TID, 0, -236, 255),
        ]
    # The bully comes behind the interrupt.
    leaver = np.where(switches["kind"] == 0, switches["tid"], switches["other_tid"])
    switches["time_ns"][leaver == TID] += 5_000
    events = np.concatenate((switches, np.array(rows, switches.dtype)))
    events = events[np.argsort(events["time_ns"], kind="stable")]
    events["seq"] = np.arange(len(events))
    np.save(directory / "sched.npy", events)
    manifest = read_manifest(directory)
    assert manifest.trace is not None
    trace = msgspec.structs.replace(
        manifest.trace,
        backend="tracefs",
        supplies=[kind.name.lower() for kind in SchedKind],
        vectors=[TraceVector(number=-236, name="local_timer")],
    )
    manifest = msgspec.structs.replace(manifest, trace=trace, files=hash_files(directory))
    (directory / "manifest.json").write_bytes(encode_document(manifest))
    return directory


def test_interrupts_and_the_split_of_the_release_latency_are_shown(tmp_path: Path):
    run = fully_traced_run(tmp_path / "run")
    page = page_of(run)
    assert "does not supply" not in page
    for text in ("release latency: timer", "release latency: scheduling", "switching"):
        assert text in page
    row = page[page.index("local_timer") :]
    # 5 jobs, 5 times 3 us = 15 us.
    for text in ("interrupt", ">5<", "15 µs", "3 µs"):
        assert text in row
    derived = (run / "derived.json").read_text()
    assert '"interrupted_by_interrupt_local_timer_total"' in derived
    assert "interrupts took 15 µs in all, most of it local_timer: 5 times" in summary_text(
        open_run(run)
    )
    task = summary_document(open_run(run))["runs"][0]["tasks"][0]
    (one,) = task["trace"]["interrupted_by"]
    assert (one["name"], one["kind"], one["n"], one["total_ns"]) == (
        "local_timer", "interrupt", 5, 15_000,
    )  # fmt: skip


def test_what_a_back_end_does_not_supply_is_absent_not_zero(tmp_path: Path):
    run = traced_run(tmp_path / "run")
    page = page_of(run)
    for text in ("release latency: timer", "interrupted</", "switching</", "throttled (ready"):
        assert text not in page
    derived = (run / "derived.json").read_text()
    for name in ("timer_latency", "scheduling_latency", "interrupted", "switching"):
        assert f"trace_{name}" not in derived
    task = summary_document(open_run(run))["runs"][0]["tasks"][0]
    assert task["trace"]["interrupted_by"] is None


def page_of(directory: Path) -> str:
    return write_report(directory).read_text()


def test_culprit_is_named_with_count_total_median_and_maximum(tmp_path: Path):
    page = page_of(traced_run(tmp_path / "run"))
    assert "Who took the time" in page
    assert "This back-end does not supply wake-ups" in page
    row = page[page.index("bully") :]
    # 5 jobs, 5 times, 5 x 250.001 us = 1.25 ms, each the same.
    for text in ("1 thread", ">5<", "1.25 ms", "250 µs"):
        assert text in row
    assert "Who preempted the worst job" in page
    assert "took 30 ms from CPU 1 (counted in steps of 10 ms)" in page
    derived = (tmp_path / "run" / "derived.json").read_text()
    assert '"preempted_by_bully_total"' in derived
    assert f'"value": {5 * BULLY_NS}' in derived


def test_show_says_who_took_most(tmp_path: Path):
    run = open_run(traced_run(tmp_path / "run"))
    line = (
        "5 of 5 jobs were preempted, most of all by bully: 5 times, 1.25 ms in all, at most 250 µs"
    )
    assert line in summary_text(run)
    task = summary_document(run)["runs"][0]["tasks"][0]
    assert task["trace"]["jobs_preempted"] == 5
    assert task["trace"]["preempted_by"][0]["total_ns"] == 5 * BULLY_NS


def test_jobs_that_waited_after_they_slept_are_not_said_to_be_preempted_by_nobody(tmp_path: Path):
    # "0 of 5 jobs were preempted, most of all by bully": they had slept, and not been pushed off.
    (found,) = read_page(open_run(traced_run(tmp_path / "run"))).runs[0].attributions.values()
    pieces = replace(found.pieces, n_preemptions=np.zeros_like(found.pieces.n_preemptions))
    line = _line(replace(found, pieces=pieces))
    assert line.startswith(
        "0 of 5 jobs were preempted, and 5 waited for a CPU, most of all for bully: 5 times"
    )


def test_loss_over_the_end_costs_the_last_job_its_verdict(tmp_path: Path):
    # Lost after the last row, which comes 1 us after the last finish: all jobs are known.
    run = traced_run(tmp_path / "run", lost=1)
    assert "5 of 5 jobs were preempted" in summary_text(open_run(run))
    events = np.load(run / "sched.npy")
    # Without the last switch, the loss begins within the last job.
    np.save(run / "sched.npy", events[:-2])
    assert "4 of 4 jobs were preempted" in summary_text(open_run(run))
    assert "; without verdict: 1 job: records were lost over them" in summary_text(open_run(run))
    assert "1 job: records were lost over them" in page_of(run)


def test_wait_of_a_task_whose_quota_ran_out_is_nobodys(tmp_path: Path):
    run = traced_run(tmp_path / "run")
    manifest = read_manifest(run)
    use = GroupUse(path="/g", quota_us=4000, period_us=100_000, periods=9, throttled=5)
    (task,) = manifest.tasks
    for policy, is_quota in (("fifo", False), ("other", True)):
        changed = msgspec.structs.replace(
            manifest, groups=[use], tasks=[msgspec.structs.replace(task, policy=policy)]
        )
        (run / "manifest.json").write_bytes(encode_document(changed))
        text, page = summary_text(open_run(run)), page_of(run)
        # Five waits of 250 us.
        by_quota = "5 of 5 jobs were preempted or throttled by the quota of their control group, 1."
        assert (by_quota in text) == is_quota
        assert ("most of all by bully" in text) != is_quota
        assert ("preempted, or throttled by a quota" in page) == is_quota
        assert ("Who had the CPU that ready jobs waited for" in page) != is_quota


def test_trace_that_explains_no_job_says_why(tmp_path: Path):
    # It was "0 of 0 jobs were preempted".
    run = traced_run(tmp_path / "run")
    events = np.load(run / "sched.npy")
    for name in ("tid", "other_tid"):
        events[name][events[name] == TID] = TID + 1
    np.save(run / "sched.npy", events)
    told = "control: the trace explains no job (5 jobs: the trace has no switch of their thread)"
    assert told in summary_text(open_run(run))
    assert "5 jobs: the trace has no switch of their thread" in page_of(run)


def test_trace_of_a_namespace_says_what_it_cannot_tell_apart(tmp_path: Path):
    run = traced_run(tmp_path / "run")
    manifest = read_manifest(run)
    assert manifest.trace is not None
    assert "idle CPUs and threads outside it have no number" not in page_of(run)
    trace = msgspec.structs.replace(manifest.trace, has_hidden_threads=True)
    manifest = msgspec.structs.replace(manifest, trace=trace)
    (run / "manifest.json").write_bytes(encode_document(manifest))
    assert "idle CPUs and threads outside it have no number" in page_of(run)


def test_job_over_a_switch_that_nobody_told_of_has_no_verdict(tmp_path: Path):
    run = traced_run(tmp_path / "run")
    events = np.load(run / "sched.npy")
    # The bully came, and it is thread 98 that leaves to the first job.
    events["tid"][4], events["other_tid"][5] = 98, 98
    np.save(run / "sched.npy", events)
    text = summary_text(open_run(run))
    assert "4 of 4 jobs were preempted" in text
    assert "; without verdict: 1 job: the trace lacks a switch or wake-up" in text
    page = page_of(run)
    assert "1 job: the trace lacks a switch or wake-up that they depend on" in page
    assert "though nothing was lost: at least 1 handover of a CPU" in page
    task = summary_document(open_run(run))["runs"][0]["tasks"][0]
    assert task["trace"]["switches_untold"] == 1


@pytest.mark.parametrize(("threads", "is_measured"), [(1, True), (2, False)])
def test_processor_time_of_several_threads_is_not_taken_for_the_execution(
    tmp_path: Path, threads: int, is_measured: bool
):
    run = open_run(traced_run(tmp_path / "run"))
    task = msgspec.structs.replace(run.manifest.tasks[0], threads_seen=threads)
    run.manifest = msgspec.structs.replace(run.manifest, tasks=[task])
    (data,) = read_page(run).runs
    pieces = data.attributions[0].pieces
    measured = np.ma.getdata(data.tasks[0].rows["exec_ns"]) - SNAPSHOT_EXEC_NS
    assert bool((pieces.execution_ns == measured).all()) == is_measured
    assert bool((pieces.unexplained_ns == 0).all()) != is_measured


@pytest.mark.parametrize("case", ["no back-end", "not asked for"])
def test_run_without_a_whole_trace_has_no_such_section(tmp_path: Path, case: str):
    if case == "no back-end":
        directory = traced_run(tmp_path / "run", backend=None)
    else:
        directory = write_run(tmp_path / "run", Made(ordinary_rows(5)))
    assert "Who took the time" not in page_of(directory)
    assert "preempted, most" not in summary_text(open_run(directory))
    task = summary_document(open_run(directory))["runs"][0]["tasks"][0]
    assert task["trace"] is None


def test_damaged_trace_is_a_note_not_the_end_of_the_report(tmp_path: Path):
    directory = traced_run(tmp_path / "run")
    (directory / "sched.npy").write_bytes(b"nothing")
    page = page_of(directory)
    assert "sched.npy: not a NumPy file" in page
