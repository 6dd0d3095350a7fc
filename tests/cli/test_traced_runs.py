# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity run --trace`: recorded, not permitted, and with a recorder or a caller that is killed."""

import itertools
import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from tests.cli.commands import (
    BUILT,
    CPU,
    fault_spec,
    finish,
    jobs_of,
    laxity,
    manifest_of,
    needs_fifo,
    needs_root,
    processes_naming,
    start,
)
from tests.cli.laxity_command import PATIENCE_S, Laxity
from tests.cli.thread_rows import is_told, most_preemptions, switches_of
from tests.waiting import wait_until

from laxity.cli.summary import summary_document
from laxity.core.spec import TRACE_BACKENDS
from laxity.core.streams import SchedKind
from laxity.jobs import rows as analysis
from laxity.report.read_run import read_page
from laxity.store.npy import read_stream
from laxity.store.run_directory import open_run
from laxity.trace.instances import DIRECTORY

JOURNAL = Path(DIRECTORY)
MOUNTED = Path("/sys/kernel/tracing/instances")
REASON = "perf: CPU 0 may not be watched (Permission denied); run as root"


@pytest.fixture(scope="module")
def may_trace(tmp_path_factory: pytest.TempPathFactory) -> None:
    directory = tmp_path_factory.mktemp("tried") / "D"
    tool = BUILT.tools / "native" / "laxity-trace"
    words: list[str | Path] = [tool, "--run-dir", directory]
    if (
        subprocess.run([*words, "--duration", "1ms"], capture_output=True, check=False).returncode
        == 3
    ):
        pytest.skip("needs permission to trace the scheduler")


def refusing_tools(directory: Path, before: str = "") -> dict[str, str]:
    """Our programs, with a laxity-trace that no kernel lets record."""
    tools = directory / "tools"
    (tools / "native").mkdir(parents=True)
    (tools / "workloads").symlink_to(BUILT.tools / "workloads")
    (tools / "native" / "laxity-run").symlink_to(BUILT.tools / "native" / "laxity-run")
    refusing = tools / "native" / "laxity-trace"
    refusing.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && exec echo laxity-trace 0.1.0\n'
        f'{before}echo "laxity-trace: {REASON}" >&2\nexit 3\n'
    )
    refusing.chmod(0o755)
    return {"LAXITY_TOOLS": str(tools)}


@needs_fifo
@pytest.mark.usefixtures("may_trace")
def test_trace_covers_every_job_of_the_run(laxity: Laxity):
    run = laxity.run("empty", "-p", "2ms", "-t", "50", "-c", str(CPU), "--trace")
    trace = run.manifest.trace
    assert trace is not None
    # Whichever serves here; why an earlier one does not is told.
    assert trace.backend in TRACE_BACKENDS
    assert trace.lost == 0
    assert {"off", "on", "fork", "exit"} <= set(trace.supplies)
    order = ("bpf", "tracefs", "perf")  # perf knows no wake-ups, which jobs are judged by
    tried = order[: order.index(trace.backend)]
    assert [each.reason.split(":")[0] for each in run.manifest.fallbacks] == list(tried)
    assert {"sched.npy", "threads.npy"} <= set(run.manifest.files)
    assert not (run.path / "trace.json").exists()
    assert run.verify() == []
    rows, jobs = run.stream("sched"), analysis.finished(run.stream("jobs"))
    assert run.manifest.tables["sched.npy"] == len(rows) == sum(cpu.rows for cpu in trace.cpus)
    assert trace.started_ns is not None
    assert trace.stopped_ns is not None
    assert trace.started_ns < int(jobs["release_ns"][0])
    assert trace.stopped_ns > int(jobs["finish_ns"][-1])
    threads = run.stream("threads")
    mine = np.ma.getdata(threads["tid"]) == int(jobs["tid"][0])
    assert set(threads["task"][mine].tolist()) == {0}
    assert len(threads) > np.count_nonzero(mine)
    # A task that has gone to sleep before a release comes on between it and the start.
    is_switch = np.isin(np.ma.getdata(rows["kind"]), (SchedKind.OFF, SchedKind.ON))
    task = rows[is_switch & (np.ma.getdata(rows["tid"]) == int(jobs["tid"][0]))]
    when, is_on = np.ma.getdata(task["time_ns"]), np.ma.getdata(task["kind"]) == SchedKind.ON
    n_slept = 0
    for before, job in itertools.pairwise(jobs):
        until = when < int(job["release_ns"])
        slept = np.flatnonzero(until & (when > int(before["finish_ns"])))
        if len(slept) and not is_on[slept[-1]]:
            n_slept += 1
            assert np.any(is_on & ~until & (when < int(job["start_ns"])))
    assert n_slept > len(jobs) / 2


