# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Miss ratios of generated code and data: what they are by construction.

Two things decide how many misses a pass makes. *Spatial*: of each line that is entered only so many
words are used; lines per use is the miss ratio if every entered line misses. *Temporal*: lines that
are still in the cache from the pass before do not miss; how many are not depends on size, cache and
associativity. The miss ratio of a task is the product of both.

Source: Sebek, "The real cost of task pre-emptions", section 3.3 and figure 5.
"""

from dataclasses import dataclass
from fractions import Fraction

# As in native/codegen/shape.h, which tests/cli/test_generate.py compares by running it.
USE_BYTES = 4
LINES_BYTES = (16, 32, 64, 128)
RATIO_ONE = 1_000_000


@dataclass(frozen=True, slots=True)
class Cache:
    """One cache.

    Attributes:
        size_bytes: All of it; a multiple of `line_bytes` * `ways`.
        line_bytes: Of one line.
        ways: Lines of one set.
    """

    size_bytes: int
    line_bytes: int
    ways: int

    def __post_init__(self) -> None:
        """Refuse what is no cache.

        Raises:
            ValueError: The size is no whole number of sets.
        """
        if self.ways < 1 or self.size_bytes < 1 or self.size_bytes % (self.line_bytes * self.ways):
            msg = f"{self.size_bytes} bytes are no whole number of sets of {self.ways} lines"
            raise ValueError(msg)

    @property
    def lines(self) -> int:
        """Number of lines."""
        return self.size_bytes // self.line_bytes


def lowest_ratio(line_bytes: int) -> int:
    """Return the smallest spatial miss ratio: every word of every line is used.

    Returns:
        Parts per million.
    """
    return RATIO_ONE // (line_bytes // USE_BYTES)


def uses(size_bytes: int, line_bytes: int, miss_ratio: int) -> int:
    """Count the uses of one pass: executed instructions, or words read.

    Args:
        size_bytes: A multiple of `line_bytes`.
        line_bytes: Of one line.
        miss_ratio: Spatial, in parts per million.

    Returns:
        Lines divided by miss ratio, rounded to the nearest.
    """
    lines = size_bytes // line_bytes
    return (2 * lines * RATIO_ONE + miss_ratio) // (2 * miss_ratio)


def temporal_ratio(size_bytes: int, cache: Cache) -> Fraction:
    """Tell how many of its lines a pass finds evicted by itself, under LRU; exact.

    Args:
        size_bytes: Of code or data that is passed over again and again, alone in the cache; a
            multiple of the line.
        cache: With true LRU replacement.

    Returns:
        Evicted lines per line, 0 to 1. Of s lines in S sets, those sets that got more lines than
        they have ways lose each of them before it is used again; the others lose none. In the
        slope that is (size - cache) * (ways + 1) / size.
    """
    sets = cache.lines // cache.ways
    per_set, fuller_sets = divmod(size_bytes // cache.line_bytes, sets)
    evicted = 0
    if per_set >= cache.ways:
        evicted += fuller_sets * (per_set + 1)
    if per_set > cache.ways:
        evicted += (sets - fuller_sets) * per_set
    lines = size_bytes // cache.line_bytes
    return Fraction(evicted, lines) if lines else Fraction(0)


def temporal_ratio_of_paper(size_bytes: int, cache: Cache) -> Fraction:
    """Compute figure 5 as it is printed: (task - cache) / cache * ways, within 0 to 1.

    It counts one line per excess line and way, of as many as the cache has; the exact count is
    `temporal_ratio`. Both are 0 up to the size of the cache and 1 from cache * (1 + 1 / ways) on.
    """
    excess = Fraction(size_bytes - cache.size_bytes, cache.size_bytes)
    return min(max(excess * cache.ways, Fraction(0)), Fraction(1))


def size_of_temporal_ratio(ratio: Fraction, cache: Cache) -> int:
    """Return the smallest size of which at least so many lines are evicted in each pass.

    Args:
        ratio: Evicted lines per line, 0 to 1.
        cache: With true LRU replacement.

    Returns:
        Bytes, whole lines: size = cache * (ways + 1) / (ways + 1 - ratio), rounded up.
    """
    lines = Fraction(cache.lines * (cache.ways + 1)) / (cache.ways + 1 - ratio)
    return -(-lines.numerator // lines.denominator) * cache.line_bytes
