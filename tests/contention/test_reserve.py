# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Slack that is kept for later phases, against hand calculations."""

import numpy as np
import pytest

from laxity.contention.reserve import reserves_of
from laxity.contention.windows import Progress

NOTHING = np.zeros(0, dtype=np.int64)
STEP_BYTES_PER_S = 10**9
BEGINS_NS = (0, 10_000, 20_000)


def course(lasts_us: tuple[int, int, int], gigabytes_per_s: int = 1) -> Progress:
    """Make a job of three phases of 100 instructions each, with one traffic throughout."""
    times_ns = 7 + np.concatenate([[0], np.cumsum(lasts_us)]) * 1e3
    instructions = np.array([0.0, 100.0, 200.0, 300.0])
    return Progress(times_ns, instructions, times_ns * gigabytes_per_s, NOTHING, NOTHING)


SOLO = course((10, 10, 10))


def reserves(*loaded: Progress, n_steps: int = 3) -> list[list[int]]:
    return reserves_of(SOLO, loaded, BEGINS_NS, n_steps, STEP_BYTES_PER_S)


def test_reserve_is_what_later_cheaper_phases_lose():
    """Of 30, 12 and 20 µs 2/3, 1/6 and 1/2 are lost: the first phase keeps 2 + 10 µs."""
    assert reserves(course((30, 12, 20))) == [[12_000] * 3, [0] * 3, [0] * 3]


def test_earlier_cheaper_phase_is_not_kept_for():
    assert reserves(course((12, 30, 20))) == [[0] * 3, [10_000] * 3, [0] * 3]


@pytest.mark.parametrize(("second_us", "kept_ns"), [(17, 0), (16, 6_000)])
def test_phase_is_cheaper_by_a_fifth(second_us: int, kept_ns: int):
    """Of 20 µs 0.5 are lost; of 17 µs 0.41, of 16 µs 0.375: only that is less than 0.4."""
    assert reserves(course((20, second_us, 30)))[0] == [kept_ns] * 3


def test_loads_of_nearest_traffic_tell_the_reserve():
    """Nine loads of 1 GB/s let 12 µs be kept, nine of 9 GB/s 4 µs; half way, the former count."""
    light = [course((30, 12, 20), 1)] * 9
    heavy = [course((30, 14, 30), 9)] * 9
    first = reserves(*light, *heavy, n_steps=11)[0]
    assert first == [12_000] * 6 + [4_000] * 5


def test_load_that_quickens_a_phase_loses_nothing_there():
    """The first phase loses 10 µs; the second gains 2 µs, which pay for nothing."""
    assert reserves(course((20, 8, 30)))[0] == [0] * 3
