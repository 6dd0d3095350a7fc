# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Programs that are traced, judged and poisoned by laxity-workingset-oracle."""

import atexit
import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from laxity.errors import PlatformError, ToolError
from laxity.workingset.oracle import Oracle, find_oracle, oracle_of_target

ROOT = Path(__file__).resolve().parents[2]

# The reference form of the analysis: values in registers, loops with one entry; calls stay.
BEFORE = "internalize<preserve-gv=main>,globaldce,coro-early,cgscc(coro-split),coro-cleanup"
PASSES = f"{BEFORE},function(sroa,simplifycfg),function(loop-simplify)"

# What else the analysis is asked about: code as clang leaves it without and with all optimisations.
PASSES_OF_FORMS = {
    "o0": BEFORE,
    "sroa": PASSES,
    "inline": f"{BEFORE},function(sroa,simplifycfg),cgscc(inline),globaldce,"
    "function(sroa,simplifycfg),function(loop-simplify)",
    "o2": "internalize<preserve-gv=main>,globaldce,default<O2>,function(loop-simplify)",
}

# A generated program runs for milliseconds; one that hangs must not hang the tests.
RUN_LIMIT_S = 60


def need_tool() -> Path:
    """Find the oracle, or skip."""
    return need_oracle().tool


def need_oracle() -> Oracle:
    """Find the oracle and its runtimes, or skip."""
    if not all(shutil.which(name) for name in ("clang-19", "opt-19")):
        pytest.skip("needs LLVM 19 (laxity setup --with workingset)")
    try:
        return find_oracle(RUN_LIMIT_S)
    except (PlatformError, ToolError):
        pytest.skip("needs LLVM 19 (laxity setup --with workingset)")


