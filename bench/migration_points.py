#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How much waiting for a migration point saves on recorded runs of a suite, and whether it holds.

    env PYTHONPATH=python .venv/bin/python -m bench.migration_points tacle-bench/bench

Each program runs once. At 25, 50 and 75 % of its run the live set there is compared with the
cheapest candidate within 5 % of the run before and behind; short runs are also spelled out, and the
answer must be the same. Points are placed 10 % of the longest run apart at most:
their distances on the run, and when it came by each candidate, must be as said.
"""

import os
import shutil
import statistics
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from laxity.analysis.migration_trace import Run
from laxity.experiments.working_set_points import PointsAsked, migration_points, read_run
from laxity.experiments.working_set_weights import stated_bounds
from laxity.model.migration_points import MigrationPoints
from laxity.runner.tools import find_tool
from laxity.runner.working_set import analyse
from laxity.store.working_set import INSTRUCTIONS, read_table
from laxity.suites.bitcode import BitcodeToolchain, Form, bitcode_toolchain
from laxity.suites.bitcode_programs import BitcodeProgram, Place, programs_of_suites

RUNTIME = Path(__file__).parents[1] / "workingset" / "mark" / "runtime" / "segments.c"
AT_PERCENT = (25, 50, 75)
REACH_PERCENT = 5
DISTANCE_PERCENT = 10
# As the prototype counted.
MUCH_PERCENT = 10
# Beyond it a run is not spelled out.
MOST_SPELLED = 5_000_000
# A recorded run is 4 bytes a segment; one that is larger is given up.
MOST_TRACE_BYTES = 400_000_000
PATIENCE_S = 120


@dataclass(frozen=True)
class Found:
    """What was found of one program."""

    run: Run
    points: MigrationPoints
    saved: list[float]


def record(program: BitcodeProgram, scratch: Path) -> tuple[Path, Path]:
    """Run a program once; what its segments are, and which were executed."""
    traced, table, trace = scratch / "t.bc", scratch / "segments.csv", scratch / "trace"
    marker = str(find_tool("laxity-workingset-mark"))
    words = [marker, str(program.bitcode), "--segments", str(table), str(traced)]
    subprocess.run(words, check=True)
    built = ["clang-19", "-w", "-O1", str(traced), str(RUNTIME), "-lm", "-o", str(scratch / "p")]
    subprocess.run(built, check=True)
    limited = f"ulimit -f {MOST_TRACE_BYTES // 1024}; exec {scratch / 'p'}"
    environment = {**os.environ, "LAXITY_SEGMENTS": str(trace)}
    done = subprocess.run(
        [shutil.which("bash") or "/bin/bash", "-c", limited],
        env=environment,
        check=False,
        cwd=scratch,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE_S,
    )
    if done.returncode < 0 or trace.stat().st_size >= MOST_TRACE_BYTES - 4096:
        msg = f"the run did not end by itself ({done.returncode})"
        raise RuntimeError(msg)
    return table, trace


def judge(program: BitcodeProgram, toolchain: BitcodeToolchain, scratch: Path) -> Found:
    """Analyse, record and compare one program."""
    named = [(program.name, program.bitcode)]
    (one,) = analyse(named, scratch, "sroa", None, PATIENCE_S)
    table = read_table(one.directory / INSTRUCTIONS)
    table = table.chosen(np.array([word != "unreached" for word in table.texts("status")]))
    bounds = stated_bounds(toolchain, program, one).most
    asked = PointsAsked(DISTANCE_PERCENT, is_percent=True)
    points = migration_points(asked, one.directory, table, bounds, "main")
    if not points.candidates:
        raise RuntimeError(points.reason)
    run = read_run(one.directory, *record(program, scratch), points.candidates)
    check(run, points)
    reach = run.length * REACH_PERCENT // 100
    saved = []
    for percent in AT_PERCENT:
        found = run.within_reach(run.length * percent // 100, reach)
        if np.isfinite(found.here) and found.here and found.least is not None:
            saved.append(1 - found.least / found.here)
    if run.length <= MOST_SPELLED:
        check_spelled(run, reach)
    return Found(run, points, saved)


def require(holds: bool, what: str) -> None:
    """Stop where the analysis does not hold."""
    if not holds:
        msg = f"WRONG: {what}"
        raise RuntimeError(msg)


def check(run: Run, points: MigrationPoints) -> None:
    """Compare what was said of all runs with this one."""
    if points.longest_run is not None:
        require(run.length <= points.longest_run, f"a run of {run.length}")
    by_number = {one.number: one for one in points.candidates}
    for number, (first, last) in run.visits().items():
        one = by_number[number]
        require(one.earliest is not None and one.earliest <= first, f"{one} at {first}")
        require(one.latest is None or last <= one.latest, f"{one} at {last}")
    if points.placed is not None and points.largest_distance is not None:
        found = run.largest_distance(frozenset(points.placed))
        require(found <= points.largest_distance, f"a distance of {found}")


def check_spelled(run: Run, reach: int) -> None:
    """Compare the windows with a look at each of their instructions."""
    bits, is_candidate = run.sizes()
    for percent in range(0, 100, 5):
        position = run.length * percent // 100
        low = max(0, position - reach)
        flags = is_candidate[low : position + reach + 1]
        least = bits[low : position + reach + 1][flags].min() if flags.any() else None
        require(run.within_reach(position, reach).least == least, f"a window at {position}")


@click.command(help=__doc__)
@click.argument("suite", type=click.Path(path_type=Path))
@click.option("--only", multiple=True, help="This program alone. Repeatable.")
def main(suite: Path, only: tuple[str, ...]) -> None:
    """Judge the programs of a suite."""
    toolchain = bitcode_toolchain(Form.SROA, None, ())
    means: dict[str, float] = {}
    click.echo(
        "program run_instructions spelled_out saved_percent placed largest_bits of_max_percent"
    )
    with tempfile.TemporaryDirectory() as build:
        place = Place(Path(build), toolchain)
        for program in programs_of_suites([suite], only, place).programs:
            with tempfile.TemporaryDirectory() as scratch:
                try:
                    found = judge(program, toolchain, Path(scratch))
                except (RuntimeError, OSError, subprocess.SubprocessError) as error:
                    click.echo(f"{program.name}: {type(error).__name__}: {error}")
                    continue
            click.echo(" ".join([program.name, *row(found)]))
            if found.saved:
                means[program.name] = 100 * statistics.mean(found.saved)
    if means:
        best = max(means, key=lambda one: means[one])
        click.echo(
            f"mean of {len(means)} programs {statistics.mean(means.values()):.1f} %, above 10 % in "
            f"{sum(one > MUCH_PERCENT for one in means.values())}, best {best} "
            f"{means[best]:.0f} %; bits, n = "
            "3 windows of 5 % either side in one run each (prototype 13.3 %, 51 programs, inlined; "
            "OSPERT'19 up to 76 %)"
        )


def row(found: Found) -> list[str]:
    """Show a program."""
    saved = f"{100 * statistics.mean(found.saved):.1f}" if found.saved else "-"
    placed = found.points.placed
    most = max((one.live_bits or 0 for one in found.points.candidates), default=0)
    largest = found.points.largest_bits
    return [
        str(found.run.length),
        "yes" if found.run.length <= MOST_SPELLED else "no",
        saved,
        found.points.reason.replace(" ", "_") or ("none" if placed is None else str(len(placed))),
        "-" if largest is None else str(largest),
        "-" if largest is None or not most else f"{100 * largest / most:.0f}",
    ]


if __name__ == "__main__":
    main()
