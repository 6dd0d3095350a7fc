# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Sections as text for a terminal: the sentences and tables of the report, without its drawings."""

from collections.abc import Iterable, Iterator, Sequence

from laxity.core.text_table import format_table
from laxity.page.blocks import Block, Cell, Folded, Paragraph, Table

_NONE = "-"
# A terminal's figures are copied into other programs.
_PLAIN = str.maketrans({"\N{MINUS SIGN}": "-", "\N{NARROW NO-BREAK SPACE}": None})


def text_of(blocks: Iterable[Block]) -> str:
    """Write blocks one below the other, each line ended, a table between empty lines.

    What explains is left out, and so are details, unless they are the figures themselves. A
    sentence that was written already is not repeated.
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
        if isinstance(block, Table):
            yield block
        elif isinstance(block, Folded) and block.is_figures:
            yield from _shown(block.blocks, seen)
        elif isinstance(block, Paragraph) and not block.is_explanation and block.text not in seen:
            seen.add(block.text)
            yield block


def _table(table: Table) -> str:
    named = [*table.remarks, *([""] * (len(table.head) - len(table.remarks)))]
    head: list[str] = []
    right: list[int] = []
    for place, (name, remark) in enumerate(zip(table.head, named, strict=True)):
        is_number = bool(table.rows) and table.rows[0][place].is_number
        for text in (name, remark) if remark else (name,):
            right += [len(head)] if is_number else []
            head.append(text)
    text = format_table(head, [_row(cells, named) for cells in table.rows], right)
    if not any(head):
        # A list has no names above it.
        text = text.removeprefix("\n")
    return f"{_plain(table.caption)}:\n{text}"


def _row(cells: Sequence[Cell], named: Sequence[str]) -> list[str]:
    """Write cells; of remarks that have no column only those behind words at the end have room."""
    texts = []
    for cell, remark in zip(cells, named, strict=True):
        texts += [cell.text or _NONE, *((cell.remark or _NONE,) if remark else ())]
    if cells[-1].remark and not cells[-1].is_number and not named[-1]:
        texts[-1] += f" ({cells[-1].remark})"
    return [_plain(text) for text in texts]


def _plain(text: str) -> str:
    return text.translate(_PLAIN)
