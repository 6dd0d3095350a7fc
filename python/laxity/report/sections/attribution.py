# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Who took the time: the pieces of the response times, who preempted, and the worst job."""

import numpy as np

from laxity.analysis.attribution import Attribution, Culprit, Pieces, Verdict
from laxity.analysis.jobs import IntArray
from laxity.model.manifest import TraceResult
from laxity.report.blocks import (
    Block,
    Cell,
    Paragraph,
    Quantity,
    Section,
    Table,
    count_noun,
    duration_cell,
    join_words,
    number_cell,
    show_count,
    show_duration,
    text_cell,
)
from laxity.report.run_data import RunData, TaskData
from laxity.report.sections.common import per_task, quantity, without_release

_INTRODUCTION = (
    "From the scheduling trace ({backend}). Response time = release latency + execution + "
    "preempted + blocked + unexplained. Preempted: the job could have gone on, another thread had "
    "its CPU; both switches are in it. Blocked: it waited for something. Execution is the "
    "processor time of the job. What these leave is unexplained: where trace and processor time "
    "disagree, as over time that a host took from this machine."
)
_WHAT_IS_ABSENT = {
    "wakeup": "wake-ups (the release latency is not split, and what a job waited for its CPU "
    "after it was woken counts as blocked)",
    "irq_in": "interrupts (they are in the execution of the job that they interrupt)",
}
_WHY_UNKNOWN = {
    Verdict.NOT_COVERED: "outside what was recorded",
    Verdict.LOST: "records were lost over them",
    Verdict.CONTRADICTORY: "the trace contradicts itself over them",
}
_ROWS = (
    ("waited_ns", "release latency, off its CPU"),
    ("entered_ns", "release latency, on its CPU"),
    ("execution_ns", "execution"),
    ("preempted_ns", "preempted"),
    ("blocked_ns", "blocked"),
    ("unexplained_ns", "unexplained"),
    ("response_ns", "= response time"),
)
_MAX_CULPRITS = 10
_MAX_STEPS = 20


def build(run: RunData) -> Section | None:
    """Build the section; None for a run without a whole trace."""
    trace = run.manifest.trace
    if trace is None or trace.backend is None:
        return None

    def one_task(task: TaskData) -> tuple[list[Block], list[Quantity]]:
        return _task_blocks(run, task)

    absent = [text for kind, text in _WHAT_IS_ABSENT.items() if kind not in trace.supplies]
    blocks: list[Block] = [Paragraph(_INTRODUCTION.format(backend=trace.backend))]
    if absent:
        text = f"This back-end does not supply {join_words(absent)}."
        blocks.append(Paragraph(text, "note"))
    if trace.dropped:
        blocks.append(Paragraph(_dropped_text(trace), "note"))
    steal = _steal_text(trace)
    if steal:
        blocks.append(Paragraph(steal, "note"))
    more, quantities = per_task(run, one_task)
    return Section(f"{run.prefix}-attribution", "Who took the time", (*blocks, *more), quantities)


def _dropped_text(trace: TraceResult) -> str:
    return (
        f"The run was to stop on a job, so only the end of the trace was kept: "
        f"{count_noun(trace.dropped, 'row')} from before were dropped, and jobs from before have "
        "no verdict."
    )


def _steal_text(trace: TraceResult) -> str:
    """Bound what a host took: no more of what is unexplained can be its doing."""
    parts = [
        f"{show_duration(cpu.steal_ns)} from CPU {cpu.cpu}" for cpu in trace.cpus if cpu.steal_ns
    ]
    if not parts or trace.steal_resolution_ns is None:
        return ""
    step = show_duration(trace.steal_resolution_ns)
    return (
        f"While this was recorded the host of this machine took {join_words(parts)} (counted in "
        f"steps of {step}); no more of what is unexplained there can be its doing."
    )


def _task_blocks(run: RunData, task: TaskData) -> tuple[list[Block], list[Quantity]]:
    found = run.attributions.get(task.result.index)
    if found is None or not len(found.pieces.job):
        return [Paragraph(without_release(task), "note")], []
    pieces = found.pieces
    blocks: list[Block] = _verdict_notes(pieces)
    if not pieces.is_known.any():
        return blocks, []
    worst = int(np.flatnonzero(pieces.is_known)[pieces.response_ns[pieces.is_known].argmax()])
    blocks.append(_pieces_table(run, pieces, worst))
    culprits = found.culprits
    if culprits:
        blocks.append(_culprits_table(run, culprits))
    else:
        blocks.append(Paragraph("No job was preempted."))
    if pieces.n_preemptions[worst]:
        blocks.append(_worst_table(run, task, found, worst))
    return blocks, _quantities(run, task, pieces, culprits)


