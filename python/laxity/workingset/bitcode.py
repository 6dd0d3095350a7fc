# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Sources to one bitcode file per program, in the form that is analysed: clang, llvm-link, opt.

The reference form is what clang makes of -O1 before any pass, with variables in SSA form: optimised
code would show the working sets of another program (O2 folds nine tenths of some away).
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path

from typing_extensions import override

from laxity.errors import ConfigError
from laxity.platform.loaded import Done, LoadedPrograms, start
from laxity.suites.program import CXX_SUFFIXES
from laxity.suites.toolchain import Layout, Outcome, Symbols, Toolchain, answer, names_standard
from laxity.workingset.llvm import find_llvm

# Old C is compiled as it is; what clang 16 made an error of its own accord is a warning again.
_LENIENT = (
    "-w",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=int-conversion",
)
# Against the root every name of a source stays whole: clang cuts what it shares with the directory.
_EMIT = ("-g", "-fdebug-compilation-dir=/", "-emit-llvm", "-c")
# O1 and above: at O0 clang marks functions so that no later pass may touch them.
_UNOPTIMISED = ("-Xclang", "-disable-llvm-passes")
_LEVELS = {"o2": "-O2"}
_REFERENCE_LEVEL = "-O1"
# Registers are allocated well; no pass changes the form before.
_BACK_LEVEL = "-O2"
_OLDER_C = "-std=gnu89"
BITCODE_SUFFIXES = frozenset({".bc", ".ll"})
# Roots of a program, and the entries that the conventions call from outside.
_ROOTS = (
    "main",
    "benchmark_init",
    "benchmark_execution",
    "benchmark_teardown",
    "benchmark_log_header",
    "benchmark_log_data",
    "initialise_benchmark",
    "benchmark",
    "verify_benchmark",
)
# In LLVM's unit of cost. Without any limit a program whose functions each call the next one several
# times outgrows the memory; with this one TACLeBench's largest becomes 600,000 instructions.
_INLINE_THRESHOLD = 100_000
# Inline functions, virtual tables and type information of C++: whoever uses one brings it along.
# Not inline variables (`_ZN1S1nE`), nor static ones of inline functions (`_ZZ1fvE1n`).
_REPEATED_IN_CXX = re.compile(r"_Z(?!Z|GV|N\w*E$)")
_NAMED_TARGET = re.compile(r"-target[= ](\S+)")
# As llvm-dis prints them; where a calling convention says it instead, clang keeps them anyway.
_ATTRIBUTES_OF_HANDLERS = re.compile(r'^attributes (#\d+) = \{[^\n]*"(?:interrupt|signal)"', re.M)
_DEFINITION = re.compile(r'^define [^@\n]*@"?([^"(\s]+)"?\([^\n]*\)[^\n]* (#\d+) ', re.M)
# What compilers call of their own accord, their runtimes for threads, and the library of C++.
_OF_RUNTIMES = re.compile(
    r"_[_U]|GOMP_|omp_|_Z(T[A-Z])?(N[KVRO]*)?(S[tabsiod]|[a-z]|P|10__cxxabiv1|9__gnu_cxx)"
)
_OF_CXX_RUNTIME = re.compile(r"_Unwind_|__cxa_|__gxx_|__dso_handle$|_Z")
_PATIENCE_S = 300
_NAMES_OF_LIBRARIES = ("libc.so.6", "libm.so.6")


class Form(StrEnum):
    """Which passes have been at the code that is analysed."""

    O0 = "o0"  # none: variables are in memory
    SROA = "sroa"  # the reference form
    INLINE = "inline"  # the same, inlined as far as memory allows
    O2 = "o2"  # as clang -O2 compiles it
    AS_GIVEN = "as-given"  # bitcode as the user made it


# Before them a coroutine is one function, left at its first suspension: nothing goes on in it.
_SPLIT_COROUTINES = "coro-early,cgscc(coro-split),coro-cleanup"
_BEFORE = "{internalize},globaldce," + _SPLIT_COROUTINES
_AFTER_SROA = "function(sroa,simplifycfg),function(loop-simplify)"
_PASSES = {
    Form.O0: _BEFORE,
    Form.SROA: _BEFORE + "," + _AFTER_SROA,
    Form.INLINE: _BEFORE + ",function(sroa,simplifycfg),cgscc(inline),globaldce," + _AFTER_SROA,
    Form.O2: "{internalize},globaldce,default<O2>,function(loop-simplify)",
}


