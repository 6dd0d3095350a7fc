# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity list`: the bundled workloads."""

import sys

import click

from laxity.cli.options import debug_option, format_option
from laxity.cli.tables import format_table, print_json
from laxity.runner import tools


@click.command("list")
@format_option("table", "json")
@debug_option
def list_workloads(output_format: str) -> None:
    """List the bundled workloads: name, words, memory that a job touches, summary."""
    workloads = tools.list_workloads()
    if output_format == "json":
        print_json(workloads)
        return
    rows = [(one.name, one.kind, one.args, one.memory, one.summary) for one in workloads]
    sys.stdout.write(format_table(("workload", "class", "words", "memory", "summary"), rows))
