# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What was counted in each job, if the run was asked to count."""

from laxity.jobs.counts import CountSummary, summarize_counts
from laxity.jobs.run_data import RunData, TaskData
from laxity.jobs.section_parts import kept_only, per_task, quantity
from laxity.page.blocks import (
    NOT_MEASURED,
    Block,
    Cell,
    Paragraph,
    Quantity,
    Section,
    Table,
    number_cell,
    show_count,
    show_duration,
    text_cell,
)
from laxity.store.manifest import Event

_INTRODUCTION = (
    "Counts per finished job: the raw count times its scale ratio, less what an empty pair of "
    "snapshots counts (a median), and not below 0. A scale ratio above 1 means that the counter "
    "had to be shared and the count is an estimate; 1 means it counted all the time."
)
_SIMULATED = (
    "Counts per finished job, exact: what the model counted on the core of the job while the job "
    "was on it. What switching to it took is not among them."
)
_STATISTICS = ("min", "median", "max")


def build(run: RunData) -> Section | None:
    """Build the section; None for a run that was to count nothing in its jobs."""
    sampling = run.manifest.sampling
    if not run.manifest.events or (sampling is not None and sampling.interrupts is not None):
        return None

    def one_task(task: TaskData) -> tuple[list[Block], list[Quantity]]:
        return _task_blocks(run, task)

    blocks, quantities = per_task(run, one_task)
    introduction = _SIMULATED if run.kind == "simulated" else _INTRODUCTION
    return Section(
        f"{run.prefix}-counters",
        "What was counted",
        (Paragraph(introduction), *_notes(run), *blocks),
        quantities,
    )


def _notes(run: RunData) -> list[Block]:
    sampling = run.manifest.sampling
    if sampling is None or sampling.bucket_ns is None:
        return []
    where = "where its task runs" if sampling.cpu is None else f"on CPU {sampling.cpu}"
    by = "" if run.kind == "simulated" else f" by a sampler {where}"
    text = (
        f"Within jobs too, counters were read every {show_duration(sampling.bucket_ns)}{by}: "
        f"{show_count(sampling.samples)} samples are in counters.npy, "
        f"{show_count(sampling.lost)} were lost."
    )
    return [Paragraph(text, "note")]


def _task_blocks(run: RunData, task: TaskData) -> tuple[list[Block], list[Quantity]]:
    summaries = [
        (event, summarize_counts(task.rows, event.name, event.empty_count or 0))
        for event in run.manifest.events
    ]
    caption = f"Counts per job ({run.kind}{kept_only(run, task)})"
    head: tuple[str, ...] = (
        "event",
        *_STATISTICS,
        "n, jobs",
        "largest scale ratio",
        "not counted in",
    )
    rows = tuple(_row(event, summary) for event, summary in summaries)
    if run.kind == "simulated":  # every job is counted, and nothing is scaled
        head, rows = head[:-2], tuple(row[:-2] for row in rows)
    quantities = [
        quantity(run, task, f"{event.name}_{name}", value, unit="count",
                 n=0 if summary is None else summary.n, note=_note(event, summary),
                 resolution="calibrated")
        for event, summary in summaries
        for name, value in zip(_STATISTICS, _values(summary), strict=True)
    ]  # fmt: skip
    return [Table(caption, head, rows)], quantities


def _values(summary: CountSummary | None) -> tuple[int | None, ...]:
    if summary is None:
        return (None,) * len(_STATISTICS)
    return (summary.min_count, summary.median_count, summary.max_count)


def _row(event: Event, summary: CountSummary | None) -> tuple[Cell, ...]:
    counted_by = NOT_MEASURED
    if event.platform_event is not None:
        counted_by = f"{event.platform_event}, {event.scope}, {event.modes}"
    cells = [text_cell(event.name, counted_by)]
    cells += [number_cell(show_count(value)) for value in _values(summary)]
    if summary is None:
        return (*cells, *(number_cell(NOT_MEASURED),) * 3)
    ratio = f"{summary.worst_ratio:.3g}"
    return (
        *cells,
        number_cell(show_count(summary.n)),
        number_cell(ratio),
        number_cell(show_count(summary.n_absent)),
    )


def _note(event: Event, summary: CountSummary | None) -> str:
    if summary is None:
        return NOT_MEASURED
    if event.empty_count is None:
        return "not calibrated, nothing subtracted"
    return f"{show_count(round(event.empty_count))} of an empty pair of snapshots subtracted"
