# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the report says of a run that measured the platform, by probe, or that bounded task sets."""

from collections.abc import Callable
from dataclasses import dataclass

from laxity.report.blocks import Section
from laxity.report.run_data import RunData
from laxity.report.sections import (
    bound,
    bound_costs,
    experiment,
    gamma,
    memory_latency,
    migration,
    migration_jobs,
    switch,
)


@dataclass(frozen=True, slots=True)
class View:
    """How one probe, or a bound, is shown.

    Attributes:
        asked: What it measures, in a few words, for the card.
        sentences: What was found, for the card.
        sections: What was found, whole; the last one says how it was measured.
    """

    asked: str
    sentences: Callable[[RunData], tuple[str, ...]]
    sections: tuple[Callable[[RunData], Section | None], ...]


VIEWS = {
    "crpd": View(
        asked="what a preemption costs the caches of its victim",
        sentences=gamma.sentences,
        sections=(gamma.build, gamma.build_code, gamma.build_method),
    ),
    "memory_latency": View(
        asked="how long a memory access takes, against the size of the array",
        sentences=memory_latency.sentences,
        sections=(memory_latency.build, memory_latency.build_method),
    ),
    "migration": View(
        asked="what a task loses by going on on another CPU",
        sentences=migration.sentences,
        sections=(migration.build, migration.build_method),
    ),
    "migration_jobs": View(
        asked="whether a job that migrated takes longer than one that was preempted",
        sentences=migration_jobs.sentences,
        sections=(migration_jobs.build, migration_jobs.build_method),
    ),
    "switch": View(
        asked="what the kernel takes when it switches, wakes tasks and is interrupted",
        sentences=switch.sentences,
        sections=(switch.build, switch.build_method),
    ),
}
BOUND_VIEW = View(
    asked="whether a task set keeps its deadlines",
    sentences=bound.sentences,
    sections=(
        bound.build,
        bound.build_parts,
        bound.build_sensitivity,
        bound_costs.build,
        bound_costs.build_method,
    ),
)
EXPERIMENT_VIEW = View(
    asked="which share of task sets drawn at random is schedulable, against their utilisation",
    sentences=experiment.sentences,
    sections=(experiment.build, experiment.build_costs, experiment.build_method),
)


def view_of(run: RunData) -> View | None:
    """Give the view of a run; None: it ran tasks."""
    if run.manifest.kind == "bound":
        return BOUND_VIEW
    if run.manifest.experiment is not None:
        return EXPERIMENT_VIEW
    asked = run.manifest.measurement
    return None if asked is None else VIEWS[asked.probe]
