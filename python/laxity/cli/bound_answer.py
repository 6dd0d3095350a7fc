# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `laxity bound` answers, as JSON and as tables."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from laxity.analysis.bound_setup import Scheduler
from laxity.analysis.platform_costs import UsedCost
from laxity.analysis.sensitivity import MAX_FACTOR_PPM, Sensitivity
from laxity.analysis.verdicts import CpuBound, Placement, TaskBound, Verdict
from laxity.cli.tables import format_table
from laxity.model.cpus import format_cpus
from laxity.model.percent import format_percent
from laxity.model.units import decimal_duration, exact_size

BOUND_SCHEMA = 1


@dataclass(frozen=True, slots=True)
class CostsUsed:
    """The costs of an answer: `path` None means zero overheads, as the user said."""

    path: str | None
    machine_hash: str | None
    use: str | None
    margin: str | None
    entries: tuple[UsedCost, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What `--format json` prints; times in ns."""

    schema: int
    verdict: Verdict
    scheduler: Scheduler
    tasks: tuple[TaskBound, ...]
    cpus: tuple[CpuBound, ...]
    partition: Placement | None
    sensitivity: Sensitivity | None
    costs: CostsUsed
    missing: tuple[str, ...]
    not_accounted: tuple[str, ...]
    notes: tuple[str, ...]


def print_answer(answer: Answer) -> None:
    """Print the verdict, then why."""
    sys.stdout.write(f"{_words(answer.verdict)}\n\n")
    _print_tasks(answer)
    _print_cpus(answer.cpus)
    _print_partition(answer.partition)
    if answer.sensitivity is not None:
        sys.stdout.write(f"\n{_spare(answer.sensitivity)}\n")
    _print_breakdown(answer)
    _print_costs(answer.costs)
    _print_list("why", _reasons(answer))
    _print_list("missing", answer.missing)
    _print_list("not accounted for", answer.not_accounted)
    _print_list("note", answer.notes)


def _print_tasks(answer: Answer) -> None:
    headers = ("task", "cpu", "priority", "response", "deadline", "verdict")
    rows = [
        (
            one.name,
            "" if one.cpu is None else str(one.cpu),
            "" if one.priority is None else str(one.priority),
            _shown(one.response_time_ns),
            decimal_duration(one.deadline_ns),
            _words(one.verdict),
        )
        for one in answer.tasks
    ]
    sys.stdout.write(format_table(headers, rows, right=(1, 2, 3, 4)))


def _print_cpus(cpus: Sequence[CpuBound]) -> None:
    if not cpus:
        return
    headers = ("cpu", "utilisation", "verdict", "test")
    rows = [
        (
            format_cpus(one.cpus),
            format_percent(one.utilisation_ppm),
            _words(one.verdict),
            one.test,
        )
        for one in cpus
    ]
    sys.stdout.write(f"\n{format_table(headers, rows, right=(0, 1))}")


def _print_partition(partition: Placement | None) -> None:
    if partition is None:
        return
    lines = [f"CPU {one.cpu}: {', '.join(one.tasks) or 'no task'}" for one in partition.cpus]
    if partition.unplaced:
        lines.append(f"nowhere: {', '.join(partition.unplaced)}")
    _print_list(f"partition, {partition.fit}", lines)


def _reasons(answer: Answer) -> list[str]:
    """Give each reason once: tasks that are judged together share that of their CPU."""
    of_cpus = {one.reason for one in answer.cpus}
    return [
        *(f"CPU {format_cpus(one.cpus)}: {one.reason}" for one in answer.cpus if one.reason),
        *(
            f"{one.name}: {one.reason}"
            for one in answer.tasks
            if one.reason and one.reason not in of_cpus
        ),
    ]


def _spare(found: Sensitivity) -> str:
    if found.factor_ppm is None:
        return f"no shorter wcet helps: {found.critical_task} is late by costs and jitter alone"
    factor = format_percent(found.factor_ppm)
    if found.factor_ppm == MAX_FACTOR_PPM:
        return f"all wcet may grow to {factor} and more"
    return f"all wcet may be {factor} of what is stated; then {found.critical_task} is late first"


def _print_breakdown(answer: Answer) -> None:
    headers = (
        "task",
        "window",
        "own C",
        "higher C",
        "2 delta",
        "gamma",
        "interrupts",
        "blocking",
        "switch under way",
    )
    rows = []
    for one in answer.tasks:
        parts = one.breakdown
        if parts is None or one.window_ns is None:
            continue
        figures = (
            one.window_ns,
            parts.wcet_ns,
            parts.interference_ns,
            parts.delta_ns,
            parts.gamma_ns,
            parts.interrupts_ns,
            parts.blocking_ns,
            parts.switch_blocking_ns,
        )
        rows.append((one.name, *(decimal_duration(figure) for figure in figures)))
    if rows:
        table = format_table(headers, rows, right=range(1, len(headers)))
        sys.stdout.write(f"\nwhere the longest busy window goes\n{table}")


def _print_costs(costs: CostsUsed) -> None:
    if costs.path is None:
        sys.stdout.write("\ncosts: none, zero overheads\n")
        return
    sys.stdout.write(
        f"\ncosts: {costs.path}, machine {costs.machine_hash}, {costs.use} + {costs.margin}; "
        "what was measured is observed, not proven\n"
    )
    headers = ("cost", "of", "value", "kind", "n", "verdict", "case", "evict", "cpu", "size")
    rows = [
        (
            one.name,
            one.of or "",
            decimal_duration(one.value_ns),
            one.kind,
            str(one.n),
            one.verdict,
            one.case or "",
            one.evict or "",
            "" if one.cpu is None else str(one.cpu),
            "" if one.working_set_bytes is None else exact_size(one.working_set_bytes),
        )
        for one in costs.entries
    ]
    sys.stdout.write(format_table(headers, rows, right=(2, 4, 8, 9)) if rows else "")


def _print_list(title: str, lines: list[str] | tuple[str, ...]) -> None:
    if lines:
        sys.stdout.write(f"\n{title}\n" + "".join(f"  {line}\n" for line in lines))


def _shown(duration_ns: int | None) -> str:
    return "no bound" if duration_ns is None else decimal_duration(duration_ns)


def _words(verdict: Verdict) -> str:
    return verdict.replace("_", " ")
