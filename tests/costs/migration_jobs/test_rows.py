# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Migrated against preempted jobs, from made-up jobs."""

from typing import Any

import numpy as np
import pytest

from laxity.core.streams import absent_value, dtype_of
from laxity.costs.migration_jobs import rows as migration_jobs
from laxity.costs.migration_jobs.rows import Contrast
from laxity.errors import RecordError

KIB = 1 << 10
NEAR = {(0, 1): "shared_l3", (1, 0): "shared_l3"}
NO_CHANGE = absent_value("i4") or 0


def table(rows: list[dict[str, int]]) -> "np.ma.MaskedArray[Any, Any]":
    made = np.zeros(len(rows), dtype=dtype_of("migration_jobs"))
    for index, row in enumerate(rows):
        for name, value in row.items():
            made[name][index] = value
    masked = np.ma.MaskedArray(made, mask=np.zeros(made.shape, np.ma.make_mask_descr(made.dtype)))
    masked["since_change"] = np.ma.masked_equal(made["since_change"], NO_CHANGE)
    return masked


def stretches(n: int, *, migrated: int = 900, preempted: int = 500) -> list[dict[str, int]]:
    """Six jobs on CPU 0 before any change, then N stretches of five jobs, CPUs 1 and 0 in turn."""
    common = {"working_set_bytes": 32 * KIB, "interfering_passes": 3}
    rows = [common | {"exec_ns": 100, "since_change": NO_CHANGE} for _ in range(6)]
    for stretch in range(n):
        for since in range(5):
            took = (migrated, 700, preempted, preempted, preempted)[since] + stretch % 3
            rows.append(common | {"exec_ns": took, "since_change": since, "cpu": (stretch + 1) % 2})
    return rows


def contrast_of(rows: list[dict[str, int]]) -> Contrast:
    (found,) = migration_jobs.contrasts(table(rows), "a", NEAR)
    return found


def test_first_job_after_a_change_has_migrated_and_the_third_has_not():
    found = contrast_of(stretches(20))
    assert (found.load.case_name, found.load.working_set_bytes) == ("mem", 32 * KIB)
    assert found.domain == "shared_l3"
    # One of 900 to 902 per stretch; the second job, 700, is in neither.
    assert sorted(set(found.migrated_ns.tolist())) == [900, 901, 902]
    assert (found.migrated_ns.size, found.n_alone) == (20, 0)
    both = found.preempted_ns.size + found.control_ns.size
    assert both == 60
    assert max(found.preempted_ns.max(), found.control_ns.max()) == 502
    assert found.test is not None
    assert (found.test.shift_ns, found.test.is_different) == (400, True)
    assert found.cost.median_ns == 400


def test_difference_of_nothing_is_a_figure_where_jobs_were_simulated():
    rows = [row | {"exec_ns": 500} for row in stretches(20)]
    for is_exact, floor, verdict in ((True, 0, "ok"), (False, 1, "not_measurable")):
        (found,) = migration_jobs.contrasts(table(rows), "a", NEAR, is_exact=is_exact)
        cost = found.cost
        assert (cost.median_ns, cost.noise_floor_ns, cost.verdict) == (0, floor, verdict)


def test_control_is_of_both_cpus():
    rows = stretches(40)
    for row in rows:
        # CPU 1 is slower: halves by single stretches would differ by 50.
        row["exec_ns"] += 50 * row.get("cpu", 0)
    found = contrast_of(rows)
    assert found.control is not None
    assert not found.control.is_different


def test_jobs_without_company_are_in_neither():
    rows = stretches(20)
    for row in rows[6:16]:
        row["interfering_passes"] = 0
    found = contrast_of(rows)
    assert (found.migrated_ns.size, found.n_alone) == (18, 10)


def test_limits_of_primes_are_compared_with_themselves():
    rows = stretches(20)
    for index, row in enumerate(rows):
        row |= {"workload": 1, "working_set_bytes": 0, "limit": index % 2}
        rows[index] = {**row, "exec_ns": row["exec_ns"] + 10_000 * (index % 2)}
    low, high = migration_jobs.contrasts(table(rows), "a", NEAR)
    assert (low.load.case_name, high.load.case_name) == ("cpu_0", "cpu_1")
    assert low.migrated_ns.max() < 1_000
    assert high.migrated_ns.min() > 10_000
    assert low.migrated_ns.size + high.migrated_ns.size == 20


def test_changes_of_different_distance_are_compared_apart():
    rows = stretches(20)
    found = migration_jobs.contrasts(table(rows), "a", {(0, 1): "other_node", (1, 0): "shared_l2"})
    assert [(one.domain, one.migrated_ns.size) for one in found] == [
        ("other_node", 10),
        ("shared_l2", 10),
    ]


def test_jobs_before_any_change_are_not_compared():
    assert migration_jobs.contrasts(table(stretches(0)), "a", NEAR) == ()


def test_entries_hold_what_migrated_jobs_take_beyond_preempted_ones():
    found = [contrast_of(stretches(20)), contrast_of(stretches(20, migrated=1_000))]
    (one,) = migration_jobs.entries(found)
    assert (one.name, one.axes.case, one.n) == ("migration_over_preemption", "mem_shared_l3", 40)
    # 902 - 501 and 1002 - 501.
    assert one.max == 501
    assert one.verdict == "ok"


@pytest.mark.parametrize(("column", "value"), [("workload", 2), ("limit", 2), ("exec_ns", 1 << 56)])
def test_values_that_no_probe_writes_are_damage(column: str, value: int):
    rows = stretches(2)
    rows[3][column] = value
    with pytest.raises(RecordError, match=f"migration_jobs.npy: {column} {value} is no value"):
        migration_jobs.contrasts(table(rows), "a", NEAR)
