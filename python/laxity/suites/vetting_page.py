# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The report page of a vetting."""

from pathlib import PurePath

from laxity.errors import EXIT_VIOLATED
from laxity.jobs.card import Badge, Card, status_badge
from laxity.jobs.page import Page, page_of_one, whole
from laxity.jobs.run_data import PageData
from laxity.jobs.sections import files, reproduce
from laxity.jobs.sections.machine import machine_line
from laxity.page.blocks import count_noun, name_some, show_count
from laxity.store.manifest import Manifest
from laxity.store.run_directory import Run
from laxity.suites import vetting_section as vetting
from laxity.suites.page import notes_of_ended
from laxity.suites.result import VettingDocument
from laxity.suites.stored_results import read_vetting_seen


def page_of(run: Run, _exceedance: float | None) -> Page:
    """Build the page.

    Raises:
        RecordError: vetting.json is damaged.
    """
    document = read_vetting_seen(run.path)
    page = page_of_one(run)
    built = (
        vetting.build(document),
        vetting.build_rejected(document),
        vetting.build_details(document),
        vetting.build_unplaced(document),
        vetting.build_method(),
        files.build(page),
        reproduce.build(page),
    )
    return Page(page, _card(page, document), whole(built))


def _card(page: PageData, document: VettingDocument) -> Card:
    return Card(
        title=f"Vetting of {PurePath(document.checkout).name}",
        status=_status(page.manifest),
        asked=(
            f"{document.checkout}, compiled by {document.cc}, "
            f"{count_noun(document.jobs_per_mode, 'job')} in each mode",
        ),
        sentences=sentences_of(document),
        message="" if page.manifest.status == "complete" else page.manifest.message,
        machine=machine_line(page.runs[0]),
        notes=notes_of_ended(page),
    )


def _status(manifest: Manifest) -> Badge:
    if manifest.status == "complete" and manifest.exit_code == EXIT_VIOLATED:
        return Badge("programs rejected", "attention")
    return status_badge(manifest)


def sentences_of(document: VettingDocument) -> tuple[str, ...]:
    """Say how many programs may be repeated, and which may not."""
    rejected = [one.program for one in document.programs if one.mode is None]
    n_all = len(document.programs)
    n_none = sum(one.mode == "none" for one in document.programs)
    n_isolated = n_all - n_none - len(rejected)
    sentences = [
        f"Of {count_noun(n_all, 'program')} {show_count(n_none)} may be repeated as they are, "
        f"{show_count(n_isolated)} need isolation between jobs, {show_count(len(rejected))} "
        "have no right mode."
    ]
    if rejected:
        sentences.append(f"Rejected: {name_some(rejected)}.")
    if document.unplaced:
        sentences.append(f"Discovery left {count_noun(len(document.unplaced), 'item')} out.")
    return tuple(sentences)
