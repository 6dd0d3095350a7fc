# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Counters of whole CPUs, read by interrupts: laxity-trace --event, laxity observe --events."""

import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.commands import BUILT, CPU, Outcome, environment, laxity
from tests.cli.laxity_command import PATIENCE_S
from tests.cli.test_traced_runs import may_trace  # noqa: F401 - a fixture
from tests.export.perfetto_reader import decode

from laxity.core.streams import SchedKind
from laxity.store.npy import read_stream
from laxity.store.run_directory import open_run

TRACE = BUILT.tools / "native" / "laxity-trace"
MS = 1_000_000
PAGES = 1000
NOBODY = 65534
# Touches pages that it has not touched before, on one CPU, then runs on until it is told to end.
# Prints its thread, and when it began and had touched them all; pages of 4 KiB, not huge ones.
TOUCH = f"""
import mmap, os, sys, time
os.sched_setaffinity(0, {{int(sys.argv[1])}})
pages = mmap.mmap(-1, {PAGES} * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
pages.madvise(mmap.MADV_NOHUGEPAGE)
sys.stdin.readline()
begun = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
for page in range({PAGES}):
    pages[page * mmap.PAGESIZE] = 1
touched = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
while time.clock_gettime_ns(time.CLOCK_MONOTONIC) < touched + 200_000_000:
    pass
print(os.getpid(), begun, touched, flush=True)
sys.stdin.readline()
"""


@dataclass(frozen=True)
class Touched:
    """What the program says."""

    tid: int
    begun_ns: int
    touched_ns: int


@contextmanager
def toucher() -> "Iterator[subprocess.Popen[str]]":
    process = subprocess.Popen(
        [sys.executable, "-c", TOUCH, str(CPU)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def touch(process: "subprocess.Popen[str]") -> Touched:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    return Touched(*(int(word) for word in process.stdout.readline().split()))


def trace(*words: str | Path, prefix: tuple[str, ...] = ()) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*prefix, TRACE, *words], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )


def touch_while_sampled(directory: Path, *words: str) -> Touched:
    """Record around a program that touches pages."""
    read_end, write_end = os.pipe()
    argv: list[str | Path] = [TRACE, "--run-dir", directory, "--ready-fd", str(write_end), *words]
    with toucher() as program:
        recorder = subprocess.Popen(argv, pass_fds=[write_end], stderr=subprocess.PIPE, text=True)
        os.close(write_end)
        is_ready = os.read(read_end, 6) == b"ready\n"
        os.close(read_end)
        if not is_ready:
            _, said = recorder.communicate(timeout=PATIENCE_S)
            if recorder.returncode == 3:
                pytest.skip("needs permission to trace the scheduler")
            pytest.fail(said)
        touched = touch(program)
        recorder.send_signal(signal.SIGINT)
        recorder.communicate(timeout=PATIENCE_S)
    return touched


def samples_of(directory: Path, event: int) -> Any:  # noqa: ANN401 - columns have types that mypy does not know
    """Rows of one event on the CPU of the program, in order of time."""
    rows: Any = np.ma.getdata(read_stream(directory / "counters.npy"))
    rows = rows[(rows["event"] == event) & (rows["cpu"] == CPU)]
    assert np.all(np.diff(rows["time_ns"]) > 0)
    return rows


def counted_around(rows: "np.ndarray[Any, Any]", begun_ns: int, ended_ns: int) -> int:
    """Return how much was counted from the last sample before to the first one after."""
    before = rows[rows["time_ns"] <= begun_ns]
    after = rows[rows["time_ns"] >= ended_ns][0]
    # It is counted from t0 on, which a loaded machine may have just left behind.
    return int(after["value"] - (before[-1]["value"] if before.size else 0))


def test_page_faults_of_a_program_lie_between_the_samples_around_them(tmp_path: Path):
    words = ("--event", "context-switches", "--event", "page-faults", "--sample-every", "1ms")
    touched = touch_while_sampled(tmp_path / "D", *words)
    rows = samples_of(tmp_path / "D", 1)
    assert counted_around(rows, touched.begun_ns, touched.touched_ns) >= PAGES
    # In the 200 ms after them it touches nothing more, and it runs in most of them.
    later = rows[rows["time_ns"] > touched.touched_ns]
    assert touched.tid in later["tid"]
    document = json.loads((tmp_path / "D" / "trace.json").read_text())
    assert [one["name"] for one in document["events"]] == ["context-switches", "page-faults"]
    sampling = document["sampling"]
    assert (sampling["every_ns"], sampling["every_count"]) == (MS, None)
    table: Any = read_stream(tmp_path / "D" / "counters.npy")
    # What came before every CPU was watched, or after the end, has no row.
    assert 0 < len(table) <= 2 * sum(one["samples"] for one in sampling["cpus"])
    assert np.ma.getmaskarray(table["task"]).all()
    assert (table["scale_ratio"] == 1).all()
    assert sum(one["lost"] + one["throttled"] for one in sampling["cpus"]) == 0


