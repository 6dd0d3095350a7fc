# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The card on top of every page: what it consists of, and how a run ended, in a word."""

from dataclasses import dataclass

from laxity.errors import EXIT_NO_VERDICT, EXIT_VIOLATED
from laxity.jobs.run_data import PageData
from laxity.jobs.sections.machine import diagnosis_of
from laxity.page.blocks import Paragraph, Table
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
    doctor: Badge | None
    fallbacks: Badge | None
    asked: tuple[str, ...]
    sentences: tuple[str, ...]
    message: str
    tiles: tuple[Tile, ...]
    table: Table | None
    machine: str
    date: str
    notes: tuple[Paragraph, ...]


def status_badge(manifest: Manifest) -> Badge:
    """Say in one word how a run ended."""
    if manifest.status == "complete" and manifest.exit_code == EXIT_VIOLATED:
        return Badge("limit violated", "bad")
    if manifest.exit_code == EXIT_NO_VERDICT:
        return Badge(f"{manifest.status}, no verdict", "attention")
    tones = {"complete": "good", "failed": "bad"}
    return Badge(manifest.status, tones.get(manifest.status, "attention"))


def run_badge(page: PageData) -> Badge:
    """Say how runs on a machine ended: nothing is good news where the machine was not calm."""
    badge = status_badge(page.manifest)
    is_calm = not any(
        one.doctor_drift for one in (page.manifest, *(run.manifest for run in page.runs))
    )
    return (
        badge if is_calm or badge.tone != "good" else Badge(f"{badge.text}, disturbed", "attention")
    )


def doctor_badge(page: PageData) -> Badge:
    """Say in a word what the doctor said before the runs, the worst of it."""
    found = [diagnosis_of(run, "before") for run in page.runs]
    badges = [one.badge for one in found if one is not None]
    worst = next((word for word in ("unfit", "usable with care", "ready") if word in badges), None)
    if worst is None:
        return Badge("doctor: not known", "attention")
    drifted = ", drifted" if any(run.manifest.doctor_drift for run in page.runs) else ""
    return Badge(f"doctor: {worst}{drifted}", "attention" if drifted else _DOCTOR_TONES[worst])
