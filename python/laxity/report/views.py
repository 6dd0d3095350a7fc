# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How a run without tasks is read and shown: what it measured, by probe, or computed."""

from importlib import import_module

from laxity.costs.probe import probe_of
from laxity.jobs.view import View
from laxity.store.manifest import Manifest

# Runs that computed, or tested counters by runs of their own, by kind: `VIEW` of that module.
_BY_KIND = {
    "bound": "laxity.bounds.page",
    "cache-misses": "laxity.costs.cache_misses.section",
    "experiment": "laxity.bounds.experiment_page",
}


def view_of(manifest: Manifest) -> View | None:
    """Return the view of a run; None: it ran tasks."""
    if manifest.kind in _BY_KIND:
        view: View = import_module(_BY_KIND[manifest.kind]).VIEW
        return view
    asked = manifest.measurement
    return None if asked is None else probe_of(asked.probe).view
