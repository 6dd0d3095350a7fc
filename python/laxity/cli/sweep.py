# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity sweep`: many simulated experiments, a row for each."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from laxity.cli.options import debug_option, format_option, quiet_option
from laxity.cli.run import RunOptions, run, task_table
from laxity.cli.run_paths import absolute_platform, with_absolute_paths
from laxity.cli.tables import print_json
from laxity.core.executor import MOST_WORKERS, Workers, n_cpus
from laxity.core.input_file import read_input
from laxity.core.progress import Countdown
from laxity.core.remote_executor import remote_executor
from laxity.core.spec import MAX_PROCESSES, RunTable
from laxity.core.spec_reader import (
    MAX_SPEC_BYTES,
    is_spec_path,
    parse_interfere_option,
    split_words,
)
from laxity.core.spec_tables import read_document
from laxity.errors import (
    EXIT_DONE,
    EXIT_INTERRUPTED,
    EXIT_VIOLATED,
    ConfigError,
    located,
)
from laxity.store.run_directory import default_root

if TYPE_CHECKING:
    from laxity.sweep.axes import Lists
    from laxity.sweep.grid import Stated
    from laxity.sweep.run import SweepRequest, Swept

# One for each core; how many there are an axis may change.
_MOST_CORUNNERS = MAX_PROCESSES


@click.command()
@click.argument("grid", metavar="GRID.toml")
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    help="Where the table goes; of an interrupted sweep it goes on.  "
    "[default: $LAXITY_RUNS or ./runs, named as GRID.toml]",
)
@click.option(
    "--workers",
    type=click.IntRange(1, MOST_WORKERS),
    metavar="N",
    help="Processes here.  [default: one per CPU]",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Of a running Dask scheduler, whose workers simulate instead of processes here.",
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    metavar="N",
    help="Allow so many experiments.  [default: 100000]",
)
@format_option("table", "json")
@quiet_option
@debug_option
def sweep(  # noqa: PLR0913 - one parameter per option
    grid: str,
    output: str | None,
    workers: int | None,
    scheduler: str | None,
    limit: int | None,
    output_format: str,
    *,
    quiet: bool,
) -> int:
    """Simulate every experiment of a grid, on all cores, and write one table: sweep.parquet.

    GRID.toml names a spec or the words of laxity run, axes over keys of that and of its platform,
    and columns. Ctrl-C, or a kill, leaves what is done: the same command goes on.
    """
    from laxity.core.signals import forwarded_signals  # noqa: PLC0415 - with the below
    from laxity.report.page import write_sections  # noqa: PLC0415 - heavy
    from laxity.sweep.run import DEFAULT_LIMIT, PAGE, layout_of, run_sweep  # noqa: PLC0415 - with the above
    from laxity.sweep.section import sections_of  # noqa: PLC0415 - with the above

    if workers is not None and scheduler is not None:
        msg = "--workers: a scheduler has workers of its own; leave one of the two out"
        raise ConfigError(msg)
    path = Path(grid)
    request = _request(path, limit or DEFAULT_LIMIT)
    request = replace(
        request,
        directory=default_root() / path.stem if output is None else Path(output),
        workers=Workers(workers or n_cpus(), scheduler),
        display=_Progress(is_quiet=quiet),
    )
    if scheduler is not None:
        # Before anything is planned: nobody waits for that who has mistyped the address.
        with remote_executor(scheduler):
            pass
    with forwarded_signals() as signals:
        swept = run_sweep(request, signals)
    page = request.directory / PAGE
    if swept.is_whole and not page.exists():
        sections = sections_of(request.directory, layout_of(request.grid, request.columns))
        write_sections(page, path.stem, sections)
    return _show(swept, request.directory, output_format)


