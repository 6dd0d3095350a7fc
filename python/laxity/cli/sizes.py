# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Options of `laxity measure` that take sizes of working sets."""

from laxity.core.units import parse_size_bytes
from laxity.errors import ConfigError, located

_SMALLEST_BYTES = 1024
_LARGEST_BYTES = 64 << 30


def read_sizes(option: str, text: str | None) -> tuple[int, ...]:
    """Read "4KiB,64KiB" in ascending order; empty where it was not given.

    Raises:
        ConfigError: One is no size, or none that laxity-probe takes.
    """
    parts = [] if text is None else text.split(",")
    return tuple(sorted({read_size(option, part) for part in parts}))


def read_size(option: str, text: str) -> int:
    """Read one size in bytes.

    Raises:
        ConfigError: It is no size, or none that laxity-probe takes.
    """
    with located(option):
        size_bytes = parse_size_bytes(text)
    if not _SMALLEST_BYTES <= size_bytes <= _LARGEST_BYTES:
        msg = f"{option}: {text} is not within 1KiB to 64GiB; choose another size"
        raise ConfigError(msg)
    return size_bytes
