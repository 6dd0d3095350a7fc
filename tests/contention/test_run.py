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


def test_loads_that_pause_have_no_delay_and_the_first_two_mixes():
    """One on CPU 4 and one on both, of 0 and 3 reads, with each of two pauses, after 2 x 3."""
    loads = loads_of([4, 5], [0, 3, 10], [20], [[1], [1, 2]], [(8000, 30), (90, 7)])
    assert len(loads) == 2 * 3 + 2 * 2 * 2
    assert all(load.pause == 0 and load.pauses is None for load in loads[:6])
    found = [(load.cpus, load.reads, load.delays, load.pauses) for load in loads[6:]]
    assert found[:3] == [
        ([4], 0, [0], "8000/30"),
        ([4], 0, [0], "90/7"),
        ([4], 3, [0], "8000/30"),
    ]
    assert found[-1] == ([4, 5], 3, [0, 0], "90/7")


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
