#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Measure what a mark costs: the time from one mark to the next in a train of 1000.

bench/README.md says how to read the table.
"""

import subprocess
import tempfile
import time
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from laxity.core.streams import MarkKind
from laxity.platform.tools import find_tool
from laxity.store.npy import read_stream

# Of the workload `marker train`.
TRAIN_MARKS = 1000
TIMEOUT_S = 300


def _train(cpu: int, jobs: int, directory: Path, *, is_fifo: bool) -> None:
    """Run the trains; their marks stand in `directory`/probe.npy."""
    build = find_tool("laxity-run").parent.parent
    marker = build / "tests" / "native" / "marker"
    words = ["--run-dir", str(directory), "--", str(marker), "--arg", "train"]
    # The ring holds 8 trains of each kind, and is emptied every 50 ms.
    words += ["--period", "20ms", "--cpus", str(cpu), "--jobs", str(jobs)]
    words += ["--policy", "fifo" if is_fifo else "other"]
    subprocess.run([str(find_tool("laxity-run")), *words], check=True, timeout=TIMEOUT_S)


def _gaps_ns(directory: Path, kind: MarkKind) -> NDArray[np.int64]:
    """Times between neighbours of one train, shape (train * (marks - 1),)."""
    marks = np.ma.getdata(read_stream(directory / "probe.npy"))
    times_ns = marks["time_ns"][marks["kind"] == kind].reshape(-1, TRAIN_MARKS)
    return np.asarray(np.diff(times_ns, axis=1).ravel(), dtype=np.int64)


def _line(name: str, gaps_ns: NDArray[np.int64]) -> str:
    p99 = np.sort(gaps_ns)[int(np.ceil(0.99 * len(gaps_ns))) - 1]
    # The clock counts whole ns: the mean of a train is finer than the median of single gaps.
    per_train = gaps_ns[: len(gaps_ns) // (TRAIN_MARKS - 1) * (TRAIN_MARKS - 1)]
    mean_of_trains = np.median(per_train.reshape(-1, TRAIN_MARKS - 1).mean(axis=1))
    return (
        f"{name:8} n {len(gaps_ns):8}  min {gaps_ns.min():4} ns  "
        f"median {np.median(gaps_ns):5.0f} ns  median of train means {mean_of_trains:6.1f} ns  "
        f"p99 {p99:5} ns  max {gaps_ns.max()} ns\n"
    )


@click.command()
@click.option("--cpu", type=int, default=0, show_default=True)
@click.option("--jobs", type=int, default=500, show_default=True, help="Trains of each kind.")
@click.option("--fifo", is_flag=True, help="Under SCHED_FIFO instead of OTHER.")
def main(cpu: int, jobs: int, fifo: bool) -> None:
    """Measure what a mark costs the job that makes it, in ns."""
    with tempfile.TemporaryDirectory() as directory:
        run = Path(directory) / "D"
        begin_s = time.monotonic()
        _train(cpu, jobs, run, is_fifo=fifo)
        click.echo(_line("phase", _gaps_ns(run, MarkKind.PHASE)), nl=False)
        click.echo(_line("probe", _gaps_ns(run, MarkKind.PROBE)), nl=False)
        click.echo(f"measured in {time.monotonic() - begin_s:.0f} s")


if __name__ == "__main__":
    main()