@needs_fifo
def test_run_without_permission_to_trace_goes_on_and_says_so(laxity: Laxity):
    words = ("run", "empty", "-p", "2ms", "-t", "5", "-c", str(CPU), "--trace", "--no-report")
    tools = refusing_tools(laxity.directory)
    done = laxity(*words, "--run-dir", "D", "--quiet", environment=tools)
    assert done.returncode == 0
    assert done.stderr == f"laxity run: trace: used none instead: {REASON}\n"
    assert f"fallback: trace: none used ({REASON})\n" in done.stdout
    run = open_run(laxity.directory / "D")
    assert run.manifest.trace is not None
    assert (run.manifest.trace.backend, run.manifest.trace.lost) == (None, None)
    assert [(one.what, one.used) for one in run.manifest.fallbacks] == [("trace", "none")]
    assert not run.has_stream("sched")
    assert run.verify() == []


@needs_fifo
def test_reasons_of_all_back_ends_that_refused_are_told(laxity: Laxity):
    tools = refusing_tools(laxity.directory, 'echo "laxity-trace: first: no" >&2\n')
    words = ("run", "empty", "-p", "2ms", "-t", "5", "-c", str(CPU), "--trace", "--no-report")
    done = laxity(*words, "--run-dir", "D", "--quiet", environment=tools)
    assert done.returncode == 0
    assert done.stderr == f"laxity run: trace: used none instead: first: no; {REASON}\n"


def test_back_end_that_was_asked_for_by_name_is_not_replaced(laxity: Laxity):
    words = ("run", "empty", "-p", "2ms", "-t", "5", "-c", str(CPU), "--trace-backend", "perf")
    tools = refusing_tools(laxity.directory)
    done = laxity(*words, "--run-dir", "D", "--quiet", environment=tools)
    assert done.returncode == 3
    assert done.stderr == f"laxity run: trace: {REASON}\n"
    assert not list(laxity.directory.glob("D*"))


def kill_within(tmp_path: Path, victim: str, backend: str = "perf") -> int:
    """Kill the recorder or the caller in the middle of a run, and let the run end.

    Returns:
        The recorder's process number.
    """
    # A job lasts until the victim is dead: the run cannot end before.
    go_on = tmp_path / "go on"
    keys = {"duration": '"3s"', "period": '"1ms"', "job_timeout": f'"{PATIENCE_S}s"'}
    spec = fault_spec(tmp_path / "D.toml", "wait", 700, go_on, **keys)
    process = start(
        *("run", spec, "--trace-backend", backend, "--run-dir", tmp_path / "D", "--no-report"),
        is_own_session=True,
    )
    streams = [tmp_path / "D.tmp" / name for name in ("jobs.npy", "sched.npy")]
    # The header is 4096 bytes long.
    wait_until(
        lambda: all(one.exists() and one.stat().st_size > 4096 for one in streams), "rows of both"
    )
    found = subprocess.run(
        ["pgrep", "-P", str(process.pid), "-f", "laxity-trace --run-dir"],
        capture_output=True,
        text=True,
        check=True,
    )
    os.kill(int(found.stdout) if victim == "recorder" else process.pid, signal.SIGKILL)
    go_on.touch()
    finish(process)
    return int(found.stdout)


