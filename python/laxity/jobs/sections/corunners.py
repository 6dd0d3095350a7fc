# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The co-runners: that they ran, how much they did, and at what rate."""

from laxity.core.cpus import format_cpus, parse_cpus
from laxity.jobs.run_data import RunData
from laxity.jobs.section_parts import quantity, scheduling_of, task_or_tasks, words_of
from laxity.page.blocks import (
    NOT_MEASURED,
    Block,
    Cell,
    Paragraph,
    Quantity,
    Section,
    Table,
    duration_cell,
    number_cell,
    show_count,
    show_rate,
    text_cell,
)
from laxity.store.manifest import CorunnerResult, TaskResult

_EXPLANATION = (
    "A pass is one job of the workload, or one process of a program, repeated without pause. "
    "Passes before t0 show that the co-runner ran before the first release. It was stopped after "
    "the last job."
)


def build(run: RunData) -> Section:
    """Build the section."""
    corunners = run.manifest.corunners
    identity = f"{run.prefix}-corunners"
    if not corunners:
        text = f"None: this run started nothing beside {task_or_tasks(run)}."
        return Section(identity, "Co-runners", (Paragraph(text),))
    blocks: list[Block] = [Paragraph(_EXPLANATION)]
    for one in corunners:
        if one.passes == 0 and one.exec is not None:
            text = f"Co-runner {one.index} is one process, which ran during the whole run."
            blocks.append(Paragraph(text, "note"))
        elif one.passes == 0:
            text = f"Co-runner {one.index} completed no pass: it may have interfered little."
            blocks.append(Paragraph(text, "warning"))
        if one.end_cause not in {None, "stopped"}:
            detail = "" if one.end_detail in {None, ""} else f" ({one.end_detail})"
            text = f"Co-runner {one.index} did not live to the end: {one.end_cause}{detail}."
            blocks.append(Paragraph(text, "warning"))
        shared = _shared_words(run, one)
        if shared:
            blocks.append(Paragraph(shared, "note"))
    head = ("co-runner", "scheduling", "passes before t0", "passes", "over", "rate")
    rows = tuple(_row(one) for one in corunners)
    blocks.append(Table(f"Progress of the co-runners ({run.kind})", head, rows))
    return Section(identity, "Co-runners", tuple(blocks), _quantities(run))


def _row(one: CorunnerResult) -> tuple[Cell, ...]:
    rate = _rate_per_s(one)
    return (
        text_cell(words_of(one.workload, one.args), f"number {one.index}"),
        text_cell(scheduling_of(one)),
        number_cell(show_count(one.passes_before_t0)),
        number_cell(show_count(one.passes)),
        duration_cell(one.elapsed_ns),
        number_cell(NOT_MEASURED if rate is None else show_rate(rate, "passes/s")),
    )


def _shared_words(run: RunData, one: CorunnerResult) -> str:
    """Say of which tasks a co-runner shares a CPU, and who then runs; empty if of none."""
    sharing = [task.result for task in run.tasks if _cpus(task.result) & _cpus(one)]
    words = []
    for task in sharing:
        start = f"Co-runner {one.index} shares CPU {format_cpus(_cpus(task) & _cpus(one))} with"
        first, second = _rank(task), _rank(one)
        who = "the two take turns there."
        if first != second:
            who = "there it only runs while the task sleeps or waits."
        if first < second:
            who = "there the task only runs while the co-runner sleeps or waits."
        words.append(f"{start} task “{task.name}”: {who}")
    return " ".join(words)


def _cpus(one: TaskResult | CorunnerResult) -> set[int]:
    return set(parse_cpus(one.cpus)) if one.cpus else set()


_ABOVE_PRIORITIES = 100


def _rank(one: TaskResult | CorunnerResult) -> int:
    """Return the order in which the scheduler prefers: deadline, real-time priorities, the rest."""
    if one.policy == "deadline":
        return _ABOVE_PRIORITIES
    return one.priority or 0 if one.policy in {"fifo", "rr"} else 0


def _rate_per_s(one: CorunnerResult) -> float | None:
    if one.passes is None or not one.elapsed_ns:
        return None
    return one.passes * 1e9 / one.elapsed_ns


def _quantities(run: RunData) -> tuple[Quantity, ...]:
    found = []
    for one in run.manifest.corunners:
        n = one.passes or 0
        rate = _rate_per_s(one)
        for name, value, unit in (
            ("passes", one.passes, "passes"),
            ("pass_rate", rate, "passes/s"),
        ):
            note = NOT_MEASURED if value is None else None
            found.append(
                quantity(
                    run, None, f"corunner_{one.index}_{name}", value, unit=unit, n=n, note=note
                )
            )
    return tuple(found)
