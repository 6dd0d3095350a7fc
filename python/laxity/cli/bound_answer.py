# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `laxity bound` answers, as tables."""

import sys
from collections.abc import Sequence

from laxity.bounds.document import Answer, CostsUsed
from laxity.bounds.platform_costs import UsedCost
from laxity.bounds.verdicts import CpuBound, Placement, TaskBound, Verdict
from laxity.bounds.words import PARTS, reasons, sensitivity_lines
from laxity.cli.bound_wcet import pwcet_text, wcet_text
from laxity.core.cpus import format_cpus
from laxity.core.percent import show_percent
from laxity.core.text_table import format_table
from laxity.core.units import decimal_duration, exact_size


def print_answer(answer: Answer) -> None:
    """Print the verdict, then why."""
    sys.stdout.write(answer_text(answer))


def answer_text(answer: Answer) -> str:
    """Write the verdict for people, then why."""
    parts = [f"{_words(answer.verdict)}\n\n", _tasks(answer.tasks), _cpus(answer.cpus)]
    parts.append(_partition(answer.partition))
    if answer.sensitivity is not None:
        parts += ["\n", *(f"{line}\n" for line in sensitivity_lines(answer.sensitivity))]
    parts += [_breakdown(answer.tasks), wcet_text(answer.wcet_from), _costs(answer.costs)]
    parts.append(_list("why", reasons(answer)))
    parts.append(_list("missing", answer.missing))
    parts.append(_list("not accounted for", answer.not_accounted))
    parts.append(_list("note", answer.notes))
    return "".join(parts)


def _tasks(tasks: Sequence[TaskBound]) -> str:
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
        for one in tasks
    ]
    return format_table(headers, rows, right=(1, 2, 3, 4))


def _cpus(cpus: Sequence[CpuBound]) -> str:
    headers = ("cpu", "utilisation", "verdict", "test")
    rows = [
        (
            format_cpus(one.cpus),
            show_percent(one.utilisation_ppm),
            _words(one.verdict),
            one.test,
        )
        for one in cpus
    ]
    return f"\n{format_table(headers, rows, right=(0, 1))}" if rows else ""


def _partition(partition: Placement | None) -> str:
    if partition is None:
        return ""
    lines = [f"CPU {one.cpu}: {', '.join(one.tasks) or 'no task'}" for one in partition.cpus]
    if partition.unplaced:
        lines.append(f"nowhere: {', '.join(partition.unplaced)}")
    return _list(f"partition, {partition.fit}", lines)


def _breakdown(tasks: Sequence[TaskBound]) -> str:
    """Write where the windows go; parts that are nothing in all of them have no column."""
    split = [(one, one.breakdown) for one in tasks if one.breakdown is not None]
    shown = [part for part in PARTS if any(part.of(parts) for _, parts in split)]
    headers = ("task", "window", *(part.short for part in shown))
    rows = [
        (
            one.name,
            _shown(one.window_ns),
            *(decimal_duration(part.of(parts)) for part in shown),
        )
        for one, parts in split
    ]
    if not rows:
        return ""
    table = format_table(headers, rows, right=range(1, len(headers)))
    return f"\nwhere the longest busy window goes\n{table}"


def _costs(costs: CostsUsed) -> str:
    if costs.path is None:
        return "\ncosts: none, zero overheads\n"
    title = (
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
            _cpu(one),
            "" if one.working_set_bytes is None else exact_size(one.working_set_bytes),
        )
        for one in costs.entries
    ]
    table = format_table(headers, rows, right=(2, 4, 8, 9)) if rows else ""
    parts = [
        pwcet_text(_whose(one), "one", costs.use or "", one.pwcet)
        for one in costs.entries
        if one.pwcet is not None
    ]
    return "".join([title, table, *parts])


def _whose(one: UsedCost) -> str:
    return one.name if one.of is None else f"{one.name} of {one.of}"


def _cpu(one: UsedCost) -> str:
    words = "" if one.cpu is None else str(one.cpu)
    return words if one.cpu_to is None else f"{words} to {one.cpu_to}"


def _list(title: str, lines: Sequence[str]) -> str:
    return f"\n{title}\n" + "".join(f"  {line}\n" for line in lines) if lines else ""


def _shown(duration_ns: int | None) -> str:
    return "no bound" if duration_ns is None else decimal_duration(duration_ns)


def _words(verdict: Verdict) -> str:
    return verdict.replace("_", " ")
