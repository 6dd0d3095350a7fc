# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The report page of a stored bound."""

from collections.abc import Callable
from dataclasses import replace

from laxity.bounds import costs_section, section
from laxity.bounds.data import Bounded, document, read_bound
from laxity.bounds.document import Answer
from laxity.bounds.section import BOUND_TITLE, FACTORS, factor_of, factor_words, verdict_words
from laxity.bounds.sections import BUILDERS
from laxity.bounds.verdicts import SCHEDULABLE
from laxity.jobs.card import Badge, Card, Tile, fallback_badge, notes_of, status_badge
from laxity.jobs.page import Page, page_of_one, whole
from laxity.jobs.run_data import PageData, RunData
from laxity.jobs.sections import fallbacks, files, machine, reproduce
from laxity.jobs.sections.machine import machine_line
from laxity.jobs.view import View
from laxity.page.blocks import Paragraph, Section, show_count
from laxity.store.run_directory import Run

_TONES = {"schedulable": "good", "not_schedulable": "bad", "not_provable": "attention"}
_Build = Callable[[Answer, str], Section | None]


def _answer_of(run: RunData) -> Answer | None:
    found: Bounded = run.findings
    return found.answer


def _sentences(run: RunData) -> tuple[str, ...]:
    answer = _answer_of(run)
    if answer is None:
        return ("The answer of this run cannot be read.",)
    return section.sentences(answer)


def _of_run(build: _Build) -> Callable[[RunData], Section | None]:
    """Build a section from the answer of a run; None: it cannot be read."""

    def build_of_run(run: RunData) -> Section | None:
        answer = _answer_of(run)
        return None if answer is None else build(answer, run.prefix)

    return build_of_run


def _build_first(run: RunData) -> Section:
    """Build the first section, with what of the run cannot be read, and with all quantities."""
    answer = _answer_of(run)
    built = _of_run(BUILDERS[0])(run)
    problems = tuple(Paragraph(problem, "warning") for problem in run.problems)
    if answer is None or built is None:
        return Section(f"{run.prefix}-bound", BOUND_TITLE, problems)
    quantities = tuple(section.quantities(answer, run.label))
    return replace(built, blocks=(*problems, *built.blocks), quantities=quantities)


def _build_method(run: RunData) -> Section:
    found: Bounded = run.findings
    return costs_section.build_method(found.task_set_text, run.prefix)


VIEW = View(
    read=read_bound,
    document=document,
    asked="whether a task set keeps its deadlines",
    sentences=_sentences,
    sections=(_build_first, *map(_of_run, BUILDERS[1:]), _build_method),
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
    answer = _answer_of(run)
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
        when = "below that" if name == "speed" else "beyond that"
        if factor.factor_ppm is None:
            when = "in any case"
        late = f"{when} {factor.critical_task} is late" if factor.critical_task else ""
        tiles.append(Tile(label, factor_words(factor), count, "modelled", late))
    n_kept = sum(one.verdict == SCHEDULABLE for one in answer.tasks)
    value = f"{show_count(n_kept)} of {show_count(len(answer.tasks))}"
    return (Tile("tasks proven to keep their deadlines", value, count, "modelled"), *tiles)
