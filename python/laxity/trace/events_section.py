# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Jobs that the scheduler preempted against jobs that it migrated, from the scheduling trace."""

from laxity.jobs.rows import IntArray
from laxity.jobs.run_data import RunData, TaskData
from laxity.jobs.section_parts import per_task, quantity
from laxity.page.blocks import (
    Block,
    Cell,
    Paragraph,
    Quantity,
    Section,
    Table,
    duration_cell,
    number_cell,
    show_count,
    text_cell,
)
from laxity.statistics import distribution
from laxity.trace.event_data import events_of
from laxity.trace.event_words import event_words
from laxity.trace.job_events import JobEvents

_TEXT = (
    "Execution times by what the scheduler did to a job, from its trace: preempted, it lost its "
    "CPU once and came back to it; migrated, it went on on another one. Both began on the CPU on "
    "which the job before had ended."
)


def build(run: RunData) -> Section | None:
    """Build the section; None where no task has enough jobs of both kinds."""
    if not any(events_of(run, task) for task in run.tasks):
        return None

    def one_task(task: TaskData) -> tuple[list[Block], list[Quantity]]:
        return _task_blocks(run, task)

    blocks, quantities = per_task(run, one_task)
    title = "Preempted and migrated jobs"
    return Section(f"{run.prefix}-events", title, (Paragraph(_TEXT), *blocks), quantities)


def _task_blocks(run: RunData, task: TaskData) -> tuple[list[Block], list[Quantity]]:
    found = events_of(run, task)
    if found is None:
        return [Paragraph("There are too few jobs of one kind or the other.", "note")], []
    n = (found.migrated_ns.size, found.preempted_ns.size)
    words = event_words(found.test, found.control, n)
    kinds = (
        ("undisturbed", found.undisturbed_ns),
        ("preempted once", found.preempted_ns),
        ("migrated once", found.migrated_ns),
    )
    rows = tuple(_row(name, samples_ns) for name, samples_ns in kinds if samples_ns.size)
    caption = (
        f"Execution times ({run.kind}); left out: {show_count(found.n_moved_before)} jobs that "
        f"began on another CPU than the one before had ended on, {show_count(found.n_others)} with "
        "more than one event or unknown ones"
    )
    table = Table(caption, ("jobs", "n", "median", "maximum"), rows)
    blocks: list[Block] = [Paragraph(f"{words[:1].upper()}{words[1:]}."), table]
    return blocks, _quantities(run, task, found)


def _row(name: str, samples_ns: IntArray) -> tuple[Cell, ...]:
    samples = distribution.from_samples(samples_ns)
    return (
        text_cell(name),
        number_cell(show_count(samples.n)),
        duration_cell(samples.quantile_ns(0.5)),
        duration_cell(samples.max_ns),
    )


def _quantities(run: RunData, task: TaskData, found: JobEvents) -> list[Quantity]:
    test = found.test
    if test is None:
        return []
    n = test.n_first + test.n_second
    note = f"95 %: {test.low_ns} to {test.high_ns} ns"
    return [
        quantity(run, task, "migrated_over_preempted", test.shift_ns, unit="ns", n=n, note=note),
        quantity(run, task, "migrated_over_preempted_p", test.p_value, unit="ratio", n=n),
    ]
