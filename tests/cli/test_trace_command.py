# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""laxity-trace on this machine: what it counts is what the kernel itself counts."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tests.cli.commands import BUILT, CPU, environment
from tests.cli.laxity_command import PATIENCE_S

from laxity.model.streams import SchedKind
from laxity.store.npy import read_stream

TRACE = BUILT.tools / "native" / "laxity-trace"
ROUNDS = 2000
# Two processes hand a byte to and fro on one CPU. Each tells what the kernel counts of its switches
# around its rounds: thread, from, to (ns), voluntary, involuntary.
PING_PONG = """
import os, resource, sys, time
rounds, cpu = int(sys.argv[1]), int(sys.argv[2])
os.sched_setaffinity(0, {cpu})
there, back = os.pipe(), os.pipe()
child = os.fork()
mine = (there[0], back[1]) if child == 0 else (back[0], there[1])
def switches():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_nvcsw, usage.ru_nivcsw
def now():
    while True:
        # The instant and the counts belong together only if no switch came between them.
        before, instant = switches(), time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        if switches() == before:
            return instant, *before
before = now()
for _ in range(rounds):
    if child:
        os.write(mine[1], b"x")
    os.read(mine[0], 1)
    if not child:
        os.write(mine[1], b"x")
after = now()
line = f"{os.getpid()} {before[0]} {after[0]} {after[1] - before[1]} {after[2] - before[2]}\\n"
os.write(1, line.encode())
if child:
    os.waitpid(child, 0)
"""


def trace(*words: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [TRACE, *words], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )


@pytest.fixture(scope="module", autouse=True)
def _permission(tmp_path_factory: pytest.TempPathFactory) -> None:
    done = trace("--run-dir", tmp_path_factory.mktemp("tried") / "D", "--duration", "1ms")
    if done.returncode == 3:
        pytest.skip("needs permission to trace the scheduler")


@pytest.fixture(scope="module")
def ping_pong(tmp_path_factory: pytest.TempPathFactory):
    """Record two processes that hand a byte to and fro; give the trace and what they counted."""
    directory = tmp_path_factory.mktemp("traced") / "D"
    recorder = subprocess.Popen(
        [TRACE, "--run-dir", directory, "--avoid", str(CPU)], stderr=subprocess.PIPE, text=True
    )
    deadline_s = time.monotonic() + PATIENCE_S
    while not (directory / "sched.npy").exists() and time.monotonic() < deadline_s:
        time.sleep(0.01)
    # A moment later it runs: the file is made before the kernel is told to start.
    time.sleep(0.3)
    players = subprocess.run(
        [sys.executable, "-c", PING_PONG, str(ROUNDS), str(CPU)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
        env=environment(),
    )
    recorder.send_signal(signal.SIGINT)
    _, said = recorder.communicate(timeout=PATIENCE_S)
    assert recorder.returncode == 130
    assert said == "laxity-trace: interrupted by signal 2; the trace up to then was kept\n"
    counted = [[int(word) for word in line.split()] for line in players.stdout.splitlines()]
    return directory, counted


@pytest.mark.serial
def test_every_switch_that_the_kernel_counts_is_recorded(ping_pong: tuple[Path, list[list[int]]]):
    directory, counted = ping_pong
    rows = read_stream(directory / "sched.npy")
    assert json.loads((directory / "trace.json").read_text())["lost"] == 0
    assert len(counted) == 2
    for tid, from_ns, to_ns, voluntary, involuntary in counted:
        # Each of the two waits for the other in every round, but perhaps the last.
        assert voluntary + involuntary >= ROUNDS - 1
        when = np.ma.getdata(rows["time_ns"])
        within = rows[(when > from_ns) & (when < to_ns) & (np.ma.getdata(rows["tid"]) == tid)]
        off = within[np.ma.getdata(within["kind"]) == SchedKind.OFF]
        assert int((off["preempted"] == 0).sum()) == voluntary
        assert int((off["preempted"] == 1).sum()) == involuntary


@pytest.mark.serial
def test_each_cpu_is_in_order_and_hands_over_from_thread_to_thread(
    ping_pong: tuple[Path, list[list[int]]],
):
    directory, _ = ping_pong
    rows = read_stream(directory / "sched.npy")
    for cpu in np.unique(rows["cpu"]):
        here = rows[np.ma.getdata(rows["cpu"]) == cpu]
        assert (np.diff(np.ma.getdata(here["seq"])) == 1).all()
        assert (np.diff(np.ma.getdata(here["time_ns"])) >= 0).all()
        kinds = np.ma.getdata(here["kind"])
        switches = here[(kinds == SchedKind.OFF) | (kinds == SchedKind.ON)]
        # Recording may have started between an off and its on.
        first = 1 if int(switches["kind"][0]) == SchedKind.ON else 0
        off, on = switches[first::2], switches[first + 1 :: 2]
        assert (np.ma.getdata(off["kind"]) == SchedKind.OFF).all()
        assert (np.ma.getdata(on["kind"]) == SchedKind.ON).all()
        next_tid, tid = np.ma.getdata(off["other_tid"])[: len(on)], np.ma.getdata(on["tid"])
        # Of a thread that is hidden from us (virtual machines have such) others tell: the one that
        # it follows, and the one that follows it.
        hidden = set(np.ma.getdata(on["other_tid"])[next_tid != tid].tolist())
        assert not hidden & set(np.ma.getdata(here["tid"]).tolist())


@pytest.mark.serial
def test_summary_says_what_was_recorded_and_what_cannot_be(
    ping_pong: tuple[Path, list[list[int]]],
):
    directory, counted = ping_pong
    summary = json.loads((directory / "trace.json").read_text())
    rows = read_stream(directory / "sched.npy")
    assert summary["backend"] == "perf"
    assert summary["supplies"] == ["off", "on", "fork", "exit"]
    assert set(np.unique(rows["kind"])) <= {0, 1, 4, 5}
    assert sum(cpu["rows"] for cpu in summary["cpus"]) == len(rows)
    threads = read_stream(directory / "threads.npy")
    for tid, from_ns, _, _, _ in counted:
        mine = threads[np.ma.getdata(threads["tid"]) == tid]
        assert bytes(mine["comm"][-1]).startswith(b"python")
        assert int(mine["from_ns"][0]) < from_ns


def test_trace_is_never_overwritten(tmp_path: Path):
    words = ("--run-dir", tmp_path / "D", "--duration", "1ms")
    assert trace(*words).returncode == 0
    done = trace(*words)
    assert done.returncode == 2
    assert done.stderr.endswith("D: holds a trace; choose another --run-dir\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no --run-dir; name where the trace goes"),
        (["--run-dir", "D", "--ring", "3MiB"], "--ring 3145728 bytes: is no power of two"),
        (["--run-dir", "D", "--backend", "guess"], "--backend guess: not one of: auto perf"),
        (["--run-dir", "D", "more"], 'unexpected word "more"'),
    ],
)
def test_words_that_cannot_be_are_refused(words: list[str], said: str):
    done = trace(*words)
    assert done.returncode == 2
    assert said in done.stderr
