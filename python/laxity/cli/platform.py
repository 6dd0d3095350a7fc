# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity platform`: platform files of one's own."""

import sys
from pathlib import Path

import click

from laxity.cli.command_group import CommandGroup
from laxity.cli.options import debug_option
from laxity.core.text_table import format_table


@click.group(cls=CommandGroup)
def platform() -> None:
    """Make platform files, by which platforms are simulated."""


@platform.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="FILE.toml", required=True, help="Where to write it.")
@debug_option
def derive(runs: tuple[str, ...], output: str) -> None:
    """Write FILE.toml, a platform with the caches and latencies that RUN saw of a machine.

    One RUN is of laxity measure memory-latency, or of measure all; another one may be of measure
    switch. Every value says where it is from; what no curve of access times shows is assumed, and
    named here and in the file. laxity run --platform sim:FILE.toml takes it.
    """
    from laxity.costs.derive.data import read_seen  # noqa: PLC0415 - loads numpy
    from laxity.costs.derive.values import derive_platform  # noqa: PLC0415 - with the above
    from laxity.store.run_directory import write_output  # noqa: PLC0415 - with the above

    derived = derive_platform(read_seen([Path(run) for run in runs]))
    write_output(Path(output), derived.model.text)
    rows = [
        (one.place, one.text, one.unit, one.origin_text)
        for one in derived.model.shown()
        if one.origin == "source"
    ]
    sys.stdout.write(format_table(("", "value", "unit", "where it is from"), rows))
    for line in derived.left_out:
        sys.stdout.write(f"left out: {line}\n")
    for table, keys in derived.assumed.items():
        sys.stdout.write(f"assumed: {table}: {' '.join(keys)}\n")
