# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the response time consists of, as far as it was measured."""

from laxity.analysis import distribution
from laxity.analysis import jobs as analysis
from laxity.analysis.jobs import MeanSplit, Split
from laxity.report import figures
from laxity.report.blocks import (
    NOT_MEASURED,
    Block,
    Cell,
    FigureBlock,
    Figures,
    Kind,
    Paragraph,
    Quantity,
    Section,
    Table,
    count_noun,
    duration_cell,
    number_cell,
    show_count,
    show_duration,
    text_cell,
)
from laxity.report.figures import Part
from laxity.report.run_data import RunData, TaskData
from laxity.report.sections.common import (
    calibration_note,
    per_task,
    quantity,
    summary_quantities,
    without_release,
)
from laxity.report.sections.distributions import summary_table

_INTRODUCTION = (
    "Response time = release latency + execution + not attributed. Execution is the processor time "
    "of the job less the calibrated cost of reading the clocks, held between 0 and start to "
    "finish. “Not attributed” is what is left of start to finish: preemption, interrupts, "
    "blocking and measuring error; only a scheduling trace (--trace) can tell them apart."
)
# Execution clearly below start to finish is what the section is for; p99 is shown where supported.
_SHOWN_QUANTILES = ((0.5, "median job"), (0.99, "p99 job"), (1.0, "worst job"))
AnySplit = MeanSplit | Split


def build(run: RunData) -> Section:
    """Build the section."""

    def one_task(task: TaskData) -> tuple[list[Block], list[Quantity]]:
        return _task_blocks(run, task)

    blocks, quantities = per_task(run, one_task)
    return Section(
        f"{run.prefix}-split",
        "What the response time consists of",
        (Paragraph(_INTRODUCTION), *blocks),
        quantities,
    )


def _task_blocks(run: RunData, task: TaskData) -> tuple[list[Block], list[Quantity]]:
    mean = analysis.mean_split(task.rows, run.snapshot_exec_ns)
    blocks: list[Block] = [Paragraph(without_release(task), "note")]
    quantities: list[Quantity] = []
    if mean is not None:
        rows = _rows(task, mean, run.snapshot_exec_ns)
        blocks = [*_notes(run, task, mean), _figure(run, task, rows, mean.n)]
        blocks.append(_table(run.kind_of(task), rows, mean))
        quantities = _mean_quantities(run, task, mean)
    note = calibration_note(run)
    execution = analysis.execution_ns(analysis.finished(task.rows), run.snapshot_exec_ns)
    if execution is not None and task.is_whole:
        summary = analysis.summarize(distribution.from_samples(analysis.present(execution)))
        if summary is not None:
            blocks.append(_execution_table(summary_table("execution time", summary, run.kind)))
            blocks.append(Paragraph(f"Execution time: {note}."))
            quantities += summary_quantities(run, task, "execution_time", summary, note)
            quantities.append(
                quantity(
                    run, task, "wcet_observed", summary.max_ns,
                    unit="ns", n=summary.n, note=note, resolution="calibrated",
                )
            )  # fmt: skip
    return blocks, quantities


def _rows(task: TaskData, mean: MeanSplit, cost_ns: int) -> list[tuple[str, AnySplit]]:
    """The mean, and the jobs at the median, p99 and maximum of the response time."""
    rows: list[tuple[str, AnySplit]] = [("mean", mean)]
    for q, label in _SHOWN_QUANTILES:
        job = analysis.job_at_quantile(task.rows, q)
        is_stated = q in {0.5, 1.0} or distribution.supports_quantile(mean.n, q)
        if job is not None and is_stated:
            rows.append((label, analysis.split_of_job(job, cost_ns)))
    return rows


