#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Measure how fast platforms are simulated, beside valgrind's cachegrind and pycachesim.

bench/README.md says how to read the table.
"""

import importlib.util
import platform
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import click

from laxity.platform.simulated_programs import find_plugin
from laxity.platform.tools import find_tool

SIM = find_tool("laxity-sim").parent.parent / "sim"
TIMEOUT_S = 600
# As platform/simulated.py starts programs.
STACK_BYTES = 8 << 20
LINE_BYTES = 32
LIVE_JOBS = 10
LIVE_WORKLOAD = "edges"


@dataclass(frozen=True, slots=True)
class Figure:
    """So many of something in so much CPU time in user mode; `most_kib` of memory."""

    count: int
    user_s: float
    most_kib: int

    @property
    def per_s(self) -> float:
        """Of it, each second."""
        return self.count / self.user_s


def _speed(*words: str) -> Figure:
    done = subprocess.run(
        [str(SIM / "simulation_speed"), *words],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=True,
    )
    count, user_s, most_kib = done.stdout.split()
    return Figure(int(count), float(user_s), int(most_kib))


def _program() -> list[str]:
    return [str(SIM / f"{platform.machine()}-{LIVE_WORKLOAD}"), str(LIVE_JOBS)]


def _live() -> Figure:
    emulator = shutil.which(f"qemu-{platform.machine()}")
    if emulator is None:
        msg = f"qemu-{platform.machine()}: not along PATH"
        raise click.ClickException(msg)
    plugin = ("-plugin", f"{find_plugin(emulator)},fd=3")
    options = ("-s", str(STACK_BYTES), "-seed", "1", *plugin)
    return _speed("live", str(LIVE_JOBS), emulator, *options, *_program())


def _cachegrind() -> Figure:
    """References of instructions and data of the same program, in its user CPU time."""
    valgrind = shutil.which("valgrind") or "valgrind"
    words = ["--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [valgrind, *words, *_program()],
        env={},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    counts = re.findall(r"[ID] +refs: +([0-9,]+)", done.stderr)
    total = sum(int(count.replace(",", "")) for count in counts)
    return Figure(total, after.ru_utime - before.ru_utime, after.ru_maxrss)


# Data as in the trace of simulation_speed, through the same two levels. Addresses are made
# before: only the lookups are measured.
_PYCACHESIM = f"""
import random, resource
from cachesim import Cache, CacheSimulator, MainMemory
memory = MainMemory()
second = Cache("L2", 2048, 16, {LINE_BYTES}, "LRU")
first = Cache("L1", 256, 4, {LINE_BYTES}, "LRU", store_to=second, load_from=second)
memory.load_to(second)
memory.store_from(second)
caches = CacheSimulator(first, memory)
draw = random.Random(1)
n = 1 << 21
addresses = [
    draw.randrange(512 << 10) if draw.randrange(16) == 0 else i * 4 % (16 << 10) for i in range(n)
]
before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
caches.load(addresses, length=1)
usage = resource.getrusage(resource.RUSAGE_SELF)
print(n, usage.ru_utime - before, usage.ru_maxrss)
"""


def _pycachesim() -> Figure:
    words = [sys.executable, "-c", _PYCACHESIM]
    done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT_S, check=True)
    count, user_s, most_kib = done.stdout.split()
    return Figure(int(count), float(user_s), int(most_kib))


# What is measured, and what is counted of it.
ROWS: dict[str, tuple[str, Callable[[], Figure]]] = {
    "two levels, LRU": ("accesses", partial(_speed, "lru", "40")),
    "two levels, tree-PLRU": ("accesses", partial(_speed, "plru", "40")),
    "engine, four cores, mostly hits": ("accesses", partial(_speed, "hits", "40")),
    "engine, four cores, streaming": ("lines", partial(_speed, "streams", "1")),
    "the same, four times as long": ("lines", partial(_speed, "streams", "4")),
    f"QEMU and engine, {LIVE_WORKLOAD}": ("accesses", _live),
    f"cachegrind, {LIVE_WORKLOAD}": ("references", _cachegrind),
}
if importlib.util.find_spec("cachesim") is not None:
    ROWS["pycachesim, two levels"] = ("accesses", _pycachesim)


@click.command()
@click.option("--rounds", type=click.IntRange(min=1), default=5, show_default=True)
def main(rounds: int) -> None:
    """Measure the parts of the simulator in turn; the best of all rounds counts."""
    best: dict[str, Figure] = {}
    for _ in range(rounds):
        for name, (_, measure) in ROWS.items():
            figure = measure()
            if name not in best or figure.per_s > best[name].per_s:
                best[name] = figure
    peer = best[f"cachegrind, {LIVE_WORKLOAD}"].per_s
    for name, (unit, _) in ROWS.items():
        figure = best[name]
        click.echo(
            f"{name:32} {figure.per_s / 1e6:7.1f} M {unit}/s  "
            f"{figure.per_s / peer:6.3f} of cachegrind  {figure.most_kib / 1024:5.0f} MiB"
        )


if __name__ == "__main__":
    main()