@dataclass(frozen=True, slots=True)
class Unit:
    """A source that was compiled: to what, by which words, started where (None: where we are)."""

    bitcode: Path
    words: tuple[str, ...]
    directory: Path | None


@dataclass(frozen=True, slots=True)
class BitcodeToolchain(Toolchain):
    """Clang as the compiler of a suite; objects are bitcode.

    Attributes:
        form: Of the program in the end.
        triple: For which machine; None: for this one.
        flags: The user's own, behind ours.
        units: What was compiled last of each source.
        loaded: The programs of LLVM; each is run some hundred times for a suite.
        known: Symbols of objects.
    """

    form: Form = Form.SROA
    triple: str | None = None
    flags: tuple[str, ...] = ()
    units: dict[Path, Unit] = field(default_factory=dict)
    loaded: LoadedPrograms = field(default_factory=LoadedPrograms)
    known: dict[Path, Symbols] = field(default_factory=dict)

    @override
    def run(self, words: Sequence[str], directory: Path | None, patience_s: float) -> Done:
        """Run a program of LLVM, which is loaded once for all its runs."""
        return self.loaded.run(words, directory, patience_s)

    @override
    def compile(
        self,
        source: Path,
        to: Path,
        includes: Sequence[Path],
        layout: Layout = Layout.CHECK,
        flags: Sequence[str] = (),
    ) -> Outcome:
        """Compile to bitcode; older C is tried where today's is refused and nobody chose one.

        Args:
            source: C or C++.
            to: The bitcode.
            includes: Directories of headers beside the file's own.
            layout: Means nothing here.
            flags: Further ones, of this program.
        """
        del layout
        words = [*flags, *(f"-I{directory}" for directory in includes)]
        outcome = self.compile_words(source, to, words)
        is_settled = source.suffix in CXX_SUFFIXES or names_standard([*self.flags, *flags])
        if outcome.is_done or outcome.missing_header or is_settled:
            return outcome
        older = self.compile_words(source, to, [*words, _OLDER_C])
        return older if older.is_done else outcome

    def compile_words(
        self, source: Path, to: Path, words: Sequence[str], directory: Path | None = None
    ) -> Outcome:
        """Compile one file with words of its own, as started in `directory`."""
        self.known.pop(to, None)
        words_of_all = [*self.front(source), *_EMIT, *words, str(source), "-o", str(to)]
        outcome = answer(words_of_all, directory, self.run)
        if outcome.is_done:
            self.units[source] = Unit(to, tuple(words), directory)
        return outcome

    def preprocess(self, source: Path) -> str:
        """Return the text of a compiled source as the compiler saw it, with line markers."""
        unit = self.units[source]
        words = [*self.front(source), *unit.words, "-E", str(source)]
        return self.run(words, unit.directory, _PATIENCE_S).stdout

    def front(self, source: Path) -> list[str]:
        """Return compiler and options for a source, without what to make of it."""
        compiler = "clang++" if source.suffix in CXX_SUFFIXES else "clang"
        level = _LEVELS.get(self.form, _REFERENCE_LEVEL)
        target = [] if self.triple is None else [f"--target={self.triple}"]
        words = [find_llvm(compiler), *target, *_LENIENT, level, *_UNOPTIMISED]
        return [*words, *self.flags]

    def back(self) -> list[str]:
        """Return compiler and options that make machine code of bitcode, its form left alone."""
        target = [] if self.triple is None else [f"--target={self.triple}"]
        return [find_llvm("clang"), *target, "-w", _BACK_LEVEL, *_UNOPTIMISED]

    @override
    def symbols(self, compiled: Path) -> Symbols:
        """List the symbols of an object that other objects see; asked once of each."""
        if compiled not in self.known:
            # Not super(): a dataclass with slots is another class than the one it is written in.
            self.known[compiled] = Toolchain.symbols(self, compiled)
        return self.known[compiled]

    @override
    def link_check(self, objects: Sequence[Path], to: Path, more: Sequence[str] = ()) -> Outcome:
        """Tell what nothing defines and what is defined twice, in the words of a linker."""
        del to, more
        symbols = [self.symbols(one) for one in objects]
        defined = [name for one in symbols for name in one.defined]
        # Of templates and inline functions each file has its own.
        counts = Counter(name for one in symbols for name in one.defined - one.weak)
        twice = sorted(name for name, n in counts.items() if n > 1)
        if twice:
            return Outcome("".join(f"multiple definition of `{name}'\n" for name in twice))
        known = frozenset(defined) | library_names()
        wanted = frozenset[str]().union(*(one.undefined for one in symbols)) - known
        missing = sorted(name for name in wanted if not _OF_CXX_RUNTIME.match(name))
        return Outcome("".join(f"undefined reference to `{name}'\n" for name in missing))

    def link_program(self, objects: Sequence[Path], to: Path, roots: Sequence[str] = ()) -> Outcome:
        """Make one file of the objects of a program, in the form that was asked for.

        Args:
            objects: Bitcode files.
            to: The file.
            roots: Functions that are called from outside, beside those of the conventions.
        """
        linked = to.with_suffix(".linked.bc")
        outcome = answer(
            [find_llvm("llvm-link"), *map(str, objects), "-o", str(linked)], None, self.run
        )
        if not outcome.is_done:
            return outcome
        if self.form is Form.AS_GIVEN:
            linked.replace(to)
            return outcome
        others = (*self._named_outside(linked), *self._interrupt_handlers(linked))
        names = dict.fromkeys((*_ROOTS, *roots, *others))
        kept = ";".join(f"preserve-gv={name}" for name in names)
        passes = _PASSES[self.form].format(internalize=f"internalize<{kept}>")
        words = [find_llvm("opt"), f"-passes={passes}", str(linked), "-o", str(to)]
        if self.form is Form.INLINE:
            words += [f"-inline-threshold={_INLINE_THRESHOLD}"]
        outcome = answer(words, None, self.run)
        linked.unlink()
        return outcome

    def _named_outside(self, linked: Path) -> list[str]:
        """List what else may be entered or touched, by code that no pass looks at.

        That is what the assembly beside a program's functions names: what it uses and the program
        defines is listed as both, and the other way round. Where another part of the program is
        missing, it is all that this can name: it sets the inputs of a job, or reads a variable.
        """
        symbols = Toolchain.symbols(self, linked)
        by_assembly = symbols.defined & symbols.undefined
        if "main" in symbols.defined and not self._missing(symbols):
            return sorted(by_assembly)
        repeated = {name for name in symbols.weak if _REPEATED_IN_CXX.match(name)}
        return sorted((symbols.defined - repeated) | by_assembly)

    def _missing(self, symbols: Symbols) -> bool:
        """Tell whether something is neither the program's nor of a library that comes with it."""
        wanted = symbols.undefined - symbols.defined
        unknown = {name for name in wanted if not _OF_RUNTIMES.match(name)}
        return bool(unknown) and not unknown <= library_names()

    def _interrupt_handlers(self, linked: Path) -> list[str]:
        """List the functions that hardware enters, which the linker's script alone may name.

        Of targets that somebody names: a program of Linux, as this machine's are, has none.
        """
        words = [*self.flags, *(word for unit in self.units.values() for word in unit.words)]
        targets = [self.triple or "linux", *_NAMED_TARGET.findall(" ".join(words))]
        if all("linux" in one for one in targets):
            return []
        text = self.run([find_llvm("llvm-dis"), str(linked), "-o", "-"], None, _PATIENCE_S).stdout
        groups = {one[1] for one in _ATTRIBUTES_OF_HANDLERS.finditer(text)}
        return [one[1] for one in _DEFINITION.finditer(text) if one[2] in groups]


