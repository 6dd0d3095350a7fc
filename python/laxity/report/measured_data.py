# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""How what a probe measured is read, for the short answer and for the report."""

from collections.abc import Callable
from typing import Any

from laxity.report import migration_data, migration_jobs_data
from laxity.report.gamma_data import read_curves
from laxity.report.memory_data import read_findings as read_memory
from laxity.report.switch_data import read_switch
from laxity.store.run_directory import Run

# By probe: findings, and what of the run cannot be read.
READERS: dict[str, Callable[[Run], tuple[Any, tuple[str, ...]]]] = {
    "crpd": read_curves,
    "memory_latency": read_memory,
    "switch": read_switch,
    "migration": migration_data.read_curves,
    "migration_jobs": migration_jobs_data.read_jobs,
}
