# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Let laxity-workingset analyse programs, one process per CPU, and read its summaries.

A process analyses one program after the other. Where it ends in the middle of one, by a signal or
because that one took too long, the program has no answer and a new process goes on with the rest.
"""

import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import IO, Any

import msgspec

from laxity.core.executor import n_cpus, parallel
from laxity.core.wording import plain_words
from laxity.errors import ConfigError, NoVerdict, RecordError, ToolError, cannot_read
from laxity.platform.tools import find_tool
from laxity.workingset.annotations import Annotations
from laxity.workingset.why_document import WHY_SCHEMA, WhyAnswer

TOOL = "laxity-workingset"
SUMMARY = "summary.json"
_SETUP = "run ./laxity setup --with workingset"


class Misapplied(msgspec.Struct, frozen=True, kw_only=True):
    """An annotation that cannot be about what it names, and why."""

    name: str
    reason: str


class ToolSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What is used of the summary.json of one program; what else it says is left."""

    status: str = "analysed"
    message: str = ""
    triple: str | None = None
    data_layout: str | None = None
    mode: str = "program"
    assumptions: list[str] = []
    unbounded_objects: list[str] = []
    unbounded_recursions: list[list[str]] = []
    unmatched_annotations: list[str] = []
    misapplied_annotations: list[Misapplied] = []


@dataclass(frozen=True, slots=True)
class Analysed:
    """What the tool left of one program: a directory with its tables, and its summary.

    `process_ns`: from reading its bitcode to its last table. `message` says why there is no answer.
    """

    program: str
    directory: Path
    summary: ToolSummary
    process_ns: int | None = None
    message: str = ""


def _ignore() -> None:
    pass


def require_tool() -> Path:
    """Find the analysis.

    Raises:
        ToolError: It is not built: this build was made without LLVM.
    """
    try:
        return find_tool(TOOL)
    except ToolError as error:
        if "not found" not in str(error):
            raise
        msg = f"{TOOL}: not in this build, which was made without LLVM; {_SETUP}"
        raise ToolError(msg) from error


def analyse(
    programs: Sequence[tuple[str, Path]],
    to: Path,
    job: str | None,
    patience_s: float,
    more: Sequence[str] = (),
    on_answered: Callable[[], None] = _ignore,
) -> list[Analysed]:
    """Analyse programs.

    Args:
        programs: Name and bitcode of each; the names are those of the files.
        to: Empty directory; each program gets a directory below it.
        job: The function whose call is one job; None: whole programs.
        patience_s: One program may take so long; what takes longer has no answer.
        more: Further options of the tool.
        on_answered: Told of each program that has an answer, from any thread.

    Raises:
        ToolError: The tool is missing.
        RecordError: Its summary is of another version.
    """
    tool = require_tool()
    words = [str(tool), "--progress"]
    words += [*([] if job is None else ["--job", job]), *more]
    # The largest first, by turns: so the processes end at about the same time.
    by_size = sorted(programs, key=lambda item: -_size(item[1]))
    n_processes = max(1, min(n_cpus(), len(by_size)))
    shares = [by_size[i::n_processes] for i in range(n_processes)]

    def analyse_share(share: Sequence[tuple[str, Path]]) -> dict[str, Analysed]:
        return _analyse_in_turn(words, share, to, patience_s, on_answered)

    found: dict[str, Analysed] = {}
    for part in parallel(analyse_share, shares, n_processes):
        found |= part
    return [found[name] for name, _ in programs]


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _analyse_in_turn(
    words: Sequence[str],
    programs: Sequence[tuple[str, Path]],
    to: Path,
    patience_s: float,
    on_answered: Callable[[], None],
) -> dict[str, Analysed]:
    """Analyse programs by one process, and by a further one behind each that ends it."""
    found: dict[str, Analysed] = {}
    rest = list(programs)
    while rest:
        process = _Process(words, rest, to, patience_s, on_answered)
        n_ended = len(process.took_ns)
        for name, bitcode in rest[:n_ended]:
            place = to / bitcode.stem
            summary = _read(place / SUMMARY)
            found[name] = Analysed(name, place, summary, message=summary.message)
            if summary.status != "failed":
                found[name] = Analysed(name, place, summary, process.took_ns[bitcode.stem])
        rest = rest[n_ended:]
        if rest:  # the first of them ended the process
            name, bitcode = rest.pop(0)
            place = to / bitcode.stem
            found[name] = Analysed(name, place, ToolSummary(), message=process.reason)
    return found


