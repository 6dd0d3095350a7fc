# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Miss ratios over time, each window by its task, if the run sampled misses."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from laxity.jobs import rows as analysis
from laxity.jobs.miss_ratio import BUSY_SHARE, Cache, MissRatio, caches_of
from laxity.jobs.rates import Rates, cpus_of, rates_of, rates_of_threads
from laxity.jobs.run_data import RunData, TaskData
from laxity.jobs.section_parts import quantity
from laxity.page import figures
from laxity.page.blocks import (
    Block,
    Cell,
    FigureBlock,
    Figures,
    Paragraph,
    Quantity,
    Section,
    Table,
    number_cell,
    show_count,
    show_duration,
    show_ratio,
    text_cell,
)

_TEXT = (
    "A window lies between two samples of the counters. “Without a switch”: of the windows in "
    "which a task had its CPU all along, and in the two before; it may still reload in them."
)
_COUNTED = (
    "Extrinsic misses are of lines that other tasks, the kernel or a probe have evicted; all other "
    "misses are intrinsic."
)
_BY_CPU = (
    "Interrupts counted whole CPUs: a window is of the task that was interrupted at its end, with "
    "all that others missed in it, the kernel too; of a task that moves, on the CPU where it was "
    "most."
)
_NO_TRACE = (
    "Without a scheduling trace (--trace) nobody knows in which windows a task was switched to."
)
_POINTS = 4000
Ratios = list[tuple[TaskData, MissRatio]]


def build(run: RunData) -> Section | None:
    """Build the section; None for a run that sampled no misses of its tasks."""
    blocks: list[Block] = [Paragraph(_TEXT, is_explanation=True)]
    quantities: list[Quantity] = []
    caches = _caches(run)
    for cache in caches:
        found = _ratios(run, cache)
        if found:
            blocks += _blocks_of(run, cache, found)
            quantities += [
                one for task, ratio in found for one in _quantities(run, task, cache, ratio)
            ]
    if not quantities:
        return None
    if cpus_of(run.samples):
        blocks.append(Paragraph(_BY_CPU))
    if not run.attributions:
        blocks.append(Paragraph(_NO_TRACE))
    if any(cache.extrinsic is not None for cache in caches):
        blocks.append(Paragraph(_COUNTED, is_explanation=True))
    return Section(
        f"{run.prefix}-miss-ratio", "Miss ratio over time", tuple(blocks), tuple(quantities)
    )


def sentences(run: RunData) -> tuple[str, ...]:
    """Say of each cache which task misses most; nothing if no misses were sampled."""
    return tuple(
        _sentence(run, cache, found) for cache in _caches(run) if (found := _ratios(run, cache))
    )


def _sentence(run: RunData, cache: Cache, found: Ratios) -> str:
    task, most = max(found, key=lambda one: one[1].mean)
    share = most.extrinsic_share
    others = "" if share is None else f"; others caused {show_ratio(share)} of its misses"
    whose = f"{task.result.name}, which has most," if len(found) > 1 else task.result.name
    return (
        f"{_title(cache)}: {whose} misses {show_ratio(most.mean)} on average and "
        f"{show_ratio(most.highest)} in its highest window{others} ({run.kind}, "
        f"n = {show_count(most.n)} windows)."
    )


def _caches(run: RunData) -> tuple[Cache, ...]:
    clock = run.manifest.clock
    if run.samples is None or clock is None or clock.t0_ns is None:
        return ()
    return caches_of([event.name for event in run.manifest.events])


def _ratios(run: RunData, cache: Cache) -> Ratios:
    return [(task, one) for task in run.tasks if (one := _ratio_of(run, task, cache))]


def _ratio_of(run: RunData, task: TaskData, cache: Cache) -> MissRatio | None:
    misses, accesses = (_rates(run, task, name) for name in (cache.misses, cache.accesses))
    extrinsic = None if cache.extrinsic is None else _rates(run, task, cache.extrinsic)
    if misses is None or accesses is None or not np.array_equal(misses.edges_ns, accesses.edges_ns):
        return None
    if not accesses.counts[-1]:
        return None
    return MissRatio(misses, accesses, extrinsic, _switched_on_ns(run, task))


