# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A program of a suite: its sources, and by which convention its functions are its job."""

from collections.abc import Collection, Iterable
from enum import StrEnum
from pathlib import PurePath

import msgspec

_HOOKS = frozenset({"benchmark_init", "benchmark_execution", "benchmark_teardown"})
_EMBENCH = frozenset({"initialise_benchmark", "benchmark", "verify_benchmark"})
_TRIPLE = ("_init", "_main", "_return")
CXX_SUFFIXES = frozenset({".cc", ".cpp", ".cxx", ".c++", ".C", ".cp"})
SOURCE_SUFFIXES = frozenset({".c", *CXX_SUFFIXES})
# What the C++ compiler would add to a link; the C compiler does the rest for both.
_CXX_LIBRARY = "-lstdc++"


class Convention(StrEnum):
    """Which functions prepare, are the job, and check it; the words are those of laxity-vet."""

    MAIN = "main"
    INIT_MAIN_RETURN = "init-main-return"
    HOOKS = "hooks"
    EMBENCH = "embench"


class Build(msgspec.Struct, frozen=True, kw_only=True):
    """What a manifest says of compiling and linking: further words, and the headers among them."""

    flags: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    forced: tuple[str, ...] = ()


class Input(msgspec.Struct, frozen=True, kw_only=True):
    """A file or folder that a job needs, and what it is called in its working directory."""

    path: str
    name: str


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """What a manifest says of a program's jobs: what each is given, and what is right.

    `words`: arguments, seen from the working directory. `stdin` None: an empty one, or nobody said.
    `check`: what the check function is to return; None: nobody said. `output_filter`: matches of
    this extended regular expression are cut from output before it is compared; "": none. `roi`:
    functions that begin and end a region of interest, `roi_check` one that says within the job
    whether it is right; empty: the known ones.
    """

    words: tuple[str, ...] = ()
    stdin: str | None = None
    inputs: tuple[Input, ...] = ()
    exit_code: int = 0
    check: int | None = None
    output_filter: str = ""
    roi: tuple[tuple[str, str], ...] = ()
    roi_check: str = ""


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """One program that was found.

    `directory` and `sources` are relative to the suite, unless they lie elsewhere. `prefix` is what
    the functions of init-main-return begin with. `includes`: directories of headers beside those of
    the sources. `has_main`: it can also be run as its authors meant it. `size` None: it has none;
    else its name ends in it.
    """

    name: str
    directory: str
    convention: Convention
    prefix: str = ""
    sources: tuple[str, ...]
    includes: tuple[str, ...] = ()
    has_main: bool = True
    size: str | None = None
    build: Build = Build()
    given: Given = Given()


def has_cxx(sources: Iterable[str | PurePath]) -> bool:
    """Tell whether one of some sources is C++, by its name."""
    return any(PurePath(one).suffix in CXX_SUFFIXES for one in sources)


def cxx_libraries(sources: Iterable[str | PurePath]) -> tuple[str, ...]:
    """Return what a link of some sources needs because of their language."""
    return (_CXX_LIBRARY,) if has_cxx(sources) else ()


def libraries_of(program: Program) -> tuple[str, ...]:
    """Return what a program is linked with: what its manifest says, and what its language needs."""
    return (*program.build.libraries, *cxx_libraries(program.sources))


def entries_of(program: Program) -> dict[str, str]:
    """Name a program's functions by the step that each is, as native/guests/guest.c has them."""
    init, job, check = (program.prefix + end for end in _TRIPLE)
    return {
        Convention.MAIN: {"job": "main"},
        Convention.INIT_MAIN_RETURN: {"init": init, "job": job, "check": check},
        Convention.HOOKS: {
            "init": "benchmark_init",
            "job": "benchmark_execution",
            "teardown": "benchmark_teardown",
        },
        Convention.EMBENCH: {
            "init": "initialise_benchmark",
            "job": "benchmark",
            "check": "verify_benchmark",
        },
    }[program.convention]


class Unplaced(msgspec.Struct, frozen=True, kw_only=True):
    """Something that looked like a program and is none that laxity can run, and why."""

    path: str
    reason: str


class Discovery(msgspec.Struct, frozen=True, kw_only=True):
    """What a directory holds. `left_out`: programs of a manifest that cannot be had, and why."""

    programs: tuple[Program, ...]
    unplaced: tuple[Unplaced, ...]
    left_out: tuple[Unplaced, ...] = ()


def convention_of(functions: Collection[str], name: str) -> tuple[Convention, str] | str:
    """Tell a program's convention by what it defines.

    Args:
        functions: Its functions that other objects see.
        name: Name of its folder: which prefix is meant where there are several.

    Returns:
        Convention and prefix; or, in words, why there is none.
    """
    defined = set(functions)
    if defined >= _HOOKS:
        return Convention.HOOKS, ""
    if defined >= _EMBENCH:
        return Convention.EMBENCH, ""
    init, _, _ = _TRIPLE
    prefixes = {one.removesuffix(init) for one in defined if one.endswith(init)}
    prefixes = {one for one in prefixes if one and defined >= {one + end for end in _TRIPLE}}
    if name in prefixes:
        return Convention.INIT_MAIN_RETURN, name
    if len(prefixes) == 1:
        return Convention.INIT_MAIN_RETURN, prefixes.pop()
    if prefixes:
        several = ", ".join(sorted(prefixes))
        return f"several sets of NAME_init, NAME_main, NAME_return: {several}"
    if "main" in defined:
        return Convention.MAIN, ""
    return (
        "no entry: neither main, nor NAME_init with NAME_main and NAME_return, nor the hooks of "
        'RT-Bench, nor Embench\'s benchmark functions (in C++ they need extern "C")'
    )
