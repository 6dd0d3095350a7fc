# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A task set's bounds: against the deadlines, where the time goes, how far another answer is."""

from collections.abc import Iterator, Sequence
from functools import partial

from laxity.bounds.document import Answer
from laxity.bounds.sensitivity import Factor, Sensitivity
from laxity.bounds.verdicts import SCHEDULABLE, CpuBound, Placement, TaskBound
from laxity.bounds.words import PARTS, PartOfWindow, reasons, sensitivity_lines
from laxity.core.cpus import format_cpus
from laxity.core.percent import show_percent
from laxity.page.blocks import (
    Block,
    Cell,
    FigureBlock,
    Figures,
    Paragraph,
    Quantity,
    Section,
    Table,
    bound_cell,
    count_noun,
    join_words,
    number_cell,
    show_bound,
    show_count,
    show_upper,
    text_cell,
)

_TEXT = (
    "A bound is computed, not measured: no job responds later, as long as no job takes longer than "
    "its wcet and no cost exceeds the figure that counts here. A task is schedulable if its bound "
    "keeps its deadline; it is not schedulable only if it misses it even without anything that may "
    "be absent; between the two nothing is proven."
)
_PARTS_TEXT = (
    "The longest response lies in a busy window, which begins when the task and whatever may delay "
    "it become ready together. Its parts sum up to it; response = jitter + window − (jobs − 1) · "
    "period. Parts that are nothing in all windows are left out."
)
_SPEED_TEXT = (
    "Each figure is varied alone, in thousandths. On a faster processor C becomes shorter and "
    "nothing else: what a cache miss or an interrupt takes hangs on memory and devices, too."
)
# More bars than this no one compares; the table has every task.
_MOST_BARS = 20
_STATES = {"schedulable": "ok", "not_schedulable": "bad", "not_provable": "warn"}
BOUND_TITLE = "Bounds against deadlines"
# Members of the sensitivity, and what they are called.
FACTORS = (
    ("wcet", "C of all tasks, at most"),
    ("delta", "2 δ, at most"),
    ("gamma", "\N{GREEK SMALL LETTER GAMMA}, at most"),
    ("speed", "speed of the processor, at least"),
)


def verdict_words(verdict: str) -> str:
    """Write "not provable"."""
    return verdict.replace("_", " ")


def sentences(answer: Answer) -> tuple[str, ...]:
    """Say what the verdict is, who is nearest to its deadline, and why nothing more is proven."""
    tasks = count_noun(len(answer.tasks), "task")
    used = answer.costs
    costs = f"the costs of {used.path}, {used.use} + {used.margin}"
    if used.path is None:
        costs = "zero overheads"
    words = verdict_words(answer.verdict)
    lines = [f"{words[0].upper()}{words[1:]}: {tasks}, {costs}."]
    unbounded = [
        f"“{one.name}”"
        for one in answer.tasks
        if one.response_time_ns is None and one.verdict != SCHEDULABLE
    ]
    tightest = _tightest(answer.tasks)
    if 0 < len(unbounded) < len(answer.tasks):
        lines.append(f"Without a bound: {join_words(unbounded)}.")
    elif tightest is not None and tightest.response_time_ns is not None:
        is_late = tightest.response_time_ns > tightest.deadline_ns
        where = "Furthest beyond" if is_late else "Nearest to"
        lines.append(
            f"{where} its deadline is “{tightest.name}”: it responds within "
            f"{show_upper(tightest.response_time_ns)} (modelled), its deadline is "
            f"{show_bound(tightest.deadline_ns)}."
        )
        lines += _breakdown_lines(tightest)
    why = "; ".join(reasons(answer))
    lines += [f"Why not more is proven: {why}."] if why else []
    lines += missing_lines(answer)
    if answer.sensitivity is not None and answer.verdict == SCHEDULABLE:
        first = sensitivity_lines(answer.sensitivity)[0]
        lines.append(f"{first[0].upper()}{first[1:]}.")
    return tuple(lines)


def _breakdown_lines(task: TaskBound) -> list[str]:
    """Say where the time of a busy window goes, the largest part first."""
    if task.breakdown is None or task.window_ns is None:
        return []
    lengths = sorted(((part.of(task.breakdown), part.label) for part in PARTS), reverse=True)
    parts = join_words([f"{label} {show_upper(ns)}" for ns, label in lengths if ns > 0])
    return [f"Its busy window of {show_upper(task.window_ns)} holds {parts}."]


