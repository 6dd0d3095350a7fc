#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How long does a sweep of contention experiments take, with streams recorded and without."""

import os
import resource
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median

import click
from bench.common import run_tool

import laxity
from laxity.core.text_table import format_table

TIMEOUT_S = 3600
# Each takes 10 ms of the platform's time, on its four cores.
GRID = """schema = 1
[sweep]
run = "mem -b 64KiB -p 1ms -t 10 -c 0 --interfere 'load 4MiB@1-3'"
platform = "sim:sabrelite"
columns = ["mem.exec_ns.max"]

[[axis]]
key = "run.seed"
from = 1
to = {experiments}
"""
# Streams that are kept, by what a row is called: a limit of none has every program executed.
KEPT = {"streams recorded": "4GiB", "programs executed": "0B"}
HEADERS = ("sweep", "wall s", "CPU s", "CPU ms per experiment")


def sweep(folder: Path, to: str, environment: Mapping[str, str]) -> tuple[float, float]:
    """Do a sweep; return its time and its processor time in seconds."""
    words = [sys.executable, "-P", "-m", "laxity", "sweep", "grid.toml", "-o", to, "--quiet"]
    assigned = [f"{name}={value}" for name, value in environment.items()]
    before, begin_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    run_tool(["env", f"--chdir={folder}", *assigned, *words], TIMEOUT_S)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used_s = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return time.monotonic() - begin_s, used_s


def prepare(folder: Path, limit: str) -> dict[str, str]:
    """Keep streams of this row in a folder of its own, so that both begin alike."""
    # The sweep runs in a folder of its own, where a path that is not absolute leads nowhere.
    python = Path(laxity.__file__).parents[1]
    environment = {"XDG_CACHE_HOME": str(folder / limit), "PYTHONPATH": str(python)}
    kept = folder / limit / "laxity" / "streams"
    kept.mkdir(parents=True)
    assigned = [f"{name}={value}" for name, value in environment.items()]
    words = [sys.executable, "-P", "-m", "laxity", "sim", "streams", "--limit", limit]
    run_tool(["env", *assigned, *words], TIMEOUT_S)
    return environment


@click.command()
@click.option("--experiments", type=int, default=20, show_default=True)
@click.option("--rounds", type=int, default=5, show_default=True)
def main(experiments: int, rounds: int) -> None:
    """Do the same sweep with and without streams, by turns, and compare what they write."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in KEPT}
    tables = set()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "grid.toml").write_text(GRID.format(experiments=experiments))
        prepared = {what: prepare(folder, limit) for what, limit in KEPT.items()}
        # The first one records.
        sweep(folder, "first", prepared["streams recorded"])
        for number in range(rounds):
            for what, environment in prepared.items():
                to = f"{number} {what}"
                times[what].append(sweep(folder, to, environment))
                tables.add((folder / to / "sweep.parquet").read_bytes())
    if len(tables) != 1:
        msg = "the tables differ; they must not"
        raise click.ClickException(msg)
    rows = []
    for what, taken in times.items():
        wall_s, used_s = (median(one[i] for one in taken) for i in (0, 1))
        rows.append((what, f"{wall_s:.1f}", f"{used_s:.1f}", f"{1e3 * used_s / experiments:.0f}"))
    click.echo(format_table(HEADERS, rows, right=(1, 2, 3)), nl=False)
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    click.echo(f"medians of {rounds} by turns, {experiments} experiments; load {load}")


if __name__ == "__main__":
    main()
