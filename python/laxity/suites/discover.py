# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Find the programs of a checkout by compiling as its folders suggest and looking at symbols.

A folder with C files is one program of all of them, unless several define main: then each of those
is one, with the other files of the folder. Headers and functions that a folder lacks are looked for
in the rest of the checkout. Nothing is written into it.
"""

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import msgspec

from laxity.errors import ConfigError
from laxity.suites.program import Discovery, Program, Unplaced, convention_of
from laxity.suites.toolchain import Outcome, Symbols, Toolchain

# Headers are looked for one after the other, as the compiler names them.
_MOST_INCLUDES = 16
# Rounds in which functions of other folders are added; each may want further ones.
_MOST_ROUNDS = 8
_NAMES_TOLD = 4
_INCLUDED_SOURCE = re.compile(r'^\s*#\s*include\s+"([^"]+\.c)"', re.MULTILINE)

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class _Compiled:
    """One source and what became of it."""

    source: Path
    object: Path
    includes: tuple[Path, ...]
    outcome: Outcome
    symbols: Symbols


@dataclass(slots=True)
class _Checkout:
    """The files of a checkout, and what was compiled of them."""

    root: Path
    build: Path
    toolchain: Toolchain
    folders: dict[Path, list[Path]] = field(default_factory=dict)
    headers: dict[str, list[Path]] = field(default_factory=lambda: defaultdict(list))
    definers: dict[str, list[_Compiled]] = field(default_factory=lambda: defaultdict(list))


def discover(root: Path, build: Path, toolchain: Toolchain) -> Discovery:
    """Find the programs below a directory.

    Args:
        root: The checkout.
        build: Empty directory for objects.
        toolchain: Compiles them.

    Raises:
        ConfigError: There is no such directory, or no C file in it.
        PlatformError: No compiler.
    """
    toolchain.require()
    if not root.is_dir():
        msg = f"{root}: no such directory; name the checkout of a suite"
        raise ConfigError(msg)
    checkout = _read_tree(root.resolve(), build, toolchain)
    if not checkout.folders:
        msg = f"{root}: holds no C file; name the checkout of a suite"
        raise ConfigError(msg)
    compiled = _compile_all(checkout)
    programs: list[Program] = []
    unplaced: list[Unplaced] = []
    for folder, units in sorted(compiled.items()):
        found = _programs_of(checkout, folder, units)
        programs += [one for one in found if isinstance(one, Program)]
        unplaced += [one for one in found if isinstance(one, Unplaced)]
    return Discovery(programs=_with_own_names(programs), unplaced=_without_used(unplaced, programs))


def parallel(function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """Call a function for each item, as many at once as this process may use CPUs."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(function, items))


def _read_tree(root: Path, build: Path, toolchain: Toolchain) -> _Checkout:
    checkout = _Checkout(root, build, toolchain)
    for directory, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        here = Path(directory)
        sources = sorted(here / name for name in files if name.endswith(".c"))
        if sources:
            checkout.folders[here] = _without_included(sources)
        for name in files:
            if name.endswith(".h"):
                checkout.headers[name].append(here / name)
    return checkout


def _without_included(sources: list[Path]) -> list[Path]:
    """Leave out what another file of the folder includes: it would be there twice."""
    included: set[str] = set()
    for source in sources:
        text = source.read_text(encoding="utf-8", errors="replace")
        included |= set(_INCLUDED_SOURCE.findall(text))
    return [source for source in sources if source.name not in included]


def _compile_all(checkout: _Checkout) -> dict[Path, list[_Compiled]]:
    sources = [(folder, one) for folder, all_ in checkout.folders.items() for one in all_]

    def compile_one(item: tuple[int, tuple[Path, Path]]) -> _Compiled:
        number, (folder, source) = item
        return _compile(checkout, folder, source, checkout.build / f"{number}.o")

    compiled: dict[Path, list[_Compiled]] = {folder: [] for folder in checkout.folders}
    for unit in parallel(compile_one, enumerate(sources)):
        compiled[unit.source.parent].append(unit)
        for name in unit.symbols.defined:
            checkout.definers[name].append(unit)
    return compiled


def _compile(checkout: _Checkout, folder: Path, source: Path, to: Path) -> _Compiled:
    includes: list[Path] = []
    outcome = checkout.toolchain.compile(source, to, includes)
    while outcome.missing_header and len(includes) < _MOST_INCLUDES:
        directory = _header_directory(checkout, folder, outcome.missing_header)
        if directory is None or directory in includes:
            break
        includes.append(directory)
        outcome = checkout.toolchain.compile(source, to, includes)
    symbols = checkout.toolchain.symbols(to) if outcome.is_done else Symbols()
    return _Compiled(source, to, tuple(includes), outcome, symbols)


