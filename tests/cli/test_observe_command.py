# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity observe`: programs that know nothing of laxity, and what cannot be observed."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.commands import (
    BUILT,
    CPU,
    LAXITY,
    Outcome,
    finish,
    laxity,
    manifest_of,
    needs_fifo,
    start,
)
from tests.cli.laxity_command import PATIENCE_S
from tests.cli.test_traced_runs import may_trace, refusing_tools  # noqa: F401 - a fixture
from tests.waiting import wait_until

from laxity.core.streams import SchedKind
from laxity.store.manifest import Manifest
from laxity.store.run_directory import Run, open_run

LOOP = BUILT.tools / "tests" / "native" / "periodic_loop"
MS = 1_000_000
SHORT = ("--no-report", "--quiet")


@contextmanager
def running(*words: str | Path | int, fifo: int = 0) -> "Iterator[subprocess.Popen[str]]":
    """Start a program that is observed; whatever becomes of the test, it ends."""
    prefix = ("chrt", "-f", str(fifo), "taskset", "-c", str(CPU)) if fifo else ()
    process = subprocess.Popen(
        [*prefix, *map(str, words)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        wait_until(lambda: comm_of(process) not in {"chrt", "taskset"}, "the program itself")
        yield process
    finally:
        process.kill()
        process.communicate()


def observe_from_its_start(
    tmp_path: Path, program: "subprocess.Popen[str]", *words: str
) -> Outcome:
    """Let a program begin once it is observed."""
    observer = start("observe", str(program.pid), *words, "--run-dir", tmp_path / "D", *SHORT)
    # The file is there before the kernel is told to start; its header is 4096 bytes long.
    stream = tmp_path / "D.tmp" / "sched.npy"
    wait_until(lambda: stream.exists() and stream.stat().st_size > 4096, "rows of the trace")
    let_begin(program)
    return finish(observer)


def let_begin(program: "subprocess.Popen[str]") -> None:
    assert program.stdin is not None
    program.stdin.write("\n")
    program.stdin.flush()


def observe(tmp_path: Path, *words: str | int) -> Outcome:
    return laxity("observe", *map(str, words), "--run-dir", tmp_path / "D", *SHORT)


def threads_of(manifest: Manifest):
    assert manifest.observation is not None
    return {one.comm: one for one in manifest.observation.threads}


def said(process: "subprocess.Popen[str]") -> dict[str, tuple[int, int]]:
    """What the program says of its threads: jobs, first release."""
    lines = [line.split() for line in process.communicate(timeout=PATIENCE_S)[0].splitlines()]
    return {name: (int(jobs), int(first)) for name, jobs, first in lines}


def born_ns(run: Run, tid: int) -> int:
    rows: Any = np.ma.getdata(run.stream("sched"))
    return int(rows["time_ns"][(rows["kind"] == SchedKind.FORK) & (rows["tid"] == tid)][0])


@needs_fifo
@pytest.mark.serial
@pytest.mark.usefixtures("may_trace")
def test_period_and_jobs_of_a_foreign_program_are_found(tmp_path: Path):
    periods = {"loop0": 5 * MS, "loop1": 7 * MS}
    with running(LOOP, "absolute", 400, 200_000, *periods.values(), fifo=90) as program:
        outcome = observe_from_its_start(tmp_path, program, "--deadline", "2ms")
        truth = said(program)
    assert outcome.code == 0, outcome.err
    run = open_run(tmp_path / "D")
    found = threads_of(run.manifest)
    rows: Any = run.stream("jobs")
    for name, period_ns in periods.items():
        one = found[name]
        assert one.rhythm == "periodic"
        assert one.period_ns == pytest.approx(period_ns, rel=1e-3)
        jobs, first_ns = truth[name]
        mine = rows[np.asarray(rows["task"]) == one.task]
        # The numbers that the program gave its jobs. The end of the thread cuts the last one off;
        # where a job was still running at the next release (others had the CPU), the two are one.
        first, last = (round((int(mine["release_ns"][i]) - first_ns) / period_ns) for i in (0, -1))
        assert last - first + 1 == len(mine) + one.n_without_job
        # A thread that has to wait for something before its first release is seen to do so: between
        # its birth and that release.
        early = mine[np.asarray(mine["release_ns"]) < first_ns - period_ns // 2]
        assert np.all(early["start_ns"] > born_ns(run, one.tid))
        assert np.all(early["finish_ns"] < first_ns)
        assert last <= jobs - 2
        assert len(mine) > 0.9 * jobs
        # Releases lie on the program's own grid, late by what every wake-up takes.
        late_ns = (np.asarray(mine["release_ns"]) - first_ns + period_ns // 2) % period_ns
        assert np.all(np.abs(late_ns - period_ns // 2) < period_ns / 10)
        assert np.median(np.asarray(mine["exec_ns"])) >= 200_000
        assert np.all(mine["abs_deadline_ns"] - mine["release_ns"] == 2 * MS)
        task = run.manifest.tasks[one.task or 0]
        assert (task.policy, task.priority, task.cpus) == ("fifo", 90, str(CPU))
        assert task.counts.done + task.counts.missed == task.released == len(mine)
    assert run.verify() == []
    assert (tmp_path / "D" / "threads.npy").exists()
    threads: Any = run.stream("threads")
    for one in found.values():
        if one.task is not None:
            assert set(threads["task"][threads["tid"] == one.tid].tolist()) == {one.task}


@needs_fifo
@pytest.mark.serial
@pytest.mark.usefixtures("may_trace")
def test_thread_that_blocks_within_its_jobs_has_one_job_per_period(tmp_path: Path):
    with running(LOOP, "blocking", 0, 100_000, 10 * MS, fifo=90) as program:
        let_begin(program)
        outcome = observe(tmp_path, program.pid, "--jobs", 200)
    assert outcome.code == 0, outcome.err
    one = threads_of(manifest_of(tmp_path / "D"))["loop0"]
    assert one.period_ns == pytest.approx(10 * MS, rel=1e-3)
    rows: Any = open_run(tmp_path / "D").stream("jobs")
    assert np.median(np.asarray(rows["blockings"])) == 1
    # Twice the work, and at least the sleep of 300 us in between; of the usual job, since a virtual
    # machine may hide switches.
    assert np.median(np.asarray(rows["exec_ns"])) >= 200_000
    assert np.median(np.asarray(rows["finish_ns"] - rows["start_ns"])) >= 500_000


@needs_fifo
@pytest.mark.usefixtures("may_trace")
def test_threads_that_start_during_the_observation_are_observed(tmp_path: Path):
    # An ordinary thread would wait for others over several of its releases, and its jobs be one.
    with running(LOOP, "absolute", 40, 10_000, 5 * MS, fifo=90) as program:
        outcome = observe_from_its_start(tmp_path, program)
    assert outcome.code == 0, outcome.err
    one = threads_of(manifest_of(tmp_path / "D"))["loop0"]
    assert one.task is not None
    # It waits for its first release; what it does before that is no job.
    rows: Any = open_run(tmp_path / "D").stream("jobs")
    assert 30 <= np.count_nonzero(np.asarray(rows["task"]) == one.task) <= 40


@pytest.mark.usefixtures("may_trace")
def test_interrupt_keeps_what_was_observed(tmp_path: Path):
    with running(LOOP, "absolute", 0, 10_000, 2 * MS) as program:
        let_begin(program)
        words = ("observe", str(program.pid), "--run-dir", tmp_path / "D", *SHORT)
        observer = start(*words)
        sched = tmp_path / "D.tmp" / "sched.npy"
        wait_until(lambda: sched.exists() and sched.stat().st_size > 20_000, "rows of the trace")
        observer.send_signal(signal.SIGINT)
        outcome = finish(observer)
        assert program.poll() is None
    assert outcome.code == 130, outcome.err
    manifest = manifest_of(tmp_path / "D")
    assert (manifest.status, manifest.exit_code) == ("interrupted", 130)
    assert manifest.tasks[0].end_cause == "interrupt"
    assert manifest.tasks[0].released > 0


@pytest.mark.usefixtures("may_trace")
def test_observation_that_was_killed_is_recovered(tmp_path: Path):
    with running(LOOP, "absolute", 0, 10_000, 2 * MS) as program:
        let_begin(program)
        words = ("observe", str(program.pid), "--run-dir", tmp_path / "D", *SHORT)
        observer = start(*words)
        sched = tmp_path / "D.tmp" / "sched.npy"
        wait_until(lambda: sched.exists() and sched.stat().st_size > 20_000, "rows of the trace")
        observer.kill()
        observer.communicate()
        shown = laxity("show", tmp_path / "D")
    assert shown.code == 0, shown.err
    manifest = manifest_of(tmp_path / "D")
    assert (manifest.status, manifest.exit_code) == ("recovered", 0)
    assert manifest.tasks[0].released > 0
    assert open_run(tmp_path / "D").verify() == []


@pytest.mark.usefixtures("may_trace")
def test_duration_ends_the_observation_not_the_program(tmp_path: Path):
    with running(LOOP, "absolute", 0, 10_000, 2 * MS) as program:
        let_begin(program)
        outcome = observe(tmp_path, program.pid, "--duration", "300ms", "--format", "json")
        assert program.poll() is None
    assert outcome.code == 0, outcome.err
    assert '"observation"' in outcome.out
    assert manifest_of(tmp_path / "D").tasks[0].end_cause == "duration"


@needs_fifo
@pytest.mark.usefixtures("may_trace")
def test_without_wake_ups_a_period_that_is_not_found_is_no_answer(tmp_path: Path):
    # Nine starts at most: a period needs ten. With wake-ups that would be said of the thread alone.
    with running(LOOP, "absolute", 8, 10_000, 5 * MS, fifo=90) as program:
        outcome = observe_from_its_start(tmp_path, program, "--trace-backend", "perf")
    told = "observe it as root and without --trace-backend perf, so that wake-ups are traced"
    why = "no verdict: no thread has a period that its starts alone would show"
    assert outcome.code == 4, outcome.err
    assert f"{why}; {told}" in outcome.out
    assert f"1 thread has no period that starts alone would show; {told}" in outcome.out
    report = laxity("report", tmp_path / "D")
    assert report.code == 0, report.err
    assert told in (tmp_path / "D" / "report.html").read_text()


@pytest.mark.usefixtures("may_trace")
def test_ordinary_program_on_a_busy_machine_has_its_period(tmp_path: Path):
    """A back-end is chosen for its wake-ups: starts behind other programs tell nothing."""
    cpus = sorted(os.sched_getaffinity(0))
    with ExitStack() as stack:
        for cpu in cpus:
            stack.enter_context(running("taskset", "-c", cpu, "sh", "-c", "while :; do :; done"))
        program = stack.enter_context(running(LOOP, "absolute", 400, 100_000, 20 * MS))
        outcome = observe_from_its_start(tmp_path, program)
    manifest = manifest_of(tmp_path / "D")
    if not (manifest.observation and manifest.observation.has_wake_ups):
        pytest.skip("needs permission to trace the scheduler: perf alone serves here")
    assert outcome.code == 0, outcome.err
    one = threads_of(manifest)["loop0"]
    assert one.rhythm == "periodic"
    assert one.period_ns == pytest.approx(20 * MS, rel=1e-4)


@pytest.mark.usefixtures("may_trace")
def test_program_without_a_job_gives_no_verdict(tmp_path: Path):
    with running("cat") as program:
        outcome = observe(tmp_path, program.pid, "--duration", "200ms")
    assert outcome.code == 4, outcome.err
    assert "no thread was seen from a wake-up until it blocked" in outcome.out


def test_several_programs_of_one_name_are_listed_not_guessed(tmp_path: Path):
    with running("sleep", "60.25") as one, running("sleep", "60.25") as other:
        wait_until(lambda: all(comm_of(it) == "sleep" for it in (one, other)), "two sleeps")
        outcome = observe(tmp_path, "sleep")
    assert outcome.code == 2
    assert f"{one.pid} (sleep 60.25)" in outcome.err
    assert f"{other.pid} (sleep 60.25)" in outcome.err
    assert "name one by its number, or give --all" in outcome.err
    assert not list(tmp_path.glob("D*"))


def comm_of(process: "subprocess.Popen[str]") -> str:
    return Path(f"/proc/{process.pid}/comm").read_text().strip()


def test_number_and_name_that_nothing_has_are_refused(tmp_path: Path):
    # The largest number that the kernel gives is 4,194,304.
    outcome = observe(tmp_path, 4_194_305)
    assert (outcome.code, outcome.err) == (
        2, "laxity observe: no process 4194305; look it up with ps -e\n",
    )  # fmt: skip
    outcome = observe(tmp_path, "no-such-program-at-all")
    assert outcome.code == 2
    assert 'no process is called "no-such-program-at-all"' in outcome.err


def test_process_that_waits_to_be_reaped_is_told(tmp_path: Path):
    process = subprocess.Popen(["true"])
    try:
        status = Path(f"/proc/{process.pid}/status")
        wait_until(lambda: "State:\tZ" in status.read_text(), "the end of true")
        outcome = observe(tmp_path, process.pid)
    finally:
        process.wait()
    assert outcome.code == 4
    assert f"{process.pid} (true) has ended and waits to be reaped by {os.getpid()}" in outcome.err


def test_without_permission_to_trace_nothing_is_left(tmp_path: Path):
    environment = {**os.environ, **BUILT.environment(), **refusing_tools(tmp_path)}
    with running("sleep", "60") as program:
        done = subprocess.run(
            [*LAXITY, "observe", str(program.pid), "--run-dir", "D", *SHORT],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 3
    assert "may not be watched (Permission denied); run as root" in done.stderr
    assert not list(tmp_path.glob("D*"))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "one of PID, COMM and --cgroup says what is observed; name one"),
        (("1", "--cgroup", "x"), "one of PID, COMM and --cgroup"),
        (("--cgroup", "no/such/group"), "--cgroup no/such/group: is no control group"),
        (("1", "--deadline", "5"), "--deadline"),
        (("1", "--deadline", "0s"), '--deadline: "0s" is not above 0; write a longer one'),
        (("1", "--duration", "0ms"), '--duration: "0ms" is not above 0; write a longer one'),
    ],
)
def test_wrong_words_are_refused(tmp_path: Path, words: tuple[str, ...], told: str):
    outcome = observe(tmp_path, *words)
    assert outcome.code == 2
    assert told in outcome.err
