#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Measure what the scheduling trace adds to a switch, beside `perf record` of the same events.

bench/README.md says how to read the table.
"""

import json
import os
import re
import shlex
import signal
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

import click

from laxity.model.spec import TRACE_BACKENDS
from laxity.runner.tools import find_tool

TIMEOUT_S = 120
# Each operation of `perf bench sched pipe` is a byte there and one back.
SWITCHES_PER_OPERATION = 2
RING = "16M"
TRACING = Path("/sys/kernel/tracing/events")
SWITCH = ("sched:sched_switch",)
# What our back-end "tracefs" records; those of the CPU's own vectors are looked up.
EVERYTHING = (
    "sched:sched_switch", "sched:sched_wakeup", "sched:sched_wakeup_new",
    "sched:sched_migrate_task", "sched:sched_process_exit", "task:task_newtask",
    "task:task_rename", "irq:irq_handler_entry", "irq:irq_handler_exit", "irq:softirq_entry",
    "irq:softirq_exit",
)  # fmt: skip


def _ping_pong_ns(cpu: int, loops: int) -> float:
    """Hand a byte to and fro between two FIFO threads of one CPU; ns per switch."""
    command = ["taskset", "-c", str(cpu), "chrt", "-f", "10", "perf", "bench", "sched", "pipe"]
    done = subprocess.run(
        [*command, "-l", str(loops)], check=True, capture_output=True, text=True, timeout=TIMEOUT_S
    )
    found = re.search(r"([0-9.]+) usecs/op", done.stdout)
    if found is None:
        msg = f"perf bench said {done.stdout!r}"
        raise click.ClickException(msg)
    return float(found[1]) * 1e3 / SWITCHES_PER_OPERATION


@contextmanager
def _nothing() -> Iterator[list[str]]:
    yield []


@contextmanager
def _ours(backend: str, cpu: int) -> Iterator[list[str]]:
    """Record with laxity-trace; what was lost is told at the end."""
    said: list[str] = []
    with tempfile.TemporaryDirectory(dir="/dev/shm") as directory:
        run = Path(directory) / "D"
        ready_read, ready_write = os.pipe()
        words = ["--run-dir", str(run), "--backend", backend, "--avoid", str(cpu)]
        words += ["--kinds", "wakeup,migrate,irq,softirq"]
        process = subprocess.Popen(
            [str(find_tool("laxity-trace")), *words, "--ready-fd", str(ready_write)],
            pass_fds=[ready_write],
            stderr=subprocess.DEVNULL,
        )
        os.close(ready_write)
        with os.fdopen(ready_read, "rb") as ready:
            ready.read()
        try:
            yield said
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(TIMEOUT_S)
            summary = json.loads((run / "trace.json").read_text())
            rows = sum(one["rows"] for one in summary["cpus"])
            said.append(f"{summary['lost']} lost, {rows} rows")


@contextmanager
def _perf_record(events: Sequence[str], others: str) -> Iterator[list[str]]:
    """Record with perf on other CPUs than the measured one."""
    said: list[str] = []
    with tempfile.TemporaryDirectory(dir="/dev/shm") as directory:
        control_read, control_write = os.pipe()
        answer_read, answer_write = os.pipe()
        words = ["-a", "-m", RING, "-k", "CLOCK_MONOTONIC", "-o", f"{directory}/perf.data"]
        words += ["-D", "-1", "--control", f"fd:{control_read},{answer_write}"]
        names = [word for event in events for word in ("-e", event)]
        process = subprocess.Popen(
            [*shlex.split(f"taskset -c {others} nice -n 10 perf record"), *words, *names],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[control_read, answer_write],
            text=True,
        )
        os.close(control_read)
        os.close(answer_write)
        os.write(control_write, b"enable\n")
        with os.fdopen(answer_read, "rb", buffering=0) as answer:
            if not answer.read(len(b"ack\n")):
                msg = f"perf record: {process.communicate()[1].strip()}"
                raise click.ClickException(msg)
        try:
            yield said
        finally:
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=TIMEOUT_S)
            os.close(control_write)
            lost = re.search(r"lost ([0-9]+)", told)
            size_bytes = Path(directory, "perf.data").stat().st_size
            said.append(f"{lost[1] if lost else 0} lost, {size_bytes >> 20} MiB")


def _vectors() -> list[str]:
    """Name the tracepoints of the CPU's own vectors, without irq_work, which perf refuses."""
    names = sorted(path.name for path in (TRACING / "irq_vectors").glob("*_e*t*"))
    return [
        f"irq_vectors:{name}"
        for name in names
        if name.endswith(("_entry", "_exit")) and not name.startswith("irq_work")
    ]


@click.command()
@click.option("--cpu", type=int, default=1, show_default=True)
@click.option("--loops", type=int, default=100_000, show_default=True)
@click.option("--rounds", type=int, default=9, show_default=True)
def main(cpu: int, loops: int, rounds: int) -> None:
    """Measure ns per switch without a trace, with ours, and with perf record, all in turn."""
    others = ",".join(str(one) for one in sorted(os.sched_getaffinity(0) - {cpu})) or str(cpu)
    every = (*EVERYTHING, *_vectors())
    modes: dict[str, Callable[[], AbstractContextManager[list[str]]]] = {"no trace": _nothing}
    for backend in TRACE_BACKENDS:
        modes[f"laxity-trace {backend}"] = partial(_ours, backend, cpu)
    modes["perf record, switches"] = partial(_perf_record, SWITCH, others)
    modes["perf record, as tracefs"] = partial(_perf_record, every, others)
    costs: dict[str, list[float]] = {name: [] for name in modes}
    said: dict[str, str] = {}
    for index in range(rounds):
        names = [*modes][index % len(modes) :] + [*modes][: index % len(modes)]
        for name in names:
            with modes[name]() as told:
                costs[name].append(_ping_pong_ns(cpu, loops))
            said[name] = "".join(told)
    base = costs["no trace"]
    for name, values in costs.items():
        added = [value - without for value, without in zip(values, base, strict=True)]
        click.echo(
            f"{name:24} n {len(values)}  min {min(values):6.0f}  median "
            f"{statistics.median(values):6.0f} ns/switch; added: min - min "
            f"{min(values) - min(base):5.0f}, median {statistics.median(added):5.0f}  {said[name]}"
        )


if __name__ == "__main__":
    main()
