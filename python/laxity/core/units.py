# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Durations and sizes as users write and read them.

`include/laxity/units.h` has the same rules in C.
"""

import re
from decimal import ROUND_CEILING, Decimal

from laxity.errors import ConfigError

NS_PER_UNIT = {
    "ns": 1,
    "us": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
BYTES_PER_UNIT = {
    "B": 1,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
}
MAX_DURATION_NS = 2**63 - 1
MAX_SIZE_BYTES = 2**64 - 1
# The longest exact value, 9223372036854775807ns, has 19 digits; a fraction adds at most 13.
_MAX_TEXT = 40
_QUANTITY = re.compile(r"([0-9]+(?:\.[0-9]+)?)([A-Za-zµ]*)", re.ASCII)
_LIKELY_SIZE = "KiB"
# What durations of tasks and runs are, of which those without a unit are guessed.
_LIKELY_UNITS = ("ms", "s", "us", "ns")
_LIKELY_NS = (100_000, 100_000_000_000)
# What others call our units: msec, seconds, mins; KB, K and Kib are told by their letters alone.
_OTHER_DURATION = re.compile(r"([numµ]?)s(?:ec(?:ond)?s?)?|(m)in(?:ute)?s?|(h)(?:ou)?rs?")
# Display: (factor in ns, symbol), largest first.
_SHOWN_DURATIONS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"))
_SHOWN_SIZES = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


def parse_duration_ns(text: object) -> int:
    """Read a duration with a unit, such as `50us`, `1.5ms` or `10s`.

    Args:
        text: What the user wrote; a TOML number is refused like a number without unit.

    Returns:
        Whole nanoseconds, at least 0.

    Raises:
        ConfigError: No unit, no number, not a whole number of nanoseconds, or more than 2^63 - 1.
    """
    value = _parse(text, NS_PER_UNIT, "10ms")
    if value > MAX_DURATION_NS:
        msg = f'"{text}" is longer than 292 years; write a shorter duration'
        raise ConfigError(msg)
    return value


def parse_size_bytes(text: object) -> int:
    """Read a size with a unit, such as `64KiB` (1024s) or `500kB` (1000s).

    Args:
        text: What the user wrote; a TOML number is refused like a number without unit.

    Returns:
        Whole bytes, at least 0.

    Raises:
        ConfigError: No unit, no number, not a whole number of bytes, or more than 2^64 - 1.
    """
    value = _parse(text, BYTES_PER_UNIT, "64KiB")
    if value > MAX_SIZE_BYTES:
        msg = f'"{text}" is more than 16 EiB; write a smaller size'
        raise ConfigError(msg)
    return value


def _parse(text: object, units: dict[str, int], example: str) -> int:
    if isinstance(text, (int, float)) and not isinstance(text, bool):
        msg = f"{text} has no unit; write {_with_unit(str(text), units, example)}"
        raise ConfigError(msg)
    if not isinstance(text, str) or len(text) > _MAX_TEXT:
        msg = f"{_quoted(text)} is not a number with a unit; write for example {example}"
        raise ConfigError(msg)
    match = _QUANTITY.fullmatch(text)
    if match is None:
        msg = f'"{text}" is not a number with a unit; write for example {example}'
        raise ConfigError(msg)
    number, unit = match.groups()
    if not unit:
        msg = f'"{text}" has no unit; write {_with_unit(number, units, example)}'
        raise ConfigError(msg)
    if unit not in units:
        known = " or ".join(f"{number}{one}" for one in units if _is_meant(unit, one, units))
        advice = f"write {known}" if known else f"use one of {' '.join(units)}"
        msg = f'"{text}" has the unknown unit "{unit}"; {advice}'
        raise ConfigError(msg)
    whole, _, fraction = number.partition(".")
    scale: int = 10 ** len(fraction)
    value, rest = divmod(int(whole + fraction) * units[unit], scale)
    if rest:
        msg = f'"{text}" is no whole number of {next(iter(units))}; write one that is'
        raise ConfigError(msg)
    return value


def _with_unit(number: str, units: dict[str, int], example: str) -> str:
    """Show the user's own number with likely units, to be copied; a zero helps nobody."""
    if not _QUANTITY.fullmatch(number) or not number.strip("0."):
        return f"for example {example}"
    if units is BYTES_PER_UNIT:
        is_of_bytes = number.isdecimal() and int(number) >= BYTES_PER_UNIT[_LIKELY_SIZE]
        return exact_size(int(number)) if is_of_bytes else f"{number}{_LIKELY_SIZE}"
    low, high = _LIKELY_NS
    likely = [
        f"{number}{unit}"
        for unit in _LIKELY_UNITS
        if low <= Decimal(number) * NS_PER_UNIT[unit] <= high
    ]
    return " or ".join(likely[:2]) or f"for example {example}"