def _verdict_notes(pieces: Pieces) -> list[Block]:
    parts = []
    for verdict, why in _WHY_UNKNOWN.items():
        n = int(np.count_nonzero(pieces.verdict == verdict))
        if n:
            parts.append(f"{count_noun(n, 'job')}: {why}")
    if not parts:
        return []
    return [Paragraph(f"Without verdict, and left out here: {'; '.join(parts)}.", "warning")]


def _pieces_table(run: RunData, pieces: Pieces, worst: int) -> Table:
    known = pieces.is_known
    n = int(np.count_nonzero(known))
    rows: list[tuple[Cell, ...]] = []
    for name, label in _ROWS:
        column: IntArray = getattr(pieces, name)
        values = column[known]
        rows.append(
            (
                text_cell(label),
                duration_cell(float(values.mean())),
                duration_cell(int(values.max())),
                duration_cell(int(column[worst])),
            )
        )
    return Table(
        f"Pieces of the response time ({run.kind}, n = {show_count(n)} jobs; means and the worst "
        "job add up, maxima do not)",
        ("", "mean", "max", f"worst job, number {int(pieces.job[worst])}"),
        tuple(rows),
    )


def _culprits_table(run: RunData, culprits: tuple[Culprit, ...]) -> Table:
    rows = tuple(
        (
            text_cell(name_of(one.comm), count_noun(one.n_threads, "thread")),
            number_cell(show_count(one.n_jobs)),
            number_cell(show_count(one.n)),
            duration_cell(one.total_ns),
            duration_cell(one.median_ns),
            duration_cell(one.max_ns),
        )
        for one in culprits[:_MAX_CULPRITS]
    )
    left_out = len(culprits) - _MAX_CULPRITS
    more = f"; {count_noun(left_out, 'name')} with less left out" if left_out > 0 else ""
    return Table(
        f"Who preempted ({run.kind}; by name, largest total first{more})",
        ("thread", "n, jobs", "n, times", "total", "median", "max"),
        rows,
    )


def _worst_table(run: RunData, task: TaskData, found: Attribution, worst: int) -> Table:
    job = int(found.pieces.job[worst])
    steps = found.of_job(job)
    release_ns = task.rows["release_ns"][np.ma.getdata(task.rows["job"]) == job][0]
    rows = tuple(
        (
            text_cell(show_duration(one.from_ns - int(release_ns))),
            text_cell(name_of(one.comm), f"thread {one.tid}"),
            text_cell(one.cpu),
            duration_cell(one.duration_ns),
        )
        for one in steps[:_MAX_STEPS]
    )
    left_out = len(steps) - _MAX_STEPS
    more = f"; {show_count(left_out)} later ones left out" if left_out > 0 else ""
    return Table(
        f"Who preempted the worst job, number {job} ({run.kind}{more})",
        ("after its release", "thread", "CPU", "for"),
        rows,
    )


def name_of(comm: str | None) -> str:
    """Name a thread; one whose name the trace never met is unknown."""
    return "unknown" if comm is None else comm


def _quantities(
    run: RunData, task: TaskData, pieces: Pieces, culprits: tuple[Culprit, ...]
) -> list[Quantity]:
    known = pieces.is_known
    n = int(np.count_nonzero(known))
    found = []
    for name, _ in _ROWS:
        values = getattr(pieces, name)[known]
        what = name.removesuffix("_ns")
        mean, most = float(values.mean()), int(values.max())
        found.append(quantity(run, task, f"trace_{what}_mean", mean, unit="ns", n=n))
        found.append(quantity(run, task, f"trace_{what}_max", most, unit="ns", n=n))
    for one in culprits[:_MAX_CULPRITS]:
        name = f"preempted_by_{name_of(one.comm)}_total"
        found.append(quantity(run, task, name, one.total_ns, unit="ns", n=one.n))
    return found
