# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A suite's manifest: what of its programs cannot be discovered, as the user wrote it.

Lists of build keys add up, from the suite over its size to the program, its size and the target;
every other key of a more special table replaces that of a more general one.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from laxity.core.spec_tables import array_of_tables, check_keys, read_document
from laxity.core.wording import plain_words
from laxity.costs.model import Member
from laxity.errors import ConfigError, located

# It is read by people; the bound keeps a mistyped path to a huge file out of memory.
MAX_MANIFEST_BYTES = 1 << 20
# A run's name is that of program and size together (spec_reader): 63 letters.
_MAX_NAME = 48
_MAX_SIZE_NAME = 14
_MAX_FILTER = 1000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)
_LIBRARY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*", re.ASCII)
_FUNCTION = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_BRACKETS = 2
_INT_BITS = 31
_MOST_EXIT_CODE = 255

Table = TypeVar("Table", bound=msgspec.Struct)


class BuildTable(msgspec.Struct, frozen=True, kw_only=True):
    """How something is compiled and linked; None: not said."""

    cflags: list[str] = []
    std: str | None = None
    include: list[str] = []
    force_include: list[str] = []
    libs: list[str] = []


class JobTable(BuildTable, frozen=True, kw_only=True):
    """What a job is given, and what is right."""

    args: list[str] | None = None
    stdin: str | None = None
    inputs: list[str] | None = None
    exit_code: int | None = None
    check: int | None = None
    output_filter: str | None = None
    roi: list[list[str]] | None = None
    roi_check: str | None = None


class SuiteTable(JobTable, frozen=True, kw_only=True):
    """`[suite]`: holds for every program. `folders` None: all of the checkout."""

    folders: list[str] | None = None
    sizes: dict[str, dict[str, Any]] = {}
    target: dict[str, dict[str, Any]] = {}


class SizeTable(JobTable, frozen=True, kw_only=True):
    """`[suite.sizes.NAME]` and `[program.sizes.NAME]`."""


