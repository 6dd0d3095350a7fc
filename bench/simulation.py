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
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

import click
from bench.common import run_tool

from laxity.core.text_table import format_table
from laxity.platform.platform_checks import settings_of_values
from laxity.platform.platform_file import read_platform
from laxity.platform.simulated_programs import find_plugin
from laxity.platform.tools import find_tool

SIM = find_tool("laxity-sim").parent.parent / "sim"
TIMEOUT_S = 600
# As platform/simulated.py starts programs.
STACK_BYTES = 8 << 20
LINE_BYTES = 32
LIVE_JOBS = 10
LIVE_WORKLOAD = "edges"
LIVE_PLATFORM = "sabrelite"
PLATFORMS = ("sabrelite", "sabrelite-partitioned")
# Virtual time of a row; under callgrind, which takes 50 times as long.
MEASURED_US = 10_000
COUNTED_US = 1_000
US_PER_S = 1e6
HEADERS = (
    "row",
    "M/s",
    "of",
    "of cachegrind",
    "instructions each",
    "simulated s per CPU s",
    "MiB",
    "new/old speed",
    "new/old instructions",
)


@dataclass(frozen=True, slots=True)
class Load:
    """Program of each of the first cores: `reads` of every 10 lines are read."""

    name: str
    unit: str
    size: str
    reads: int
    cores: int

    @property
    def words(self) -> tuple[str, str]:
        """Of the workload load."""
        return self.size, str(self.reads)


