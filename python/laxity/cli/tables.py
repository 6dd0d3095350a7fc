# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Plain tables on stdout: no frames, no colours, never wrapped, so that they can be piped."""

import sys
from collections.abc import Sequence

import msgspec

from laxity.model.wording import visible

_GAP = "  "


def format_table(
    headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()
) -> str:
    """Align columns.

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


def print_json(document: object) -> None:
    """Write a document to stdout as indented JSON."""
    data = msgspec.json.format(msgspec.json.encode(document), indent=2)
    sys.stdout.write(data.decode() + "\n")
