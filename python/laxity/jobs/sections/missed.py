# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The releases that were not met, and what was seen around the worst jobs."""

from collections.abc import Callable

import numpy as np

from laxity.core.streams import Cause, Status
from laxity.core.streams import Quantity as Stream
from laxity.core.units import format_duration_ns
from laxity.jobs import backlog
from laxity.jobs import rows as analysis
from laxity.jobs.backlog import Burst
from laxity.jobs.rows import Neighbours, Observation, Row, Usual, UsualLength
from laxity.jobs.run_data import RunData, TaskData
from laxity.jobs.section_parts import per_task, quantity, without_release
from laxity.page.blocks import (
    Block,
    Cell,
    Paragraph,
    Quantity,
    Section,
    Table,
    count_noun,
    duration_cell,
    number_cell,
    show_count,
    show_share,
    text_cell,
)
from laxity.statistics.distribution import Distribution

WORST_JOBS = 20
_P99 = 0.99
_CAUSES = {
    Cause.NONE: "no cause recorded",
    Cause.INTERRUPT: "the run was interrupted",
    Cause.TIMEOUT: "job timeout",
    Cause.SIGNAL: "killed by a signal of its own (crash)",
    Cause.EXIT: "the workload exited",
    Cause.MEMORY_LIMIT: "memory limit",
    Cause.KILLED: "killed from outside",
}
_STATUSES = ("done", "missed", "skipped", "aborted", "pending")


def build(run: RunData) -> Section:
    """Build the section."""

    def one_task(task: TaskData) -> tuple[list[Block], list[Quantity]]:
        return _task_blocks(run, task)

    blocks, quantities = per_task(run, one_task)
    return Section(f"{run.prefix}-missed", "Releases that were not met", blocks, quantities)


def _task_blocks(run: RunData, task: TaskData) -> tuple[list[Block], list[Quantity]]:
    counts = task.result.counts
    released, kind = task.result.released, run.kind_of(task)
    quantities = [
        quantity(run, task, f"releases_{name}", value, unit="releases", n=released, kind=kind)
        for name, value in [(s, getattr(counts, s)) for s in (*_STATUSES, "not_met")]
    ]
    judged = released if task.result.deadline_ns is None else task.n_judged
    ratio = counts.not_met / judged if judged else None
    note = task.unjudged or (None if released else "no release")
    quantities.append(
        quantity(run, task, "not_met_ratio", ratio, unit="1", n=judged, note=note, kind=kind)
    )
    if not released:
        return [Paragraph("Nothing was released.")], quantities
    blocks: list[Block] = [_counts_table(run, task)]
    if not counts.not_met:
        if task.n_release_unknown and task.result.deadline_ns is not None:
            return [*blocks, Paragraph(without_release(task), "note")], quantities
        if task.unjudged:
            return [*blocks, Paragraph(f"{task.unjudged}.", "note")], quantities
        told = "Each release was met."
        if task.result.deadline_ns is None:
            told = "There is no deadline that a job could miss."
        return [*blocks, Paragraph(told)], quantities
    if counts.skipped and task.is_whole:
        text, more = _skip_reasons(run, task)
        blocks.append(Paragraph(text))
        quantities += more
    worst = backlog.worst_bursts(task.rows, WORST_JOBS)
    if not worst:
        return [*blocks, Paragraph(_without_rows(run, task), "note")], quantities
    if not task.is_whole:
        blocks.append(
            Paragraph(
                f"Only kept rows can be looked at (--keep {run.keep}): skipped releases after a "
                "job are not counted, and usual values come from the histogram.",
                "note",
            )
        )
    return [*blocks, _worst_table(run, task, worst)], quantities


