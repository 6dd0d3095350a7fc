# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""GRID.toml of `laxity sweep`: an experiment, the axes along which it changes, columns."""

import copy
import hashlib
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import msgspec

from laxity.core.spec import SIMULATED
from laxity.core.spec_tables import array_of_tables, check_keys, read_document
from laxity.core.wording import plain_words
from laxity.errors import ConfigError, located
from laxity.sweep.axes import (
    PLATFORM,
    Axis,
    AxisTable,
    Lists,
    Tables,
    find_path,
    known_keys,
    read_values,
)

_SWEEP, _AXIS = "sweep", "axis"
_HEADER = re.compile(r"\s*\[\[?\s*(\w+)\s*\]\]?\s*(?:#.*)?", re.ASCII)
_TOML_LINE = re.compile(r"not TOML: .*\(at line ([0-9]+),", re.ASCII)
_KEY = re.compile(r"\s*(\w+)\s*=", re.ASCII)


class SweepTable(msgspec.Struct, frozen=True, kw_only=True):
    """`[sweep]` as the user wrote it; exactly one of spec and run is given."""

    spec: str | None = None
    run: str | None = None
    platform: str | None = None
    columns: list[str] | None = None
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Stated:
    """A grid file as it was read.

    Attributes:
        sweep: What is swept.
        axes: As they were written, each with the line where it begins.
        lines: Of keys: (table and number, key), from 1 on.
    """

    sweep: SweepTable
    axes: tuple[AxisTable, ...]
    lines: dict[tuple[str, str], int]

    @contextmanager
    def at(self, place: str, key: str = "") -> Iterator[None]:
        """Name the line of a key in messages, else that of its table."""
        line = self.lines.get((place, key), self.lines.get((place, ""), 1))
        try:
            yield
        except ConfigError as error:
            told = _TOML_LINE.search(str(error))
            msg = f"{line if told is None else told[1]}: {error}"
            raise ConfigError(msg) from error


@dataclass(frozen=True, slots=True)
class Grid:
    """Which experiments there are.

    Attributes:
        tables: `run`, `task` and `interfere` as the user wrote them.
        axes: In their order; the last one changes from one experiment to the next.
        seed: Of what is drawn, and of experiments without one of their own.
        columns: As the user wrote them; None: the usual ones.
    """

    tables: Tables
    axes: tuple[Axis, ...]
    seed: int
    columns: tuple[str, ...] | None

    def __len__(self) -> int:
        """How many experiments."""
        return math.prod(len(axis.values) for axis in self.axes)

    def point(self, number: int) -> tuple[Any, ...]:
        """Return the values of an experiment, one for each axis."""
        found = []
        for axis in reversed(self.axes):
            number, at = divmod(number, len(axis.values))
            found.append(axis.values[at])
        return tuple(reversed(found))

    def line_of(self, message: str) -> int:
        """Find the axis that a message is about: its line in the grid file."""
        keys = [str(axis.path[-1]) for axis in self.axes]
        found = [axis for axis, key in zip(self.axes, keys, strict=True) if key in message]
        return (found or self.axes)[0].line

    def tables_of(self, point: Sequence[Any]) -> tuple[Tables, tuple[tuple[str, str, Any], ...]]:
        """Put the values of an experiment into the spec.

        Returns:
            Its tables, and what changes in its platform: (table or level, key, value).
        """
        tables, changes = copy.deepcopy(self.tables), []
        for axis, value in zip(self.axes, point, strict=True):
            if axis.path[0] == PLATFORM:
                _, table, key = axis.path
                changes.append((str(table), str(key), value))
                continue
            *before, last = axis.path
            within: Any = tables
            for part in before:
                within = within[part]
            within[last] = value
        return tables, tuple(changes)

    def identity(self, *others: bytes) -> str:
        """Name what the grid and the rest of what it needs consist of: 64 hexadecimal digits."""
        axes = [
            (axis.key, len(axis.values), [axis.values[at] for at in range(len(axis.values))])
            for axis in self.axes
        ]
        parts = msgspec.json.encode((self.tables, axes, self.seed, self.columns), order="sorted")
        return hashlib.sha256(b"\0".join((parts, *others))).hexdigest()


