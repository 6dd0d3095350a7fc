# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Which caches of a platform are tested, and with what code and data."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from laxity.core.memory_place import CLASSES, MAIN_REGION
from laxity.core.units import exact_size
from laxity.costs.cache_misses.document import (
    CacheMisses,
    CacheRecord,
    CaseRecord,
    Shape,
    Used,
    percent_text,
)
from laxity.errors import PlatformError
from laxity.platform.machine import Cache, Machine, caches_of
from laxity.platform.platform_file import PlatformModel
from laxity.store.manifest import Fallback
from laxity.tasksets.locality import LINES_BYTES, RATIO_ONE, lowest_ratio, uses
from laxity.tasksets.locality import Cache as Sized

# By name: the event that counts its misses, its level, what it holds, and what fills it.
_TESTED = {
    "l1i": ("l1i_refill", 1, "instruction"),
    "l1d": ("l1d_refill", 1, "data"),
    "l2": ("l2_refill", 2, "unified"),
}
EVENTS = tuple(event for event, _, _ in _TESTED.values())
# Those that lose every line of code or data that comes round in order and is twice as large.
_IN_ORDER = frozenset({"lru", "plru", "fifo"})
_TWICE = 2
# Of any replacement: a line that each of (8 * ways - 1) others may evict survives by e^-8.
_EIGHT_TIMES = 8
# What fills a larger one takes long.
_MOST_BYTES = 4 << 20
# Of the sets, so many in eight get a line more than they have ways: many, so that a line of the
# loop is mostly in one of them, where it costs one miss and not a whole set.
_SLOPE_EIGHTHS = 7
# What fits a cache with random replacement evicts itself at first, while others' lines are there.
_SETTLED_PASSES, _FEWEST_PASSES = 32, 8
# On a machine jobs are so long that what happens around them is little.
_LEAST_USES = 50_000


@dataclass(frozen=True, slots=True)
class Known:
    """What the file of a simulated platform tells of a cache; of a machine nobody knows it.

    Attributes:
        replacement: lru, plru, fifo, random.
        prefetch: How it prefetches; empty: it does not.
        unsure: Why size and ways alone do not tell what stays in it; empty: they do.
    """

    replacement: str | None = None
    prefetch: str = ""
    unsure: str = "its pages lie anywhere in memory"


def plan_cache_misses(
    machine: Machine, cpu: int, counted: Collection[str], model: PlatformModel | None
) -> tuple[CacheMisses, tuple[Fallback, ...]]:
    """Decide what is tested on a machine, by the caches that it is said to have.

    Args:
        machine: The machine.
        cpu: Where it is tested.
        counted: Events that can be counted there.
        model: Of a simulated platform.

    Returns:
        The caches and cases, and what was left out and why.

    Raises:
        PlatformError: No cache can be tested.
    """
    caches: list[CacheRecord] = []
    cases: list[CaseRecord] = []
    left_out: list[Fallback] = []
    for run, (event, level, holds) in _TESTED.items():
        found = [
            one
            for one in caches_of(machine, cpu)
            if (one.level, one.kind.lower()) == (level, holds)
        ]
        reason = _why_not(found, event, counted)
        if reason:
            left_out.append(Fallback(what=event, used="none", reason=reason))
            continue
        known = Known() if model is None else _known(model, run)
        tested = _record(run, event, found[0], known)
        caches.append(tested)
        cases += _cases(tested, known, is_noisy=model is None)
    if not caches:
        reasons = dict.fromkeys(one.reason for one in left_out)
        advice = "; a simulated platform has some: --platform sim:NAME" if model is None else ""
        msg = f"no counter of cache misses can be tested: {'; '.join(reasons)}{advice}"
        raise PlatformError(msg)
    return (
        CacheMisses(kind="measured" if model is None else "simulated", caches=caches, cases=cases),
        tuple(left_out),
    )


def cached_place(model: PlatformModel | None) -> str:
    """Tell where the memory of the tasks lies, so that caches have it; empty: where it does anyway.

    Scratchpads, which a platform may give to its tasks, are not cached; its main memory is.
    """
    if model is None or not model.values["place"].text:
        return ""
    return f"{'+'.join(CLASSES)}={MAIN_REGION}"