def _skip_reasons(run: RunData, task: TaskData) -> tuple[str, list[Quantity]]:
    """Say what the jobs before the skipped releases did: start late, or take long."""
    n = task.result.counts.skipped
    reasons = backlog.skip_reasons(task.rows, run.snapshot_exec_ns)
    executed = ""
    if reasons.took_long and reasons.executed_long is not None:
        executed = f" ({show_count(reasons.executed_long)} by its execution alone)"
    parts = [
        (
            reasons.started_late,
            "because the job before started late (taking as long, but started at its release, it "
            "would have finished before)",
        ),
        (reasons.took_long, f"because the job before took long from start to finish{executed}"),
        (reasons.at_end, "because the task ended before it started them"),
    ]
    said = "; ".join(f"{show_count(count)} {why}" for count, why in parts if count)
    found = {
        "started_late": reasons.started_late,
        "took_long": reasons.took_long,
        "at_end": reasons.at_end,
    }
    kind = run.kind_of(task)
    quantities = [
        quantity(run, task, f"releases_skipped_{name}", value, unit="releases", n=n, kind=kind)
        for name, value in found.items()
    ]
    return f"Of {count_noun(n, 'skipped release')} ({kind}): {said}.", quantities


def _without_rows(run: RunData, task: TaskData) -> str:
    if task.result.counts.missed + task.result.counts.aborted:
        return f"No row of a missed or aborted job was kept (--keep {run.keep})."
    return "No started job missed: all of these were never started (skipped, or pending too late)."


def _counts_table(run: RunData, task: TaskData) -> Table:
    counts, released = task.result.counts, task.result.released
    meanings = {
        "done": "finished in time, or has no deadline",
        "missed": "finished after its deadline",
        "skipped": "passed before the job before it had finished, which may have started late; "
        "or not started when the task ended",
        "aborted": "started, did not finish",
        "pending": "not started when the task ended",
        "not_met": "missed + skipped + aborted + those pending whose deadline had passed",
    }
    rows = tuple(
        (
            text_cell(name.replace("_", " "), meaning),
            number_cell(show_count(getattr(counts, name))),
            number_cell(show_share(getattr(counts, name), released)),
        )
        for name, meaning in meanings.items()
    )
    return Table(
        f"Releases by outcome ({run.kind_of(task)}, n = {count_noun(released, 'release')})",
        ("outcome", "releases", "share"),
        rows,
    )


def _worst_table(run: RunData, task: TaskData, worst: tuple[Burst, ...]) -> Table:
    usual = _usual(run, task)
    clock = run.manifest.clock
    t0 = clock.t0_ns if clock is not None and clock.t0_ns is not None else None
    rows = tuple(_worst_row(run, task, burst, usual, t0) for burst in worst)
    n_kept = task.result.counts.missed + task.result.counts.aborted
    per_row = "one job per row"
    if any(burst.n_not_met > 1 for burst in worst):
        per_row = "of each burst, jobs that waited behind each other, only the worst"
    return Table(
        f"The worst {count_noun(len(rows), 'job')} of {show_count(n_kept)} that missed or were "
        f"aborted ({run.kind_of(task)}, {per_row}); what was seen is not a proven cause",
        ("job", "release since t0", "response time", "past the deadline", "skipped after it",
         "what was seen"),
        rows,
    )  # fmt: skip


def _worst_row(
    run: RunData, task: TaskData, burst: Burst, usual: Usual, t0: int | None
) -> tuple[Cell, ...]:
    index = burst.worst
    row = task.rows[index]
    is_aborted = int(row["status"]) == Status.ABORTED
    is_known = not np.ma.getmaskarray(task.rows["release_ns"])[index]
    release = int(row["release_ns"]) if is_known else None
    response: int | None = None
    late: int | None = None
    if not is_aborted and release is not None:
        response = int(row["finish_ns"]) - release
        late = int(row["finish_ns"]) - int(row["abs_deadline_ns"])
    missing = number_cell("aborted") if is_aborted else duration_cell(None)
    since_t0 = None if t0 is None or release is None else release - t0
    no_release = "t0 not known" if release is not None else "not known"
    skipped = number_cell(
        show_count(analysis.skipped_after(task.rows, index)) if task.is_whole else "not kept"
    )
    return (
        text_cell(f"{int(row['job'])}"),
        number_cell(f"{since_t0 / 1e9:.6f} s" if since_t0 is not None else no_release),
        duration_cell(response) if response is not None else missing,
        duration_cell(late) if late is not None else missing,
        skipped,
        text_cell(_seen_text(task, index, usual, run.snapshot_exec_ns), _burst_text(task, burst)),
    )