def read_grid(data: bytes) -> Stated:
    """Read the text of a grid file.

    Raises:
        ConfigError: Not TOML, an unknown key, or a value of another type; begins with the line.
    """
    lines = _find_lines(data.decode("utf-8", "replace"))
    stated = Stated(SweepTable(), (), lines)
    with stated.at(""):
        document = read_document(data, (_SWEEP, _AXIS), "docs/sweep.md")
        table = document.get(_SWEEP, {})
        if not isinstance(table, dict):
            msg = f"{_SWEEP} is no table; write [{_SWEEP}]"
            raise ConfigError(msg)
        axes = array_of_tables(document, _AXIS)
    with stated.at(_SWEEP):
        sweep = _convert(table, SweepTable, f"[{_SWEEP}]")
        if (sweep.spec is None) == (sweep.run is None):
            msg = f'[{_SWEEP}]: write either spec = "FILE.toml" or run = "words of laxity run"'
            raise ConfigError(msg)
        if not axes:
            msg = f"no [[{_AXIS}]]: there is one experiment, which laxity run does; write an axis"
            raise ConfigError(msg)
    read = []
    for index, one in enumerate(axes):
        with stated.at(f"{_AXIS}{index}"):
            read.append(_convert(one, AxisTable, f"[[{_AXIS}]]"))
    return Stated(sweep, tuple(read), lines)


def make_grid(stated: Stated, tables: Tables, lists_of: Callable[[str], Lists], limit: int) -> Grid:
    """Put a grid together.

    Args:
        stated: The grid file.
        tables: Of the spec, or of the words in place of it.
        lists_of: Names the levels of caches of a platform, and its regions.
        limit: How many experiments there may be.

    Raises:
        ConfigError: A key that is none, an axis without values, too many experiments; begins with
            the line.
    """
    tables = {"run": {}, "task": [], "interfere": [], **tables}
    run, sweep = tables["run"], stated.sweep
    if sweep.platform is not None:
        run["platform"] = sweep.platform
    run.setdefault("seed", sweep.seed)
    platform = next(
        (one.values[0] for one in stated.axes if one.key == "run.platform" and one.values),
        run.get("platform", "native"),
    )
    with stated.at(_SWEEP, "platform"):
        if not isinstance(platform, str) or not platform.startswith(SIMULATED):
            msg = f'platform "{platform}": is not simulated; write platform = "{SIMULATED}NAME"'
            raise ConfigError(msg)
        known = known_keys(tables, lists_of(platform))
    axes: list[Axis] = []
    for index, one in enumerate(stated.axes):
        place = f"{_AXIS}{index}"
        with stated.at(place, "key"):
            path = find_path(one.key, tables, known)
            _refuse_again(path, one.key, axes)
        line = stated.lines.get((place, ""), 1)
        with stated.at(place, "values"), located(f'axis "{one.key}"'):
            axes.append(Axis(one.key, path, read_values(one, sweep.seed), line))
    columns = None if sweep.columns is None else tuple(sweep.columns)
    grid = Grid(tables, tuple(axes), sweep.seed, columns)
    with stated.at(f"{_AXIS}0"):
        _check_size(grid, limit)
    return grid


def _refuse_again(path: tuple[str | int, ...], key: str, axes: Sequence[Axis]) -> None:
    for axis in axes:
        if axis.path == path[: len(axis.path)] or path == axis.path[: len(path)]:
            msg = f'axis "{key}": line {axis.line} changes it, too; leave one of them out'
            raise ConfigError(msg)


def _check_size(grid: Grid, limit: int) -> None:
    if len(grid) > limit:
        sizes = " x ".join(str(len(axis.values)) for axis in grid.axes)
        msg = (
            f"{sizes} = {len(grid)} experiments, more than {limit}; write shorter axes, or "
            f"--limit {len(grid)}"
        )
        raise ConfigError(msg)


def _convert(table: dict[str, Any], kind: type[Any], where: str) -> Any:  # noqa: ANN401 - of kind
    check_keys(table, (one.encode_name for one in msgspec.structs.fields(kind)), where)
    try:
        return msgspec.convert(table, kind, strict=True)
    except msgspec.ValidationError as error:
        msg = f"{where}: {plain_words(error)}; correct it"
        raise ConfigError(msg) from error


def _find_lines(text: str) -> dict[tuple[str, str], int]:
    """Find tables and keys: tomllib tells no lines. Axes are numbered."""
    lines: dict[tuple[str, str], int] = {}
    place, n_axes = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        header, key = _HEADER.fullmatch(line), _KEY.match(line)
        if header:
            place = header[1]
            if place == _AXIS:
                place, n_axes = f"{_AXIS}{n_axes}", n_axes + 1
            lines.setdefault((place, ""), number)
        elif key:
            lines.setdefault((place, key[1]), number)
    return lines
