# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What runs of the programs add to their bounds: weights, live bytes along them; other builds."""

from functools import partial

from laxity.page.blocks import (
    Block,
    Cell,
    FigureBlock,
    Figures,
    Folded,
    Kind,
    Paragraph,
    Quantity,
    Section,
    Table,
    number_cell,
    show_count,
    text_cell,
)
from laxity.workingset.changes import Change, changes_of, differences_of
from laxity.workingset.data import Progression, WorkingSetData
from laxity.workingset.document import (
    Against,
    Occurrence,
    ProgramAnswer,
    TracedRun,
    Weight,
    WorkingSetAnswer,
)
from laxity.workingset.figure import progression_figure
from laxity.workingset.occurrence import COLUMNS, share_of_highest
from laxity.workingset.words import KIND, change_words, program_change_words, run_words, share_words

_IDENTITY = "working-set"
_MOST_ROWS = 25
# Of how often sizes occur: no run takes every branch, and nobody says where stated times are from.
_KINDS: dict[Weight, Kind] = {
    "static": KIND,
    "situation": KIND,
    "trace": "measured",
    "time": "modelled",
    "wcet": "modelled",
}
_SHARES_TEXT = (
    "How much of each program lies in the two highest tenths of its range, that is near its worst "
    "case. Counted once per instruction this is the share of places (once per calling situation: "
    "of the places that inlining would make), counted by executions the chance that a preemption "
    "at a random instruction meets such a set, by loop bounds the same in a worst case of control "
    "flow that need not exist."
)
_TENTHS_TEXT = (
    "What the fields of the map are drawn from: the share of each program's instructions, as they "
    "count there, whose working set lies in the first to the last tenth of its range."
)
_PROGRESSION_TEXT = (
    "The line is the bound of the analysis at the instruction that is executed, in its calling "
    "context; the area is what was live in this one run, known afterwards: bytes whose next access "
    "was a read. The gap between both is what the analysis gives away, or what other inputs need. "
    "Memory alone, of objects that exist once; values in registers come on top (Raffeck et al., "
    "figure 7)."
)


def shares_table(answer: WorkingSetAnswer) -> tuple[Block, ...]:
    """Compare the weights; nothing where instructions are counted once alone."""
    weights = list(dict.fromkeys(("static", *answer.weights)))
    has_run = any(one.run is not None for one in answer.programs)
    rows = tuple(
        (
            text_cell(one.program),
            *(number_cell(share_words(one, weight)) for weight in weights),
            number_cell(show_count(one.instructions)),
            *((number_cell(_executed(one.run)),) if has_run else ()),
        )
        for one in answer.programs
        if one.occurrences
    )
    if len(weights) == 1 or not rows:
        return ()
    head = ("program", *weights, "instructions", *(("executed",) if has_run else ()))
    measured = ", executions measured in one run" if has_run else ""
    title = f"Share in the two highest tenths of its range, by weight (sizes {KIND}{measured})"
    return (Paragraph(_SHARES_TEXT, is_explanation=True), Table(title, head, rows))


def tenths_table(answer: WorkingSetAnswer) -> tuple[Block, ...]:
    """List the figures behind the maps: shares in percent, a row per program and weight."""
    rows = tuple(
        (
            text_cell(one.program),
            text_cell(found.weight),
            *(number_cell(f"{100 * count / sum(found.counts):.1f}") for count in found.counts),
            number_cell(show_count(round(sum(found.counts)))),
        )
        for one in answer.programs
        for found in one.occurrences
        if found.weight in answer.weights and found.counts and sum(found.counts)
    )
    if not rows:
        return ()
    head = ("program", "weight", *(str(tenth + 1) for tenth in range(COLUMNS)), "counted")
    title = f"Share of each tenth in percent, of what is counted (sizes {KIND})"
    return (Folded("The figures of the map", (Paragraph(_TENTHS_TEXT), Table(title, head, rows))),)


def share_quantities(run: str, answer: WorkingSetAnswer) -> tuple[Quantity, ...]:
    """Name those shares for derived.json."""
    return tuple(
        _share_quantity(run, one, found) for one in answer.programs for found in one.occurrences
    )


def _share_quantity(run: str, one: ProgramAnswer, found: Occurrence) -> Quantity:
    share = None if found.counts is None else share_of_highest(found.counts)
    n = one.instructions
    if found.weight == "trace":
        n = one.run.executed if one.run is not None else None
    if found.weight == "situation" and found.counts is not None:
        n = round(sum(found.counts))
    return Quantity(
        name=f"near_worst_{found.weight}_{one.program}",
        value=share,
        unit="ratio",
        n=n or 0,
        kind=_KINDS[found.weight],
        run=run,
        note=found.reason,
    )


