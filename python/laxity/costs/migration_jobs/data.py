# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Migrated and preempted jobs of a run, read once for the short answer and for the report."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from laxity.core.units import format_size_bytes
from laxity.costs.migration.data import domain_words
from laxity.costs.migration_jobs import rows as migration_jobs
from laxity.costs.migration_jobs.rows import CPU, Contrast, Load
from laxity.errors import RecordError
from laxity.jobs.run_data import RunData
from laxity.statistics.rank_test import RankTest
from laxity.store.measurements import MigrationJobsMeasurement
from laxity.store.run_directory import Run
from laxity.trace.event_words import event_words

Rows: TypeAlias = Any  # masked structured array of migration_jobs.npy


@dataclass(frozen=True, slots=True)
class Jobs:
    """What was found, and the rows for the figures."""

    contrasts: tuple[Contrast, ...]
    rows: Rows | None


def read_jobs(run: Run) -> tuple[Jobs, tuple[str, ...]]:
    """Read the jobs of a run that measured them, and what of it cannot be read."""
    asked = run.manifest.measurement
    known = migration_jobs.domains(asked) if isinstance(asked, MigrationJobsMeasurement) else {}
    try:
        rows = run.stream("migration_jobs")
        return Jobs(migration_jobs.contrasts(rows, run.path.name, known), rows), ()
    except RecordError as error:
        return Jobs((), None), (str(error),)


def load_words(load: Load) -> str:
    """Write `MEM 32 KiB`, or `CPU, lower limit`."""
    if load.workload == CPU:
        return f"CPU, {'upper' if load.limit else 'lower'} limit"
    return f"MEM {format_size_bytes(load.working_set_bytes)}"


def statement(one: Contrast) -> str:
    """Say whether migrated jobs differ from preempted ones, how much, and how sure that is."""
    n = (one.migrated_ns.size, one.preempted_ns.size + one.control_ns.size)
    words = event_words(one.test, one.control, n)
    return f"{load_words(one.load)}, {domain_words(one.domain)}: {words}"


def document(data: RunData) -> dict[str, Any]:
    """Write the tests for programs."""
    found: Jobs = data.findings
    return {
        "contrasts": [
            {
                "case": one.load.case_name,
                "working_set_bytes": one.load.working_set_bytes or None,
                "domain": one.domain,
                "kind": data.kind,
                "unit": "ns",
                "migrated_against_preempted": _test(one.test),
                "preempted_against_preempted": _test(one.control),
                "n_without_company": one.n_alone,
            }
            for one in found.contrasts
        ]
    }


def _test(test: RankTest | None) -> dict[str, Any] | None:
    if test is None:
        return None
    return {
        "n_first": test.n_first,
        "n_second": test.n_second,
        "p_value": test.p_value,
        "is_larger_ratio": test.is_larger_ratio,
        "shift": test.shift_ns,
        "shift_low": test.low_ns,
        "shift_high": test.high_ns,
    }
