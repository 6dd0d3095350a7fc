# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A report page as lines that a person can compare: elements, their text, what a picture holds."""

from collections import Counter
from html.parser import HTMLParser

from typing_extensions import override

# No end tag.
_VOID = frozenset({"meta", "link", "br", "hr", "img", "input", "col", "path", "use", "rect"})
# What they hold is looked at elsewhere.
_UNREAD = frozenset({"style", "script"})
# Stand within a line of text.
_INLINE = frozenset({"a", "abbr", "b", "code", "em", "i", "span", "strong", "sub", "sup", "br"})
# Attributes that a reader sees or a link needs; ids of pictures are drawn anew each time.
_SEEN = ("class", "id", "href", "title", "open")


class _Outline(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._depth = 0
        self._text: list[str] = []
        self._unread = 0
        self._picture: Counter[str] | None = None
        self._words: list[str] = []

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNREAD:
            self._unread += 1
        elif self._picture is not None:
            self._picture[tag] += 1
        elif tag in _INLINE:
            self._text.append(f"<{tag}{_attributes(attrs)}>" if attrs else "")
        else:
            self._write_text()
            self.lines.append(f"{'  ' * self._depth}{tag}{_attributes(attrs)}")
            if tag == "svg":
                self._picture = Counter()
            if tag not in _VOID:
                self._depth += 1

    @override
    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._picture is not None:
            self._picture[tag] += 1

    @override
    def handle_endtag(self, tag: str) -> None:
        if tag in _UNREAD:
            self._unread -= 1
        elif tag == "svg" and self._picture is not None:
            parts = ", ".join(f"{n} {name}" for name, n in sorted(self._picture.items()))
            self.lines.append(f"{'  ' * self._depth}drawn: {parts}")
            self._text, self._picture = self._words, None
            self._write_text()
            self._words = []
            self._depth -= 1
        elif self._picture is None and tag not in _INLINE and tag not in _VOID:
            self._write_text()
            self._depth -= 1

    @override
    def handle_data(self, data: str) -> None:
        if self._unread == 0:
            (self._text if self._picture is None else self._words).append(data)

    def _write_text(self) -> None:
        words = " ".join("".join(self._text).split())
        self._text = []
        if words:
            self.lines.append(f"{'  ' * self._depth}{words}")


def _attributes(attrs: list[tuple[str, str | None]]) -> str:
    found = [(name, value) for name, value in attrs if name in _SEEN]
    return "".join(f' {name}="{value or ""}"' for name, value in found)


def outline(page: str) -> str:
    """Write a page of HTML as indented lines.

    Of a picture (SVG) stands how many elements of each kind it has, and its words; where they are
    and the coordinates of its lines are left out, since they follow the version of matplotlib.
    """
    parser = _Outline()
    parser.feed(page)
    parser.close()
    return "\n".join(parser.lines) + "\n"
