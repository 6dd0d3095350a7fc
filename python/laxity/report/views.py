# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How a run without tasks is read and shown: what it measured, by probe, or computed."""

from laxity.bounds import costs_section, experiment_data, experiment_section, section
from laxity.bounds import data as bound_data
from laxity.costs.probe import probe_of
from laxity.jobs.view import View
from laxity.store.manifest import Manifest

BOUND_VIEW = View(
    read=bound_data.read_bound,
    document=bound_data.document,
    asked="whether a task set keeps its deadlines",
    sentences=section.sentences,
    sections=(
        section.build,
        section.build_parts,
        section.build_sensitivity,
        costs_section.build,
        costs_section.build_method,
    ),
)
EXPERIMENT_VIEW = View(
    read=experiment_data.read_shares,
    document=experiment_data.document,
    asked="which share of task sets drawn at random is schedulable, against their utilisation",
    sentences=experiment_section.sentences,
    sections=(
        experiment_section.build,
        experiment_section.build_costs,
        experiment_section.build_method,
    ),
)


def view_of(manifest: Manifest) -> View | None:
    """Give the view of a run; None: it ran tasks."""
    if manifest.kind == "bound":
        return BOUND_VIEW
    if manifest.experiment is not None:
        return EXPERIMENT_VIEW
    asked = manifest.measurement
    return None if asked is None else probe_of(asked.probe).view
