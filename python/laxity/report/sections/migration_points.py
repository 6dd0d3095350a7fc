# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Where a task should be made to migrate."""

from collections.abc import Sequence
from pathlib import Path

from laxity.model.migration_points import MigrationPoint, MigrationPoints
from laxity.model.working_set import ProgramAnswer
from laxity.report.blocks import (
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
from laxity.report.migration_points_words import cost_text, points_sentences
from laxity.report.working_set_words import show_bits

_MOST_ROWS = 25
_TEXT = (
    "A migration point is a place where the task looks whether it shall move. Candidates are the "
    "entries of blocks, places before and behind calls, the ends of loop pre-headers and of "
    "latches. First and last say when a run may come by, in executed instructions since its start."
)
_HEAD = ("point", "live", "where", "kind", "first", "last", "cost")


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


def _row(one: MigrationPoint) -> tuple[Cell, ...]:
    where = f"{one.function}, block {one.block}, instruction {one.index}"
    if one.file and one.line is not None:
        where = f"{Path(one.file).name}:{one.line}: {where}"
    return (
        number_cell(str(one.number)),
        number_cell(show_bits(one.live_bits)),
        text_cell(where),
        text_cell(" ".join(one.kinds)),
        number_cell("" if one.earliest is None else show_count(one.earliest)),
        number_cell("" if one.latest is None else show_count(one.latest)),
        number_cell(cost_text(one)),
    )
