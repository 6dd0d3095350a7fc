# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How a run without tasks is read and shown: what it measured, by probe, or computed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from laxity.bounds import costs_section as bound_costs
from laxity.bounds import data as bound_data
from laxity.bounds import experiment_data
from laxity.bounds import experiment_section as experiment
from laxity.bounds import section as bound
from laxity.costs.crpd import data as gamma_data
from laxity.costs.crpd import section as gamma
from laxity.costs.memory_latency import data as memory_data
from laxity.costs.memory_latency import section as memory_latency
from laxity.costs.migration import data as migration_data
from laxity.costs.migration import section as migration
from laxity.costs.migration_jobs import data as migration_jobs_data
from laxity.costs.migration_jobs import section as migration_jobs
from laxity.costs.switch import data as switch_data
from laxity.costs.switch import section as switch
from laxity.jobs.run_data import RunData
from laxity.page.blocks import Section
from laxity.store.manifest import Manifest
from laxity.store.run_directory import Run


@dataclass(frozen=True, slots=True)
class View:
    """How one probe, or a bound, is read and shown.

    Attributes:
        read: Gives its findings, and what of the run cannot be read.
        document: Members of the answer for programs; figures themselves are in costs.json.
        asked: What it measures, in a few words, for the card.
        sentences: What was found, for the card.
        sections: What was found, whole; the last one says how it was measured.
    """

    read: Callable[[Run], tuple[Any, tuple[str, ...]]]
    document: Callable[[RunData], dict[str, Any]]
    asked: str
    sentences: Callable[[RunData], tuple[str, ...]]
    sections: tuple[Callable[[RunData], Section | None], ...]


VIEWS = {
    "crpd": View(
        read=gamma_data.read_curves,
        document=gamma_data.document,
        asked="what a preemption costs the caches of its victim",
        sentences=gamma.sentences,
        sections=(gamma.build, gamma.build_code, gamma.build_method),
    ),
    "memory_latency": View(
        read=memory_data.read_findings,
        document=memory_data.document,
        asked="how long a memory access takes, against the size of the array",
        sentences=memory_latency.sentences,
        sections=(memory_latency.build, memory_latency.build_method),
    ),
    "migration": View(
        read=migration_data.read_curves,
        document=migration_data.document,
        asked="what a task loses by going on on another CPU",
        sentences=migration.sentences,
        sections=(migration.build, migration.build_method),
    ),
    "migration_jobs": View(
        read=migration_jobs_data.read_jobs,
        document=migration_jobs_data.document,
        asked="whether a job that migrated takes longer than one that was preempted",
        sentences=migration_jobs.sentences,
        sections=(migration_jobs.build, migration_jobs.build_method),
    ),
    "switch": View(
        read=switch_data.read_switch,
        document=switch_data.document,
        asked="what the kernel takes when it switches, wakes tasks and is interrupted",
        sentences=switch.sentences,
        sections=(switch.build, switch.build_method),
    ),
}
BOUND_VIEW = View(
    read=bound_data.read_bound,
    document=bound_data.document,
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
    read=experiment_data.read_shares,
    document=experiment_data.document,
    asked="which share of task sets drawn at random is schedulable, against their utilisation",
    sentences=experiment.sentences,
    sections=(experiment.build, experiment.build_costs, experiment.build_method),
)


def view_of(manifest: Manifest) -> View | None:
    """Give the view of a run; None: it ran tasks."""
    if manifest.kind == "bound":
        return BOUND_VIEW
    if manifest.experiment is not None:
        return EXPERIMENT_VIEW
    asked = manifest.measurement
    return None if asked is None else VIEWS[asked.probe]
