# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The values of a platform file: how each is written, checked by its declaration, and shown."""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from laxity.core.cpus import parse_cpus
from laxity.core.schema import PlatformKey
from laxity.core.units import exact_size, parse_size_bytes
from laxity.errors import ConfigError, located, suggestion

ALL = "all"
_HZ_PER_UNIT = {"GHz": 10**9, "MHz": 10**6, "kHz": 10**3, "Hz": 1}
_FREQUENCY = re.compile(
    r"([0-9]{1,12})(?:\.([0-9]{1,9})|/([0-9]{1,9}))? ?(GHz|MHz|kHz|Hz)", re.ASCII
)
_WORD = re.compile(r"[A-Za-z0-9._-]{1,40}", re.ASCII)
_HOPS = re.compile(r"[0-9]{1,2}", re.ASCII)
_FASTEST_HZ = 10**11
_LONGEST_TEXT = 200
# In a list of ways; a mask has 64 bits.
_LONGEST_LIST = 200


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a platform.

    Attributes:
        place: The table, or the name of the level, and the key: `core.clock`, `L2.ways`.
        number: Hz, bytes, cycles, a code, 0 or 1, cores (0: all), masks of ways, hops row by row;
            None of a text.
        text: As one would write it.
        origin: `source`, `fitted`, `assumed`; `default` if the file does not say it.
        source: What it was taken from, or was fitted by.
    """

    place: str
    key: PlatformKey
    number: int | Fraction | tuple[int, ...] | None
    text: str
    origin: str
    source: str

    @property
    def unit(self) -> str:
        """What cycles are of; of anything else the text says it."""
        return "" if self.key.clock is None else f"cycles of the {self.key.clock}"

    @property
    def origin_text(self) -> str:
        """Where it is from, in words."""
        words = {"fitted": f"fitted: {self.source}", "default": "assumed, not in the file"}
        return words.get(self.origin, self.source or "assumed")


def read_value(place: str, key: PlatformKey, written: object) -> Value:
    """Check a value against its declaration.

    Args:
        place: As of `Value`.
        key: Its declaration.
        written: As TOML has it, or a table of it and where it is from.

    Raises:
        ConfigError: It cannot be.
    """
    value, origin, source = _origin(place, written)
    with located(place):
        number, text = _READERS[key.type](key, value)
    return Value(place, key, number, text, origin, source)


def default_value(place: str, key: PlatformKey) -> Value:
    """Give what holds if a file does not say it.

    Raises:
        ConfigError: It must be said.
    """
    if key.default is None:
        msg = f"{place}: missing; add it ({key.help})"
        raise ConfigError(msg)
    default: Any = key.default
    if key.type == "size":
        default = exact_size(default)
    if key.type == "text":
        return Value(place, key, None, default, "default", "")
    number, text = _READERS[key.type](key, default)
    return Value(place, key, number, text, "default", "")


def _origin(place: str, written: object) -> tuple[Any, str, str]:
    """Take a value out of `{ value, source }` or `{ value, fitted }`."""
    if not isinstance(written, dict):
        return written, "assumed", ""
    for word in ("source", "fitted"):
        if set(written) == {"value", word}:
            with located(f"{place}: {word}"):
                return written["value"], word, _text(written[word])
    msg = (
        f'{place}: is no table of a value and its source; write {{ value = …, source = "…" }}, '
        'or fitted = "script, residual" in place of the source'
    )
    raise ConfigError(msg)


def _text(written: object) -> str:
    if not isinstance(written, str) or not written or len(written) > _LONGEST_TEXT:
        msg = f"{_shown(written)} is no text of 1 to {_LONGEST_TEXT} characters; correct it"
        raise ConfigError(msg)
    if not written.isprintable():
        msg = f"{written!r} has characters that cannot be printed; leave them out"
        raise ConfigError(msg)
    return written


def _read_text(key: PlatformKey, written: object) -> tuple[None, str]:  # noqa: ARG001 - as all
    return None, _text(written)


def _read_word(key: PlatformKey, written: object) -> tuple[None, str]:  # noqa: ARG001 - as all
    if not isinstance(written, str) or not _WORD.fullmatch(written):
        msg = f"{_shown(written)} is no word of 1 to 40 letters, digits, -, . and _; correct it"
        raise ConfigError(msg)
    return None, written


def _read_frequency(key: PlatformKey, written: object) -> tuple[Fraction, str]:  # noqa: ARG001
    match = _FREQUENCY.fullmatch(written) if isinstance(written, str) else None
    if match is not None:
        whole, digits, divisor, unit = match.groups()
        value = Fraction(int(whole + (digits or "")), 10 ** len(digits or ""))
        if divisor is None or int(divisor):
            hz = value / int(divisor or 1) * _HZ_PER_UNIT[unit]
            if 1 <= hz <= _FASTEST_HZ:
                return hz, str(written)
    msg = f"{_shown(written)}: no frequency of 1Hz to 100GHz; write 1200MHz, 66.7MHz or 200/3 MHz"
    raise ConfigError(msg)


def _read_size(key: PlatformKey, written: object) -> tuple[int, str]:
    size_bytes = parse_size_bytes(written)
    _check_range(key, size_bytes, str(written), (exact_size(key.low), exact_size(key.high or 0)))
    return size_bytes, exact_size(size_bytes)


def _read_number(key: PlatformKey, written: object) -> tuple[int, str]:
    if not isinstance(written, int) or isinstance(written, bool):
        msg = f"{_shown(written)} is no whole number; write one without quotes and unit"
        raise ConfigError(msg)
    _check_range(key, written, _shown(written), (str(key.low), str(key.high)))
    return written, str(written)


def _check_range(key: PlatformKey, number: int, text: str, bounds: tuple[str, str]) -> None:
    low, high = bounds
    if not key.low <= number <= (key.high or 0):
        msg = f"{text} is not within {low} to {high}; choose another number"
        raise ConfigError(msg)
    if key.power and number & (number - 1):
        less = 1 << (number.bit_length() - 1)
        near = [exact_size(one) if key.type == "size" else str(one) for one in (less, 2 * less)]
        msg = f"{text} is no power of two; write {near[0]} or {near[1]}"
        raise ConfigError(msg)


def _read_choice(key: PlatformKey, written: object) -> tuple[int, str]:
    words = list(key.words)
    if isinstance(written, str) and written in words:
        return words.index(written), written
    known = " ".join(words)
    msg = f"{_shown(written)} is none of {known}; {suggestion(str(written)[:40], words, 'use one')}"
    raise ConfigError(msg)


def _read_flag(key: PlatformKey, written: object) -> tuple[int, str]:  # noqa: ARG001 - as all
    if not isinstance(written, bool):
        msg = f"{_shown(written)} is neither true nor false; write one of them"
        raise ConfigError(msg)
    return int(written), str(written).lower()


def _read_sharing(key: PlatformKey, written: object) -> tuple[int, str]:  # noqa: ARG001 - as all
    if written == ALL:
        return 0, ALL
    if not isinstance(written, int) or isinstance(written, bool) or written < 1:
        msg = f'{_shown(written)} is no number of cores; write 1 (private), 2 or more, or "{ALL}"'
        raise ConfigError(msg)
    return written, str(written)


def _read_partition(key: PlatformKey, written: object) -> tuple[tuple[int, ...], str]:  # noqa: ARG001
    if not isinstance(written, list) or len(written) > _LONGEST_LIST:
        msg = f'{_shown(written)} is no list of ways, one of each core; write ["0-3", "4-15"]'
        raise ConfigError(msg)
    masks = []
    for one in written:
        try:
            masks.append(sum(1 << way for way in parse_cpus(one)))
        except ConfigError as error:
            msg = f"{_shown(one)} is no list of ways; write for example 0-3,8"
            raise ConfigError(msg) from error
    return tuple(masks), " ".join(written) or ALL


def _read_hops(key: PlatformKey, written: object) -> tuple[tuple[int, ...], str]:  # noqa: ARG001
    """Read a square of numbers: 0 from a domain to itself, 1 or more to others."""
    rows = written if isinstance(written, list) else [None]
    texts = [one.split() if isinstance(one, str) else [] for one in rows]
    if len(rows) > _LONGEST_LIST or not all(
        len(row) == len(rows) and all(map(_HOPS.fullmatch, row)) for row in texts
    ):
        msg = f'{_shown(written)} is no row of hops for each domain; write ["0 1", "1 0"]'
        raise ConfigError(msg)
    hops = [[int(one) for one in row] for row in texts]
    for one, row in enumerate(hops):
        for other, n in enumerate(row):
            if (n == 0) != (one == other):
                msg = (
                    f"{n} hops from domain {one} to {other}; write 0 to itself, 1 or more to others"
                )
                raise ConfigError(msg)
    return tuple(n for row in hops for n in row), ", ".join(map(str, rows)) or "1 to all others"


def _read_events(key: PlatformKey, written: object) -> tuple[tuple[int, ...], str]:
    if not isinstance(written, list):
        msg = f'{_shown(written)} is no list of events; write ["cycles", "instructions"]'
        raise ConfigError(msg)
    codes = tuple(_read_choice(key, one)[0] for one in written)
    return codes, " ".join(written) or ALL


def _shown(written: object) -> str:
    try:
        text = f'"{written}"' if isinstance(written, str) else str(written)
        text = text.lower() if isinstance(written, bool) else text
    except ValueError:  # a number of more digits than Python writes
        text = "a number of thousands of digits"
    return text if len(text) <= 40 else f"{text[:40]}..."  # noqa: PLR2004 - as much as helps


_READERS: Any = {
    "text": _read_text,
    "word": _read_word,
    "frequency": _read_frequency,
    "size": _read_size,
    "count": _read_number,
    "cycles": _read_number,
    "choice": _read_choice,
    "flag": _read_flag,
    "sharing": _read_sharing,
    "partition": _read_partition,
    "hops": _read_hops,
    "events": _read_events,
}
