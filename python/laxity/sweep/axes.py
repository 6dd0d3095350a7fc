# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The axes of a grid: which key each changes, and its values, none of which is kept in memory."""

import random
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import msgspec
from typing_extensions import override

from laxity.core.schema import platform_keys, platform_tables
from laxity.core.spec import InterfereTable, RunTable, TaskTable
from laxity.core.units import exact_duration, exact_size, parse_duration_ns, parse_size_bytes
from laxity.errors import ConfigError, suggestion

PLATFORM = "platform"
# What a run is called by, or only says of bounds, or where it runs: a sweep is simulated here.
_NOT_IN_RUN = frozenset({"on"})
_NOT_IN_TASKS = frozenset({"name"})
_WORD = re.compile(r"(.+)\.args\.([0-9]{1,4})", re.ASCII)

Tables = dict[str, Any]
# Names of the tables of each list of a platform file: of its levels, of its regions.
Lists = Mapping[str, Sequence[str]]


class AxisTable(msgspec.Struct, frozen=True, kw_only=True, rename={"start": "from"}):
    """One `[[axis]]` as the user wrote it."""

    key: str
    values: list[Any] | None = None
    start: Any = None
    to: Any = None
    step: Any = None
    factor: int | None = None
    draws: int | None = None


@dataclass(frozen=True, slots=True)
class Axis:
    """A key, and what it becomes.

    Attributes:
        key: As the user wrote it.
        path: Where it is: table, number or name within, key, and of a list the place.
        values: In their order, as a spec or a platform file has them.
        line: Of the grid file.
    """

    key: str
    path: tuple[str | int, ...]
    values: Sequence[Any]
    line: int


@dataclass(frozen=True, slots=True)
class _Scale:
    """How numbers of a range are written."""

    read: Callable[[Any], int]
    write: Callable[[int], Any]


class Numbers(Sequence[Any]):
    """Numbers that are written only when they are asked for."""

    def __init__(
        self, count: int, number: Callable[[int], int], write: Callable[[int], Any]
    ) -> None:
        self._count, self._number, self._write = count, number, write

    @override
    def __len__(self) -> int:
        """How many."""
        return self._count

    @override
    def __getitem__(self, at: Any) -> Any:
        """One of them."""
        if not isinstance(at, int) or not 0 <= at < self._count:
            raise IndexError(at)
        return self._write(self._number(at))


def known_keys(tables: Tables, lists: Lists) -> dict[str, tuple[str | int, ...]]:
    """List what an axis may change, and where it is.

    Args:
        tables: Of the spec: `run`, `task`, `interfere`.
        lists: Names of the platform's levels of caches, and of its regions.
    """
    found: dict[str, tuple[str | int, ...]] = {
        f"run.{key}": ("run", key) for key in RunTable.__struct_fields__ if key not in _NOT_IN_RUN
    }
    for index, task in enumerate(tables["task"]):
        keys = [key for key in TaskTable.__struct_fields__ if key not in _NOT_IN_TASKS]
        found |= {f"task.{name_of(task)}.{key}": ("task", index, key) for key in keys}
    for index in range(len(tables["interfere"])):
        keys = list(InterfereTable.__struct_fields__)
        found |= {f"interfere.{index}.{key}": ("interfere", index, key) for key in keys}
    return found | _keys_of_platform(lists)


def _keys_of_platform(lists: Lists) -> dict[str, tuple[str | int, ...]]:
    found: dict[str, tuple[str | int, ...]] = {}
    for table in platform_tables():
        for place in lists.get(table, [table]):
            names = [one.name for one in platform_keys(table)]
            if table in lists:
                names.remove("name")
            for name in names:
                found[f"{PLATFORM}.{place}.{name}".replace("..", ".")] = (PLATFORM, place, name)
    return found


def name_of(task: Tables) -> str:
    """Name a task as its spec will."""
    program = task.get("exec") or task.get("program") or [task.get("workload") or ""]
    return str(task.get("name") or PurePath(str(program[0])).name)


def find_path(
    key: str, tables: Tables, known: dict[str, tuple[str | int, ...]]
) -> tuple[str | int, ...]:
    """Find what a key of an axis names.

    Raises:
        ConfigError: Nothing.
    """
    if key in known:
        return known[key]
    word = _WORD.fullmatch(key)
    if word is not None and f"{word[1]}.args" in known:
        table, index, _ = known[f"{word[1]}.args"]
        n_words = len(tables[str(table)][int(index)].get("args", []))
        if int(word[2]) < n_words:
            return (table, index, "args", int(word[2]))
        msg = f'key "{key}": there are {n_words} words, numbered from 0; name one of them'
        raise ConfigError(msg)
    advice = suggestion(
        key, known, "write run.KEY, task.NAME.KEY, interfere.NUMBER.KEY or platform.TABLE.KEY"
    )
    msg = f'key "{key}": no key of spec or platform; {advice}'
    raise ConfigError(msg)


