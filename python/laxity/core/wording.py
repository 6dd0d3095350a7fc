# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Words for people: what a decoder found wrong, and names that others gave, made visible."""

import re

_EXPECTED = re.compile(r"Expected `([^`]+)`, got `([^`]+)`(?: - at `([^`]+)`)?")
_PLACE = re.compile(r" - at `([^`]+)`")
_TYPES = {
    "int": "a whole number",
    "int | float": "a number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}
# What a terminal or a browser obeys instead of showing it: C0, DEL, C1, and what changes the
# direction of text or ends a line (Unicode 15.1, section 23.2). native/base/visible.c has the same.
_OBEYED = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_OBEYED_IN_LINES = re.compile(_OBEYED.pattern.replace("\0-\x1f", "\0-\x08\x0b-\x1f"))


def visible(text: str, *, keeps_lines: bool = False) -> str:
    r"""Write control characters as what they are, `\u001b`, so that nobody obeys them.

    In a JSON or TOML string that means the same character.

    Args:
        text: Any.
        keeps_lines: Ends of lines and tabs stay: the text is laid out by us.
    """
    controls = _OBEYED_IN_LINES if keeps_lines else _OBEYED
    return controls.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def plain_words(error: Exception) -> str:
    """Say what is wrong with a text or document that could not be decoded.

    Args:
        error: From msgspec, tomllib, or the decoding of UTF-8.

    Returns:
        Half a sentence, such as `priority is a text, not a whole number`.
    """
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8 text"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    text = str(error)
    match = _EXPECTED.fullmatch(text)
    if match is not None:
        expected, got, place = match.groups()
        # That a value may be left out is no advice for one that is there.
        wanted = expected.removesuffix(" | null")
        wanted = _TYPES.get(wanted) or " or ".join(_TYPES.get(k, k) for k in wanted.split(" | "))
        return f"{_name(place)} is {_TYPES.get(got, got)}, not {wanted}"
    text = _PLACE.sub(lambda found: f" in {_name(found[1])}", text)
    text = text.replace("Object", "table").replace("`", '"')
    return f"{text[:1].lower()}{text[1:]}" if not text.startswith("JSON") else text


def _name(place: str | None) -> str:
    """`$.clock.t0_ns` is `clock.t0_ns`; the whole has no name."""
    return (place or "").removeprefix("$").removeprefix(".") or "the whole"


def last_line(output: bytes) -> str:
    """Return the last line of an output that is not blank; empty: there is none."""
    lines = [line.strip() for line in output.decode("utf-8", "replace").splitlines()]
    return next((line for line in reversed(lines) if line), "")
