# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Fallbacks, what was asked for and replaced by something less, and notes; before any figure."""

from collections.abc import Sequence

from laxity.jobs.card import Badge
from laxity.jobs.run_data import PageData
from laxity.page.blocks import (
    Block,
    Paragraph,
    Section,
    Table,
    as_sentence,
    count_noun,
    name_some,
    text_cell,
)
from laxity.store.run_warnings import RunWarning


def lines_within(warnings: Sequence[RunWarning], n_runs: int) -> tuple[str, ...]:
    """Write the warnings of the runs that a command is made of, each with its runs."""
    return tuple(f"{warning.text} ({_named(warning, n_runs)})" for warning in warnings)


def build_within(warnings: Sequence[RunWarning], n_runs: int) -> Section | None:
    """Build the section of a page whose runs are not shown one by one; None: nothing is stated."""
    if not warnings:
        return None
    blocks = [Paragraph(as_sentence(line), "warning") for line in lines_within(warnings, n_runs)]
    return Section("warnings", "Warnings of the runs", tuple(blocks))


def badge_within(warnings: Sequence[RunWarning]) -> Badge | None:
    """Count the warnings; None: there are none."""
    return Badge(count_noun(len(warnings), "warning"), "attention") if warnings else None


def _named(warning: RunWarning, n_runs: int) -> str:
    if len(warning.runs) == n_runs:
        return f"all {n_runs} runs" if n_runs > 1 else "the run"
    return name_some(warning.runs)


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