def _is_meant(written: str, unit: str, units: dict[str, int]) -> bool:
    """Whether somebody who wrote an unknown unit may have meant one of ours."""
    if units is BYTES_PER_UNIT:
        return written[:1].lower() == unit[:1].lower() and written[1:] in ("", "b", "B", "ib", "iB")
    found = _OTHER_DURATION.fullmatch(written.lower())
    if found is None:
        return False
    part, minute, hour = found.groups()
    return unit == (minute or hour or f"{part}s".replace("µ", "u"))


def _quoted(value: object) -> str:
    text = str(value)
    return f'"{text[:_MAX_TEXT]}..."' if len(text) > _MAX_TEXT else f'"{text}"'


def exact_duration(duration_ns: int) -> str:
    """Write a duration so that `parse_duration_ns` gives the same number: 5000000 is `5ms`.

    Minutes and hours are not used: `600s` is read faster than it is converted from `10m`.
    """
    for unit in ("s", "ms", "us"):
        if duration_ns and duration_ns % NS_PER_UNIT[unit] == 0:
            return f"{duration_ns // NS_PER_UNIT[unit]}{unit}"
    return f"{duration_ns}ns"


def decimal_duration(duration_ns: int, *, is_shown: bool = False) -> str:
    """Write a duration exactly in the unit that fits: 49677 is `49.677us`.

    Args:
        duration_ns: Nanoseconds; negative values keep their sign.
        is_shown: As people read it, `49.677 µs`, not as they write it.
    """
    found = next((one for one in ("s", "ms", "us") if abs(duration_ns) >= NS_PER_UNIT[one]), "ns")
    unit = " " + found.replace("u", "µ") if is_shown else found
    return f"{Decimal(duration_ns) / NS_PER_UNIT[found]:f}{unit}"


def shown_duration(duration_ns: int) -> str:
    """Write a duration exactly, as people read it: 49677 is `49.677 µs`."""
    return decimal_duration(duration_ns, is_shown=True)


def upper_duration(duration_ns: int) -> str:
    """Write a duration in four digits, rounded up, so that it still bounds: `2.019 ms`."""
    if duration_ns <= 0:
        return shown_duration(duration_ns)
    digits = Decimal(duration_ns)
    up = digits.quantize(Decimal(1).scaleb(digits.adjusted() - 3), ROUND_CEILING)
    return shown_duration(max(duration_ns, int(up)))


def exact_size(size_bytes: int) -> str:
    """Write a size so that `parse_size_bytes` gives the same number: 65536 is `64KiB`."""
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        if size_bytes and size_bytes % BYTES_PER_UNIT[unit] == 0:
            return f"{size_bytes // BYTES_PER_UNIT[unit]}{unit}"
    return f"{size_bytes}B"


def format_duration_ns(duration_ns: float) -> str:
    """Show a duration to people in the unit that fits, three digits: 12345 is `12.3 µs`.

    Args:
        duration_ns: Nanoseconds; negative values keep their sign.
    """
    for factor, symbol in _SHOWN_DURATIONS:
        if abs(duration_ns) >= factor:
            return f"{_three_digits(duration_ns / factor)} {symbol}"
    return f"{_three_digits(duration_ns)} ns"


def format_size_bytes(size_bytes: float) -> str:
    """Show a size to people in the unit that fits, three digits: 1536 is `1.50 KiB`."""
    for factor, symbol in _SHOWN_SIZES:
        if abs(size_bytes) >= factor:
            return f"{_three_digits(size_bytes / factor)} {symbol}"
    return f"{size_bytes:.0f} B"


def upper_size(size_bytes: int) -> str:
    """Show a size as `format_size_bytes` does, rounded up, so that it still bounds."""
    for factor, symbol in _SHOWN_SIZES:
        if size_bytes >= factor:
            value = Decimal(size_bytes) / factor
            up = value.quantize(Decimal(1).scaleb(value.adjusted() - 2), ROUND_CEILING)
            return f"{_three_digits(float(up))} {symbol}"
    return f"{size_bytes} B"


def format_bytes_per_s(bytes_per_s: float) -> str:
    """Show a bandwidth to people, three digits, decimal units: 12345678901 is `12.3 GB/s`."""
    for factor, symbol in ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s")):
        if bytes_per_s >= factor:
            return f"{_three_digits(bytes_per_s / factor)} {symbol}"
    return f"{_three_digits(bytes_per_s)} B/s"


def _three_digits(value: float) -> str:
    """Three significant digits without exponent; a whole number below 1000 stays whole."""
    if value == int(value) and abs(value) < 1000:  # noqa: PLR2004 - where the next unit begins
        return f"{value:.0f}"
    for digits, limit in ((2, 10.0), (1, 100.0)):
        if abs(round(value, digits)) < limit:
            return f"{value:.{digits}f}"
    return f"{value:.0f}"
