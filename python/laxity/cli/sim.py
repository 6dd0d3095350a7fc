# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity sim`: stored streams of the programs of simulated platforms."""

import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from laxity.cli.command_group import CommandGroup
from laxity.cli.options import debug_option, format_option, quiet_option
from laxity.cli.tables import print_json
from laxity.core.progress import Countdown, State
from laxity.core.spec import SIMULATED
from laxity.core.text_table import format_table
from laxity.core.units import exact_size, format_size_bytes, parse_size_bytes
from laxity.errors import ConfigError, PlatformError, located

if TYPE_CHECKING:
    from laxity.platform.streams import StoredStream, StreamFolder

_ALL = "all"


@click.group(cls=CommandGroup)
def sim() -> None:
    """Record programs of simulated platforms, and manage what is kept of them."""


@sim.command("record")
@click.argument("workload")
@click.argument("words", nargs=-1)
@click.option(
    "--platform",
    "platform_name",
    metavar="sim:NAME",
    required=True,
    help="Platform whose programs are executed.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    required=True,
    help="How many to execute, at most 10000.",
)
@click.option("-o", "--output", metavar="FILE.lxs", help="Write there instead; must not exist.")
@quiet_option
@debug_option
def record_stream(
    workload: str,
    words: tuple[str, ...],
    platform_name: str,
    jobs: int,
    output: str | None,
    *,
    quiet: bool,
) -> None:
    """Execute N jobs of WORKLOAD in the platform's emulator and keep the stream of what they do.

    Runs of as many jobs read it instead of executing them, and record what they do not find: this
    command only does it beforehand. Prints the path of the file.
    """
    from laxity.platform.platform_file import read_platform  # noqa: PLC0415 - when needed
    from laxity.platform.simulated import SimulatedPlatform  # noqa: PLC0415 - when needed
    from laxity.platform.streams import (  # noqa: PLC0415 - when needed
        LONG_PATIENCE_S,
        MOST_JOBS,
        StreamFolder,
        record_new,
    )

    if jobs > MOST_JOBS:
        why = f"runs of more than {MOST_JOBS} jobs execute their programs and read no stream"
        msg = f"--jobs {jobs}: {why}; record at most {MOST_JOBS}"
        raise ConfigError(msg)
    if not platform_name.startswith(SIMULATED):
        msg = f'--platform "{platform_name}": is not simulated; use {SIMULATED}NAME'
        raise ConfigError(msg)
    platform = SimulatedPlatform(read_platform(platform_name))
    program = platform.program_of(workload, words, jobs)
    meter = Countdown(workload, "jobs", is_quiet=quiet)
    meter.go_on(0, jobs)

    def show(state: State) -> None:
        meter.show(state.started, " recorded")

    if output is not None:
        path = Path(output)
        with closing(meter):
            record_new(program, path, show)
    else:
        folder = StreamFolder()
        if folder.limit_bytes == 0:
            msg = "nothing is kept (laxity sim streams --limit 0); name a file by -o"
            raise ConfigError(msg)
        with ExitStack() as kept, _written(folder), closing(meter):
            path = folder.provide(program, kept, show, patience_s=LONG_PATIENCE_S)
    sys.stdout.write(f"{path}\n")


@sim.command("streams")
@click.option(
    "--remove",
    "removed",
    metavar="STREAM",
    multiple=True,
    help="Remove the stream whose number begins so, or all.",
)
@click.option(
    "--limit",
    metavar="SIZE",
    help="Keep at most so much from now on, what was used last; 0B: nothing.",
)
@click.option(
    "--detail",
    "detailed",
    metavar="STREAM",
    help="Say which memory the jobs of that stream use.",
)
@format_option("table", "json")
@debug_option
def list_streams(
    removed: tuple[str, ...], limit: str | None, detailed: str | None, output_format: str
) -> None:
    """List the streams that are kept: what was executed, and how large they are.

    They lie in $XDG_CACHE_HOME/laxity/streams, else in ~/.cache. When they become larger than the
    limit, 4GiB at first, those used longest ago are removed.
    """
    from laxity.platform.streams import StreamFolder  # noqa: PLC0415 - when needed

    folder = StreamFolder()
    with _written(folder):
        for one in _chosen(folder.streams(), "--remove", removed):
            folder.remove(one.identity)
        if limit is not None:
            with located("--limit"):
                limit_bytes = parse_size_bytes(limit)
            folder.set_limit(limit_bytes)
    streams = folder.streams()
    if detailed is not None:
        streams = _chosen(streams, "--detail", (detailed,))
    if output_format == "json":
        print_json(streams)
        return
    if detailed is not None:
        sys.stdout.write("".join(map(_detail, streams)))
        return
    headers = ("stream", "workload", "words", "jobs", "records", "size", "last used")
    sys.stdout.write(format_table(headers, [_row(one) for one in streams], right=(3, 4, 5)))
    total = format_size_bytes(sum(one.size_bytes for one in streams))
    sys.stdout.write(f"{total} of {exact_size(folder.limit_bytes)} in {folder.path}\n")


def _row(one: "StoredStream") -> tuple[str, ...]:
    from laxity.platform.streams import SHOWN_DIGITS  # noqa: PLC0415 - when needed

    return (
        one.identity[:SHOWN_DIGITS],
        f"{one.architecture} {one.workload}",
        shlex.join(one.words),
        str(one.jobs),
        str(one.records),
        format_size_bytes(one.size_bytes),
        datetime.fromtimestamp(one.used_s, UTC).strftime("%Y-%m-%d %H:%M"),
    )


def _detail(one: "StoredStream") -> str:
    """Tell which memory the jobs of a stream use; pages count once."""
    rows = [
        (kind.name, str(kind.loads), str(kind.stores), exact_size(kind.size_bytes))
        for kind in one.storage
    ]
    headers = ("memory", "loads", "stores", "pages used")
    return f"{' '.join(_row(one)[:3])}\n" + format_table(headers, rows, right=(1, 2, 3))


def _chosen(
    streams: "list[StoredStream]", option: str, names: tuple[str, ...]
) -> "list[StoredStream]":
    """Find the streams that are named.

    Raises:
        ConfigError: A number belongs to none, or to several.
    """
    if _ALL in names:
        return streams
    chosen = []
    for name in names:
        found = [one for one in streams if name and one.identity.startswith(name)]
        if len(found) != 1:
            what = f"is the beginning of {len(found)} streams" if found else "is no stream"
            msg = f'{option} "{name}": {what}; laxity sim streams lists them'
            raise ConfigError(msg)
        chosen += found
    return chosen


@contextmanager
def _written(folder: "StreamFolder") -> Iterator[None]:
    """Name the folder if it cannot be written."""
    try:
        yield
    except OSError as error:
        msg = f"{folder.path}: cannot be written ({error.strerror}); change its permissions"
        raise PlatformError(msg) from error
