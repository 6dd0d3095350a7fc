# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What was asked of a task and how it went: set-up, faults, end."""

from laxity.core.units import format_duration_ns, format_size_bytes
from laxity.jobs.memory_need import need_words
from laxity.jobs.run_data import RunData, TaskData
from laxity.jobs.section_parts import quantity, scheduling_of, task_or_tasks, words_of
from laxity.page.blocks import (
    NOT_MEASURED,
    Block,
    Paragraph,
    Quantity,
    Section,
    Table,
    count_noun,
    show_count,
    text_cell,
)
from laxity.store.manifest import Faults, TaskResult

_ENDS = {
    "jobs": "its number of jobs was reached",
    "duration": "its duration was over",
    "interrupt": "interrupted",
    "timeout": "a job exceeded the job timeout",
    "signal": "the workload crashed",
    "exit": "the workload exited",
    "memory_limit": "the memory limit was exceeded",
    "killed": "killed from outside",
    "stopped": "the run stopped on a job",
}
# What no simulated platform has.
_OF_A_KERNEL = frozenset(
    {"memory locked", "page faults after the first job", "memory held, at most"}
)


def build(run: RunData) -> Section:
    """Build the section."""
    blocks: list[Block] = [Paragraph(problem, "warning") for problem in run.problems]
    if run.tasks:
        blocks.append(_table(run))
    quantities = tuple(one for task in run.tasks for one in _quantities(run, task))
    return Section(f"{run.prefix}-task", task_or_tasks(run).capitalize(), tuple(blocks), quantities)


def _quantities(run: RunData, task: TaskData) -> list[Quantity]:
    n = task.result.started
    found = []
    if (faults := _faults_of(task.result)) is not None:
        found += [
            quantity(run, task, f"{kind}_faults_after_first_job", count, unit="faults", n=n)
            for kind, count in (("minor", faults.minor), ("major", faults.major))
        ]
    if n and (memory := task.result.memory) is not None:
        found.append(quantity(run, task, "memory_peak", memory.peak_bytes, unit="B", n=n))
    return found


def _table(run: RunData) -> Table:
    """One column per task; a row stands where any task has something to say."""
    results = [task.result for task in run.tasks]
    told = [{**_asked_of(one), **_seen_of(one, has_begun=run.has_begun)} for one in results]
    names = list(dict.fromkeys(name for facts in told for name in facts))
    if run.kind == "simulated":
        names = [name for name in names if name not in _OF_A_KERNEL]
    rows = tuple(
        (text_cell(name), *(text_cell(facts.get(name, "none")) for facts in told)) for name in names
    )
    if len(results) == 1:
        seen = f"{run.kind}, n = {count_noun(results[0].started, 'started job')}"
        caption = f"Task “{results[0].name}”: asked for, and seen"
        return Table(f"{caption} ({seen if results[0].started else 'no job started'})",
                     ("", ""), rows)  # fmt: skip
    seen = run.kind if any(one.started for one in results) else "no job started"
    caption = f"Tasks: asked for, and seen ({seen})"
    return Table(caption, ("", *(one.name for one in results)), rows)


def _asked_of(result: TaskResult) -> dict[str, str]:
    deadline = "none" if result.deadline_ns is None else format_duration_ns(result.deadline_ns)
    return {
        "workload": words_of(result.workload, result.args),
        **({"a job is": result.job_is} if result.job_is else {}),
        "period": _duration_of(result.period_ns),
        "deadline": deadline,
        "offset": _duration_of(result.offset_ns),
        "scheduling": scheduling_of(result),
        "overrun": result.overrun,
    }


def _duration_of(value_ns: int | None) -> str:
    return "none" if value_ns is None else format_duration_ns(value_ns)


def _faults_of(result: TaskResult) -> Faults | None:
    """Return the faults after the first job; None if no job started, whatever the record says."""
    return result.faults_after_first_job if result.started else None


def _memory_of(result: TaskResult) -> str:
    memory = result.memory
    if memory is None:
        return NOT_MEASURED
    limit = "no limit"
    if memory.limit_bytes is not None:
        limit = f"limit {format_size_bytes(memory.limit_bytes)}"
    return f"{format_size_bytes(memory.peak_bytes)} ({limit})"


def _seen_of(result: TaskResult, *, has_begun: bool) -> dict[str, str]:
    locked = {True: "yes", False: "no: pages may be taken away", None: NOT_MEASURED}
    # A task that ended before t0 may not have come to the locking; false then says nothing.
    is_locked = result.memory_locked if has_begun or result.memory_locked else None
    faults = _faults_of(result)
    seen_faults = NOT_MEASURED
    if faults is not None:
        seen_faults = f"{show_count(faults.minor)} minor, {show_count(faults.major)} major"
    end = _ENDS.get(result.end_cause or "", result.end_cause or "not known")
    if result.end_detail not in {None, ""}:
        end += f" ({result.end_detail})"
    seen = {
        "jobs started": show_count(result.started),
        "memory locked": locked[is_locked],
        "page faults after the first job": seen_faults,
        "memory held, at most": _memory_of(result),
        "ended because": end,
    }
    if result.memory_need is not None:
        seen["memory need, at once"] = need_words(result.memory_need)
    if result.rttime_pauses:
        seen["pauses of 1 ms"] = (
            f"{show_count(result.rttime_pauses)}, so that the kernel's limit on real-time "
            "processor time does not kill the task"
        )
    if result.output_bytes:
        seen["printed"] = format_size_bytes(result.output_bytes)
    if result.asked_calls:
        seen["not deterministic"] = (
            f"asks for {', '.join(result.asked_calls)}, which may be something else in another run"
        )
    if result.lost_rows:
        seen["rows lost"] = f"{show_count(result.lost_rows)} (log ring full)"
    return seen
