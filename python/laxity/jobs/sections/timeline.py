# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Response time and release latency of every job over time, missed and skipped ones marked."""

from functools import partial

import numpy as np

from laxity.core.streams import Status
from laxity.jobs import rows as analysis
from laxity.jobs.rows import Column, Jobs
from laxity.jobs.run_data import RunData, TaskData
from laxity.jobs.section_parts import per_task, without_release
from laxity.page import figures
from laxity.page.blocks import (
    Block,
    FigureBlock,
    Figures,
    Paragraph,
    Quantity,
    Section,
    count_noun,
    show_count,
    show_duration,
)
from laxity.page.figures import FloatArray, Series


def build(run: RunData) -> Section:
    """Build the section."""

    def one_task(task: TaskData) -> tuple[list[Block], list[Quantity]]:
        return _task_blocks(run, task), []

    blocks, quantities = per_task(run, one_task)
    return Section(f"{run.prefix}-timeline", "Over time", blocks, quantities)


def _task_blocks(run: RunData, task: TaskData) -> list[Block]:
    finished = analysis.with_release(analysis.finished(task.rows))
    if not len(finished):
        return [Paragraph(without_release(task), "note")]
    blocks: list[Block] = []
    if not task.is_whole:
        kept = f"{show_count(len(task.rows))} of {count_noun(task.result.released, 'release')}"
        blocks.append(
            Paragraph(f"Only kept rows can be drawn over time: {kept} (--keep {run.keep}).", "note")
        )
    response = _figure(run, task, "response time", analysis.response_time_ns(finished))
    latency = _figure(run, task, "release latency", analysis.release_latency_ns(finished))
    return [*blocks, Figures((response, latency))]


def _figure(run: RunData, task: TaskData, title: str, values: Column) -> FigureBlock:
    finished = analysis.with_release(analysis.finished(task.rows))
    data = Series(
        _since_t0(run, finished),
        np.ma.getdata(values).astype(np.float64),
        np.asarray(np.ma.getdata(finished["status"]) == Status.MISSED),
        _since_t0(run, task.rows[np.ma.getdata(task.rows["status"]) == Status.SKIPPED]),
    )
    is_response = title == "response time"
    deadline = task.result.deadline_ns if is_response else None
    prefix = f"{run.prefix}-t{task.result.index}-series-{title.replace(' ', '-')}"
    n_missed = int(np.count_nonzero(data.missed))
    facts = f"n = {show_count(len(finished))} finished jobs, {run.kind_of(task)}"
    n_skipped = len(data.skipped_ns)
    marks = f"{count_noun(n_missed, 'missed job')}, {count_noun(n_skipped, 'skipped release')}"
    alt = (
        f"{title.capitalize()} over time of task {task.result.name}, {facts}: from "
        f"{show_duration(data.value_ns.min())} to {show_duration(data.value_ns.max())}; {marks}."
    )
    return FigureBlock(
        prefix,
        partial(figures.series, data, title, deadline, prefix, alt),
        f"{title.capitalize()} of each job over its release ({facts}). "
        f"{_legend(task, n_missed, n_skipped)}{_thinned(len(finished))}",
    )


def _since_t0(run: RunData, rows: Jobs) -> FloatArray:
    clock = run.manifest.clock
    releases = np.ma.getdata(rows["release_ns"]).astype(np.int64)
    t0 = clock.t0_ns if clock is not None else None
    if t0 is None:
        t0 = int(releases[0]) if len(releases) else 0
    return (releases - t0).astype(np.float64)


def _legend(task: TaskData, n_missed: int, n_skipped: int) -> str:
    missed = "No job missed. " if task.is_whole else "No kept job missed. "
    if task.result.deadline_ns is None:
        missed = ""
    if n_missed:
        missed = f"Crosses: {count_noun(n_missed, 'missed job')}. "
    if not n_skipped:
        return missed
    return f"{missed}Ticks below: {count_noun(n_skipped, 'skipped release')}. "


def _thinned(n: int) -> str:
    if n <= figures.SERIES_POINTS:
        return ""
    return (
        f"Drawn: at most {show_count(figures.SERIES_POINTS)} dots; the smallest and largest of "
        "each slice of time are always among them."
    )