def read_values(axis: AxisTable, seed: int) -> Sequence[Any]:
    """Read what a key becomes.

    Args:
        axis: A list of values, a range, or how many are drawn from one.
        seed: Of the grid; each axis draws by itself.

    Raises:
        ConfigError: It has no values, or is not one of the three.
    """
    is_range = axis.start is not None or axis.to is not None
    if (axis.values is not None) == is_range:
        msg = "has no values; write values = [...], or from and to"
        if is_range:
            msg = "has values and a range; write one of the two"
        raise ConfigError(msg)
    if axis.values is not None:
        if axis.step is not None or axis.factor is not None or axis.draws is not None:
            msg = "values are a list; step, factor and draws are of a range, leave them out"
            raise ConfigError(msg)
        if not axis.values:
            msg = "values is empty, and so would the grid be; write one value or more"
            raise ConfigError(msg)
        return axis.values
    return _read_range(axis, seed)


def _read_range(axis: AxisTable, seed: int) -> Sequence[Any]:
    scale = _scale_of([one for one in (axis.start, axis.to, axis.step) if one is not None])
    if axis.start is None or axis.to is None:
        msg = "has one end; write from and to"
        raise ConfigError(msg)
    low, high = scale.read(axis.start), scale.read(axis.to)
    if low > high:
        msg = f"from {axis.start} to {axis.to} is empty; swap them"
        raise ConfigError(msg)
    if sum(one is not None for one in (axis.step, axis.factor, axis.draws)) > 1:
        msg = "step, factor and draws are three ways; write one of them"
        raise ConfigError(msg)
    if axis.draws is not None:
        return _drawn(axis, seed, (low, high), scale)
    if axis.factor is not None:
        return _multiplied(axis.factor, (low, high), scale)
    if axis.step is None and not isinstance(axis.start, int):
        msg = "a range of texts has no step; write step, factor or draws"
        raise ConfigError(msg)
    step = 1 if axis.step is None else scale.read(axis.step)
    if step < 1:
        msg = f"step {axis.step} is not above 0; write a larger one"
        raise ConfigError(msg)
    return Numbers((high - low) // step + 1, lambda at: low + at * step, scale.write)


def _drawn(axis: AxisTable, seed: int, ends: tuple[int, int], scale: _Scale) -> Sequence[Any]:
    if axis.draws is None or axis.draws < 1:
        msg = f"draws {axis.draws} is not above 0, and so the grid would be empty; write more"
        raise ConfigError(msg)
    low, high = ends

    def number(at: int) -> int:
        # Python promises the same random() in every version, and the same use of a text as seed.
        share = random.Random(f"{seed} {axis.key} {at}").random()  # noqa: S311 - no secret
        return low + int(share * (high - low + 1))

    return Numbers(axis.draws, number, scale.write)


def _multiplied(factor: int, ends: tuple[int, int], scale: _Scale) -> Sequence[Any]:
    low, high = ends
    if factor <= 1 or low < 1:
        msg = f"factor {factor} from {scale.write(low)}: does not grow; write 2 or more, from 1 on"
        raise ConfigError(msg)
    count, last = 1, low
    while last * factor <= high:
        count, last = count + 1, last * factor
    return Numbers(count, lambda at: low * factor**at, scale.write)


def _scale_of(written: Sequence[Any]) -> _Scale:
    """Tell whether a range is of numbers, sizes or durations."""
    if all(isinstance(one, int) and not isinstance(one, bool) for one in written):
        return _Scale(int, int)
    for read, write in ((parse_size_bytes, exact_size), (parse_duration_ns, exact_duration)):
        with suppress(ConfigError):
            for one in written:
                read(one)
            return _Scale(read, write)
    shown = ", ".join(f'"{one}"' for one in written)
    msg = f"{shown}: neither whole numbers nor sizes nor durations; write all alike"
    raise ConfigError(msg)


@dataclass(frozen=True, slots=True)
class AxisColumn:
    """The column that holds the values of an axis.

    Attributes:
        name: The key, and the unit that the numbers are of.
        write: Writes a value there: sizes in bytes, durations in ns, lists as words of a shell.
        is_text: Whether they are no whole numbers.
    """

    name: str
    write: Callable[[Any], int | str]
    is_text: bool


def column_of(axis: Axis) -> AxisColumn:
    """Tell the column of an axis."""
    values = [axis.values[at] for at in range(len(axis.values))]
    if all(isinstance(one, int) and not isinstance(one, bool) for one in values):
        return AxisColumn(axis.key, int, is_text=False)
    for read, unit in ((parse_size_bytes, "bytes"), (parse_duration_ns, "ns")):
        with suppress(ConfigError):
            for one in values:
                read(one)
            return AxisColumn(f"{axis.key}_{unit}", read, is_text=False)
    return AxisColumn(axis.key, _text_of, is_text=True)


def _text_of(value: Any) -> str:  # noqa: ANN401 - as TOML has it
    if isinstance(value, list):
        return shlex.join(str(one) for one in value)
    return str(value).lower() if isinstance(value, bool) else str(value)
