# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Platform files: what a simulated platform consists of, every value with where it is from.

A value is written as it is, and then it is assumed, or as `{ value = 4, source = "…" }`.
"""

import tomllib
from pathlib import Path
from typing import Any, Literal

import msgspec

from laxity.core.spec import SIMULATED
from laxity.core.units import parse_size_bytes
from laxity.core.wording import plain_words
from laxity.errors import ConfigError, located, suggestion
from laxity.platform.tools import source_root, tool_roots

# The platform file that a run keeps.
PLATFORM = "platform.toml"
_LARGEST_FILE_BYTES = 1 << 20
_HZ_PER_UNIT = {"GHz": 10**9, "MHz": 10**6, "kHz": 10**3, "Hz": 1}
_LARGEST_CACHE_BYTES = 1 << 30
_SMALLEST_LINE_BYTES = 4
_FASTEST_HZ = 10**11
_LONGEST_CYCLES = 10**6


class _Table(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Base of all tables: closed and immutable."""


class _CoreTable(_Table, frozen=True, kw_only=True):
    clock: str
    instruction_cycles: int
    switch_cycles: int


class _CacheTable(_Table, frozen=True, kw_only=True):
    size: str
    ways: int
    line: str
    miss_cycles: int


class _PlatformTable(_Table, frozen=True, kw_only=True):
    schema: Literal[1]
    title: str
    architecture: Literal["armhf"]
    emulator: Literal["qemu-arm"]
    emulated_cpu: str
    core: _CoreTable
    l1i: _CacheTable
    l1d: _CacheTable
    l2: _CacheTable


class SimulatedCache(msgspec.Struct, frozen=True, kw_only=True):
    """One cache; `miss_cycles`: what the next level takes longer than this one."""

    size_bytes: int
    ways: int
    line_bytes: int
    miss_cycles: int


class PlatformModel(msgspec.Struct, frozen=True, kw_only=True):
    """A simulated platform.

    Attributes:
        name: As in `sim:NAME`.
        architecture: Of programs, as cross builds are named.
        sources: Where values are from, by their place in the file ("core.clock"); a value that is
            not among them is assumed.
        text: The file as it was read.
    """

    name: str
    title: str
    architecture: str
    emulator: str
    emulated_cpu: str
    clock_hz: int
    instruction_cycles: int
    switch_cycles: int
    l1i: SimulatedCache
    l1d: SimulatedCache
    l2: SimulatedCache
    sources: dict[str, str]
    text: bytes


def read_platform(platform: str) -> PlatformModel:
    """Read the platform that `--platform sim:NAME` or `sim:PATH` names.

    Raises:
        ConfigError: There is none, or a value of it cannot be.
    """
    name = platform.removeprefix(SIMULATED)
    path = Path(name) if "/" in name or name.endswith(".toml") else _shipped(name)
    if path.exists() and not path.is_file():
        msg = f"{path}: is no file; name a platform file"
        raise ConfigError(msg)
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST_FILE_BYTES + 1)
    except OSError as error:
        msg = f"{path}: cannot be read ({error.strerror}); correct the path"
        raise ConfigError(msg) from error
    with located(str(path)):
        return parse_platform(data, path.stem)