def bitcode_toolchain(form: Form, target: str | None, flags: Sequence[str]) -> BitcodeToolchain:
    """Make a toolchain; everything that it needs is looked for now.

    Raises:
        ToolError: A program of LLVM is missing.
        ConfigError: A target that clang does not know.
    """
    nm = find_llvm("llvm-nm")
    for name in ("llvm-link", "opt"):
        find_llvm(name)
    toolchain = BitcodeToolchain(
        cc=(find_llvm("clang"),), nm=nm, form=form, triple=target, flags=tuple(flags)
    )
    if target is not None:
        known = answer([find_llvm("clang"), f"--target={target}", "-E", "-x", "c", "/dev/null"])
        if not known.is_done:
            msg = f"--target {target}: {known.first_error}; write one such as arm-linux-gnueabihf"
            raise ConfigError(msg)
    return toolchain


@cache
def library_names() -> frozenset[str]:
    """List what the C library defines; of this machine, since names are the same everywhere."""
    nm, clang = find_llvm("llvm-nm"), find_llvm("clang")
    names: set[str] = set()
    for library in _NAMES_OF_LIBRARIES:
        where = start([clang, f"-print-file-name={library}"], None, _PATIENCE_S).stdout.strip()
        listed = start([nm, "-D", "-P", "--defined-only", where], None, _PATIENCE_S).stdout
        names |= {line.partition(" ")[0].partition("@")[0] for line in listed.splitlines()}
    return frozenset(names)
