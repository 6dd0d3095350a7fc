# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The model's caches against valgrind's cachegrind: the same misses of the same programs.

valgrind's lackey writes down what a program does; tests/native/sim/lackey.cpp takes that through
our caches and our engine. Both tools start the program without an environment: that would move its
stack.
"""

import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from laxity.platform.tools import find_tool

VALGRIND = shutil.which("valgrind") or "valgrind"
ISA = {"x86_64": "x86_64", "aarch64": "aarch64"}.get(platform.machine(), "armhf")
SIM = find_tool("laxity-sim").parent
# I1, D1 and LL: size, ways, line. Of the first the engine's lines are compared, too.
SHAPES = (
    "32768:4:32,32768:4:32,1048576:16:32",  # sabrelite's
    "16384:2:64,8192:4:64,131072:8:64",
    "4096:1:32,32768:8:64,65536:1:64",
)
# Some seconds of lackey together.
QUICK = (
    ("sort", "small"),
    ("fft", "small"),
    ("sha", "small"),
    ("dijkstra", "small"),
    ("basicmath", "small"),
    ("aes", "small"),
    ("prefix_tree", "small"),
    ("bitcount", "small"),
    ("latency", "16KiB"),
    ("mem", "64KiB"),
)
TIMEOUT_S = 1800
HUNDRED_MILLION = 100_000_000


def cachegrind(program: Sequence[str], shape: str, out: Path) -> list[int]:
    """Its nine counts: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw."""
    names = ("I1", "D1", "LL")
    caches = [
        f"--{name}={each.replace(':', ',')}"
        for name, each in zip(names, shape.split(","), strict=True)
    ]
    command = [VALGRIND, "--tool=cachegrind", "--cache-sim=yes", f"--cachegrind-out-file={out}"]
    done = subprocess.run(
        [*command, *caches, *program], env={}, capture_output=True, timeout=TIMEOUT_S, check=True
    )
    lines = out.read_text().splitlines()
    assert "events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw" in [line.strip() for line in lines], (
        done
    )
    return [int(word) for word in lines[-1].removeprefix("summary:").split()]


def model(program: Sequence[str]) -> list[list[int]]:
    """The counts of each shape; lines looked up and missed in our caches, and in our engine."""
    read_end, write_end = os.pipe()
    command = [VALGRIND, "--tool=lackey", "--trace-mem=yes", f"--log-fd={write_end}", *program]
    with subprocess.Popen(
        command, env={}, pass_fds=(write_end,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as traced:
        os.close(write_end)
        counted = subprocess.run(
            [str(SIM / "lackey"), *SHAPES],
            stdin=read_end,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=True,
        )
        os.close(read_end)
    assert traced.returncode == 0
    return [[int(word) for word in line.split()] for line in counted.stdout.splitlines()]


def check_equal(program: Sequence[str], directory: Path) -> int:
    """Tells how many references there were."""
    *counts, lines, of_engine = model(program)
    assert counts == [cachegrind(program, shape, directory / "out") for shape in SHAPES]
    assert lines == of_engine
    instructions, loads, stores = counts[0][0::3]
    return instructions + loads + stores


@pytest.mark.parametrize(("name", "size"), QUICK)
def test_misses_are_cachegrinds(name: str, size: str, tmp_path: Path):
    assert check_equal([str(SIM / f"{ISA}-{name}"), "1", size], tmp_path) > 0


@pytest.mark.slow
def test_misses_are_cachegrinds_in_a_hundred_million_references(tmp_path: Path):
    n_references = check_equal([str(SIM / f"{ISA}-edges"), "3"], tmp_path)
    assert n_references >= HUNDRED_MILLION
