#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What each back-end of laxity-trace adds to a context switch, beside `perf record`.

Two processes at SCHED_FIFO hand a byte to and fro on one CPU, as fast as pipes go. All settings run
in turn, round by round, because the state of a machine drifts by more than the difference looked
for. bench/README.md says how to read the tables. Needs root, perf (Debian: linux-perf) and the test
programs (ninja -C build).
"""

import json
import os
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import click
import numpy as np
from bench.common import ROOT

from laxity.core.streams import SchedKind, SwitchesQuantity
from laxity.statistics.distribution import from_buckets
from laxity.store.npy import read_stream

TRACE = ROOT / "build" / "native" / "laxity-trace"
PING_PONG = ROOT / "build" / "tests" / "native" / "ping_pong"
PATIENCE_S = 120
VECTORS = Path("/sys/kernel/tracing/events/irq_vectors")
SWITCH = "sched:sched_switch"
WAKEUPS = f"{SWITCH},sched:sched_wakeup,sched:sched_wakeup_new,sched:sched_migrate_task"
EVENTS = f"{WAKEUPS},irq:irq_handler_entry,irq:irq_handler_exit,irq:softirq_entry,irq:softirq_exit"
# What else our back-end "tracefs" records; the tracepoints of the CPU's own vectors are looked up.
THREADS = "sched:sched_process_exit,task:task_newtask,task:task_rename"
ALL_KINDS = "switch,wakeup,migrate,irq,softirq"


def _perf(events: str) -> Sequence[str]:
    return ("perf", "record", "-a", "-m", "16M", "-D", "-1", "-e", events)


def _vectors() -> Sequence[str]:
    """Name the tracepoints of the CPU's own vectors, without irq_work, which perf refuses."""
    names = sorted(path.name for path in VECTORS.glob("*_e*t*"))
    return [
        f"irq_vectors:{name}"
        for name in names
        if name.endswith(("_entry", "_exit")) and not name.startswith("irq_work")
    ]


OFF = "off"
PERF_SWITCH = "perf record: switch"
# What a setting is compared with, in the same round.
PEERS: Mapping[str, str] = {
    "bpf: histogram": PERF_SWITCH,
    "bpf: switch": PERF_SWITCH,
    "perf: switch": PERF_SWITCH,
    "bpf: + wakeup, migrate": "perf record: + wakeup, migrate",
    "bpf: + irq, softirq": "perf record: + irq, softirq",
    "tracefs: all": "perf record: all of tracefs",
}
SETTINGS: Mapping[str, Sequence[str]] = {
    OFF: (),
    "bpf: histogram": (str(TRACE), "--backend", "bpf", "--switch-histogram"),
    "bpf: switch": (str(TRACE), "--backend", "bpf", "--kinds", "switch"),
    "perf: switch": (str(TRACE), "--backend", "perf"),
    PERF_SWITCH: _perf(SWITCH),
    "bpf: + wakeup, migrate": (str(TRACE), "--backend", "bpf"),
    "perf record: + wakeup, migrate": _perf(WAKEUPS),
    "bpf: + irq, softirq": (str(TRACE), "--backend", "bpf", "--kinds", ALL_KINDS),
    "perf record: + irq, softirq": _perf(EVENTS),
    "tracefs: all": (str(TRACE), "--backend", "tracefs", "--kinds", ALL_KINDS),
    "perf record: all of tracefs": _perf(",".join((EVENTS, THREADS, *_vectors()))),
}


@dataclass(slots=True)
class Result:
    """What was seen of one setting, over all rounds.

    Attributes:
        block_ns: ns per switch, one value per block.
        cost_ns: Median of a round's blocks less that of the round's `off`, one value per round.
        switches: Switches that the kernel counted of the two processes.
        recorded: Switches that the recorder has: of the two processes, or in a histogram of the
            whole CPU; None where it was not asked.
        lost: Records that the recorder counted as lost; None where it was not asked.
    """

    block_ns: list[float] = field(default_factory=list)
    cost_ns: list[float] = field(default_factory=list)
    switches: int = 0
    recorded: int | None = None
    lost: int | None = None


@contextmanager
def recorder(words: Sequence[str], scratch: Path, cpu: int) -> Iterator[None]:
    """Run a recorder around the block, on other CPUs and at nice 10; nothing for no words."""
    if not words:
        yield
        return
    run = _perf_record if words[0] == "perf" else _laxity_trace
    with run(words, scratch, cpu):
        yield


