# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Platform files: what a simulated platform consists of, every value with where it is from.

`schema/platform.toml` declares every key. A value is written as it is, and then it is assumed, or
as `{ value = 4, source = "…" }` or `{ value = 4, fitted = "script, residual" }`.

A file may name another one as its `base`, and say only what differs.
"""

import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from laxity.core.schema import platform_keys, platform_lists, platform_tables
from laxity.core.spec import SIMULATED, is_platform_path
from laxity.core.wording import plain_words
from laxity.errors import ConfigError, located, suggestion
from laxity.platform.platform_checks import NO_SCHEDULING, check_platform, ticks_per_s
from laxity.platform.platform_text import find_lines, place_of, write_document
from laxity.platform.platform_values import Value, default_value, read_value
from laxity.platform.tools import source_root, tool_roots

# The platform file that a run keeps.
PLATFORM = "platform.toml"
_LARGEST_FILE_BYTES = 1 << 20
_BASE = "base"

_Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PlatformModel:
    """A simulated platform.

    Attributes:
        name: As in `sim:NAME`.
        values: Of every key that the file has or that has a default, by their places:
            `core.clock`, `L2.ways`. Of a first-level cache that is left out there is none.
        levels: Names of the levels below the first, the nearest to the cores first.
        regions: Names of the regions of memory besides the main memory.
        text: The whole file; of one with a base the two together.
    """

    name: str
    values: dict[str, Value]
    levels: tuple[str, ...]
    regions: tuple[str, ...]
    text: bytes

    @property
    def lists(self) -> dict[str, tuple[str, ...]]:
        """Name the tables of each list, as `level`, in order."""
        return {"level": self.levels, "region": self.regions}

    @property
    def title(self) -> str:
        """What it is."""
        return self.values["title"].text

    @property
    def architecture(self) -> str:
        """Of programs, as cross builds are named."""
        return self.values["architecture"].text

    @property
    def emulator(self) -> str:
        """The program that executes those."""
        return self.values["emulator"].text

    @property
    def emulated_cpu(self) -> str:
        """What it is told to be."""
        return self.values["emulated_cpu"].text

    @property
    def scheduling(self) -> str | None:
        """The processor as LLVM names it; None: nothing is known of its instructions."""
        text = self.values["core.scheduling"].text
        return None if text == NO_SCHEDULING else text

    @property
    def cores(self) -> int:
        """How many."""
        return self.number("core.count")

    @property
    def line_bytes(self) -> int:
        """Of all caches."""
        return self.number("line")

    @property
    def clock_hz(self) -> Fraction:
        """Of the cores."""
        return self.frequency_hz("core")

    @property
    def ticks_per_s(self) -> Fraction:
        """Of virtual time: whole numbers of them are a cycle of each clock."""
        return ticks_per_s(self.values)

    def frequency_hz(self, table: str) -> Fraction:
        """Return the clock of a table, `core` or `memory`."""
        hz = self.values[f"{table}.clock"].number
        assert isinstance(hz, Fraction)  # noqa: S101 - read_value gave it
        return hz

    def number(self, place: str) -> int:
        """Return a value that is a number: bytes, cycles, a count, a code."""
        number = self.values[place].number
        assert isinstance(number, int)  # noqa: S101 - as above
        return number

    def shown(self) -> list[Value]:
        """List the values that say something of times: of a cache that is off only its size."""
        return [value for place, value in self.values.items() if self._is_shown(place)]

    def _is_shown(self, place: str) -> bool:
        table, _, key = place.rpartition(".")
        is_off = f"{table}.size" in self.values and not self.has_cache(table)
        return place == "line" or (table != "" and key != "name" and (not is_off or key == "size"))

    def has_cache(self, place: str) -> bool:
        """Tell whether a cache is there and on: `l1i`, `L2`."""
        return f"{place}.size" in self.values and self.number(f"{place}.size") > 0

    def has_tlb(self, place: str) -> bool:
        """Tell whether a TLB is there and on: `dtlb`."""
        return f"{place}.entries" in self.values and self.number(f"{place}.entries") > 0


def read_platform(platform: str) -> PlatformModel:
    """Read the platform that `--platform sim:NAME` or `sim:PATH` names.

    Raises:
        ConfigError: There is none, or a value of it cannot be.
    """
    name = platform.removeprefix(SIMULATED)
    path = _path_of(name, None)
    data = _read(path)
    with located(str(path)):
        return parse_platform(data, path.stem, path.parent)


def parse_platform(data: bytes, name: str, folder: Path | None = None) -> PlatformModel:
    """Read the text of a platform file.

    Args:
        data: The text.
        name: What the platform is called.
        folder: Where a base that is no shipped platform is looked for; None: nowhere.

    Raises:
        ConfigError: It is none, or a value of it cannot be.
    """
    text, alone = _load(data)
    document = alone
    lines = find_lines(text, {kind: _names(kind, document) for kind in platform_lists()})
    with _at_line(lines):
        if _BASE in document:
            document = _with_base(document, folder)
        values = _values(document)
        levels, regions = (tuple(_names(kind, document)) for kind in ("level", "region"))
        check_platform(values, levels, regions)
    kept = data if document is alone else write_document(document).encode()
    return PlatformModel(name, values, levels, regions, kept)


def with_partition(model: PlatformModel, ways: Sequence[str]) -> PlatformModel:
    """Partition the last cache level another way.

    Args:
        model: A platform with a level below the first.
        ways: Of each core, such as `0-3`; none: the level is shared.

    Raises:
        ConfigError: The level lacks one of the ways.
    """
    _, document = _load(model.text)
    last = document["level"][-1]
    last.pop("partition", None)
    if ways:
        last["partition"] = {"value": list(ways), "source": "tried in place of the file's"}
    return parse_platform(write_document(document).encode(), model.name)


def platform_in_run(platform: str) -> str:
    """Name a platform as the spec of a run does that keeps its file: shipped ones by their names.

    The run is the same then wherever a platform file lay, and its spec finds the one that it keeps.
    """
    name = platform.removeprefix(SIMULATED)
    return f"{SIMULATED}{PLATFORM}" if name != platform and is_platform_path(name) else platform


def shipped_platforms() -> list[str]:
    """Name the platforms that come with laxity."""
    return sorted({path.stem for folder in _folders() for path in folder.glob("*.toml")})


def _folders() -> list[Path]:
    root = source_root()
    built = [directory / "sim" / "platforms" for directory in tool_roots()]
    return [*built, *([] if root is None else [root / "sim" / "platforms"])]


def _path_of(name: str, folder: Path | None) -> Path:
    """Find the file of a shipped platform, or of one named by its path."""
    if is_platform_path(name):
        return Path(name) if folder is None else folder / name
    for shipped in _folders():
        path = shipped / f"{name}.toml"
        if path.is_file():
            return path
    known = shipped_platforms()
    advice = suggestion(name, known, f"use one of {' '.join(known)}, or name a file by its path")
    msg = f'platform "{SIMULATED}{name}" is unknown; {advice}'
    raise ConfigError(msg)


def _read(path: Path) -> bytes:
    if path.exists() and not path.is_file():
        msg = f"{path}: is no file; name a platform file"
        raise ConfigError(msg)
    try:
        with path.open("rb") as file:
            return file.read(_LARGEST_FILE_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: of a NUL in the path
        msg = f"{path}: cannot be read ({plain_words(error)}); correct the path"
        raise ConfigError(msg) from error


def _load(data: bytes) -> tuple[str, _Document]:
    if len(data) > _LARGEST_FILE_BYTES:
        msg = f"longer than {_LARGEST_FILE_BYTES} bytes; name a platform file"
        raise ConfigError(msg)
    try:
        text = data.decode()
        return text, tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also of numbers of thousands of digits
        msg = f"no TOML ({plain_words(error)}); correct it"
        raise ConfigError(msg) from error


@contextmanager
def _at_line(lines: dict[str, int]) -> Iterator[None]:
    """Name the line of the place that a message begins with."""
    try:
        yield
    except ConfigError as error:
        place = str(error).split(": ", 1)[0]
        table = place.rpartition(".")[0]
        line = lines.get(place, lines.get(table))
        if line is None:
            raise
        msg = f"line {line}: {error}"
        raise ConfigError(msg) from error


def _with_base(document: _Document, folder: Path | None) -> _Document:
    """Put what a file says over what its base says."""
    name = document[_BASE]
    is_path = isinstance(name, str) and is_platform_path(name)
    if not isinstance(name, str) or (is_path and folder is None):
        msg = f"{_BASE}: no platform that can be found from here; name a shipped one"
        raise ConfigError(msg)
    with located(f"{_BASE}"):
        path = _path_of(name, folder)
        data = _read(path)
        with located(str(path)):
            _, below = _load(data)
            if _BASE in below:
                msg = "has a base itself; name that one, and say what differs here"
                raise ConfigError(msg)
            parse_platform(data, name)
    return _merged(below, {key: value for key, value in document.items() if key != _BASE})


def _merged(below: _Document, above: _Document) -> _Document:
    """Put one document over another; of levels, and of regions, those of a name belong together."""
    merged = dict(below)
    for name, value in above.items():
        if name in platform_lists():
            names, ones = _names(name, below), list(_listed(name, below))
            for one in _listed(name, above):
                if place_of(name, one) in names:
                    at = names.index(place_of(name, one))
                    ones[at] = ones[at] | one
                else:
                    ones.append(one)
            merged[name] = ones
        elif name in platform_tables() and isinstance(value, dict):
            merged[name] = below.get(name, {}) | value
        else:
            merged[name] = value
    return merged


def _listed(kind: str, document: _Document) -> list[_Document]:
    """List the tables of levels, or of regions, or what of it are tables."""
    ones = document.get(kind, [])
    if not isinstance(ones, list):
        return []
    return [one for one in ones if isinstance(one, dict)]


def _names(kind: str, document: _Document) -> list[str]:
    return [place_of(kind, one) for one in _listed(kind, document)]


def _values(document: _Document) -> dict[str, Value]:
    """Read every value; those that are not there have their defaults."""
    _check_tables(document)
    values: dict[str, Value] = {}
    for table, declared in platform_tables().items():
        if declared.most is not None:
            for one in _listed(table, document):
                values |= _values_of(table, place_of(table, one), one)
        elif table == "":
            plain = {key: one for key, one in document.items() if key not in platform_tables()}
            values |= _values_of(table, "", {key: plain[key] for key in plain if key != "schema"})
        elif table in document or declared.cache is None:
            values |= _values_of(table, table, document.get(table, {}))
    architecture = values["architecture"]
    emulation = architecture.key.words[architecture.text].split()
    for place, usual in zip(("emulator", "emulated_cpu"), emulation, strict=True):
        if not values[place].text:
            values[place] = replace(values[place], text=usual)
    return values


def _check_tables(document: _Document) -> None:
    """Refuse what the shape of a platform file does not have."""
    if document.get("schema") != 1 or document.get("schema") is True:
        msg = "schema: is not 1; write schema = 1 at the top"
        raise ConfigError(msg)
    for table, declared in platform_tables().items():
        if table == "" or declared.most is not None:
            continue
        if table not in document and not declared.optional:
            msg = f"{table}: missing; add the table [{table}]"
            raise ConfigError(msg)
        if not isinstance(document.get(table, {}), dict):
            msg = f"{table}: is no table; write it as [{table}]"
            raise ConfigError(msg)
    names: list[str] = []
    for kind, most in platform_lists().items():
        _check_list(kind, most, document, names)


def _check_list(kind: str, most: int, document: _Document, names: list[str]) -> None:
    """Refuse a list of tables that is none, is too long, or whose names are not their own."""
    ones = document.get(kind, [])
    if not isinstance(ones, list) or len(_listed(kind, document)) != len(ones):
        msg = f"{kind}: is no list of tables; write each as [[{kind}]]"
        raise ConfigError(msg)
    if len(ones) > most:
        msg = f"{kind}: {len(ones)} of them; the model has at most {most}"
        raise ConfigError(msg)
    for at, one in enumerate(ones):
        name = place_of(kind, one)
        likely = f"L{at + 2}" if kind == "level" else f"{kind}{at + 1}"
        if "name" not in one:
            msg = f'{kind}: the one of number {at + 1} has no name; add name = "{likely}"'
            raise ConfigError(msg)
        if one["name"] != name or name in platform_tables() or name in names:
            msg = f'{name}: no name of its own for a {kind}; write another one, as "{likely}"'
            raise ConfigError(msg)
        names.append(name)


def _values_of(table: str, place: str, written: _Document) -> dict[str, Value]:
    """Read the values of a table; `place` is what it is called."""
    keys = {key.name: key for key in platform_keys(table)}
    for name in written:
        if name not in keys:
            tables = [one for one in platform_tables() if one] if table == "" else []
            others = f", or a table: {' '.join(tables)}" if tables else ""
            advice = suggestion(name, [*keys, *tables], f"use one of {' '.join(keys)}{others}")
            msg = f"{_place(place, name)}: unknown; {advice}"
            raise ConfigError(msg)
    values: dict[str, Value] = {}
    for name, key in keys.items():
        where = _place(place, name)
        size = values.get(_place(place, "size"))
        if name in written:
            values[where] = read_value(where, key, written[name])
        elif size is not None and size.number == 0 and key.default is None:
            # Of a cache that is off nothing is asked.
            values[where] = Value(where, key, key.low, str(key.low), "default", "")
        else:
            values[where] = default_value(where, key)
    return values


def _place(table: str, key: str) -> str:
    return f"{table}.{key}".lstrip(".")
