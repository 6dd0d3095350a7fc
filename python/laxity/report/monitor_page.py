# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The report page of watched tasks; each of its runs has a page of its own."""

from dataclasses import replace

from laxity.jobs.card import Card, doctor_badge, fallback_badge, notes_of, run_badge
from laxity.jobs.monitor import OBSERVED
from laxity.jobs.page import Page, whole
from laxity.jobs.section_parts import asked_of
from laxity.jobs.sections import (
    fallbacks,
    files,
    intrusion,
    machine,
    method,
    miss_ratio,
    rates,
    reproduce,
    simulated,
)
from laxity.report.read_run import read_page
from laxity.store.run_directory import Run


def page_of(run: Run, _exceedance: float | None) -> Page:
    """Build the page.

    Raises:
        RecordError: The manifest of a run below is unreadable.
    """
    data = read_page(run)
    observed = replace(data, runs=tuple(one for one in data.runs if one.label == OBSERVED))
    found = [
        section
        for one in observed.runs
        for section in (miss_ratio.build(one), rates.build(one), simulated.build_time(one))
        if section is not None
    ]
    card = Card(
        title=f"Misses of {data.manifest.name}",
        status=run_badge(data),
        doctor=doctor_badge(data),
        fallbacks=fallback_badge(data),
        asked=tuple(
            f"“{task.result.name}”: {asked_of(task.result)}"
            for one in observed.runs
            for task in one.tasks
        ),
        sentences=(
            *intrusion.sentences(data),
            *(line for one in observed.runs for line in miss_ratio.sentences(one)),
        ),
        message="" if data.manifest.status == "complete" else data.manifest.message,
        machine=machine.machine_line(data.runs[0]) if data.runs else "machine not known",
        notes=notes_of(data, found),
    )
    built = (
        intrusion.build(data),
        *found,
        fallbacks.build(data),
        simulated.build_platform(data),
        machine.build(data),
        files.build(data),
        method.build(data),
        reproduce.build(data),
    )
    return Page(data, card, whole(built), below=tuple(run.children))
