# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Programs that are traced, judged and poisoned by laxity-workingset-oracle."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from laxity.errors import PlatformError, ToolError
from laxity.runner.tools import find_tool

ROOT = Path(__file__).resolve().parents[2]

# The reference form of the analysis: values in registers, loops with one entry; calls stay.
PASSES = (
    "internalize<preserve-gv=main>,globaldce,function(sroa,simplifycfg),function(loop-simplify)"
)

# A generated program runs for milliseconds; one that hangs must not hang the tests.
RUN_LIMIT_S = 60


def need_tool() -> Path:
    """Find the oracle, or skip."""
    if not all(shutil.which(name) for name in ("clang-19", "opt-19")):
        pytest.skip("needs LLVM 19 (laxity setup --with workingset)")
    try:
        return find_tool("laxity-workingset-oracle")
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
class Subject:
    """A program in the reference form, beside which its copies are made."""

    bitcode: Path
    tool: Path
    compiler: str = "clang-19"

    def path(self, ending: str) -> Path:
        """A file that belongs to the program."""
        return self.bitcode.with_suffix(ending)

    def link(self, bitcode: Path, runtime: str) -> Path:
        """An executable of a copy and the runtime `trace` or `poison`, not optimised."""
        executable = bitcode.with_suffix("")
        compiled = bitcode.with_suffix(".o")
        must(
            "clang-19",
            "-O0",
            "-w",
            "-Xclang",
            "-disable-llvm-passes",
            "-c",
            bitcode,
            "-o",
            compiled,
        )
        archive = self.tool.parent / "oracle" / f"libworkingset-{runtime}.a"
        must(self.compiler, compiled, archive, "-lm", "-o", executable)
        return executable

    def trace(self) -> subprocess.CompletedProcess[str]:
        """Run the program once, writing its trace."""
        instrumented = self.path(".traced.bc")
        must(self.tool, "instrument", self.bitcode, "-o", instrumented)
        executable = self.link(instrumented, "trace")
        return run(executable, LAXITY_WORKINGSET_TRACE=str(self.path(".trace")))

    def faulty_tool(self) -> Path:
        """The oracle whose analysis can be given faults, which is not installed."""
        tool = self.tool.with_name("laxity-workingset-oracle-faulty")
        if not tool.exists():
            pytest.skip("needs a build folder: the faulty oracle is not installed")
        return tool

    def judge(self, *options: str) -> dict[str, Any]:
        """The verdict on the trace."""
        return self._verdict(self.tool, options)

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
        executable = self.path(".plain")
        must(self.compiler, "-O0", "-w", self.bitcode, "-lm", "-o", executable)
        return run(executable)

    def run_poisoned(self, *options: str) -> tuple[subprocess.CompletedProcess[str], int]:
        """The program whose dead bytes are overwritten, and how many were. Needs a trace."""
        table, amount = self.path(".table"), self.path(".amount")
        run(self.tool, "check", self.bitcode, self.path(".trace"), "--poison", table, *options)
        executable = self.link(self.path(".traced.bc"), "poison")
        done = run(
            executable, LAXITY_WORKINGSET_POISON=str(table), LAXITY_WORKINGSET_POISONED=str(amount)
        )
        return done, int(amount.read_text()) if amount.exists() else 0

    def run_with_poisoned_values(self) -> tuple[subprocess.CompletedProcess[str], int]:
        """The program whose values become garbage where they die, and in how many places."""
        poisoned = self.path(".values.bc")
        count = int(
            must(self.tool, "poison-values", self.bitcode, "-o", poisoned).stdout.split()[0]
        )
        return run(self.link(poisoned, "poison")), count


def make_subject(source: str, folder: Path, language: str = "c") -> Subject:
    """Compile a program to the reference form.

    Args:
        source: The text of its only file.
        folder: Where all files go.
        language: The ending of that file, "c" or "cpp".
    """
    tool = need_tool()
    compiler = {"c": "clang-19", "cpp": "clang++-19"}[language]
    text, raw, bitcode = folder / f"program.{language}", folder / "raw.bc", folder / "program.bc"
    text.write_text(source, encoding="utf-8")
    must(
        compiler,
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
    must("opt-19", f"-passes={PASSES}", raw, "-o", bitcode)
    return Subject(bitcode, tool, compiler)


def objects_of(verdict: dict[str, Any]) -> set[str]:
    """The objects of which a live byte is called dead."""
    return {violation["object"] for violation in verdict["violations"]}
