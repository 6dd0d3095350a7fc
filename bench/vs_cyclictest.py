#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Compare the harness with cyclictest (rt-tests), run by run in turn, in both idle settings.

Both programs wake every period on one CPU under SCHED_FIFO with locked memory. cyclictest reports
by how much a wake-up comes after its nominal time; ours is split into release → start (the same
quantity), start → finish (what the harness adds around an empty job) and release → finish.
bench/README.md says how to read the table.
"""

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from bench.common import OURS, Settings, measure_ours, pool, run_tool

from laxity.statistics.distribution import Distribution, from_buckets

# cyclictest keeps one counter per nanosecond (-N) up to here; longer ones are only counted.
HISTOGRAM_LIMIT_NS = 1_000_000
# cyclictest's own options for what `laxity run --idle` calls deep and poll: it holds
# /dev/cpu_dma_latency at 0 unless it is told to leave the system as it is.
CYCLICTEST_IDLE_OPTIONS: Mapping[str, Sequence[str]] = {"deep": ("--default-system",), "poll": ()}
EXIT_NO_TOOL = 3


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: order statistics of one quantity, pooled over the rounds.

    `p99_ns` is None where it lies beyond cyclictest's histogram.
    """

    idle: str
    quantity: str
    n: int
    min_ns: int
    median_ns: int
    p99_ns: int | None
    max_ns: int


@dataclass(frozen=True, slots=True)
class Ratio:
    """A median of ours over cyclictest's, pooled, and the lowest and highest of single rounds."""

    idle: str
    quantity: str
    pooled: float
    lowest_round: float
    highest_round: float


def read_cyclictest(report: Mapping[str, Any]) -> Distribution:
    """Make a distribution of cyclictest's JSON report.

    Args:
        report: As written by `-N -h LIMIT --json=FILE`, one thread.

    Returns:
        Exact to 1 ns up to the histogram's limit; the longer ones are one bucket that ends at the
        maximum.
    """
    thread = report["thread"]["0"]
    histogram = {int(value): int(count) for value, count in thread["histogram"].items()}
    longer = int(thread["cycles"]) - sum(histogram.values())
    lower = [*histogram, *([HISTOGRAM_LIMIT_NS] if longer else [])]
    upper = [*(value + 1 for value in histogram), *([int(thread["max"]) + 1] if longer else [])]
    counts = [*histogram.values(), *([longer] if longer else [])]
    return from_buckets(np.array(lower), np.array(upper), np.array(counts))


def measure_cyclictest(settings: Settings, idle: str, scratch: Path) -> Distribution:
    """Run cyclictest once; `scratch` is a directory for its report."""
    report = scratch / "cyclictest.json"
    command = [
        *("cyclictest", f"-p{settings.priority}", "-m", "-t1", "-a", str(settings.cpu)),
        *("-i", str(settings.period_us), "-l", str(settings.jobs), "-q"),
        *("-N", "-h", str(HISTOGRAM_LIMIT_NS), "--histfile=/dev/null", f"--json={report}"),
        *CYCLICTEST_IDLE_OPTIONS[idle],
    ]
    run_tool(command, settings.timeout_s)
    return read_cyclictest(json.loads(report.read_text(encoding="utf-8")))


def measure_idle(settings: Settings, idle: str) -> list[dict[str, Distribution]]:
    """Run both programs in turn, cyclictest first; one entry per round."""
    rounds: list[dict[str, Distribution]] = []
    for number in range(settings.rounds):
        click.echo(f"idle {idle}: round {number + 1} of {settings.rounds}", err=True)
        with tempfile.TemporaryDirectory(prefix="laxity-bench-") as scratch:
            peer = measure_cyclictest(settings, idle, Path(scratch))
            ours = measure_ours(settings, idle, Path(scratch))
        rounds.append({"cyclictest": peer, **ours})
    return rounds


