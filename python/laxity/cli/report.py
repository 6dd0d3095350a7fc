# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity report`: build report.html of a run again."""

import sys
from pathlib import Path

import click

from laxity.cli.damage import tell_damage
from laxity.cli.exceedance import parse_exceedance
from laxity.cli.options import debug_option, run_argument
from laxity.cli.reports import build_report
from laxity.errors import ConfigError
from laxity.jobs.finish import open_recovered
from laxity.store.manifest import KINDS_WITH_JOBS
from laxity.store.run_directory import Run


@click.command()
@run_argument
@click.option(
    "--pwcet",
    metavar="P",
    help="Add what a job exceeds with probability P at most (1e-9), its gates and figures.",
)
@debug_option
def report(path: str, pwcet: str | None) -> int:
    """Build the HTML report of RUN, a directory that laxity wrote, and print its path.

    The report is one file: no network, no scripts needed. A run that was killed is finished first.
    Of a damaged run it shows what can be read; the damage is told and the exit code is 4.
    """
    exceedance = None if pwcet is None else float(parse_exceedance(pwcet, f'--pwcet "{pwcet}"'))
    run = open_recovered(Path(path))
    if exceedance is not None:
        _check_jobs(run)
    sys.stdout.write(f"{build_report(run.path, exceedance)}\n")
    return tell_damage(run)


def _check_jobs(run: Run) -> None:
    kind = run.manifest.kind
    if kind not in KINDS_WITH_JOBS:
        msg = f"--pwcet: {run.path} is of kind {kind} and has no jobs; name one of laxity run"
        raise ConfigError(msg)
