# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Say in words where two outputs differ first: a line of text, or a byte. Pure."""

from itertools import zip_longest

# What is shown of a line, and how much of it stands before the difference.
_SHOWN = 60
_BEFORE = 24
_CUT = "..."


def first_difference(got: bytes, expected: bytes, other: str) -> str:
    """Tell the first place where two outputs differ.

    Args:
        got: What is told first.
        expected: What it is compared with; they are not the same.
        other: What the second one is called, as "in a fresh process".
    """
    pairs = enumerate(zip_longest(got, expected))
    at = next((place for place, (one, other_one) in pairs if one != other_one), len(got))
    if _is_text(got) and _is_text(expected):
        line = got.count(b"\n", 0, at) + 1
        begin = got.rfind(b"\n", 0, at) + 1
        column = at - begin
        return f"line {line} is {_shown(got, begin, column)}, {other} " + _shown(
            expected, begin, column
        )
    return f"byte {at} is {_byte(got, at)}, {other} {_byte(expected, at)}"


def _is_text(data: bytes) -> bool:
    """Tell whether people read it; its end may have been cut within a letter."""
    return b"\0" not in data and "�" not in data.decode(errors="replace")[:-1]


def _shown(data: bytes, begin: int, column: int) -> str:
    """Show a line around a column, or say that there is none."""
    if begin >= len(data):
        return "not there"
    line = data[begin:].split(b"\n", 1)[0]
    first = max(0, column - _BEFORE) if len(line) > _SHOWN else 0
    cut = line[first : first + _SHOWN]
    # A terminal is given no control characters, whatever a program prints.
    text = cut.decode(errors="replace").encode("unicode_escape").decode()
    before = _CUT if first else ""
    behind = _CUT if first + _SHOWN < len(line) else ""
    return f'"{before}{text}{behind}"'


def _byte(data: bytes, at: int) -> str:
    return f"{data[at]:#04x}" if at < len(data) else "not there"
