# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The table of regulated programs in docs/regulation.md, from trials of `laxity reproduce blin`.

bench/README.md says how to read the table.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

import click
import msgspec

from laxity.contention.document import N_REPLAYS, Evaluation
from laxity.contention.trial import Trial
from laxity.core.percent import percent
from laxity.core.units import format_duration_ns

_BEGIN, _END = "<!-- begin: bench/regulated_programs.py -->", "<!-- end -->"
_HEAD = (
    *("program", "alone", "phases", "policy", "largest overhead", "above θ"),
    *("parallelism", "windows above the table"),
)
_PPM_PER_PERCENT = 10_000
# Less room between `paper` and the optimum says nothing of a policy.
_LEAST_GAP_PPM = 50_000


def table_of(trials: Sequence[Trial]) -> str:
    """Write a table in Markdown: each program with each policy, then the optimum."""
    evaluations = [evaluation for trial in trials for evaluation in trial.evaluations]
    thetas = " and ".join(map(percent, sorted({found.theta_ppm for found in evaluations})))
    loads = " and ".join(map(str, sorted({len(found.cells) for found in evaluations})))
    lines = [
        f"At θ = {thetas}, {loads} loads, one cold job each and {N_REPLAYS} replays (simulated; "
        "overhead of simulated and replayed jobs; parallelism as least / median / most, mean):",
        "",
        f"| {' | '.join(_HEAD)} |",
        f"|{'---|' * len(_HEAD)}",
    ]
    for trial in sorted(trials, key=_name):
        lines += [f"| {' | '.join(row)} |" for row in _rows(trial)]
    return "\n".join([*lines, "", *_against_paper(trials)]).rstrip("\n") + "\n"


@dataclass(frozen=True, slots=True)
class _Compared:
    """Of a program and a load with which `paper` kept theta: more than `paper`, and its gap."""

    name: str
    more_ppm: int
    gap_ppm: int


def _compared(trial: Trial) -> Iterable[_Compared]:
    by_policy = {found.policy: found for found in trial.evaluations}
    if not by_policy.keys() >= {"sound", "paper"}:
        return
    paper = by_policy["paper"]
    for ours, theirs in zip(by_policy["sound"].cells, paper.cells, strict=True):
        if max(theirs.regulated_ppm, theirs.replayed_ppm) <= paper.theta_ppm:
            shares = (ours.parallelism_ppm, ours.optimum_ppm)
            yield _Compared(_name(trial), *(ppm - theirs.parallelism_ppm for ppm in shares))


def _closed(loads: Sequence[_Compared]) -> float:
    return 100 * sum(load.more_ppm for load in loads) / sum(load.gap_ppm for load in loads)


def _against_paper(trials: Sequence[Trial]) -> Iterable[str]:
    """Say which part of what `paper` leaves to the optimum `sound` allows, and where it is less."""
    loads = [load for trial in sorted(trials, key=_name) for load in _compared(trial)]
    wide = [load for load in loads if load.gap_ppm >= _LEAST_GAP_PPM]
    if not wide:
        return
    by_name = {load.name: [other for other in wide if other.name == load.name] for load in wide}
    of_programs = [f"`{name}` {_closed(of_name):.0f} %" for name, of_name in by_name.items()]
    yield (
        f"`sound` allows {_closed(wide):.0f} % of the parallelism between `paper` and the optimum "
        f"({len(wide)} loads with which `paper` kept θ and left 5 points or more): "
        f"{', '.join(of_programs)}."
    )
    least = min(loads, key=lambda load: load.more_ppm)
    n_below = sum(load.more_ppm < -2 * _PPM_PER_PERCENT for load in loads)
    largest = f", at most {-least.more_ppm / _PPM_PER_PERCENT:.1f} (`{least.name}`)"
    yield (
        f"With {n_below} of {len(loads)} loads it allows over 2 points less than "
        f"`paper`{largest if n_below else ''}."
    )


def _name(trial: Trial) -> str:
    return " ".join([trial.table.workload, *trial.table.args])


def _rows(trial: Trial) -> Iterable[Sequence[str]]:
    unregulated = max(cell.load.overhead_ppm for cell in trial.evaluations[0].cells)
    program = [
        f"`{_name(trial)}`",
        format_duration_ns(trial.table.solo_ns),
        str(len(trial.table.phases)),
    ]
    yield [*program, "none", percent(unregulated), "-", "-", "-"]
    for evaluation in trial.evaluations:
        largest = max(max(cell.regulated_ppm, cell.replayed_ppm) for cell in evaluation.cells)
        above, windows = (
            sum(getattr(cell, name) for cell in evaluation.cells)
            for name in ("windows_above", "windows")
        )
        shares = _shares([cell.parallelism_ppm for cell in evaluation.cells])
        of_windows = f"{above:,} of {windows:,}" if evaluation.policy == "sound" else "-"
        policy = f"`{evaluation.policy}`"
        row = [policy, percent(largest), str(evaluation.n_beyond), shares, of_windows]
        yield ["", "", "", *row]
    yield ["", "", "", "optimum", "-", "-", _optimum(trial.evaluations[0]), "-"]


def _optimum(evaluation: Evaluation) -> str:
    return _shares([cell.optimum_ppm for cell in evaluation.cells])


def _shares(ppm: Sequence[int]) -> str:
    least, middle, most, average = (
        f"{value / _PPM_PER_PERCENT:.1f}" for value in (min(ppm), median(ppm), max(ppm), mean(ppm))
    )
    return f"{least} / {middle} / {most} %, {average}"


def with_table(page: str, table: str) -> str:
    """Put a table between the marks of a page.

    Raises:
        click.ClickException: The page has no marks.
    """
    before, begin, rest = page.partition(f"{_BEGIN}\n")
    _, end, after = rest.partition(_END)
    if not begin or not end:
        msg = f"the page lacks a line {_BEGIN} or {_END}"
        raise click.ClickException(msg)
    return f"{before}{begin}{table}{end}{after}"


@click.command()
@click.argument("trials", metavar="RUN/runs/*/trial.json...", nargs=-1, required=True)
@click.option("--page", metavar="FILE", help="Put the table there.  [default: print it]")
def main(trials: tuple[str, ...], page: str | None) -> None:
    """Write the table of regulated programs."""
    read = [msgspec.json.decode(Path(path).read_bytes(), type=Trial) for path in trials]
    table = table_of(read)
    if page is None:
        click.echo(table, nl=False)
        return
    Path(page).write_text(with_table(Path(page).read_text(), table))


if __name__ == "__main__":
    main()
