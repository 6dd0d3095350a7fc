# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Time and memory of the live-working-set analysis over the size of a program.

Programs are generated (generated_programs.py); each size is analysed several times, families in
turn. A growth of n^e is fitted to the least times; e of 1 is proportional.
"""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click
import msgspec
import numpy as np
from bench.generated_programs import FAMILIES, generate
from matplotlib.figure import Figure

from laxity.workingset.analyse import require_tool
from laxity.workingset.llvm import find_llvm

_SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 600_000)
# Below, the start of a process and of LLVM is most of the time.
_FITTED_FROM = 10_000
_MIB = 1024.0
_HEADERS = (
    *("program", "instructions", "layers", "n", "wall s, least", "wall s, median"),
    *("CPU s, least", "memory MiB, most", "load"),
)


@dataclass(frozen=True, slots=True)
class Run:
    """One process, start to end: reading bitcode, analysis, tables. Memory is its largest RSS."""

    program: str
    layers: int | None
    instructions: int
    wall_s: float
    cpu_s: float
    memory_mib: float
    load: float


def analyse(program: str, bitcode: Path, layers: int | None) -> Run:
    """Analyse one program.

    Raises:
        click.ClickException: The tool failed.
    """
    with tempfile.TemporaryDirectory() as out:
        words = [str(require_tool()), str(bitcode), "--out", out]
        started = time.monotonic()
        with subprocess.Popen(words, stdin=subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        wall_s = time.monotonic() - started
        if process.returncode:
            msg = f"analyse {bitcode}: exit code {process.returncode}; see its message above"
            raise click.ClickException(msg)
        summary = json.loads((Path(out) / "summary.json").read_bytes())
    return Run(
        program=program,
        layers=layers,
        instructions=summary["instructions"],
        wall_s=wall_s,
        cpu_s=usage.ru_utime + usage.ru_stime,
        memory_mib=usage.ru_maxrss / _MIB,
        load=os.getloadavg()[0],
    )


def make_programs(size: int, layers: Sequence[int], to: Path) -> list[tuple[str, Path, int]]:
    """Generate the programs of one size: family, bitcode and layers of each."""
    programs: list[tuple[str, Path, int]] = []
    for depth in layers:
        for family in FAMILIES:
            text = to / f"{family}{depth}.ll"
            text.write_text(generate(family, size, depth, seed=size), encoding="utf-8")
            made = text.with_suffix(".bc")
            subprocess.run([find_llvm("llvm-as"), text, "-o", made], check=True)
            programs.append((family, made, depth))
    return programs


def exponent(runs: Sequence[Run]) -> float | None:
    """Fit time = c * instructions^e to the least CPU times; None: fewer than two sizes."""
    sizes = sorted({run.instructions for run in runs if run.instructions >= _FITTED_FROM})
    if len(sizes) < 2:  # noqa: PLR2004 - a line needs two points
        return None
    least = [min(run.cpu_s for run in runs if run.instructions == size) for size in sizes]
    return float(np.polyfit(np.log(sizes), np.log(least), 1)[0])


def rows(runs: Sequence[Run]) -> list[tuple[str, ...]]:
    """Sum up the repeats of each program and size."""
    table: list[tuple[str, ...]] = []
    for key in dict.fromkeys((run.program, run.instructions, run.layers) for run in runs):
        same = [one for one in runs if (one.program, one.instructions, one.layers) == key]
        walls = [one.wall_s for one in same]
        loads = [one.load for one in same]
        table.append(
            (
                *(key[0], str(key[1]), "-" if key[2] is None else str(key[2]), str(len(same))),
                *(f"{min(walls):.2f}", f"{np.median(walls):.2f}"),
                f"{min(one.cpu_s for one in same):.2f}",
                f"{max(one.memory_mib for one in same):.0f}",
                f"{min(loads):.0f}-{max(loads):.0f}",
            )
        )
    return table


def draw(runs: Sequence[Run], to: Path) -> None:
    """Draw the least CPU time and the most memory over the size, all axes logarithmic."""
    figure = Figure(figsize=(10, 4), layout="constrained")
    time_axes, memory_axes = figure.subplots(1, 2)
    for program in dict.fromkeys(run.program for run in runs):
        same = [run for run in runs if run.program == program]
        sizes = sorted({run.instructions for run in same})
        by_size = [[run for run in same if run.instructions == size] for size in sizes]
        time_axes.plot(sizes, [min(r.cpu_s for r in group) for group in by_size], "o-")
        most = [max(r.memory_mib for r in group) for group in by_size]
        memory_axes.plot(sizes, most, "o-", label=program)
    for axes, label in ((time_axes, "CPU time, least (s)"), (memory_axes, "memory, most (MiB)")):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("IR instructions")
        axes.set_ylabel(label)
        axes.grid(visible=True)
    memory_axes.legend()
    figure.savefig(to)


@click.command()
@click.option("--sizes", type=int, multiple=True, default=_SIZES, show_default=True)
@click.option("--layers", type=int, multiple=True, default=(8,), show_default=True)
@click.option("--repeats", type=int, default=3, show_default=True)
@click.option("--bitcode", type=click.Path(path_type=Path, exists=True), multiple=True)
@click.option("--plot", type=click.Path(path_type=Path), help="SVG, PNG or PDF by its suffix.")
@click.option("--json", "json_path", type=click.Path(path_type=Path))
@click.option(
    "--with",
    "earlier",
    type=click.Path(path_type=Path, exists=True),
    multiple=True,
    help="Runs that --json kept earlier; --repeats 0 makes no new ones.",
)
def main(  # noqa: PLR0913, PLR0917 - one parameter per option
    sizes: tuple[int, ...],
    layers: tuple[int, ...],
    repeats: int,
    bitcode: tuple[Path, ...],
    plot: Path | None,
    json_path: Path | None,
    earlier: tuple[Path, ...],
) -> None:
    """Analyse generated programs of growing size, and yours."""
    runs = [
        run for path in earlier for run in msgspec.json.decode(path.read_bytes(), type=list[Run])
    ]
    with tempfile.TemporaryDirectory() as scratch:
        for size in sizes if repeats else ():
            programs = make_programs(size, layers, Path(scratch))
            for _ in range(repeats):
                runs += [analyse(*one) for one in programs]
    for _ in range(repeats):
        runs += [analyse(path.stem, path, None) for path in bitcode]
    for row in (_HEADERS, ("---",) * len(_HEADERS), *rows(runs)):
        click.echo(f"| {' | '.join(row)} |")
    for family in FAMILIES:
        fitted = exponent([run for run in runs if run.program == family])
        if fitted is not None:
            click.echo(f"{family}: CPU time grows as instructions^{fitted:.2f}")
    if plot is not None:
        draw(runs, plot)
    if json_path is not None:
        lines = ",\n".join(json.dumps(asdict(one)) for one in runs)
        json_path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
