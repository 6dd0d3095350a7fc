# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Where a task should be made to migrate."""

from collections.abc import Sequence
from pathlib import Path

from laxity.page.blocks import (
    Block,
    Cell,
    Folded,
    Paragraph,
    Section,
    Table,
    number_cell,
    show_count,
    text_cell,
)
from laxity.workingset.document import ProgramAnswer
from laxity.workingset.migration_points_document import MigrationPoint, MigrationPoints, RunWindows
from laxity.workingset.points_words import cost_text, points_sentences
from laxity.workingset.words import show_bits

_MOST_ROWS = 25
_TEXT = (
    "A migration point is a place where the task looks whether it shall move. Candidates are the "
    "entries of blocks, places before and behind calls, the ends of loop pre-headers and of "
    "latches. First and last say when a run may come by, in executed instructions since its start."
)
_HEAD = ("point", "live", "where", "kind", "first", "last", "cost")
_WINDOW_HEAD = (
    *("from", "to", "live in the middle", "cheapest", "point", "where", "at"),
    *("candidates", "dearest", "cost"),
)


def section(programs: Sequence[ProgramAnswer]) -> Section | None:
    """Build the section; None: no migration points were asked for."""
    blocks: list[Block] = []
    for one in programs:
        if one.migration is not None:
            blocks += _program(one.program, one.migration)
    if not blocks:
        return None
    return Section("migration-points", "Migration points", (Paragraph(_TEXT), *blocks))


def _program(name: str, found: MigrationPoints) -> list[Block]:
    blocks: list[Block] = [Paragraph(f"{name}: {'; '.join(points_sentences(found))}.")]
    placed = set(found.placed or ())
    chosen = [one for one in found.candidates if one.number in placed]
    if chosen:
        blocks.append(_table(f"Chosen points of {name}", chosen, found))
    if found.run is not None and found.run.windows:
        blocks.append(_windows(name, found.run, found))
    bounded = [one for one in found.candidates if one.live_bits is not None]
    cheapest = sorted(bounded, key=lambda one: (one.live_bits or 0, one.number))
    if cheapest:
        table = _table(f"Candidates of {name}, the cheapest first", cheapest, found)
        blocks.append(Folded(f"Candidates of {name}", (table,)))
    return blocks


def _table(title: str, points: Sequence[MigrationPoint], found: MigrationPoints) -> Table:
    shown = points[:_MOST_ROWS]
    caption = f"{title}, {show_count(len(shown))} of {show_count(len(points))} ({found.kind})"
    return Table(caption, _HEAD, tuple(_row(one) for one in shown))


def _windows(name: str, run: RunWindows, found: MigrationPoints) -> Table:
    """Show the cheapest candidate of each window of a run."""
    by_number = {one.number: one for one in found.candidates}
    shown = run.windows[:_MOST_ROWS]
    caption = (
        f"Windows of one run of {name}, {show_count(len(shown))} of "
        f"{show_count(len(run.windows))}; from, to, at: {run.unit} ({run.kind}, n = 1)"
    )
    rows = []
    for one in shown:
        ends = (number_cell(show_count(one.first)), number_cell(show_count(one.last)))
        if not one.ranked:
            rows.append((*ends, *(text_cell("") for _ in _WINDOW_HEAD[2:])))
            continue
        best, point = one.ranked[0], by_number[one.ranked[0].number]
        rows.append(
            (
                *ends,
                number_cell("" if one.here_bits is None else show_bits(one.here_bits)),
                number_cell(show_bits(best.live_bits)),
                number_cell(str(best.number)),
                text_cell(_where(point)),
                number_cell(show_count(best.at)),
                number_cell(show_count(one.visited)),
                number_cell(show_bits(one.worst_bits)),
                number_cell(cost_text(point)),
            )
        )
    return Table(caption, _WINDOW_HEAD, tuple(rows))


def _row(one: MigrationPoint) -> tuple[Cell, ...]:
    return (
        number_cell(str(one.number)),
        number_cell(show_bits(one.live_bits)),
        text_cell(_where(one)),
        text_cell(" ".join(one.kinds)),
        number_cell("" if one.earliest is None else show_count(one.earliest)),
        number_cell("" if one.latest is None else show_count(one.latest)),
        number_cell(cost_text(one)),
    )


def _where(one: MigrationPoint) -> str:
    where = f"{one.function}, block {one.block}, instruction {one.index}"
    if one.file and one.line is not None:
        return f"{Path(one.file).name}:{one.line}: {where}"
    return where
