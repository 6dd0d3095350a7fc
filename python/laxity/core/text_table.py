# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Plain tables for a terminal and for pipes."""

from collections.abc import Sequence

from laxity.core.wording import visible

_GAP = "  "


def format_table(
    headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()
) -> str:
    """Align columns: no frames, no colours, never wrapped, so that they can be piped.

    Args:
        headers: One per column.
        rows: Cells; every row as long as the headers.
        right: Columns that are aligned to the right.

    Returns:
        Lines, each ended.
    """
    lines = [[visible(cell) for cell in line] for line in (headers, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(headers))]
    return "".join(
        _GAP.join(
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        + "\n"
        for line in lines
    )
