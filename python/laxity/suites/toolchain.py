# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The user's own compiler: objects, their symbols, and guests that laxity-vet can run."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path

from laxity.errors import PlatformError
from laxity.platform.loaded import Done, Run, start
from laxity.suites.program import has_cxx
from laxity.suites.static_link import StaticLink, Tools, link_static
from laxity.suites.target import (
    Link,
    Target,
    Wanted,
    find_simulated_target,
    find_target,
    machine_of,
)

# What native/guests answers in place of the C library, so that a job can be ended and cleaned up.
WRAPPED = [
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "posix_memalign",
    "aligned_alloc",
    "memalign",
    "strdup",
    "strndup",
    "free",
    "fopen",
    "fopen64",
    "freopen",
    "freopen64",
    "fdopen",
    "tmpfile",
    "tmpfile64",
    "fclose",
    "open",
    "open64",
    "openat",
    "openat64",
    "creat",
    "creat64",
    "__open_2",
    "__open64_2",
    "rename",
    "remove",
    "unlink",
    "mkdir",
    "exit",
    "_exit",
    "abort",
    "atexit",
    "signal",
    "__sysv_signal",
    "sigaction",
    "rand",
    "random",
    "srand",
    "srandom",
    "drand48",
    "lrand48",
    "mrand48",
    "srand48",
    "time",
    "clock",
    "times",
    "gettimeofday",
    "clock_gettime",
    # Of 32-bit machines with times of 64 bits.
    "__time64",
    "__gettimeofday64",
    "__clock_gettime64",
]
# A suite is compiled as it is: its warnings are its authors' business.
_COMPILE = ("-O2", "-w")
# Thread-local variables lie where the loader can tell them; relocations are done before the job.
_SHARED = ("-fPIC", "-ftls-model=initial-exec")
# No loader moves it: as programs for boards are linked. Common blocks would have no place yet.
_STATIC = ("-fno-pic", "-fno-pie", "-fno-common")
_LINK_SHARED = ("-shared", "-Wl,-Bsymbolic", "-Wl,-z,relro", "-Wl,-z,now")
# A finding is told, and the program goes on: there may be more.
_SANITIZERS = ("-fsanitize=address,undefined", "-fsanitize-recover=address,undefined")
# Programs that use no mathematics or threads lose nothing by these.
_LIBRARIES = ("-lm", "-lpthread")
# A generated file of some MB takes seconds; what takes longer does not end.
_PATIENCE_S = 300
# What triplets of x86 begin with.
_X86 = ("x86_64", "i386", "i486", "i586", "i686")
# As gcc and as clang say it.
_MISSING_HEADER = re.compile(
    r"fatal error: (?:(\S+): No such file or directory|'([^']+)' file not found)"
)
_UNDEFINED = re.compile(r"undefined reference to [`']([^']+)'")
# "cc", "/usr/bin/gcc-12", "arm-linux-gnueabihf-gcc", "clang-19".
_C_COMPILER = re.compile(r"((?:.*[/-])?)(gcc|clang|cc)(-[\d.]+)?")
_CXX_NAMES = {"gcc": "g++", "clang": "clang++", "cc": "c++"}
_DEFINED_TWICE = re.compile(r"multiple definition of [`']([^']+)'")


class Harness(StrEnum):
    """What a guest is linked with statically: the part of ours that holds main."""

    VET = "vet-linked"
    RUN = "run-linked"


class Layout(StrEnum):
    """How objects are made: what differs is where code and data lie, never what they mean."""

    CHECK = "check"  # to be linked as a shared object, whatever the guest becomes
    GUEST = "guest"  # as the target's link wants it
    # Data in the order of the source, in a static link far apart; objects in the opposite order.
    OTHER = "other"
    # Each basic block calls native/guests/work.c.
    COUNTED = "counted"
    OWN = "own"  # the program's own executable
    SANITIZED = "sanitized"  # the same, which tells its own memory errors
    DEBUGGED = "debugged"  # the same for valgrind, which tells lines


# clang, which keeps that order always, has no flag for it.
_SOURCE_ORDER = "-fno-toplevel-reorder"
_LAYOUT_FLAGS = {
    Layout.CHECK: _SHARED,
    Layout.GUEST: (),
    Layout.OTHER: (_SOURCE_ORDER, "-fdata-sections"),
    Layout.COUNTED: ("-fsanitize-coverage=trace-pc",),
    Layout.OWN: (),
    Layout.SANITIZED: ("-O1", "-g", "-fno-omit-frame-pointer", *_SANITIZERS),
    Layout.DEBUGGED: ("-O1", "-g"),
}
_LINK_FLAGS = {Link.DYNAMIC: _SHARED, Link.STATIC: _STATIC}


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
    weak: frozenset[str] = frozenset()  # of those that are defined
    weak_undefined: frozenset[str] = frozenset()  # used where they are defined