@contextmanager
def _laxity_trace(words: Sequence[str], scratch: Path, cpu: int) -> Iterator[None]:
    read_end, write_end = os.pipe()
    command = [*words, "--run-dir", str(scratch / "D"), "--avoid", str(cpu)]
    command += ["--ready-fd", str(write_end)]
    process = subprocess.Popen(command, pass_fds=[write_end], stderr=subprocess.DEVNULL)
    os.close(write_end)
    os.read(read_end, 6)
    os.close(read_end)
    try:
        yield
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE_S)


@contextmanager
def _perf_record(words: Sequence[str], scratch: Path, cpu: int) -> Iterator[None]:
    """Run perf around the block; what it says at its end stands in `perf.log`.

    Raises:
        click.ClickException: It did not begin; its words are in the message.
    """
    others = ",".join(str(one) for one in sorted(os.sched_getaffinity(0) - {cpu})) or str(cpu)
    control_read, control_write = os.pipe()
    answer_read, answer_write = os.pipe()
    log = scratch / "perf.log"
    command = [*shlex.split(f"taskset -c {others} nice -n 10"), *words]
    command += ["-o", str(scratch / "perf.data"), "--control", f"fd:{control_read},{answer_write}"]
    with log.open("wb") as said:
        process = subprocess.Popen(
            command, stderr=said, stdout=said, pass_fds=[control_read, answer_write]
        )
    os.close(control_read)
    os.close(answer_write)
    os.write(control_write, b"enable\n")
    with os.fdopen(answer_read, "rb", buffering=0) as answer:
        if not answer.read(len(b"ack\n")):
            process.wait(PATIENCE_S)
            msg = f"perf record: {log.read_text().strip()}"
            raise click.ClickException(msg)
    try:
        yield
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE_S)
        os.close(control_write)


