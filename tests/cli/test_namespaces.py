# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""laxity-trace in PID and time namespaces: a thread has its own rows, or the reason is named."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.cli.commands import BUILT, LAXITY, environment, needs_fifo
from tests.cli.laxity_command import PATIENCE_S

from laxity.core.spec import TRACE_BACKENDS
from laxity.core.streams import SchedKind, absent_value
from laxity.store.npy import read_stream

TRACE = BUILT.tools / "native" / "laxity-trace"
N_SLEEPS = 30
# Records itself while it sleeps N_SLEEPS times.
INSIDE = f"""
import json, os, subprocess, sys, time
ready_read, ready_write = os.pipe()
words = sys.argv[1:] + ["--ready-fd", str(ready_write)]
recorder = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, pass_fds=[ready_write])
os.close(ready_write)
is_ready = os.read(ready_read, 6) == b"ready\\n"
begin = time.monotonic_ns()
for _ in range({N_SLEEPS} if is_ready else 0):
    time.sleep(1e-3)
end = time.monotonic_ns()
recorder.terminate() if is_ready else None
said = recorder.communicate()[1]
print(json.dumps([os.getpid(), begin, end, recorder.returncode, said]))
"""
OWN_PIDS = ("--pid", "--fork", "--mount-proc")
OTHER_PROC = ("--pid", "--fork")
OWN_CLOCK = ("--time", "--fork", "--monotonic", "1000000")
OWN_BOOT = ("--time", "--fork", "--boottime", "1000000")
NUMBERS = "this container has thread numbers of its own, and "
PROC = "/proc shows the thread numbers of another PID namespace; mount its own"

pytestmark = pytest.mark.serial


def refused(words: list[str]) -> bool:
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        env=environment(),
    )
    return done.returncode != 0


@pytest.mark.parametrize("backend", TRACE_BACKENDS)
@pytest.mark.parametrize(
    ("space", "refusals"),
    [
        ((), {}),
        (OWN_PIDS, {"bpf": f"bpf: {NUMBERS}", "tracefs": f"tracefs: {NUMBERS}"}),
        (OTHER_PROC, {"bpf": PROC, "tracefs": PROC, "perf": PROC}),
        (OWN_CLOCK, {}),
        (OWN_BOOT, {"tracefs": "tracefs: this time namespace moves the boot time"}),
        (OWN_PIDS + OWN_CLOCK, {"bpf": f"bpf: {NUMBERS}", "tracefs": f"tracefs: {NUMBERS}"}),
    ],
    ids=["none", "pid", "pid with another's proc", "monotonic", "boottime", "pid and monotonic"],
)
def test_thread_has_its_own_rows_or_the_reason_is_named(
    tmp_path: Path, backend: str, space: tuple[str, ...], refusals: dict[str, str]
):
    """In a PID namespace tracefs gave the rows of the machine's thread of that number."""
    if refused([str(TRACE), "--run-dir", str(tmp_path / "tried"), "--duration", "1ms",
                "--backend", backend]):  # fmt: skip
        pytest.skip(f"needs permission to trace the scheduler by {backend}")
    unshare = ["unshare", "--mount", *space]
    if refused([*unshare, "true"]):
        pytest.skip("needs permission to make a namespace")
    words = [str(TRACE), "--backend", backend, "--run-dir", str(tmp_path / "D")]
    done = subprocess.run(
        [*unshare, sys.executable, "-c", INSIDE, *words],
        capture_output=True, text=True, timeout=PATIENCE_S, check=True,
    )  # fmt: skip
    pid, begin_ns, end_ns, code, said = json.loads(done.stdout)
    if expected := refusals.get(backend):
        assert code == 3
        assert said.startswith(f"laxity-trace: {expected}")
        return
    assert code == 130, said  # ended by SIGTERM, which keeps the trace
    rows = np.ma.getdata(read_stream(tmp_path / "D" / "sched.npy"))
    is_off = (rows["tid"] == pid) & (rows["kind"] == SchedKind.OFF) & (rows["preempted"] == 0)
    times_ns = rows["time_ns"][is_off]
    # A sleep is one switch, on the clock that the program reads; few others are in between.
    n_within = np.count_nonzero((times_ns >= begin_ns) & (times_ns <= end_ns))
    assert N_SLEEPS <= n_within <= N_SLEEPS + 3
    names = np.ma.getdata(read_stream(tmp_path / "D" / "threads.npy"))
    assert set(names["comm"][names["tid"] == pid].tolist()) <= {b"python3", b"python"}
    summary = json.loads((tmp_path / "D" / "trace.json").read_text())
    is_inside = "--pid" in space
    assert summary["has_hidden_threads"] == is_inside
    # Idle CPUs have number 0, and in a PID namespace all that is outside it: neither has a number.
    numbers = set(rows["tid"].tolist()) | set(rows["other_tid"].tolist())
    assert not (is_inside and 0 in numbers)
    assert absent_value("i4") in numbers or not is_inside


@needs_fifo
def test_records_of_a_switch_are_found_on_the_clock_of_a_time_namespace(tmp_path: Path):
    """No record lay between two readings of that clock: "the kernel recorded no preemption"."""
    words = ["measure", "switch", "--quantity", "kernel", "--repetitions", "20", "--no-report"]
    directory = str(tmp_path / "D")
    if refused([*LAXITY, *words, "--run-dir", str(tmp_path / "tried")]):
        pytest.skip("needs permission to trace the scheduler")
    unshare = ["unshare", "--mount", *OWN_CLOCK]
    if refused([*unshare, "true"]):
        pytest.skip("needs permission to make a namespace")
    done = subprocess.run(
        [*unshare, *LAXITY, *words, "--run-dir", directory],
        capture_output=True, text=True, timeout=PATIENCE_S, check=False, env=environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "switch_kernel: not measured" not in done.stdout


def test_in_a_namespace_nobody_removes_the_instances_of_others():
    """Their names hold numbers of the machine, so a recorder that lived looked like a dead one."""
    if refused(["unshare", "--mount", *OWN_PIDS, "true"]):
        pytest.skip("needs permission to make a namespace")
    journal = Path("/run/laxity/instances")
    left = journal / "laxity-999999999-1"
    try:
        journal.mkdir(parents=True, exist_ok=True)
        left.touch()
    except OSError:
        pytest.skip("needs root")
    try:
        words = [str(TRACE), "--remove-left"]
        subprocess.run(["unshare", "--mount", *OWN_PIDS, *words], check=True, timeout=PATIENCE_S)
        assert left.exists()
        subprocess.run(words, check=True, timeout=PATIENCE_S)
        assert not left.exists()
    finally:
        left.unlink(missing_ok=True)
