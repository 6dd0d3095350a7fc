#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How large are stored streams of programs, and how quickly are they read."""

import json
import resource
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import click
from bench.common import run_tool

from laxity.core.text_table import format_table
from laxity.errors import ConfigError, PlatformError
from laxity.platform.platform_file import read_platform
from laxity.platform.simulated_programs import find_simulated_workload
from laxity.platform.streams import MOST_JOBS, StoredStream, read_stream
from laxity.platform.tools import find_tool, list_workloads

# A part of a stream holds a million words: some of them, so that what a part begins with is paid
# for as it is in long runs.
RECORDS = 20_000_000
FIRST_JOBS = 10
TIMEOUT_S = 600
HEADERS = ("workload", "words", "jobs", "records", "bytes per record", "records per s")


@dataclass(frozen=True, slots=True)
class Measured:
    """One workload; `read_s`: processor time, the least of several."""

    workload: str
    words: list[str]
    jobs: int
    records: int
    size_bytes: int
    read_s: float

    @property
    def bytes_per_record(self) -> float:
        """The size, header and index included."""
        return self.size_bytes / self.records

    @property
    def row(self) -> tuple[str, ...]:
        """For people."""
        per_s = self.records / self.read_s / 1e6
        return (
            self.workload,
            " ".join(self.words),
            str(self.jobs),
            f"{self.records / 1e6:.1f} M",
            f"{self.bytes_per_record:.3f}",
            f"{per_s:.0f} M",
        )


def record(name: str, words: list[str], jobs: int, platform: str, file: Path) -> StoredStream:
    """Record a workload by the command that users have."""
    file.unlink(missing_ok=True)
    command = [sys.executable, "-P", "-m", "laxity", "sim", "record", "--quiet", "-o", str(file)]
    run_tool([*command, "--platform", platform, "--jobs", str(jobs), "--", name, *words], TIMEOUT_S)
    stream = read_stream(file)
    if stream is None:
        msg = f"{file}: cannot be read"
        raise click.ClickException(msg)
    return stream


def read_s(file: Path, repeats: int) -> float:
    """Take the least processor time of reading a whole stream, start of the process included."""
    least_s = float("inf")
    words = ["/bin/sh", "-c", 'exec "$0" read "$1" > /dev/null']
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run_tool([*words, str(find_tool("laxity-sim-stream")), str(file)], TIMEOUT_S)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used_s = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        least_s = min(least_s, used_s)
    return least_s


def measure(platform: str, repeats: int, folder: Path) -> Iterator[Measured]:
    """Measure every workload that is built for the platform, with the words of its example."""
    file = folder / "stream.lxs"
    architecture = read_platform(platform).architecture
    for one in list_workloads():
        try:
            find_simulated_workload(one.name, architecture)
        except (ConfigError, PlatformError):
            continue
        words = list(one.example)
        first = record(one.name, words, FIRST_JOBS, platform, file)
        jobs = min(MOST_JOBS, max(FIRST_JOBS, FIRST_JOBS * RECORDS // first.records))
        stream = record(one.name, words, jobs, platform, file)
        yield Measured(
            one.name, words, jobs, stream.records, stream.size_bytes, read_s(file, repeats)
        )


@click.command()
@click.option("--platform", default="sim:sabrelite", show_default=True)
@click.option("--repeats", type=int, default=5, show_default=True)
@click.option("--json", "json_path", type=click.Path(path_type=Path))
def main(platform: str, repeats: int, json_path: Path | None) -> None:
    """Record each portable workload, and read what was recorded."""
    with tempfile.TemporaryDirectory() as folder:
        measured = list(measure(platform, repeats, Path(folder)))
    click.echo(format_table(HEADERS, [one.row for one in measured], right=(2, 3, 4, 5)), nl=False)
    mean = sum(one.bytes_per_record for one in measured) / len(measured)
    records = sum(one.records for one in measured)
    in_all = sum(one.size_bytes for one in measured) / records
    per_s = records / sum(one.read_s for one in measured) / 1e6
    click.echo(
        f"mean {mean:.3f} bytes per record; in all {in_all:.3f}, {per_s:.0f} M records per s"
    )
    if json_path is not None:
        json_path.write_text(json.dumps([asdict(one) for one in measured]))


if __name__ == "__main__":
    main()