@needs_fifo
@needs_root
@pytest.mark.usefixtures("may_trace")
@pytest.mark.parametrize("backend", ["perf", "tracefs"])
def test_recorder_that_is_killed_costs_the_verdict_not_the_run(tmp_path: Path, backend: str):
    recorder = kill_within(tmp_path, "recorder", backend)
    assert list(JOURNAL.glob(f"laxity-{recorder}-*")) == []
    manifest = manifest_of(tmp_path / "D")
    assert (manifest.status, manifest.exit_code) == ("complete", 0)
    assert len(jobs_of(tmp_path / "D")) == 3000
    assert manifest.trace is not None
    assert (manifest.trace.backend, manifest.trace.lost) == (None, None)
    assert manifest.fallbacks[0].reason.startswith("laxity-trace was killed")
    assert len(read_stream(tmp_path / "D" / "sched.npy")) > 0


@needs_fifo
@pytest.mark.usefixtures("may_trace")
def test_trace_is_whole_after_its_caller_was_killed(tmp_path: Path):
    kill_within(tmp_path, "caller")
    end_s = time.monotonic() + PATIENCE_S
    while not (tmp_path / "D").exists():
        assert time.monotonic() < end_s
        time.sleep(0.05)
    assert laxity("show", tmp_path / "D").code == 0
    run = open_run(tmp_path / "D")
    assert run.manifest.status == "recovered"
    assert run.manifest.trace is not None
    assert run.manifest.trace.backend in TRACE_BACKENDS
    assert run.verify() == []
    assert sum(cpu.rows for cpu in run.manifest.trace.cpus) == len(run.stream("sched"))


@pytest.mark.serial
@needs_fifo
@needs_root
@pytest.mark.usefixtures("may_trace")
def test_next_command_removes_the_instance_after_all_were_killed(tmp_path: Path):
    spec = fault_spec(tmp_path / "D.toml", "none", duration='"30s"', period='"5ms"')
    words = ("--trace-backend", "tracefs", "--run-dir", tmp_path / "D", "--no-report")
    process = start("run", spec, *words, is_own_session=True)
    stream = tmp_path / "D.tmp" / "jobs.npy"
    # The header is 4096 bytes long.
    wait_until(lambda: stream.exists() and stream.stat().st_size > 4096, "rows")
    victims = [*processes_naming(str(tmp_path / "D.tmp")), process.pid]
    recorders = [pid for pid in victims if list(JOURNAL.glob(f"laxity-{pid}-*"))]
    assert len(recorders) == 1
    # Those that could answer a death are stopped first, so that nobody sees another one die.
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in victims:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
    process.communicate()
    (left,) = JOURNAL.glob(f"laxity-{recorders[0]}-*")
    outcome = laxity("show", tmp_path / "D")
    assert outcome.code == 0
    told = f"removed the tracefs instance {left.name}, which a killed recorder left\n"
    assert told in outcome.err
    assert not left.exists()
    assert not (MOUNTED / left.name).exists()
    trace = open_run(tmp_path / "D").manifest.trace
    assert trace is not None
    assert trace.backend is None


def two_tasks(path: Path) -> Path:
    """A long job of low priority and short ones of high priority on one CPU: about a third busy."""
    task = '[[task]]\nname = "{}"\nworkload = "cpu"\nargs = ["{}", "{}"]\nperiod = "{}"\n'
    high = task.format("high", 8000, 8000, "5ms") + f'priority = 80\ncpus = "{CPU}"\n'
    low = task.format("low", 150000, 150000, "50ms") + f'priority = 40\ncpus = "{CPU}"\n'
    path.write_text(f'schema = 1\n[run]\nduration = "2s"\n{high}{low}')
    return path


