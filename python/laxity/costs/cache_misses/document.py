# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""misses.json: which caches were tested, and what was generated for it; the counts are in runs."""

from pathlib import Path
from typing import Literal

from laxity.store.manifest import Record
from laxity.store.run_directory import MISSES, read_document
from laxity.tasksets.locality import RATIO_ONE, Cache, temporal_ratio, uses

Used = Literal["code", "data"]
Shape = Literal["quarter", "half", "slope", "beyond"]
# What the loop around the generated code has of its own, at most: 2 to 7 lines were seen, of code
# and of data, on processors of five kinds. Each takes a place in one set.
OWN_LINES = 8


class CacheRecord(Record, frozen=True, kw_only=True):
    """A cache whose counter is tested: `run` of those below. null: not known, or it has none."""

    run: str
    name: str
    event: str
    size_bytes: int
    ways: int
    line_bytes: int
    replacement: str | None
    prefetch: str | None

    @property
    def cache(self) -> Cache:
        """As the exact count of evicted lines takes it."""
        return Cache(self.size_bytes, self.line_bytes, self.ways)


class CaseRecord(Record, frozen=True, kw_only=True):
    """Code or data of which each pass misses a known number of lines.

    `short`, `long`: the tasks that make `passes` and twice as many. `miss_ratio`: lines per use, in
    parts per million. `not_judged`: why exact LRU need not hold, empty: it does.
    """

    run: str
    short: str
    long: str
    used: Used
    shape: Shape
    size_bytes: int
    miss_ratio: int
    passes: int
    not_judged: str


class CacheMisses(Record, frozen=True, kw_only=True):
    """misses.json."""

    schema: int = 1
    kind: Literal["measured", "simulated"]
    caches: list[CacheRecord]
    cases: list[CaseRecord]


def lines_of(case: CaseRecord, cache: CacheRecord) -> int:
    """Count the lines of a pass."""
    return case.size_bytes // cache.line_bytes


def uses_of(case: CaseRecord, cache: CacheRecord) -> int:
    """Count the instructions that a pass executes, or the words that it reads."""
    return uses(case.size_bytes, cache.line_bytes, case.miss_ratio)


def generated_misses(case: CaseRecord, cache: CacheRecord) -> int:
    """Count the lines that a pass finds evicted, exactly, if the cache has LRU replacement."""
    return int(temporal_ratio(case.size_bytes, cache.cache) * lines_of(case, cache))


def own_misses(case: CaseRecord, cache: CacheRecord) -> int:
    """Bound what a pass misses more because the loop around it has lines, too.

    One in a set of more lines than ways is one miss more. One in a set that was just full makes all
    of them miss; on the slope there are such sets.
    """
    if case.shape in ("quarter", "half"):
        return 0
    return OWN_LINES * (cache.ways + 1 if case.shape == "slope" else 1)


def percent_text(miss_ratio: int) -> str:
    """Write a ratio in parts per million as percent, without the sign."""
    return f"{100 * miss_ratio / RATIO_ONE:.6g}"


def read_misses(directory: Path) -> CacheMisses:
    """Read misses.json of a run.

    Raises:
        RecordError: It is missing or damaged.
    """
    return read_document(directory / MISSES, CacheMisses)
