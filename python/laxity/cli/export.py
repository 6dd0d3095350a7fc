# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity export`: a run in the format of another tool."""

from pathlib import Path

import click

from laxity.cli.damage import tell_damage
from laxity.cli.options import debug_option, run_argument
from laxity.errors import ConfigError, suggestion
from laxity.jobs.finish import open_recovered
from laxity.store.manifest import KINDS_WITH_JOBS
from laxity.store.run_directory import SUITE, Run

_FORMATS = ("perfetto", "csv", "json", "parquet")
# One file holds one stream.
_TABLES = ("csv", "parquet")


@click.command()
@click.argument("kind", metavar="FORMAT", type=click.Choice(_FORMATS))
@run_argument
@click.option(
    "-o",
    "--output",
    metavar="FILE|DIR",
    help="Where to write; must not exist.  [default: stdout]",
)
@click.option("--stream", metavar="NAME", help="Write this one only: jobs (laxity schema).")
@debug_option
def export(kind: str, path: str, output: str | None, stream: str | None) -> int:
    """Write RUN, a directory that laxity wrote, in FORMAT: perfetto, csv, json or parquet.

    perfetto: a trace for ui.perfetto.dev and trace_processor: the jobs of each task with their
    releases and deadlines, phases and probes, samples of counters, and who had each CPU if the run
    has a scheduling trace. Times are those of the run.

    csv, parquet: every stream as a file NAME.csv or NAME.parquet in the new directory DIR; with
    --stream that one alone, into FILE. Absent values are empty or null.

    json: the manifest and every stream in one document; absent values are null.
    """
    if output == "":
        msg = "-o: an empty path; name a file"
        raise ConfigError(msg)
    run = open_recovered(Path(path))
    target = None if output is None else Path(output)
    if kind == "perfetto":
        _export_perfetto(run, target, stream)
    else:
        _export_tables(kind, run, target, stream)
    return tell_damage(run)


def _export_perfetto(run: Run, target: Path | None, stream: str | None) -> None:
    from laxity.export.output import opened_output  # noqa: PLC0415 - quick, but with the below
    from laxity.export.perfetto import write_perfetto  # noqa: PLC0415 - loads numpy and protobuf

    if stream is not None:
        msg = "--stream: a trace holds everything that has a time; drop it, or write csv"
        raise ConfigError(msg)
    if run.manifest.measurement is not None:
        msg = f"{run.path}: measured the platform and holds no jobs; laxity costs show shows it"
        raise ConfigError(msg)
    if run.manifest.kind == "vetting":
        msg = f"{run.path}: vetted programs, whose jobs have no times; write csv, parquet or json"
        raise ConfigError(msg)
    _refuse_several(run)
    if run.manifest.kind not in KINDS_WITH_JOBS:
        msg = f"{run.path}: {_without(run, 'job')}"
        raise ConfigError(msg)
    with opened_output(target, is_binary=True) as file:
        write_perfetto(run, file)


def _export_tables(kind: str, run: Run, target: Path | None, stream: str | None) -> None:
    from laxity.export.output import opened_directory, opened_output  # noqa: PLC0415 - as above
    from laxity.export.parquet import write_parquet  # noqa: PLC0415 - as above
    from laxity.export.tables import stream_names, write_csv, write_json  # noqa: PLC0415 - as above

    _refuse_several(run)
    names = _chosen(stream_names(run), stream, run)
    write = write_parquet if kind == "parquet" else write_csv
    if kind in _TABLES and stream is None:
        if target is None:
            msg = f"{kind}: a run is several tables; add -o DIR, or --stream {names[0]}"
            raise ConfigError(msg)
        with opened_directory(target) as directory:
            for name in names:
                with (directory / f"{name}.{kind}").open("wb") as file:
                    write(run, name, file)
        return
    with opened_output(target, is_binary=kind == "parquet") as file:
        if kind == "json":
            write_json(run, names, file)
        else:
            write(run, names[0], file)


def _chosen(names: list[str], stream: str | None, run: Run) -> list[str]:
    if stream is None and names:
        return names
    if stream in names:
        return [stream]
    if not names:
        is_measured = run.manifest.kind in (*KINDS_WITH_JOBS, "measure")
        why = "holds no stream; nothing was measured" if is_measured else _without(run, "stream")
        msg = f"{run.path}: {why}"
        raise ConfigError(msg)
    advice = suggestion(stream or "", names, f"it holds {' '.join(names)}")
    msg = f'--stream "{stream}": not in {run.path}; {advice}'
    raise ConfigError(msg)


def _without(run: Run, what: str) -> str:
    """Say that a run of this kind never has such a thing: it is whole without."""
    return f"is of kind {run.manifest.kind} and has no {what}s; laxity show shows what it holds"


def _refuse_several(run: Run) -> None:
    if run.manifest.runs:
        first = run.path / "runs" / run.manifest.runs[0]
        table = f", their table is {run.path / SUITE}" if run.manifest.kind == "suite" else ""
        msg = (
            f"{run.path}: consists of {len(run.manifest.runs)} runs{table}; "
            f"name one of them: {first}"
        )
        raise ConfigError(msg)
