# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The same task alone and interfered."""

from functools import partial

from laxity.core.streams import Quantity as Stream
from laxity.jobs.run_data import PageData, RunData, TaskData
from laxity.jobs.section_parts import STREAM_NAMES, pair_of, quantile_name, quantity, words_of
from laxity.jobs.sections.simulated import compare_parts
from laxity.page import figures
from laxity.page.blocks import (
    Block,
    Cell,
    FigureBlock,
    Figures,
    Heading,
    Paragraph,
    Quantity,
    Resolution,
    Section,
    Table,
    duration_cell,
    join_words,
    number_cell,
    show_count,
    show_duration,
    show_share,
    text_cell,
)
from laxity.page.figures import Labelled
from laxity.statistics import distribution
from laxity.statistics.distribution import Comparison

_COMPARED = (Stream.RESPONSE_TIME, Stream.RELEASE_LATENCY)
_NO_CAUSE = " What caused a difference between them is not measured."
Pair = tuple[TaskData, TaskData]


def build(page: PageData) -> Section | None:
    """Build the section; None unless the page has a run without and one with co-runners."""
    pair = pair_of(page)
    if pair is None:
        return None
    alone, interfered = pair
    corunners = join_words(
        [
            f"{words_of(one.workload, one.args)} on CPU {one.cpus}"
            for one in interfered.manifest.corunners
        ]
    )
    blocks: list[Block] = [
        Paragraph(
            f"Run “{alone.label}” against run “{interfered.label}”, "
            f"which had beside it: {corunners}."
            + ("" if interfered.kind == "simulated" else _NO_CAUSE)
        )
    ]
    drift = drift_words(pair)
    if drift:
        blocks.append(Paragraph(drift, "warning"))
    quantities: list[Quantity] = []
    for tasks in task_pairs(alone, interfered):
        for stream in _COMPARED:
            blocks.append(Heading(_heading(tasks, stream, len(alone.tasks))))
            more, found = _compare(interfered, tasks, stream)
            blocks += more
            quantities += found
        parts = compare_parts(*tasks)
        if parts is not None:
            blocks += [Heading("What the execution went into"), parts]
        blocks += [Heading("Deadlines"), _outcome_table(tasks, interfered)]
    return Section("comparison", "Alone against interfered", tuple(blocks), tuple(quantities))


def drift_words(pair: tuple[RunData, RunData]) -> str:
    """Say what the doctor saw change in each of the two runs; empty if it saw the same."""
    alone, interfered = pair
    if alone.manifest.doctor_drift == interfered.manifest.doctor_drift:
        return ""
    found = [
        f"during “{run.label}” {'; '.join(run.manifest.doctor_drift) or 'nothing was seen'}"
        for run in pair
    ]
    return (
        f"The machine did not behave the same in both runs: {found[0]}, {found[1]}. The comparison "
        "holds the effect of that too."
    )


def finished_words(tasks: Pair) -> str:
    """Say how many releases of each run have a response time: skipped ones have none."""
    alone, interfered = (
        f"{show_count(task.n_finished)} of {show_count(task.result.released)}" for task in tasks
    )
    return f"finished jobs only: {alone} releases alone, {interfered} interfered"


def _heading(tasks: Pair, stream: Stream, n_tasks: int) -> str:
    title = STREAM_NAMES[stream][0].capitalize()
    return f"{title} of task “{tasks[0].result.name}”" if n_tasks > 1 else title


def task_pairs(alone: RunData, interfered: RunData) -> list[Pair]:
    """Pair the tasks of two runs by name."""
    by_name = {task.result.name: task for task in interfered.tasks}
    return [
        (task, by_name[task.result.name]) for task in alone.tasks if task.result.name in by_name
    ]


def compare_tasks(tasks: Pair, stream: Stream) -> Comparison:
    """Compare one quantity of a task alone and interfered."""
    return distribution.compare(tasks[0].distributions[stream], tasks[1].distributions[stream])


