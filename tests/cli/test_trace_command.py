# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""laxity-trace on this machine: what it counts is what the kernel itself counts."""

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.commands import BUILT, CPU, environment
from tests.cli.laxity_command import PATIENCE_S
from tests.waiting import wait_until

from laxity.core.spec import TRACE_BACKENDS
from laxity.core.streams import STREAMS, SchedKind, SwitchesQuantity
from laxity.statistics.distribution import from_buckets
from laxity.store.npy import read_stream

TRACE = BUILT.tools / "native" / "laxity-trace"
ROUNDS = 2000
PING_PONG_TOOL = BUILT.tools / "tests" / "native" / "ping_pong"
# Of what is asked for by default.
SUPPLIES = {
    "bpf": ["off", "on", "wakeup", "migrate", "fork", "exit"],
    "perf": ["off", "on", "fork", "exit"],
    "tracefs": ["off", "on", "wakeup", "migrate", "fork", "exit"],
}
# tracefs does not stamp the end of a switch.
HISTOGRAM_BACKENDS = ("bpf", "perf")
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


def needs_backend(backend: str, *words: str) -> None:
    """Skip the test where the kernel, or this build, has no such back-end."""
    with tempfile.TemporaryDirectory() as scratch:
        done = trace("--run-dir", scratch, "--duration", "1ms", "--backend", backend, *words)
    if done.returncode == 3:
        pytest.skip(f"no back-end here: {done.stderr.strip()}")


