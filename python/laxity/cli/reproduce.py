# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity reproduce`: the experiments of a paper again, its values beside ours."""

import sys
from pathlib import Path

import click

from laxity.cli.finished import show_finished
from laxity.cli.options import (
    run_path,
    stored_options,
)
from laxity.cli.reports import build_paper_page
from laxity.core.text_table import format_table

_PAGE = "page"


@click.command()
@click.argument("paper", required=False)
@click.argument("figures", metavar="[FIGURE]...", nargs=-1)
@click.option(
    "--suite",
    "suites",
    metavar="DIR",
    multiple=True,
    help="A checkout of the suite that a figure is of. Repeatable.",
)
@click.option(
    "--preset",
    metavar="NAME",
    help="How much is simulated: smoke, quick or full, of blin.  [default: smoke]",
)
@click.option(
    "--page",
    metavar="FOLDER",
    help="Where to write the page, PAPER.md with its pictures.  [default: page in the run]",
)
@stored_options
def reproduce(  # noqa: PLR0913 - one parameter per option
    *,
    paper: str | None,
    figures: tuple[str, ...],
    suites: tuple[str, ...],
    preset: str | None,
    page: str | None,
    run_dir: str | None,
    run_root: str | None,
    no_report: bool,
    output_format: str,
    quiet: bool,
) -> int:
    """Make the experiments of PAPER again on simulated platforms, or only those of some FIGUREs.

    Each value stands beside the paper's; the page says why they differ. Without PAPER it lists what
    there is. Two reproductions are identical, but for what is measured on this machine, which is
    made only if it is named: rt-bench table-4. After a kill the same command with the same
    --run-dir goes on.
    """
    from laxity.papers.paper import paper_of  # noqa: PLC0415 - heavy

    if paper is None:
        return _list_papers()
    chosen = paper_of(paper, preset or "")
    exhibits = chosen.chosen(figures, has_suite=bool(suites))

    from laxity.core.signals import forwarded_signals  # noqa: PLC0415 - with the above
    from laxity.papers.reproduce import ReproduceRequest, run_reproduction  # noqa: PLC0415 - heavy

    request = ReproduceRequest(
        paper=chosen,
        exhibits=exhibits,
        final=run_path(paper, run_dir, run_root),
        command_line=["laxity", *sys.argv[1:]],
        on_begin=lambda line: (
            None if quiet else print(f"laxity reproduce {paper}: {line}", file=sys.stderr)
        ),
        suites=tuple(map(Path, suites)),
        left_out=chosen.left_out(exhibits, figures),
        is_quiet=quiet,
    )
    with forwarded_signals() as signals:
        finished = run_reproduction(request, signals)
    return show_finished(
        finished,
        output_format=output_format,
        has_report=not no_report,
        page=lambda run: build_paper_page(run, run.path / _PAGE if page is None else Path(page)),
    )


def _list_papers() -> int:
    from laxity.papers.paper import NAMES, paper_of  # noqa: PLC0415 - heavy

    rows = [
        (name, exhibit.name, exhibit.title) for name in NAMES for exhibit in paper_of(name).exhibits
    ]
    sys.stdout.write(format_table(("paper", "figure", "what it shows"), rows))
    return 0
