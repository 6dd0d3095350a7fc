# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Ratios as users write them: percentages of at most four decimals, exact as parts per million.

`workloads/generated/words.c` has the same rules in C.
"""

import re

from laxity.errors import ConfigError

_PPM_PER_PERCENT = 10_000
_PERCENT = re.compile(r"([0-9]{1,7})(?:\.([0-9]{1,4}))?%", re.ASCII)


def parse_percent(text: str) -> int:
    """Read a percentage, such as `50%` or `66.6667%`.

    Returns:
        Parts per million, at least 0.

    Raises:
        ConfigError: No number, no percent sign, or more than four decimals.
    """
    match = _PERCENT.fullmatch(text)
    if match is None:
        msg = f'"{text}" is no percentage of at most four decimals; write for example 50%'
        raise ConfigError(msg)
    whole, decimals = match.groups()
    return int(whole) * _PPM_PER_PERCENT + int((decimals or "").ljust(4, "0"))


def format_percent(parts_per_million: int) -> str:
    """Write a ratio exactly, as `parse_percent` reads it: 500000 is `50%`, 62500 is `6.25%`."""
    whole, rest = divmod(parts_per_million, _PPM_PER_PERCENT)
    decimals = f".{rest:04}".rstrip("0") if rest else ""
    return f"{whole}{decimals}%"


def show_percent(parts_per_million: int) -> str:
    """Write a ratio exactly, as it stands in what people read: 62500 is `6.25 %`."""
    return format_percent(parts_per_million).replace("%", " %")


def percent(parts_per_million: int) -> str:
    """Write a ratio as a percentage of two decimals."""
    # Without the sign of a zero.
    return f"{round(parts_per_million / _PPM_PER_PERCENT, 2) + 0.0:.2f} %"