def play(cpu: int, plan: tuple[int, int, int]) -> tuple[list[int], list[tuple[int, int]]]:
    """Hand the byte to and fro.

    Args:
        cpu: Where.
        plan: Rounds per block, blocks, priority.

    Returns:
        Thread numbers of the two; ns and switches of each block.
    """
    words = [str(word) for word in (PING_PONG, cpu, *plan)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    players, *blocks = (line.split() for line in done.stdout.splitlines())
    return (
        [int(tid) for tid in players[1:]],
        [(int(took_ns), int(switches)) for took_ns, switches in blocks],
    )


def read_counts(directory: Path, cpu: int, players: Sequence[int]) -> tuple[int, int]:
    """Return switches that a recorder of ours has, and records that it lost on the CPU."""
    document = json.loads((directory / "trace.json").read_text(encoding="utf-8"))
    lost = next(each["lost"] for each in document["cpus"] if each["cpu"] == cpu)
    if (directory / "switches.npy").exists():
        rows = read_stream(directory / "switches.npy").data
        here = (rows["cpu"] == cpu) & (rows["quantity"] == SwitchesQuantity.KERNEL)
        return int(rows["count"][here].sum()), lost
    rows = read_stream(directory / "sched.npy").data
    off = rows[rows["kind"] == SchedKind.OFF]
    return int(np.isin(off["tid"], players).sum()), lost


def describe_durations(directory: Path, cpu: int) -> dict[str, tuple[int, int, int]]:
    """Return n, least and median in ns of both quantities of a histogram on one CPU."""
    rows = read_stream(directory / "switches.npy")
    found = {}
    for quantity in SwitchesQuantity:
        here = rows[
            (rows.data["cpu"] == cpu)
            & (rows.data["quantity"] == quantity)
            & ~np.ma.getmaskarray(rows["lower_ns"])
        ].data
        seen = from_buckets(here["lower_ns"], here["upper_ns"], here["count"])
        found[quantity.name] = (seen.n, seen.min_ns, seen.quantile_ns(0.5))
    return found


def measure(result: Result, words: Sequence[str], cpu: int, plan: tuple[int, int, int]) -> float:
    """Run one setting once; give the median of its blocks, ns per switch."""
    with tempfile.TemporaryDirectory(prefix="laxity-bench-", dir="/dev/shm") as name:
        scratch = Path(name)
        with recorder(words, scratch, cpu):
            players, blocks = play(cpu, plan)
        if (scratch / "D").exists():
            recorded, lost = read_counts(scratch / "D", cpu, players)
            result.recorded = (result.recorded or 0) + recorded
            result.lost = (result.lost or 0) + lost
        elif (scratch / "perf.log").exists():
            found = re.search(r"lost ([0-9]+)", (scratch / "perf.log").read_text())
            result.lost = (result.lost or 0) + (int(found[1]) if found else 0)
    per_switch = [took_ns / switches for took_ns, switches in blocks]
    result.block_ns += per_switch
    result.switches += sum(switches for _, switches in blocks)
    return statistics.median(per_switch)


def compare_durations(cpu: int, plan: tuple[int, int, int], rounds: int) -> list[str]:
    """Measure off to on by BPF and by perf records, in turn; give the lines of a table."""
    seen: dict[str, list[tuple[int, int]]] = {"bpf": [], "perf": []}
    empty: dict[str, list[int]] = {"bpf": [], "perf": []}
    n = dict.fromkeys(seen, 0)
    for _ in range(rounds):
        for backend, pairs in seen.items():
            words = (str(TRACE), "--backend", backend, "--switch-histogram")
            with tempfile.TemporaryDirectory(prefix="laxity-bench-", dir="/dev/shm") as name:
                with recorder(words, Path(name), cpu):
                    play(cpu, plan)
                found = describe_durations(Path(name) / "D", cpu)
            n[backend] += found["KERNEL"][0]
            pairs.append(found["KERNEL"][1:])
            empty[backend].append(found["EMPTY"][2])
    lines = [f"{'off to on':10} {'n':>9} {'min':>6} {'median':>7} {'own':>5} {'net':>5}  ns"]
    net = {}
    for backend, pairs in seen.items():
        median_ns = statistics.median(median for _, median in pairs)
        own_ns = statistics.median(empty[backend])
        net[backend] = median_ns - own_ns
        least_ns = min(least for least, _ in pairs)
        lines.append(
            f"{backend:10} {n[backend]:9} {least_ns:6.0f} {median_ns:7.0f} {own_ns:5.0f}"
            f" {net[backend]:5.0f}"
        )
    return [*lines, f"net, bpf / perf: {net['bpf'] / net['perf']:.2f}"]


def show(results: Mapping[str, Result]) -> Iterator[str]:
    """Return the lines of the table of costs."""
    figures = f"{'min':>6} {'median':>7} {'cost':>6} {'ratio':>6} {'cost of min':>12} {'ratio':>6}"
    yield f"{'ns per switch':30} {'blocks':>6} {figures} {'not recorded':>13} {'lost':>9}"
    for setting, result in results.items():
        cost_ns = statistics.median(result.cost_ns)
        least_ns = min(result.block_ns) - min(results[OFF].block_ns)
        ratios = ("", "")
        if setting in PEERS:
            peer = results[PEERS[setting]]
            least_of_peer_ns = min(peer.block_ns) - min(results[OFF].block_ns)
            pairs = zip(result.cost_ns, peer.cost_ns, strict=True)
            of_rounds = statistics.median(ours / theirs for ours, theirs in pairs)
            ratios = (f"{of_rounds:.2f}", f"{least_ns / least_of_peer_ns:.2f}")
        missing = "" if result.recorded is None else str(max(0, result.switches - result.recorded))
        lost = "" if result.lost is None else str(result.lost)
        yield (
            f"{setting:30} {len(result.block_ns):6} {min(result.block_ns):6.0f}"
            f" {statistics.median(result.block_ns):7.0f} {cost_ns:6.0f} {ratios[0]:>6}"
            f" {least_ns:12.0f} {ratios[1]:>6} {missing:>13} {lost:>9}"
        )


@click.command()
@click.option("--cpu", default=1, show_default=True, help="CPU of the two processes.")
@click.option("--switches", default=1_000_000, show_default=True, help="Switches per run.")
@click.option("--blocks", default=20, show_default=True, help="Parts of a run, timed each.")
@click.option("--priority", default=80, show_default=True, help="SCHED_FIFO; 0: SCHED_OTHER.")
@click.option("--rounds", default=5, show_default=True, help="Runs of each setting.")
def main(cpu: int, switches: int, blocks: int, priority: int, rounds: int) -> None:
    """Measure what recording adds to a switch, and how long a switch takes by both recorders."""
    if shutil.which("perf") is None:
        msg = "perf: not found; apt install linux-perf"
        raise click.ClickException(msg)
    plan = (switches // 2 // blocks, blocks, priority)
    results = {setting: Result() for setting in SETTINGS}
    for number in range(rounds):
        click.echo(f"round {number + 1} of {rounds}", err=True)
        medians = {
            setting: measure(results[setting], words, cpu, plan)
            for setting, words in SETTINGS.items()
        }
        for setting, median_ns in medians.items():
            results[setting].cost_ns.append(median_ns - medians[OFF])
    for line in (*show(results), "", *compare_durations(cpu, plan, rounds)):
        click.echo(line)


if __name__ == "__main__":
    main()
