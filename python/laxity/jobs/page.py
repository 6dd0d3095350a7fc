# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The page of a run: its card, its sections, what lies beside it; each kind of run builds its own.

`page_of(run, exceedance)` of a module gives it; report/page.py says which module, and writes it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from laxity.jobs.card import Card
from laxity.jobs.read_tasks import try_read
from laxity.jobs.run_data import PageData, RunData
from laxity.jobs.view import View
from laxity.page.blocks import Block, Section
from laxity.store.run_directory import DOCTOR, MACHINE, Run


@dataclass(frozen=True, slots=True)
class Group:
    """Sections of one run, or of the whole page (no title).

    With a `lead` they are details of it, which a reader opens.
    """

    identity: str
    title: str
    sections: tuple[Section, ...]
    lead: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class Beside:
    """A file beside the report: its path in the run, its template, and what the template shows."""

    path: str
    template: str
    content: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Page:
    """A page, whole.

    Attributes:
        data: What it is about.
        below: Runs below it that have pages of their own.
        beside: Makes the files beside it; they may be large, so it is asked once, when they are
            written.
    """

    data: PageData
    card: Card
    groups: tuple[Group, ...]
    below: tuple[Run, ...] = ()
    beside: Callable[[], Iterable[Beside]] = tuple


def whole(sections: Iterable[Section | None]) -> tuple[Group, ...]:
    """Put the sections that there are into the only group of a page."""
    return (Group("overview", "", tuple(one for one in sections if one is not None)),)


def page_of_one(run: Run, view: View | None = None, problems: tuple[str, ...] = ()) -> PageData:
    """Read what the sections that every page has need of a run that is shown as one.

    Args:
        run: It ran no tasks itself.
        view: Reads its findings; None: whoever builds the page does.
        problems: What else of it cannot be read.
    """
    data = read_one(run, view)
    if view is None:
        problems += data.problems
    return PageData(run.manifest, run.path, (data,), is_composite=False, problems=problems)


def read_one(run: Run, view: View | None, label: str = "", prefix: str = "r0") -> RunData:
    """Read a run that ran no tasks itself: it measured the platform, computed, or consists of runs.

    Args:
        run: The run.
        view: Reads its findings.
        label: How the report calls it; empty: by its name.
        prefix: Starts the ids of its sections.
    """
    problems: list[str] = []
    findings, damage = (None, ()) if view is None else view.read(run)
    # Some kinds have these, others do not; only what was measured is worth nothing without them.
    is_measured = run.manifest.measurement is not None
    has_machine = is_measured or (run.path / MACHINE).exists()
    has_doctor = is_measured or (run.path / DOCTOR).exists()
    has_spec = run.manifest.experiment is not None
    return RunData(
        label=label or run.manifest.name,
        prefix=prefix,
        path=run.path,
        manifest=run.manifest,
        machine=try_read(lambda: run.machine, {}, problems) if has_machine else {},
        doctor=try_read(lambda: run.doctor, {}, problems) if has_doctor else {},
        spec_text=try_read(lambda: run.spec_text, "", problems) if has_spec else "",
        keep="all",
        tasks=(),
        problems=(*problems, *damage),
        view=view,
        findings=findings,
    )
