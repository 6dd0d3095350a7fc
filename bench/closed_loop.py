#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Close the loop: measure a task set and its platform, bound it, run it, compare.

Whole commands, as a user types them; bench/README.md says how to read the answer.
"""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from bench.common import ROOT

from laxity.errors import EXIT_NO_VERDICT, EXIT_VIOLATED

# The two measurements of costs take a minute each; a command that takes ten times that hangs.
TIMEOUT_S = 600
# Sizes around the working sets below; gamma is taken at the least one that holds a working set.
GAMMA_SIZES = "32KiB,64KiB,256KiB,512KiB"


@dataclass(frozen=True, slots=True)
class Declared:
    """A task of the set, without its wcet: that is measured."""

    name: str
    workload: str
    args: tuple[str, ...]
    period: str
    priority: int
    working_set: str


# A quarter of one CPU, from a job that preempts to one that is preempted many times; the costs of a
# shared machine, each at its maximum, take as much again.
TASKS = (
    Declared("control", "mem", ("64KiB", "800"), "10ms", 90, "64KiB"),
    Declared("filter", "cpu", ("25000", "25000"), "20ms", 80, "25KiB"),
    Declared("video", "mem", ("512KiB", "1000"), "80ms", 70, "512KiB"),
    Declared("logger", "cpu", ("200000", "200000"), "200ms", 60, "196KiB"),
)


def table_of(task: Declared, cpu: int, wcet_from: str | None = None) -> str:
    """Write a [[task]]; with `wcet_from` the name of the run that measured it alone."""
    args = ", ".join(f'"{word}"' for word in task.args)
    lines = [
        "[[task]]",
        f'name = "{task.name}"',
        f'workload = "{task.workload}"',
        f"args = [{args}]",
        f'period = "{task.period}"',
        f"priority = {task.priority}",
        f'cpus = "{cpu}"',
        f'working_set = "{task.working_set}"',
    ]
    if wcet_from is not None:
        lines.append(f'wcet_from = "{wcet_from}"')
    return "\n".join(lines) + "\n"


def alone_spec(task: Declared, cpu: int, seconds: int) -> str:
    """Write a run of one task whose caches something of ordinary priority empties meanwhile.

    A bound takes wcet to hold with cold caches at the start of a job.
    """
    return (
        f'schema = 1\n[run]\nduration = "{seconds}s"\n{table_of(task, cpu)}'
        f'[[interfere]]\nworkload = "bandwidth"\nargs = ["write", "4MiB"]\ncpus = "{cpu}"\n'
    )


def laxity(words: Sequence[str], timeout_s: int = TIMEOUT_S) -> str:
    """Run one command of laxity; of `bound`, not schedulable and not provable are answers."""
    click.echo(f"$ laxity {' '.join(words)}", err=True)
    done = subprocess.run(
        [str(ROOT / "laxity"), *words], check=False, stdout=-1, text=True, timeout=timeout_s
    )
    is_answer = words[0] == "bound" and done.returncode in (EXIT_VIOLATED, EXIT_NO_VERDICT)
    if done.returncode and not is_answer:
        msg = f"laxity {' '.join(words)}: exit code {done.returncode}"
        raise click.ClickException(msg)
    return done.stdout


@click.command()
@click.option("--cpu", type=int, default=1, show_default=True, help="Of all tasks.")
@click.option("--alone", type=int, default=30, show_default=True, help="Seconds, each task alone.")
@click.option("--duration", default="10m", show_default=True, help="Of the run that is compared.")
@click.option("--margin", default="20%", show_default=True, help="On each wcet_from and each cost.")
@click.option("--out", "out", type=click.Path(path_type=Path), required=True, help="New directory.")
def main(cpu: int, alone: int, duration: str, margin: str, out: Path) -> None:
    """Measure, bound, run and compare; everything stays in OUT."""
    out.mkdir(parents=True)
    tables = []
    for task in TASKS:
        spec = out / f"alone-{task.name}.toml"
        spec.write_text(alone_spec(task, cpu, alone))
        run_dir = out / f"alone-{task.name}"
        laxity(["run", str(spec), "--run-dir", str(run_dir), "--no-report", "--quiet"])
        tables.append(table_of(task, cpu, run_dir.name))
    task_set = out / "tasks.toml"
    task_set.write_text(
        f'schema = 1\n[run]\nduration = "{duration}"\ntrace = true\n{"".join(tables)}'
    )
    quiet = ("--no-report", "--quiet", "--cpus", str(cpu))
    switch, crpd, costs = (str(out / name) for name in ("switch", "crpd", "costs.json"))
    laxity(["measure", "switch", "--run-dir", switch, *quiet])
    laxity(["measure", "crpd", "--pattern", "sequential", "--sizes", GAMMA_SIZES,
            "--run-dir", crpd, *quiet])  # fmt: skip
    laxity(["costs", "merge", switch, crpd, "-o", costs])
    bound = ["bound", str(task_set), "--costs", costs, "--margin", margin]
    click.echo(laxity(bound))
    run_dir = out / "run"
    # As long as it takes, and its trace has to be written: the run has its own end.
    laxity(["run", str(task_set), "--run-dir", str(run_dir), "--no-report"], timeout_s=2 * 3600)
    for output_format, name in (("json", "against.json"), ("table", "against.txt")):
        answer = laxity([*bound, "--against", str(run_dir), "--format", output_format])
        (out / name).write_text(answer)
    click.echo(answer)


if __name__ == "__main__":
    main()
