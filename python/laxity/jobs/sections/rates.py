# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Memory traffic, cache misses and other events over time, if the run sampled its counters."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import msgspec
import numpy as np

from laxity.core.units import format_bytes_per_s, format_size_bytes
from laxity.jobs import rows as analysis
from laxity.jobs.rates import Rates, Samples, cpus_of, of_cpu, rates_of
from laxity.jobs.run_data import RunData, TaskData
from laxity.jobs.section_parts import quantity
from laxity.jobs.sections.simulated import line_bytes_of
from laxity.page import figures
from laxity.page.blocks import (
    Block,
    Cell,
    FigureBlock,
    Figures,
    Folded,
    Paragraph,
    Quantity,
    Section,
    Table,
    number_cell,
    show_count,
    show_duration,
    show_rate,
    text_cell,
)
from laxity.page.figures import FloatArray, RateLine

_TEXT = (
    "How fast events came, from the samples of their counters: a rate holds from one sample to the "
    "next."
)
_ALL_CORES = "all cores"
_STEPS = 1000
# Of more CPUs than these each is folded.
_MOST_CPUS_OPEN = 4
# More bars than these would be one.
_MOST_SPANS, _MOST_TASKS = 300, 4


@dataclass(frozen=True, slots=True)
class _Counted:
    """What was counted in a task, a CPU or all cores (no task), by the names of the events."""

    name: str
    identity: str
    task: TaskData | None
    rates: dict[str, Rates]
    # Begins the names of its figures; a task has them by its name.
    prefix: str = ""


def build(run: RunData) -> Section | None:
    """Build the section; None for a run that sampled nothing, on a machine."""
    whole = _whole_traffic(run)
    counted = [one for one in _counted(run) if one.rates]
    if not counted and whole is None:
        return None
    blocks: list[Block] = [] if whole is None else [whole]
    quantities = _whole_quantities(run)
    if counted:
        blocks.append(Paragraph(_TEXT, is_explanation=True))
    has_whole = any(one.task is None for one in counted)
    is_many = len(counted) > _MOST_CPUS_OPEN and all(one.task is None for one in counted)
    for one in counted:
        shown = tuple(_blocks_of(run, one))
        is_detail = is_many or (has_whole and one.task is not None)
        whose = one.name if one.task is None else f"task {one.name}"
        blocks += (Folded(f"Of {whose}", shown),) if is_detail else shown
        quantities += _quantities(run, one)
    shared = [name for one in counted for name in one.rates if _is_bytes(name) or _is_miss(name)]
    title = "Cache and memory over time" if shared else "Events over time"
    title = title if counted else "Memory traffic"
    return Section(f"{run.prefix}-rates", title, tuple(blocks), tuple(quantities))


def _counted(run: RunData) -> Iterator[_Counted]:
    clock = run.manifest.clock
    if run.samples is None or clock is None or clock.t0_ns is None:
        return
    cpus = cpus_of(run.samples)
    for cpu in cpus:
        found = _rates(run, of_cpu(run.samples, cpu), None, clock.t0_ns)
        yield _Counted(f"CPU {cpu}", f"cpu{cpu}", None, found, f"cpu{cpu}_")
    if cpus:
        return
    for task in (None, *run.tasks):
        number = None if task is None else task.result.index
        found = _rates(run, run.samples, number, clock.t0_ns)
        name = _ALL_CORES if task is None else task.result.name
        yield _Counted(name, "all" if task is None else f"t{number}", task, found)


def _rates(run: RunData, samples: Samples, task: int | None, t0_ns: int) -> dict[str, Rates]:
    return {
        event.name: rates
        for index, event in enumerate(run.manifest.events)
        if (rates := rates_of(samples, task, index, t0_ns)) is not None
    }


def _whole_traffic(run: RunData) -> Paragraph | None:
    """Say what the memory of a simulated platform was sent; None: nobody knows."""
    traffic = run.manifest.memory_traffic
    if isinstance(traffic, msgspec.UnsetType):
        return None
    line_bytes = line_bytes_of(run)

    def lines(n: int) -> str:
        size = "" if line_bytes is None else f" ({format_size_bytes(n * line_bytes)})"
        return f"{show_count(n)} lines{size}"

    return Paragraph(
        f"From its first tick on all cores have read {lines(traffic.lines_read)} from the memory "
        f"and written {lines(traffic.lines_written)} to it ({run.kind}), co-runners included."
    )


def _whole_quantities(run: RunData) -> list[Quantity]:
    traffic = run.manifest.memory_traffic
    if isinstance(traffic, msgspec.UnsetType):
        return []
    return [
        quantity(run, None, f"memory_{name}", getattr(traffic, name), unit="lines", n=1)
        for name in ("lines_read", "lines_written")
    ]


