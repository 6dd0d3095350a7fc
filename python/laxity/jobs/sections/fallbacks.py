# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Fallbacks, what was asked for and replaced by something less, and notes; before any figure."""

from laxity.jobs.run_data import PageData
from laxity.page.blocks import Block, Paragraph, Section, Table, text_cell


def build(page: PageData) -> Section | None:
    """Build the section; None if nothing was replaced, nothing noted and nothing is damaged."""
    blocks: list[Block] = [Paragraph(problem, "warning") for problem in page.problems]
    notes = [
        f"{run.label}: {note}" if page.is_composite else note
        for run in page.runs
        for note in run.manifest.notes
    ]
    blocks += [Paragraph(f"{note}.", "warning") for note in notes]
    rows = tuple(
        (text_cell(one.what, run.label if page.is_composite else ""), text_cell(one.used),
         text_cell(one.reason))
        for run in page.runs
        for one in run.manifest.fallbacks
    )  # fmt: skip
    rows += tuple(
        (text_cell(one.what), text_cell(one.used), text_cell(one.reason))
        for one in page.manifest.fallbacks
        if page.is_composite
    )
    if rows:
        text = "Not everything could be had as asked for; all figures hold for what was used."
        blocks.append(Paragraph(text, "warning"))
        blocks.append(Table("Fallbacks", ("asked for", "used instead", "because"), rows))
    title = "Fallbacks and notes" if notes else "Fallbacks"
    return Section("fallbacks", title, tuple(blocks)) if blocks else None