def parse_platform(data: bytes, name: str) -> PlatformModel:
    """Read the text of a platform file.

    Raises:
        ConfigError: It is none, or a value of it cannot be.
    """
    if len(data) > _LARGEST_FILE_BYTES:
        msg = f"longer than {_LARGEST_FILE_BYTES} bytes; name a platform file"
        raise ConfigError(msg)
    try:
        document = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        msg = f"no TOML ({plain_words(error)}); correct it"
        raise ConfigError(msg) from error
    sources: dict[str, str] = {}
    try:
        table = msgspec.convert(_plain(document, "", sources), _PlatformTable)
    except msgspec.ValidationError as error:
        msg = f"{plain_words(error)}; correct it"
        raise ConfigError(msg) from error
    l2 = _cache("l2", table.l2)
    l1i, l1d = _cache("l1i", table.l1i), _cache("l1d", table.l1d)
    if max(l1i.line_bytes, l1d.line_bytes) > l2.line_bytes:
        msg = "l2.line: shorter than a line of the first level; correct it"
        raise ConfigError(msg)
    return PlatformModel(
        name=name,
        title=table.title,
        architecture=table.architecture,
        emulator=table.emulator,
        emulated_cpu=table.emulated_cpu,
        clock_hz=_frequency_hz(table.core.clock),
        instruction_cycles=_cycles("core.instruction_cycles", table.core.instruction_cycles),
        switch_cycles=_cycles("core.switch_cycles", table.core.switch_cycles),
        l1i=l1i,
        l1d=l1d,
        l2=l2,
        sources=sources,
        text=data,
    )


def shipped_platforms() -> list[str]:
    """Name the platforms that come with laxity."""
    return sorted({path.stem for folder in _folders() for path in folder.glob("*.toml")})


def _folders() -> list[Path]:
    root = source_root()
    built = [directory / "sim" / "platforms" for directory in tool_roots()]
    return [*built, *([] if root is None else [root / "sim" / "platforms"])]


def _shipped(name: str) -> Path:
    for folder in _folders():
        path = folder / f"{name}.toml"
        if path.is_file():
            return path
    known = shipped_platforms()
    advice = suggestion(name, known, f"use one of {' '.join(known)}, or name a file by its path")
    msg = f'platform "{SIMULATED}{name}" is unknown; {advice}'
    raise ConfigError(msg)


def _plain(value: Any, place: str, sources: dict[str, str]) -> Any:  # noqa: ANN401 - as TOML has it
    """Take the values out of `{ value, source }`, and note the sources."""
    if not isinstance(value, dict):
        return value
    if place and set(value) == {"value", "source"} and isinstance(value["source"], str):
        sources[place] = value["source"]
        return value["value"]
    return {
        key: _plain(inner, f"{place}.{key}".lstrip("."), sources) for key, inner in value.items()
    }


def _frequency_hz(text: str) -> int:
    for unit, hz in _HZ_PER_UNIT.items():
        digits = text.removesuffix(unit)
        if digits != text:
            if digits.isascii() and digits.isdigit() and 0 < int(digits) * hz <= _FASTEST_HZ:
                return int(digits) * hz
            break
    msg = f'core.clock "{text}": no frequency up to 100GHz; write 1200MHz'
    raise ConfigError(msg)


def _cycles(place: str, cycles: int) -> int:
    if not 1 <= cycles <= _LONGEST_CYCLES:
        msg = f"{place} {cycles}: is not within 1 to {_LONGEST_CYCLES}; choose another number"
        raise ConfigError(msg)
    return cycles


def _cache(place: str, table: _CacheTable) -> SimulatedCache:
    with located(f"{place}.size"):
        size_bytes = parse_size_bytes(table.size)
    with located(f"{place}.line"):
        line_bytes = parse_size_bytes(table.line)
    for key, value, least, most in (
        ("size", size_bytes, 1, _LARGEST_CACHE_BYTES),
        ("ways", table.ways, 1, _LARGEST_CACHE_BYTES),
        ("line", line_bytes, _SMALLEST_LINE_BYTES, _LARGEST_CACHE_BYTES),
    ):
        if not least <= value <= most or value & (value - 1):
            msg = f"{place}.{key} {value}: is no power of two within {least} to {most}; correct it"
            raise ConfigError(msg)
    if table.ways * line_bytes > size_bytes:
        msg = f"{place}: {table.ways} ways of {table.line} do not fit into {table.size}; correct it"
        raise ConfigError(msg)
    return SimulatedCache(
        size_bytes=size_bytes,
        ways=table.ways,
        line_bytes=line_bytes,
        miss_cycles=_cycles(f"{place}.miss_cycles", table.miss_cycles),
    )
