# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Sections as text for a terminal: the sentences and tables of the report, without its drawings."""

from collections.abc import Iterable, Sequence

from laxity.core.text_table import format_table
from laxity.page.blocks import Block, Cell, Folded, Paragraph, Table

_NONE = "-"
# A terminal's figures are copied into other programs.
_PLAIN = str.maketrans({"\N{MINUS SIGN}": "-", "\N{NARROW NO-BREAK SPACE}": None})


def text_of(blocks: Iterable[Block]) -> str:
    """Write blocks one below the other, each line ended.

    What explains is left out, and so are details, unless they are the figures themselves. A
    sentence that was written already is not repeated.
    """
    seen: set[str] = set()
    return "".join(_text_of(block, seen) for block in blocks)


def _text_of(block: Block, seen: set[str]) -> str:
    if isinstance(block, Paragraph):
        if block.is_explanation or block.text in seen:
            return ""
        seen.add(block.text)
        return f"{_plain(block.text)}\n"
    if isinstance(block, Table):
        rows = [_row(cells) for cells in block.rows]
        right = [i for i, cell in enumerate(block.rows[0]) if cell.is_number] if block.rows else []
        return f"{_plain(block.caption)}:\n{format_table(block.head, rows, right)}"
    if isinstance(block, Folded) and block.is_figures:
        return "".join(_text_of(one, seen) for one in block.blocks)
    return ""


def _row(cells: Sequence[Cell]) -> list[str]:
    """Write cells; only behind words at the end there is room for a remark."""
    texts = [cell.text or _NONE for cell in cells]
    if cells[-1].remark and not cells[-1].is_number:
        texts[-1] += f" ({cells[-1].remark})"
    return [_plain(text) for text in texts]


def _plain(text: str) -> str:
    return text.translate(_PLAIN)
