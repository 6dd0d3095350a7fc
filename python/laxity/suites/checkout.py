# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The files of a checkout, compiled and linked until they are programs.

Headers and functions that a folder lacks are looked for in the rest of the checkout.
"""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from laxity.core.executor import parallel
from laxity.suites.ports import DEFINED, HEADERS, is_harness, port_kit
from laxity.suites.program import (
    SOURCE_SUFFIXES,
    Program,
    Unplaced,
    convention_of,
    cxx_libraries,
)
from laxity.suites.toolchain import Outcome, Symbols, Toolchain

# Headers are looked for one after the other, as the compiler names them.
_MOST_INCLUDES = 16
# Rounds in which functions of other folders are added; each may want further ones.
_MOST_ROUNDS = 8
_NAMES_TOLD = 4
_INCLUDED_SOURCE = re.compile(
    r'^\s*#\s*include\s+"([^"]+\.(?:c|cc|cpp|cxx|c\+\+|C|cp))"', re.MULTILINE
)
# What may define the entry of a program, in `mains`.
_ENTRY = re.compile(r"\bmain\b|\bbenchmark_execution\b")
_WORDS = re.compile(r"[A-Za-z_]\w*")
_HEADER_SUFFIXES = frozenset(
    {".h", ".hh", ".hpp", ".hxx", ".h++", ".H", ".inl", ".ipp", ".tcc", ".tpp"}
)


@dataclass(frozen=True, slots=True)
class Work:
    """One source to compile, for a folder, with flags and headers beyond the usual ones."""

    folder: Path
    source: Path
    flags: tuple[str, ...] = ()
    includes: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Compiled:
    """One source and what became of it; `includes`: those that were found to be needed."""

    source: Path
    object: Path
    includes: tuple[Path, ...]
    outcome: Outcome
    symbols: Symbols


@dataclass(slots=True)
class Checkout:
    """The files of a checkout, and what was compiled of them.

    `harnesses`: folders of RT-Bench's own sources, which are no part of any program here.
    `pending`: what was not asked for, and is compiled only if a program lacks a function that it
    may define.
    """

    root: Path
    build: Path
    toolchain: Toolchain
    folders: dict[Path, list[Path]] = field(default_factory=dict)
    headers: dict[str, list[Path]] = field(default_factory=lambda: defaultdict(list))
    definers: dict[str, list[Compiled]] = field(default_factory=lambda: defaultdict(list))
    numbers: Iterator[int] = field(default_factory=count)
    harnesses: list[Path] = field(default_factory=list)
    pending: list[Work] = field(default_factory=list)


def read_tree(root: Path, build: Path, toolchain: Toolchain) -> Checkout:
    """List the files of C and C++ and headers below a directory."""
    checkout = Checkout(root, build, toolchain)
    for directory, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        here = Path(directory)
        sources = sorted(here / name for name in files if Path(name).suffix in SOURCE_SUFFIXES)
        if sources and is_harness(here):
            checkout.harnesses.append(here)
        elif sources:
            checkout.folders[here] = _without_included(sources)
        for name in files:
            if Path(name).suffix in _HEADER_SUFFIXES:
                checkout.headers[name].append(here / name)
    return checkout


def _without_included(sources: list[Path]) -> list[Path]:
    """Leave out what another file of the folder includes: it would be there twice."""
    included: set[str] = set()
    for source in sources:
        included |= set(_INCLUDED_SOURCE.findall(_text(source)))
    return [source for source in sources if source.name not in included]


def compile_all(checkout: Checkout, works: Iterable[Work]) -> dict[Work, Compiled]:
    """Compile sources, each once, several at a time."""
    pending = list(dict.fromkeys(works))
    numbered = [(one, checkout.build / f"{next(checkout.numbers)}.o") for one in pending]
    compiled = parallel(lambda item: _compile(checkout, *item), numbered)
    for unit in compiled:
        for name in unit.symbols.defined:
            checkout.definers[name].append(unit)
    return dict(zip(pending, compiled, strict=True))


def _compile(checkout: Checkout, work: Work, to: Path) -> Compiled:
    found: list[Path] = []
    toolchain = checkout.toolchain

    def attempt() -> Outcome:
        return toolchain.compile(work.source, to, [*work.includes, *found], flags=work.flags)

    outcome = attempt()
    while outcome.missing_header and len(found) < _MOST_INCLUDES:
        directory = _header_directory(checkout, work.folder, outcome.missing_header)
        if directory is None or directory in found:
            break
        found.append(directory)
        outcome = attempt()
    symbols = toolchain.symbols(to) if outcome.is_done else Symbols()
    return Compiled(work.source, to, tuple(found), outcome, symbols)


def _header_directory(checkout: Checkout, folder: Path, header: str) -> Path | None:
    """Find the directory from which an #include would be found; the nearest one to the folder."""
    wanted = Path(header)
    found = [
        path.parents[len(wanted.parts) - 1]
        for path in checkout.headers.get(wanted.name, [])
        if path.parts[-len(wanted.parts) :] == wanted.parts
    ]
    kit = port_kit() if header in HEADERS else None
    if kit:
        found = [path for path in found if not is_harness(path)]
    nearest = max(found, key=lambda path: (_nearness(path, folder), -len(path.parts)), default=None)
    return kit.headers if kit and nearest is None else nearest


