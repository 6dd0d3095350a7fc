# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Run programs once, instrumented, to learn what the analysis cannot know: how often, and when."""

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from laxity.core.executor import n_cpus, parallel
from laxity.core.units import format_size_bytes
from laxity.errors import NoVerdict, ToolError
from laxity.workingset.analyse import output_words
from laxity.workingset.oracle import TOOL, Oracle, find_oracle

_ARCHIVE = "libworkingset-trace.a"
# A whole trace has a word of 8 bytes per access, and the oracle needs as much again.
_MOST_TRACE_BYTES = 4 << 30
# Of the shell's limits (POSIX, ulimit).
_BLOCK_BYTES = 512
# The runtime's own exit code where it cannot go on.
_TRACE_LOST = 99
_WORDS_TOLD = 300
_NO_MAIN = "undefined reference to `main'"


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a program is given: its arguments, and the file that is its standard input."""

    arguments: tuple[str, ...] = ()
    stdin: Path | None = None


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """A program to be run.

    Attributes:
        name: Of the program.
        bitcode: That was analysed.
        job: The function whose calls are the jobs; None: the whole program is analysed.
        outputs: Globals that somebody outside reads after each job.
        to: Empty directory of its own.
        wants_progression: Live bytes along the run are asked for, too.
    """

    name: str
    bitcode: Path
    job: str | None
    outputs: tuple[str, ...]
    to: Path
    wants_progression: bool


@dataclass(frozen=True, slots=True)
class Traced:
    """What became of a run; a table that is None has its reason."""

    exit_code: int | None = None
    executions: Path | None = None
    reason: str | None = None
    progression: Path | None = None
    progression_reason: str | None = None


def require_oracle(patience_s: float) -> Oracle:
    """Find the oracle and the archive that instrumented programs are linked with.

    Raises:
        ToolError: One of them is not in this build.
    """
    oracle = find_oracle(patience_s)
    # In a build folder; beside the tool; as installed, with or without the machine's name.
    bin_dir = oracle.tool.parent
    places = [oracle.archives, bin_dir / "oracle", bin_dir, bin_dir.parent / "lib"]
    places += sorted((bin_dir.parent / "lib").glob("*-linux-*"))
    found = next((one for one in places if (one / _ARCHIVE).is_file()), None)
    if found is None:
        searched = ", ".join(str(one) for one in dict.fromkeys(places))
        msg = f"{_ARCHIVE}: not found in {searched}; build it with ninja -C build"
        raise ToolError(msg)
    return replace(oracle, archives=found)


def trace_programs(
    requests: Sequence[TraceRequest], inputs: Inputs, oracle: Oracle
) -> dict[str, Traced]:
    """Run programs, as many at once as there are CPUs.

    Args:
        requests: The programs; none has a name that another one has.
        inputs: Of each of them.
        oracle: Its limit of time holds for each step.
    """
    found = parallel(lambda one: _Tracer(one, inputs, oracle).trace(), requests, n_cpus())
    return {one.name: traced for one, traced in zip(requests, found, strict=True)}


def _limited() -> list[str]:
    """Return the words before a program that may write no larger file, and leaves no core.

    The limits must stand before its first instruction, and threads of ours forbid code of ours in
    the child; so a shell sets them.
    """
    blocks = str(_MOST_TRACE_BYTES // _BLOCK_BYTES)
    return ["/bin/sh", "-c", 'ulimit -c 0 && ulimit -f "$0" && exec "$@"', blocks]


class _Tracer:
    """One program: instrumented once, run once for its counts and once for its trace."""

    def __init__(self, request: TraceRequest, inputs: Inputs, oracle: Oracle) -> None:
        self._request = request
        self._inputs = inputs
        self._oracle = oracle
        self._executable = request.to / "traced"

    def trace(self) -> Traced:
        try:
            self._build()
            counts = self._request.to / "counts"
            exit_code = self._run(counts, {"LAXITY_WORKINGSET_COUNT_ONLY": "1"})
            executions = self._table("executions", counts)
        except NoVerdict as problem:
            reason = self._words(problem)
            return Traced(reason=reason, progression_reason=reason)
        traced = Traced(exit_code=exit_code, executions=executions)
        return self._with_progression(traced) if self._request.wants_progression else traced

    def _with_progression(self, traced: Traced) -> Traced:
        trace = self._request.to / "trace"
        try:
            self._run(trace, {})
            return replace(traced, progression=self._table("progression", trace))
        except NoVerdict as problem:
            return replace(traced, progression_reason=self._words(problem))
        finally:
            trace.unlink(missing_ok=True)

    def _build(self) -> None:
        """Make the executable.

        Raises:
            NoVerdict: It calls what the oracle does not know, or something is missing.
        """
        instrumented = self._request.to / "traced.bc"
        self._oracle.instrument(self._request.bitcode, instrumented)
        self._oracle.link(instrumented, self._executable, "trace")

    def _table(self, command: str, trace: Path) -> Path:
        to = self._request.to / f"{command}.csv"
        job = [] if self._request.job is None else ["--job", self._request.job]
        job += output_words(self._request.outputs) if command == "progression" else []
        program = self._request.bitcode
        self._oracle.must(command, self._oracle.tool, command, program, trace, *job, "-o", to)
        return to

    def _run(self, trace: Path, environment: dict[str, str]) -> int:
        """Run it in an empty directory; what it writes is nobody's.

        Raises:
            NoVerdict: It did not come to an end of its own.
        """
        directory = self._request.to / "run"
        directory.mkdir()
        told = self._request.to / "stderr"
        given = self._inputs.stdin or Path(os.devnull)
        try:
            with given.open("rb") as stdin, told.open("wb") as err:
                process = subprocess.Popen(
                    [*_limited(), str(self._executable), *self._inputs.arguments],
                    stdin=stdin,
                    stdout=subprocess.DEVNULL,
                    stderr=err,
                    cwd=directory,
                    env=os.environ | environment | {"LAXITY_WORKINGSET_TRACE": str(trace)},
                )
                code = self._wait(process)
        finally:
            shutil.rmtree(directory, ignore_errors=True)
        if code == -signal.SIGXFSZ:
            most = format_size_bytes(_MOST_TRACE_BYTES)
            msg = f"its trace, or a file that it writes, is larger than {most}"
            raise NoVerdict(msg)
        if code < 0:
            msg = f"its run ended by signal {-code} ({signal.Signals(-code).name})"
            raise NoVerdict(msg)
        if code == _TRACE_LOST:
            lines = told.read_text(encoding="utf-8", errors="replace")[-_WORDS_TOLD:].splitlines()
            msg = f"its run was not traced: {lines[-1] if lines else 'no reason given'}"
            raise NoVerdict(msg)
        return code

    def _wait(self, process: subprocess.Popen[bytes]) -> int:
        try:
            return process.wait(timeout=self._oracle.limit_s)
        except subprocess.TimeoutExpired:
            msg = f"its run did not end within {self._oracle.limit_s:g} s; raise --timeout"
            raise NoVerdict(msg) from None
        finally:
            process.kill()
            process.wait()

    def _words(self, problem: NoVerdict) -> str:
        """Say it without names of files that are gone when it is read."""
        words = " ".join(str(problem).replace(f"{TOOL}: ", "").split())
        if _NO_MAIN in words:
            return "it has no main, so nothing starts it"
        for path in (self._request.bitcode, self._request.to):
            words = words.replace(str(path), self._request.name)
        return words
