# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity sweep`: one row per experiment, the same bytes however it came about."""

import signal
import subprocess
from pathlib import Path
from typing import Any

import duckdb
from tests.cli.commands import LAXITY
from tests.cli.laxity_command import PATIENCE_S, Laxity
from tests.waiting import wait_until

from laxity.store.manifest import MemoryTraffic

HEAD = """schema = 1
[sweep]
run = "mem -b 64KiB -p 1ms -t 2 -c 0 --interfere 'load 4MiB@1'"
platform = "sim:sabrelite"
"""
GRID = (
    HEAD
    + """
[[axis]]
key = "interfere.0.cpus"
values = ["1", "1-2", "1-3"]

[[axis]]
key = "platform.L2.size"
from = "256KiB"
to = "1MiB"
factor = 2
"""
)


def write_grid(laxity: Laxity, text: str = GRID) -> str:
    (laxity.directory / "grid.toml").write_text(text)
    return "grid.toml"


def rows_of(path: Path) -> list[dict[str, Any]]:
    found = duckdb.read_parquet(str(path))
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def swept(laxity: Laxity, *words: str, to: str = "S", text: str = GRID) -> Path:
    done = laxity("sweep", write_grid(laxity, text), "-o", to, "--quiet", *words)
    assert done.returncode == 0, done.stderr
    return laxity.directory / to / "sweep.parquet"


def test_rows_are_in_the_order_of_the_grid_and_as_runs_of_their_own_are(laxity: Laxity):
    rows = rows_of(swept(laxity))
    cpus = [row["interfere.0.cpus"] for row in rows]
    assert cpus == ["1", "1", "1", "1-2", "1-2", "1-2", "1-3", "1-3", "1-3"]
    sizes = [row["platform.L2.size_bytes"] for row in rows]
    assert sizes == [262_144, 524_288, 1_048_576] * 3
    assert all(row["error"] is None for row in rows)
    # The run of the last one, by hand: 1 MiB is what the platform has.
    words = ("mem", "-b", "64KiB", "-p", "1ms", "-c", "0", "-t", "2", "--interfere")
    run = laxity.run(*words, "load 4MiB@1-3", "--platform", "sim:sabrelite")
    assert rows[-1]["result_hash"] == run.manifest.result_hash
    jobs = run.stream("jobs")
    assert rows[-1]["mem.exec_ns.max"] == jobs["exec_ns"].max()
    assert rows[-1]["mem.exec_ns.median"] == jobs["exec_ns"].min()
    assert rows[-1]["mem.stall_shared_ns.sum"] == jobs["stall_shared_ns"].sum()
    traffic = run.manifest.memory_traffic
    assert isinstance(traffic, MemoryTraffic)
    assert rows[-1]["memory.lines_written"] == traffic.lines_written
    # All are different ones.
    assert len({row["result_hash"] for row in rows}) == 9


def test_any_number_of_workers_writes_the_same_bytes(laxity: Laxity):
    one = swept(laxity, "--workers", "1", to="A").read_bytes()
    three = swept(laxity, "--workers", "3", to="B").read_bytes()
    assert one == three


def test_killed_sweep_goes_on_to_the_same_bytes(laxity: Laxity):
    # A part is written every half second at first, so that this one takes longer.
    text = GRID.replace("-t 2", "-t 6")
    whole = swept(laxity, to="A", text=text).read_bytes()
    directory = laxity.directory / "B"
    process = subprocess.Popen(
        [*LAXITY, "sweep", "grid.toml", "-o", "B", "--workers", "1"],
        cwd=laxity.directory,
        env=laxity.environment(),
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    wait_until(lambda: any(directory.glob("parts/*.parquet")), "a part")
    process.kill()
    assert process.wait(PATIENCE_S) == -signal.SIGKILL
    assert not (directory / "sweep.parquet").exists()
    done = laxity("sweep", "grid.toml", "-o", "B")
    assert done.returncode == 0
    assert "of 9 experiments are done already" in done.stderr
    assert (directory / "sweep.parquet").read_bytes() == whole