def _compare(run: RunData, tasks: Pair, stream: Stream) -> tuple[list[Block], list[Quantity]]:
    title, name = STREAM_NAMES[stream]
    result = compare_tasks(tasks, stream)
    if not result.shifts:
        text = f"One of the runs has no finished job: the {title} cannot be compared."
        return [Paragraph(text, "warning")], []
    n = min(result.n_alone, result.n_interfered)
    kind = run.kind_of(tasks[1], stream)
    resolution: Resolution = "exact" if all(task.is_whole for task in tasks) else "bucket"
    quantities = [
        quantity(
            run, tasks[1], f"{name}_{ratio}_ratio_to_alone", value,
            unit="1", n=n, resolution=resolution, kind=kind,
            note=None if value is not None else "the value alone is not positive",
        )
        for ratio, value in (("median", result.median_ratio), ("max", result.max_ratio))
    ]  # fmt: skip
    quantities += [
        quantity(
            run, tasks[1], f"{name}_{_label(shift.q)}_shift_to_alone", shift.shift_ns,
            unit="ns", n=n, resolution=resolution, kind=kind,
        )
        for shift in result.shifts
    ]  # fmt: skip
    return [_figures(run, tasks, stream), _table(title, result, run)], quantities


def _figures(run: RunData, tasks: Pair, stream: Stream) -> Figures:
    title, name = STREAM_NAMES[stream]
    samples = [task.distributions[stream] for task in tasks]
    data = [
        Labelled(samples[0], "alone", "alone"),
        Labelled(samples[1], "interfered", "interfered"),
    ]
    deadline = tasks[1].result.deadline_ns if stream is Stream.RESPONSE_TIME else None
    prefix = f"compare-t{tasks[0].result.index}-{name.replace('_', '-')}"
    facts = (
        f"n = {show_count(samples[0].n)} alone, {show_count(samples[1].n)} interfered, {run.kind}"
    )
    said = (
        f"of the {title}, {facts}: median {show_duration(samples[0].quantile_ns(0.5))} alone, "
        f"{show_duration(samples[1].quantile_ns(0.5))} interfered; maximum "
        f"{show_duration(samples[0].max_ns)} alone, {show_duration(samples[1].max_ns)} interfered."
    )
    beyond = ""
    if deadline is not None and not figures.is_deadline_drawn(data, deadline):
        beyond = f" The deadline, {show_duration(deadline)}, is far beyond this range."
    return Figures(
        (
            FigureBlock(
                f"{prefix}-histogram",
                partial(
                    figures.histogram, data, title, deadline, f"{prefix}-h", f"Histograms {said}"
                ),
                f"{title.capitalize()}, share of jobs ({facts}). Solid: alone, dashed: "
                f"interfered.{beyond}",
            ),
            FigureBlock(
                f"{prefix}-tail",
                partial(figures.tail, data, title, deadline, f"{prefix}-1mf", f"Tails {said}"),
                f"Tail, 1 − F, of the {title} ({facts}). The dots are the largest samples.",
            ),
        )
    )


def _table(title: str, result: Comparison, run: RunData) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for shift in result.shifts:
        sign = "+" if shift.shift_ns > 0 else ""
        ratio = shift.interfered_ns / shift.alone_ns if shift.alone_ns > 0 else None
        rows.append(
            (
                text_cell({0.5: "median", 1.0: "maximum observed"}.get(shift.q, _label(shift.q))),
                duration_cell(shift.alone_ns),
                duration_cell(shift.interfered_ns),
                number_cell(sign + show_duration(shift.shift_ns)),
                number_cell("no ratio" if ratio is None else f"{ratio:.3g} ×"),
            )
        )
    counts = f"n = {show_count(result.n_alone)} and {show_count(result.n_interfered)} jobs"
    return Table(
        f"{title.capitalize()}, alone and interfered ({run.kind}, {counts})",
        ("", "alone", "interfered", "shift", "ratio"),
        tuple(rows),
    )


def _label(q: float) -> str:
    return "max" if q == 1 else "median" if q == 0.5 else quantile_name(q)  # noqa: PLR2004


def _outcome_table(tasks: Pair, run: RunData) -> Table:
    rows = []
    for label, task in zip(("alone", "interfered"), tasks, strict=True):
        not_met = task.result.counts.not_met
        judged = task.result.released if task.result.deadline_ns is None else task.n_judged
        longest, deadline = task.longest_ns, task.result.deadline_ns
        laxity = None if longest is None or deadline is None else deadline - longest
        rows.append(
            (
                text_cell(label),
                number_cell(show_count(task.result.released)),
                number_cell(show_count(not_met) if judged else "not judged", task.unjudged),
                number_cell(show_share(not_met, judged) if judged else ""),
                number_cell("no deadline") if deadline is None else duration_cell(laxity),
            )
        )
    return Table(
        f"Deadlines of task “{tasks[0].result.name}” ({run.kind})",
        ("", "released", "not met", "share", "least laxity of a finished job"),
        tuple(rows),
    )
