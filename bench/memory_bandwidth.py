#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Compare our streams with mbw's copies (Debian's mbw) in arrays of the same size, in turn.

bench/README.md says how to read the table.
"""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np

from laxity.costs.memory_latency.rows import access_times
from laxity.platform.tools import find_tool
from laxity.store.npy import read_stream

TIMEOUT_S = 120
PRIORITY = "80"
MIB = 1 << 20
_MBW_COPY = re.compile(r"Copy:\s+([0-9.]+) MiB/s")


def measure_ours(cpu: int, mib: int, repetitions: int, case: str) -> list[float]:
    """Bandwidth of each batch in MiB/s; both halves of a copy lie in one array of `mib`."""
    with tempfile.TemporaryDirectory() as directory:
        command = [str(find_tool("laxity-probe")), "--run-dir", directory, "--cpus", str(cpu)]
        command += ["--repetitions", str(repetitions), "--priority", PRIORITY]
        command += ["memory_latency", "--size", f"{mib}MiB", "--case", case]
        subprocess.run(command, check=True, capture_output=True, timeout=TIMEOUT_S)
        rows = read_stream(Path(directory) / "memory_latency.npy")
        (found,) = access_times(rows, "ours")
        # 64 bytes per so many picoseconds
        return [64e12 / picoseconds / MIB for picoseconds in found.samples_ps.tolist()]


def measure_mbw(mbw: str, cpu: int, mib: int, repetitions: int, method: int) -> list[float]:
    """Bandwidth of each run in MiB/s; two arrays of half of `mib` each."""
    command = ["taskset", "-c", str(cpu), "chrt", "-f", PRIORITY, mbw, "-a"]
    command += ["-n", str(repetitions), f"-t{method}", str(mib // 2)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=TIMEOUT_S)
    return [float(number) for number in _MBW_COPY.findall(done.stdout)]


@click.command()
@click.option("--cpu", type=int, default=1, show_default=True)
@click.option("--mib", type=int, default=64, show_default=True, help="Both arrays together.")
@click.option("--repetitions", type=int, default=10, show_default=True, help="Per round.")
@click.option("--rounds", type=int, default=6, show_default=True)
@click.option("--mbw", default="mbw", show_default=True, help="Path of the program.")
def main(cpu: int, mib: int, repetitions: int, rounds: int, mbw: str) -> None:
    """Measure bandwidths in turn: ours, mbw with a loop, mbw with memcpy."""
    if shutil.which(mbw) is None:
        msg = f"no {mbw}: apt install mbw"
        raise click.ClickException(msg)
    programs: dict[str, Callable[[], list[float]]] = {
        "ours, stream_copy": lambda: measure_ours(cpu, mib, repetitions, "stream_copy"),
        "mbw -t1, loop": lambda: measure_mbw(mbw, cpu, mib, repetitions, 1),
        "mbw -t0, memcpy": lambda: measure_mbw(mbw, cpu, mib, repetitions, 0),
    }
    samples: dict[str, list[list[float]]] = {name: [] for name in programs}
    for number in range(rounds):
        names = list(programs)
        # Each round begins with another one.
        for name in names[number % len(names) :] + names[: number % len(names)]:
            samples[name].append(programs[name]())
    base = [float(np.median(one)) for one in samples["ours, stream_copy"]]
    for name, parts in samples.items():
        every = np.concatenate(parts)
        ratios = [float(np.median(part)) / ours for part, ours in zip(parts, base, strict=True)]
        click.echo(
            f"{name:18} n {len(every):4}  median {np.median(every):7.0f} MiB/s  "
            f"best {every.max():7.0f} MiB/s  ratio to ours per round: median "
            f"{np.median(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f}"
        )


if __name__ == "__main__":
    main()
