# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The report page of a reproduction."""

from laxity.jobs.card import Card, run_badge
from laxity.jobs.page import Page, page_of_one, whole
from laxity.jobs.sections import fallbacks, files, reproduce
from laxity.page.blocks import Section
from laxity.papers import section as papers
from laxity.papers.paper import paper_of
from laxity.papers.result import Reproduction, read_reproduction
from laxity.store.run_directory import Run
from laxity.store.run_warnings import warnings_within


def _machine(document: Reproduction) -> str:
    exhibits = paper_of(document.paper, document.preset).named(document.figures)
    if all(one.is_of_machine for one in exhibits):
        return "this one, as it was"
    return "simulated platforms, named in each table"


def page_of(run: Run, _exceedance: float | None) -> Page:
    """Build the page; the measurements have pages of their own.

    Raises:
        RecordError: reproduction.json or a run within is damaged.
    """
    document = read_reproduction(run.path)
    page = page_of_one(run)
    warnings = warnings_within(run.children)
    card = Card(
        title=paper_of(document.paper).title,
        status=run_badge(page),
        fallbacks=fallbacks.badge_within(warnings),
        asked=(paper_of(document.paper).reference, ", ".join(document.figures)),
        sentences=papers.sentences(document),
        message="" if run.manifest.status == "complete" else run.manifest.message,
        machine=_machine(document),
    )
    about = Section("about", "What is reproduced", papers.overview(document))
    weak = fallbacks.build_within(warnings, len(run.children))
    built = (weak, about, *papers.sections(run), files.build(page), reproduce.build(page))
    return Page(page, card, whole(built), below=run.children)
