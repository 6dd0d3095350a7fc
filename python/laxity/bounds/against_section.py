# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Bounds held against the response times of a run: what was beyond them, and why."""

from collections.abc import Iterator, Sequence

from laxity.bounds.against import Against
from laxity.bounds.observed_bound import Excess, Observed
from laxity.core.units import format_duration_ns
from laxity.page.blocks import (
    Block,
    Cell,
    Paragraph,
    Table,
    bound_cell,
    count_noun,
    number_cell,
    show_bound,
    show_count,
    text_cell,
)

# How many jobs of a task are shown one by one, and causes of each; json has all that was found.
_MAX_JOBS = 3
_MAX_CAUSES = 6
_PERCENT = 100


def blocks_of(against: Against) -> list[Block]:
    """Return what was found: the outcome, then what it rests on."""
    return [
        Paragraph(_outcome(against)),
        _tasks_table(against),
        _assumptions_table(against.tasks),
        *_excess_blocks(against.tasks),
        *(Paragraph(line) for line in _steal_lines(against)),
    ]


def _outcome(against: Against) -> str:
    n_jobs = sum(task.jobs for task in against.tasks if task.bound_ns is not None)
    without = [task.task for task in against.tasks if task.bound_ns is None]
    beside = f"; without a bound: {', '.join(without)}" if without else ""
    if against.unjudged:
        which = "not known when it was released, aborted, or still pending"
        beside = f"; {count_noun(against.unjudged, 'job')} not judged ({which}){beside}"
    if not n_jobs:
        return f"Nothing to compare{beside}."
    if against.above:
        of_all = f"{show_count(against.above)} of {show_count(n_jobs)}"
        return f"{of_all} response times above their bounds{beside}."
    return f"No response time above its bound, of {count_noun(n_jobs, 'job')}{beside}."


def _tasks_table(against: Against) -> Table:
    head = ("task", "jobs", "unfinished", "not judged", "largest", "bound", "of bound", "above")
    rows = tuple(
        (
            text_cell(one.task),
            number_cell(show_count(one.jobs)),
            number_cell(show_count(one.unfinished)),
            number_cell(show_count(one.unjudged)),
            _seen_cell(one.largest_ns, "none"),
            bound_cell(one.bound_ns),
            number_cell(_share(one.largest_ns, one.bound_ns)),
            number_cell("" if one.bound_ns is None else show_count(one.above)),
        )
        for one in against.tasks
    )
    trace = f"traced by {against.trace}" if against.trace else "without a whole trace"
    if against.trace == "simulated":
        trace = "simulated"
    return Table(f"Response times of {against.run}, {trace}, against the bounds", head, rows)


def _assumptions_table(tasks: Sequence[Observed]) -> Table:
    rows = tuple(
        (
            text_cell(task.task),
            text_cell(one.name),
            bound_cell(one.counted_ns),
            _seen_cell(one.seen_ns, "not known"),
            number_cell(show_count(one.n)),
            number_cell("" if one.seen_ns is None else show_count(one.n_beyond)),
        )
        for task in tasks
        for one in task.assumptions
    )
    head = ("task", "of each job", "counted", "largest seen", "n", "beyond")
    return Table("What the bounds assume, and what was seen", head, rows)


def _excess_blocks(tasks: Sequence[Observed]) -> list[Block]:
    rows = tuple(
        (
            text_cell(task.task),
            number_cell(str(one.job)),
            bound_cell(one.response_ns - one.bound_ns),
            text_cell("; ".join([*_why(one)][:_MAX_CAUSES])),
        )
        for task in tasks
        for one in task.excesses[:_MAX_JOBS]
    )
    if not rows:
        return []
    more = [
        Paragraph(f"{task.task}: {count_noun(task.above - _MAX_JOBS, 'job')} more above the bound.")
        for task in tasks
        if task.above > _MAX_JOBS
    ]
    return [Table("Worst excesses", ("task", "job", "above by", "why"), rows), *more]


def _why(one: Excess) -> Iterator[str]:
    """Say which parts exceed what is counted for them, the largest first."""
    if one.reason is not None:
        yield one.reason
    for part in one.causes:
        by = f" ({', '.join(part.by)})" if part.by else ""
        counted = format_duration_ns(part.counted_ns)
        yield f"{part.name}{by} {format_duration_ns(part.seen_ns)}, {counted} counted"
    for job in one.long_jobs:
        took = format_duration_ns(job.execution_ns)
        yield f"{job.task} job {job.job} executed {took}, wcet {format_duration_ns(job.wcet_ns)}"


def _steal_lines(against: Against) -> Iterator[str]:
    """Say what the host took: of the whole run, for nobody tells from which job."""
    if against.stolen_resolution_ns is None:
        return
    for cpu, stolen_ns in against.stolen_ns.items():
        step = format_duration_ns(against.stolen_resolution_ns)
        taken = "less than one step" if not stolen_ns else format_duration_ns(stolen_ns)
        yield (
            f"Host: took {taken} from CPU {cpu} (told in steps of {step}), from which jobs nobody "
            "tells: it stands in what they executed, or is unexplained."
        )


def _seen_cell(value_ns: int | None, otherwise: str) -> Cell:
    return number_cell(otherwise if value_ns is None else show_bound(value_ns))


def _share(part_ns: int | None, whole_ns: int | None) -> str:
    return f"{_PERCENT * part_ns / whole_ns:.1f} %" if part_ns is not None and whole_ns else ""
