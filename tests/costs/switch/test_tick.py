# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The tick in made-up gaps."""

import numpy as np
import pytest

from laxity.costs.switch.tick import PHASE_WIDTH_NS, Gaps, Tick, find_tick

MS = 1_000_000


def gaps_at(starts_ns: list[int], windows: list[tuple[int, int]], length_ns: int = 700) -> Gaps:
    starts = np.array(sorted(starts_ns), dtype=np.int64)
    return Gaps(starts, np.full(starts.size, length_ns, dtype=np.int64), windows)


def must_find(gaps: Gaps) -> Tick:
    tick = find_tick(gaps)
    assert tick is not None
    return tick


@pytest.mark.parametrize(
    ("rate_hz", "period_ns"),
    # 1 s / 300 = 3.33 ms and 1 s / 1024 = 976,562.5 ns, rounded as the kernel does.
    [
        *((100, 10_000_000), (200, 5_000_000), (250, 4_000_000), (300, 3_333_333)),
        *((500, 2_000_000), (1000, 1_000_000), (1024, 976_563)),
    ],
)
def test_every_rate_is_found_as_itself(rate_hz: int, period_ns: int):
    starts = [7_000_123 + number * period_ns for number in range(100)]
    tick = must_find(gaps_at(starts, [(7 * MS, starts[-1] + MS)]))
    assert tick.rate_hz == rate_hz
    assert tick.lengths_ns.size == 100
    assert set(tick.periods_ns.tolist()) == {period_ns}


def test_every_tick_of_a_minute_is_found():
    # A period that is rounded down to 976,562 ns is 60 us off after 60,000 ticks; a phase has 50.
    starts = [7 * MS + number * 976_563 for number in range(60_000)]
    tick = must_find(gaps_at(starts, [(6 * MS, starts[-1] + MS)]))
    assert (tick.rate_hz, tick.lengths_ns.size) == (1024, 60_000)


def test_gaps_at_random_are_no_tick():
    random = np.random.default_rng(5)
    starts = random.integers(0, 2000 * MS, 8000).tolist()
    assert find_tick(gaps_at(starts, [(0, 2000 * MS)])) is None


def test_tick_is_found_among_other_gaps():
    random = np.random.default_rng(5)
    others = random.integers(0, 400 * MS, 400).tolist()
    ticks = [3 * MS + number * 4 * MS for number in range(99)]
    assert must_find(gaps_at([*others, *ticks], [(0, 400 * MS)])).rate_hz == 250


def test_bursts_and_somebody_elses_period_do_not_hide_the_tick():
    ticks = [3 * MS + number * 4 * MS for number in range(99)]
    # Fifty gaps at once every 7 ms, and one every 10 ms.
    bursts = [MS + number * 7 * MS + 900 * at for number in range(56) for at in range(50)]
    other = [2 * MS + number * 10 * MS for number in range(39)]
    tick = must_find(gaps_at([*ticks, *bursts, *other], [(0, 400 * MS)]))
    assert (tick.rate_hz, tick.lengths_ns.size) == (250, 99)


def test_three_of_five_instants_must_have_a_gap():
    starts = [MS + number * 4 * MS for number in range(20)]
    window = [(0, 80 * MS)]
    assert must_find(gaps_at(starts[:12], window)).n_expected == 20
    assert find_tick(gaps_at(starts[:11], window)) is None


def test_late_tick_belongs_to_its_instant():
    starts = [MS + number * 4 * MS for number in range(20)]
    starts[7] += PHASE_WIDTH_NS - 1
    assert must_find(gaps_at(starts, [(0, 80 * MS)])).lengths_ns.size == 20
    starts[7] += 1
    assert must_find(gaps_at(starts, [(0, 80 * MS)])).lengths_ns.size == 19


def test_only_the_longest_gap_of_an_instant_counts():
    starts = np.array([MS + number * 4 * MS for number in range(10)], dtype=np.int64)
    starts = np.sort(np.concatenate([starts, starts[:1] + 5000]))
    lengths = np.arange(1000, 1000 + starts.size, dtype=np.int64)
    tick = must_find(Gaps(starts, lengths, [(0, 40 * MS)]))
    # 1000 and 1001 lie at the first instant.
    assert tick.lengths_ns.tolist() == list(range(1001, 1011))


def test_no_gap_and_too_few_instants_are_no_tick():
    assert find_tick(gaps_at([], [(0, 100 * MS)])) is None
    assert find_tick(gaps_at([MS, 2 * MS, 3 * MS], [(0, 4 * MS)])) is None
