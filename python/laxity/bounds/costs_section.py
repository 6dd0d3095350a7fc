# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The costs behind a bound: which figures count, what is missing, what was left out."""

from collections.abc import Sequence

from laxity.bounds.contention_charge import ContentionCharge
from laxity.bounds.document import Answer
from laxity.bounds.platform_costs import UsedCost
from laxity.bounds.section import missing_lines
from laxity.bounds.wcet_section import pwcet_blocks
from laxity.core.percent import show_percent
from laxity.core.units import format_size_bytes
from laxity.page.blocks import (
    Block,
    Code,
    Folded,
    Paragraph,
    Section,
    Table,
    bound_cell,
    number_cell,
    show_count,
    text_cell,
)

_OBSERVED = (
    "What was measured is observed, not proven: a maximum over n samples bounds nothing that was "
    "not seen. The verdict holds as long as no cost exceeds its figure here."
)
_NONE = "No costs were counted (--costs none): this is the textbook's answer, all overheads zero."
_MEANINGS = (
    ("C, wcet", "processor time that no job exceeds when nothing preempts it; the file states it"),
    ("δ", "half of what a preemption takes without its caches: 2 δ for each job"),
    (
        "\N{GREEK SMALL LETTER GAMMA}",
        "what a preempted task loads again; the job that preempts pays for it",
    ),
    ("contention", "what co-runners on other CPUs make jobs longer (contention, overhead_ratio)"),
    ("blocking", "how long tasks of lower priority may keep it from running; the file states it"),
    ("jitter", "how much later than its release a job becomes ready, timer latency included"),
    (
        "exact",
        "the bound is reached: were it beyond the deadline the task would not be schedulable",
    ),
    ("modelled", "computed from what the file states and from these costs; not measured"),
)
_VERDICTS = {"not_measurable": "not measurable: its noise floor counts"}


def build(answer: Answer, prefix: str) -> Section:
    """Build the section.

    Args:
        answer: Of a task set.
        prefix: Starts its id.
    """
    blocks: list[Block] = [Paragraph(line, "warning") for line in missing_lines(answer)]
    if answer.costs.path is None:
        blocks.append(Paragraph(_NONE))
    else:
        blocks += [Paragraph(_OBSERVED), _table(answer)]
    if answer.contention:
        blocks.append(_contention_table(answer.contention))
    for one in answer.costs.entries:
        if one.pwcet is not None:
            blocks += pwcet_blocks(_whose(one), "one", answer.costs.use or "", one.pwcet)
    blocks += _left_out(answer.not_accounted)
    return Section(f"{prefix}-bound-costs", "Costs that count", tuple(blocks))


def build_method(task_set_text: str, prefix: str) -> Section:
    """Build the section with the words and the task set; its text empty: it cannot be read."""
    rows = tuple((text_cell(name), text_cell(meaning)) for name, meaning in _MEANINGS)
    blocks: list[Block] = [Table("What the words mean", ("word", "meaning"), rows)]
    if task_set_text:
        code = Code(task_set_text.strip(), "taskset.toml")
        blocks.append(Folded("The task set, as it was given", (code,)))
    return Section(f"{prefix}-bound-method", "Words and task set", tuple(blocks))


def _table(answer: Answer) -> Table:
    costs = answer.costs
    head = ("cost", "value", "kind", "n", "verdict", "where")
    rows = tuple(
        (
            text_cell(_whose(one)),
            bound_cell(one.value_ns),
            text_cell(one.kind),
            # A stated cost has no samples.
            number_cell(show_count(one.n) if one.n else "-"),
            text_cell(_VERDICTS.get(one.verdict, one.verdict)),
            text_cell(_where(one), ", ".join(one.runs)),
        )
        for one in costs.entries
    )
    machine = (costs.machine_hash or "not known")[:12]
    caption = (
        f"Figures that count: {costs.use} + {costs.margin}, of {costs.path}, machine {machine}"
    )
    return Table(caption, head, rows)


def _contention_table(charges: Sequence[ContentionCharge]) -> Table:
    head = ("contention of", "value", "of C", "kind", "n, loads", "co-runners", "table")
    rows = tuple(
        (
            text_cell(charge.task),
            bound_cell(charge.contention_ns),
            number_cell(show_percent(charge.overhead_ppm)),
            text_cell(charge.kind),
            number_cell(show_count(charge.loads)),
            text_cell("not regulated" if charge.theta_ppm is None else "regulated"),
            text_cell(charge.table),
        )
        for charge in charges
    )
    return Table("Contention that counts, for each job", head, rows)


def _whose(one: UsedCost) -> str:
    return one.name if one.of is None else f"{one.name} of {one.of}"


def _where(one: UsedCost) -> str:
    words = [] if one.cpu is None else [f"CPU {one.cpu}"]
    words += [] if one.cpu_to is None else [f"to CPU {one.cpu_to}"]
    words += [] if one.case is None else [one.case.replace("_", " ")]
    words += [] if one.evict is None else [f"evicting by {one.evict}"]
    if one.working_set_bytes is not None:
        words.append(f"at {format_size_bytes(one.working_set_bytes)}")
    return ", ".join(words) or "everywhere"


def _left_out(lines: Sequence[str]) -> list[Block]:
    if not lines:
        return []
    rows = tuple((text_cell(line),) for line in lines)
    return [Table("Not accounted for, so the bound does not cover it", ("",), rows)]
