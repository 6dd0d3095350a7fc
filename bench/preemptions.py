#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Recover known preemptions from the trace, and see what the victim itself sees of them.

bench/README.md says how to read the table.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click
import numpy as np
from bench.common import ROOT, run_tool
from bench.known_preemptions import GAP_FROM, GAP_TO, VICTIM, known_preemptions, write_spec

from laxity.core.spec import TRACE_BACKENDS
from laxity.core.streams import SchedKind
from laxity.jobs import rows as job_analysis
from laxity.jobs.run_data import RunData
from laxity.platform.tools import find_tool
from laxity.report.read_run import read_page
from laxity.store.run_directory import Run, open_run

TIMEOUT_S = 300
NEAR_NS = 1000


@dataclass(slots=True)
class Found:
    """What one back-end made of the known preemptions; times in ns, one value per preemption."""

    known: int = 0
    recovered: int = 0
    longer_than_job: list[int] = field(default_factory=list)
    longer_than_absence: list[int] = field(default_factory=list)
    before_off: list[int] = field(default_factory=list)
    after_on: list[int] = field(default_factory=list)
    interrupts: list[int] = field(default_factory=list)
    unexplained: dict[str, list[int]] = field(default_factory=dict)


def _measure(spec: str, backend: str, directory: Path) -> Run:
    path = directory / "set.toml"
    path.write_text(spec)
    words = ["run", str(path), "--trace-backend", backend, "--run-dir", str(directory / "D")]
    run_tool([str(ROOT / "laxity"), *words, "--quiet", "--no-report"], TIMEOUT_S)
    return open_run(directory / "D")


def _gaps(run: Run) -> tuple[Sequence[int], Sequence[int]]:
    """Begins and ends of what the victim saw as gaps."""
    marks = np.ma.getdata(run.stream("probe"))
    return marks["value"][marks["probe"] == GAP_FROM], marks["value"][marks["probe"] == GAP_TO]


def _compare(data: RunData, run: Run, found: Found) -> None:
    victim = data.attributions[VICTIM]
    rows = job_analysis.finished(data.tasks[VICTIM].rows)
    sched = np.ma.getdata(run.stream("sched"))
    victim_tid = int(rows["tid"][0])
    mine = sched[sched["tid"] == victim_tid]
    entries = mine["time_ns"][mine["kind"] == SchedKind.IRQ_IN]
    offs = mine["time_ns"][mine["kind"] == SchedKind.OFF]
    gap_from, gap_to = _gaps(run)
    for known in known_preemptions(data):
        found.known += 1
        pieces = [
            one
            for one in victim.preemptions
            if one.tid == known.tid
            and one.from_ns < known.finish_ns
            and known.start_ns < one.from_ns + one.duration_ns
        ]
        if len(pieces) != 1:
            continue
        found.recovered += 1
        off, on = pieces[0].from_ns, pieces[0].from_ns + pieces[0].duration_ns
        found.longer_than_job.append(on - off - (known.finish_ns - known.start_ns))
        at = int(np.searchsorted(gap_from, off)) - 1
        if at < 0 or gap_to[at] < on:
            continue
        # A gap with more than one absence in it says nothing of either.
        if np.count_nonzero((offs > gap_from[at]) & (offs < gap_to[at])) != 1:
            continue
        found.longer_than_absence.append(int(gap_to[at] - gap_from[at]) - (on - off))
        found.before_off.append(off - int(gap_from[at]))
        found.after_on.append(int(gap_to[at]) - on)
        within = entries[(entries > gap_from[at]) & (entries <= off)]
        if len(within):
            found.interrupts.append(int(within[0]) - int(gap_from[at]))
    for task in data.tasks:
        pieces_of = data.attributions[task.result.index].pieces
        left = pieces_of.unexplained_ns[pieces_of.is_known]
        found.unexplained.setdefault(task.result.name, []).extend(left.tolist())


def _show(label: str, values: Sequence[int]) -> str:
    if not values:
        return f"  {label:34} not supplied\n"
    low, median, high = (float(np.percentile(values, q)) / 1e3 for q in (0, 50, 90))
    return (
        f"  {label:34} n {len(values):5}  min {low:7.2f}  median {median:7.2f}  "
        f"p90 {high:7.2f} us\n"
    )


@click.command()
@click.option("--cpu", type=int, default=1, show_default=True)
@click.option("--seconds", type=int, default=5, show_default=True, help="Length of each run.")
@click.option("--rounds", type=int, default=3, show_default=True, help="Runs of each back-end.")
@click.option("--snapshots", default="cpu", show_default=True)
def main(cpu: int, seconds: int, rounds: int, snapshots: str) -> None:
    """Recover known preemptions by each back-end, in turn."""
    gaps = find_tool("laxity-run").parent.parent / "tests" / "native" / "gaps"
    spec = write_spec(gaps, cpu, seconds, snapshots)
    found = {backend: Found() for backend in TRACE_BACKENDS}
    for _ in range(rounds):
        for backend, one in found.items():
            with tempfile.TemporaryDirectory() as directory:
                run = _measure(spec, backend, Path(directory))
                (data,) = read_page(run).runs
                _compare(data, run, one)
    for backend, one in found.items():
        click.echo(f"{backend}: {one.recovered} of {one.known} known preemptions recovered")
        click.echo(_show("off to on, beyond start to finish", one.longer_than_job), nl=False)
        click.echo(_show("gap the victim saw, beyond off to on", one.longer_than_absence), nl=False)
        click.echo(_show("  of it before off", one.before_off), nl=False)
        click.echo(_show("    of it before the interrupt", one.interrupts), nl=False)
        click.echo(_show("  of it after on", one.after_on), nl=False)
        for name, left in one.unexplained.items():
            near = np.mean(np.abs(left) <= NEAR_NS) * 100
            text = f"{near:.1f} % of {len(left)} jobs within 1 us"
            click.echo(f"  unexplained, {name:21} {text}, median {np.median(left) / 1e3:.2f} us")


if __name__ == "__main__":
    main()
