# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Migration points as `laxity workingset` prints them."""

from pathlib import Path

from laxity.core.text_table import format_table
from laxity.workingset.document import ProgramAnswer
from laxity.workingset.migration_points_document import MigrationPoint, MigrationPoints, RunWindows
from laxity.workingset.points_words import cost_text, points_sentences
from laxity.workingset.words import show_bits

_MOST_TOLD = 10
_MOST_WINDOWS = 25


def points_text(program: ProgramAnswer) -> str:
    """Say what was found of a program's migration points; "": none were asked for."""
    found = program.migration
    if found is None:
        return ""
    lines = [f"\n{program.program}: migration points ({found.kind}), {found.unit}\n"]
    lines += [f"  {one}\n" for one in points_sentences(found)]
    has_windows = found.run is not None and bool(found.run.windows)
    shown = _shown(found)
    if shown and (found.placed or found.window or not has_windows):
        lines.append(_table(shown, program))
    if found.run is not None and has_windows:
        lines.append(_windows(found.run, found))
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


def _windows(run: RunWindows, found: MigrationPoints) -> str:
    """Show the cheapest candidate of each window, of the first windows."""
    by_number = {one.number: one for one in found.candidates}
    has_cost = any(one.cost_ns is not None for one in found.candidates)
    head = ["from", "to", "live", "cheapest", "at", "where", "kind", "others", "dearest"]
    head += ["cost"] if has_cost else []
    rows: list[tuple[str, ...]] = []
    for window in run.windows[:_MOST_WINDOWS]:
        is_short = window.last - window.first < (run.window or 0)
        here = "-" if is_short and window.here_bits is None else show_bits(window.here_bits)
        ends = (str(window.first), str(window.last), here)
        if not window.ranked:
            rows.append((*ends, *("-",) * (len(head) - len(ends))))
            continue
        best = window.ranked[0]
        point = by_number[best.number]
        rows.append(
            (
                *(*ends, show_bits(best.live_bits), str(best.at), _where(point)),
                *(" ".join(point.kinds), str(window.visited - 1), show_bits(window.worst_bits)),
                *((cost_text(point),) if has_cost else ()),
            )
        )
    text = format_table(tuple(head), rows, right=(0, 1, 2, 3, 4, 7, 8))
    text += f"from, to, at: {run.unit}; live: in the middle of the window\n"
    if len(run.windows) > len(rows):
        text += f"{len(run.windows) - len(rows)} more in migration_windows.csv\n"
    return text


def _row(one: MigrationPoint, program: ProgramAnswer) -> list[str]:
    most = program.live.max if program.live is not None else None
    part = "-" if not most or one.live_bits is None else f"{100 * one.live_bits / most:.0f} %"
    span = [_number(one.earliest), _number(one.latest)]
    kinds = " ".join(one.kinds)
    return [str(one.number), show_bits(one.live_bits), part, _where(one), kinds, *span]


def _where(one: MigrationPoint) -> str:
    file = Path(one.file).name if one.file else ""
    line = f"{file}:{one.line}: " if one.line is not None else ""
    return f"{line}{one.function}, block {one.block}, instruction {one.index}"


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)
