# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the table charges a job whose load is never stopped."""

import numpy as np
from tests.contention.test_table import FIRST, SECOND, table

from laxity.contention.charges import charged_ppm
from laxity.contention.windows import Progress

STEP_BYTES_PER_S = 20_480_000


def course(*points: tuple[float, float, float]) -> Progress:
    """Make a course of (ms, instructions, steps of traffic until then, in ms)."""
    times_ms, instructions, steps = np.array(points, dtype=float).T
    none = np.zeros(0, dtype=np.int64)
    bytes_ = steps * STEP_BYTES_PER_S / 1e3
    return Progress(times_ms * 1e6, instructions, bytes_, none, none)


SOLO = course((0, 0, 0), (8, 800, 0))


def test_charge_is_the_rate_of_each_reading_times_its_length():
    """10 ms at step 1 lose a quarter: 2.5 ms of 8 ms alone."""
    loaded = course((0, 0, 0), (10, 800, 10))
    assert charged_ppm(table(), SOLO, loaded, 1_000_000) == 312_500


def test_traffic_between_two_steps_counts_as_the_upper_one():
    """A step and a half is step 2, which loses 5 of 10 ms; so do 7 steps of a table of 2."""
    for steps in (1.5, 7):
        loaded = course((0, 0, 0), (10, 800, 10 * steps))
        assert charged_ppm(table(), SOLO, loaded, 1_000_000) == 625_000


def test_interval_in_which_a_phase_begins_is_charged_for_both():
    """The second phase begins at 6 of 8 ms alone, at 7.5 of 10 ms; it loses 100 of 2^20 at step 1.

    Readings of 4 ms: 0 to 4 and 4 to 8 ms at a quarter, 8 to 10 ms in the second phase alone.
    """
    loaded = course((0, 0, 0), (10, 800, 10))
    of_two = table(phases=[FIRST, SECOND])
    second_ns = 2_000_000 * 100 / (1 << 20)
    expected = round((2_000_000 + second_ns) / 8)
    assert charged_ppm(of_two, SOLO, loaded, 4_000_000) == expected
