# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A suite run: a row per program, how long their jobs are, what was left out and why."""

from functools import partial
from typing import Literal
from urllib.parse import quote

from laxity.page.blocks import (
    NOT_MEASURED,
    Block,
    Cell,
    FigureBlock,
    Figures,
    Paragraph,
    Quantity,
    Section,
    Table,
    count_noun,
    duration_cell,
    name_some,
    number_cell,
    show_count,
    show_duration,
    text_cell,
)
from laxity.page.small import distribution_picture
from laxity.store.run_directory import REPORT
from laxity.suites import figure as suite_figure
from laxity.suites.data import ProgramData, SuiteData, fallbacks_of
from laxity.suites.result import Spread

_HEAD = (
    "program", "mode", "jobs", "right", "wrong", "not met", "min", "median", "p99", "max",
    "distribution", "isolating",
)  # fmt: skip
_CAPTION = (
    "Jobs of each program, {}; times from start to finish, n = jobs (p99: from 368 on); "
    "isolating: mean, between jobs"
)
_LEGEND = (
    "Right is a job that ended, checked and wrote as a fresh process does. Drawn are the times "
    "from minimum to maximum, logarithmically beyond a factor of 10, with the number of jobs "
    "logarithmically upwards; the line is the median. Isolating is mean and maximum of what was "
    "done between jobs, off their own time. The name of a program leads to its own report."
)


def build(data: SuiteData) -> Section:
    """Build the table of all programs that ran."""
    rows = tuple(_row(one) for one in data.ran)
    blocks: list[Block] = []
    if rows:
        blocks += [Paragraph(_LEGEND, is_explanation=True), *_batches(data)]
        blocks.append(Table(_CAPTION.format(data.kind), _HEAD, rows))
    else:
        blocks.append(Paragraph("No program ran, so there is nothing to show here.", "note"))
    quantities = tuple(found for one in data.ran for found in _quantities(one, data.kind))
    return Section("programs", "Programs", tuple(blocks), quantities)


def _batches(data: SuiteData) -> tuple[Block, ...]:
    """Say what a job is, where it is several calls."""
    calls = {one.row.result.calls for one in data.ran if one.row.result is not None} - {1}
    text = f"A job is {max(calls)} calls of its program in a row." if calls else ""
    return (Paragraph(text, "note"),) if calls else ()


def build_lengths(data: SuiteData) -> Section | None:
    """Build the figure of all programs on one axis; None without a finished job."""
    shown = [(one.row.program, one.times) for one in data.ran]
    timed = [(name, times) for name, times in shown if times is not None]
    if not timed:
        return None
    names = [name for name, _ in timed]
    times = [one for _, one in timed]
    alt = f"How long the jobs of {count_noun(len(timed), 'program')} are, on one logarithmic axis"
    draw = partial(suite_figure.spreads, names, times, "lengths", alt)
    n = min(one.n for one in times)
    kinds = ", ".join(dict.fromkeys(one.kind for one in times))
    caption = (
        "Start to finish of each program's jobs: minimum (bar), median (dot), maximum (triangle). "
        f"n ≥ {show_count(n)} jobs each, {kinds}."
    )
    return Section(
        "lengths", "How long jobs are", (Figures((FigureBlock("lengths-all", draw, caption),)),)
    )


def build_left_out(data: SuiteData) -> Section | None:
    """Build the list of what was not run; None if all was."""
    rows = [
        (text_cell(one.row.program, ", ".join(one.row.classes)), text_cell(one.row.left_out))
        for one in data.programs
        if one.row.left_out is not None
    ]
    rows += [
        (text_cell(one.row.program), text_cell("the run ended before its turn"))
        for one in data.programs
        if one.row.left_out is None and one.row.result is None
    ]
    if not rows:
        return None
    table = Table("Programs without a result", ("program", "why"), tuple(rows))
    return Section("left-out", "Not run", (table,))


