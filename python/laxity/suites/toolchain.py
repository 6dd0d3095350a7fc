# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The user's own compiler: objects, their symbols, and shared objects that laxity-vet can load."""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from laxity.errors import PlatformError

# What native/guests answers in place of the C library, so that a job can be ended and cleaned up.
WRAPPED = [
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "posix_memalign",
    "aligned_alloc",
    "strdup",
    "strndup",
    "free",
    "fopen",
    "fdopen",
    "tmpfile",
    "fclose",
    "exit",
    "_exit",
    "abort",
    "atexit",
    "time",
    "clock",
    "times",
    "gettimeofday",
    "clock_gettime",
]
# A suite is compiled as it is: its warnings are its authors' business.
_COMPILE = ("-O2", "-w")
# Thread-local variables lie where the loader can tell them; relocations are done before the job.
_SHARED = ("-fPIC", "-ftls-model=initial-exec")
_LINK_SHARED = ("-shared", "-Wl,-Bsymbolic", "-Wl,-z,relro", "-Wl,-z,now")
# Programs that use no mathematics or threads lose nothing by these.
_LIBRARIES = ("-lm", "-lpthread")
# A generated file of some MB takes seconds; what takes longer does not end.
_PATIENCE_S = 300
# As gcc and as clang say it.
_MISSING_HEADER = re.compile(
    r"fatal error: (?:(\S+): No such file or directory|'([^']+)' file not found)"
)
_UNDEFINED = re.compile(r"undefined reference to [`']([^']+)'")
_DEFINED_TWICE = re.compile(r"multiple definition of [`']([^']+)'")


class Layout(StrEnum):
    """How objects are made: what differs is where code and data lie, never what they mean."""

    GUEST = "guest"  # a shared object
    # Data in the order of the source, objects in the opposite order.
    OTHER = "other"
    OWN = "own"  # the program's own executable


_LAYOUT_FLAGS = {
    Layout.GUEST: _SHARED,
    Layout.OTHER: (*_SHARED, "-fno-toplevel-reorder"),
    Layout.OWN: (),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What compiler or linker answered; `text` is empty if all is well."""

    text: str

    @property
    def is_done(self) -> bool:
        """Tell whether it did what it was asked."""
        return not self.text

    @property
    def missing_header(self) -> str | None:
        """Name the header that was not found, if that is what is wrong."""
        match = _MISSING_HEADER.search(self.text)
        return match[1] or match[2] if match else None

    @property
    def undefined(self) -> tuple[str, ...]:
        """Name what nothing defines."""
        return tuple(dict.fromkeys(_UNDEFINED.findall(self.text)))

    @property
    def defined_twice(self) -> tuple[str, ...]:
        """Name what several objects define."""
        return tuple(dict.fromkeys(_DEFINED_TWICE.findall(self.text)))

    @property
    def first_error(self) -> str:
        """The first line that says what is wrong."""
        lines = [line for line in self.text.splitlines() if "error" in line or "undefined" in line]
        return (lines or self.text.splitlines() or ["no reason"])[0].strip()


@dataclass(frozen=True, slots=True)
class Symbols:
    """What an object defines for others, and what it wants of them."""

    defined: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    undefined: frozenset[str] = field(default=frozenset())


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A C compiler, with flags if the user gives some, and its nm."""

    cc: tuple[str, ...] = ("cc",)
    nm: str = "nm"

    def require(self) -> None:
        """Check that both are there.

        Raises:
            PlatformError: One is missing.
        """
        for tool in (self.cc[0], self.nm):
            if shutil.which(tool) is None:
                msg = f"{tool}: not found; install a C compiler (gcc, binutils)"
                raise PlatformError(msg)

    def compile(
        self, source: Path, to: Path, includes: Sequence[Path], layout: Layout = Layout.GUEST
    ) -> Outcome:
        """Compile one file; older C is tried where today's is refused.

        Args:
            source: The file.
            to: The object.
            includes: Directories of headers beside the file's own.
            layout: What the object is for.
        """
        words = [*self.cc, *_COMPILE, *_LAYOUT_FLAGS[layout]]
        words += [f"-I{directory}" for directory in includes]
        words += ["-c", str(source), "-o", str(to)]
        outcome = answer(words)
        if outcome.is_done or outcome.missing_header:
            return outcome
        return outcome if not answer([*words, "-std=gnu89"]).is_done else Outcome("")

    def link_guest(self, objects: Sequence[Path], to: Path) -> Outcome:
        """Link a shared object whose calls of `WRAPPED` reach laxity-vet."""
        wraps = [f"-Wl,--wrap={name}" for name in WRAPPED]
        return self._link([*_LINK_SHARED, *wraps], objects, to)

    def link_check(self, objects: Sequence[Path], to: Path) -> Outcome:
        """Link with every symbol demanded, so that what nothing defines is told."""
        return self._link([*_LINK_SHARED, "-Wl,-z,defs"], objects, to)

    def link_own(self, objects: Sequence[Path], to: Path) -> Outcome:
        """Link the program as its authors did."""
        return self._link([], objects, to)

    def _link(self, flags: Sequence[str], objects: Sequence[Path], to: Path) -> Outcome:
        return answer([*self.cc, *flags, *map(str, objects), "-o", str(to), *_LIBRARIES])

    def symbols(self, compiled: Path) -> Symbols:
        """List the symbols of an object that other objects see."""
        done = subprocess.run(
            [self.nm, "-P", "-g", compiled],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE_S,
            check=False,
        )
        rows = [line.split() for line in done.stdout.splitlines()]
        pairs = [(row[0], row[1]) for row in rows if len(row) > 1]
        return Symbols(
            defined=frozenset(name for name, kind in pairs if kind not in "Uwv"),
            functions=frozenset(name for name, kind in pairs if kind in "TW"),
            undefined=frozenset(name for name, kind in pairs if kind == "U"),
        )


def answer(words: Sequence[str], directory: Path | None = None) -> Outcome:
    """Ask a compiler or linker; it is started in `directory`, None: in ours."""
    # Its words are read: they must be English.
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE_S,
            check=False,
            stdin=subprocess.DEVNULL,
            env=environment,
            cwd=directory,
        )
    except subprocess.TimeoutExpired:
        return Outcome(f"error: {words[0]} did not end within {_PATIENCE_S} s")
    if done.returncode == 0:
        return Outcome("")
    return Outcome(done.stderr.strip() or f"error: {words[0]} ended with code {done.returncode}")
