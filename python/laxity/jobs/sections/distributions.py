# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Response time and release latency: histogram, tail and order statistics of each task."""

from functools import partial

from laxity.core.streams import Quantity as Stream
from laxity.jobs import rows as analysis
from laxity.jobs.rows import QuantileValue, Summary
from laxity.jobs.run_data import RunData, TaskData
from laxity.jobs.section_parts import (
    STREAM_NAMES,
    interval_text,
    is_queued,
    per_task,
    quantile_name,
    source_note,
    summary_quantities,
    without_release,
)
from laxity.page import figures
from laxity.page.blocks import (
    Block,
    Cell,
    FigureBlock,
    Figures,
    Kind,
    Paragraph,
    Quantity,
    Section,
    Table,
    duration_cell,
    number_cell,
    show_count,
    show_duration,
    text_cell,
)
from laxity.page.figures import Labelled

_INTRODUCTIONS = {
    Stream.RESPONSE_TIME: "Finish minus nominal release: a late start counts against the task. "
    "A skipped or aborted job has no response time; it is counted as not met, not drawn here.",
    Stream.RELEASE_LATENCY: "Start minus nominal release: how late the job first ran, timer "
    "latency and scheduling latency together.",
}
_SIMULATED_LATENCY = (
    "Start minus nominal release: how late the job first ran, since tasks of higher priority had "
    "its cores, and the core had to switch to it."
)
_BEHIND_BACKLOG = (
    " With overrun queue it also holds the wait behind earlier jobs of the same task that had not "
    "finished."
)


def build_response(run: RunData) -> Section:
    """Build the section of response times."""
    return _build(run, Stream.RESPONSE_TIME)


def build_latency(run: RunData) -> Section:
    """Build the section of release latencies."""
    return _build(run, Stream.RELEASE_LATENCY)


def _build(run: RunData, stream: Stream) -> Section:
    title, name = STREAM_NAMES[stream]

    def one_task(task: TaskData) -> tuple[list[Block], list[Quantity]]:
        return _task_blocks(run, task, stream)

    introduction = _INTRODUCTIONS[stream]
    if stream is Stream.RELEASE_LATENCY and run.kind == "simulated":
        introduction = _SIMULATED_LATENCY
    if stream is Stream.RELEASE_LATENCY and is_queued(run):
        introduction += _BEHIND_BACKLOG
    blocks, quantities = per_task(run, one_task)
    return Section(
        f"{run.prefix}-{name.replace('_', '-')}",
        title.capitalize(),
        (Paragraph(introduction), *blocks),
        quantities,
    )


def _task_blocks(
    run: RunData, task: TaskData, stream: Stream
) -> tuple[list[Block], list[Quantity]]:
    samples = task.distributions[stream]
    summary = analysis.summarize(samples)
    if summary is None:
        return _without_release(run, task, stream)
    title, name = STREAM_NAMES[stream]
    note = source_note(task, run)
    blocks: list[Block] = [Paragraph(note, "note")] if note else []
    if task.n_release_unknown:
        blocks.append(Paragraph(without_release(task), "note"))
    blocks += [
        _figures(run, task, stream),
        summary_table(title, summary, run.kind_of(task, stream)),
    ]
    kind = run.kind_of(task, stream)
    return blocks, summary_quantities(run, task, name, summary, kind=kind)


def _without_release(
    run: RunData, task: TaskData, stream: Stream
) -> tuple[list[Block], list[Quantity]]:
    """What is left where no release is known: how long the jobs took from start to finish."""
    blocks: list[Block] = [Paragraph(without_release(task), "note")]
    length = analysis.summarize(task.distributions[Stream.START_TO_FINISH])
    if not task.n_release_unknown or stream is not Stream.RESPONSE_TIME or length is None:
        return blocks, []
    blocks.append(summary_table("start to finish", length, run.kind))
    return blocks, summary_quantities(run, task, "start_to_finish", length)


def _figures(run: RunData, task: TaskData, stream: Stream) -> Figures:
    samples = task.distributions[stream]
    title, name = STREAM_NAMES[stream]
    data = [Labelled(samples, "alone")]
    deadline = task.result.deadline_ns if stream is Stream.RESPONSE_TIME else None
    prefix = f"{run.prefix}-t{task.result.index}-{name.replace('_', '-')}"
    facts = f"n = {show_count(samples.n)} finished jobs, {run.kind_of(task, stream)}"
    beyond = ""
    if deadline is not None and not figures.is_deadline_drawn(data, deadline):
        beyond = f" The deadline, {show_duration(deadline)}, is far beyond this range."
    alt = (
        f"of the {title} of task {task.result.name}, {facts}: from "
        f"{show_duration(samples.min_ns)}, median {show_duration(samples.quantile_ns(0.5))}, "
        f"to {show_duration(samples.max_ns)}."
    )
    return Figures(
        (
            FigureBlock(
                f"{prefix}-histogram",
                partial(
                    figures.histogram, data, title, deadline, f"{prefix}-h", f"Histogram {alt}"
                ),
                f"Histogram of the {title}, logarithmic count ({facts}).{beyond}",
            ),
            FigureBlock(
                f"{prefix}-tail",
                partial(figures.tail, data, title, deadline, f"{prefix}-1mf", f"Tail 1 − F {alt}"),
                f"Tail, 1 − F: the share of jobs whose {title} was at least x ({facts}). "
                "The dot is the largest sample.",
            ),
        )
    )


def summary_table(title: str, summary: Summary, kind: Kind) -> Table:
    """Make the table of order statistics, with the interval of each quantile."""
    # What is counted exactly has no interval: another run gives the same.
    is_exact = kind == "simulated"
    rows: list[tuple[Cell, ...]] = [_row("minimum", summary.min_ns, "", summary.n)]
    rows += [_quantile_row(item, summary, is_exact=is_exact) for item in summary.quantiles]
    rows.append(_row("maximum observed", summary.max_ns, "no bound", summary.n))
    ends = "" if summary.is_exact else "; ends of buckets, the minimum a lower one"
    return Table(
        f"Order statistics of the {title} ({kind}{ends})",
        ("", title, "" if is_exact else "95 % interval", "n, jobs"),
        tuple(rows),
    )


def _quantile_row(item: QuantileValue, summary: Summary, *, is_exact: bool) -> tuple[Cell, ...]:
    name = "median" if item.q == 0.5 else quantile_name(item.q)  # noqa: PLR2004 - the median
    value = summary.median_ns if item.q == 0.5 else item.value_ns  # noqa: PLR2004
    if value is None:
        reason = f"needs {show_count(item.n_needed)} jobs"
        return (text_cell(name), number_cell("not stated"), number_cell(reason), _count(summary.n))
    interval = item.interval
    text = f"needs {show_count(item.n_needed)} jobs"
    if interval is not None:
        text = "" if is_exact else interval_text(interval.lower_ns, interval.upper_ns)
    return _row(name, value, text, summary.n)


def _row(name: str, value_ns: int, interval: str, n: int) -> tuple[Cell, ...]:
    return (text_cell(name), duration_cell(value_ns), number_cell(interval), _count(n))


def _count(n: int) -> Cell:
    return number_cell(show_count(n))
