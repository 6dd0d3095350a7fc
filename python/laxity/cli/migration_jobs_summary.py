# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The short answer after `laxity measure migration-jobs`."""

from typing import Any

import numpy as np

from laxity.analysis import distribution
from laxity.analysis.migration_jobs import Contrast, IntArray
from laxity.analysis.rank_test import RankTest
from laxity.cli.tables import format_table
from laxity.model.units import format_duration_ns
from laxity.report.migration_jobs_data import Jobs, load_words, statement
from laxity.report.run_data import RunData

_HEADERS = (
    "load",
    "migrated n",
    "median",
    "p90",
    "preempted n",
    "median",
    "p90",
    "without company",
)
_RIGHT = range(1, 8)
_NONE = "-"


def migration_jobs_text(data: RunData) -> str:
    """Write one statement per load, then the table, for people."""
    found: Jobs = data.findings
    lines = [statement(one) for one in found.contrasts]
    rows = [_row(one) for one in found.contrasts]
    table = format_table(_HEADERS, rows, _RIGHT) if rows else ""
    return (
        "".join(f"{line}\n" for line in lines)
        + table
        + "".join(f"{problem}\n" for problem in data.problems)
    )


def migration_jobs_document(data: RunData) -> dict[str, Any]:
    """Write the tests for programs."""
    found: Jobs = data.findings
    return {
        "contrasts": [
            {
                "case": one.load.case_name,
                "working_set_bytes": one.load.working_set_bytes or None,
                "domain": one.domain,
                "kind": "measured",
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


def _row(one: Contrast) -> tuple[str, ...]:
    preempted = np.concatenate([one.preempted_ns, one.control_ns])
    return (
        load_words(one.load),
        *_figures(one.migrated_ns),
        *_figures(preempted),
        str(one.n_alone),
    )


def _figures(samples_ns: IntArray) -> tuple[str, str, str]:
    samples = distribution.from_samples(samples_ns)
    p90 = samples.quantile_ns(0.9) if distribution.supports_quantile(samples.n, 0.9) else None
    return (
        str(samples.n),
        format_duration_ns(samples.quantile_ns(0.5)),
        _NONE if p90 is None else format_duration_ns(p90),
    )
