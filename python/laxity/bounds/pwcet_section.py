# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""pWCET of each task: the bound or why there is none, every gate, and what a reader looks at."""

from functools import partial

from laxity.bounds.measured_wcet import execution_times
from laxity.bounds.pwcet_figure import draw_quantiles, draw_thresholds
from laxity.errors import NoVerdict
from laxity.jobs.run_data import RunData, TaskData
from laxity.jobs.section_parts import per_task
from laxity.page.blocks import (
    Block,
    Cell,
    FigureBlock,
    Figures,
    Paragraph,
    Quantity,
    Section,
    Table,
    number_cell,
    show_count,
    show_duration,
    text_cell,
)
from laxity.statistics.pwcet import bound_pwcet
from laxity.statistics.tail_view import TailView, view_tail
from laxity.statistics.wcet_model import Gate, NoPwcet, Pwcet

_INTRODUCTION = (
    "How long a job takes that is rarer than all that were measured: extrapolated by extreme value "
    "theory, bounded from above, and only where every gate is open. It holds for jobs like these; "
    "no statistics sees an input that never came. Processor times count as they were read."
)
_DECIDED_BY = {
    "pareto": "the fitted tail decides",
    "exponential": "an exponential tail, the lightest that is allowed, decides",
    "max": "the longest job decides",
}


def build(run: RunData, exceedance: float) -> Section | None:
    """Build the section; None for a run without tasks.

    Args:
        run: Any run.
        exceedance: Probability that one job takes longer, at most.
    """
    if not run.tasks:
        return None

    def one_task(task: TaskData) -> tuple[list[Block], list[Quantity]]:
        return _task_blocks(run, task, exceedance)

    blocks, quantities = per_task(run, one_task)
    return Section(f"{run.prefix}-pwcet", "pWCET", (Paragraph(_INTRODUCTION), *blocks), quantities)


def _task_blocks(
    run: RunData, task: TaskData, exceedance: float
) -> tuple[list[Block], list[Quantity]]:
    try:
        times = execution_times(task.rows, task.result)
    except NoVerdict as reason:
        return [Paragraph(f"No pWCET: {reason}.", "warning")], []
    found = bound_pwcet(times.samples_ns, exceedance)
    blocks: list[Block] = [_verdict(found)]
    blocks += [Paragraph(f"Not known: {note}.", "note") for note in times.notes]
    if found.gates:
        blocks.append(_gate_table(found.gates, found.n))
    view = view_tail(times.samples_ns)
    if view is not None and view.thresholds:
        blocks.append(_figures(run, task, view))
    return blocks, [_quantity(run, task, found)]


def _verdict(found: Pwcet | NoPwcet) -> Paragraph:
    n = show_count(found.n)
    if isinstance(found, NoPwcet):
        return Paragraph(f"No pWCET of n = {n} jobs: {found.reason}.", "warning")
    return Paragraph(
        f"A job exceeds {show_duration(found.bound_ns)} with probability {found.exceedance:g} at "
        f"most ({100 * found.confidence:g} % confidence, n = {n} jobs, modelled; observed, not "
        f"proven). Method: {found.method}; {_DECIDED_BY[found.decided_by]} "
        f"({show_count(found.n_decided)} jobs above its threshold). Lowest threshold "
        f"{show_duration(found.threshold_ns)}, {show_count(found.n_above)} jobs above it; shape "
        f"{_figure(found.shape)}, 95 % interval {_figure(found.shape_low)} to "
        f"{_figure(found.shape_high)}. "
        f"Longest job {show_duration(found.max_ns)}."
    )


def _gate_table(gates: tuple[Gate, ...], n: int) -> Table:
    head = ("gate", "what must hold", "statistic", "p", "limit", "")
    return Table(
        f"Gates, n = {show_count(n)} jobs, measured", head, tuple(_gate_row(one) for one in gates)
    )


def _gate_row(gate: Gate) -> tuple[Cell, ...]:
    p_value = "" if gate.p_value is None else f"{gate.p_value:.2g}"
    return (
        text_cell(gate.name),
        text_cell(gate.asks),
        number_cell(_figure(gate.statistic)),
        number_cell(p_value),
        number_cell(f"{gate.level:.2g}"),
        text_cell("open" if gate.is_open else "closed"),
    )


def _figure(value: float) -> str:
    return f"{value:.3g}".replace("-", "\N{MINUS SIGN}")


def _figures(run: RunData, task: TaskData, view: TailView) -> Figures:
    prefix = f"{run.prefix}-t{task.result.index}-pwcet"
    facts = f"n = {show_count(view.observed_ns.size)} jobs above the threshold, {run.kind}"
    quantiles = f"Tail of task {task.result.name} against its fit, {facts}."
    thresholds = (
        f"Shape of the tail of task {task.result.name} above other thresholds. Above 0, the dashed "
        f"line, it is heavier than exponential. n = {show_count(view.thresholds[-1].n)} to "
        f"{show_count(view.thresholds[0].n)} jobs, {run.kind}."
    )
    return Figures(
        (
            FigureBlock(
                f"{prefix}-quantiles",
                partial(draw_quantiles, view, f"{prefix}-quantiles", quantiles),
                quantiles,
            ),
            FigureBlock(
                f"{prefix}-thresholds",
                partial(draw_thresholds, view, f"{prefix}-thresholds", thresholds),
                thresholds,
            ),
        )
    )


def _quantity(run: RunData, task: TaskData, found: Pwcet | NoPwcet) -> Quantity:
    value, note = None, f"exceedance {found.exceedance:g}"
    if isinstance(found, NoPwcet):
        note += f": {found.reason}"
    else:
        value = found.bound_ns
        note += f", {100 * found.confidence:.0f} % confidence"
    return Quantity(
        name="pwcet",
        value=value,
        unit="ns",
        n=found.n,
        kind="modelled",
        run=run.label,
        task=task.result.name,
        note=note,
    )
