# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a decoder found wrong, in words that need no knowledge of its types."""

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
