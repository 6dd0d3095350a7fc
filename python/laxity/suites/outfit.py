# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a manifest says of one program at one size: words put in, files looked for.

Jobs run in a working directory of their own. What they read is copied there and named from there,
so that nothing that they do reaches the checkout, and no path of this machine reaches them: of all
processes that run a job, each sees the same words.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TypeVar

import msgspec

from laxity.errors import ConfigError, located, suggestion
from laxity.suites.manifest import (
    EMPTY_MANIFEST,
    BuildTable,
    JobTable,
    Manifest,
    ProgramScope,
    Scope,
)
from laxity.suites.program import Build, Given, Input, Program

# "{{" and "}}" stand for the braces themselves.
_WORD = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
_PLACES = ("in", "suite", "manifest")
_SCRATCH = "tmp"
_FORCED, _INCLUDE, _SOURCES = "force_include", "include", "sources"
Value = TypeVar("Value")
_BRACES = {"{{": "{", "}}": "}"}


@dataclass(frozen=True, slots=True)
class Outfit:
    """What one program at one size is made and fed with.

    Attributes:
        build: For the compiler and linker.
        includes: Folders of headers that come first.
        sources: C files that the manifest names; None: it names none.
        given: For the jobs.
        missing: What the compiler needs and is not there, as the manifest calls it.
        absent: The same of what the jobs need.
    """

    build: Build
    includes: tuple[Path, ...]
    sources: tuple[Path, ...] | None
    given: Given
    missing: tuple[str, ...]
    absent: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """A manifest, and where its words lead to.

    Attributes:
        root: The checkout, absolute.
        home: The folder of the manifest, absolute.
        manifest: As it was read.
        machine: What the compiler compiles for, as it says itself.
        sizes: That were asked for; empty: the first one of each program.
        label: What messages call the manifest.
    """

    root: Path
    home: Path
    manifest: Manifest = EMPTY_MANIFEST
    machine: str = ""
    sizes: tuple[str, ...] = ()
    label: str = ""

    def check_sizes(self) -> None:
        """Refuse a size that no program has.

        Raises:
            ConfigError: There is one.
        """
        scopes: list[Scope] = [self.manifest.suite, *self.manifest.programs]
        known = list(dict.fromkeys(name for one in scopes for name in one.sizes))
        for size in self.sizes:
            if size not in known:
                there = f"there are {', '.join(known)}" if known else "the manifest has none"
                msg = f'--sizes: no program has a size "{size}"; {suggestion(size, known, there)}'
                raise ConfigError(msg)

    def sizes_of(self, scope: ProgramScope | None) -> tuple[str | None, ...]:
        """Choose the sizes of a program: its own, else the suite's; (None,) if there are none."""
        names = tuple(scope.sizes) if scope is not None and scope.sizes else ()
        names = names or tuple(self.manifest.suite.sizes)
        if not names:
            return (None,)
        return tuple(one for one in self.sizes if one in names) if self.sizes else names[:1]

    def outfit(self, scope: ProgramScope | None, size: str | None, folder: Path) -> Outfit:
        """Say what a program is made and fed with.

        Args:
            scope: Its table; None: there is none.
            size: Of `sizes_of`.
            folder: The program's, absolute.

        Raises:
            ConfigError: A word that nobody knows, or a path that leads out of its place.
        """
        with located("[suite]" if scope is None else f'program "{scope.name}"'):
            return _Tailor(self, scope, size, folder).outfit()


def with_outfit(program: Program, name: str, size: str | None, outfit: Outfit) -> Program:
    """Return a program what its manifest says; where it has sizes, its name says which one."""
    includes = dict.fromkeys((*map(str, outfit.includes), *program.includes))
    return msgspec.structs.replace(
        program,
        name=named(name, size),
        size=size,
        includes=tuple(includes),
        build=outfit.build,
        given=outfit.given,
    )


def named(name: str, size: str | None) -> str:
    """Call a program of some size."""
    return name if size is None else f"{name}-{size}"