def _rates(run: RunData, task: TaskData, name: str) -> Rates | None:
    clock, names = run.manifest.clock, [event.name for event in run.manifest.events]
    t0_ns = 0 if clock is None or clock.t0_ns is None else clock.t0_ns
    event = names.index(name)
    if not cpus_of(run.samples):
        return rates_of(run.samples, task.result.index, event, t0_ns)
    if not analysis.has_column(task.rows, "tid"):
        return None
    tids = np.unique(analysis.present(task.rows["tid"]))
    return rates_of_threads(run.samples, tids, event, t0_ns)


def _switched_on_ns(run: RunData, task: TaskData) -> figures.FloatArray | None:
    """Say when a task got a CPU: at the start of each job, and behind each preemption."""
    attribution = run.attributions.get(task.result.index)
    clock = run.manifest.clock
    if attribution is None or clock is None or clock.t0_ns is None:
        return None
    starts = analysis.present(task.rows["start_ns"])
    ends = np.array([one.from_ns + one.duration_ns for one in attribution.preemptions], np.int64)
    return (np.concatenate([starts, ends]) - clock.t0_ns).astype(float)


def _blocks_of(run: RunData, cache: Cache, found: Ratios) -> Iterator[Block]:
    yield Figures((_figure(run, cache, found),))
    counted = () if cache.extrinsic is None else ("extrinsic, of the misses",)
    head = ("task", "average", "without a switch", "highest window", *counted, "n, windows")
    rows = tuple(_row(task, ratio) for task, ratio in found)
    yield Table(f"{_title(cache)} ({run.kind})", head, rows)


def _title(cache: Cache) -> str:
    return f"{cache.misses} per {cache.accesses}"


def _row(task: TaskData, ratio: MissRatio) -> tuple[Cell, ...]:
    quiet, share = ratio.quiet_mean, ratio.extrinsic_share
    without = number_cell("no such window")
    if quiet is not None:
        without = number_cell(show_ratio(quiet), f"n = {show_count(ratio.n_quiet)}")
    counted = number_cell("no miss" if share is None else show_ratio(share))
    return (
        text_cell(task.result.name, "" if ratio.misses.is_exact else "counters were shared"),
        number_cell(show_ratio(ratio.mean)),
        without,
        number_cell(show_ratio(ratio.highest)),
        *(() if ratio.extrinsic is None else (counted,)),
        number_cell(show_count(ratio.n)),
    )


def _figure(run: RunData, cache: Cache, found: Ratios) -> FigureBlock:
    identity = f"{run.prefix}-miss-ratio-{cache.name}"
    points = [
        (
            task.result.name,
            ratio.misses.edges_ns[1:][ratio.is_busy][:: _step(ratio)],
            100 * ratio.ratio[ratio.is_busy][:: _step(ratio)],
        )
        for task, ratio in found
    ]
    n = sum(len(times) for _, times, _ in points)
    width_ns = float(np.median(np.diff(found[0][1].misses.edges_ns)))
    title = f"{_title(cache)} over time"
    facts = f"{run.kind}, n = {show_count(n)} windows of {show_duration(round(width_ns))}"
    caption = (
        f"{title} ({facts}); a point is a window of a task in which it made at least "
        f"{show_ratio(BUSY_SHARE)} of the accesses of its busiest one."
    )
    said = "; ".join(
        f"{task.result.name}: {show_ratio(ratio.mean)} on average, at most "
        f"{show_ratio(ratio.highest)}"
        for task, ratio in found
    )
    alt = f"{title}, {facts}. {said}."
    return FigureBlock(
        identity, partial(figures.windows, points, _title(cache), identity, alt), caption
    )


def _step(ratio: MissRatio) -> int:
    return -(-int(ratio.is_busy.sum()) // _POINTS) or 1


def _quantities(run: RunData, task: TaskData, cache: Cache, ratio: MissRatio) -> Iterator[Quantity]:
    values = (
        ("mean", ratio.mean, ratio.n, None),
        ("without_switch", ratio.quiet_mean, ratio.n_quiet, None),
        (
            "max",
            ratio.highest,
            ratio.n,
            f"of windows with {show_ratio(BUSY_SHARE)} of the busiest one",
        ),
        ("extrinsic_share", ratio.extrinsic_share, ratio.n, "counted"),
    )
    for what, value, n, note in values:
        if value is not None and np.isfinite(value):
            name = f"{cache.name}_miss_ratio_{what}"
            yield quantity(run, task, name, value, unit="ratio", n=n, note=note)
