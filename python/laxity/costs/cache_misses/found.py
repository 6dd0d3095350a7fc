# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the counters of a run say of the generated code, case by case, and what a miss takes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from laxity.costs.cache_misses.document import (
    CacheMisses,
    CacheRecord,
    CaseRecord,
    generated_misses,
    lines_of,
    own_misses,
    read_misses,
)
from laxity.costs.cache_misses.rows import FloatArray, Passes, passes_of
from laxity.errors import EXIT_DONE, EXIT_NO_VERDICT
from laxity.jobs.rows import of_task
from laxity.statistics.distribution import interval_ranks
from laxity.store.manifest import Record
from laxity.store.run_directory import Run, open_run
from laxity.tasksets.locality import RATIO_ONE

Result = Literal["agrees", "fewer", "more", "not judged", "no verdict"]
# Of the lines of a pass: interrupts and what they evict are in the counts of a machine.
_TOLERANCE = 0.01


class FoundCase(Record, frozen=True, kw_only=True):
    """A case as it was counted, medians of `n` pairs of jobs, per pass.

    `generated`: misses under exact LRU. `difference`: (counted - generated) / lines. null: nothing
    was counted. `reason`: why there is no verdict, or none is asked for.
    """

    case: CaseRecord
    lines: int
    generated: int
    counted: float | None
    difference: float | None
    time_ns: float | None
    n: int
    result: Result
    reason: str


class MissTime(Record, frozen=True, kw_only=True):
    """What a miss takes beyond a hit: the slope of time over misses.

    Median of `n` pairs of jobs; `low_ns` to `high_ns`: 95 % interval; null: simulated, or too few.
    """

    ns: float
    low_ns: float | None
    high_ns: float | None
    n: int


class FoundCache(Record, frozen=True, kw_only=True):
    """One counter; `miss` null: the counter is not to be relied on, or nothing was counted."""

    cache: CacheRecord
    cases: list[FoundCase]
    miss: MissTime | None

    def having(self, *results: Result) -> list[FoundCase]:
        """Pick the cases with one of these results."""
        return [one for one in self.cases if one.result in results]

    @property
    def is_reliable(self) -> bool:
        """Whether all cases that are judged agree, and there are any."""
        return bool(self.having("agrees")) and not self.having("fewer", "more", "no verdict")


class Found(Record, frozen=True, kw_only=True):
    """All counters that were tested."""

    kind: Literal["measured", "simulated"]
    caches: list[FoundCache]


def read_found(directory: Path) -> Found:
    """Compute what was found from the runs that there are.

    Raises:
        RecordError: misses.json or a run is missing or damaged.
    """
    asked = read_misses(directory)
    return Found(kind=asked.kind, caches=[_found(directory, asked, one) for one in asked.caches])


def judge(directory: Path) -> tuple[int, str]:
    """Tell how the whole test did: a counter that misses what was generated is a finding."""
    for one in read_found(directory).caches:
        for case in one.having("no verdict"):
            return EXIT_NO_VERDICT, f"{one.cache.event}: no verdict: {case.reason}"
    return EXIT_DONE, ""


def _found(directory: Path, asked: CacheMisses, cache: CacheRecord) -> FoundCache:
    path = directory / "runs" / cache.run
    run = open_run(path) if path.is_dir() else None
    cases = [case for case in asked.cases if case.run == cache.run]
    passes = [None if run is None else _passes(run, case, cache) for case in cases]
    is_simulated = asked.kind == "simulated"
    found = FoundCache(
        cache=cache,
        cases=[
            _judged(case, cache, one, is_simulated=is_simulated)
            for case, one in zip(cases, passes, strict=True)
        ],
        miss=None,
    )
    if not found.is_reliable:
        return found
    return msgspec.structs.replace(
        found, miss=_miss_time(cases, passes, cache, is_simulated=is_simulated)
    )


def _passes(run: Run, case: CaseRecord, cache: CacheRecord) -> Passes | None:
    indices = {task.name: task.index for task in run.manifest.tasks}
    if not {case.short, case.long} <= indices.keys() or not run.has_stream("jobs"):
        return None
    jobs = run.stream("jobs")
    short, long = (of_task(jobs, indices[name]) for name in (case.short, case.long))
    return passes_of(short, long, cache.event, case.passes)


def _judged(
    case: CaseRecord, cache: CacheRecord, passes: Passes | None, *, is_simulated: bool
) -> FoundCase:
    lines, generated = lines_of(case, cache), generated_misses(case, cache)
    counted = None if passes is None else _counted(passes)
    n = 0 if passes is None else len(passes.misses)
    result, reason = _result(case, cache, passes, is_simulated=is_simulated)
    return FoundCase(
        case=case,
        lines=lines,
        generated=generated,
        counted=counted,
        difference=None if counted is None else (counted - generated) / lines,
        time_ns=None if passes is None else float(np.median(passes.time_ns)),
        n=n,
        result=result,
        reason=reason,
    )


def _counted(passes: Passes) -> float:
    """What came before passes may vary by more than they miss, but none misses fewer than none."""
    return max(float(np.median(passes.misses)), 0.0)


def _result(
    case: CaseRecord, cache: CacheRecord, passes: Passes | None, *, is_simulated: bool
) -> tuple[Result, str]:
    if passes is None:
        return "no verdict", "nothing was counted"
    if passes.worst_ratio > 1:
        share = 100 / passes.worst_ratio
        return "no verdict", f"counters took turns, and it counted {share:.0f} % of the time"
    if not is_simulated and interval_ranks(len(passes.misses), 1 / 2) is None:
        return "no verdict", f"{len(passes.misses)} pairs of jobs are too few"
    if case.not_judged:
        return "not judged", case.not_judged
    excess = _counted(passes) - generated_misses(case, cache)
    tolerance = _TOLERANCE * lines_of(case, cache)
    if excess < -tolerance:
        return "fewer", ""
    if excess > tolerance + own_misses(case, cache):
        return "more", ""
    return "agrees", ""


def _miss_time(
    cases: Sequence[CaseRecord],
    passes: Sequence[Passes | None],
    cache: CacheRecord,
    *,
    is_simulated: bool,
) -> MissTime:
    """Solve time = c + lines * hit + misses * miss for three sizes, a use of each line.

    The first two fit, so that their difference is hits alone; what of the third is neither hits nor
    c is misses.
    """
    whole = {
        case.shape: (lines_of(case, cache), one)
        for case, one in zip(cases, passes, strict=True)
        if one is not None and case.miss_ratio == RATIO_ONE
    }
    (quarter, little), (half, some), (beyond, all_) = (
        whole[shape] for shape in ("quarter", "half", "beyond")
    )
    n = min(len(one.time_ns) for one in (little, some, all_))
    hit_ns = (some.time_ns[:n] - little.time_ns[:n]) / (half - quarter)
    more_ns = all_.time_ns[:n] - some.time_ns[:n] - hit_ns * (beyond - half)
    misses = float(np.median(all_.misses) - np.median(some.misses))
    each: FloatArray = np.sort(more_ns / misses)
    ranks = None if is_simulated else interval_ranks(n, 1 / 2)
    low, high = (None, None) if ranks is None else (each[ranks[0] - 1], each[ranks[1] - 1])
    return MissTime(
        ns=float(np.median(each)),
        low_ns=None if low is None else float(low),
        high_ns=None if high is None else float(high),
        n=n,
    )