def _notes(run: RunData, task: TaskData, mean: MeanSplit) -> list[Block]:
    notes: list[Block] = []
    if not task.is_whole:
        kept = f"{count_noun(mean.n, 'kept job')} of {show_count(task.n_finished)} finished ones"
        notes.append(Paragraph(f"This split covers only the {kept} (--keep {run.keep}).", "note"))
    if mean.execution_ns is None:
        mode = run.manifest.snapshots.mode if run.manifest.snapshots else "none"
        notes.append(
            Paragraph(
                f"Execution was not measured (--snapshots {mode}): start to finish is one piece.",
                "note",
            )
        )
    if mean.n_limited:
        notes.append(
            Paragraph(
                f"In {show_count(mean.n_limited)} of {count_noun(mean.n, 'job')} the processor "
                "time less the calibrated cost came out below zero or longer than start to "
                "finish: reading the clocks cost less or more there. 0, or start to finish, "
                "is taken instead.",
                "note",
            )
        )
    return notes


def _figure(run: RunData, task: TaskData, rows: list[tuple[str, AnySplit]], n: int) -> Figures:
    prefix = f"{run.prefix}-t{task.result.index}-split"
    bars = [(label, _parts(split)) for label, split in rows]
    said = "; ".join(
        f"{label}: " + ", ".join(f"{part.label} {show_duration(part.value_ns)}" for part in parts)
        for label, parts in bars
    )
    kind = run.kind_of(task)
    alt = f"Split of the response time of task {task.result.name}, {kind}, n = {n}. {said}."
    caption = (
        f"Split of the response time: mean over n = {show_count(n)} finished jobs, and single jobs "
        f"at the median, p99 (where n supports it) and maximum ({kind}). Each bar is 100 %."
    )
    return Figures((FigureBlock(prefix, figures.split_bars(bars, prefix, alt), caption),))


def _parts(split: AnySplit) -> list[Part]:
    latency = Part("release latency", "latency", split.release_latency_ns)
    if split.execution_ns is None or split.not_attributed_ns is None:
        return [latency, Part("start to finish", "execution", split.start_to_finish_ns)]
    return [
        latency,
        Part("execution", "execution", split.execution_ns),
        Part("not attributed", "rest", split.not_attributed_ns),
    ]


def _table(kind: Kind, rows: list[tuple[str, AnySplit]], mean: MeanSplit) -> Table:
    body: list[tuple[Cell, ...]] = []
    for label, split in rows:
        remark = f"job {split.job}" if isinstance(split, Split) else ""
        n = 1 if isinstance(split, Split) else split.n
        cells = [text_cell(label, remark), duration_cell(split.release_latency_ns)]
        if mean.execution_ns is None:
            cells.append(duration_cell(split.start_to_finish_ns))
        else:
            cells += [duration_cell(split.execution_ns), duration_cell(split.not_attributed_ns)]
        body.append((*cells, duration_cell(split.response_ns), number_cell(show_count(n))))
    parts = ("start to finish",) if mean.execution_ns is None else ("execution", "not attributed")
    return Table(
        f"Split of the response time ({kind}; the parts of a row add up)",
        ("", "release latency", *parts, "= response time", "n, jobs"),
        tuple(body),
    )


def _execution_table(table: Table) -> Table:
    rows = tuple(
        (text_cell("wcet_observed", "the maximum; not a WCET, which is a bound"), *row[1:])
        if row[0].text == "maximum observed"
        else row
        for row in table.rows
    )
    return Table(table.caption, table.head, rows)


def _mean_quantities(run: RunData, task: TaskData, mean: MeanSplit) -> list[Quantity]:
    exact = {
        "mean_response_time": mean.response_ns,
        "mean_release_latency": mean.release_latency_ns,
        "mean_start_to_finish": mean.start_to_finish_ns,
    }
    calibrated = {
        "mean_execution_time": mean.execution_ns,
        "mean_not_attributed": mean.not_attributed_ns,
    }
    note = calibration_note(run)
    return [
        quantity(run, task, name, value, unit="ns", n=mean.n) for name, value in exact.items()
    ] + [
        quantity(
            run, task, name, value, unit="ns", n=mean.n,
            note=NOT_MEASURED if value is None else note, resolution="calibrated",
        )
        for name, value in calibrated.items()
    ]  # fmt: skip
