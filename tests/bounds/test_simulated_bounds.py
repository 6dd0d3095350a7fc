# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""No response on a simulated platform is above the bound, with costs that were measured there."""

from pathlib import Path

import pytest
from tests.bounds.simulated_bounds import FEATURES, PLAIN, Compared, compare
from tests.bounds.simulated_sets import needs_simulator, write_settings

pytestmark = needs_simulator


def check_never_above(found: Compared, n_sets: int) -> None:
    assert not found.above
    # Sets that say something: preempted, often schedulable, near their bounds, and too long if
    # switches and preemptions cost nothing.
    assert found.counts["preemptions"] > 5 * n_sets
    assert found.counts["schedulable tasks"] > n_sets
    assert max(found.ratios) > 1 / 2
    assert found.counts["above bounds without costs"] > n_sets // 20


def test_no_response_is_above_its_bound(tmp_path: Path):
    check_never_above(compare(write_settings(PLAIN, tmp_path / "plain"), 20, 1), 20)


@pytest.mark.slow
def test_no_response_of_many_sets_is_above_its_bound(tmp_path: Path):
    check_never_above(compare(write_settings(PLAIN, tmp_path / "plain"), 1000, 1), 1000)


@pytest.mark.slow
def test_few_responses_are_above_where_less_can_take_longer(tmp_path: Path):
    # Random replacement, prefetches, loads and stores on their way: the figure of docs/bounds.md.
    found = compare(write_settings(FEATURES, tmp_path / "features"), 500, 2, registers=7)
    assert found.counts["schedulable tasks"] > 500
    assert len(found.above) * 100 < len(found.ratios)
