# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The report page of an experiment with drawn task sets."""

from laxity.bounds import experiment_section as experiment
from laxity.bounds.experiment_data import document, read_shares
from laxity.jobs.card import Card, fallback_badge, notes_of, status_badge
from laxity.jobs.page import Page, page_of_one, whole
from laxity.jobs.run_data import PageData
from laxity.jobs.sections import fallbacks, files, reproduce
from laxity.jobs.view import View
from laxity.page.blocks import Section
from laxity.store.run_directory import Run

VIEW = View(
    read=read_shares,
    document=document,
    asked="which share of task sets drawn at random is schedulable, against their utilisation",
    sentences=experiment.sentences,
    sections=(experiment.build, experiment.build_costs, experiment.build_method),
    is_computed=True,
)


def page_of(run: Run, _exceedance: float | None) -> Page:
    """Build the page; what of the run cannot be read is said on it."""
    page = page_of_one(run, VIEW)
    (data,) = page.runs
    built = (
        fallbacks.build(page),
        *(build(data) for build in VIEW.sections),
        files.build(page),
        reproduce.build(page),
    )
    sections = tuple(one for one in built if one is not None)
    return Page(page, _card(page, sections), whole(sections))


def _card(page: PageData, sections: tuple[Section, ...]) -> Card:
    """Build the card: nothing ran, so no doctor watched."""
    (run,) = page.runs
    asked = run.manifest.experiment
    return Card(
        title=page.manifest.name,
        status=status_badge(page.manifest),
        fallbacks=fallback_badge(page),
        asked=(VIEW.asked, *(() if asked is None else (experiment.asked_line(asked),))),
        sentences=VIEW.sentences(run),
        message=page.manifest.message,
        machine="not known" if asked is None else experiment.machine_line(asked),
        notes=notes_of(page, sections),
    )