@dataclass(slots=True)
class _Tailor:
    """Makes one outfit."""

    context: Context
    scope: ProgramScope | None
    size: str | None
    folder: Path
    inputs: dict[str, Input] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)

    def outfit(self) -> Outfit:
        tables = list(self._job_tables())
        builds: list[BuildTable] = [*tables, *self._targets()]
        flags = [self._plain(text, "cflags") for one in builds for text in one.cflags]
        standards = [one.std for one in builds if one.std is not None]
        flags += [f"-std={standards[-1]}"] if standards else []
        forced = self._found((text for one in builds for text in one.force_include), _FORCED)
        includes = self._found((text for one in builds for text in one.include), _INCLUDE)
        libraries = dict.fromkeys(name for one in builds for name in one.libs)
        stated = self.scope.sources if self.scope is not None else None
        given = self._given(tables)
        return Outfit(
            build=Build(
                flags=(*flags, *(word for path in forced for word in ("-include", str(path)))),
                libraries=tuple(f"-l{name}" for name in libraries),
                forced=tuple(map(str, forced)),
            ),
            includes=tuple(includes),
            sources=None if stated is None else tuple(self._found(stated, _SOURCES)),
            given=given,
            missing=tuple(dict.fromkeys(self.missing)),
            absent=tuple(dict.fromkeys(self.absent)),
        )

    def _job_tables(self) -> Iterable[JobTable]:
        """From the general to the special."""
        for scope in (self.context.manifest.suite, self.scope):
            if scope is not None:
                yield scope.table
                if self.size in scope.sizes:
                    yield scope.sizes[self.size or ""]

    def _targets(self) -> Iterable[BuildTable]:
        machine = self.context.machine
        for scope in (self.context.manifest.suite, self.scope):
            if scope is not None:
                names = (machine.partition("-")[0], machine)
                yield from (scope.targets[name] for name in names if name in scope.targets)

    def _given(self, tables: Sequence[JobTable]) -> Given:
        args = _last(one.args for one in tables) or []
        words = tuple(self._job_word(text) for text in args)
        for text in _last(one.inputs for one in tables) or []:
            self._take(text, self.located(text, "inputs"), _beyond_place(text))
        stdin = _last(one.stdin for one in tables)
        source = None
        if stdin is not None:
            source = self.located(stdin, "stdin")
            if not source.is_file():
                self.absent.append(self._called(source))
        return Given(
            words=words,
            stdin=None if source is None else str(source),
            inputs=tuple(self.inputs.values()),
            exit_code=_last(one.exit_code for one in tables) or 0,
            check=_last(one.check for one in tables),
            output_filter=_last(one.output_filter for one in tables) or "",
            roi=tuple((begin, end) for begin, end in _last(one.roi for one in tables) or ()),
            roi_check=_last(one.roi_check for one in tables) or "",
        )

    def _job_word(self, text: str) -> str:
        """Put in what a job's word names; the files that it names go where the job sees them."""
        seen = {place: place for place in _PLACES}
        word = _put_in(text, {**self._names(), **seen, _SCRATCH: "."}, "args")
        for match in _WORD.finditer(text):
            if match[1] in _PLACES:
                path = self.located(text[match.start() :], "args")
                rest = _put_in(text[match.end() :], self._names(), "args").lstrip("/")
                self._take(text, path, str(PurePosixPath(match[1], rest)))
        return word

    def _take(self, text: str, path: Path, name: str) -> None:
        name = _put_in(name, self._names(), "inputs")
        if ".." in PurePosixPath(name).parts or PurePosixPath(name).is_absolute():
            msg = f'"{text}" leads out of its place; begin it with {{suite}}/'
            raise ConfigError(msg)
        if not path.exists():
            self.absent.append(self._called(path))
        self.inputs[name] = Input(path=str(path), name=name)

    def _found(self, texts: Iterable[str], key: str) -> list[Path]:
        """Locate what the compiler needs, each once."""
        found: dict[Path, None] = {}
        for text in texts:
            path = self.located(text, key)
            if not (path.is_dir() if key == _INCLUDE else path.is_file()):
                self.missing.append(self._called(path))
            found[path] = None
        return list(found)

    def located(self, text: str, key: str) -> Path:
        """Say where a path of the manifest is: from the program's folder, or the place it names."""
        return Path(self.folder, self._plain(text, key))

    def _plain(self, text: str, key: str) -> str:
        places = {
            "in": str(self.folder),
            "suite": str(self.context.root),
            "manifest": str(self.context.home),
        }
        return _put_in(text, {**self._names(), **places}, key)

    def _names(self) -> dict[str, str]:
        sizes = {} if self.size is None else {"size": self.size}
        return {"folder": self.folder.name, **sizes}

    def _called(self, path: Path) -> str:
        """Name a path as briefly as it stays clear."""
        for place in (self.context.root, self.context.home):
            if path.is_relative_to(place):
                return str(path.relative_to(place))
        return str(path)


def _last(values: Iterable[Value | None]) -> Value | None:
    """Choose what the most special table says."""
    stated = [one for one in values if one is not None]
    return stated[-1] if stated else None


def _beyond_place(text: str) -> str:
    """Leave the place at the beginning of a path out."""
    match = _WORD.match(text)
    return text[match.end() :].lstrip("/") if match and match[1] in _PLACES else text


def _put_in(text: str, words: Mapping[str, str], key: str) -> str:
    """Put in what the words in braces stand for.

    Raises:
        ConfigError: Nobody knows one of them.
    """

    def put(match: "re.Match[str]") -> str:
        if match[1] is None:
            return _BRACES[match[0]]
        if match[1] not in words:
            known = " ".join(f"{{{one}}}" for one in words)
            reason = "it has no sizes" if match[1] == "size" else f"use one of {known}"
            msg = f'{key}: "{match[0]}" stands for nothing here; {reason}'
            raise ConfigError(msg)
        return words[match[1]]

    return _WORD.sub(put, text)
