# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What a stored run of `laxity bound` holds, read for the report and for `laxity show`."""

from dataclasses import dataclass
from typing import Any

from laxity.bounds.document import Answer, decode_answer
from laxity.errors import RecordError, cannot_read
from laxity.jobs.run_data import RunData
from laxity.store.run_directory import BOUND, TASK_SET, Run


@dataclass(frozen=True, slots=True)
class Bounded:
    """The answer, None if it cannot be read, and the task set as it was given."""

    answer: Answer | None
    task_set_text: str


def read_bound(run: Run) -> tuple[Bounded, tuple[str, ...]]:
    """Read the answer of a run.

    Returns:
        What there is, and what cannot be read.
    """
    problems: list[str] = []
    answer = None
    try:
        answer = decode_answer(_read(run, BOUND), str(run.path / BOUND))
    except RecordError as error:
        problems.append(str(error))
    try:
        text = _read(run, TASK_SET).decode("utf-8", errors="replace")
    except RecordError as error:
        problems.append(str(error))
        text = ""
    return Bounded(answer, text), tuple(problems)


def _read(run: Run, name: str) -> bytes:
    path = run.path / name
    try:
        return path.read_bytes()
    except OSError as error:
        raise cannot_read(path, error) from error


def document(data: RunData) -> dict[str, Any]:
    """Write the answer for programs."""
    found: Bounded = data.findings
    return {"bound": found.answer}
