# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The report page of a run of kind `contention`."""

from laxity.contention.document import CELL_COLUMNS, LOAD_COLUMNS, evaluation_sentences
from laxity.contention.trial import read_trial
from laxity.core.percent import percent
from laxity.jobs.card import Card, run_badge
from laxity.jobs.page import Page, page_of_one, whole
from laxity.jobs.sections import files, reproduce
from laxity.page.blocks import Section
from laxity.page.columns import table_block
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
    profiled = table_block("Loads of the contention table (simulated)", LOAD_COLUMNS, table.loads)
    sections = [Section("loads", "Profile", (profiled,))]
    for evaluation in trial.evaluations:
        caption = (
            f"Policy {evaluation.policy}, limit {percent(evaluation.theta_ppm)} (simulated, one "
            "cold job with each load)"
        )
        cells = table_block(caption, CELL_COLUMNS, evaluation.cells)
        sections.append(Section(evaluation.policy, f"Regulated by {evaluation.policy}", (cells,)))
    return Page(page, card, whole([*sections, files.build(page), reproduce.build(page)]))