@pytest.fixture(scope="module", params=TRACE_BACKENDS)
def ping_pong(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """Record two processes that hand a byte to and fro; give the trace and what they counted."""
    needs_backend(request.param)
    directory = tmp_path_factory.mktemp("traced") / "D"
    read_end, write_end = os.pipe()
    words = [TRACE, "--run-dir", directory, "--avoid", str(CPU), "--backend", request.param]
    recorder = subprocess.Popen(
        [*words, "--ready-fd", str(write_end)],
        pass_fds=[write_end],
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(write_end)
    assert os.read(read_end, 6) == b"ready\n"
    os.close(read_end)
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


@contextmanager
def recorded(directory: Path, *words: str) -> Iterator[None]:
    """Record around the block, from the moment that recording runs."""
    read_end, write_end = os.pipe()
    argv: list[str | Path] = [TRACE, "--run-dir", directory, "--avoid", str(CPU)]
    argv += ["--ready-fd", str(write_end)]
    recorder = subprocess.Popen([*argv, *words], pass_fds=[write_end], stderr=subprocess.DEVNULL)
    os.close(write_end)
    try:
        assert os.read(read_end, 6) == b"ready\n"
        yield
    finally:
        os.close(read_end)
        recorder.send_signal(signal.SIGINT)
        recorder.wait(PATIENCE_S)


def await_growth(stream: Path) -> None:
    before = stream.stat().st_size
    wait_until(lambda: stream.stat().st_size > before, "more records")


def play(rounds: int) -> list[int]:
    """Have two processes hand a byte to and fro; give their thread numbers."""
    words: list[str | Path] = [PING_PONG_TOOL, str(CPU), str(rounds), "1", "0"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    return [int(word) for word in done.stdout.splitlines()[0].split()[1:]]


def net_median_ns(directory: Path) -> int:
    """Take the median of off to on of the players' CPU, less that of the recorder's own share."""
    rows: Any = read_stream(directory / "switches.npy")
    rows = rows[(np.ma.getdata(rows["cpu"]) == CPU) & ~np.ma.getmaskarray(rows["lower_ns"])]
    medians = {}
    for quantity in SwitchesQuantity:
        here = rows[np.ma.getdata(rows["quantity"]) == quantity].data
        found = from_buckets(here["lower_ns"], here["upper_ns"], here["count"])
        medians[quantity] = found.quantile_ns(0.5)
    return medians[SwitchesQuantity.KERNEL] - medians[SwitchesQuantity.EMPTY]


@pytest.mark.serial
def test_every_switch_that_the_kernel_counts_is_recorded(ping_pong: tuple[Path, list[list[int]]]):
    directory, counted = ping_pong
    rows: Any = read_stream(directory / "sched.npy")
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
    rows: Any = read_stream(directory / "sched.npy")
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
        # it follows and, unless it is not told either, the one that follows it.
        is_hidden = next_tid != tid
        before = on[: len(next_tid)][is_hidden[: len(on)]]["other_tid"]
        hidden = {*next_tid[is_hidden].tolist(), *np.ma.compressed(before).tolist()}
        assert not hidden & set(np.ma.getdata(switches["tid"]).tolist())


@pytest.mark.serial
def test_every_thread_goes_off_and_comes_on_in_turn(ping_pong: tuple[Path, list[list[int]]]):
    """Also one that follows a thread which is hidden from us; idle is a thread of every CPU."""
    directory, _ = ping_pong
    summary = json.loads((directory / "trace.json").read_text())
    if summary["backend"] == "tracefs":
        return  # off and on are one record of it: what follows a hidden thread is not told
    rows: Any = read_stream(directory / "sched.npy").data
    # One that has exited has no number any more when it leaves its CPU for good (perf).
    rows = rows[np.isin(rows["kind"], (SchedKind.OFF, SchedKind.ON)) & (rows["tid"] > 0)]
    rows = rows[np.lexsort((rows["seq"], rows["cpu"], rows["time_ns"], rows["tid"]))]
    is_same = rows["tid"][1:] == rows["tid"][:-1]
    assert np.count_nonzero(is_same) > 2 * ROUNDS
    assert (rows["kind"][1:] != rows["kind"][:-1])[is_same].all()


@pytest.mark.serial
def test_summary_says_what_was_recorded_and_what_cannot_be(
    ping_pong: tuple[Path, list[list[int]]],
):
    directory, counted = ping_pong
    summary = json.loads((directory / "trace.json").read_text())
    rows: Any = read_stream(directory / "sched.npy")
    assert summary["supplies"] == SUPPLIES[summary["backend"]]
    assert {SchedKind(kind).name.lower() for kind in np.unique(rows["kind"])} <= set(
        summary["supplies"]
    )
    assert sum(cpu["rows"] for cpu in summary["cpus"]) == len(rows)
    threads: Any = read_stream(directory / "threads.npy")
    for tid, from_ns, _, _, _ in counted:
        mine = threads[np.ma.getdata(threads["tid"]) == tid]
        assert bytes(mine["comm"][-1]).startswith(b"python")
        assert int(mine["from_ns"][0]) < from_ns


@pytest.mark.serial
def test_thread_that_slept_is_woken_before_it_runs(tmp_path: Path):
    needs_backend("bpf")
    words = ("--backend", "bpf", "--kinds", "wakeup,migrate,irq,softirq")
    with recorded(tmp_path / "D", *words):
        players = play(2000)
    summary = json.loads((tmp_path / "D" / "trace.json").read_text())
    assert set(summary["supplies"]) == {kind.name.lower() for kind in SchedKind}
    rows: Any = read_stream(tmp_path / "D" / "sched.npy").data
    here = rows[rows["cpu"] == CPU]
    for player in players:
        mine = here[here["tid"] == player]
        slept = (mine["kind"] == SchedKind.OFF) & (mine["preempted"] == 0)
        # Its last sleep may be its end. Whoever runs on its CPU wakes it: the other player.
        after = mine[1:][slept[:-1]]
        assert len(after) > 100
        assert (after["kind"] == SchedKind.WAKEUP).all()
        assert np.isin(after["other_tid"], players).mean() > 0.9
        assert (after["prev_state_or_vector"] == CPU).all()
    assert rows["time_ns"].min() >= summary["started_ns"]
    assert rows["time_ns"].max() < summary["stopped_ns"]
    softirqs = rows[np.isin(rows["kind"], (SchedKind.SOFTIRQ_IN, SchedKind.SOFTIRQ_OUT))]
    softirqs = softirqs[np.lexsort((softirqs["seq"], softirqs["tid"], softirqs["cpu"]))]
    entries = softirqs[softirqs["kind"] == SchedKind.SOFTIRQ_IN]
    assert len(entries) > 0
    # A thread is in one at a time: begin and end by turns, of the same one.
    before, after = softirqs[:-1], softirqs[1:]
    is_one = (before["cpu"] == after["cpu"]) & (before["tid"] == after["tid"])
    assert (before["kind"] != after["kind"])[is_one].all()
    is_one &= before["kind"] == SchedKind.SOFTIRQ_IN
    vectors = "prev_state_or_vector"
    assert (before[vectors] == after[vectors])[is_one].all()
    # A softirq has one of ten numbers.
    assert set(np.unique(entries["prev_state_or_vector"])) <= set(range(10))


@pytest.mark.serial
@pytest.mark.parametrize(("backend", "ring"), [("bpf", "4KiB"), ("perf", "64KiB")])
def test_what_finds_no_room_is_counted_where_it_was(tmp_path: Path, backend: str, ring: str):
    needs_backend(backend)
    with recorded(tmp_path / "D", "--backend", backend, "--ring", ring):
        play(20_000)
        # Records behind the gap are written at the second time at the latest.
        await_growth(tmp_path / "D" / "sched.npy")
        await_growth(tmp_path / "D" / "sched.npy")
    summary = json.loads((tmp_path / "D" / "trace.json").read_text())
    rows: Any = read_stream(tmp_path / "D" / "sched.npy").data
    here = rows[rows["cpu"] == CPU]
    counted = next(cpu for cpu in summary["cpus"] if cpu["cpu"] == CPU)
    assert counted["rows"] == len(here)
    # 40,000 switches of two records, and room for 4096 / 32 = 128 or 65536 / 40 = 1638.
    assert counted["lost"] > 10_000
    missing = int(here["seq"][-1]) + 1 - len(here)
    assert 0 < missing <= counted["lost"]
    assert (np.diff(here["time_ns"]) >= 0).all()


@pytest.mark.serial
@pytest.mark.parametrize("backend", HISTOGRAM_BACKENDS)
def test_histogram_counts_every_switch_and_what_measuring_takes(tmp_path: Path, backend: str):
    needs_backend(backend, "--switch-histogram")
    with recorded(tmp_path / "D", "--backend", backend, "--switch-histogram"):
        play(5000)
    summary = json.loads((tmp_path / "D" / "trace.json").read_text())
    assert summary["backend"] == backend
    assert (summary["supplies"], summary["lost"]) == ([], 0)
    assert not (tmp_path / "D" / "sched.npy").exists()
    rows: Any = read_stream(tmp_path / "D" / "switches.npy")
    assert [*rows.dtype.names] == [field.name for field in STREAMS["switches"]]
    assert [rows.dtype[name].str[1:] for name in rows.dtype.names] == [
        field.kind for field in STREAMS["switches"]
    ]
    for cpu in summary["cpus"]:
        here = rows[np.ma.getdata(rows["cpu"]) == cpu["cpu"]]
        kernel = here[np.ma.getdata(here["quantity"]) == SwitchesQuantity.KERNEL]
        assert int(np.ma.getdata(kernel["count"]).sum()) == cpu["rows"]
        # A back-end's own share is part of each duration: what is shorter has not been measured.
        empty = here[np.ma.getdata(here["quantity"]) == SwitchesQuantity.EMPTY]
        assert int(np.ma.getdata(empty["count"]).sum()) > 1000
        assert int(empty["lower_ns"].min()) < int(kernel["lower_ns"].min())
    # Two switches per round at least, by what the kernel counts of the two players.
    assert next(cpu["rows"] for cpu in summary["cpus"] if cpu["cpu"] == CPU) >= 10_000


@pytest.mark.serial
@pytest.mark.slow
def test_backends_agree_on_how_long_a_switch_takes(tmp_path: Path):
    """Medians, less what measuring takes, within 30 %; alternating, for the machine drifts."""
    for backend in HISTOGRAM_BACKENDS:
        needs_backend(backend, "--switch-histogram")
    net_ns: dict[str, list[int]] = {backend: [] for backend in HISTOGRAM_BACKENDS}
    for number in range(6):
        for backend, medians in net_ns.items():
            directory = tmp_path / f"{backend}{number}"
            with recorded(directory, "--backend", backend, "--switch-histogram"):
                play(5000)
            medians.append(net_median_ns(directory))
    ratio = statistics.median(net_ns["bpf"]) / statistics.median(net_ns["perf"])
    assert 0.7 < ratio < 1.3, net_ns


@pytest.mark.parametrize(
    ("words", "used"),
    [
        (("--kinds", "switch"), "perf"),
        (("--switch-histogram",), "perf"),
        (("--kinds", "switch,wakeup"), "tracefs"),
        ((), "tracefs"),
    ],
)
def test_without_bpf_the_question_decides_what_is_used(
    tmp_path: Path, words: tuple[str, ...], used: str
):
    """Wake-ups and interrupts, which perf does not know, are asked for unless said otherwise."""
    needs_backend("perf")
    needs_backend("tracefs")
    # Without the kernel's types bpf refuses.
    hidden = 'mount -t tmpfs tmpfs /sys/kernel/btf; exec "$@"'
    recorder = [str(TRACE), "--run-dir", str(tmp_path), "--duration", "20ms", *words]
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", hidden, "sh", *recorder],
        capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    if "unshare" in done.stderr:
        pytest.skip("needs permission to make a namespace")
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "trace.json").read_text())
    assert summary["backend"] == used
    assert [one["used"] for one in summary["fallbacks"]] == [used]
    assert summary["fallbacks"][0]["reason"].startswith("bpf: ")


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
        (
            ["--run-dir", "D", "--backend", "guess"],
            "--backend guess: not one of: auto bpf perf tracefs",
        ),
        (
            ["--run-dir", "D", "--kinds", "switch,nmi"],
            '--kinds switch,nmi: "nmi" is unknown; choose of switch, wakeup, migrate, irq, softirq',
        ),
        (["--run-dir", "D", "more"], 'unexpected word "more"'),
    ],
)
def test_words_that_cannot_be_are_refused(words: list[str], said: str):
    done = trace(*words)
    assert done.returncode == 2
    assert said in done.stderr