def missing_lines(answer: Answer) -> list[str]:
    """Say which costs nobody measured."""
    return [f"Missing, so nothing is proven: {text}." for text in answer.missing]


def build(answer: Answer, prefix: str) -> Section:
    """Build the section of the bounds against the deadlines.

    Args:
        answer: Of a task set.
        prefix: Starts the ids.
    """
    blocks: list[Block] = [Paragraph(_TEXT, is_explanation=True)]
    figure = _figure(answer, prefix)
    if figure is not None:
        blocks.append(Figures((figure,)))
    blocks.append(_tasks_table(answer))
    if answer.cpus:
        blocks.append(_cpus_table(answer.cpus))
    if answer.partition is not None:
        blocks.append(_partition_table(answer.partition))
    judged = answer.cpus or answer.tasks
    tests = dict.fromkeys((one.test, one.source, one.exact) for one in judged)
    blocks += [
        Paragraph(f"Test: {test}{', exact here' if exact else ''}. Source: {source}.")
        for test, source, exact in tests
    ]
    # As they are: they may begin with the name of a task or of a cost.
    blocks += [Paragraph(f"{note}.", "note") for note in answer.notes]
    return Section(f"{prefix}-bound", BOUND_TITLE, tuple(blocks))


def build_parts(answer: Answer, prefix: str) -> Section | None:
    """Build the section that splits the busy windows; None if there are none."""
    split = [one for one in answer.tasks if one.breakdown is not None]
    if not split:
        return None
    shown = _counted(split)
    head = ("task", "jobs", "jitter", "window", *(part.label for part in shown))
    rows = tuple(
        (
            text_cell(one.name),
            number_cell(show_count(one.jobs)),
            bound_cell(one.jitter_ns),
            bound_cell(one.window_ns),
            *(bound_cell(part.of(one.breakdown)) for part in shown if one.breakdown),
        )
        for one in split
    )
    table = Table("Longest busy windows (modelled)", head, rows)
    blocks = (Paragraph(_PARTS_TEXT, is_explanation=True), table)
    return Section(f"{prefix}-bound-parts", "Where the time goes", blocks)


def build_sensitivity(answer: Answer, prefix: str) -> Section | None:
    """Build the section that says how far another answer is; None: nothing can be varied."""
    found = answer.sensitivity
    if found is None:
        return None
    varied = [(label, factor) for name, label in FACTORS if (factor := factor_of(found, name))]
    # The lines are of the same figures in the same order.
    rows = tuple(
        (text_cell(label), number_cell(factor_words(factor)), text_cell(line))
        for (label, factor), line in zip(varied, sensitivity_lines(found), strict=True)
    )
    head = ("figure", "of what counts", "in words")
    caption = "Factors with which all bounds keep their deadlines (modelled)"
    blocks = (Paragraph(_SPEED_TEXT, is_explanation=True), Table(caption, head, rows))
    return Section(f"{prefix}-sensitivity", "How far another answer is", blocks)


def factor_of(found: Sensitivity, name: str) -> Factor | None:
    """Return a member of `FACTORS`; None: that figure counts nothing."""
    factor: Factor | None = getattr(found, name)
    return factor


def factor_words(factor: Factor) -> str:
    """Write a factor in percent, or that none helps."""
    if factor.factor_ppm is None:
        return "none helps"
    return show_percent(factor.factor_ppm)


def _tightest(tasks: Sequence[TaskBound]) -> TaskBound | None:
    """Find the task that has the least of its deadline left; None: no task has a bound."""
    bounded = [one for one in tasks if one.response_time_ns is not None]
    return max(bounded, key=_used_ratio, default=None)


def _used_ratio(one: TaskBound) -> float:
    return (one.response_time_ns or 0) / one.deadline_ns


def _figure(answer: Answer, prefix: str) -> FigureBlock | None:
    """Draw the tasks that are nearest to their deadlines, in the order of the file."""
    if not any(one.breakdown for one in answer.tasks):
        return None
    nearest = sorted(answer.tasks, key=_nearness)[:_MOST_BARS]
    shown = [one for one in answer.tasks if one in nearest]
    counted = _counted(answer.tasks)
    identity = f"{prefix}-bound-bars"
    left_out = ""
    if len(shown) < len(answer.tasks):
        left_out = f" The {len(shown)} of {len(answer.tasks)} tasks nearest to theirs are shown."
    caption = (
        "Jitter and busy window of each task, stacked against the deadline of the last job in it "
        f"(100 %); modelled.{left_out}"
    )
    return FigureBlock(identity, partial(_draw, shown, counted, identity, caption), caption)


