# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Drive laxity-workingset-oracle: a program is instrumented, linked, run, checked and poisoned.

docs/working-set-proof.md says what the steps show.
"""

import os
import shlex
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from laxity.errors import NoVerdict, ToolError
from laxity.platform.tools import find_tool, source_root
from laxity.workingset.llvm import find_llvm

TOOL = "laxity-workingset-oracle"
_SETUP = "run ./laxity setup --with workingset"
# Nothing may be optimised: what was analysed is what runs.
_AS_IT_IS = ("-O0", "-w", "-Xclang", "-disable-llvm-passes")
# What describes a value in front of a landing pad's label makes clang-19 -O0 put reloads there, so
# that they are not executed.
_WITHOUT_DEBUG = "--strip-debug"
# The wrappers are named after what they stand for, which the compiler must not take them for.
_RUNTIME_FLAGS = ("-std=gnu17", "-D_GNU_SOURCE=", "-O2", "-fno-builtin", "-fexceptions")
# operator new, new[], delete and delete[] among them.
_NAMES_OF_CPP = (b"__gxx_personality", b"__cxa_", b"_Znw", b"_Zna", b"_Zdl", b"_Zda", b"_ZSt")
# What only one of them has; wrappers of external functions are in both.
_RUNTIMES = {"trace": ("count.c", "trace.c"), "poison": ("garbage.c", "poison.c")}
_WORDS_TOLD = 300
# Where paths go in what clang says it would start.
_OBJECT, _EXECUTABLE = "laxity-object", "laxity-executable"


@dataclass(frozen=True, slots=True)
class Ran:
    """How a program ended, and after how long; `code`: negative for a signal."""

    code: int
    output: bytes
    words: str
    wall_ns: int

    def is_same(self, other: "Ran") -> bool:
        """Tell whether both did the same, as far as it can be seen from outside."""
        return (self.code, self.output) == (other.code, other.output)


@dataclass(frozen=True, slots=True)
class Oracle:
    """The tool and its runtimes.

    Attributes:
        tool: laxity-workingset-oracle, or the one whose analysis can be given faults.
        limit_s: Each step may take so long.
        triple: Of the machine that programs are compiled for; None: this one.
        emulator: Words before a program of another machine.
        archives: Where libworkingset-trace.a and libworkingset-poison.a are.
        annotations: What the analysis is told beyond the code (JSON); None: nothing.
    """

    tool: Path
    limit_s: float
    triple: str | None = None
    emulator: tuple[str, ...] = ()
    archives: Path = field(default=Path())
    annotations: Path | None = None

    def instrument(self, program: Path, to: Path) -> None:
        """Write a copy that traces its accesses."""
        self.must("instrument", self.tool, "instrument", program, "-o", to)

    def poison_values(self, program: Path, to: Path) -> int:
        """Write a copy whose values become garbage where they die; return in how many places."""
        done = self.must("poison-values", self.tool, "poison-values", program, "-o", to)
        return int(done.output.split()[0])

    def link(
        self, bitcode: Path, to: Path, runtime: str | None = None, more: Sequence[Path] = ()
    ) -> None:
        """Make an executable, with the runtime `trace` or `poison`, or as the program is.

        `more` are objects beside the program that nobody looks at: a device.
        """
        target = [] if self.triple is None else [f"--target={self.triple}"]
        clang = (find_llvm("clang++" if is_cpp(bitcode) else "clang"), *target)
        compiled = to.with_name(bitcode.stem + ".o")
        # Of what was instrumented, which is linked with both runtimes, the object is there already.
        if not _is_newer(compiled, bitcode):
            bare = compiled.with_suffix(".bare.bc")
            self.must("compile", find_llvm("opt"), _WITHOUT_DEBUG, bitcode, "-o", bare)
            self.must("compile", *clang, *_AS_IT_IS, "-c", bare, "-o", compiled)
            bare.unlink()
        archive = () if runtime is None else (self.archives / f"libworkingset-{runtime}.a",)
        self.must("link", *_linker(clang, (compiled, *more, *archive), to))

    def run(self, executable: Path, **environment: str) -> Ran:
        """Run a program beside its executable; its exit code is its own.

        Raises:
            NoVerdict: It did not end within the limit.
        """
        return self._start(
            executable.name, [*self.emulator, executable], executable.parent, environment
        )

    def check(self, program: Path, trace: Path, options: Sequence[Path | str] = ()) -> Any:  # noqa: ANN401 - JSON
        """Hold the analysis against a trace; return the verdict as the tool prints it.

        Raises:
            NoVerdict: There is no verdict.
        """
        told: list[Path | str] = []
        if self.annotations is not None:
            told = ["--annotations", self.annotations]
        done = self._start("check", [self.tool, "check", program, trace, *told, *options], None, {})
        try:
            verdict = msgspec.json.decode(done.output)
        except msgspec.DecodeError:
            raise NoVerdict(_ended("check", done)) from None
        if (done.code == 0) != (verdict["status"] == "covered"):
            msg = f"check: exit code {done.code} with status {verdict['status']}"
            raise NoVerdict(msg)
        return verdict

    def must(self, step: str, *words: Path | str) -> Ran:
        """Run a command that has to succeed.

        Raises:
            NoVerdict: It did not; `step` says what was being done.
        """
        done = self._start(step, words, None, {})
        if done.code != 0:
            raise NoVerdict(_ended(step, done))
        return done

    def _start(
        self,
        step: str,
        words: Sequence[Path | str],
        directory: Path | None,
        environment: dict[str, str],
    ) -> Ran:
        started_ns = time.monotonic_ns()
        try:
            done = subprocess.run(
                [str(word) for word in words],
                capture_output=True,
                stdin=subprocess.DEVNULL,
                timeout=self.limit_s,
                cwd=directory,
                env=os.environ | environment,
                check=False,
            )
        except subprocess.TimeoutExpired:
            msg = f"{step}: did not end within {self.limit_s:.0f} s"
            raise NoVerdict(msg) from None
        except OSError as error:
            msg = f"{step}: {words[0]}: {error.strerror}"
            raise NoVerdict(msg) from None
        told = done.stderr.decode(errors="replace").strip()
        return Ran(done.returncode, done.stdout, told, time.monotonic_ns() - started_ns)


def find_oracle(limit_s: float) -> Oracle:
    """Find the oracle of this machine.

    Raises:
        ToolError: It is not built: this build was made without LLVM.
    """
    try:
        tool = find_tool(TOOL)
    except ToolError as error:
        if "not found" not in str(error):
            raise
        msg = f"{TOOL}: not in this build, which was made without LLVM; {_SETUP}"
        raise ToolError(msg) from error
    return Oracle(tool, limit_s, archives=tool.parent / "oracle")


def oracle_of_target(triple: str, emulator: Sequence[str], build: Path, limit_s: float) -> Oracle:
    """Make an oracle for another machine: the runtimes are compiled for it, in `build`.

    Raises:
        ToolError: There is no checkout with their sources.
        NoVerdict: They do not compile for it.
    """
    own = find_oracle(limit_s)
    root = source_root()
    if root is None:
        msg = f"--target {triple}: the runtimes' sources are needed; start from a checkout"
        raise ToolError(msg)
    oracle = Oracle(own.tool, limit_s, triple, tuple(emulator), build)
    sources = sorted((root / "workingset" / "oracle" / "runtime").glob("*.c"))
    for runtime in _RUNTIMES:
        others = {name for other, own in _RUNTIMES.items() if other != runtime for name in own}
        objects: list[Path] = []
        for path in sources:
            if path.name in others:
                continue
            objects.append(build / f"{runtime}-{path.name}.o")
            words = [find_llvm("clang"), f"--target={triple}", *_RUNTIME_FLAGS, "-c", str(path)]
            oracle.must(f"compile {path.name}", *words, "-o", objects[-1])
        archive = build / f"libworkingset-{runtime}.a"
        oracle.must("archive", find_llvm("llvm-ar"), "rcs", archive, *objects)
    return oracle


@cache
def _linker_words(clang: tuple[str, ...]) -> list[str]:
    """Ask clang what it would start to link _OBJECT to _EXECUTABLE."""
    words = [*clang, "-###", f"-Wl,{_OBJECT}", "-lm", "-o", _EXECUTABLE]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    linker = shlex.split(done.stderr.strip().rpartition("\n")[2])
    if done.returncode != 0 or not {_OBJECT, _EXECUTABLE} <= set(linker):
        msg = f"link: {' '.join(words)} names no linker: {done.stderr.strip()[-_WORDS_TOLD:]}"
        raise NoVerdict(msg)
    return linker


def _linker(clang: tuple[str, ...], objects: Sequence[Path], to: Path) -> list[str]:
    """Return the command that links, as clang would start it.

    To start clang takes longer than to link a small program: it relocates half a million addresses.
    """
    words: list[str] = []
    for word in _linker_words(clang):
        told = {_OBJECT: [str(one) for one in objects], _EXECUTABLE: [str(to)]}
        words += told.get(word, [word])
    return words


def _is_newer(made: Path, source: Path) -> bool:
    """Tell whether a file was made of what a source is now."""
    return made.exists() and made.stat().st_mtime_ns > source.stat().st_mtime_ns


def is_cpp(bitcode: Path) -> bool:
    """Tell whether a program needs the runtime of C++; bitcode holds the names of its symbols."""
    data = bitcode.read_bytes()
    return any(name in data for name in _NAMES_OF_CPP)


def _ended(step: str, done: Ran) -> str:
    how = f"signal {-done.code}" if done.code < 0 else f"exit code {done.code}"
    told = done.words.removeprefix(f"{TOOL}: ")[-_WORDS_TOLD:]
    return f"{step}: {how}: {told}" if told else f"{step}: {how}"