def test_sampled_thread_is_the_one_that_the_switches_put_there(tmp_path: Path):
    touch_while_sampled(tmp_path / "D", "--event", "page-faults", "--sample-every", "1ms")
    rows = samples_of(tmp_path / "D", 0)
    sched: Any = np.ma.getdata(read_stream(tmp_path / "D" / "sched.npy"))
    comes = sched[(sched["cpu"] == CPU) & (sched["kind"] == SchedKind.ON)]
    place = np.searchsorted(comes["time_ns"], rows["time_ns"], side="right") - 1
    known = place >= 0
    on_it = comes["tid"][place[known]] == rows["tid"][known]
    # A sample within a switch, and threads that a virtual machine hides, are the exceptions; by
    # chance, or on another clock, far fewer would agree.
    assert known.sum() > 50
    assert on_it.mean() > 0.8


def test_event_that_comes_often_enough_interrupts_by_itself(tmp_path: Path):
    touched = touch_while_sampled(
        tmp_path / "D", "--event", "page-faults", "--event", "cpu-clock", "--sample-overflow", "100"
    )
    rows = samples_of(tmp_path / "D", 0)
    # Each is the next hundred.
    assert (np.diff(rows["value"]) == 100).all()
    is_within = (rows["time_ns"] >= touched.begun_ns) & (rows["time_ns"] <= touched.touched_ns)
    # 1000 faults have ten hundreds in them; nine of them if one lies at an end.
    assert np.count_nonzero(is_within & (rows["tid"] == touched.tid)) >= PAGES / 100 - 1
    clock = samples_of(tmp_path / "D", 1)
    assert (clock["time_ns"] == rows["time_ns"]).all()
    sampling = json.loads((tmp_path / "D" / "trace.json").read_text())["sampling"]
    assert (sampling["every_ns"], sampling["every_count"]) == (None, 100)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--event", "page-fault"), "did you mean page-faults?"),
        (("--sample-every", "1ms"), "no event to sample; add --event NAME"),
        (("--sampling-cost",), "no event to sample; add --event NAME"),
        (
            ("--event", "page-faults", "--sample-every", "1ms", "--sample-overflow", "5"),
            "choose one",
        ),
        (("--event", "page-faults", "--switch-histogram"), "leave --switch-histogram"),
        (("--event", "page-faults", "--keep-last", "1s"), "leave --switch-histogram"),
        (("--event", "page-faults", "--sample-every", "19us"), "--sample-every"),
    ],
)
def test_what_cannot_be_sampled_so_is_refused(words: tuple[str, ...], said: str, tmp_path: Path):
    done = trace("--run-dir", tmp_path / "D", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert not (tmp_path / "D").exists()


def test_event_that_nothing_here_counts_is_told_and_the_others_are_sampled(tmp_path: Path):
    touch_while_sampled(tmp_path / "D", "--event", "llc_writeback", "--event", "page-faults")
    document = json.loads((tmp_path / "D" / "trace.json").read_text())
    assert document["events"][0] == {"name": "llc_writeback", "platform_event": None}
    (fallback,) = [one for one in document["fallbacks"] if one["what"] == "events"]
    assert fallback["used"] == "no samples"
    assert fallback["reason"].startswith("llc_writeback: ")
    rows: Any = read_stream(tmp_path / "D" / "counters.npy")
    assert set(rows["event"].tolist()) == {1}


def test_without_any_event_that_can_be_counted_nothing_is_recorded(tmp_path: Path):
    done = trace("--run-dir", tmp_path / "D", "--event", "llc_writeback", "--duration", "10ms")
    assert done.returncode == 3
    assert not (tmp_path / "D").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_without_permission_the_remedy_is_told():
    for words in (("--sampling-cost",), ("--run-dir", "/absent", "--duration", "1ms")):
        done = trace("--event", "page-faults", *words, prefix=("setpriv", f"--reuid={NOBODY}",
                     f"--regid={NOBODY}", "--clear-groups"))  # fmt: skip
        assert done.returncode == 3
        assert "run as root" in done.stderr


def test_cost_of_a_sample_is_told_in_pairs_of_the_same_work():
    done = trace("--sampling-cost", "--event", "page-faults")
    if done.returncode == 3:
        pytest.skip("needs permission to trace the scheduler")
    pairs = json.loads(done.stdout)
    assert all(one["samples"] > 0 and one["without_ns"] > 0 for one in pairs)
    assert all(set(one) == {"without_ns", "with_ns", "samples"} for one in pairs)


def observe(directory: Path, *words: str | int) -> Outcome:
    return laxity("observe", *map(str, words), "--run-dir", directory, "--quiet")


@pytest.mark.serial
@pytest.mark.usefixtures("may_trace")
def test_observed_run_has_samples_their_cost_and_tracks_of_them(tmp_path: Path):
    with toucher() as program:
        touch(program)
        outcome = observe(
            tmp_path / "D", program.pid, "--events", "page-faults,cpu-clock",
            "--sample-every", "2ms", "--duration", "300ms",
        )  # fmt: skip
    # The program sleeps: whatever its jobs are, what was sampled is there.
    assert outcome.code in {0, 4}, outcome.err
    run = open_run(tmp_path / "D")
    assert run.verify() == []
    sampling = run.manifest.sampling
    assert sampling is not None
    assert sampling.interrupts is not None
    assert sampling.bucket_ns == 2 * MS
    assert [one.platform_event is not None for one in run.manifest.events] == [True, True]
    assert sampling.samples == sum(one.samples for one in sampling.interrupts.cpus) > 0
    assert sampling.interrupts.cost is not None
    assert "read every 2 ms by a timer's interrupt" in outcome.out
    assert "a sample takes" in outcome.out
    assert "Rates of CPU" in (tmp_path / "D" / "report.html").read_text()
    rows: Any = run.stream("counters")
    assert len(rows) > 0
    exported = laxity("export", "perfetto", str(tmp_path / "D"), "-o", str(tmp_path / "trace"))
    assert exported.code == 0, exported.err
    decoded = decode((tmp_path / "trace").read_bytes())
    for cpu in set(rows["cpu"].tolist()):
        clock = decoded.track("cpu-clock since t0", f"counters of CPU {cpu}")
        mine = rows[(rows["cpu"] == cpu) & (rows["event"] == 1)]
        assert [time_ns for time_ns, _ in clock.counts] == mine["time_ns"].tolist()


def test_a_highest_overhead_makes_samples_rarer_by_what_one_takes(tmp_path: Path):
    with toucher() as program:
        touch(program)
        outcome = observe(
            tmp_path / "D", program.pid, "--events", "page-faults", "--sample-every", "50us",
            "--max-overhead", "1%", "--duration", "100ms",
        )  # fmt: skip
    assert outcome.code in {0, 4}, outcome.err
    sampling = open_run(tmp_path / "D").manifest.sampling
    assert sampling is not None
    assert sampling.interrupts is not None
    cost = sampling.interrupts.cost
    assert cost is not None
    # 1 % of 50 us are 0.5 us, less than any interrupt takes; where noise hides it, nothing changes.
    least_ns = 0 if cost.high_ns is None else math.ceil(cost.high_ns / 0.01)
    assert sampling.bucket_ns == max(50_000, least_ns)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--max-overhead", "1%"), 2, "no timer reads events"),
        (("--events", "page-faults", "--max-overhead", "1"), 2, "write 1%"),
        (("--events", "page-faults,page-faults"), 2, "stands there twice"),
        (("--events", "page-faults", "--sample-every", "1us"), 2, "write 20us to 1h"),
        (("--sample-overflow", "5"), 2, "name some with --events"),
        (("--events", "page-faultz"), 2, "did you mean page-faults?"),
    ],
)
@pytest.mark.usefixtures("may_trace")
def test_observe_refuses_what_cannot_be_sampled(
    words: tuple[str, ...], code: int, said: str, tmp_path: Path
):
    outcome = observe(tmp_path / "D", os.getpid(), *words, "--duration", "10ms")
    assert outcome.code == code
    assert said in outcome.err
    assert not (tmp_path / "D").exists()
    assert not (tmp_path / "D.tmp").exists()
