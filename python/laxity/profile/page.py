# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The report page of a profile; laxity report makes those of the runs within, which are many."""

from laxity.jobs.card import Card, doctor_badge, run_badge
from laxity.jobs.page import Page, page_of_one, whole
from laxity.jobs.sections import fallbacks, files, machine, reproduce
from laxity.page.blocks import Section, name_some
from laxity.profile import section as profile
from laxity.profile.document import names_of, read_profile
from laxity.store.run_directory import Run


def page_of(run: Run, _exceedance: float | None) -> Page:
    """Build the page.

    Raises:
        RecordError: profile.json or a run within is damaged.
    """
    asked = read_profile(run.path)
    page = page_of_one(run)
    machine_hash = run.manifest.machine_hash
    card = Card(
        title=f"Profile of {name_some(names_of(asked))}",
        status=run_badge(page),
        doctor=doctor_badge(page),
        fallbacks=fallbacks.badge_within(asked.warnings),
        asked=tuple(
            f"{one.name}: {'; '.join(one.interfere) or 'nothing beside'}" for one in asked.scenarios
        ),
        sentences=profile.sentences(asked),
        message="" if run.manifest.status == "complete" else run.manifest.message,
        machine=f"hash {machine_hash[:12]}" if machine_hash else "not known",
    )
    overview = (*profile.left_out(run.manifest), *profile.overview(asked))
    about = (Section("scenarios", "Scenarios", overview),) if overview else ()
    programs = profile.sections(run)
    # Of several the pictures that have all of them come first.
    found = (*about, *programs) if len(programs) > 1 else (*programs, *about)
    built = (
        fallbacks.build_within(asked.warnings, len(run.manifest.runs)),
        *found,
        machine.build(page),
        files.build(page),
        reproduce.build(page),
    )
    return Page(page, card, whole(built))
