# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The report page of a stored comparison."""

from pathlib import Path

import msgspec

from laxity.compare import section as compare
from laxity.compare.sides import Answer
from laxity.core.wording import plain_words
from laxity.errors import RecordError, cannot_read
from laxity.jobs.card import Badge, Card
from laxity.jobs.page import Page, page_of_one, whole
from laxity.jobs.sections import files, reproduce
from laxity.store.run_directory import COMPARE, Run

_BADGES = {
    "violated": Badge("regression", "bad"),
    "holds": Badge("nothing stated has happened", "good"),
    "no_verdict": Badge("no verdict", "attention"),
    "compared": Badge("compared", "good"),
}
_SHORT_HASH = 12


def read_answer(run: Run) -> Answer:
    """Read compare.json.

    Raises:
        RecordError: It is missing or none.
    """
    path = run.path / COMPARE
    try:
        return msgspec.json.decode(path.read_bytes(), type=Answer)
    except OSError as error:
        raise cannot_read(path, error) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        msg = f"{path}: unreadable ({plain_words(error)}); the run is damaged"
        raise RecordError(msg) from error


def page_of(run: Run, _exceedance: float | None) -> Page:
    """Build the page.

    Raises:
        RecordError: The answer is missing or damaged.
    """
    answer = read_answer(run)
    page = page_of_one(run)
    sections = (*compare.sections(answer), files.build(page), reproduce.build(page))
    return Page(page, _card(run, answer), whole(sections))


def _card(run: Run, answer: Answer) -> Card:
    """Build the verdict card."""
    results = answer.results
    has_changes = any(result.comparison.doctor for result in results)
    doctor = Badge("doctor: saw changes", "attention")
    machine_hash = run.manifest.machine_hash
    base, *names = (
        Path(path).name or path for path in (answer.base, *(one.comparison.path for one in results))
    )
    return Card(
        title=f"{' and '.join(names)} against {base}",
        status=_BADGES[answer.verdict],
        doctor=doctor if has_changes else Badge("doctor: saw no change", "good"),
        asked=tuple(f"{one.comparison.path} against {answer.base}" for one in results),
        sentences=compare.sentences(answer),
        message=run.manifest.message,
        machine=f"hash {machine_hash[:_SHORT_HASH]}" if machine_hash else "not known",
    )