def _burst_text(task: TaskData, burst: Burst) -> str:
    """Say which jobs waited behind each other and what began it; empty if none waited."""
    if burst.last == burst.first:
        return ""
    first, last = (int(task.rows[index]["job"]) for index in (burst.first, burst.last))
    text = f"one burst: jobs {first} to {last}, {show_count(burst.n_not_met)} of them not met"
    if not task.is_whole:
        return text
    if burst.began_late:
        return f"{text}; it began when job {first} started {_duration(burst.latency_ns)} late"
    took = f"took {_duration(burst.start_to_finish_ns)} from start to finish"
    return f"{text}; it began when job {first} {took}"


def _usual(run: RunData, task: TaskData) -> Usual:
    """What is usual among all jobs; where only the odd ones were kept, by the histogram."""
    if task.is_whole:
        return analysis.usual_values(task.rows, run.snapshot_exec_ns)
    latency = task.distributions[Stream.RELEASE_LATENCY]
    median = latency.quantile_ns(0.5) if latency.n else None
    return Usual(median, None, _usual_length(task.distributions[Stream.START_TO_FINISH]))


def _usual_length(samples: Distribution) -> UsualLength | None:
    """The histogram does not tell jobs that met from others: its p99 is of all."""
    if not samples.n:
        return None
    return UsualLength(samples.quantile_ns(0.5), samples.quantile_ns(_P99))


def _seen_text(task: TaskData, index: int, usual: Usual, cost_ns: int) -> str:
    row = task.rows[index]
    previous = _previous(task, index)
    seen = analysis.why_missed(row, Neighbours(previous, usual, cost_ns))
    if not seen:
        return "nothing unusual in what was measured"
    return "; ".join(_WORDS[item.code](item) for item in seen)


def _previous(task: TaskData, index: int) -> Row | None:
    """Return the last job before this one that ran, if the rows in between were kept."""
    status = np.ma.getdata(task.rows["status"])[:index]
    started = np.flatnonzero((status == Status.DONE) | (status == Status.MISSED))
    if not started.size:
        return None
    row = task.rows[int(started[-1])]
    is_next = int(row["job"]) == int(task.rows[index]["job"]) - 1
    return row if task.is_whole or is_next else None


def _duration(value: int | None) -> str:
    return "an unknown time" if value is None else format_duration_ns(value)


def _against_usual(words: str) -> Callable[[Observation], str]:
    return lambda item: f"{words} {_duration(item.value)} (usually {_duration(item.reference)})"


def _counted(noun: str) -> Callable[[Observation], str]:
    return lambda item: count_noun(item.value or 0, noun)


_WORDS: dict[str, Callable[[Observation], str]] = {
    "aborted": lambda item: f"aborted: {_CAUSES[Cause(item.value or 0)]}",
    "previous_finished_late": lambda item: (
        f"previous job finished {_duration(item.value)} past this release"
    ),
    "late_release": _against_usual("started late, after"),
    "long_execution": _against_usual("long execution,"),
    "long_run": _against_usual("long from start to finish,"),
    "preempted": _counted("preemption"),
    "blocked": _counted("blocking"),
    "major_faults": _counted("major page fault"),
    "minor_faults": _counted("minor page fault"),
    "migrated": lambda item: f"migrated from CPU {item.reference} to CPU {item.value}",
}
