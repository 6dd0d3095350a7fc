# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Loads of a profile."""

import pytest

from laxity.contention.run import loads_of
from laxity.errors import ConfigError

# Blin et al., 3.2: five placements of loads, as factors of their delays.
PAPER = [[1], [1, 1], [1, 2], [1, 1, 1], [1, 2, 3]]


def test_grid_of_the_paper_has_eleven_ratios_and_eighteen_delays_of_each_placement():
    assert len(loads_of([1, 2, 3], range(11), range(18), PAPER)) == 990


def test_factors_multiply_the_delay_of_each_cpu():
    *_, last = loads_of([1, 2, 3], [10], [200], PAPER)
    assert (last.cpus, last.delays) == ([1, 2, 3], [200, 400, 600])


def test_without_placements_all_cpus_have_the_same_delay():
    loads = loads_of([4, 5], [0], [20])
    assert [(load.cpus, load.delays) for load in loads] == [([4], [20]), ([4, 5], [20, 20])]


@pytest.mark.parametrize(
    ("cpus", "placements", "reason"),
    [
        ([1], [[1], [1, 2]], "loads on 2 CPUs, there are 1"),
        ([1, 2], [[1, 1]], "each number of CPUs from 1 to 2"),
    ],
)
def test_placements_that_cannot_be_are_refused(
    cpus: list[int], placements: list[list[int]], reason: str
):
    with pytest.raises(ConfigError, match=reason):
        loads_of(cpus, [0], [0], placements)
