# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Options of `laxity measure`, each named as the member of `Asked` that it fills.

Every one is made with what its probe usually asks, so that a default is said once, in `Asked`.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import click
from typing_extensions import override

from laxity.core.cpus import parse_cpus, parse_nodes
from laxity.core.units import exact_duration, exact_size, parse_duration_ns, parse_size_bytes
from laxity.errors import ConfigError, located

# Makes an option for a probe that usually asks so.
Option: TypeAlias = Callable[[Any], click.Option]
_SIZES_BYTES = (1024, 64 << 30)
_MOST_REPETITIONS = 1_000_000
# The fewest that a verdict is given of: nothing disturbs a simulated platform, so that more of the
# same hardly says more.
SIMULATED_REPETITIONS = 6
# Above it are who preempts and who ends what hangs.
_HIGHEST_PRIORITY = 98


class _Read(click.ParamType[object]):
    """A value that a function reads; what it finds wrong is told with the name of the option."""

    name = "text"

    def __init__(self, read: Callable[[str], object]) -> None:
        self._read = read

    @override
    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> object:
        with located(param.opts[0] if param else ""):
            return self._read(str(value))


def read_option(
    flag: str, name: str, read: Callable[[str], object], metavar: str, description: str
) -> Option:
    """Make an option without a default, whose text a function reads."""
    return lambda _usual: click.Option(
        [name, flag], type=_Read(read), metavar=metavar, help=description
    )


def cpus_option(description: str, flag: str = "--cpus", name: str = "cpus") -> Option:
    """Make an option that takes CPUs."""
    return read_option(flag, name, parse_cpus, "LIST", description)


def nodes_option(description: str) -> Option:
    """Make an option that takes NUMA nodes."""
    return read_option("--nodes", "nodes", parse_nodes, "LIST", description)


def sizes_option(
    description: str,
    flag: str = "--sizes",
    name: str = "sizes_bytes",
    limits_bytes: tuple[int, int] = _SIZES_BYTES,
) -> Option:
    """Make an option that takes sizes; they are given in ascending order, each once."""

    def read(text: str) -> tuple[int, ...]:
        return tuple(sorted({_size_bytes(part, limits_bytes) for part in text.split(",")}))

    def make(usual: object) -> click.Option:
        default = ",".join(map(exact_size, getattr(usual, name))) or None
        return click.Option(
            [name, flag],
            type=_Read(read),
            metavar="SIZE,SIZE",
            default=default,
            show_default=default is not None,
            help=description,
        )

    return make


def size_option(
    description: str,
    flag: str = "--max-size",
    name: str = "max_bytes",
    limits_bytes: tuple[int, int] = _SIZES_BYTES,
) -> Option:
    """Make an option that takes a size."""
    return read_option(
        flag, name, lambda text: _size_bytes(text, limits_bytes), "SIZE", description
    )


def _size_bytes(text: str, limits_bytes: tuple[int, int]) -> int:
    size_bytes = parse_size_bytes(text)
    if not limits_bytes[0] <= size_bytes <= limits_bytes[1]:
        least, most = map(exact_size, limits_bytes)
        msg = f"{text} is not within {least} to {most}; choose another size"
        raise ConfigError(msg)
    return size_bytes


def time_option(
    flag: str, name: str, description: str, limits_ns: tuple[int, int] | None = None
) -> Option:
    """Make an option that takes a time; a usual one of 0 is not shown."""

    def read(text: str) -> int:
        duration_ns = parse_duration_ns(text)
        if limits_ns is not None and not limits_ns[0] <= duration_ns <= limits_ns[1]:
            least, most = map(exact_duration, limits_ns)
            msg = f"{text} is out of range; choose {least} to {most}"
            raise ConfigError(msg)
        return duration_ns

    def make(usual: object) -> click.Option:
        usual_ns: int = getattr(usual, name)
        return click.Option(
            [name, flag],
            type=_Read(read),
            metavar="TIME",
            default=exact_duration(usual_ns) if usual_ns else None,
            show_default=bool(usual_ns),
            help=description,
        )

    return make


def words_option(flag: str, name: str, words: Sequence[str], description: str) -> Option:
    """Make an option that may be given several times; the words are given in their own order."""

    def in_order(
        _context: click.Context, _option: click.Parameter, given: tuple[str, ...]
    ) -> tuple[str, ...]:
        return tuple(word for word in words if word in given)

    return lambda _usual: click.Option(
        [name, flag],
        type=click.Choice(words),
        multiple=True,
        callback=in_order,
        help=description,
    )


def word_option(flag: str, name: str, words: Sequence[str], description: str) -> Option:
    """Make an option that takes one of some words."""
    return lambda usual: click.Option(
        [name, flag],
        type=click.Choice(words),
        default=getattr(usual, name),
        show_default=True,
        help=description,
    )


def count_option(
    flags: Sequence[str],
    name: str,
    description: str,
    least: int = 1,
    most: int = _MOST_REPETITIONS,
) -> Option:
    """Make an option that takes a number."""
    return lambda usual: click.Option(
        [name, *flags],
        type=click.IntRange(least, most),
        metavar="N",
        default=getattr(usual, name),
        show_default=True,
        help=description,
    )


def repetitions_option(description: str) -> Option:
    """Make `--repetitions`; what one is, the description says."""
    text = f"{description}  [simulated: {SIMULATED_REPETITIONS}]"
    return count_option(["--repetitions"], "repetitions", text)


def priority_option(description: str, least: int = 1) -> Option:
    """Make `--priority`; whose it is, the description says."""
    return count_option(["--priority"], "priority", description, least, _HIGHEST_PRIORITY)
