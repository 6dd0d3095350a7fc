# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Migration points as `laxity workingset` prints them."""

from pathlib import Path

from laxity.cli.tables import format_table
from laxity.model.migration_points import MigrationPoint, MigrationPoints
from laxity.model.working_set import ProgramAnswer
from laxity.report.migration_points_words import cost_text, points_sentences
from laxity.report.working_set_words import show_bits

_MOST_TOLD = 10


def points_text(program: ProgramAnswer) -> str:
    """Say what was found of a program's migration points; "": none were asked for."""
    found = program.migration
    if found is None:
        return ""
    lines = [f"\n{program.program}: migration points ({found.kind}), {found.unit}\n"]
    lines += [f"  {one}\n" for one in points_sentences(found)]
    shown = _shown(found)
    if shown:
        lines.append(_table(shown, program))
    return "".join(lines)


def _shown(found: MigrationPoints) -> list[MigrationPoint]:
    """List the chosen points, or the first of the window, or the cheapest of all."""
    by_number = {one.number: one for one in found.candidates}
    if found.placed is not None:
        return [by_number[number] for number in found.placed[:_MOST_TOLD]]
    if found.window is not None:
        return [by_number[number] for number in found.window.ranked[:_MOST_TOLD]]
    bounded = [one for one in found.candidates if one.live_bits is not None]
    return sorted(bounded, key=lambda one: (one.live_bits or 0, one.number))[:_MOST_TOLD]


def _table(shown: list[MigrationPoint], program: ProgramAnswer) -> str:
    has_cost = any(one.cost_ns is not None for one in shown)
    head = ["point", "live", "of max", "where", "kind", "from", "to"]
    rows = [[*_row(one, program), *([cost_text(one)] if has_cost else [])] for one in shown]
    head += ["cost"] if has_cost else []
    return format_table(tuple(head), [tuple(row) for row in rows], right=(0, 1, 2, 5, 6))


def _row(one: MigrationPoint, program: ProgramAnswer) -> list[str]:
    most = program.live.max if program.live is not None else None
    part = "-" if not most or one.live_bits is None else f"{100 * one.live_bits / most:.0f} %"
    file = Path(one.file).name if one.file else ""
    line = f"{file}:{one.line}: " if one.line is not None else ""
    where = f"{line}{one.function}, block {one.block}, instruction {one.index}"
    span = [_number(one.earliest), _number(one.latest)]
    return [str(one.number), show_bits(one.live_bits), part, where, " ".join(one.kinds), *span]


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)
