# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Sets of CPUs as the kernel writes them: `0-1,3`."""

import re
from collections.abc import Iterable

from laxity.errors import ConfigError

# Linux is built for at most 8192 CPUs (CONFIG_NR_CPUS); a larger number can only be a slip.
MAX_CPU = 8191
_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", re.ASCII)


def parse_cpus(text: object) -> tuple[int, ...]:
    """Read a list of CPUs, such as `1` or `0-1,3`.

    Args:
        text: Numbers and ascending ranges, separated by commas, without blanks.

    Returns:
        The CPUs in ascending order, each once; never empty.

    Raises:
        ConfigError: Anything else.
    """
    if not isinstance(text, str):
        msg = f'{text} is not a list of CPUs; write a string such as "0-1,3"'
        raise ConfigError(msg)
    cpus: set[int] = set()
    for part in text.split(","):
        match = _RANGE.fullmatch(part)
        if match is None:
            msg = f'"{text}" is not a list of CPUs; write for example 0-1,3'
            raise ConfigError(msg)
        first = int(match[1])
        last = int(match[2]) if match[2] else first
        if last < first:
            msg = f'"{text}" has the descending range {part}; write {last}-{first}'
            raise ConfigError(msg)
        if last > MAX_CPU:
            msg = f'"{text}" names CPU {last}; Linux numbers CPUs up to {MAX_CPU}'
            raise ConfigError(msg)
        cpus.update(range(first, last + 1))
    return tuple(sorted(cpus))


def parse_nodes(text: str) -> tuple[int, ...]:
    """Read a list of NUMA nodes, written as one of CPUs.

    Raises:
        ConfigError: Anything else.
    """
    try:
        return parse_cpus(text)
    except ConfigError as error:
        msg = f'"{text}" is not a list of NUMA nodes; write for example 0-1'
        raise ConfigError(msg) from error


def format_cpus(cpus: Iterable[int]) -> str:
    """Write CPUs in the shortest form: (0, 1, 3) is `0-1,3`; none at all is the empty string."""
    ranges: list[list[int]] = []
    for cpu in sorted(set(cpus)):
        if ranges and cpu == ranges[-1][-1] + 1:
            ranges[-1] = [ranges[-1][0], cpu]
        else:
            ranges.append([cpu])
    return ",".join("-".join(str(cpu) for cpu in pair) for pair in ranges)