@dataclass(frozen=True, slots=True)
class Extra:
    """What the link of one guest needs besides its objects.

    Attributes:
        libraries: Its own.
        wrapped: Functions whose wrappers are among the objects; only of a shared object.
    """

    libraries: Sequence[str] = ()
    wrapped: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A C compiler, with flags if the user gives some, its nm, and what they make guests for.

    C++ is compiled by the compiler of C++ that belongs to it.
    """

    cc: tuple[str, ...] = ("cc",)
    nm: str = "nm"
    target: Target = field(default_factory=Target)

    def require(self) -> None:
        """Check that both are there.

        Raises:
            PlatformError: One is missing.
        """
        for tool in (self.cc[0], self.nm):
            if shutil.which(tool) is None:
                msg = f"{tool}: not found; install a C compiler (gcc, binutils)"
                raise PlatformError(msg)

    @property
    def cxx(self) -> tuple[str, ...]:
        """The C++ compiler of the same make, with the same flags but a standard of C."""
        words = _with_standard(self.cc, is_cxx=True)
        place = next((i for i, one in enumerate(words) if _C_COMPILER.fullmatch(one)), None)
        if place is None:
            return ("c++", *words[1:])
        return (*words[:place], _C_COMPILER.sub(_cxx_name, words[place]), *words[place + 1 :])

    def require_cxx(self) -> None:
        """Check that C++ can be compiled.

        Raises:
            PlatformError: No compiler.
        """
        if missing := self._cxx_missing():
            raise PlatformError(missing)

    def _cxx_missing(self) -> str:
        tool = self.cxx[0]
        if shutil.which(tool) is not None:
            return ""
        return f"{tool}: not found; install a C++ compiler (./laxity setup --with cxx)"

    def readable(self, names: Sequence[str]) -> tuple[str, ...]:
        """Write names of C++ as their authors did, where somebody can."""
        if not any(one.startswith("_Z") for one in names) or shutil.which("c++filt") is None:
            return tuple(names)
        return tuple(_listing(["c++filt", *names]).splitlines()) or tuple(names)

    def run(self, words: Sequence[str], directory: Path | None, patience_s: float) -> Done:
        """Run one of its programs as `laxity.platform.loaded.start` does."""
        return start(words, directory, patience_s)

    def machine(self) -> str:
        """What it compiles for, as it says itself: "x86_64-linux-gnu"; "" where it does not say."""
        done = subprocess.run(
            [*self.cc, "-dumpmachine"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        return done.stdout.strip() if done.returncode == 0 else ""

    def compile(
        self,
        source: Path,
        to: Path,
        includes: Sequence[Path],
        layout: Layout = Layout.CHECK,
        flags: Sequence[str] = (),
    ) -> Outcome:
        """Compile one file; older C is tried where today's is refused and nobody chose one.

        Args:
            source: The file.
            to: The object.
            includes: Directories of headers beside the file's own.
            layout: What the object is for.
            flags: Further ones, of this program.
        """
        is_guest = layout in {Layout.GUEST, Layout.OTHER, Layout.COUNTED}
        linking = _LINK_FLAGS[self.target.link] if is_guest else ()
        laid_out = list(_LAYOUT_FLAGS[layout])
        if _SOURCE_ORDER in laid_out and not _takes(self.cc, _SOURCE_ORDER):
            laid_out.remove(_SOURCE_ORDER)
        is_cxx = has_cxx([source])
        if is_cxx and (missing := self._cxx_missing()):
            return Outcome(f"error: {missing}")
        compiler = self.cxx if is_cxx else _with_standard(self.cc, is_cxx=False)
        words = [*compiler, *_COMPILE, *linking, *laid_out, *_with_standard(flags, is_cxx=is_cxx)]
        words += [f"-I{directory}" for directory in includes]
        words += ["-c", str(source), "-o", str(to)]
        outcome = answer(words)
        if outcome.is_done or outcome.missing_header or is_cxx or names_standard(flags):
            return outcome
        return outcome if not answer([*words, "-std=gnu89"]).is_done else Outcome("")

    def link_guest(
        self,
        objects: Sequence[Path],
        to: Path,
        entries: Mapping[str, str],
        layout: Layout = Layout.GUEST,
        harness: Harness = Harness.VET,
        extra: Extra = Extra(),
    ) -> Outcome:
        """Link a guest whose calls of `WRAPPED` reach a harness.

        Args:
            objects: Of the program.
            to: A shared object, or an executable of both (`Link.STATIC`).
            entries: The program's functions by the step that each is.
            layout: As the objects were compiled.
            harness: Which one, where it becomes a part of the executable.
            extra: What this program needs besides.
        """
        if self.target.link is Link.STATIC:
            link = StaticLink(
                objects=objects,
                entries=entries,
                wrapped=WRAPPED,
                first=self.target.part("guest-first"),
                last=self.target.part("guest-last"),
                harness=self.target.part(harness.value),
                words=self.target.link_words,
                libraries=extra.libraries,
                is_apart=layout is Layout.OTHER,
            )
            return self._link_static(link, to)
        wraps = [f"-Wl,--wrap={name}" for name in (*WRAPPED, *extra.wrapped)]
        return self._link([*_LINK_SHARED, *wraps], objects, to, extra.libraries)

    def _link_static(self, link: StaticLink, to: Path) -> Outcome:
        tools = Tools(
            cc=self.cc,
            readelf=_binutil(self.cc, "readelf"),
            objcopy=_binutil(self.cc, "objcopy"),
            run=lambda words: answer(words).text,
            ask=_listing,
            undefined=lambda path: self.symbols(path).undefined,
        )
        return Outcome(link_static(tools, link, to))

    def link_check(self, objects: Sequence[Path], to: Path, more: Sequence[str] = ()) -> Outcome:
        """Link with every symbol demanded, so that what nothing defines is told."""
        flags = ["-Wl,-z,defs", "-Wl,--no-demangle"]
        return self._link([*_LINK_SHARED, *flags], objects, to, more)

    def link_own(
        self,
        objects: Sequence[Path],
        to: Path,
        more: Sequence[str] = (),
        layout: Layout = Layout.OWN,
    ) -> Outcome:
        """Link the program as its authors did, or with sanitizers, which want a loader."""
        is_static = self.target.link is Link.STATIC and layout is Layout.OWN
        flags = ["-static"] if is_static else _LAYOUT_FLAGS[layout]
        return self._link(flags, objects, to, more)

    def _link(
        self, flags: Sequence[str], objects: Sequence[Path], to: Path, more: Sequence[str]
    ) -> Outcome:
        words = [*self.cc, *flags, *map(str, objects), "-o", str(to)]
        return answer([*words, *more, *_LIBRARIES])

    def symbols(self, compiled: Path) -> Symbols:
        """List the symbols of an object that other objects see."""
        listed = self.run([self.nm, "-P", "-g", str(compiled)], None, _PATIENCE_S).stdout
        rows = [line.split() for line in listed.splitlines()]
        pairs = [(row[0], row[1]) for row in rows if len(row) > 1]
        return Symbols(
            defined=frozenset(name for name, kind in pairs if kind not in "Uwv"),
            functions=frozenset(name for name, kind in pairs if kind in "TW"),
            undefined=frozenset(name for name, kind in pairs if kind == "U"),
            weak=frozenset(name for name, kind in pairs if kind in "WV"),
            weak_undefined=frozenset(name for name, kind in pairs if kind in "wv"),
        )

    def disassembly(self, objects: Sequence[Path]) -> str:
        """List the instructions of objects, as `laxity.suites.instructions` reads them."""
        words = [_binutil(self.cc, "objdump"), "-d", "--no-show-raw-insn"]
        if machine_of(self.cc).startswith(_X86):
            words += ["-M", "intel"]  # has no suffixes of size
        return _listing([*words, *map(str, objects)])


def _with_standard(words: Sequence[str], *, is_cxx: bool) -> tuple[str, ...]:
    """Leave out a standard of the other language."""
    return tuple(one for one in words if not one.startswith("-std=") or ("++" in one) == is_cxx)


def _cxx_name(match: "re.Match[str]") -> str:
    return f"{match[1]}{_CXX_NAMES[match[2]]}{match[3] or ''}"


def names_standard(flags: Sequence[str]) -> bool:
    """Tell whether somebody has chosen a standard of C, so that no other is to be tried."""
    return any(flag.startswith("-std=") for flag in flags)


def make_toolchain(wanted: Wanted) -> Toolchain:
    """Make the toolchain of a target.

    Raises:
        ConfigError: No such target, or a compiler for another machine.
        PlatformError: Compiler or emulator is missing.
        ToolError: Nothing is built for it.
    """
    target, cc = find_target(wanted)
    if target == Target():
        return Toolchain(cc)
    return Toolchain(cc, _binutil(cc, "nm"), target)


def make_simulated_toolchain(architecture: str, flags: Sequence[str]) -> Toolchain:
    """Make what builds guests for a processor of a simulated platform.

    Args:
        architecture: Of the platform.
        flags: Of the compiler that programs were vetted with.

    Raises:
        ToolError: Nothing is built for it, or by another version.
    """
    target, cc = find_simulated_target(architecture)
    cc = (*cc, *flags)
    return Toolchain(cc, _binutil(cc, "nm"), target)


@cache
def _binutil(cc: tuple[str, ...], name: str) -> str:
    """Ask a compiler for one of its binutils: those of another machine read its objects only."""
    return _listing([*cc, f"-print-prog-name={name}"]).strip() or name


@cache
def _takes(cc: tuple[str, ...], flag: str) -> bool:
    return answer([*cc, flag, "-E", "-x", "c", os.devnull]).is_done


def _listing(words: Sequence[str]) -> str:
    return start(words, None, _PATIENCE_S).stdout


def answer(words: Sequence[str], directory: Path | None = None, run: Run = start) -> Outcome:
    """Ask a compiler or linker; it is started in `directory`, None: in ours."""
    try:
        done = run(words, directory, _PATIENCE_S)
    except subprocess.TimeoutExpired:
        return Outcome(f"error: {words[0]} did not end within {_PATIENCE_S} s")
    if done.returncode == 0:
        return Outcome("")
    return Outcome(done.stderr.strip() or f"error: {words[0]} ended with code {done.returncode}")
