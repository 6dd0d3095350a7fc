# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The page of a run of tasks, of a measurement, and of a run that consists of such runs."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from laxity.contention import section as regulation
from laxity.jobs.page import Group, Page
from laxity.jobs.run_data import PageData, RunData
from laxity.jobs.sections import (
    comparison,
    corunners,
    counters,
    distributions,
    fallbacks,
    files,
    machine,
    method,
    miss_ratio,
    missed,
    rates,
    reproduce,
    simulated,
    split,
    task,
    timeline,
)
from laxity.page.blocks import Block, FigureBlock, Figures, Paragraph, Section
from laxity.report import verdict
from laxity.report.read_run import read_page
from laxity.store.run_directory import Run
from laxity.trace import attribution_section as attribution
from laxity.trace import events_section as job_events
from laxity.trace import observed_section as observed

# One run's sections, in reading order.
_RUN_SECTIONS = (
    regulation.build,
    distributions.build_response,
    distributions.build_latency,
    missed.build,
    timeline.build,
    split.build,
    simulated.build_time,
    attribution.build,
    job_events.build,
    counters.build,
    miss_ratio.build,
    rates.build,
    observed.build,
    corunners.build,
    task.build,
)


def page_of(run: Run, exceedance: float | None) -> Page:
    """Build the page.

    Args:
        run: It ran tasks, measured the platform, or consists of such runs.
        exceedance: Of the section about pWCET; None: there is none.

    Raises:
        RecordError: The manifest of a run below is unreadable.
    """
    data = read_page(run)
    groups = tuple(_groups(data, exceedance))
    sections = [section for group in groups for section in group.sections]
    return Page(data, verdict.build(data, sections), groups)


def _groups(page: PageData, exceedance: float | None) -> Iterator[Group]:
    """Overview, then every run, then what holds for all of them."""
    overview = (
        fallbacks.build(page),
        comparison.build(page) if page.is_composite else None,
    )
    yield Group("overview", "", tuple(section for section in overview if section is not None))
    for run in page.runs:
        built = (build(run) for build in _builders(run, exceedance))
        sections = tuple(section for section in built if section is not None)
        if page.is_composite:
            yield _led(page, run, sections)
        else:
            yield Group(run.prefix, "", sections)
    has_tasks = any(run.view is None for run in page.runs)
    platform = simulated.build_platform(page)
    common = (
        *(() if platform is None else (platform,)),
        machine.build(page),
        files.build(page),
        *((method.build(page),) if has_tasks else ()),
        reproduce.build(page),
    )
    yield Group("common", "", common)


def _builders(
    run: RunData, exceedance: float | None
) -> tuple[Callable[[RunData], Section | None], ...]:
    if run.view is not None:
        return tuple(run.view.sections)
    if exceedance is None:
        return _RUN_SECTIONS
    from laxity.bounds import pwcet_section as pwcet  # noqa: PLC0415 - loads scipy

    return (*_RUN_SECTIONS, lambda one: pwcet.build(one, exceedance))


def _led(page: PageData, run: RunData, sections: tuple[Section, ...]) -> Group:
    """Put what came of a run, and its first figure, before its sections."""
    lead: list[Block] = [Paragraph(line) for line in verdict.said_of(page, run)]
    figure, rest = _first_figure(sections)
    lead += [] if figure is None else [Figures((figure,))]
    return Group(run.prefix, f"Run “{run.label}”", rest, tuple(lead))


def _first_figure(
    sections: tuple[Section, ...],
) -> tuple[FigureBlock | None, tuple[Section, ...]]:
    """Take the first figure out of sections."""
    for place, section in enumerate(sections):
        for at, block in enumerate(section.blocks):
            if isinstance(block, Figures) and block.figures:
                first, *others = block.figures
                left = (Figures(tuple(others)),) if others else ()
                blocks = (*section.blocks[:at], *left, *section.blocks[at + 1 :])
                changed = replace(section, blocks=blocks)
                return first, (*sections[:place], changed, *sections[place + 1 :])
    return None, sections
