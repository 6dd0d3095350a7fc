# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""No response of a run with regulated co-runners is above its bound with contention tables.

A night tries more sets, and others: LAXITY_REGULATED_SETS, LAXITY_REGULATED_FIRST_SEED.
"""

import os
from pathlib import Path

import pytest
from tests.bounds.regulated_sets import hold_sets
from tests.cli.laxity_command import of_simulator

SETS = int(os.environ.get("LAXITY_REGULATED_SETS", "20"))
FIRST_SEED = int(os.environ.get("LAXITY_REGULATED_FIRST_SEED", "1"))

pytestmark = pytest.mark.skipif(
    not of_simulator("laxity-sim").exists(), reason="simulated platforms are not built"
)


@pytest.mark.slow
def test_no_response_beside_regulated_loads_is_above_its_bound(tmp_path: Path):
    found = hold_sets(tmp_path, SETS, FIRST_SEED)
    assert [held.said for held in found if held.above or not held.kept] == []
    # Sets that say something: with bounds, near them, with jobs that are preempted and loads that
    # run, and too long for bounds that charge no theta, or no gamma.
    assert sum(len(held.largest) for held in found) > 2 * SETS
    assert max(max(held.largest, default=0) for held in found) > 0.9
    assert sum(held.preemptions for held in found) > SETS
    assert sum(held.parallelism_ppm for held in found) > SETS * 500_000
    assert sum(held.above_without_theta for held in found) > 0
    assert sum(held.above_without_gamma for held in found) > 0