def describe(idle: str, quantity: str, distribution: Distribution) -> Row:
    """Take the order statistics of one pooled quantity."""
    p99_ns = distribution.quantile_ns(0.99)
    is_beyond = quantity == "cyclictest" and p99_ns >= HISTOGRAM_LIMIT_NS
    return Row(
        idle=idle,
        quantity=quantity,
        n=distribution.n,
        min_ns=distribution.min_ns,
        median_ns=distribution.quantile_ns(0.5),
        p99_ns=None if is_beyond else p99_ns,
        max_ns=distribution.max_ns,
    )


def compare(idle: str, quantity: str, rounds: Sequence[Mapping[str, Distribution]]) -> Ratio:
    """Divide our median by cyclictest's, over all rounds and round by round."""

    def ratio(ours: Distribution, peer: Distribution) -> float:
        return ours.quantile_ns(0.5) / peer.quantile_ns(0.5)

    single = [ratio(each[quantity], each["cyclictest"]) for each in rounds]
    return Ratio(
        idle=idle,
        quantity=quantity,
        pooled=ratio(
            pool([each[quantity] for each in rounds]), pool([each["cyclictest"] for each in rounds])
        ),
        lowest_round=min(single),
        highest_round=max(single),
    )


def print_table(rows: Sequence[Row], ratios: Sequence[Ratio]) -> None:
    """Print the figures in microseconds, and the ratios of the medians."""
    head = f"{'min':>9} {'median':>9} {'p99':>9} {'max':>10}"
    click.echo(f"{'idle':5} {'quantity':18} {'n':>7} {head}")
    for row in rows:
        p99 = ">1000" if row.p99_ns is None else f"{row.p99_ns / 1000:.3f}"
        click.echo(
            f"{row.idle:5} {row.quantity:18} {row.n:7} {row.min_ns / 1000:9.3f}"
            f" {row.median_ns / 1000:9.3f} {p99:>9} {row.max_ns / 1000:10.3f}  us"
        )
    click.echo("\nour median / cyclictest's: pooled (lowest to highest of a round)")
    for each in ratios:
        click.echo(
            f"{each.idle:5} {each.quantity:18} {each.pooled:.3f}"
            f" ({each.lowest_round:.3f} to {each.highest_round:.3f})"
        )


@click.command()
@click.option("--cpu", default=1, show_default=True, help="CPU that both measure.")
@click.option("--priority", default=90, show_default=True, help="SCHED_FIFO priority.")
@click.option("--period-us", default=1000, show_default=True, help="Period in microseconds.")
@click.option("--jobs", default=5000, show_default=True, help="Jobs per run.")
@click.option("--rounds", default=4, show_default=True, help="Runs of each program per setting.")
@click.option(
    "--snapshots",
    type=click.Choice(("none", "cpu", "all")),
    default="all",
    show_default=True,
    help="What ours reads around each job.",
)
@click.option(
    "--idle",
    "idles",
    type=click.Choice(tuple(CYCLICTEST_IDLE_OPTIONS)),
    multiple=True,
    default=tuple(CYCLICTEST_IDLE_OPTIONS),
    help="Idle setting; both unless given.",
)
@click.option(
    "--json",
    "json_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the figures to this file too.",
)
def main(
    idles: tuple[str, ...],
    json_path: Path | None,
    snapshots: str,
    **numbers: int,
) -> None:
    """Compare the harness with cyclictest; needs root and Debian's rt-tests."""
    if shutil.which("cyclictest") is None:
        click.echo("vs_cyclictest: no cyclictest on PATH; install the package rt-tests", err=True)
        raise SystemExit(EXIT_NO_TOOL)
    settings = Settings(**numbers, snapshots=snapshots)
    rows: list[Row] = []
    ratios: list[Ratio] = []
    for idle in idles:
        rounds = measure_idle(settings, idle)
        rows += [
            describe(idle, quantity, pool([each[quantity] for each in rounds]))
            for quantity in ("cyclictest", *OURS)
        ]
        ratios += [compare(idle, quantity, rounds) for quantity in OURS[:2]]
    print_table(rows, ratios)
    if json_path is not None:
        report = {
            "settings": asdict(settings),
            "rows": [asdict(row) for row in rows],
            "ratios": [asdict(each) for each in ratios],
        }
        json_path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
