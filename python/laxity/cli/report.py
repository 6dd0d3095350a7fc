# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity report`: build report.html of a run again."""

import sys
from pathlib import Path

import click

from laxity.cli.options import debug_option, run_argument
from laxity.runner.finish import open_recovered


@click.command()
@run_argument
@debug_option
def report(path: str) -> None:
    """Build the HTML report of RUN, a directory that laxity wrote, and print its path.

    The report is one file: no network, no scripts needed. A run that was killed is finished first.
    """
    run = open_recovered(Path(path))
    # matplotlib takes longer to load than the rest of this command.
    from laxity.report.page import write_report  # noqa: PLC0415

    sys.stdout.write(f"{write_report(run.path)}\n")
