# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A report page as a reader sees it: one line per paragraph, row of a table, or drawing.

`read_page` and `section_lines` read HTML; `block_lines` says how a block must read there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import assert_never

from typing_extensions import override

from laxity.jobs.page import Page
from laxity.page.blocks import (
    Block,
    Cell,
    Code,
    Figures,
    Folded,
    Heading,
    Links,
    Paragraph,
    Section,
    Table,
)
from laxity.report.page import Derived

# Elements without an end tag.
_VOID = frozenset({"meta", "link", "br", "hr", "img", "input", "col"})
# The contents name the sections once more; test_pages.py reads them.
_UNREAD = frozenset({"head", "nav"})
_LINES = frozenset({"h1", "h2", "h3", "h4", "p", "summary", "pre", "figcaption", "svg"})
# Classes that say how grave a sentence is.
_TONES = frozenset({"good", "attention", "bad", "note", "warning"})
_DRAWN = "[drawn]"


@dataclass
class Node:
    """An element and what it holds."""

    tag: str
    attributes: dict[str, str]
    parts: list["Node | str"] = field(default_factory=list)

    @property
    def classes(self) -> list[str]:
        return self.attributes.get("class", "").split()

    def all(self, *tags: str) -> Iterator["Node"]:
        """The elements of these kinds, or of all, within it, in order."""
        for part in self.parts:
            if isinstance(part, Node):
                yield from [part] if part.tag in tags or not tags else []
                yield from part.all(*tags)

    def text(self) -> str:
        """What it says, in one line: a remark in parentheses, a link with its target."""
        tone = " ".join(f"[{one}]" for one in self.classes if one in _TONES)
        return _folded(f"{tone} {''.join(_words(part) for part in self.parts)}")


@dataclass(frozen=True)
class Built:
    """The page of a run as it was built, as its file is read, and the figures beside it."""

    path: Path
    page: Page
    html: Node
    derived: Derived

    @property
    def sections(self) -> list[Section]:
        return [section for group in self.page.groups for section in group.sections]

    def blocks(self) -> Iterator[Block]:
        """All blocks of all sections, those that are folded too."""
        for section in self.sections:
            yield from _unfolded(section.blocks)


def _unfolded(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Folded):
            yield from _unfolded(block.blocks)


def read_page(text: str) -> Node:
    """Read a page, in which each element ends, and ends what began last."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    (page,) = reader.open
    return page


def section_lines(page: Node) -> dict[str, list[str]]:
    """List the lines of each section by its id; those outside of sections by an empty id."""
    sections: dict[str, list[str]] = {"": []}
    for identity, line in _lines(page, ""):
        sections.setdefault(identity, []).append(line)
    return sections


def block_lines(block: Block) -> Iterator[str]:
    """Write a block of a section as `section_lines` must find it; a drawing without its words."""
    match block:
        case Paragraph():
            yield _folded(f"[{block.tone}] {block.text}" if block.tone in _TONES else block.text)
        case Heading():
            yield _folded(block.text)
        case Table():
            yield f"table: {_folded(block.caption)}"
            yield from [_row(block.head)] if any(block.head) else []
            yield from (_row([_cell(cell) for cell in row]) for row in block.rows)
        case Figures():
            for figure in block.figures:
                yield _DRAWN
                yield _folded(figure.caption)
        case Code():
            yield from filter(None, (_folded(block.label), _folded(block.text)))
        case Links():
            links = " ".join(f"<{path}> {text}" for text, path in block.pages)
            yield _folded(f"{block.label} {links}")
        case Folded():
            yield _folded(block.summary)
            for part in block.blocks:
                yield from block_lines(part)
        case _:
            assert_never(block)


def without_words_of_drawings(line: str) -> str:
    """Leave out what stands in a drawing."""
    return _DRAWN if line.startswith("[drawn") else line


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Node("page", {})]

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in _VOID:
            self.open.append(self._last())

    @override
    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.open[-1].parts.append(Node(tag, attributes))

    @override
    def handle_endtag(self, tag: str) -> None:
        ended = self.open.pop().tag
        assert ended == tag, f"</{tag}> ends <{ended}>"

    @override
    def handle_data(self, data: str) -> None:
        self.open[-1].parts.append(data)

    def _last(self) -> Node:
        node = self.open[-1].parts[-1]
        assert isinstance(node, Node)
        return node


def _lines(node: Node, section: str) -> Iterator[tuple[str, str]]:
    for part in node.parts:
        if isinstance(part, str):
            assert not part.strip(), f'"{part.strip()}" stands in no paragraph'
        elif part.tag == "section" or (part.tag == "details" and "section" in part.classes):
            yield from _lines(part, part.attributes["id"])
        elif part.tag == "table":
            yield from ((section, line) for line in _table(part))
        elif part.tag == "dl":
            rows = list(part.all("div")) or [part]
            yield from (
                (section, _row([one.text() for one in row.all("dt", "dd")])) for row in rows
            )
        elif part.tag in _LINES:
            line = _folded(_words(part)) if part.tag == "svg" else part.text()
            yield from [(section, line)] if line else []
        elif part.tag not in _UNREAD:
            yield from _lines(part, section)


def _table(table: Node) -> Iterator[str]:
    yield from (f"table: {one.text()}" for one in table.all("caption"))
    yield from (_row([cell.text() for cell in row.all("th", "td")]) for row in table.all("tr"))


def _row(cells: Sequence[str]) -> str:
    return _folded(" | ".join(cells))


def _cell(cell: Cell) -> str:
    text = f"<{cell.href}> {cell.text}" if cell.href else cell.text
    drawn = f" {_DRAWN}" if cell.svg else ""
    return _folded(f"{text}{drawn}" + (f" ({cell.remark})" if cell.remark else ""))


def _words(part: "Node | str") -> str:
    if isinstance(part, str):
        return part
    match part.tag:
        case "svg":
            words = _folded(" ".join(one.text() for one in part.all("text")))
            return f" [drawn: {words}] " if words else f" {_DRAWN} "
        case "br":
            return "; "
        case "small":
            return f" ({part.text()})"
        case "a":
            return f" <{part.attributes['href']}> {part.text()} "
        case _:
            return f" {part.text()} "


def _folded(text: str) -> str:
    return " ".join(text.split())