def _blocks_of(run: RunData, counted: _Counted) -> Iterator[Block]:
    figure_blocks = [
        _figure(run, counted, f"{counted.identity}-{rank}", group)
        for rank, group in enumerate(_groups(_occurred(counted)))
    ]
    if figure_blocks:
        yield Figures(tuple(figure_blocks))
    rows = tuple(_row(name, rates) for name, rates in counted.rates.items())
    head = ("event", "mean", "highest between two samples", "n, samples")
    yield Table(f"Rates of {counted.name} ({run.kind})", head, rows)


def _occurred(counted: _Counted) -> list[str]:
    """Name the events of which there is something to draw."""
    return [name for name, rates in counted.rates.items() if rates.counts.any()]


def _groups(names: Sequence[str]) -> Iterator[tuple[str, str, list[str]]]:
    """Group events by what may stand on one axis: label, unit, names."""
    traffic = [name for name in names if _is_bytes(name)]
    misses = [name for name in names if _is_miss(name)]
    if traffic:
        yield "memory traffic", "B/s", traffic
    if misses:
        yield "cache misses", "/s", misses
    others = (name for name in names if name not in (*traffic, *misses))
    yield from ((f"rate of {name}", "/s", [name]) for name in others)


def _is_bytes(name: str) -> bool:
    return name.endswith("_bytes")


def _is_miss(name: str) -> bool:
    return name.endswith("_refill")


def _figure(
    run: RunData, counted: _Counted, place: str, group: tuple[str, str, list[str]]
) -> FigureBlock:
    label, unit, names = group
    lines, longest_ns = [], 0.0
    for name in names:
        rates = counted.rates[name].thinned(_STEPS)
        lines.append(RateLine(name, rates.edges_ns, rates.per_s))
        longest_ns = max(longest_ns, float(np.median(np.diff(rates.edges_ns))))
    n = max(counted.rates[name].n for name in names)
    spans = _spans(run, counted)
    identity = f"{run.prefix}-rates-{place}"
    facts = f"{run.kind}, n = {show_count(n)} samples"
    said = "; ".join(
        f"{name}: {_show(name, counted.rates[name].mean_per_s)} on average, at most "
        f"{_show(name, float(counted.rates[name].per_s.max()))}"
        for name in names
    )
    title = f"{label[:1].upper()}{label[1:]} of {counted.name} over time"
    caption = f"{title} ({facts}); each step is {show_duration(round(longest_ns))}."
    if spans:
        order = ", the first task on top" if len(spans) > 1 else ""
        caption += f" Bars below: jobs, from start to finish{order}."
    alt = f"{title}, {facts}. {said}."
    return FigureBlock(
        identity, partial(figures.rates, lines, spans, label, unit, identity, alt), caption
    )


def _spans(run: RunData, counted: _Counted) -> list[FloatArray]:
    """Say when tasks were active; nothing if there are too many bars to tell them apart."""
    clock = run.manifest.clock
    t0_ns = 0 if clock is None or clock.t0_ns is None else clock.t0_ns
    tasks = run.tasks if counted.task is None else (counted.task,)
    spans = []
    for task in tasks:
        jobs = analysis.finished(task.rows)
        columns = [np.ma.getdata(jobs[name]) - t0_ns for name in ("start_ns", "finish_ns")]
        spans.append(np.column_stack(columns).astype(float))
    is_too_many = len(spans) > _MOST_TASKS or any(len(one) > _MOST_SPANS for one in spans)
    return [] if is_too_many else spans


def _show(name: str, per_s: float) -> str:
    return format_bytes_per_s(per_s) if _is_bytes(name) else show_rate(per_s, _unit_of(name))


def _unit_of(name: str) -> str:
    """Return the unit of a rate: cpu-clock and task-clock count nanoseconds."""
    if _is_bytes(name):
        return "bytes/s"
    return "ns/s" if name.endswith("-clock") else "events/s"


def _row(name: str, rates: Rates) -> tuple[Cell, ...]:
    return (
        text_cell(name, "" if rates.is_exact else "an estimate: counters were shared"),
        number_cell(_show(name, rates.mean_per_s)),
        number_cell(_show(name, float(rates.per_s.max()))),
        number_cell(show_count(rates.n)),
    )


def _quantities(run: RunData, counted: _Counted) -> list[Quantity]:
    found = []
    for name, rates in counted.rates.items():
        note = None if rates.is_exact else "an estimate: counters were shared"
        if counted.task is None:
            note = "; ".join(filter(None, (f"of {counted.name}", note)))
        values = (("mean", rates.mean_per_s), ("max", float(rates.per_s.max())))
        found += [
            quantity(
                run,
                counted.task,
                f"{counted.prefix}{name}_rate_{what}",
                value,
                unit=_unit_of(name),
                n=rates.n,
                note=note,
            )
            for what, value in values
        ]
    return found