def _nearness(one: Path, other: Path) -> int:
    return len(Path(os.path.commonpath([one, other])).parts)


def why_refused(checkout: Checkout, units: Sequence[Compiled]) -> str:
    """Say why sources do not compile; "": they do."""
    refused = [unit for unit in units if not unit.outcome.is_done]
    if not refused:
        return ""
    unit = refused[0]
    header = unit.outcome.missing_header
    why = f"{header} is nowhere in the checkout" if header else unit.outcome.first_error
    why = why.replace(f"{checkout.root}/", "")
    others = f" (and {len(refused) - 1} files more)" if len(refused) > 1 else ""
    return f"{unit.source.name} does not compile{others}: {why}"


def mains(units: Sequence[Compiled]) -> list[Compiled]:
    """Choose those that are a program each: they define main, or if none does, RT-Bench's hooks."""
    for entry in ("main", "benchmark_execution"):
        found = [unit for unit in units if entry in unit.symbols.functions]
        if found:
            return found
    return []


def place(
    checkout: Checkout,
    folder: Path,
    name: str,
    units: Sequence[Compiled],
    libraries: Sequence[str] = (),
) -> Program | Unplaced:
    """Make a program of some objects, if they are one.

    Args:
        checkout: They are of.
        folder: The program's.
        name: Its name, if it becomes one.
        units: That it surely consists of.
        libraries: It is linked with.
    """
    functions = frozenset[str]().union(*(unit.symbols.functions for unit in units))
    convention = convention_of(functions, name)
    where = relative(checkout, folder)
    if isinstance(convention, str):
        return Unplaced(path=where, reason=convention)
    linked = _link(checkout, folder, list(units), libraries)
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
        sources=tuple(relative(checkout, unit.source) for unit in linked),
        includes=tuple(relative(checkout, path) for path in includes),
        has_main="main" in functions,
    )


def _link(
    checkout: Checkout, folder: Path, units: list[Compiled], libraries: Sequence[str]
) -> list[Compiled] | str:
    """Link; functions that are missing come from other folders. In words: why it cannot be."""
    to = checkout.build / "check.so"
    for _ in range(_MOST_ROUNDS):
        needed = (*libraries, *cxx_libraries(unit.source for unit in units))
        outcome = checkout.toolchain.link_check([unit.object for unit in units], to, needed)
        if outcome.is_done:
            return units
        if not outcome.undefined:
            twice = outcome.defined_twice
            named = _named(checkout.toolchain.readable(twice))
            return f"{named}: defined twice" if twice else outcome.first_error
        _compile_pending(checkout, outcome.undefined)
        added = [_definer(checkout, folder, name) for name in outcome.undefined]
        new = [unit for unit in dict.fromkeys(added) if unit is not None and unit not in units]
        if not new:
            return f"{_named(checkout.toolchain.readable(outcome.undefined))}: defined nowhere"
        units = [*units, *new]
    return "its functions are spread over too many folders"


def _compile_pending(checkout: Checkout, names: Sequence[str]) -> None:
    """Compile what was not asked for and has one of some names in its text.

    Also where somebody defines the name already: another one may be nearer.
    """
    if not names or not checkout.pending:
        return
    # Of a C++ function the text has the parts of what the linker asks for.
    parts = {one for name in checkout.toolchain.readable(names) for one in _WORDS.findall(name)}
    wanted = re.compile(rf"\b(?:{'|'.join(sorted(parts))})\b")
    works = [one for one in checkout.pending if wanted.search(_text(one.source))]
    checkout.pending = [one for one in checkout.pending if one not in works]
    compile_all(checkout, works)


def possible_names(checkout: Checkout, folder: Path) -> set[str]:
    """List what the programs of a folder may be called, by the text of its sources alone."""
    sources = checkout.folders[folder]
    entries = [one.stem for one in sources if _ENTRY.search(_text(one))]
    return {folder.name, *(entries if len(entries) > 1 else ())}


def _text(source: Path) -> str:
    return source.read_text(encoding="utf-8", errors="replace")


def _definer(checkout: Checkout, folder: Path, name: str) -> Compiled | None:
    """Find who defines a function: of several the nearest, and no other program's main file."""
    found = [unit for unit in checkout.definers[name] if not mains([unit])]
    kit = port_kit() if not found and name in DEFINED else None
    if kit:
        (unit,) = compile_all(checkout, [Work(folder, kit.source, (), (kit.headers,))]).values()
        return unit
    return max(found, key=lambda unit: _nearness(unit.source, folder), default=None)


def _named(names: Sequence[str]) -> str:
    more = len(names) - _NAMES_TOLD
    told = ", ".join(names[:_NAMES_TOLD])
    return f"{told} and {more} more" if more > 0 else told


def relative(checkout: Checkout, path: Path) -> str:
    """Call a path of the checkout as seen from its root; others as they are."""
    return str(path.relative_to(checkout.root) if path.is_relative_to(checkout.root) else path)
