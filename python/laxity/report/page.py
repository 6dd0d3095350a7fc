# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Write report.html and derived.json of a run: read, build the sections, render."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import jinja2
import msgspec
from markupsafe import Markup

from laxity import __version__
from laxity.compare.page import card, compare_page, read_answer, sections_of
from laxity.core.wording import visible
from laxity.jobs.card import Card
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
    missed,
    reproduce,
    simulated,
    split,
    task,
    timeline,
)
from laxity.page.blocks import Quantity, Section
from laxity.report import verdict
from laxity.report.read_run import read_page
from laxity.report.views import view_of
from laxity.store.run_directory import REPORT, open_run, write_again, write_file
from laxity.suites.page import suite_page, vetting_page
from laxity.trace import attribution_section as attribution
from laxity.trace import events_section as job_events
from laxity.trace import observed_section as observed
from laxity.workingset import page as working_set_page
from laxity.workingset.annotated import annotated_files, page_name
from laxity.workingset.data import WorkingSetData, read_working_set
from laxity.workingset.words import setting_words

DERIVED = "derived.json"
_DERIVED_SCHEMA = 1
_TEMPLATES = Path(__file__).parent / "templates"
# Kinds of runs that need no machine.
_COMPUTED = ("bound", "experiment")
# Kinds of runs with a row per program; the programs' own runs have pages of their own.
_OF_PROGRAMS = {"suite": suite_page, "vetting": vetting_page}
# One run's sections, in reading order.
_RUN_SECTIONS = (
    task.build,
    observed.build,
    distributions.build_response,
    distributions.build_latency,
    timeline.build,
    split.build,
    simulated.build_time,
    attribution.build,
    job_events.build,
    counters.build,
    missed.build,
    corunners.build,
    simulated.build_platform,
)


class Derived(msgspec.Struct, frozen=True, kw_only=True):
    """derived.json: every number that the report shows and computes."""

    schema: int
    tool_version: str
    quantile: str
    quantities: list[Quantity]


@dataclass(frozen=True, slots=True)
class Group:
    """Sections of one run, or of the whole page (no title)."""

    identity: str
    title: str
    sections: tuple[Section, ...]


def write_report(run_dir: Path, exceedance: float | None = None) -> Path:
    """Write DIR/report.html and DIR/derived.json of a single or a composite run.

    Args:
        run_dir: A finished run; nothing but these two files is changed.
        exceedance: Of the section about pWCET; None: there is none.

    Returns:
        The path of report.html.

    Raises:
        ConfigError: There is no run.
        RecordError: A manifest is unreadable.
        PlatformError: A file cannot be written.
    """
    run = open_run(run_dir)
    if run.manifest.kind in _OF_PROGRAMS:
        for child in run.children:
            write_report(child.path, exceedance)
        page, shown, sections = _OF_PROGRAMS[run.manifest.kind](run)
        groups: tuple[Group, ...] = (Group("overview", "", sections),)
    elif run.manifest.kind == "compare":
        answer = read_answer(run)
        page, shown = compare_page(run), card(run, answer)
        groups = (Group("overview", "", sections_of(page, answer)),)
    elif run.manifest.kind == "workingset":
        data = read_working_set(run)
        page = working_set_page.working_set_page(run)
        shown = working_set_page.card(run, data)
        groups = (Group("overview", "", working_set_page.sections_of(page, data)),)
        with _without_collection():
            _write_annotated(run_dir, data)
    else:
        page = read_page(run)
        groups, shown = tuple(_groups(page, exceedance)), verdict.build(page)
    report = run_dir / REPORT
    # A browser obeys what turns the direction of a text. Markup holds none of it.
    write_file(report, visible(_render(page, groups, shown), keeps_lines=True).encode())
    write_file(run_dir / DERIVED, msgspec.json.format(_derived(groups)) + b"\n")
    return report


@contextmanager
def _without_collection() -> Iterator[None]:
    """Look for no cycles among 100,000 lines, of which there are none: that takes half the time."""
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_collecting:
            gc.enable()


def _write_annotated(run_dir: Path, data: WorkingSetData) -> None:
    """Write the annotated sources of each program into a directory beside the report."""
    template = _environment().get_template("annotated.html.j2")
    for program in dict.fromkeys(one.program for one in data.sources):
        files = annotated_files([one for one in data.sources if one.program == program])
        if not files:
            continue
        to = run_dir / page_name(program)
        to.parent.mkdir(exist_ok=True)
        text = template.render(
            style=_style(),
            program=program,
            setting=setting_words(data.answer),
            files=files,
            version=__version__,
        )
        write_again(to, visible(text, keeps_lines=True).encode())


def _derived(groups: tuple[Group, ...]) -> bytes:
    quantities = [one for group in groups for part in group.sections for one in part.quantities]
    return msgspec.json.encode(
        Derived(
            schema=_DERIVED_SCHEMA,
            tool_version=__version__,
            quantile="nearest rank: the ceil(q * n)-th smallest sample",
            quantities=quantities,
        )
    )


def _groups(page: PageData, exceedance: float | None) -> Iterator[Group]:
    """Overview, then every run, then what holds for all of them."""
    overview = (fallbacks.build(page), comparison.build(page) if page.is_composite else None)
    yield Group("overview", "", tuple(section for section in overview if section is not None))
    for run in page.runs:
        built = (build(run) for build in _builders(run, exceedance))
        sections = tuple(section for section in built if section is not None)
        yield Group(run.prefix, _run_title(page, run), sections)
    has_tasks = any(view_of(run.manifest) is None for run in page.runs)
    common = (
        *((machine.build,) if page.manifest.kind not in _COMPUTED or page.runs[0].machine else ()),
        files.build,
        *((method.build,) if has_tasks else ()),
        reproduce.build,
    )
    yield Group("common", "", tuple(build(page) for build in common))


def _builders(
    run: RunData, exceedance: float | None
) -> tuple[Callable[[RunData], Section | None], ...]:
    view = view_of(run.manifest)
    if view is not None:
        return view.sections
    if exceedance is None:
        return _RUN_SECTIONS
    from laxity.bounds import pwcet_section as pwcet  # noqa: PLC0415 - loads scipy

    return (*_RUN_SECTIONS, lambda one: pwcet.build(one, exceedance))


def _run_title(page: PageData, run: RunData) -> str:
    return f"Run “{run.label}”" if page.is_composite else ""


def _render(page: PageData, groups: tuple[Group, ...], shown: Card) -> str:
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            style=_style(),
            verdict=shown,
            groups=groups,
            manifest=page.manifest,
            version=__version__,
        )
    )


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # The drawings and the style sheet are ours; every text from a run is escaped.
    environment.filters["drawn"] = Markup
    return environment


def _style() -> Markup:
    return Markup((_TEMPLATES / "style.css").read_text(encoding="utf-8"))  # noqa: S704