def _why_not(found: list[Cache], event: str, counted: Collection[str]) -> str:
    if not found:
        return "the platform has no such cache, or does not tell of it"
    if event not in counted:
        return "it is not counted there (laxity list events)"
    one = found[0]
    if one.size_bytes is None or one.ways is None or one.line_bytes not in LINES_BYTES:
        return "the platform does not tell its size, ways and line"
    try:
        Sized(one.size_bytes, one.line_bytes, one.ways)
    except ValueError as error:
        return str(error)
    if one.size_bytes > _MOST_BYTES:
        return f"what fills a cache of more than {exact_size(_MOST_BYTES)} takes long"
    return ""


def _known(model: PlatformModel, run: str) -> Known:
    """Read of a platform file what of a cache decides which lines stay."""
    place = run if run in ("l1i", "l1d") else model.levels[0]
    values: Mapping[str, str] = {
        key: value.text
        for key in ("replacement", "prefetch", "inclusion", "partition")
        if (value := model.values.get(f"{place}.{key}")) is not None
    }
    prefetch = values.get("prefetch", "none")
    unsure = ""
    if run == "l2" and model.values["memory.placement"].text != "identity":
        unsure = "its pages lie anywhere in memory"
    if values.get("inclusion") == "exclusive":
        unsure = "it has only what the caches above evict"
    if model.values.get(f"{place}.partition") and model.values[f"{place}.partition"].number:
        unsure = "its ways are divided among the cores"
    return Known(values["replacement"], "" if prefetch == "none" else prefetch, unsure)


def _record(run: str, event: str, found: Cache, known: Known) -> CacheRecord:
    assert found.size_bytes and found.ways and found.line_bytes  # noqa: S101, PT018 - for mypy
    return CacheRecord(
        run=run,
        name=run.upper() if run == "l2" else f"L1{run[-1]}",
        event=event,
        size_bytes=found.size_bytes,
        ways=found.ways,
        line_bytes=found.line_bytes,
        replacement=known.replacement,
        prefetch=known.prefetch or None,
    )


def _cases(tested: CacheRecord, known: Known, *, is_noisy: bool) -> Iterator[CaseRecord]:
    """Give each cache what fits, what is on the slope, and what is beyond, by spatial ratio."""
    for shape, ratio in _shapes(tested):
        used: Used = "code" if tested.run == "l1i" else "data"
        size_bytes = _lines(tested, shape) * tested.line_bytes
        passes = _SETTLED_PASSES if shape in ("quarter", "half") else _FEWEST_PASSES
        if is_noisy:
            passes = max(passes, _LEAST_USES // uses(size_bytes, tested.line_bytes, ratio))
        name = f"{used}-{exact_size(size_bytes)}-{percent_text(ratio)}"
        yield CaseRecord(
            run=tested.run,
            short=f"{name}-once",
            long=f"{name}-twice",
            used=used,
            shape=shape,
            size_bytes=size_bytes,
            miss_ratio=ratio,
            passes=passes,
            not_judged=_why_not_judged(shape, tested, known),
        )


def _shapes(tested: CacheRecord) -> Iterator[tuple[Shape, int]]:
    yield "quarter", RATIO_ONE
    yield "half", RATIO_ONE
    yield "slope", RATIO_ONE
    yield "beyond", RATIO_ONE
    if tested.run != "l2":
        yield "beyond", RATIO_ONE // 2
        yield "beyond", lowest_ratio(tested.line_bytes)


def _lines(tested: CacheRecord, shape: Shape) -> int:
    lines = tested.cache.lines
    if shape == "slope":
        sets = lines // tested.ways
        return lines + max(1, sets * _SLOPE_EIGHTHS // 8)
    times = _TWICE if tested.replacement in _IN_ORDER else _EIGHT_TIMES
    return {"quarter": lines // 4, "half": lines // 2, "beyond": times * lines}[shape]


def _why_not_judged(shape: Shape, tested: CacheRecord, known: Known) -> str:
    if shape == "beyond":
        return ""
    if shape == "slope" and tested.replacement not in _IN_ORDER:
        if tested.replacement is None:
            return "the replacement is not known, and other ones than LRU lose less of it"
        return f"the replacement is {tested.replacement}, which keeps lines that LRU loses"
    return known.unsure if tested.run == "l2" else ""
