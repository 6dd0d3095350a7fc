# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Sections as text for a terminal: the sentences and tables of the report, without its drawings."""

from collections.abc import Iterable, Iterator, Sequence

from laxity.core.text_table import format_table
from laxity.page.blocks import Block, Cell, Folded, Paragraph, Table

_NONE = "-"
_MOST_RANKED = 10
# A terminal's figures are copied into other programs.
_PLAIN = str.maketrans({"\N{MINUS SIGN}": "-", "\N{NARROW NO-BREAK SPACE}": None})


def text_of(blocks: Iterable[Block]) -> str:
    """Write blocks one below the other, each line ended, a table between empty lines.

    What explains is left out, and so are details, unless they are the figures themselves, and what
    is only drawn. A sentence that was written already is not repeated.
    """
    parts: list[str] = []
    was_table = False
    for block in _shown(blocks, set()):
        is_table = isinstance(block, Table)
        if parts and (is_table or was_table):
            parts.append("\n")
        parts.append(_table(block) if isinstance(block, Table) else f"{_plain(block.text)}\n")
        was_table = is_table
    return "".join(parts)


def _shown(blocks: Iterable[Block], seen: set[str]) -> Iterator[Paragraph | Table]:
    """Pick what a terminal shows."""
    for block in blocks:
        if isinstance(block, Table) and block.rows:
            yield block
        elif isinstance(block, Folded) and block.is_figures:
            yield from _shown(block.blocks, seen)
        elif isinstance(block, Paragraph) and not block.is_explanation and block.text not in seen:
            seen.add(block.text)
            yield block


def _table(table: Table) -> str:
    shown = table.rows[: _MOST_RANKED if table.is_ranking else None]
    columns = list(_columns(table, shown))
    head = [name for name, _, _ in columns]
    right = [place for place, (_, _, is_number) in enumerate(columns) if is_number]
    rows = list(zip(*(texts for _, texts, _ in columns), strict=True))
    text = format_table(head, rows, right)
    if not any(head):
        # A list has no names above it.
        text = text.removeprefix("\n")
    more = len(table.rows) - len(shown)
    rest = f"{more} more in the report\n" if more else ""
    return f"{_plain(table.caption)}:\n{text}{rest}"


def _columns(table: Table, rows: Sequence[Sequence[Cell]]) -> Iterator[tuple[str, list[str], bool]]:
    """Return each column: its name, its texts, whether they are numbers.

    A column without a word is left out: what is drawn has no place here. Remarks that have a name
    have a column if there are any. Of the others only those behind words at the end have room.
    """
    kept = [i for i in range(len(table.head)) if any(row[i].text for row in rows)]
    for place in kept:
        name, cells = table.head[place], [row[place] for row in rows]
        is_number = cells[0].is_number
        remark = table.remarks[place] if place < len(table.remarks) else ""
        has_room = place == kept[-1] and not remark
        yield name, [_words(one, has_remark=has_room) for one in cells], is_number
        if remark and any(one.remark for one in cells):
            yield remark, [_plain(one.remark or _NONE) for one in cells], is_number


def _words(cell: Cell, *, has_remark: bool) -> str:
    text = cell.text or _NONE
    if has_remark and cell.remark and not cell.is_number:
        text += f" ({cell.remark})"
    return _plain(text)


def _plain(text: str) -> str:
    return text.translate(_PLAIN)