def build_fallbacks(data: SuiteData) -> Section | None:
    """Build what was asked for and replaced by something less, each once."""
    rows = tuple(
        (
            text_cell(one.what, _named(programs, len(data.ran))),
            text_cell(one.used),
            text_cell(one.reason),
        )
        for one, programs in fallbacks_of(data)
    )
    if not rows:
        return None
    text = "Not everything could be had as asked for; all figures hold for what was used."
    table = Table("Fallbacks", ("asked for", "used instead", "because"), rows)
    return Section("fallbacks", "Fallbacks", (Paragraph(text, "warning"), table))


def _named(programs: list[str], n_all: int) -> str:
    return "all programs" if len(programs) == n_all else name_some(programs)


def _row(one: ProgramData) -> tuple[Cell, ...]:
    result, times = one.row.result, one.times
    assert result is not None  # noqa: S101 - of those that ran
    name = Cell(
        one.row.program,
        remark=", ".join(one.row.classes),
        href=f"runs/{quote(one.row.run or '')}/{REPORT}",
    )
    isolating = result.isolating
    wrong = _count(result.wrong)
    ended = "" if result.status == "complete" else result.status
    return (
        name,
        text_cell(one.row.mode or "none chosen", ended),
        number_cell(show_count(result.finished)),
        _count(result.right),
        Cell(wrong.text, is_number=True, mark=" state-bad") if result.wrong else wrong,
        # Skipped ones, too; jobs that never ran have no time and are easily overlooked.
        number_cell(show_count(result.not_met))
        if result.has_deadline or result.not_met
        else number_cell("", "no deadline"),
        *_times(times),
        _picture(one),
        number_cell("", NOT_MEASURED)
        if isolating is None
        else duration_cell(isolating.mean, f"max {show_duration(isolating.max)}"),
    )


def _count(value: int | None) -> Cell:
    return number_cell("", "rows not kept") if value is None else number_cell(show_count(value))


def _times(times: Spread | None) -> tuple[Cell, ...]:
    if times is None:
        return (number_cell("", "no job finished"),) * 4
    p99 = number_cell("", "not stated") if times.p99 is None else duration_cell(times.p99)
    bucket = "" if times.is_exact else "end of a bucket"
    least, median, most = (duration_cell(a, bucket) for a in (times.min, times.median, times.max))
    return (least, median, p99, most)


def _picture(one: ProgramData) -> Cell:
    if one.samples is None or one.times is None:
        return text_cell("")
    ends = f"{show_duration(one.times.min)} to {show_duration(one.times.max)}"
    alt = f"Start to finish of {one.row.program}: {ends}, n = {show_count(one.times.n)} jobs"
    return Cell("", svg=distribution_picture(one.samples, one.times.median, alt))


def _quantities(one: ProgramData, kind: Literal["measured", "simulated"]) -> list[Quantity]:
    result, name = one.row.result, one.row.program
    assert result is not None  # noqa: S101 - of those that ran

    def found(what: str, value: int | None, unit: str, n: int, note: str | None = None) -> Quantity:
        return Quantity(
            name=what, value=value, unit=unit, n=n, kind=kind, run=one.row.run or "",
            task=name, note=note,
        )  # fmt: skip

    kept = None if result.right is not None else "not every row was kept"
    quantities = [
        found("jobs_right", result.right, "jobs", result.finished, kept),
        found("jobs_wrong", result.wrong, "jobs", result.finished, kept),
        found("releases_missed", result.missed, "jobs", result.released),
        found("releases_not_met", result.not_met, "jobs", result.released),
        found("jobs_cut_off", result.cut_off, "jobs", result.started),
    ]
    for times in result.times:
        quantities += [
            found(f"{times.quantity}_{what}", value, times.unit, times.n, note)
            for what, value, note in (
                ("min", times.min, None),
                ("median", times.median, None),
                ("p99", times.p99, None if times.p99 is not None else "needs 368 samples"),
                ("p99.9", times.p999, None if times.p999 is not None else "needs 3688 samples"),
                ("max", times.max, None),
            )
        ]
    if result.isolating is not None:
        cost = result.isolating
        quantities.append(found("isolating_mean", cost.mean, cost.unit, cost.n))
        quantities.append(found("isolating_max", cost.max, cost.unit, cost.n))
    return quantities
