#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What counters cost an empty job, on top of the snapshots none, cpu and all.

All settings run in turn, round by round, because the state of a machine drifts by more than the
difference looked for. Software events are counted: they take the same way through the kernel as a
PMU's (perf_event_open, one read per group) and exist on every machine. bench/README.md says how to
read the table.
"""

import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click
import numpy as np

from laxity.core.streams import Status
from laxity.statistics.distribution import from_samples
from laxity.store.npy import read_stream

ROOT = Path(__file__).resolve().parent.parent
EVENTS = ("page-faults", "context-switches", "task-clock")
SETTINGS: Mapping[str, Sequence[str]] = {
    "none": ("--snapshots", "none"),
    "cpu": ("--snapshots", "cpu"),
    "all": ("--snapshots", "all"),
    "all + 1 event": ("--event", EVENTS[0]),
    "all + 3 events": tuple(word for event in EVENTS for word in ("--event", event)),
    "all + 3, -M 1ms": (
        *(word for event in EVENTS for word in ("--event", event)),
        *("--sample-bucket", "1ms"),
    ),
}
TIMEOUT_FACTOR = 3
TIMEOUT_EXTRA_S = 60


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: order statistics of one quantity, pooled over the rounds."""

    setting: str
    quantity: str
    n: int
    min_ns: int
    median_ns: int
    p99_ns: int
    max_ns: int


def measure(words: Sequence[str], cpu: int, period_us: int, jobs: int) -> dict[str, list[int]]:
    """Run the empty workload once.

    Args:
        words: Options of laxity-run for the setting.
        cpu: CPU of the task.
        period_us: Period in microseconds.
        jobs: Started jobs.

    Returns:
        Samples in ns by quantity, finished jobs only.
    """
    with tempfile.TemporaryDirectory(prefix="laxity-bench-") as scratch:
        run_dir = Path(scratch) / "run"
        build = ROOT / "build"
        command = [str(build / "native" / "laxity-run"), "--run-dir", str(run_dir), *words, "--"]
        command += [str(build / "workloads" / "empty"), "-p", f"{period_us}us", "-t", str(jobs)]
        command += ["-c", str(cpu), "-f", "90"]
        timeout_s = TIMEOUT_FACTOR * jobs * period_us / 1e6 + TIMEOUT_EXTRA_S
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout_s, check=False
        )
        if done.returncode:
            msg = f"{' '.join(command)}: exit code {done.returncode}: {done.stderr[-500:]}"
            raise click.ClickException(msg)
        rows = read_stream(run_dir / "jobs.npy").data
        native = json.loads((run_dir / "native.json").read_text(encoding="utf-8"))
    rows = rows[np.isin(rows["status"], (Status.DONE, Status.MISSED))]
    samples = {
        "start to finish": (rows["finish_ns"] - rows["start_ns"]).tolist(),
        "release to finish": (rows["finish_ns"] - rows["release_ns"]).tolist(),
    }
    if native["snapshots"]["wall_ns"] is not None:
        samples["pair of snapshots"] = [native["snapshots"]["wall_ns"]]
    return samples


def describe(setting: str, quantity: str, samples: Sequence[int]) -> Row:
    """Take the order statistics of pooled samples."""
    pooled = from_samples(np.array(samples, dtype=np.int64))
    return Row(
        setting=setting,
        quantity=quantity,
        n=pooled.n,
        min_ns=pooled.min_ns,
        median_ns=pooled.quantile_ns(0.5),
        p99_ns=pooled.quantile_ns(0.99),
        max_ns=pooled.max_ns,
    )


@click.command()
@click.option("--cpu", default=1, show_default=True, help="CPU of the task.")
@click.option("--period-us", default=1000, show_default=True, help="Period in microseconds.")
@click.option("--jobs", default=2000, show_default=True, help="Jobs per run.")
@click.option("--rounds", default=4, show_default=True, help="Runs of each setting.")
@click.option(
    "--json",
    "json_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the figures to this file too.",
)
def main(cpu: int, period_us: int, jobs: int, rounds: int, json_path: Path | None) -> None:
    """Measure what the harness costs an empty job; needs permission for SCHED_FIFO."""
    pooled: dict[tuple[str, str], list[int]] = {}
    for number in range(rounds):
        click.echo(f"round {number + 1} of {rounds}", err=True)
        for setting, words in SETTINGS.items():
            for quantity, samples in measure(words, cpu, period_us, jobs).items():
                pooled.setdefault((setting, quantity), []).extend(samples)
    rows = [describe(*key, samples) for key, samples in pooled.items()]
    order = list(dict.fromkeys(quantity for _, quantity in pooled))
    rows.sort(key=lambda row: order.index(row.quantity))
    head = f"{'min':>9} {'median':>9} {'p99':>9} {'max':>10}"
    click.echo(f"{'quantity':18} {'setting':16} {'n':>7} {head}")
    for row in rows:
        click.echo(
            f"{row.quantity:18} {row.setting:16} {row.n:7} {row.min_ns / 1000:9.3f}"
            f" {row.median_ns / 1000:9.3f} {row.p99_ns / 1000:9.3f} {row.max_ns / 1000:10.3f}  us"
        )
    if json_path is not None:
        figures = [asdict(row) for row in rows]
        json_path.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