class _Process:
    """One run of the tool to its end: how long each program took that it answered.

    `reason` says why the process ended before its time.
    """

    def __init__(
        self,
        words: Sequence[str],
        programs: Sequence[tuple[str, Path]],
        to: Path,
        patience_s: float,
        on_answered: Callable[[], None],
    ) -> None:
        self._on_answered = on_answered
        self.took_ns: dict[str, int] = {}
        self._patience_s = patience_s
        self._is_late = False
        # Of one program it would write the tables into the folder itself.
        folder = to / programs[0][1].stem if len(programs) == 1 else to
        asked = [*words, *(str(bitcode) for _, bitcode in programs), "--out", str(folder)]
        with tempfile.TemporaryFile("w+", errors="replace") as messages:
            with subprocess.Popen(
                asked,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=messages,
                text=True,
                errors="replace",
            ) as process:
                assert process.stdout is not None  # noqa: S101 - it is a pipe
                self._follow(process, process.stdout)
            messages.seek(0)
            said = _own_words(messages.read())
        self.reason = self._reason(process.returncode, said)

    def _follow(self, process: subprocess.Popen[str], lines: IO[str]) -> None:
        """Read its progress; kill it where one program takes too long."""

        def kill() -> None:
            self._is_late = True
            process.kill()

        timer = Timer(self._patience_s, kill)
        timer.start()
        try:
            for line in lines:
                word, _, rest = line.rstrip("\n").partition(" ")
                if word == "start":
                    timer.cancel()
                    timer = Timer(self._patience_s, kill)
                    timer.start()
                elif word == "end":
                    stem, _, took_ns = rest.rpartition(" ")
                    self.took_ns[stem] = int(took_ns)
                    self._on_answered()
        finally:
            timer.cancel()

    def _reason(self, code: int, said: str) -> str:
        if self._is_late:
            return f"{TOOL} did not end within {self._patience_s} s; raise --timeout"
        # What it said before a signal was about other programs.
        return f"{TOOL} was ended by signal {-code} in the middle of it" if code < 0 else said


def annotation_words(annotations: Annotations | None, scratch: Path) -> list[str]:
    """Write annotations where the tool reads them, and give the words that say so."""
    if annotations is None:
        return []
    path = scratch / "annotations.json"
    path.write_bytes(msgspec.json.encode(annotations))
    return ["--annotations", str(path)]


def output_words(outputs: Sequence[str]) -> list[str]:
    """Return the words by which the tools learn what somebody outside reads after each job."""
    return [word for name in outputs for word in ("--output", name)]


def explain(
    bitcode: Path, question: str, job: str | None, patience_s: float, more: Sequence[str] = ()
) -> WhyAnswer:
    """Ask why an object is live at a line of a program, or why not.

    Args:
        bitcode: The program.
        question: OBJECT@LINE.
        job: The function whose call is one job; None: the whole program.
        patience_s: The answer may take so long.
        more: Further options of the tool.

    Raises:
        ToolError: The tool is missing.
        ConfigError: There is no such object or line, or more than one.
        NoVerdict: There was no answer in time.
        RecordError: The answer is of another version.
    """
    asked = [str(require_tool()), str(bitcode), "--why", question, *more]
    asked += [] if job is None else ["--job", job]
    try:
        done = subprocess.run(
            asked,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=patience_s,
        )
    except subprocess.TimeoutExpired as error:
        msg = f"--why {question}: no answer within {patience_s} s; raise --timeout"
        raise NoVerdict(msg) from error
    if done.returncode < 0:
        msg = f"--why {question}: {TOOL} ended by signal {-done.returncode}; report it"
        raise NoVerdict(msg)
    if done.returncode:
        raise ConfigError(_own_words(done.stderr))
    try:
        answer = msgspec.json.decode(done.stdout, type=WhyAnswer)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        msg = f"{TOOL}: answer unreadable ({plain_words(error)}); rebuild it with ninja -C build"
        raise RecordError(msg) from error
    if answer.schema != WHY_SCHEMA:
        msg = f"{TOOL}: answers in schema {answer.schema}; this build reads {WHY_SCHEMA}"
        raise RecordError(msg)
    return answer


def _read(path: Path) -> ToolSummary:
    try:
        document: dict[str, Any] = msgspec.json.decode(path.read_bytes())
        return msgspec.convert(document, ToolSummary)
    except OSError as error:
        raise cannot_read(path, error) from error
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        msg = f"{path}: unreadable ({plain_words(error)}); rebuild {TOOL} with ninja -C build"
        raise RecordError(msg) from error


def _own_words(text: str) -> str:
    """Return the last line of what the tool said, without its name."""
    lines = [line for line in text.strip().splitlines() if line]
    return lines[-1].removeprefix(f"{TOOL}: ") if lines else f"{TOOL} gave no reason"