def runs_section(answer: WorkingSetAnswer) -> Section | None:
    """List what was executed for the figures, and what could not be."""
    ran = [(one.program, one.run) for one in answer.programs if one.run is not None]
    if not ran:
        return None
    rows = tuple(
        (
            text_cell(program),
            number_cell(_executed(run)),
            text_cell(f"not run: {run.reason}" if run.reason else run_words(run)),
        )
        for program, run in ran
    )
    text = (
        "Each program was run once, instrumented, in a directory of its own; its outputs are not "
        "kept. Phis count as no instruction. Where a job is analysed, what is around the jobs "
        "counts as far as it is analysed: initialisation, hooks and teardown, but not main."
    )
    table = Table("Runs (measured, n = 1 each)", ("program", "executed", "run"), rows)
    runs = table if len(rows) <= _MOST_ROWS else Folded(f"{len(rows)} programs", (table,))
    blocks = (Paragraph(text, is_explanation=True), runs)
    return Section(f"{_IDENTITY}-runs", "Runs", blocks)


def progression_section(data: WorkingSetData) -> Section | None:
    """Draw live bytes along runs."""
    lacking = [
        Paragraph(f"{one.program}: no progression: {one.run.progression_reason}", "note")
        for one in data.answer.programs
        if one.run is not None and one.run.progression_reason
    ]
    if not data.progressions and not lacking:
        return None
    figures = tuple(
        _figure(number, one, data.answer) for number, one in enumerate(data.progressions)
    )
    blocks: list[Block] = []
    if figures:
        blocks += [Paragraph(_PROGRESSION_TEXT, is_explanation=True), Figures(figures)]
    return Section(f"{_IDENTITY}-progression", "Live bytes along a run", (*blocks, *lacking))


def _figure(number: int, one: Progression, answer: WorkingSetAnswer) -> FigureBlock:
    identity = f"{_IDENTITY}-progression-{number}"
    caption = (
        f"{one.program}, form {answer.form}: bound ({KIND}) and what was live (measured, one run); "
        f"n = {show_count(one.executed)} executed instructions, in {show_count(len(one.first))} "
        "stretches of one length; shown is the most of each."
    )
    return FigureBlock(identity, partial(progression_figure, one, identity, caption), caption)


def against_section(answer: WorkingSetAnswer) -> Section | None:
    """Compare with the other build as it was when this run was made."""
    old = answer.against
    if old is None:
        return None
    blocks: list[Block] = [Paragraph(f"Compared with run {old.run} ({old.path}).")]
    blocks += [
        Paragraph(f"The builds differ in {what}: {was} there, {is_now} here.", "note")
        for what, was, is_now in differences_of(old, answer)
    ]
    head = ("program", "median", "max", "resident")
    rows = tuple(_change_row(one) for one in changes_of(old, answer))
    blocks.append(Table(f"Live working sets, there to here ({KIND})", head, rows))
    blocks += _function_changes(old)
    return Section(f"{_IDENTITY}-against", "Against another build", tuple(blocks))


def _change_row(one: Change) -> tuple[Cell, ...]:
    if one.old is None or one.new is None:
        where = "only here" if one.old is None else "only there"
        return (text_cell(one.program), *(text_cell(where) for _ in range(3)))
    if one.old.live is None or one.new.live is None:
        return (text_cell(one.program), *(text_cell("no answer on both sides") for _ in range(3)))
    return (
        text_cell(one.program),
        *(number_cell(words) for words in program_change_words(one.old, one.new)),
    )


def _function_changes(old: Against) -> list[Block]:
    if old.functions is None:
        return [Paragraph("Functions are not compared: a table of one run is missing.", "note")]
    if not old.functions:
        return [Paragraph("No function that both builds have has another largest set.")]
    shown = old.functions[:_MOST_ROWS]
    rows = tuple(
        (
            text_cell(one.program),
            text_cell(one.function),
            number_cell(change_words(one.old_bits, one.new_bits)),
        )
        for one in shown
    )
    title = (
        f"Functions whose largest set differs, {show_count(len(shown))} of "
        f"{show_count(len(old.functions))}, the largest change first ({KIND})"
    )
    return [Table(title, ("program", "function", "max"), rows, is_ranking=True)]


def _executed(run: TracedRun | None) -> str:
    return "not run" if run is None or run.executed is None else show_count(run.executed)
