# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The report page of tested cache counters; laxity report makes those of the runs within."""

from laxity.core.units import format_size_bytes
from laxity.costs.cache_misses import section
from laxity.costs.cache_misses.found import read_found
from laxity.jobs.card import Card, doctor_badge, fallback_badge, notes_of, run_badge
from laxity.jobs.page import Page, whole
from laxity.jobs.sections import fallbacks, files, machine, reproduce, simulated
from laxity.report.read_run import read_page
from laxity.store.run_directory import Run


def page_of(run: Run, _exceedance: float | None) -> Page:
    """Build the page.

    Raises:
        RecordError: misses.json or a run below is damaged.
    """
    found = read_found(run.path)
    data = read_page(run)
    tested = section.build(found)
    card = Card(
        title="Cache counters against generated code",
        status=run_badge(data),
        doctor=doctor_badge(data),
        fallbacks=fallback_badge(data),
        asked=tuple(
            f"{one.event}: {one.name} of {format_size_bytes(one.size_bytes)}, {one.ways} ways, "
            f"lines of {one.line_bytes} B"
            for one in (cache.cache for cache in found.caches)
        ),
        sentences=section.sentences(found),
        message="" if run.manifest.status == "complete" else run.manifest.message,
        machine=machine.machine_line(data.runs[0]) if data.runs else "machine not known",
        notes=notes_of(data, [tested]),
    )
    built = (
        tested,
        fallbacks.build(data),
        simulated.build_platform(data),
        machine.build(data),
        files.build(data),
        reproduce.build(data),
    )
    return Page(data, card, whole(built))
