# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Start laxity-workingset, the analysis, for each program, and read its summaries."""

import os
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from laxity.errors import ConfigError, NoVerdict, RecordError, ToolError, cannot_read
from laxity.model.wording import plain_words
from laxity.model.working_set_annotations import Annotations
from laxity.model.working_set_why import WHY_SCHEMA, WhyAnswer
from laxity.runner.tools import find_tool

TOOL = "laxity-workingset"
SUMMARY = "summary.json"
_SETUP = "run ./laxity setup --with workingset"


class ToolSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What is used of the summary.json of one program; what else it says is left."""

    triple: str | None = None
    data_layout: str | None = None
    mode: str = "program"
    assumptions: list[str] = []
    unmatched_annotations: list[str] = []


@dataclass(frozen=True, slots=True)
class Analysed:
    """What the tool left of one program: a directory with its tables, and its summary.

    `process_ns`: from the start of its process to its end. `message` says why there is no answer.
    """

    program: str
    directory: Path
    summary: ToolSummary
    process_ns: int | None = None
    message: str = ""


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
    form: str,
    job: str | None,
    patience_s: float,
    more: Sequence[str] = (),
) -> list[Analysed]:
    """Analyse programs.

    Args:
        programs: Name and bitcode of each; the names are those of the files.
        to: Empty directory; each program gets a directory below it.
        form: What was done to the bitcode, for the record.
        job: The function whose call is one job; None: whole programs.
        patience_s: One program may take so long; what takes longer has no answer.

        more: Further options of the tool.

    Raises:
        ToolError: The tool is missing.
        RecordError: Its summary is of another version.
    """
    tool = require_tool()
    words = [*([] if job is None else ["--job", job]), *more]

    def analyse_one(item: tuple[str, Path]) -> Analysed:
        name, bitcode = item
        place = to / bitcode.stem
        asked = [str(tool), str(bitcode), "--out", str(place), "--form", form, *words]
        started_ns = time.monotonic_ns()
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
        except subprocess.TimeoutExpired:
            message = f"{TOOL} did not end within {patience_s} s; raise --timeout"
            return Analysed(name, place, ToolSummary(), message=message)
        if done.returncode:
            reason = f"ended by signal {-done.returncode}: " if done.returncode < 0 else ""
            message = reason + _own_words(done.stderr)
            return Analysed(name, place, ToolSummary(), message=message)
        took_ns = time.monotonic_ns() - started_ns
        return Analysed(name, place, _read(place / SUMMARY), took_ns)

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(analyse_one, programs))


def annotation_words(annotations: Annotations | None, scratch: Path) -> list[str]:
    """Write annotations where the tool reads them, and give the words that say so."""
    if annotations is None:
        return []
    path = scratch / "annotations.json"
    path.write_bytes(msgspec.json.encode(annotations))
    return ["--annotations", str(path)]


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
    """Give the last line of what the tool said, without its name."""
    lines = [line for line in text.strip().splitlines() if line]
    return lines[-1].removeprefix(f"{TOOL}: ") if lines else f"{TOOL} gave no reason"
