# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity export`: a run in the format of another tool."""

from pathlib import Path

import click

from laxity.cli.damage import tell_damage
from laxity.cli.options import debug_option, run_argument
from laxity.errors import ConfigError
from laxity.runner.finish import open_recovered
from laxity.store.run_directory import Run


@click.command()
@click.argument("kind", metavar="FORMAT", type=click.Choice(["perfetto"]))
@run_argument
@click.option(
    "-o", "--output", metavar="FILE", help="Where to write; must not exist.  [default: stdout]"
)
@debug_option
def export(kind: str, path: str, output: str | None) -> int:
    """Write RUN, a directory that laxity wrote, in FORMAT: perfetto.

    perfetto: a trace for ui.perfetto.dev and trace_processor: the jobs of each task with their
    releases and deadlines, phases and probes, samples of counters, and who had each CPU if the run
    has a scheduling trace. Times are those of the run.
    """
    from laxity.export.output import opened_output  # noqa: PLC0415 - quick, but with the below
    from laxity.export.perfetto import write_perfetto  # noqa: PLC0415 - loads numpy and protobuf

    del kind  # one so far
    run = open_recovered(Path(path))
    _refuse_without_jobs(run)
    if output == "":
        msg = "-o: an empty path; name a file"
        raise ConfigError(msg)
    with opened_output(None if output is None else Path(output), is_binary=True) as file:
        write_perfetto(run, file)
    return tell_damage(run)


def _refuse_without_jobs(run: Run) -> None:
    if run.manifest.measurement is not None:
        msg = f"{run.path}: measured the platform and holds no jobs; laxity costs show shows it"
        raise ConfigError(msg)
    if run.manifest.runs:
        first = run.path / "runs" / run.manifest.runs[0]
        msg = f"{run.path}: consists of {len(run.manifest.runs)} runs; name one of them: {first}"
        raise ConfigError(msg)
