# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The card on top of every page: what it consists of, and how a run ended, in a word."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from laxity.errors import EXIT_NO_VERDICT, EXIT_VIOLATED
from laxity.jobs.results import stop_words
from laxity.jobs.run_data import PageData, RunData
from laxity.jobs.sections.machine import diagnosis_of, unknown_of
from laxity.page.blocks import Paragraph, Section, Table, count_noun, join_words
from laxity.store.manifest import Manifest

_DOCTOR_TONES = {"ready": "good", "usable with care": "attention", "unfit": "bad"}


@dataclass(frozen=True, slots=True)
class Tile:
    """One number of the card with its sample count and kind."""

    label: str
    value: str
    count: str
    kind: str
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Badge:
    """A word with a tone: good, attention or bad."""

    text: str
    tone: str


@dataclass(frozen=True, slots=True)
class Card:
    """The content of the card."""

    title: str
    status: Badge
    asked: tuple[str, ...]
    sentences: tuple[str, ...]
    machine: str
    message: str = ""
    doctor: Badge | None = None
    fallbacks: Badge | None = None
    tiles: tuple[Tile, ...] = ()
    table: Table | None = None
    notes: tuple[Paragraph, ...] = ()


def status_badge(manifest: Manifest) -> Badge:
    """Say in one word how a run ended."""
    if manifest.status == "complete" and manifest.exit_code == EXIT_VIOLATED:
        return Badge("limit violated", "bad")
    if manifest.exit_code == EXIT_NO_VERDICT:
        return Badge(f"{manifest.status}, no verdict", "attention")
    tones = {"complete": "good", "failed": "bad"}
    return Badge(manifest.status, tones.get(manifest.status, "attention"))


def run_badge(page: PageData) -> Badge:
    """Say how runs ended: nothing is good news of an uneasy machine, or of what is not judged."""
    badge = status_badge(page.manifest)
    is_calm = not any(
        one.doctor_drift for one in (page.manifest, *(run.manifest for run in page.runs))
    )
    is_judged = not any(task.unjudged for run in page.runs for task in run.tasks)
    doubts = [*([] if is_judged else ["not all judged"]), *([] if is_calm else ["disturbed"])]
    if badge.tone != "good" or not doubts:
        return badge
    return Badge(", ".join((badge.text, *doubts)), "attention")


def doctor_badge(page: PageData) -> Badge:
    """Say in a word what the doctor said before the runs, the worst of it."""
    if page.runs and all(run.kind == "simulated" for run in page.runs):
        return Badge("simulated", "good")
    found = [diagnosis_of(run, "before") for run in page.runs]
    badges = [one.badge for one in found if one is not None]
    worst = next((word for word in ("unfit", "usable with care", "ready") if word in badges), None)
    if worst is None:
        return Badge("doctor: not known", "attention")
    drifted = ", drifted" if any(run.manifest.doctor_drift for run in page.runs) else ""
    return Badge(f"doctor: {worst}{drifted}", "attention" if drifted else _DOCTOR_TONES[worst])


def fallback_badge(page: PageData) -> Badge | None:
    """Say how often something less was used than was asked for; None: never."""
    count = sum(len(run.manifest.fallbacks) for run in page.runs)
    count += len(page.manifest.fallbacks) if page.is_composite else 0
    return Badge(count_noun(count, "fallback"), "attention") if count else None


def notes_of(page: PageData, sections: Sequence[Section]) -> tuple[Paragraph, ...]:
    """Say what weakens the figures of a page, the worst first.

    Args:
        page: What it is about.
        sections: Of the page: the first one of a run tells what is missing of it.
    """
    notes = []
    statuses = {
        "interrupted": "The run was interrupted: everything measured until then is kept.",
        "recovered": "The run was cut off and recovered: rows written up to then are kept.",
        "failed": "The run failed: what was measured until then is kept.",
        "running": "The run has not finished: this is what was there when the report was made.",
    }
    if page.manifest.status in statuses:
        notes.append(Paragraph(statuses[page.manifest.status], "warning"))
    if any(run.problems for run in page.runs):
        places = {f"“{_place_of(run, sections)}”" for run in page.runs if run.problems}
        text = f"Some data is missing or inconsistent; see {join_words(sorted(places))}."
        notes.append(Paragraph(text, "warning"))
    notes += _calm_notes(page)
    for run in page.runs:
        words = stop_words(run.manifest)
        if words is not None:
            where = f"{run.label}: " if page.is_composite else ""
            notes.append(Paragraph(f"{where}{words[0].upper()}{words[1:]}.", "note"))
    # What is lost weighs more than what disturbed, and that more than what is not known.
    return tuple(sorted(notes, key=lambda one: one.tone != "warning"))


def _calm_notes(page: PageData) -> Iterator[Paragraph]:
    """Say what disturbed the runs, and of what it is not known whether it did."""
    told: dict[str, list[str]] = {}
    for run in page.runs:
        for line in run.manifest.doctor_drift:
            told.setdefault(f"Disturbed during the run{{}}: {line}.", []).append(run.label)
        for line in unknown_of(run):
            told.setdefault(f"Not known{{}}: {line}.", []).append(run.label)
    for line, labels in told.items():
        of_runs = f" ({join_words(labels)})" if page.is_composite else ""
        yield Paragraph(line.format(of_runs), "warning" if line.startswith("Dist") else "note")


def _place_of(run: RunData, sections: Sequence[Section]) -> str:
    """Name the section that tells what is missing of a run."""
    titles = (one.title for one in sections if one.identity.startswith(f"{run.prefix}-"))
    return next(titles, run.label)
