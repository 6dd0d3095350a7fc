# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""C of tasks that runs measured (`wcet_from`), and what a pWCET rests on."""

from laxity.bounds.document import Answer
from laxity.bounds.platform_costs import USE_PWCET
from laxity.page.blocks import (
    Block,
    Paragraph,
    Section,
    Table,
    bound_cell,
    number_cell,
    show_bound,
    show_count,
    text_cell,
)
from laxity.statistics.wcet_model import Pwcet

_DECIDED_BY = {
    "pareto": "the fitted tail decides",
    "exponential": "an exponential tail decides",
    "max": "the largest sample decides",
}


def build(answer: Answer, prefix: str) -> Section | None:
    """Build the section; None: the file states every C.

    Args:
        answer: Of a task set.
        prefix: Starts its id.
    """
    if not answer.wcet_from:
        return None
    rows = tuple(
        (
            text_cell(one.task),
            bound_cell(one.wcet_ns),
            text_cell(one.use),
            text_cell(one.kind),
            number_cell(show_count(one.n)),
            bound_cell(one.max_ns),
            text_cell(one.run),
            text_cell(one.run_task),
        )
        for one in answer.wcet_from
    )
    head = ("task", "wcet", "use", "kind", "n", "longest", "run", "its task")
    blocks: list[Block] = [Table("C of runs: observed, not proven", head, rows)]
    for one in answer.wcet_from:
        if one.pwcet is not None:
            blocks += pwcet_blocks(one.task, "a job", one.use, one.pwcet)
    return Section(f"{prefix}-bound-wcet", "Execution times of runs", tuple(blocks))


def pwcet_blocks(of: str, event: str, use: str, found: Pwcet) -> list[Block]:
    """Say what a pWCET rests on.

    Args:
        of: Task or cost.
        event: What exceeds it: a job.
        use: As the option writes it: pwcet:1e-9.
        found: The pWCET.
    """
    probability = use.removeprefix(USE_PWCET)
    return [
        Paragraph(
            f"pWCET of {of}: {event} exceeds {show_bound(found.bound_ns)} with probability "
            f"{probability} at most; {100 * found.confidence:.0f} % confidence, "
            f"n = {show_count(found.n)}."
        ),
        Paragraph(
            f"It rests on {found.method}; {_DECIDED_BY[found.decided_by]} "
            f"({show_count(found.n_decided)} above its threshold). Lowest threshold "
            f"{show_bound(found.threshold_ns)}, {show_count(found.n_above)} above it; shape "
            f"{found.shape:.3f}, 95 % interval {found.shape_low:.3f} to {found.shape_high:.3f}. "
            f"{len(found.gates)} gates passed: {', '.join(gate.name for gate in found.gates)}."
        ),
    ]
