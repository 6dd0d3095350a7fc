#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Measure what the snapshots around each job add to an empty job, at several periods.

The modes of `--snapshots` run in turn, round by round, each round beginning with another one.
bench/README.md says how to read the table.
"""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import click
from bench.common import Settings, measure_ours, pool

from laxity.statistics.distribution import Distribution

MODES = ("none", "cpu", "all")
QUANTITIES = ("release_to_finish", "start_to_finish")
Round = Mapping[str, Mapping[str, Distribution]]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: order statistics of one quantity, pooled over the rounds."""

    period_us: int
    snapshots: str
    quantity: str
    n: int
    min_ns: int
    median_ns: int
    p99_ns: int
    max_ns: int


@dataclass(frozen=True, slots=True)
class Difference:
    """A median less that of mode none, pooled, and the lowest and highest of single rounds."""

    period_us: int
    snapshots: str
    quantity: str
    pooled_ns: int
    lowest_round_ns: int
    highest_round_ns: int


def measure_round(settings: Settings, idle: str, number: int) -> Round:
    """Run every mode once; the order is turned by one with each round."""
    first = number % len(MODES)
    found = {}
    for mode in MODES[first:] + MODES[:first]:
        with tempfile.TemporaryDirectory(prefix="laxity-bench-") as scratch:
            found[mode] = measure_ours(replace(settings, snapshots=mode), idle, Path(scratch))
    return found


def describe(period_us: int, rounds: Sequence[Round]) -> Iterator[Row]:
    """Take the order statistics of every quantity in every mode."""
    for quantity in QUANTITIES:
        for mode in MODES:
            pooled = pool([each[mode][quantity] for each in rounds])
            yield Row(
                period_us=period_us,
                snapshots=mode,
                quantity=quantity,
                n=pooled.n,
                min_ns=pooled.min_ns,
                median_ns=pooled.quantile_ns(0.5),
                p99_ns=pooled.quantile_ns(0.99),
                max_ns=pooled.max_ns,
            )


def compare(period_us: int, rounds: Sequence[Round]) -> Iterator[Difference]:
    """Subtract the median without snapshots, over all rounds and round by round."""

    def median_ns(of: Sequence[Round], mode: str, quantity: str) -> int:
        return pool([each[mode][quantity] for each in of]).quantile_ns(0.5)

    def difference_ns(of: Sequence[Round], mode: str, quantity: str) -> int:
        return median_ns(of, mode, quantity) - median_ns(of, MODES[0], quantity)

    for quantity in QUANTITIES:
        for mode in MODES[1:]:
            single = [difference_ns([each], mode, quantity) for each in rounds]
            yield Difference(
                period_us=period_us,
                snapshots=mode,
                quantity=quantity,
                pooled_ns=difference_ns(rounds, mode, quantity),
                lowest_round_ns=min(single),
                highest_round_ns=max(single),
            )


def print_tables(rows: Sequence[Row], differences: Sequence[Difference]) -> None:
    """Print the figures in microseconds, and what each mode adds to the median."""
    head = f"{'min':>9} {'median':>9} {'p99':>9} {'max':>10}"
    click.echo(f"{'period':>9} {'quantity':18} {'snapshots':9} {'n':>7} {head}")
    for row in rows:
        values = f"{row.min_ns / 1000:9.3f} {row.median_ns / 1000:9.3f} {row.p99_ns / 1000:9.3f}"
        click.echo(
            f"{row.period_us:7}us {row.quantity:18} {row.snapshots:9} {row.n:7} {values}"
            f" {row.max_ns / 1000:10.3f}  us"
        )
    click.echo("\nmedian less that of none: pooled (lowest to highest of a round)")
    for each in differences:
        click.echo(
            f"{each.period_us:7}us {each.quantity:18} {each.snapshots:9}"
            f" {each.pooled_ns / 1000:+9.3f} ({each.lowest_round_ns / 1000:+.3f}"
            f" to {each.highest_round_ns / 1000:+.3f})  us"
        )


@click.command()
@click.option("--cpu", default=1, show_default=True, help="CPU that is measured.")
@click.option("--priority", default=90, show_default=True, help="SCHED_FIFO priority.")
@click.option(
    "--period-us",
    "periods_us",
    type=int,
    multiple=True,
    default=(1000, 10000),
    show_default=True,
    help="Period in microseconds; repeatable.",
)
@click.option("--jobs", default=500, show_default=True, help="Jobs per run.")
@click.option("--rounds", default=12, show_default=True, help="Runs of each mode per period.")
@click.option(
    "--idle", type=click.Choice(("deep", "poll")), default="deep", show_default=True, help="As run."
)
@click.option(
    "--json",
    "json_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the figures to this file too.",
)
def main(periods_us: tuple[int, ...], idle: str, json_path: Path | None, **numbers: int) -> None:
    """Measure what the snapshots around each job cost; needs root."""
    rows: list[Row] = []
    differences: list[Difference] = []
    for period_us in periods_us:
        settings = Settings(**numbers, period_us=period_us, snapshots=MODES[0])
        rounds = []
        for number in range(settings.rounds):
            click.echo(f"{period_us} us: round {number + 1} of {settings.rounds}", err=True)
            rounds.append(measure_round(settings, idle, number))
        rows += describe(period_us, rounds)
        differences += compare(period_us, rounds)
    print_tables(rows, differences)
    if json_path is not None:
        report = {
            "settings": {**numbers, "idle": idle, "periods_us": periods_us},
            "rows": [asdict(row) for row in rows],
            "differences": [asdict(each) for each in differences],
        }
        json_path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
