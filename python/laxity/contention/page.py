# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The report page of a run of kind `contention`."""

from collections.abc import Sequence

from laxity.contention.document import (
    CELL_COLUMNS,
    LOAD_COLUMNS,
    Column,
    evaluation_sentences,
    percent,
)
from laxity.contention.trial import read_trial
from laxity.jobs.card import Card, run_badge
from laxity.jobs.page import Page, page_of_one, whole
from laxity.jobs.sections import files, reproduce
from laxity.page.blocks import Section, Table, number_cell, text_cell
from laxity.store.run_directory import Run


def page_of(run: Run, _exceedance: float | None) -> Page:
    """Build the page.

    Raises:
        RecordError: trial.json is missing or damaged.
    """
    trial = read_trial(run)
    page = page_of_one(run)
    table = trial.table
    sentences = [evaluation_sentences(evaluation)[0] for evaluation in trial.evaluations]
    card = Card(
        title=run.manifest.name,
        status=run_badge(page),
        asked=(" ".join([table.workload, *table.args]), f"{len(table.loads)} loads"),
        sentences=tuple(sentences),
        message=run.manifest.message,
        machine=table.platform,
    )
    profiled = _table("Loads of the contention table (simulated)", LOAD_COLUMNS, table.loads)
    sections = [Section("loads", "Profile", (profiled,))]
    for evaluation in trial.evaluations:
        caption = (
            f"Policy {evaluation.policy}, limit {percent(evaluation.theta_ppm)} (simulated, one "
            "cold job with each load)"
        )
        cells = _table(caption, CELL_COLUMNS, evaluation.cells)
        sections.append(Section(evaluation.policy, f"Regulated by {evaluation.policy}", (cells,)))
    return Page(page, card, whole([*sections, files.build(page), reproduce.build(page)]))


def _table(caption: str, columns: Sequence[Column], rows: Sequence[object]) -> Table:
    cells = [
        tuple(
            number_cell(column.text(row)) if column.is_number else text_cell(column.text(row))
            for column in columns
        )
        for row in rows
    ]
    return Table(caption, tuple(column.header for column in columns), tuple(cells))
