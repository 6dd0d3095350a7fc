# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a stored run of `laxity workingset` holds, read for its report."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laxity.errors import ConfigError
from laxity.jobs.read_tasks import try_read
from laxity.store.run_directory import WORKING_SET, Run, file_sha256, read_document
from laxity.workingset.document import WorkingSetAnswer
from laxity.workingset.tables import (
    BOUNDED,
    FUNCTIONS,
    INSTRUCTIONS,
    OBJECTS,
    PROGRESSION,
    TOTAL,
    Table,
    programs_of,
    read_table,
)


@dataclass(frozen=True, slots=True)
class LineSize:
    """The most that is live at an instruction of a source line; None: unbounded.

    `bounded_bits`: of what has a bound; None: runs of earlier builds do not say. `objects`: the
    largest that are live there, `name:bits`, bits empty of one of unknown size.
    """

    most_bits: int | None
    bounded_bits: int | None
    instructions: int
    objects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceLines:
    """One source of one program; `text` None: it is not there any more, or has changed."""

    program: str
    file: str
    text: str | None
    lines: Mapping[int, LineSize]


@dataclass(frozen=True, slots=True)
class Progression:
    """Live bytes along one run, by stretch of it; `first`: instructions executed before it.

    All of shape (stretch,). Each stretch has the extremes of what was executed in it.
    """

    program: str
    executed: int
    first: NDArray[np.int64]
    dynamic_most: NDArray[np.int64]
    static_least: NDArray[np.int64]
    static_most: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class WorkingSetData:
    """The answer and its tables; what could not be read is a problem."""

    answer: WorkingSetAnswer
    functions: Table | None
    objects: Table | None
    sources: tuple[SourceLines, ...]
    progressions: tuple[Progression, ...] = ()
    problems: tuple[str, ...] = field(default=())


def read_answer(run: Run) -> WorkingSetAnswer:
    """Read workingset.json.

    Raises:
        ConfigError: The run is of another kind.
        RecordError: It is missing or none.
    """
    if run.manifest.kind != "workingset":
        msg = f"run {run.path}: is of kind {run.manifest.kind}; name a run of laxity workingset"
        raise ConfigError(msg)
    return read_document(run.path / WORKING_SET, WorkingSetAnswer)


def read_working_set(run: Run) -> WorkingSetData:
    """Read a run for its report.

    Raises:
        RecordError: Its answer is missing or damaged.
    """
    answer = read_answer(run)
    problems: list[str] = []
    instructions = _try_table(run.path / INSTRUCTIONS, problems)
    return WorkingSetData(
        answer=answer,
        functions=_try_table(run.path / FUNCTIONS, problems),
        objects=_try_table(run.path / OBJECTS, problems),
        sources=() if instructions is None else _sources(answer, instructions),
        progressions=_progressions(_try_table(run.path / PROGRESSION, problems)),
        problems=tuple(problems),
    )


def _try_table(path: Path, problems: list[str]) -> Table | None:
    return try_read(lambda: read_table(path), None, problems) if path.is_file() else None


def _progressions(table: Table | None) -> tuple[Progression, ...]:
    if table is None:
        return ()
    found = []
    for program in programs_of(table):
        rows = table.chosen(np.array([one == program for one in table.texts("program")]))
        first = rows.integers("first")
        found.append(
            Progression(
                program=program,
                executed=int(first[-1] + rows.integers("executed")[-1]),
                first=first,
                dynamic_most=rows.integers("dynamic_max_bytes"),
                static_least=rows.integers("static_min_bytes"),
                static_most=rows.integers("static_max_bytes"),
            )
        )
    return tuple(found)


def _sources(answer: WorkingSetAnswer, table: Table) -> tuple[SourceLines, ...]:
    """Gather the instructions of each line, by program and file."""
    found: dict[tuple[str, str], dict[int, list[_Live]]] = {}
    for program, file, line, bits, bounded, status, objects in zip(
        table.texts("program"),
        table.texts("file"),
        table.optional_integers("line"),
        table.bits(TOTAL).tolist(),
        table.bits(BOUNDED if BOUNDED in table.columns else TOTAL).tolist(),
        table.texts("status"),
        table.texts("objects"),
        strict=True,
    ):
        if file and line and status != "unreached":
            found.setdefault((program, file), {}).setdefault(line, []).append(
                _Live(bounded, bits, objects)
            )
    texts = {file: _unchanged_text(answer, file) for _, file in found}
    return tuple(
        SourceLines(program, file, texts[file], {line: _size(live) for line, live in lines.items()})
        for (program, file), lines in found.items()
    )


class _Live(NamedTuple):
    bounded: float
    bits: float
    objects: str


def _size(live: list[_Live]) -> LineSize:
    """Return the most of any instruction of a line; one without a bound leaves it unbounded."""
    most = max(live)
    is_bounded = all(np.isfinite(one.bits) for one in live)
    named = tuple(most.objects.split(";")) if most.objects else ()
    bounded = int(most.bounded) if np.isfinite(most.bounded) else None
    return LineSize(bounded if is_bounded else None, bounded, len(live), named)


def _unchanged_text(answer: WorkingSetAnswer, file: str) -> str | None:
    stated = answer.files.get(file)
    path = Path(file)
    try:
        if stated is None or file_sha256(path) != stated:
            return None
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