def _header_directory(checkout: _Checkout, folder: Path, header: str) -> Path | None:
    """Find the directory from which an #include would be found; the nearest one to the folder."""
    wanted = Path(header)
    found = [
        path.parents[len(wanted.parts) - 1]
        for path in checkout.headers.get(wanted.name, [])
        if path.parts[-len(wanted.parts) :] == wanted.parts
    ]
    return max(found, key=lambda path: (_nearness(path, folder), -len(path.parts)), default=None)


def _nearness(one: Path, other: Path) -> int:
    return len(Path(os.path.commonpath([one, other])).parts)


def _programs_of(
    checkout: _Checkout, folder: Path, units: Sequence[_Compiled]
) -> list[Program | Unplaced]:
    where = _relative(checkout, folder)
    refused = [unit for unit in units if not unit.outcome.is_done]
    if refused:
        return [Unplaced(path=where, reason=_why_refused(checkout, refused))]
    mains = [unit for unit in units if "main" in unit.symbols.functions]
    if len(mains) <= 1:
        return [_place(checkout, folder, folder.name, units)]
    shared = [unit for unit in units if unit not in mains]
    return [_place(checkout, folder, one.source.stem, [one, *shared]) for one in mains]


def _why_refused(checkout: _Checkout, refused: Sequence[_Compiled]) -> str:
    unit = refused[0]
    header = unit.outcome.missing_header
    why = f"{header} is nowhere in the checkout" if header else unit.outcome.first_error
    why = why.replace(f"{checkout.root}/", "")
    others = f" (and {len(refused) - 1} files more)" if len(refused) > 1 else ""
    return f"{unit.source.name} does not compile{others}: {why}"


def _place(
    checkout: _Checkout, folder: Path, name: str, units: Sequence[_Compiled]
) -> Program | Unplaced:
    """Make a program of some objects, if they are one."""
    functions = frozenset[str]().union(*(unit.symbols.functions for unit in units))
    convention = convention_of(functions, name)
    where = _relative(checkout, folder)
    if isinstance(convention, str):
        return Unplaced(path=where, reason=convention)
    linked = _link(checkout, folder, list(units))
    if isinstance(linked, str):
        one_of_many = name if name != folder.name else ""
        path = f"{where}/{one_of_many}".rstrip("/")
        return Unplaced(path=path, reason=f"does not link: {linked}")
    includes = dict.fromkeys(path for unit in linked for path in unit.includes)
    return Program(
        name=name,
        directory=where,
        convention=convention[0],
        prefix=convention[1],
        sources=tuple(_relative(checkout, unit.source) for unit in linked),
        includes=tuple(_relative(checkout, path) for path in includes),
        has_main="main" in functions,
    )


def _link(checkout: _Checkout, folder: Path, units: list[_Compiled]) -> list[_Compiled] | str:
    """Link; functions that are missing come from other folders. In words: why it cannot be."""
    to = checkout.build / "check.so"
    for _ in range(_MOST_ROUNDS):
        outcome = checkout.toolchain.link_check([unit.object for unit in units], to)
        if outcome.is_done:
            return units
        if not outcome.undefined:
            twice = outcome.defined_twice
            return f"{_named(twice)}: defined twice" if twice else outcome.first_error
        added = [_definer(checkout, folder, name) for name in outcome.undefined]
        new = [unit for unit in dict.fromkeys(added) if unit is not None and unit not in units]
        if not new:
            return f"{_named(outcome.undefined)}: defined nowhere"
        units = [*units, *new]
    return "its functions are spread over too many folders"


def _definer(checkout: _Checkout, folder: Path, name: str) -> _Compiled | None:
    """Find who defines a function: of several the nearest, and no other program's main file."""
    found = [unit for unit in checkout.definers[name] if "main" not in unit.symbols.functions]
    return max(found, key=lambda unit: _nearness(unit.source, folder), default=None)


def _named(names: Sequence[str]) -> str:
    more = len(names) - _NAMES_TOLD
    told = ", ".join(names[:_NAMES_TOLD])
    return f"{told} and {more} more" if more > 0 else told


def _relative(checkout: _Checkout, path: Path) -> str:
    return str(path.relative_to(checkout.root))


def _with_own_names(programs: Sequence[Program]) -> tuple[Program, ...]:
    """Call programs of one name by their paths: a name must say which one is meant."""
    names = [one.name for one in programs]
    return tuple(
        one
        if names.count(one.name) == 1
        else msgspec.structs.replace(one, name=f"{one.directory}/{one.name}".replace("/", "-"))
        for one in programs
    )


def _without_used(
    unplaced: Sequence[Unplaced], programs: Sequence[Program]
) -> tuple[Unplaced, ...]:
    """Leave out folders that are a part of programs: they have their place."""
    used = {str(Path(source).parent) for one in programs for source in one.sources}
    return tuple(one for one in unplaced if one.path not in used)