def _request(path: Path, limit: int) -> "SweepRequest":
    """Read a grid, and see to it that its first experiment can be.

    Raises:
        ConfigError: It is none, or too large; with file and line.
        PlatformError, ToolError: Something is not installed, or not built.
    """
    from laxity.sweep.axes import name_of  # noqa: PLC0415 - heavy
    from laxity.sweep.columns import read_columns  # noqa: PLC0415 - with the above
    from laxity.sweep.experiment import Resolver, changed_platform  # noqa: PLC0415 - with the above
    from laxity.sweep.grid import make_grid, read_grid  # noqa: PLC0415 - with the above
    from laxity.sweep.run import SweepRequest  # noqa: PLC0415 - with the above

    data = read_input(path, MAX_SPEC_BYTES, "a grid file")
    with _in_file(path):
        stated = read_grid(data)
        tables, folder = _tables(stated, path)

        def lists_of(name: str) -> "Lists":
            return changed_platform(absolute_platform(name, folder), ()).lists

        grid = make_grid(stated, tables, lists_of, limit)
        with stated.at("sweep", "columns"):
            columns = read_columns(
                grid.columns,
                [name_of(task) for task in grid.tables["task"]],
                grid.tables["run"].get("events", []),
                _MOST_CORUNNERS if grid.tables["interfere"] else 0,
            )
        resolver = Resolver(grid, columns, lambda spec: with_absolute_paths(spec, folder))
        try:
            first = resolver.experiment(0)
        except ConfigError as error:
            msg = f"{grid.line_of(str(error))}: the first experiment cannot be: {error}"
            raise ConfigError(msg) from error
    return SweepRequest(grid, columns, resolver, first.platform_text)


@contextmanager
def _in_file(path: Path) -> Iterator[None]:
    """Name the file in messages that begin with a line of it."""
    try:
        yield
    except ConfigError as error:
        msg = f"{path}:{error}"
        raise ConfigError(msg) from error


def _tables(stated: "Stated", path: Path) -> tuple[dict[str, Any], Path]:
    """Read the spec of a grid, or the words in place of one.

    Returns:
        Its tables, and from where it names files.

    Raises:
        ConfigError: It cannot be read; begins with the line of the grid file.
    """
    if stated.sweep.spec is not None:
        spec = path.parent / stated.sweep.spec
        with stated.at("sweep", "spec"), located(f"spec {spec}"):
            return read_document(read_input(spec, MAX_SPEC_BYTES, "a grid file")), spec.parent
    with stated.at("sweep", "run"):
        words = split_words(stated.sweep.run or "", "run")
        return _tables_of_words(words), path.parent


def _tables_of_words(words: list[str]) -> dict[str, Any]:
    """Make the tables of a spec of what stands behind `laxity run`.

    Raises:
        ConfigError: They are no such words, or name a spec.
    """
    try:
        given = dict(run.make_context("laxity run", words).params)
    except click.ClickException as error:
        msg = f"run: {error.format_message()}; write the words of laxity run"
        raise ConfigError(msg) from error
    what = given.pop("what") or ""
    if is_spec_path(what):
        msg = f'run: names the spec {what}; write spec = "{what}" in place of run'
        raise ConfigError(msg)
    options = RunOptions.of(given)
    interfere = [parse_interfere_option(text) for text in options.interfere]
    task = task_table(what, options)
    return {"run": options.table(RunTable), "task": [task], "interfere": interfere}


def _show(swept: "Swept", directory: Path, output_format: str) -> int:
    """Print what came of a sweep; return the exit code."""
    from laxity.sweep.run import PAGE  # noqa: PLC0415 - heavy
    from laxity.sweep.table import RESULT  # noqa: PLC0415 - with the above

    table = directory / RESULT if swept.is_whole else None
    if output_format == "json":
        print_json(
            {
                "experiments": swept.n_all,
                "done": swept.n_done,
                "failed": swept.n_failed,
                "table": None if table is None else str(table),
            }
        )
    else:
        failed = f", {swept.n_failed} failed ({swept.first_error})" if swept.n_failed else ""
        print(f"{swept.n_done} of {swept.n_all} experiments{failed}")
        print(directory if table is None else table)
        if table is not None:
            print(directory / PAGE)
    if not swept.is_whole:
        print("laxity sweep: interrupted; the same command goes on", file=sys.stderr)
        return EXIT_INTERRUPTED
    return EXIT_VIOLATED if swept.n_failed else EXIT_DONE


class _Progress:
    """Tells how far a sweep is."""

    def __init__(self, *, is_quiet: bool) -> None:
        self._countdown = Countdown("laxity sweep", "experiments", is_quiet=is_quiet)
        self.go_on = self._countdown.go_on
        self.close = self._countdown.close

    def record(self, n_programs: int) -> None:
        self._countdown.tell(f"recording {n_programs} streams of programs")

    def show(self, n_done: int, n_failed: int) -> None:
        self._countdown.show(n_done, f", {n_failed} failed")
