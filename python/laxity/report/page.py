# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Write report.html and derived.json of a run: read, build the sections, render."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import jinja2
import msgspec
from markupsafe import Markup

from laxity import __version__
from laxity.core.wording import visible
from laxity.jobs.page import Group, Page
from laxity.page.blocks import Quantity, Section
from laxity.store.run_directory import REPORT, Run, open_run, write_again, write_file

DERIVED = "derived.json"
_DERIVED_SCHEMA = 1
_TEMPLATES = Path(__file__).parent / "templates"
# Who builds the page of a run, by its kind: `page_of` of that module. All others ran tasks or
# measured, or consist of runs that did.
_PAGES = {
    "bound": "laxity.bounds.page",
    "cache-misses": "laxity.report.cache_misses_page",
    "compare": "laxity.compare.page",
    "contention": "laxity.contention.page",
    "experiment": "laxity.bounds.experiment_page",
    "monitor": "laxity.report.monitor_page",
    "profile": "laxity.profile.page",
    "reproduction": "laxity.papers.page",
    "suite": "laxity.suites.page",
    "vetting": "laxity.suites.vetting_page",
    "workingset": "laxity.workingset.page",
}
# Sections that who looks for an answer does not need: opened by a click.
_FOLDED = frozenset({"machine", "platform", "files", "method", "reproduce"})
_PAGE_OF_RUNS = "laxity.report.runs_page"


class Derived(msgspec.Struct, frozen=True, kw_only=True):
    """derived.json: every number that the report shows and computes."""

    schema: int
    tool_version: str
    quantile: str
    quantities: list[Quantity]


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
    page = _page_of(run, exceedance)
    for below in page.below:
        write_report(below.path, exceedance)
    with _without_collection():
        for one in page.beside():
            (run_dir / one.path).parent.mkdir(exist_ok=True)
            write_again(run_dir / one.path, _render(one.template, one.content))
    content = {
        "verdict": page.card,
        "groups": page.groups,
        "folded": _FOLDED,
        "manifest": page.data.manifest,
    }
    write_file(run_dir / REPORT, _render("page.html.j2", content))
    write_file(run_dir / DERIVED, msgspec.json.format(_derived(page.groups)) + b"\n")
    return run_dir / REPORT


def write_sections(path: Path, title: str, sections: Sequence[Section]) -> None:
    """Write a page of what is no run.

    Raises:
        PlatformError: It cannot be written.
    """
    write_again(path, _render("sections.html.j2", {"title": title, "sections": sections}))


def _page_of(run: Run, exceedance: float | None) -> Page:
    """Have the page of a run built by the module for its kind, which is loaded then."""
    module = import_module(_PAGES.get(run.manifest.kind, _PAGE_OF_RUNS))
    page: Page = module.page_of(run, exceedance)
    return page


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


def _render(template: str, content: dict[str, Any]) -> bytes:
    text = (
        _environment()
        .get_template(template)
        .render(**content, style=Markup(style_sheet()), version=__version__)  # noqa: S704
    )
    # A browser obeys what turns the direction of a text. Markup holds none of it.
    return visible(text, keeps_lines=True).encode()


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


def style_sheet() -> str:
    """Return the style sheet of all pages."""
    return (_TEMPLATES / "style.css").read_text(encoding="utf-8")