@pytest.mark.serial
@needs_fifo
@pytest.mark.usefixtures("may_trace")
def test_every_preemption_by_a_task_of_higher_priority_is_found_and_named(laxity: Laxity):
    spec = two_tasks(laxity.directory / "two.toml")
    run = laxity.run("./" + spec.name, "--trace")
    (data,) = read_page(run).runs
    high, low = data.tasks
    found, others = data.attributions[1], data.attributions[0]
    # Whoever else preempts the short task is a thread of this machine; those jobs prove nothing.
    is_whole = others.pieces.is_known & (others.pieces.n_preemptions == 0)
    short = high.rows[np.ma.getdata(high.rows["status"]) <= 1][is_whole]
    high_tid = int(short["tid"][0])
    pieces = [one for one in found.preemptions if one.tid == high_tid]
    n_found = 0
    for job in analysis.finished(low.rows)[found.pieces.is_known]:
        within = short[
            (short["start_ns"] > job["start_ns"]) & (short["finish_ns"] < job["finish_ns"])
        ]
        for one in within:
            start_ns, finish_ns = int(one["start_ns"]), int(one["finish_ns"])
            covering = [
                piece for piece in pieces
                if piece.from_ns <= start_ns and piece.from_ns + piece.duration_ns >= finish_ns
            ]  # fmt: skip
            assert [(piece.job, piece.cpu, piece.comm) for piece in covering] == [
                (int(job["job"]), CPU, covering[0].comm)
            ]
            n_found += 1
    # The long jobs take several periods of the short ones.
    assert n_found > len(low.rows) / 2
    assert any(culprit.comm == pieces[0].comm for culprit in found.culprits)
    shown = laxity("show", "D").stdout
    # Of jobs with a verdict: on a loaded machine one may lack it.
    n_preempted = int((found.pieces.is_known & (found.pieces.n_preemptions > 0)).sum())
    assert f"two: low: {n_preempted} of " in shown
    by = summary_document(run)["runs"][0]["tasks"][1]["trace"]["preempted_by"]
    assert pieces[0].comm in {one["name"] for one in by}


PARTS = (
    "release_latency_ns", "execution_ns", "interrupted_ns", "preempted_ns", "switching_ns",
    "throttled_ns", "blocked_ns", "unexplained_ns",
)  # fmt: skip


@pytest.mark.serial
@needs_fifo
@pytest.mark.usefixtures("may_trace")
def test_pieces_of_every_job_sum_up_to_its_response_time(laxity: Laxity):
    run = laxity.run("./" + two_tasks(laxity.directory / "two.toml").name, "--trace")
    (data,) = read_page(run).runs
    trace = run.manifest.trace
    assert trace is not None
    assert trace.stopped_ns is not None
    n_preempted = 0
    for task in data.tasks:
        pieces, jobs = data.attributions[task.result.index].pieces, analysis.finished(task.rows)
        release, start, finish = (
            np.ma.getdata(jobs[name]) for name in ("release_ns", "start_ns", "finish_ns")
        )
        parts = [part for name in PARTS if (part := getattr(pieces, name)) is not None]
        assert (sum(parts) == finish - release).all()
        rows = switches_of(run, int(jobs["tid"][0]))
        # Some virtual machines hide who woke a thread; nothing else may cost a verdict.
        told = [is_told(rows, *ends) for ends in zip(release, finish, strict=True)]
        known = pieces.is_known
        assert known.tolist() == (told if "wakeup" in trace.supplies else [True] * len(jobs))
        counted = np.ma.getdata(jobs["preemptions"])
        assert (pieces.n_preemptions <= counted)[known].all()
        assert (counted <= most_preemptions(rows, finish, trace.stopped_ns))[known].all()
        n_preempted += int((counted > 0).sum())
        rows = rows[rows["kind"] != SchedKind.WAKEUP]
        # It waited for its CPU if it was off that at its release, or went off before its start.
        is_off, when = rows["kind"] == SchedKind.OFF, rows["time_ns"]
        was_off = is_off[np.maximum(np.searchsorted(when, release, "right") - 1, 0)]
        offs_ns = when[is_off]
        goes_off = np.searchsorted(offs_ns, start) > np.searchsorted(offs_ns, release, "right")
        assert ((pieces.waited_ns > 0) == (was_off | goes_off))[known].all()
    assert n_preempted > 0
