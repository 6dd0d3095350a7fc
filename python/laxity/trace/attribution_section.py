# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Who took the time: the pieces of the response times, who preempted, and the worst job."""

import numpy as np

from laxity.jobs.rows import IntArray
from laxity.jobs.run_data import RunData, TaskData
from laxity.jobs.section_parts import per_task, quantity, without_release
from laxity.page.blocks import (
    Block,
    Cell,
    Kind,
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
from laxity.store.manifest import TraceResult
from laxity.trace.attribution import Attribution, Culprit, Pieces, Verdict
from laxity.trace.interrupts import Interrupter

_INTRODUCTION = (
    "From the scheduling trace ({backend}). Response time = {sum}. Preempted: the job could have "
    "gone on, another thread had its CPU; both switches are in it. Blocked: it waited for "
    "something.{more} Execution is the processor time of the job. What these leave is unexplained: "
    "where trace and processor time disagree, as over time that a host took from this machine."
)
_SIMULATED = (
    "From the scheduling trace of the simulated platform. Response time = {sum}. Preempted: the "
    "job could have gone on, another task had its core; both switches are in it. A job waits for "
    "nothing but a core, and nothing interrupts it. Unexplained is what a core that stops waits "
    "for its last loads, and the rounding of times to nanoseconds."
)
_OF_WAKEUPS = (
    " A release latency is timer latency, until the thread is woken, and scheduling latency, from "
    "there to the job's first instruction."
)
_OF_INTERRUPTS = (
    " Interrupts and softirqs within the job are taken off its execution. Switching: from the "
    "wake-up of the thread that preempts to that switch, without interrupts; the kernel charges "
    "it to the thread that comes."
)
_CHARGED = {
    True: " This kernel charges interrupts to the thread that they interrupt.",
    False: " This kernel does not charge interrupts to threads.",
}
_WHAT_IS_ABSENT = {
    "wakeup": "wake-ups (the release latency is not split, and what a job waited for its CPU "
    "after it was woken counts as blocked)",
    "irq_in": "interrupts (they are in the execution of the job that they interrupt, and the way "
    "to a switch is unexplained)",
}
_WHY_UNKNOWN = {
    Verdict.NO_THREAD: "the trace has no switch of their thread",
    Verdict.NOT_COVERED: "outside what was recorded",
    Verdict.LOST: "records were lost over them",
    Verdict.CONTRADICTORY: "the trace contradicts itself over them",
    Verdict.HIDDEN: "the trace lacks a switch or wake-up that they depend on",
}
_HIDDEN_THREADS = (
    "The trace was recorded in a PID namespace: idle CPUs and threads outside it have no number. "
    "Both are called unknown, and throttling cannot be told from preemption."
)
# What a back-end does not supply has no row. Of the release latency one of the splits is shown.
_ROWS = (
    ("timer_latency_ns", "release latency: timer"),
    ("scheduling_latency_ns", "release latency: scheduling"),
    ("waited_ns", "release latency, off its CPU"),
    ("entered_ns", "release latency, on its CPU"),
    ("execution_ns", "execution"),
    ("interrupted_ns", "interrupted"),
    ("preempted_ns", "preempted"),
    ("switching_ns", "switching"),
    ("throttled_ns", "throttled (ready, and its CPU idle)"),
    ("blocked_ns", "blocked"),
    ("unexplained_ns", "unexplained"),
    ("response_ns", "= response time"),
)
_PREEMPTED_BY_QUOTA = "preempted, or throttled by a quota"
_BY_QUOTA = (
    "A control group of this task was throttled by its quota (see the notes). The trace records "
    "such a wait as it records a preemption, so no thread is named for it."
)
# Known no better than the release, which of a program that ran already is an estimate.
_FROM_RELEASE = frozenset({"timer_latency_ns", "waited_ns", "entered_ns", "response_ns"})
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
    blocks: list[Block] = [Paragraph(_introduction(run, trace))]
    if absent and run.kind != "simulated":
        text = f"This back-end does not supply {join_words(absent)}."
        blocks.append(Paragraph(text, "note"))
    if trace.has_hidden_threads:
        blocks.append(Paragraph(_HIDDEN_THREADS, "note"))
    if trace.dropped:
        blocks.append(Paragraph(_dropped_text(trace), "note"))
    n_untold = max((one.n_untold for one in run.attributions.values()), default=0)
    if n_untold:
        blocks.append(Paragraph(_untold_text(n_untold), "note"))
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


def _untold_text(n_untold: int) -> str:
    return (
        "Not in the trace, though nothing was lost: at least "
        f"{count_noun(n_untold, 'handover')} of a CPU. A thread left one on which another had "
        "come; some virtual machines hide threads of theirs so."
    )


def _introduction(run: RunData, trace: TraceResult) -> str:
    found = run.attributions.values()
    has_wakeups = any(one.pieces.timer_latency_ns is not None for one in found)
    has_interrupts = any(one.interrupters is not None for one in found)
    parts = ["release latency", "execution", "preempted", "blocked", "unexplained"]
    if has_interrupts:
        parts[2:3] = ["interrupted", "preempted", "switching"]
    if any(one.pieces.throttled_ns.any() for one in found):
        parts.insert(-2, "throttled")
    charged = {one.has_interrupts_in_exec for one in found} - {None}
    more = _OF_WAKEUPS * has_wakeups + _OF_INTERRUPTS * has_interrupts
    if len(charged) == 1:
        more += _CHARGED[bool(charged.pop())]
    text = _SIMULATED if run.kind == "simulated" else _INTRODUCTION
    return text.format(backend=trace.backend, sum=" + ".join(parts), more=more)


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
    blocks.append(
        _pieces_table(run.kind_of(task), pieces, worst, has_quota=found.is_throttled_by_quota)
    )
    culprits = found.culprits
    if found.is_throttled_by_quota:
        blocks.append(Paragraph(_BY_QUOTA, "warning"))
    elif culprits:
        blocks.append(_culprits_table(run, culprits))
    else:
        blocks.append(Paragraph(_none_preempted(pieces)))
    if found.interrupters:
        blocks.append(_interrupters_table(run, found.interrupters))
    if pieces.n_preemptions[worst] and not found.is_throttled_by_quota:
        blocks.append(_worst_table(run, task, found, worst))
    return blocks, _quantities(run, task, found)


def _verdict_notes(pieces: Pieces) -> list[Block]:
    reasons = why_unknown(pieces)
    if not reasons:
        return []
    return [Paragraph(f"Without verdict, and left out here: {reasons}.", "warning")]


def why_unknown(pieces: Pieces) -> str:
    """Say of how many jobs the trace does not tell, and why; empty: it tells of all."""
    found = pieces.unknown().items()
    return "; ".join(f"{count_noun(n, 'job')}: {_WHY_UNKNOWN[why]}" for why, n in found)


def _none_preempted(pieces: Pieces) -> str:
    n_known, n = int(np.count_nonzero(pieces.is_known)), len(pieces.job)
    if n_known == n:
        return "No job was preempted."
    return f"None of the {count_noun(n_known, 'job')} with a verdict was preempted; n = {n}."


def _pieces_table(kind: Kind, pieces: Pieces, worst: int, *, has_quota: bool) -> Table:
    known = pieces.is_known
    n = int(np.count_nonzero(known))
    rows: list[tuple[Cell, ...]] = []
    for name, label in _ROWS:
        column = _column(pieces, name)
        if column is None:
            continue
        values = column[known]
        rows.append(
            (
                text_cell(_PREEMPTED_BY_QUOTA if has_quota and name == "preempted_ns" else label),
                duration_cell(float(values.mean())),
                duration_cell(int(values.max())),
                duration_cell(int(column[worst])),
            )
        )
    return Table(
        f"Pieces of the response time ({kind}, n = {show_count(n)} jobs; means and the worst "
        "job add up, maxima do not)",
        ("", "mean", "max", f"worst job, number {int(pieces.job[worst])}"),
        tuple(rows),
    )


def _column(pieces: Pieces, name: str) -> IntArray | None:
    """Return a column that has something to show; the finer split of two is shown."""
    is_split = pieces.timer_latency_ns is not None
    if name in {"waited_ns", "entered_ns"} and is_split:
        return None
    column: IntArray | None = getattr(pieces, name)
    if name == "throttled_ns" and not pieces.throttled_ns.any():
        return None
    return column


def _interrupters_table(run: RunData, interrupters: tuple[Interrupter, ...]) -> Table:
    rows = tuple(
        (
            text_cell(one.name, "softirq" if one.is_soft else "interrupt"),
            number_cell(show_count(one.n_jobs)),
            number_cell(show_count(one.n)),
            duration_cell(one.total_ns),
            duration_cell(one.median_ns),
            duration_cell(one.max_ns),
        )
        for one in interrupters[:_MAX_CULPRITS]
    )
    left_out = len(interrupters) - _MAX_CULPRITS
    more = f"; {count_noun(left_out, 'name')} with less left out" if left_out > 0 else ""
    return Table(
        f"What interrupted ({run.kind}; largest total first, each without what interrupted it"
        f"{more})",
        ("interrupt", "n, jobs", "n, times", "total", "median", "max"),
        rows,
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
    who = "Who had the CPU that ready jobs waited for"
    return Table(
        f"{who} ({run.kind}; by name, largest total first{more})",
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


def _quantities(run: RunData, task: TaskData, attribution: Attribution) -> list[Quantity]:
    pieces = attribution.pieces
    known = pieces.is_known
    n = int(np.count_nonzero(known))
    found = []
    for name, _ in _ROWS:
        column: IntArray | None = getattr(pieces, name)
        if column is None:
            continue
        values = column[known]
        what = name.removesuffix("_ns")
        mean, most = float(values.mean()), int(values.max())
        kind = run.kind_of(task) if name in _FROM_RELEASE else run.kind
        for statistic, value in (("mean", mean), ("max", most)):
            full = f"trace_{what}_{statistic}"
            found.append(quantity(run, task, full, value, unit="ns", n=n, kind=kind))
    for culprit in attribution.culprits[:_MAX_CULPRITS]:
        name = f"preempted_by_{name_of(culprit.comm)}_total"
        found.append(quantity(run, task, name, culprit.total_ns, unit="ns", n=culprit.n))
    for one in (attribution.interrupters or ())[:_MAX_CULPRITS]:
        sort = "softirq" if one.is_soft else "interrupt"
        name = f"interrupted_by_{sort}_{one.name}_total"
        found.append(quantity(run, task, name, one.total_ns, unit="ns", n=one.n))
    return found
