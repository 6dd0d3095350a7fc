# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Where a task should be made to migrate."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from laxity.page.blocks import (
    Block,
    Cell,
    Folded,
    Paragraph,
    Section,
    Table,
    as_sentence,
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
_HEAD = ("point", "live", "of max", "first", "last")
_WINDOW_HEAD = ("from", "to", "live", "cheapest", "point", "at", "candidates", "dearest")


def section(programs: Sequence[ProgramAnswer]) -> Section | None:
    """Build the section; None: no migration points were asked for."""
    blocks = [
        block
        for one in programs
        if one.migration is not None
        for block in _program(one, one.migration)
    ]
    if not blocks:
        return None
    intro = Paragraph(_TEXT, is_explanation=True)
    return Section("migration-points", "Migration points", (intro, *blocks))


def _program(program: ProgramAnswer, found: MigrationPoints) -> list[Block]:
    name = program.program
    first, *others = points_sentences(found) or ["no candidate"]
    blocks: list[Block] = [Paragraph(f"{name}: {first}.")]
    blocks += [Paragraph(as_sentence(text)) for text in others]
    by_number = {one.number: one for one in found.candidates}
    if found.placed:
        chosen = [by_number[number] for number in found.placed]
        blocks.append(_table(f"Chosen points of {name}", chosen, program))
    if found.window is not None and found.window.ranked:
        within = [by_number[number] for number in found.window.ranked]
        title = f"Candidates of {name} in the window, the cheapest first"
        blocks.append(_table(title, within, program, is_ranking=True))
    has_windows = found.run is not None and bool(found.run.windows)
    if found.run is not None and has_windows:
        blocks.append(_windows(name, found.run, by_number))
    bounded = [one for one in found.candidates if one.live_bits is not None]
    cheapest = sorted(bounded, key=lambda one: (one.live_bits or 0, one.number))
    if cheapest:
        title = f"Candidates of {name}, the cheapest first"
        table = _table(title, cheapest, program, is_ranking=True)
        is_all = found.placed is None and found.window is None and not has_windows
        blocks.append(Folded(f"Candidates of {name}", (table,), is_figures=is_all))
    return blocks


def _table(
    title: str,
    points: Sequence[MigrationPoint],
    program: ProgramAnswer,
    *,
    is_ranking: bool = False,
) -> Table:
    shown = points[:_MOST_ROWS]
    has_cost = any(one.cost_ns is not None for one in shown)
    kind = "" if program.migration is None else program.migration.kind
    caption = f"{title}, {show_count(len(shown))} of {show_count(len(points))} ({kind})"
    head = (*_HEAD, *(("cost",) if has_cost else ()), "where")
    rows = tuple(_row(one, program, has_cost=has_cost) for one in shown)
    return Table(caption, head, rows, is_ranking=is_ranking)


def _row(one: MigrationPoint, program: ProgramAnswer, *, has_cost: bool) -> tuple[Cell, ...]:
    most = program.live.max if program.live is not None else None
    part = "" if not most or one.live_bits is None else f"{100 * one.live_bits / most:.0f} %"
    numbers = [str(one.number), show_bits(one.live_bits), part]
    numbers += ["" if at is None else show_count(at) for at in (one.earliest, one.latest)]
    numbers += [cost_text(one)] if has_cost else []
    return (*map(number_cell, numbers), _where(one))


def _windows(name: str, run: RunWindows, by_number: Mapping[int, MigrationPoint]) -> Table:
    """Show the cheapest candidate of each window of a run."""
    shown = run.windows[:_MOST_ROWS]
    has_cost = any(one.cost_ns is not None for one in by_number.values())
    rest = ", all in migration_windows.csv" if len(run.windows) > len(shown) else ""
    caption = (
        f"Windows of one run of {name}, {show_count(len(shown))} of "
        f"{show_count(len(run.windows))}{rest}; from, to, at: {run.unit}, live: in the middle of "
        f"the window ({run.kind}, n = 1)"
    )
    head = (*_WINDOW_HEAD, *(("cost",) if has_cost else ()), "where")
    rows = []
    for one in shown:
        is_short = one.last - one.first < (run.window or 0)
        here = "" if is_short and one.here_bits is None else show_bits(one.here_bits)
        numbers = [show_count(one.first), show_count(one.last), here]
        if not one.ranked:
            numbers += [""] * (len(head) - len(numbers) - 1)
            rows.append((*map(number_cell, numbers), text_cell("")))
            continue
        best, point = one.ranked[0], by_number[one.ranked[0].number]
        numbers += [show_bits(best.live_bits), str(best.number), show_count(best.at)]
        numbers += [show_count(one.visited), show_bits(one.worst_bits)]
        numbers += [cost_text(point)] if has_cost else []
        rows.append((*map(number_cell, numbers), _where(point)))
    return Table(caption, head, tuple(rows))


def _where(one: MigrationPoint) -> Cell:
    line = f"{Path(one.file).name}:{one.line}: " if one.file and one.line is not None else ""
    where = f"{line}{one.function}, block {one.block}, instruction {one.index}"
    return text_cell(where, " ".join(one.kinds))