def _draw(
    tasks: Sequence[TaskBound], counted: Sequence[PartOfWindow], identity: str, caption: str
) -> str:
    from laxity.bounds.figure import deadline_bars, task_bar  # noqa: PLC0415 - loads numpy

    return deadline_bars([task_bar(one, counted) for one in tasks], identity, caption)


def _nearness(one: TaskBound) -> tuple[bool, float]:
    return one.response_time_ns is not None, -_used_ratio(one)


def _counted(tasks: Sequence[TaskBound]) -> list[PartOfWindow]:
    """Pick the parts that are something in any window."""
    split = [one.breakdown for one in tasks if one.breakdown is not None]
    return [part for part in PARTS if any(part.of(parts) for parts in split)]


def _is_reached(one: TaskBound) -> bool:
    """Tell whether a job may take as long: under EDF exact is the verdict, not the response."""
    return one.exact and one.priority is not None


def _tasks_table(answer: Answer) -> Table:
    has_reasons = any(one.reason for one in answer.tasks)
    why = ("why not",) if has_reasons else ()
    head = ("task", "verdict", "response", "deadline", "left", "CPU", "priority", *why)
    rows = tuple(
        (
            text_cell(one.name),
            Cell(verdict_words(one.verdict), mark=f"state-{_STATES[one.verdict]}"),
            bound_cell(one.response_time_ns, "exact" if _is_reached(one) else ""),
            bound_cell(one.deadline_ns),
            number_cell(_left(one)),
            number_cell("any" if one.cpu is None else str(one.cpu)),
            number_cell("" if one.priority is None else str(one.priority)),
            *((text_cell(one.reason or ""),) if has_reasons else ()),
        )
        for one in answer.tasks
    )
    return Table("Bounds on response times (modelled)", head, rows)


def _cpus_table(cpus: Sequence[CpuBound]) -> Table:
    has_reasons = any(one.reason for one in cpus)
    why = ("why not",) if has_reasons else ()
    head = ("CPU", "verdict", "utilisation", "interval", "work in it", *why)
    rows = tuple(
        (
            text_cell(format_cpus(one.cpus)),
            Cell(verdict_words(one.verdict), mark=f"state-{_STATES[one.verdict]}"),
            number_cell(show_percent(one.utilisation_ppm)),
            number_cell("none" if one.interval_ns is None else show_bound(one.interval_ns)),
            number_cell("none" if one.demand_ns is None else show_bound(one.demand_ns)),
            *((text_cell(one.reason or ""),) if has_reasons else ()),
        )
        for one in cpus
    )
    caption = "All tasks of a CPU together; an interval with more work than time (modelled)"
    return Table(caption, head, rows)


def _partition_table(partition: Placement) -> Table:
    rows = [
        (text_cell(f"CPU {one.cpu}"), text_cell(", ".join(one.tasks) or "no task"))
        for one in partition.cpus
    ]
    if partition.unplaced:
        rows.append((text_cell("nowhere"), text_cell(", ".join(partition.unplaced))))
    return Table(f"Who was placed where, {partition.fit}", ("place", "tasks"), tuple(rows))


def _left(one: TaskBound) -> str:
    left_ns = _left_ns(one)
    return "not known" if left_ns is None else show_bound(left_ns)


def quantities(answer: Answer, label: str) -> Iterator[Quantity]:
    """Make the quantities of the bounds; n is the fewest samples behind any cost that counts.

    Args:
        answer: Of a task set.
        label: How the report calls the run.
    """
    n = min((one.n for one in answer.costs.entries), default=0)
    note = "bound; zero overheads" if answer.costs.path is None else "bound; costs observed"
    for one in answer.tasks:
        values = (
            ("response_time_bound", one.response_time_ns),
            ("response_time_bound_left", _left_ns(one)),
        )
        for name, value in values:
            yield Quantity(
                name=name, value=value, unit="ns", n=n, kind="modelled", run=label,
                task=one.name, note=note if value is not None else one.reason,
            )  # fmt: skip


def _left_ns(one: TaskBound) -> int | None:
    return None if one.response_time_ns is None else one.deadline_ns - one.response_time_ns
