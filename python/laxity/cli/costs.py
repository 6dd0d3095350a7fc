# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity costs`: show a cost model, join those of several runs."""

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from laxity.cli.command_group import CommandGroup
from laxity.cli.options import debug_option, format_option
from laxity.cli.tables import print_json

if TYPE_CHECKING:
    from laxity.costs.model import Costs

_PERCENT = 100
_AXES = ("cpu", "cpu_to", "node", "working_set_bytes", "case", "evict")
costs_argument = click.argument("path", metavar="FILE|RUN")


@click.group(cls=CommandGroup)
def costs() -> None:
    """Show and join cost models: what preemptions, migrations and memory take on one machine."""


@costs.command()
@costs_argument
@format_option("table", "json", "csv")
@debug_option
def show(path: str, output_format: str) -> None:
    """Show FILE, a costs.json, or that of RUN.

    csv has a line per entry, without its points; what is not known is empty.
    """
    from laxity.costs.answer import cost_answer  # noqa: PLC0415 - with the below
    from laxity.costs.merge import read_costs  # noqa: PLC0415 - loads numpy
    from laxity.costs.table import entries_table  # noqa: PLC0415 - with the below
    from laxity.page.blocks import Paragraph  # noqa: PLC0415 - with the above
    from laxity.page.terminal import text_of  # noqa: PLC0415 - with the above

    model = read_costs(Path(path))
    if output_format == "json":
        print_json(model)
        return
    if output_format == "csv":
        _write_csv(model)
        return
    answer = cost_answer(model)
    said = "" if answer is None else text_of([Paragraph(answer.sentence())])
    sys.stdout.write(f"{said}machine {model.machine_hash}\n{entries_table(model)}")
    for table in model.contention or ():
        program = " ".join(map(str, [table.get("workload"), *table.get("args", [])]))
        sys.stdout.write(
            f"contention table of {program} on CPU {table.get('cpu')} (simulated, n = "
            f"{len(table.get('loads', []))} loads)\n"
        )


def _write_csv(model: "Costs") -> None:
    quantiles = sorted({q for entry in model.entries for q in entry.quantiles}, key=float)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    names = [f"p{float(q) * _PERCENT:g}" for q in quantiles]
    writer.writerow(
        ["name", "kind", "unit", "n", *names, "max", "noise_floor", "verdict", *_AXES, "runs"]
    )
    for one in model.entries:
        values = [one.quantiles.get(q) for q in quantiles]
        axes = [getattr(one.axes, axis) for axis in _AXES]
        row = [one.name, one.kind, one.unit, one.n, *values, one.max, one.noise_floor, one.verdict]
        writer.writerow([*row, *axes, " ".join(one.runs)])


@costs.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "--contention",
    "tables",
    metavar="TABLE.json",
    multiple=True,
    help="Contention table of a program; bound charges tasks that run it. Repeatable.",
)
@click.option("-o", "--output", metavar="FILE", required=True, help="Where to write the model.")
@debug_option
def merge(runs: tuple[str, ...], tables: tuple[str, ...], output: str) -> None:
    """Join the costs of RUN... into one model: samples pooled, largest maximum and noise floor.

    All of them must have been measured on one machine.
    """
    from laxity.costs.merge import left_out, merge_runs  # noqa: PLC0415 - loads numpy
    from laxity.store.manifest import encode_document  # noqa: PLC0415 - with the below
    from laxity.store.run_directory import write_output  # noqa: PLC0415 - with the above

    model = merge_runs([Path(run) for run in runs])
    if tables:
        from laxity.cli.bound_contention import add_tables  # noqa: PLC0415 - loads numpy

        model = add_tables(model, [Path(table) for table in tables])
    write_output(Path(output), encode_document(model))
    sys.stdout.write(f"{output}: {len(model.entries)} entries of {len(runs)} runs\n")
    for line in left_out(model, [Path(run) for run in runs]):
        sys.stdout.write(f"{line}\n")
