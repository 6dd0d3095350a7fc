# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The report page of a stored bound."""

from laxity.bounds import costs_section, section
from laxity.bounds.data import document, read_bound
from laxity.bounds.document import Answer
from laxity.bounds.section import FACTORS, answer_of, factor_of, factor_words, verdict_words
from laxity.bounds.verdicts import SCHEDULABLE
from laxity.jobs.card import Badge, Card, Tile, fallback_badge, notes_of, status_badge
from laxity.jobs.page import Page, page_of_one, whole
from laxity.jobs.run_data import PageData
from laxity.jobs.sections import fallbacks, files, machine, reproduce
from laxity.jobs.sections.machine import machine_line
from laxity.jobs.view import View
from laxity.page.blocks import Section, show_count
from laxity.store.run_directory import Run

_TONES = {"schedulable": "good", "not_schedulable": "bad", "not_provable": "attention"}
VIEW = View(
    read=read_bound,
    document=document,
    asked="whether a task set keeps its deadlines",
    sentences=section.sentences,
    sections=(
        section.build,
        section.build_parts,
        section.build_sensitivity,
        costs_section.build,
        costs_section.build_method,
    ),
    is_computed=True,
)


def page_of(run: Run, _exceedance: float | None) -> Page:
    """Build the page; what of the run cannot be read is said on it."""
    page = page_of_one(run, VIEW)
    (data,) = page.runs
    built = (
        fallbacks.build(page),
        *(build(data) for build in VIEW.sections),
        machine.build(page) if data.machine else None,
        files.build(page),
        reproduce.build(page),
    )
    sections = tuple(one for one in built if one is not None)
    return Page(page, _card(page, sections), whole(sections))


def _card(page: PageData, sections: tuple[Section, ...]) -> Card:
    """Build the card: the verdict is the status, and no doctor watched."""
    (run,) = page.runs
    answer = answer_of(run)
    status = status_badge(page.manifest)
    if answer is not None:
        status = Badge(verdict_words(answer.verdict), _TONES[answer.verdict])
    return Card(
        title=page.manifest.name,
        status=status,
        fallbacks=fallback_badge(page),
        asked=(VIEW.asked,),
        sentences=VIEW.sentences(run),
        message=page.manifest.message,
        tiles=() if answer is None else _tiles(answer),
        machine=machine_line(run) if run.machine else "none was described with the costs",
        notes=notes_of(page, sections),
    )


def _tiles(answer: Answer) -> tuple[Tile, ...]:
    """Make the five numbers of a bound; without a sensitivity there are none."""
    found = answer.sensitivity
    if found is None:
        return ()
    costs = answer.costs.entries
    count = "zero overheads"
    if costs:
        count = f"costs observed, n ≥ {show_count(min(one.n for one in costs))}"
    tiles = []
    for name, label in FACTORS:
        factor = factor_of(found, name)
        if factor is None:
            tiles.append(Tile(label, "costs nothing", "", ""))
            continue
        late = f"then {factor.critical_task} is late" if factor.critical_task else ""
        tiles.append(Tile(label, factor_words(factor), count, "modelled", late))
    n_kept = sum(one.verdict == SCHEDULABLE for one in answer.tasks)
    value = f"{show_count(n_kept)} of {show_count(len(answer.tasks))}"
    return (Tile("tasks proven to keep their deadlines", value, count, "modelled"), *tiles)
