# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Miss ratios by construction, against the paper and against a cache that is simulated."""

from collections import OrderedDict
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laxity.tasksets.locality import (
    RATIO_ONE,
    Cache,
    lowest_ratio,
    size_of_temporal_ratio,
    temporal_ratio,
    temporal_ratio_of_paper,
    uses,
)

KIB = 1024
# The example of section 3.3, and the instruction cache of section 2.1.
TWO_WAYS = Cache(32 * KIB, 32, 2)
EIGHT_WAYS = Cache(32 * KIB, 32, 8)


def evicted_lines(lines: int, cache: Cache) -> int:
    """Count what misses in the second of two passes over `lines` lines: LRU, set by set."""
    sets: list[OrderedDict[int, None]] = [OrderedDict() for _ in range(cache.lines // cache.ways)]
    misses = 0
    for address in [*range(lines), *range(lines)]:
        one = sets[address % len(sets)]
        misses += address not in one
        one[address] = None
        one.move_to_end(address)
        if len(one) > cache.ways:
            one.popitem(last=False)
    return misses - lines


def test_uses_are_lines_divided_by_miss_ratio():
    # 100 lines of 1, 2, 3 and 3/2 uses; 16 words in lines of 64 bytes.
    assert uses(6400, 64, RATIO_ONE) == 100
    assert uses(6400, 64, 500_000) == 200
    assert uses(6400, 64, 333_333) == 300
    assert uses(6400, 64, 666_667) == 150
    assert uses(6400, 64, lowest_ratio(64)) == 1600
    assert [lowest_ratio(line) for line in (16, 32, 64, 128)] == [250_000, 125_000, 62_500, 31_250]


def test_example_of_the_paper_is_37_5_percent_by_its_formula_and_47_4_exactly():
    # (38 - 32) / 32 * 2 = 0.375; (38 - 32) * 3 / 38 = 18 / 38.
    assert temporal_ratio_of_paper(38 * KIB, TWO_WAYS) == Fraction(3, 8)
    assert temporal_ratio(38 * KIB, TWO_WAYS) == Fraction(18, 38)


def test_nothing_misses_up_to_the_size_of_the_cache_and_all_from_112_5_percent_on():
    for formula in (temporal_ratio, temporal_ratio_of_paper):
        assert formula(32, EIGHT_WAYS) == 0
        assert formula(32 * KIB, EIGHT_WAYS) == 0
        assert formula(32 * KIB + 32, EIGHT_WAYS) > 0
        # 32 KiB * (1 + 1 / 8) = 36 KiB.
        assert formula(36 * KIB - 32, EIGHT_WAYS) < 1
        assert formula(36 * KIB, EIGHT_WAYS) == 1
        assert formula(64 * KIB, EIGHT_WAYS) == 1


@given(
    lines=st.integers(1, 200),
    ways=st.integers(1, 8),
    sets=st.sampled_from([1, 2, 4, 8]),
)
def test_temporal_ratio_is_that_of_a_simulated_cache(lines: int, ways: int, sets: int):
    cache = Cache(ways * sets * 16, 16, ways)
    assert temporal_ratio(lines * 16, cache) == Fraction(evicted_lines(lines, cache), lines)


@pytest.mark.parametrize("cache", [TWO_WAYS, EIGHT_WAYS, Cache(256, 16, 16)])
@pytest.mark.parametrize("percent", [0, 1, 33, 50, 99, 100])
def test_size_of_a_ratio_is_the_smallest_that_reaches_it(cache: Cache, percent: int):
    ratio = Fraction(percent, 100)
    size_bytes = size_of_temporal_ratio(ratio, cache)
    assert temporal_ratio(size_bytes, cache) >= ratio
    if percent > 0:
        assert temporal_ratio(size_bytes - cache.line_bytes, cache) < ratio
    else:
        assert size_bytes == cache.size_bytes


def test_cache_of_no_whole_sets_is_refused():
    with pytest.raises(ValueError, match="no whole number of sets"):
        Cache(1000, 32, 2)
