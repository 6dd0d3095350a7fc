# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What native code and Python share, of the files in `schema/`.

`streams.toml` has columns of streams and their codes, `run.toml` options of a run and their limits,
`platform.toml` keys of platform files.
Native code has them from headers that its build makes of the same files.
"""

import re
import tomllib
from enum import EnumMeta, IntEnum, StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from typing_extensions import override

if TYPE_CHECKING:
    from enum import _EnumDict

_PACKAGE = Path(__file__).resolve().parents[1]
# Beside the package in an installation, else in the checkout.
_FOLDERS = (_PACKAGE / "_schema", _PACKAGE.parents[1] / "schema")

_Member = TypeVar("_Member")


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """An option of laxity-run; `schema/run.toml` says what the fields are.

    Also one that only `laxity run` has: then `stated` are the words of a choice.
    """

    name: str
    type: str
    help: str
    letter: str | None = None
    metavar: str | None = None
    choices: str | None = None
    low: int = 0
    high: int | None = None
    default: int | str | None = None
    shown: str | None = None
    none: bool = False
    key: str | None = None
    stated: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The words of a choice."""
        return self.stated if self.choices is None else words_of(self.choices)

    @property
    def field(self) -> str:
        """The field of a resolved spec that holds it."""
        key = self.name.replace("-", "_") if self.key is None else self.key
        return key + {"duration": "_ns", "size": "_bytes"}.get(self.type, "")


@cache
def _read(name: str) -> dict[str, Any]:
    folder = next((folder for folder in _FOLDERS if folder.is_dir()), _FOLDERS[-1])
    with (folder / name).open("rb") as file:
        return tomllib.load(file)


def streams_schema() -> dict[str, Any]:
    """Read the columns and codes of streams.

    Returns:
        `codes`: for each kind of code its words, in the order of their numbers, with their meaning
        (empty: the word says it); and each stream with its `columns`.

    Raises:
        FileNotFoundError: The installation is incomplete.
    """
    return _read("streams.toml")


@cache
def options_of(group: str) -> tuple[Option, ...]:
    """List the options of laxity-run.

    Args:
        group: `run`, or `task` for those of a task or co-runner.
    """
    schema = _read("run.toml")
    limits = schema["limits"]
    # A bound may be the name of a limit.
    numbered = [
        {
            name: limits.get(value, value) if name in {"low", "high"} else value
            for name, value in option.items()
        }
        for option in schema["options"][group]
    ]
    return msgspec.convert(numbered, tuple[Option, ...])


@cache
def options_by_key() -> dict[str, Option]:
    """Find the option that carries a key of a spec."""
    return {
        one.name.replace("-", "_") if one.key is None else one.key: one
        for group in ("run", "task")
        for one in options_of(group)
        if one.key != ""
    }


def limit(name: str) -> int:
    """Return a number that bounds something: `processes_max`."""
    return int(_read("run.toml")["limits"][name])


def words_of(codes: str) -> tuple[str, ...]:
    """Name the codes of a kind, in the order of their numbers.

    Args:
        codes: Key of the schema: `crpd_evict`, `policy`.
    """
    known = streams_schema()["codes"]
    return tuple(known[codes] if codes in known else _read("run.toml")["codes"][codes])


class PlatformKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key of platform files; `schema/platform.toml` says what the fields are."""

    tables: tuple[str, ...]
    name: str
    type: str
    help: str
    clock: str | None = None
    low: int = 0
    high: int | None = None
    power: bool = False
    lines: bool = False
    pages: bool = False
    choices: str | None = None
    default: int | str | bool | list[str] | None = None
    member: str | None = None

    @property
    def words(self) -> dict[str, str]:
        """The words of a choice in the order of their codes, each with what it means."""
        return {} if self.choices is None else dict(_read("platform.toml")["codes"][self.choices])


class PlatformTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table of platform files, likewise."""

    help: str
    optional: bool = False
    most: str | None = None
    cache: str | None = None


@cache
def platform_tables() -> dict[str, PlatformTable]:
    """Return the tables of a platform file by their names, in order; "" is its top."""
    declared = msgspec.convert(_read("platform.toml")["tables"], dict[str, PlatformTable])
    return {"": PlatformTable(help="The file itself."), **declared}


@cache
def platform_keys(table: str) -> tuple[PlatformKey, ...]:
    """List the keys of a table of platform files."""
    declared = msgspec.convert(_read("platform.toml")["keys"], tuple[PlatformKey, ...])
    return tuple(key for key in declared if table in key.tables)


@cache
def platform_lists() -> dict[str, int]:
    """Return the tables of which there may be several, each with a name, and how many."""
    tables = platform_tables().items()
    return {name: platform_limit(one.most) for name, one in tables if one.most is not None}


def platform_limit(name: str) -> int:
    """Return a number that bounds platforms: `levels_max`."""
    return int(_read("platform.toml")["limits"][name])


class _CodesMeta(EnumMeta):
    """Makes the members of an enumeration from the codes of its name: `SchedKind`, `sched_kind`.

    Their values are the codes, in one of texts the words.
    """

    @override
    @classmethod
    def __prepare__(  # type: ignore[override]
        metacls,  # noqa: N804 - named as in EnumMeta
        cls: str,
        bases: tuple[type, ...],
        **kwds: Any,
    ) -> "_EnumDict":
        space = super().__prepare__(cls, bases, **kwds)
        if bases[0] in {IntEnum, StrEnum}:
            return space
        key = re.sub(r"(?<!^)([A-Z])", r"_\1", cls).lower()
        for code, word in enumerate(words_of(key)):
            space[word.upper()] = word if issubclass(bases[0], StrEnum) else code
        return space

    def __getattr__(cls: type[_Member], name: str) -> _Member:
        """Tell type checkers that there are members; those that there are never come here."""
        raise AttributeError(name)


class Codes(IntEnum, metaclass=_CodesMeta):
    """An enumeration whose members are the codes that the schema has under its name."""


class Words(StrEnum, metaclass=_CodesMeta):
    """An enumeration whose members are the words that the schema has under its name."""