class ProgramTable(JobTable, frozen=True, kw_only=True):
    """`[[program]]`. Without `folder` it is about a program that is discovered."""

    name: str
    folder: str | None = None
    sources: list[str] | None = None
    sizes: dict[str, dict[str, Any]] = {}
    target: dict[str, dict[str, Any]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """`[suite]` or a `[[program]]`, with its sizes and targets read.

    Attributes:
        table: Its own keys.
        sizes: By name, in the order of the file.
        targets: By the name of the machine or the whole triple.
    """

    table: JobTable
    sizes: Mapping[str, SizeTable]
    targets: Mapping[str, BuildTable]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramScope(Scope):
    """A `[[program]]`."""

    name: str
    folder: str | None
    sources: tuple[str, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A manifest that was read; nothing of it has been looked for yet."""

    suite: Scope
    folders: tuple[str, ...] | None
    programs: tuple[ProgramScope, ...]


EMPTY_MANIFEST = Manifest(
    suite=Scope(table=SuiteTable(), sizes={}, targets={}), folders=None, programs=()
)


def read_manifest(data: bytes) -> Manifest:
    """Read the text of a manifest.

    Args:
        data: Content of the file.

    Raises:
        ConfigError: Not TOML, unknown key, or a value that cannot be.
    """
    document = read_document(data, ("suite", "program"), "docs/suite-manifest.md")
    suite = document.get("suite", {})
    if not isinstance(suite, dict):
        msg = "suite is not a table; write [suite]"
        raise ConfigError(msg)
    table = _convert(suite, SuiteTable, "[suite]")
    programs = tuple(
        _read_program(one, index) for index, one in enumerate(array_of_tables(document, "program"))
    )
    _check_names([one.name for one in programs])
    return Manifest(
        suite=Scope(table=table, **_below(table, "[suite]")),
        folders=None if table.folders is None else tuple(table.folders),
        programs=programs,
    )


def _read_program(given: dict[str, Any], index: int) -> ProgramScope:
    name = given.get("name")
    where = f'program "{name}"' if isinstance(name, str) else f"program {index}"
    table = _convert(given, ProgramTable, where)
    with located(where):
        _check_name(table.name, "name", _MAX_NAME)
        if table.sources is not None and not table.sources:
            msg = "sources is empty; name C files, or leave it out for all of the folder"
            raise ConfigError(msg)
        if table.folder is None and table.sources is not None:
            msg = "sources without a folder; write folder, too"
            raise ConfigError(msg)
    return ProgramScope(
        name=table.name,
        folder=table.folder,
        sources=None if table.sources is None else tuple(table.sources),
        table=table,
        **_below(table, where),
    )


def _below(table: SuiteTable | ProgramTable, where: str) -> dict[str, Any]:
    """Read the sizes and targets of a table."""
    for name in table.sizes:
        with located(f"{where} sizes"):
            _check_name(name, "size", _MAX_SIZE_NAME)
    return {
        "sizes": {
            name: _convert(one, SizeTable, f"{where} sizes.{name}")
            for name, one in table.sizes.items()
        },
        "targets": {
            name: _convert(one, BuildTable, f"{where} target.{name}")
            for name, one in table.target.items()
        },
    }


def _convert(given: dict[str, Any], kind: type[Table], where: str) -> Table:
    check_keys(given, kind.__struct_fields__, where)
    try:
        table = msgspec.convert(given, kind, strict=True)
    except msgspec.ValidationError as error:
        msg = f"{where}: {plain_words(error)}; correct it"
        raise ConfigError(msg) from error
    with located(where):
        if isinstance(table, BuildTable):
            _check_build(table)
        if isinstance(table, JobTable):
            _check_job(table)
    return table


def _check_build(table: BuildTable) -> None:
    for library in table.libs:
        if not _LIBRARY.fullmatch(library):
            msg = f'libs: "{library}" is no name of a library; write "m" for -lm'
            raise ConfigError(msg)
    if table.std is not None and not _NAME.fullmatch(table.std.replace("+", "")):
        msg = f'std "{table.std}" is no standard of C; write for example "gnu89"'
        raise ConfigError(msg)


def _check_job(table: JobTable) -> None:
    if table.exit_code is not None and not 0 <= table.exit_code <= _MOST_EXIT_CODE:
        msg = f"exit_code {table.exit_code} is not between 0 and {_MOST_EXIT_CODE}; a process "
        msg += "has no other"
        raise ConfigError(msg)
    if table.check is not None and not -(1 << _INT_BITS) <= table.check < 1 << _INT_BITS:
        msg = f"check {table.check} does not fit into an int of C; write one that does"
        raise ConfigError(msg)
    _check_filter(table.output_filter)
    _check_regions(table)
    for word in (*(table.args or ()), table.stdin or "", *(table.inputs or ())):
        if "\0" in word:
            msg = "a word with a NUL in it; no program can be given one"
            raise ConfigError(msg)


def _check_filter(pattern: str | None) -> None:
    """Check what can be checked of a POSIX expression; regcomp has the last word."""
    if pattern is None:
        return
    if not pattern or len(pattern) > _MAX_FILTER or not pattern.isprintable():
        msg = f"output_filter is empty, longer than {_MAX_FILTER} letters or has control "
        msg += "characters; write an extended regular expression"
        raise ConfigError(msg)


def _check_regions(table: JobTable) -> None:
    for pair in table.roi or ():
        if len(pair) != _BRACKETS:
            msg = f'roi: {pair} is not a begin and an end; write roi = [["begin", "end"]]'
            raise ConfigError(msg)
    checks = [] if table.roi_check is None else [table.roi_check]
    for name in (*(one for pair in table.roi or () for one in pair), *checks):
        if not _FUNCTION.fullmatch(name):
            msg = f'roi: "{name[:_MAX_NAME]}" is no function of C; write its name'
            raise ConfigError(msg)


def _check_name(name: str, what: str, most: int) -> None:
    if not _NAME.fullmatch(name) or len(name) > most:
        msg = f'{what} "{name[:most]}" is not usable in paths; use letters, digits, . _ - '
        msg += f"(at most {most})"
        raise ConfigError(msg)


def _check_names(names: Sequence[str]) -> None:
    """Refuse two programs of one name: rows and files are called by it."""
    for name in names:
        if names.count(name) > 1:
            msg = f'program "{name}": stands there twice; give each variant a name of its own'
            raise ConfigError(msg)


_BUILD = (
    ("cflags", "list of texts", "options of the compiler; they add up"),
    ("std", "text", 'standard of C, as "gnu89"; without: the compiler\'s own, then gnu89'),
    ("include", "list of paths", "folders of headers that are looked at first; they add up"),
    ("force_include", "list of paths", "headers in front of every source; they add up"),
    ("libs", "list of texts", '"m" for -lm; they add up'),
)
_JOB = (
    *_BUILD,
    ("args", "list of texts", "words of the job: {in}/FILE, {suite}/FILE, {manifest}/FILE, {tmp}"),
    ("stdin", "path", "file that is each job's standard input, from its beginning"),
    ("inputs", "list of paths", "files that it opens by itself; copied into its working directory"),
    ("exit_code", "integer", "of a job that is right (main); without: 0"),
    ("check", "integer", "what a check function returns if the job was right"),
    ("output_filter", "text", "extended regular expression; matches are cut from compared output"),
    ("roi", "list of pairs", "functions that begin and end a region of interest, in its own calls"),
    ("roi_check", "text", "function that says within a job whether it is right, by returning 1"),
)
_PROGRAM = (
    ("name", "text", "of the program, in every list"),
    ("folder", "path", "its folder in the checkout; without: a program that is discovered"),
    ("sources", "list of paths", "its C files; without: all of the folder"),
)


def _members(table: str, keys: Sequence[tuple[str, str, str]]) -> tuple[Member, ...]:
    return tuple(Member(f"{table}.{name}", kind, "", meaning) for name, kind, meaning in keys)


MANIFEST_MEMBERS = (
    Member("schema", "integer", "", "1"),
    Member(
        "suite.folders",
        "list of paths",
        "",
        "where programs are discovered; without: in the whole checkout, []: nowhere",
    ),
    *_members("suite", _JOB),
    *_members("suite.sizes.NAME", _JOB),
    *_members("suite.target.MACHINE", _BUILD),
    *_members("program[]", (*_PROGRAM, *_JOB)),
    *_members("program[].sizes.NAME", _JOB),
    *_members("program[].target.MACHINE", _BUILD),
)