# 2 MiB miss in all caches; 16 KiB fit into the first level.
LOADS = (
    Load("reads 10:0", "lines", "2MiB", 10, 4),
    Load("reads and writes 5:5", "lines", "2MiB", 5, 4),
    Load("writes 0:10", "lines", "2MiB", 0, 4),
    Load("one writer", "lines", "2MiB", 0, 1),
    Load("mostly hits", "accesses", "16KiB", 5, 4),
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A count in so much CPU time in user mode; `most_kib` of memory."""

    count: int
    user_s: float
    most_kib: int

    @property
    def per_s(self) -> float:
        """Counted in each second."""
        return self.count / self.user_s


@dataclass(frozen=True, slots=True)
class Row:
    """Measurement by a simulation_speed, or by another program.

    `count` gives the instructions of one count; `simulated_s` is 0 where no time is simulated.
    """

    name: str
    unit: str
    measure: Callable[[Path], Figure]
    has_versions: bool = True
    count: Callable[[Path], float] | None = None
    simulated_s: float = 0


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=True)


def _figure(stdout: str) -> Figure:
    count, user_s, most_kib = stdout.split()
    return Figure(int(count), float(user_s), int(most_kib))


def _speed(words: tuple[str, ...], program: Path) -> Figure:
    return _figure(_run([str(program), *words]).stdout)


def _instructions(words: tuple[str, ...], program: Path) -> tuple[int, int]:
    """Run under callgrind: what is counted, and all instructions of the process."""
    callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = _run([*callgrind, str(program), *words])
    (collected,) = re.findall(r"Collected : (\d+)", done.stderr)
    return _figure(done.stdout).count, int(collected)


class Streams:
    """Streams of loads and settings of platforms, in a folder."""

    def __init__(self, folder: Path) -> None:
        """Make what rows need."""
        self._folder = folder
        self._load = SIM / "armhf-load"
        for load in LOADS:
            if not self._stream(load).exists():
                self._record(load)
        for name in {*PLATFORMS, LIVE_PLATFORM}:
            model = read_platform(f"sim:{name}")
            settings = settings_of_values(model.values, model.levels, model.regions)
            text = "".join(f"{key} {value}\n" for key, value in settings)
            self.settings(name).write_text(text)

    def settings(self, name: str) -> Path:
        """Name the file with the settings of a platform."""
        return self._folder / f"{name}.txt"

    def words(self, name: str, load: Load, us: int) -> tuple[str, ...]:
        """Tell simulation_speed what to do."""
        stream = str(self._stream(load))
        cores = [stream if core < load.cores else "-" for core in range(4)]
        return (load.unit, str(self.settings(name)), str(us), str(self._load), *cores)

    def instructions_each(self, name: str, load: Load, program: Path) -> float:
        """Count the instructions of one count: the difference of two runs."""
        _, before = _instructions(self.words(name, load, 0), program)
        count, after = _instructions(self.words(name, load, COUNTED_US), program)
        return (after - before) / count

    def _stream(self, load: Load) -> Path:
        return self._folder / f"load-{'-'.join(load.words)}.lxs"

    def _record(self, load: Load) -> None:
        command = [sys.executable, "-P", "-m", "laxity", "sim", "record", "--quiet"]
        command += ["-o", str(self._stream(load)), "--platform", f"sim:{PLATFORMS[0]}"]
        run_tool([*command, "--jobs", "2", "--", "load", *load.words], TIMEOUT_S)


def _program() -> list[str]:
    return [str(SIM / f"{platform.machine()}-{LIVE_WORKLOAD}"), str(LIVE_JOBS)]


def _live(settings: Path, program: Path) -> Figure:
    emulator = shutil.which(f"qemu-{platform.machine()}")
    if emulator is None:
        msg = f"qemu-{platform.machine()}: not along PATH"
        raise click.ClickException(msg)
    plugin = ("-plugin", f"{find_plugin(emulator)},fd=3")
    options = ("-s", str(STACK_BYTES), "-seed", "1", *plugin)
    words = ("live", str(settings), str(LIVE_JOBS), emulator, *options, *_program())
    return _speed(words, program)


def _cachegrind(_: Path) -> Figure:
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


def _pycachesim(_: Path) -> Figure:
    return _figure(_run([sys.executable, "-c", _PYCACHESIM]).stdout)


CACHEGRIND = f"cachegrind, {LIVE_WORKLOAD}"


def rows(streams: Streams) -> Iterator[Row]:
    """Name what is measured."""
    for policy in ("lru", "plru"):
        yield Row(f"two levels, {policy}", "accesses", partial(_speed, (policy, "40")))
    for name in PLATFORMS:
        for load in LOADS:
            yield Row(
                f"{name}, {load.name}",
                load.unit,
                partial(_speed, streams.words(name, load, MEASURED_US)),
                count=partial(streams.instructions_each, name, load),
                simulated_s=MEASURED_US / US_PER_S,
            )
    live = partial(_live, streams.settings(LIVE_PLATFORM))
    yield Row(f"QEMU and engine, {LIVE_WORKLOAD}", "accesses", live)
    yield Row(CACHEGRIND, "references", _cachegrind, has_versions=False)
    if importlib.util.find_spec("cachesim") is not None:
        yield Row("pycachesim, two levels", "accesses", _pycachesim, has_versions=False)


def measure(asked: list[Row], new: Path, old: Path | None, rounds: int) -> list[list[str]]:
    """Measure all rows, new and old version alternately.

    Returns:
        Cells: the best of all rounds; the median of the ratios of rounds.
    """
    best: dict[str, Figure] = {}
    ratios: dict[str, list[float]] = {row.name: [] for row in asked}
    for number in range(rounds):
        for row in asked:
            versions = [new] if old is None or not row.has_versions else [new, old]
            order = versions[:: -1 if number % 2 else 1]
            figures = {version: row.measure(version) for version in order}
            figure = figures[new]
            if row.name not in best or figure.per_s > best[row.name].per_s:
                best[row.name] = figure
            if old in figures:
                ratios[row.name].append(figure.per_s / figures[old].per_s)
    peer = best[CACHEGRIND].per_s if CACHEGRIND in best else None
    return [_cells(row, best[row.name], ratios[row.name], peer, new, old) for row in asked]


def _cells(
    row: Row, best: Figure, ratios: list[float], peer: float | None, new: Path, old: Path | None
) -> list[str]:
    each = row.count(new) if row.count else None
    old_each = row.count(old) if row.count and old is not None else None
    cells = {
        "M/s": f"{best.per_s / 1e6:.2f}",
        "of": row.unit,
        "of cachegrind": f"{best.per_s / peer:.4f}" if peer else "",
        "instructions each": f"{each:.0f}" if each else "",
        "simulated s per CPU s": f"{row.simulated_s / best.user_s:.4f}" if row.simulated_s else "",
        "MiB": f"{best.most_kib / 1024:.0f}",
        "new/old speed": f"{median(ratios):.2f}" if ratios else "",
        "new/old instructions": f"{each / old_each:.3f}" if each and old_each else "",
    }
    return [row.name, *(cells[header] for header in HEADERS[1:])]


@click.command()
@click.option("--rounds", type=click.IntRange(min=1), default=5, show_default=True)
@click.option("--only", default="", help="Rows whose names have this, and cachegrind.")
@click.option(
    "--old",
    type=click.Path(path_type=Path, exists=True),
    help="A simulation_speed of another version, run alternately with that of this build.",
)
@click.option("--keep", type=click.Path(path_type=Path), help="Folder of streams, used again.")
def main(rounds: int, only: str, old: Path | None, keep: Path | None) -> None:
    """Measure the parts of the simulator in turn; the best of all rounds counts."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = keep or Path(scratch)
        folder.mkdir(exist_ok=True)
        found = [row for row in rows(Streams(folder)) if only in row.name or row.name == CACHEGRIND]
        table = measure(found, SIM / "simulation_speed", old, rounds)
    n_columns = len(HEADERS) - (0 if old else 2)
    cells = [row[:n_columns] for row in table]
    right = (1, *range(3, n_columns))
    click.echo(format_table(HEADERS[:n_columns], cells, right=right), nl=False)


if __name__ == "__main__":
    main()
