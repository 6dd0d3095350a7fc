# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the response time consists of, as far as it was measured."""

from dataclasses import replace
from functools import partial

import msgspec

from laxity.jobs import rows as analysis
from laxity.jobs.rows import MeanSplit, OwnTimes, Split
from laxity.jobs.run_data import RunData, TaskData
from laxity.jobs.section_parts import (
    calibration_note,
    per_task,
    quantity,
    summary_quantities,
    without_release,
)
from laxity.jobs.sections.distributions import summary_table
from laxity.page import figures
from laxity.page.blocks import (
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
from laxity.page.figures import Part
from laxity.statistics import distribution

_INTRODUCTION = (
    "Response time = release latency + execution + not attributed. Execution is the processor time "
    "of the job less the calibrated cost of reading the clocks, held between 0 and start to "
    "finish. “Not attributed” is what is left of start to finish: preemption, interrupts, "
    "blocking and measuring error; only a scheduling trace (--trace) can tell them apart."
)
_SIMULATED = (
    "Response time = release latency + execution + not attributed. Execution is the time that a "
    "core worked for the job. “Not attributed” is the rest of start to finish: other tasks had the "
    "core, it switched to this one, loads under way ended when it stopped, or interrupts of the "
    "kernel (of its timer, or that read counters) had it; and times are rounded up to a nanosecond."
)
# Execution clearly below start to finish is what the section is for; p99 is shown where supported.
_SHOWN_QUANTILES = ((0.5, "median job"), (0.99, "p99 job"), (1.0, "worst job"))
AnySplit = MeanSplit | Split
NOT_MEASURABLE = "not measurable"
_BELOW = "with no more than reading the clocks costs"
_NOTHING_OWN = f"{NOT_MEASURABLE}: no more than reading the clocks costs"


def build(run: RunData) -> Section:
    """Build the section."""

    def one_task(task: TaskData) -> tuple[list[Block], list[Quantity]]:
        return _task_blocks(run, task)

    blocks, quantities = per_task(run, one_task)
    return Section(
        f"{run.prefix}-split",
        "What the response time consists of",
        (Paragraph(_SIMULATED if run.kind == "simulated" else _INTRODUCTION), *blocks),
        quantities,
    )


def _task_blocks(run: RunData, task: TaskData) -> tuple[list[Block], list[Quantity]]:
    mean = analysis.mean_split(task.rows, run.snapshot_exec_ns)
    own = analysis.own_times(task.rows, run.snapshot_exec_ns)
    if mean is not None and own is not None and not own.is_measurable:
        mean = replace(mean, execution_ns=None, not_attributed_ns=None, n_limited=0)
    blocks: list[Block] = [Paragraph(without_release(task), "note")]
    quantities: list[Quantity] = []
    if mean is not None:
        rows = _rows(task, mean, run.snapshot_exec_ns)
        blocks = [*_notes(run, task, mean, own), _figure(run, task, rows, mean.n)]
        blocks.append(_table(run.kind_of(task), rows, mean))
        quantities = _mean_quantities(run, task, mean, own)
    note = calibration_note(run)
    execution = analysis.execution_ns(analysis.finished(task.rows), run.snapshot_exec_ns)
    if own is not None and own.n and not own.is_measurable:
        return blocks, [*quantities, *_not_measurable(run, task, own)]
    if execution is not None and task.is_whole:
        summary = analysis.summarize(distribution.from_samples(analysis.present(execution)))
        if summary is not None:
            blocks.append(_execution_table(summary_table("execution time", summary, run.kind)))
            blocks.append(Paragraph(f"Execution time: {note}."))
            quantities += [
                msgspec.structs.replace(one, value=None, note=f"{_NOTHING_OWN}; {note}")
                if one.value == 0
                else one
                for one in summary_quantities(run, task, "execution_time", summary, note)
            ]
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
            split = analysis.split_of_job(job, cost_ns)
            if mean.execution_ns is None:
                split = replace(split, execution_ns=None, not_attributed_ns=None)
            rows.append((label, split))
    return rows


def _own_words(own: OwnTimes) -> str:
    parts = [
        f"{show_count(count)} {what}"
        for count, what in ((own.n_absent, "of which none was recorded"), (own.n_below, _BELOW))
        if count
    ]
    return (
        f"{show_count(own.n_without)} of {count_noun(own.n, 'finished job')} have no processor "
        f"time of their own ({', '.join(parts)})"
    )


def _not_measurable(run: RunData, task: TaskData, own: OwnTimes) -> list[Quantity]:
    note = f"{NOT_MEASURABLE}: {_own_words(own)}"
    return [
        quantity(run, task, name, None, unit="ns", n=own.n, note=note, resolution="calibrated")
        for name in ("execution_time_median", "execution_time_max", "wcet_observed")
    ]


def _execution_note(run: RunData, own: OwnTimes | None) -> str:
    """Say why a split has no execution: not asked for, or not known of the jobs."""
    if own is not None and own.n_without:
        what = f"Execution is {NOT_MEASURABLE}" if not own.is_measurable else "No mean of execution"
        return f"{what}: {_own_words(own)}. Start to finish is one piece."
    mode = run.manifest.snapshots.mode if run.manifest.snapshots else "none"
    return f"Execution was not measured (--snapshots {mode}): start to finish is one piece."


def _notes(run: RunData, task: TaskData, mean: MeanSplit, own: OwnTimes | None) -> list[Block]:
    notes: list[Block] = []
    if not task.is_whole:
        kept = f"{count_noun(mean.n, 'kept job')} of {show_count(task.n_finished)} finished ones"
        notes.append(Paragraph(f"This split covers only the {kept} (--keep {run.keep}).", "note"))
    if mean.execution_ns is None:
        notes.append(Paragraph(_execution_note(run, own), "note"))
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
    return Figures((FigureBlock(prefix, partial(figures.split_bars, bars, prefix, alt), caption),))


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
    nothing = duration_cell(0)
    told = tuple(
        (row[0], number_cell(NOT_MEASURABLE, _NOTHING_OWN), *row[2:]) if row[1] == nothing else row
        for row in table.rows
    )
    rows = tuple(
        (text_cell("wcet_observed", "the maximum; not a WCET, which is a bound"), *row[1:])
        if row[0].text == "maximum observed"
        else row
        for row in told
    )
    return Table(table.caption, table.head, rows)


def _mean_quantities(
    run: RunData, task: TaskData, mean: MeanSplit, own: OwnTimes | None
) -> list[Quantity]:
    from_release = run.kind_of(task)
    exact = (
        ("mean_response_time", mean.response_ns, from_release),
        ("mean_release_latency", mean.release_latency_ns, from_release),
        ("mean_start_to_finish", mean.start_to_finish_ns, run.kind),
    )
    calibrated = {
        "mean_execution_time": mean.execution_ns,
        "mean_not_attributed": mean.not_attributed_ns,
    }
    note = calibration_note(run)
    why = NOT_MEASURED
    if own is not None and own.n_without:
        why = _own_words(own)
    return [
        quantity(run, task, name, value, unit="ns", n=mean.n, kind=kind)
        for name, value, kind in exact
    ] + [
        quantity(
            run, task, name, value, unit="ns", n=mean.n,
            note=why if value is None else note, resolution="calibrated",
        )
        for name, value in calibrated.items()
    ]  # fmt: skip
