# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Figure 5 of Blin et al. on a simulated platform: the rate at the memory of each mix of a load.

bench/README.md says how to read the table.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click
import msgspec
from bench.common import ROOT
from matplotlib.figure import Figure

from laxity.store.npy import read_stream

# Blin et al. 3.1: of writes alone, the only rate that their text has.
PEAK_MB_PER_S = 2020
MIXES = tuple(range(11))
_LINE_BYTES = 32
_TIMEOUT_S = 600
# Of the model both a conflict behind a read (tRP + tRCD + tCL) and behind a write (tWR more).
_CONFLICTS = tuple(range(21, 30))


@dataclass(frozen=True, slots=True)
class Rates:
    """What a mix sends to the memory in one second, in MB; `reads` are lines of each 10."""

    reads: int
    read_mb_per_s: float
    written_mb_per_s: float

    @property
    def mb_per_s(self) -> float:
        """Both together."""
        return self.read_mb_per_s + self.written_mb_per_s


def run_mix(platform: str, words: str, jobs: int) -> tuple[int, int, int]:
    """Simulate so many passes: nanoseconds that they executed, lines read, lines written.

    Raises:
        click.ClickException: It failed.
    """
    with tempfile.TemporaryDirectory() as scratch:
        run = Path(scratch) / "run"
        command = [sys.executable, "-P", "-m", "laxity", "run", "load", "-b", words]
        command += ["-t", str(jobs), "-p", "100ms", "-c", "0", "--platform", platform]
        command += ["--run-dir", str(run), "--no-report", "--quiet"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
            env=environment,
        )
        if done.returncode != 0:
            raise click.ClickException(done.stderr)
        traffic = json.loads((run / "manifest.json").read_bytes())["memory_traffic"]
        exec_ns = int(read_stream(run / "jobs.npy").data["exec_ns"].sum())
        return exec_ns, traffic["lines_read"], traffic["lines_written"]


def rates_of(platform: str, size: str, reads: int) -> Rates:
    """Tell the rates of a mix once the caches are full: without the first pass."""
    first, three = (run_mix(platform, f"{size} {reads}", jobs) for jobs in (1, 3))
    exec_ns, lines_read, lines_written = (
        late - early for early, late in zip(first, three, strict=True)
    )
    return rates(reads, exec_ns, lines_read, lines_written)


def rates(reads: int, exec_ns: int, lines_read: int, lines_written: int) -> Rates:
    """Tell the rates of so many lines in that time."""
    per_line = _LINE_BYTES * 1e3 / exec_ns
    return Rates(reads, lines_read * per_line, lines_written * per_line)


def fit(platform: str, size: str) -> None:
    """Try what a conflict of rows may take, against the peak."""
    with tempfile.TemporaryDirectory() as scratch:
        for cycles in _CONFLICTS:
            path = Path(scratch) / f"conflict-{cycles}.toml"
            path.write_text(
                f'schema = 1\nbase = "{platform.removeprefix("sim:")}"\n'
                f'title = "a conflict takes {cycles}"\n[memory]\nconflict_cycles = {cycles}\n'
            )
            found = rates_of(f"sim:{path}", size, 0)
            click.echo(
                f"conflict_cycles = {cycles}: {found.mb_per_s:.0f} MB/s, "
                f"{100 * (found.mb_per_s / PEAK_MB_PER_S - 1):+.1f} % of {PEAK_MB_PER_S}"
            )


def draw(mixes: Sequence[Rates], to: Path) -> None:
    """Draw reads and writes of each mix on top of each other."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    at = [one.reads for one in mixes]
    written = [one.written_mb_per_s for one in mixes]
    axes.bar(at, written, label="writes")
    axes.bar(at, [one.read_mb_per_s for one in mixes], bottom=written, label="reads")
    axes.axhline(PEAK_MB_PER_S, linestyle="--", color="black", label="Blin et al., writes alone")
    axes.set_xticks(at, [f"{one}:{10 - one}" for one in at])
    axes.set_xlabel("lines read : lines written")
    axes.set_ylabel("at the memory (MB/s)")
    axes.legend()
    figure.savefig(to, metadata={"Date": None})


@click.command()
@click.option("--platform", default="sim:sabrelite", show_default=True)
@click.option("--size", default="4MiB", show_default=True, help="Of the buffer.")
@click.option("--fit", "must_fit", is_flag=True, help="Try values of memory.conflict_cycles.")
@click.option("--plot", type=click.Path(path_type=Path), help="SVG, PNG or PDF by its suffix.")
@click.option("--json", "json_path", type=click.Path(path_type=Path))
@click.option(
    "--with", "earlier", type=click.Path(path_type=Path, exists=True), help="What --json kept."
)
def main(
    platform: str,
    size: str,
    must_fit: bool,
    plot: Path | None,
    json_path: Path | None,
    earlier: Path | None,
) -> None:
    """Simulate all mixes, one after the other."""
    if must_fit:
        fit(platform, size)
        return
    if earlier is not None:
        mixes = msgspec.json.decode(earlier.read_bytes(), type=list[Rates])
    else:
        mixes = [rates_of(platform, size, reads) for reads in MIXES]
    click.echo(
        "| reads : writes | MB/s | reads | writes | share of writes |\n|---|---|---|---|---|"
    )
    for one in mixes:
        click.echo(
            f"| {one.reads} : {10 - one.reads} | {one.mb_per_s:.0f} | {one.read_mb_per_s:.0f} | "
            f"{one.written_mb_per_s:.0f} | {100 * one.written_mb_per_s / one.mb_per_s:.1f} % |"
        )
    if plot is not None:
        draw(mixes, plot)
    if json_path is not None:
        lines = ",\n".join(json.dumps(asdict(one)) for one in mixes)
        json_path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
