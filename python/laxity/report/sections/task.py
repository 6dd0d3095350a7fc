# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What was asked of a task and how it went: set-up, faults, end."""

from laxity.model.manifest import TaskResult
from laxity.model.units import format_duration_ns, format_size_bytes
from laxity.report.blocks import (
    NOT_MEASURED,
    Block,
    Cell,
    Paragraph,
    Quantity,
    Section,
    Table,
    show_count,
    text_cell,
)
from laxity.report.run_data import RunData, TaskData
from laxity.report.sections.common import per_task, quantity, scheduling_of, words_of

_ENDS = {
    "jobs": "its number of jobs was reached",
    "duration": "its duration was over",
    "interrupt": "interrupted",
    "timeout": "a job exceeded the job timeout",
    "signal": "the workload crashed",
    "exit": "the workload exited",
    "memory_limit": "the memory limit was exceeded",
    "killed": "killed from outside",
}


def build(run: RunData) -> Section:
    """Build the section."""

    def one_task(task: TaskData) -> tuple[list[Block], list[Quantity]]:
        return _task_blocks(run, task)

    blocks, quantities = per_task(run, one_task)
    problems = tuple(Paragraph(problem, "warning") for problem in run.problems)
    return Section(f"{run.prefix}-task", "The task", (*problems, *blocks), quantities)


def _task_blocks(run: RunData, task: TaskData) -> tuple[list[Block], list[Quantity]]:
    result = task.result
    faults = result.faults_after_first_job
    quantities = []
    if faults is not None:
        quantities = [
            quantity(run, task, f"{kind}_faults_after_first_job", count,
                     unit="faults", n=result.started)
            for kind, count in (("minor", faults.minor), ("major", faults.major))
        ]  # fmt: skip
    rows = [*_asked_rows(result), *_seen_rows(result)]
    caption = (
        f"Task “{result.name}”: asked for, and seen ({run.kind}, n = "
        f"{show_count(result.started)} started jobs)"
    )
    return [Table(caption, ("", ""), tuple(rows))], list(quantities)


def _row(name: str, value: str) -> tuple[Cell, ...]:
    return (text_cell(name), text_cell(value))


def _asked_rows(result: TaskResult) -> list[tuple[Cell, ...]]:
    deadline = "none" if result.deadline_ns is None else format_duration_ns(result.deadline_ns)
    return [
        _row("workload", words_of(result.workload, result.args)),
        _row("period", format_duration_ns(result.period_ns)),
        _row("deadline", deadline),
        _row("offset", format_duration_ns(result.offset_ns)),
        _row("scheduling", scheduling_of(result)),
        _row("overrun", result.overrun),
    ]


def _seen_rows(result: TaskResult) -> list[tuple[Cell, ...]]:
    locked = {True: "yes", False: "no: pages may be taken away", None: "not known"}
    faults = result.faults_after_first_job
    seen_faults = NOT_MEASURED
    if faults is not None:
        seen_faults = f"{show_count(faults.minor)} minor, {show_count(faults.major)} major"
    end = _ENDS.get(result.end_cause or "", result.end_cause or "not known")
    if result.end_detail not in {None, ""}:
        end += f" ({result.end_detail})"
    rows = [
        _row("memory locked", locked[result.memory_locked]),
        _row("page faults after the first job", seen_faults),
        _row("ended because", end),
    ]
    if result.rttime_pauses:
        rows.append(
            _row(
                "pauses of 1 ms",
                f"{show_count(result.rttime_pauses)}, so that the kernel's limit on real-time "
                "processor time does not kill the task",
            )
        )
    if result.output_bytes:
        rows.append(_row("printed", format_size_bytes(result.output_bytes)))
    if result.lost_rows:
        rows.append(_row("rows lost", f"{show_count(result.lost_rows)} (log ring full)"))
    return rows
