# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""laxity-trace --backend tracefs: what it alone supplies, and that its instance never stays."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.cli.commands import BUILT, CPU
from tests.cli.laxity_command import PATIENCE_S

from laxity.core.streams import SchedKind
from laxity.store.npy import read_stream
from laxity.trace.instances import DIRECTORY, left_instances

TRACE = BUILT.tools / "native" / "laxity-trace"
PING_PONG_TOOL = BUILT.tools / "tests" / "native" / "ping_pong"
JOURNAL = Path(DIRECTORY)
MOUNTED = Path("/sys/kernel/tracing/instances")
EVERYTHING = ("--kinds", "wakeup,migrate,irq,softirq")

# Some kernels tell tracefs of no switch from the idle thread: a second program keeps the CPU busy.
PINNED = f"import os, time\nos.sched_setaffinity(0, {{{CPU}}})\n"
SLEEPS = "for _ in range(50): time.sleep(1e-3)"

pytestmark = pytest.mark.serial


def trace(*words: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [TRACE, *words], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )


def start_recorder(directory: Path, *words: str) -> "subprocess.Popen[str]":
    """Start a recorder; it runs when this returns."""
    ready_read, ready_write = os.pipe()
    recorder = subprocess.Popen(
        [TRACE, "--run-dir", directory, "--ready-fd", str(ready_write), *words],
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=[ready_write],
    )
    os.close(ready_write)
    with os.fdopen(ready_read, "rb") as ready:
        assert ready.read() == b"ready\n"
    return recorder


@pytest.fixture(autouse=True)
def _needs_tracefs(tmp_path: Path) -> None:
    words = ("--run-dir", tmp_path / "tried", "--duration", "1ms", "--backend", "tracefs")
    if trace(*words).returncode == 3:
        pytest.skip("needs permission to trace the scheduler")


def instances() -> set[str]:
    """The instances that stand in the journal: those of others run beside the tests."""
    return {path.name for path in JOURNAL.glob("laxity-*")}


def test_wake_up_comes_before_its_thread_and_interrupts_come_in_pairs(tmp_path: Path):
    recorder = start_recorder(tmp_path / "D", "--backend", "tracefs", *EVERYTHING)
    # A sleep is ended by a timer: an interrupt, and within it a wake-up.
    with subprocess.Popen([sys.executable, "-c", f"{PINNED}while True: pass"]) as busy:
        sleeper = subprocess.Popen([sys.executable, "-c", PINNED + SLEEPS])
        assert sleeper.wait(PATIENCE_S) == 0
        busy.kill()
    recorder.send_signal(signal.SIGINT)
    recorder.communicate(timeout=PATIENCE_S)
    rows = np.ma.getdata(read_stream(tmp_path / "D" / "sched.npy"))
    rows = rows[np.lexsort((rows["seq"], rows["cpu"], rows["time_ns"]))]
    mine = rows[rows["tid"] == sleeper.pid]
    when = {kind: mine["time_ns"][mine["kind"] == kind] for kind in SchedKind}
    asleep = mine[(mine["kind"] == SchedKind.OFF) & (mine["preempted"] == 0)]["time_ns"]
    assert len(asleep) >= 50
    n_told = 0
    for off_ns in asleep:
        on = when[SchedKind.ON][when[SchedKind.ON] >= off_ns]
        woken = when[SchedKind.WAKEUP][when[SchedKind.WAKEUP] >= off_ns]
        if len(on) and len(woken):
            assert woken[0] <= on[0]
            n_told += 1
    assert n_told >= 50
    for cpu in np.unique(rows["cpu"]):
        here = rows[rows["cpu"] == cpu]
        for begin, end in (
            (SchedKind.IRQ_IN, SchedKind.IRQ_OUT),
            (SchedKind.SOFTIRQ_IN, SchedKind.SOFTIRQ_OUT),
        ):
            depth = np.cumsum((here["kind"] == begin).astype(int) - (here["kind"] == end))
            # Recording may begin and end within one.
            assert depth.min() >= -1
            assert depth[-1] in {-1, 0, 1}
    summary = json.loads((tmp_path / "D" / "trace.json").read_text())
    assert summary["supplies"] == [kind.name.lower() for kind in SchedKind]
    names = summary["vectors"]
    numbers = rows["prev_state_or_vector"][rows["kind"] == SchedKind.IRQ_IN]
    assert set(numbers.tolist()) == {one["number"] for one in names}
    assert all(one["name"] for one in names)


def test_what_finds_no_room_is_counted_as_lost(tmp_path: Path):
    # 256 KiB hold less than 4000 switches; while the recorder is stopped, nobody empties them.
    words = ("--backend", "tracefs", "--ring", "256KiB", "--avoid", str(CPU))
    recorder = start_recorder(tmp_path / "D", *words)
    recorder.send_signal(signal.SIGSTOP)
    subprocess.run(
        [PING_PONG_TOOL, str(CPU), "4000", "1", "0"], timeout=PATIENCE_S, check=True,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    recorder.send_signal(signal.SIGCONT)
    recorder.send_signal(signal.SIGINT)
    recorder.communicate(timeout=PATIENCE_S)
    summary = json.loads((tmp_path / "D" / "trace.json").read_text())
    (cpu,) = [one for one in summary["cpus"] if one["cpu"] == CPU]
    assert cpu["lost"] > 0
    rows = read_stream(tmp_path / "D" / "sched.npy")
    numbers = np.sort(np.ma.getdata(rows["seq"])[np.ma.getdata(rows["cpu"]) == CPU])
    assert int((np.diff(numbers) - 1).sum()) <= cpu["lost"]
    assert len(numbers) == cpu["rows"]


def test_instance_is_gone_when_its_recorder_has_ended(tmp_path: Path):
    recorder = start_recorder(tmp_path / "D", "--backend", "tracefs")
    mine = f"laxity-{recorder.pid}-"
    assert [name for name in instances() if name.startswith(mine)]
    recorder.terminate()
    recorder.communicate(timeout=PATIENCE_S)
    assert not [name for name in instances() if name.startswith(mine)]


@pytest.mark.parametrize("who", ["recorder", "clean-up"])
def test_next_recorder_removes_the_instance_of_one_that_was_killed(tmp_path: Path, who: str):
    recorder = start_recorder(tmp_path / "D", "--backend", "tracefs")
    (name,) = [name for name in instances() if name.startswith(f"laxity-{recorder.pid}-")]
    recorder.kill()
    recorder.communicate(timeout=PATIENCE_S)
    assert name in left_instances()
    if who == "recorder":
        words = ("--run-dir", tmp_path / "E", "--duration", "1ms", "--backend", "tracefs")
        assert trace(*words).returncode == 0
    else:
        done = trace("--remove-left")
        assert done.returncode == 0
        assert f"removed the tracefs instance {name}, which a killed" in done.stdout
    assert name not in instances()
    # Where tracefs is mounted, the kernel's own word for it.
    assert not (MOUNTED / name).exists()
