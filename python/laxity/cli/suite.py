# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity suite`: third-party programs from a checkout."""

import click

from laxity.cli.command_group import CommandGroup
from laxity.cli.suite_discover import discover
from laxity.cli.suite_run import run_suite
from laxity.cli.suite_vet import vet


@click.group(cls=CommandGroup)
def suite() -> None:
    """Find the programs of a checkout, vet them, run them as jobs."""


suite.add_command(discover)
suite.add_command(vet)
suite.add_command(run_suite, "run")