def run(*words: Path | str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command; the caller looks at its exit code."""
    return subprocess.run(
        [str(word) for word in words],
        capture_output=True,
        text=True,
        timeout=RUN_LIMIT_S,
        env=os.environ | environment,
        check=False,
    )


def must(*words: Path | str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command that must succeed."""
    done = run(*words, **environment)
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return done


@dataclass(frozen=True, slots=True)
class Target:
    """What programs are compiled, linked and run for; by default this machine."""

    flags: tuple[str, ...] = ()
    linkers: tuple[str, str] = ("clang-19", "clang++-19")  # of C, of C++
    emulator: tuple[str, ...] = ()
    triple: str = ""  # empty: this machine

    def oracle(self) -> Oracle:
        """The oracle with its runtimes; those of another machine are built once per process."""
        if not self.triple:
            return find_oracle(RUN_LIMIT_S)
        return built_oracle(self.triple, self.emulator)


@cache
def built_oracle(triple: str, emulator: tuple[str, ...]) -> Oracle:
    """The oracle of another machine, whose runtimes are gone when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="laxity-runtimes-"))
    atexit.register(shutil.rmtree, folder)
    return oracle_of_target(triple, emulator, folder, RUN_LIMIT_S)


HOST = Target()
ARM = Target(
    ("--target=arm-linux-gnueabihf", "--gcc-toolchain=/usr"),
    ("arm-linux-gnueabihf-gcc", "arm-linux-gnueabihf-g++"),
    ("qemu-arm", "-L", "/usr/arm-linux-gnueabihf"),
    "arm-linux-gnueabihf",
)


@dataclass(frozen=True, slots=True)
class Subject:
    """A program in the reference form, beside which its copies are made."""

    bitcode: Path
    tool: Path
    linker: str
    target: Target
    beside: tuple[Path, ...] = ()  # objects that are linked with it and not looked at

    def path(self, ending: str) -> Path:
        """A file that belongs to the program."""
        return self.bitcode.with_suffix(ending)

    def link(self, bitcode: Path, runtime: str | None) -> Path:
        """An executable of a copy and the runtime `trace` or `poison`, not optimised."""
        executable = bitcode.with_suffix(f".{runtime or 'plain'}")
        self.target.oracle().link(bitcode, executable, runtime, self.beside)
        return executable

    def trace(self) -> subprocess.CompletedProcess[str]:
        """Run the program once, writing its trace."""
        instrumented = self.path(".traced.bc")
        must(self.tool, "instrument", self.bitcode, "-o", instrumented)
        executable = self.link(instrumented, "trace")
        return self.run(executable, LAXITY_WORKINGSET_TRACE=str(self.path(".trace")))

    def run(self, executable: Path, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run one of the program's copies, where it can run."""
        return run(*self.target.emulator, executable, **environment)

    def faulty_tool(self) -> Path:
        """The oracle whose analysis can be given faults, which is not installed."""
        tool = self.tool.with_name("laxity-workingset-oracle-faulty")
        if not tool.exists():
            pytest.skip("needs a build folder: the faulty oracle is not installed")
        return tool

    def judge(self, *options: str) -> dict[str, Any]:
        """The verdict on the trace; what is dead where is written on the way."""
        return self._verdict(self.tool, ("--poison", str(self.path(".table")), *options))

    def judge_faulty(self, *options: str) -> dict[str, Any]:
        """The verdict on an analysis with the faults that the options name."""
        return self._verdict(self.faulty_tool(), options)

    def _verdict(self, tool: Path, options: tuple[str, ...]) -> dict[str, Any]:
        done = run(tool, "check", self.bitcode, self.path(".trace"), *options)
        assert done.stdout, done.stderr
        verdict: dict[str, Any] = json.loads(done.stdout)
        assert (done.returncode == 0) == (verdict["status"] == "covered")
        return verdict

    def run_plain(self) -> subprocess.CompletedProcess[str]:
        """The program as it is."""
        return self.run(self.link(self.bitcode, None))

    def run_poisoned(self, *options: str) -> tuple[subprocess.CompletedProcess[str], int]:
        """The program whose dead bytes are overwritten, and how many were.

        Needs a trace. The table of an earlier verdict is taken where no option asks for another.
        """
        table, amount = self.path(".table"), self.path(".amount")
        if options or not table.exists():
            self.judge(*options)
        executable = self.link(self.path(".traced.bc"), "poison")
        done = self.run(
            executable, LAXITY_WORKINGSET_POISON=str(table), LAXITY_WORKINGSET_POISONED=str(amount)
        )
        return done, int(amount.read_text()) if amount.exists() else 0

    def run_with_poisoned_values(self) -> tuple[subprocess.CompletedProcess[str], int]:
        """The program whose values become garbage where they die, and in how many places."""
        poisoned = self.path(".values.bc")
        count = int(
            must(self.tool, "poison-values", self.bitcode, "-o", poisoned).stdout.split()[0]
        )
        return self.run(self.link(poisoned, "poison")), count


def make_subject(
    source: str, folder: Path, language: str = "c", form: str = "sroa", target: Target = HOST
) -> Subject:
    """Compile a program for the analysis.

    Args:
        source: The text of its only file.
        folder: Where all files go.
        language: The ending of that file, "c" or "cpp".
        form: One of PASSES_OF_FORMS; "sroa" is the reference form.
        target: What it is compiled for. Without a toolchain for it the test is skipped.
    """
    tool = need_tool()
    compiler, standard, linker = {
        "c": ("clang-19", "-std=gnu17", target.linkers[0]),
        "cpp": ("clang++-19", "-std=gnu++20", target.linkers[1]),
    }[language]
    if any(shutil.which(name) is None for name in (linker, *target.emulator[:1])):
        pytest.skip(f"needs {linker} and {' '.join(target.emulator[:1])}")
    text, raw, bitcode = folder / f"program.{language}", folder / "raw.bc", folder / "program.bc"
    text.write_text(source, encoding="utf-8")
    must(
        compiler,
        *target.flags,
        standard,
        "-g",
        "-O1",
        "-w",
        "-Xclang",
        "-disable-llvm-passes",
        "-emit-llvm",
        "-c",
        text,
        "-o",
        raw,
    )
    must("opt-19", f"-passes={PASSES_OF_FORMS[form]}", raw, "-o", bitcode)
    return Subject(bitcode, tool, linker, target)


def objects_of(verdict: dict[str, Any]) -> set[str]:
    """The objects of which a live byte is called dead."""
    return {violation["object"] for violation in verdict["violations"]}
