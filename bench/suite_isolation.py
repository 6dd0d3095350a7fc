#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Measure what each isolation mode costs, and that it costs nothing of the job.

One program with RT-Bench's hooks, linked as a workload of its own (`plain`) and as a guest, which
runs in each mode. All settings run in turn, round by round, each round beginning with another one.
bench/README.md says how to read the tables.
"""

import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click
from bench.common import OURS, ROOT, Settings, pool, read_ours, run_tool

from laxity.errors import LaxityError
from laxity.statistics.distribution import Distribution
from laxity.suites.discover import discover
from laxity.suites.toolchain import Toolchain
from laxity.suites.vetting import VetRequest, build_guest

PLAIN = "plain"
MODES = ("none", "reinit", "restore", "fork", "exec")
# Its state is as large as the largest of TACLeBench's programs; each job changes all of it.
SOURCE = """\
enum {{ STATE_BYTES = 124 * 1024, LINE_BYTES = 64, PASSES = {passes} }};
static volatile unsigned char state[STATE_BYTES];
int benchmark_init(int argc, void **argv)
{{ (void)argc; (void)argv; state[0] = 1; return 0; }}
void benchmark_execution(int argc, void **argv)
{{
    (void)argc;
    (void)argv;
    for (int pass = 0; pass < PASSES; pass++)
        for (unsigned at = 0; at < STATE_BYTES; at += LINE_BYTES)
            state[at]++;
}}
void benchmark_teardown(int argc, void **argv) {{ (void)argc; (void)argv; }}
"""
MAKEFILE = """\
include ${RTBENCH_PATH}/generator/rtbench.mk
plain: rtbench
\t$(CC) -O2 $(CFLAGS) state.c -o $@ $(LDFLAGS)
"""
SPEC = """\
schema = 1
[run]
jobs = {jobs}
idle = "{idle}"
snapshots = "{snapshots}"
[[task]]
name = "state"
workload = "{workload}"
args = {args}
period = "{period_us}us"
priority = {priority}
cpus = "{cpu}"
"""


@dataclass(frozen=True, slots=True)
class Built:
    """The program in both forms."""

    plain: Path
    guest: Path


@dataclass(frozen=True, slots=True)
class Measured:
    """One run: its quantities, and the mean of what isolating took between jobs (None: plain)."""

    quantities: Mapping[str, Distribution]
    isolating_mean_ns: int | None


@dataclass(frozen=True, slots=True)
class Row:
    """One line: order statistics over all rounds, ratios to plain as medians over the rounds."""

    setting: str
    quantity: str
    n: int
    min_ns: int
    median_ns: int
    p99_ns: int
    min_ratio: float
    median_ratio: float


@dataclass(frozen=True, slots=True)
class Cost:
    """What isolating took between two jobs: means of runs, and their lowest and highest."""

    setting: str
    rounds: int
    median_of_means_ns: int
    lowest_mean_ns: int
    highest_mean_ns: int


def build(scratch: Path, passes: int) -> Built:
    """Build the program as a workload and as a guest; a job makes `passes` over its state."""
    tree, objects = scratch / "tree", scratch / "objects"
    tree.mkdir()
    objects.mkdir()
    (tree / "state.c").write_text(SOURCE.format(passes=passes), encoding="ascii")
    (tree / "Makefile").write_text(MAKEFILE, encoding="ascii")
    make = ["make", "-C", str(tree), f"RTBENCH_PATH={ROOT / 'rtbench'}", "plain"]
    run_tool(make, timeout_s=120)
    toolchain = Toolchain()
    program = discover(tree, objects, toolchain).programs[0]
    guest = build_guest(VetRequest(tree.resolve(), objects, toolchain, 1), program)
    if isinstance(guest, str):
        msg = f"the guest cannot be built: {guest}"
        raise click.ClickException(msg)
    return Built(tree / "plain", guest)


def measure(settings: Settings, idle: str, built: Built, setting: str) -> Measured:
    """Run one setting once."""
    words = [str(built.guest), "state", "hooks", setting, "returned:0:-:-:-", ""]
    with tempfile.TemporaryDirectory(prefix="laxity-bench-") as scratch:
        spec, run_dir = Path(scratch, "spec.toml"), Path(scratch, "run")
        spec.write_text(
            SPEC.format(
                **asdict(settings),
                idle=idle,
                workload=built.plain if setting == PLAIN else "guest",
                args=json.dumps([] if setting == PLAIN else words),
            ),
            encoding="utf-8",
        )
        command = [str(ROOT / "laxity"), "run", str(spec), "--run-dir", str(run_dir)]
        run_tool([*command, "--quiet", "--no-report"], settings.timeout_s)
        isolating = json.loads((run_dir / "manifest.json").read_text())["tasks"][0].get("isolating")
        return Measured(read_ours(run_dir), isolating["mean_ns"] if isolating else None)


def modes_of(settings: Settings, built: Built) -> tuple[str, ...]:
    """List the modes that this build serves: one job each."""
    served = []
    for mode in MODES:
        words = f"{built.guest} state hooks {mode} returned:0:-:-:- /dev/null"
        command = [str(ROOT / "build" / "workloads" / "guest"), "-p", "0.01", "-t", "1"]
        done = subprocess.run(
            [*command, "-b", words], capture_output=True, timeout=settings.timeout_s, check=False
        )
        if done.returncode == 0:
            served.append(mode)
        else:
            click.echo(f"mode {mode} is not in this build", err=True)
    return tuple(served)


def describe(rounds: Sequence[Mapping[str, Measured]]) -> Iterator[Row]:
    """Take the order statistics of each quantity in each setting, and compare with plain."""
    for quantity in OURS:
        for setting in rounds[0]:
            single = [each[setting].quantities[quantity] for each in rounds]
            plain = [each[PLAIN].quantities[quantity] for each in rounds]
            pairs = list(zip(single, plain, strict=True))
            pooled = pool(single)
            yield Row(
                setting=setting,
                quantity=quantity,
                n=pooled.n,
                min_ns=pooled.min_ns,
                median_ns=pooled.quantile_ns(0.5),
                p99_ns=pooled.quantile_ns(0.99),
                min_ratio=middle([one.min_ns / other.min_ns for one, other in pairs]),
                median_ratio=middle(
                    [one.quantile_ns(0.5) / other.quantile_ns(0.5) for one, other in pairs]
                ),
            )


def middle(values: Sequence[float]) -> float:
    """Return the lower median."""
    return sorted(values)[(len(values) - 1) // 2]


def costs_of(rounds: Sequence[Mapping[str, Measured]]) -> Iterator[Cost]:
    """Say what isolating took in each mode."""
    for setting in rounds[0]:
        means = [each[setting].isolating_mean_ns for each in rounds]
        known = [one for one in means if one is not None]
        if known:
            yield Cost(setting, len(known), int(middle(known)), min(known), max(known))


def print_tables(rows: Sequence[Row], costs: Sequence[Cost]) -> None:
    """Print the figures in microseconds."""
    head = f"{'min':>9} {'median':>9} {'p99':>9} {'of min':>8} {'of median':>10}"
    click.echo(f"{'quantity':18} {'setting':8} {'n':>6} {head}")
    for row in rows:
        times = f"{row.min_ns / 1000:9.2f} {row.median_ns / 1000:9.2f} {row.p99_ns / 1000:9.2f}"
        ratios = f"{row.min_ratio:8.3f} {row.median_ratio:10.3f}"
        click.echo(f"{row.quantity:18} {row.setting:8} {row.n:6} {times} {ratios}  us, ratios")
    click.echo("\nisolating, between jobs: mean of a run; median, lowest and highest of the rounds")
    for cost in costs:
        means = (cost.median_of_means_ns, cost.lowest_mean_ns, cost.highest_mean_ns)
        times = " ".join(f"{one / 1000:9.2f}" for one in means)
        click.echo(f"{cost.setting:8} {cost.rounds:3} rounds {times}  us")


@click.command()
@click.option("--cpu", default=1, show_default=True, help="CPU that is measured.")
@click.option("--priority", default=80, show_default=True, help="SCHED_FIFO priority.")
@click.option("--period-us", default=5000, show_default=True, help="Period in microseconds.")
@click.option("--jobs", default=200, show_default=True, help="Jobs per run.")
@click.option("--rounds", default=9, show_default=True, help="Runs of each setting.")
@click.option("--passes", default=10, show_default=True, help="Of a job over its state.")
@click.option(
    "--idle", type=click.Choice(("deep", "poll")), default="deep", show_default=True, help="As run."
)
@click.option(
    "--json",
    "json_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the figures to this file too.",
)
def main(passes: int, idle: str, json_path: Path | None, **numbers: int) -> None:
    """Measure what isolation modes cost, on and off the measured path; needs root."""
    settings = Settings(**numbers, snapshots="all")
    rounds: list[Mapping[str, Measured]] = []
    with tempfile.TemporaryDirectory(prefix="laxity-bench-") as scratch:
        try:
            built = build(Path(scratch), passes)
        except LaxityError as error:
            raise click.ClickException(str(error)) from error
        names = (PLAIN, *modes_of(settings, built))
        for number in range(settings.rounds):
            click.echo(f"round {number + 1} of {settings.rounds}", err=True)
            first = number % len(names)
            order = names[first:] + names[:first]
            found = {name: measure(settings, idle, built, name) for name in order}
            rounds.append({name: found[name] for name in names})
    rows, costs = list(describe(rounds)), list(costs_of(rounds))
    print_tables(rows, costs)
    if json_path is not None:
        report = {
            "settings": {**numbers, "passes": passes, "idle": idle},
            "rows": [asdict(row) for row in rows],
            "isolating": [asdict(cost) for cost in costs],
        }
        json_path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
