# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The co-runners: that they ran, how much they did, and at what rate."""

from laxity.model.manifest import CorunnerResult
from laxity.report.blocks import (
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
    text_cell,
)
from laxity.report.run_data import RunData
from laxity.report.sections.common import quantity, scheduling_of, words_of

_EXPLANATION = (
    "A pass is one job of the workload, repeated without pause. Passes before t0 show that the "
    "co-runner ran before the first release; it was stopped after the last job."
)


def build(run: RunData) -> Section:
    """Build the section."""
    corunners = run.manifest.corunners
    identity = f"{run.prefix}-corunners"
    if not corunners:
        text = "None: the task ran alone, as far as this run is concerned."
        return Section(identity, "Co-runners", (Paragraph(text),))
    blocks: list[Block] = [Paragraph(_EXPLANATION)]
    for one in corunners:
        if one.passes == 0:
            text = f"Co-runner {one.index} completed no pass: it may have interfered little."
            blocks.append(Paragraph(text, "warning"))
        if one.end_cause not in {None, "stopped"}:
            detail = "" if one.end_detail in {None, ""} else f" ({one.end_detail})"
            text = f"Co-runner {one.index} did not live to the end: {one.end_cause}{detail}."
            blocks.append(Paragraph(text, "warning"))
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
        number_cell(NOT_MEASURED if rate is None else f"{rate:.4g} passes/s"),
    )


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
