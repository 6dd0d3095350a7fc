# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Sections as a Markdown page with pictures beside it, to be read where no browser opens HTML."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from laxity.core.wording import visible
from laxity.page.blocks import Block, Cell, FigureBlock, Figures, Paragraph, Section, Table
from laxity.report.page import style_sheet
from laxity.store.run_directory import write_again

# Of the style sheet: the colours of figures, in light and in dark. A picture is a page of its own.
_LIGHT = re.compile(r":root \{.*?\n\}", re.DOTALL)
_DARK = re.compile(r"@media \(prefers-color-scheme: dark\) \{.*?\n\}", re.DOTALL)
_SPECIAL = re.compile(r"([\\`*_\[\]<>|])")


def write_markdown(title: str, sections: Iterable[Section], name: str, folder: Path) -> Path:
    """Write FOLDER/NAME.md and FOLDER/NAME-IDENTITY.svg of each figure.

    Args:
        title: Heading of the page.
        sections: What it says; one without a title has no heading.
        name: Of the files.
        folder: Made if it is missing.

    Returns:
        The path of the page.

    Raises:
        PlatformError: A file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    parts = [f"# {_escape(title)}"]
    for section in sections:
        if section.title:
            parts.append(f"## {_escape(section.title)}")
        for block in section.blocks:
            parts += _block(block, name, folder)
    path = folder / f"{name}.md"
    write_again(path, visible("\n\n".join(parts) + "\n", keeps_lines=True).encode())
    return path


def _block(block: Block, name: str, folder: Path) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield _escape(block.text)
    elif isinstance(block, Table):
        yield f"{_escape(block.caption)}:"
        yield _table(block)
    elif isinstance(block, Figures):
        for one in block.figures:
            yield _figure(one, name, folder)


def _table(table: Table) -> str:
    """Write a table; remarks, which stand below a cell on a page, have a column at its end."""
    has_remarks = any(cell.remark for row in table.rows for cell in row)
    head = [*table.head, *(["why they differ"] if has_remarks else [])]
    marks = ["--:" if cell.is_number else "---" for cell in table.rows[0]]
    rows = [[_text(cell) for cell in row] for row in table.rows]
    if has_remarks:
        marks.append("---")
        rows = [[*texts, _remarks(row)] for texts, row in zip(rows, table.rows, strict=True)]
    lines = [_line(head), "|" + "|".join(marks) + "|", *map(_line, rows)]
    return "\n".join(lines)


def _text(cell: Cell) -> str:
    """Keep a number and its unit on one line."""
    text = _escape(cell.text)
    return text.replace(" ", "\N{NO-BREAK SPACE}") if cell.is_number else text


def _remarks(row: Sequence[Cell]) -> str:
    return _escape(" ".join(cell.remark for cell in row if cell.remark))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _figure(one: FigureBlock, name: str, folder: Path) -> str:
    path = folder / f"{name}-{one.identity}.svg"
    write_again(path, standalone_svg(one.draw()).encode())
    return f"![{_escape(one.caption)}]({path.name})\n\n*{_escape(one.caption)}*"


def standalone_svg(svg: str) -> str:
    """Return a drawing of ours what it takes from its page: colours, font, background, size."""
    style = style_sheet()
    light, dark = _LIGHT.search(style), _DARK.search(style)
    colours = "".join(one[0] for one in (light, dark) if one is not None)
    end = svg.index(">") + 1
    box = re.search(r'viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"', svg[:end])
    size = "" if box is None else f' width="{float(box[1]):.0f}pt" height="{float(box[2]):.0f}pt"'
    font = "svg { background: var(--page); font-family: system-ui, sans-serif; }"
    return f"{svg[: end - 1]}{size}>\n<style>{colours}\n{font}</style>\n{svg[end:]}\n"


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)
