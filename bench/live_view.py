#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Measure whether the live view of a run disturbs its jobs, against the same run without.

Runs with a terminal and without one, in turn, as pairs. bench/README.md says how to read the table.
"""

import json
import os
import pty
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import click
from bench.common import TIMEOUT_EXTRA_S, read_ours
from scipy.stats import binomtest

from laxity.statistics.distribution import Distribution

QUANTITY = "release_to_start"
STATISTICS: dict[str, Callable[[Distribution], int]] = {
    "median": lambda found: found.quantile_ns(0.5),
    "p99": lambda found: found.quantile_ns(0.99),
    "max": lambda found: found.max_ns,
}
TERMINAL_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Row:
    """One statistic of release latencies: of how many pairs it is larger beside the live view."""

    statistic: str
    n_pairs: int
    jobs_each: int
    ratio_median: float
    n_larger: int
    p_value: float


def drain(descriptor: int) -> None:
    """Read all that a program writes to its terminal; nobody needs it."""
    # Linux says so when the last writer has gone.
    with suppress(OSError):
        while os.read(descriptor, TERMINAL_BYTES):
            pass


def measure(cpu: int, seconds: int, *, has_view: bool) -> Distribution:
    """Run an empty job every millisecond once."""
    with tempfile.TemporaryDirectory(prefix="laxity-bench-") as scratch:
        run_dir = Path(scratch) / "run"
        command = [
            *(sys.executable, "-P", "-m", "laxity", "run", "empty", "-p", "1ms", "-f", "80"),
            *(
                "--duration",
                f"{seconds}s",
                "-c",
                str(cpu),
                "--no-report",
                "--run-dir",
                str(run_dir),
            ),
        ]
        ours, theirs = pty.openpty() if has_view else (-1, subprocess.DEVNULL)
        reader = threading.Thread(target=drain, args=(ours,))
        if has_view:
            reader.start()
        try:
            subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, check=True,
                timeout=2 * seconds + TIMEOUT_EXTRA_S,
            )  # fmt: skip
        finally:
            if has_view:
                os.close(theirs)
                reader.join()
                os.close(ours)
        return read_ours(run_dir)[QUANTITY]


def compare(pairs: Sequence[tuple[Distribution, Distribution]]) -> list[Row]:
    """Hold each run with a view against its partner; a sign test over the pairs."""
    rows = []
    for name, of in STATISTICS.items():
        ratios = [of(viewed) / of(plain) for plain, viewed in pairs]
        n_larger = sum(ratio > 1 for ratio in ratios)
        n_differ = sum(ratio != 1 for ratio in ratios)
        p_value = binomtest(n_larger, n_differ).pvalue if n_differ else 1.0
        jobs = min(one.n for pair in pairs for one in pair)
        rows.append(Row(name, len(pairs), jobs, median(ratios), n_larger, p_value))
    return rows


@click.command()
@click.option("--cpu", type=int, default=1, show_default=True, help="CPU of the task.")
@click.option("--seconds", type=int, default=6, show_default=True, help="Of each run.")
@click.option("--pairs", type=int, default=30, show_default=True, help="How many.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Keep the figures.")
def main(cpu: int, seconds: int, pairs: int, json_path: Path | None) -> None:
    """Run pairs in turn, each beginning with another of the two, and print the ratios."""
    found = []
    for number in range(pairs):
        kinds = (False, True) if number % 2 else (True, False)
        pair = {kind: measure(cpu, seconds, has_view=kind) for kind in kinds}
        found.append((pair[False], pair[True]))
    rows = compare(found)
    click.echo(f"{'':8} {'with view / without':>20} {'larger in':>12} {'p':>8}")
    for row in rows:
        larger = f"{row.n_larger} of {row.n_pairs}"
        click.echo(f"{row.statistic:8} {row.ratio_median:20.3f} {larger:>12} {row.p_value:8.3f}")
    click.echo(f"release latencies of n >= {rows[0].jobs_each} jobs in each run, measured")
    if json_path:
        json_path.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")


if __name__ == "__main__":
    main()
