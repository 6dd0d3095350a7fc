# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Live working sets: heat map, programs, what is largest, what the limits are."""

from collections.abc import Sequence
from functools import partial

from laxity.core.units import format_duration_ns
from laxity.jobs.run_data import PageData
from laxity.page.blocks import (
    NOT_MEASURED,
    Block,
    Cell,
    FigureBlock,
    Figures,
    Folded,
    Links,
    Paragraph,
    Quantity,
    Section,
    Table,
    Tone,
    count_noun,
    join_words,
    number_cell,
    show_count,
    text_cell,
)
from laxity.workingset import points_section as migration_points
from laxity.workingset.annotated import page_name
from laxity.workingset.data import WorkingSetData
from laxity.workingset.document import (
    CLASSES,
    Occurrence,
    ProgramAnswer,
    Weight,
    WorkingSetAnswer,
)
from laxity.workingset.figure import heat_map
from laxity.workingset.runs_section import (
    against_section,
    progression_section,
    runs_section,
    share_quantities,
    shares_table,
    tenths_table,
)
from laxity.workingset.tables import Table as Rows
from laxity.workingset.words import (
    KIND,
    limit_words,
    place_words,
    remarks_of,
    row_name,
    show_bits,
    size_words,
    violation_words,
)

_IDENTITY = "working-set"
_MOST_ROWS = 25
_WHOLE_PERCENT = 100
_WEIGHTS = {
    "static": "each instruction counts once",
    "situation": "each instruction counts once per calling situation of its function, as if each "
    "situation had a body of its own",
    "trace": "each instruction counts as often as it was executed in one run",
    "time": "each instruction counts by its share of the time that is stated for its block",
    "wcet": "each instruction counts as often as the stated loop bounds allow, every branch taken",
}
_HEAT_TEXT = (
    "Each row is one program. A column is a tenth of the range between its smallest and largest "
    "working set; the fuller its colour, the more of the program's instructions have a working set "
    "in it. So a program with colour at the right is near its worst case wherever it is "
    "interrupted, and one with colour at the left has places where it moves cheaply (Raffeck et "
    "al., figure 6)."
)
_CLASS_TEXT = (
    "The largest of each class, each wherever it is: they need not be at one instruction. Volatile "
    "objects are in the sums; where they are registers of devices they do not move."
)
_MEANINGS = (
    ("live working set", "bits that may still be read before they are written or die, and that may "
     "have been written: what must move if the task migrates just before an instruction"),
    ("resident", "bits of all that is allocated, whether it is read again or not; values in "
     "registers come on top"),
    ("min, median, max", "over the instructions that can be reached; of each the most over all "
     "calling contexts"),
    ("exact", "no calling contexts were joined; reads are over- and overwriting is "
     "underestimated, so a size may still be too large, never too small"),
    ("merged", "calling contexts were joined where they are too many: sizes are too large at most"),
    ("unbounded", "something is live as often as a recursion is deep or a heap holds"),
    ("proven", "computed for every path and input, undefined behaviour excluded"),
)  # fmt: skip


def sections(page: PageData, data: WorkingSetData) -> tuple[Section, ...]:
    """Build the sections of a run."""
    run = page.manifest.name
    found = [
        _heat(run, data.answer),
        progression_section(data),
        _programs(run, data),
        *_answers(data.answer),
        _annotated(data),
        _tables(data),
        _method(),
    ]
    return tuple(one for one in found if one is not None)


def blocks_of(answer: WorkingSetAnswer) -> list[Block]:
    """Return what the answer alone can tell, sizes first; it need not be stored."""
    data = WorkingSetData(answer, functions=None, objects=None, sources=())
    sizes = (_programs("", data), _heat("", answer), progression_section(data))
    found = (*sizes, *_answers(answer))
    return [block for one in found if one is not None for block in one.blocks]


def _answers(answer: WorkingSetAnswer) -> tuple[Section | None, ...]:
    """Build what was asked for beside sizes."""
    return (
        _limit(answer),
        migration_points.section(answer.programs),
        against_section(answer),
        runs_section(answer),
    )


def _heat(run: str, answer: WorkingSetAnswer) -> Section | None:
    figures = tuple(
        figure for weight in answer.weights if (figure := _heat_figure(answer, weight)) is not None
    )
    lacking = [
        (one.program, found)
        for one in answer.programs
        for found in one.occurrences
        if found.reason and found.weight in answer.weights
    ]
    if not figures and not lacking:
        return None
    blocks: list[Block] = [Paragraph(_HEAT_TEXT, is_explanation=True)]
    if figures:
        blocks.append(Figures(figures))
    blocks += tenths_table(answer)
    blocks += shares_table(answer)
    if lacking:
        blocks.append(_lacking(lacking))
    blocks += _bounds_that_do_not_fit(answer)
    return Section(
        f"{_IDENTITY}-distribution",
        "Working sets over each program",
        tuple(blocks),
        share_quantities(run, answer),
    )


def _heat_figure(answer: WorkingSetAnswer, weight: Weight) -> FigureBlock | None:
    rows = [
        (one, found.counts)
        for one in answer.programs
        for found in one.occurrences
        if found.weight == weight and found.counts is not None
    ]
    if not rows:
        return None
    counted = {one.program: counts for one, counts in rows}
    n = sum(one.instructions or 0 for one, _ in rows)
    executed = ""
    if weight == "trace":
        n_executed = sum(one.run.executed or 0 for one, _ in rows if one.run is not None)
        executed = f", executed {show_count(n_executed)} times (measured)"
    if weight == "situation":
        n_counted = round(sum(sum(counts) for _, counts in rows))
        executed = f", counted {show_count(n_counted)} times in all"
    caption = (
        f"Live working sets of {count_noun(len(rows), 'program')}, form {answer.form}; "
        f"{_WEIGHTS[weight]}; n = {show_count(n)} instructions{executed}, {KIND}. Both the sizes "
        "and how often they occur are normalised for each row."
    )
    if any(_has_row(answer, one) and one.program not in counted for one in answer.programs):
        caption += " A row with a line through it has no such weights; the table below says why."
    identity = f"{_IDENTITY}-heat-{weight}"
    # Each map has a row of every program that any of them has, so that they can stand side by side.
    names = [
        (row_name(one), counted.get(one.program))
        for one in answer.programs
        if _has_row(answer, one)
    ]
    return FigureBlock(identity, partial(heat_map, names, identity, caption), caption)


def _has_row(answer: WorkingSetAnswer, one: ProgramAnswer) -> bool:
    """Tell whether any map of the answer has a row of the program."""
    return any(
        found.weight in answer.weights and found.counts is not None for found in one.occurrences
    )


def _lacking(lacking: Sequence[tuple[str, Occurrence]]) -> Block:
    weights: dict[tuple[str, str | None], list[str]] = {}
    for program, found in lacking:
        weights.setdefault((program, found.reason), []).append(found.weight)
    rows = tuple(
        (text_cell(program), text_cell(join_words(kinds)), text_cell(reason))
        for (program, reason), kinds in weights.items()
    )
    title = "Programs without a row in the heat map"
    return Table(title, ("program", "weight", "why"), rows)


def _bounds_that_do_not_fit(answer: WorkingSetAnswer) -> list[Block]:
    """List them, whether a map has a row of the program, by larger bounds, or none."""
    gaps = tuple(
        (text_cell(one.program), text_cell(f"{gap.file}:{gap.line}"), text_cell(gap.what))
        for one in answer.programs
        for found in one.occurrences
        if found.weight in answer.weights
        for gap in found.gaps
    )
    if not gaps:
        return []
    table = Table("Loop bounds that do not fit", ("program", "place", "what"), gaps)
    return [Folded("Loops and bounds that do not fit", (table,))]


def _programs(run: str, data: WorkingSetData) -> Section:
    found = [one for one in data.answer.programs if one.live is not None]
    blocks: list[Block] = [Paragraph(problem, "warning") for problem in data.problems]
    if found:
        head = ("program", "instructions", "min", "median", "max", "resident", "status", "process")
        rows = tuple(_program_row(one) for one in found)
        title = (
            f"Live working sets ({KIND}): of each instruction that can be reached the most in any "
            "calling context, n = instructions"
        )
        blocks.append(Table(title, head, rows))
        where = f"Instruction at which most is live ({KIND}), by program"
        largest = tuple(
            (text_cell(one.program), number_cell(size_words(one)[2]),
             text_cell(place_words(one.largest)))
            for one in found if one.largest is not None
        )  # fmt: skip
        blocks.append(
            Folded("Where most is live", (Table(where, ("program", "max", "where"), largest),))
        )
        blocks.append(Folded("By storage class", (Paragraph(_CLASS_TEXT), _classes(found))))
        blocks += _without_bound(found)
    blocks += [Paragraph(text, "note") for text in remarks_of(found)]
    if data.answer.left_out:
        left = tuple((text_cell(one.path), text_cell(one.reason)) for one in data.answer.left_out)
        blocks.append(Table("Not analysed", ("what", "why"), left))
    quantities = tuple(one for program in found for one in _quantities(run, program))
    return Section(f"{_IDENTITY}-programs", "Programs", tuple(blocks), quantities)


def _program_row(one: ProgramAnswer) -> tuple[Cell, ...]:
    took = NOT_MEASURED if one.process_ns is None else format_duration_ns(one.process_ns)
    return (
        text_cell(one.program),
        number_cell(show_count(one.instructions)),
        *(number_cell(words) for words in size_words(one)),
        text_cell(one.status),
        number_cell(took),
    )


def _without_bound(found: Sequence[ProgramAnswer]) -> list[Block]:
    """List what has no bound, which is in no size."""
    rows = [
        (text_cell(one.program), text_cell(name), text_cell("size or number not known"))
        for one in found
        for name in one.unbounded_objects
    ] + [
        (text_cell(one.program), text_cell(join_words(names)), text_cell("recursion"))
        for one in found
        for names in one.unbounded_recursions
    ]
    if not rows:
        return []
    table = Table("Without a bound, in no size", ("program", "what", "why"), tuple(rows))
    return [Folded(f"What has no bound ({show_count(len(rows))})", (table,))]


def _classes(found: Sequence[ProgramAnswer]) -> Table:
    rows = tuple(
        (
            text_cell(one.program),
            *(number_cell(show_bits(one.classes.get(name))) for name in CLASSES),
        )
        for one in found
    )
    return Table(f"Largest of each storage class ({KIND})", ("program", *CLASSES), rows)


def _limit(answer: WorkingSetAnswer) -> Section | None:
    limit = answer.limit
    if limit is None:
        return None
    tone: Tone = "warning" if limit.undecided else "plain"
    blocks: list[Block] = [Paragraph(text, tone) for text in limit_words(answer)]
    if limit.instructions:
        shown = limit.violations[:_MOST_ROWS]
        rows = tuple(
            (text_cell(one.program), number_cell(violation_words(one)),
             text_cell(place_words(one.place)))
            for one in shown
        )  # fmt: skip
        title = (
            f"Above the limit, the largest of each source line, {show_count(len(shown))} of "
            f"{show_count(len(limit.violations))} ({KIND})"
        )
        blocks.append(Table(title, ("program", "live", "where"), rows, is_ranking=True))
    return Section(f"{_IDENTITY}-limit", "Limit", tuple(blocks))


def _annotated(data: WorkingSetData) -> Section | None:
    pages = {one.program: page_name(one.program) for one in data.sources if one.text is not None}
    if not pages:
        return None
    text = (
        "Each source line beside the most that is live at any of its instructions. Sources that "
        "have changed since, or are gone, are left out."
    )
    links = Links("Pages:", tuple(pages.items()))
    return Section(f"{_IDENTITY}-source", "Annotated source", (Paragraph(text), links))


def _tables(data: WorkingSetData) -> Section | None:
    blocks: list[Block] = []
    for title, rows, key in (
        ("Functions", data.functions, "most_bits"),
        ("Objects", data.objects, "size_bytes"),
    ):
        if rows is not None and len(rows):
            blocks.append(Folded(f"{title}, the largest first", (_table_of(title, rows, key),)))
    if not blocks:
        return None
    text = "The files functions.csv and objects.csv of the run hold all of them."
    return Section(f"{_IDENTITY}-tables", "Functions and objects", (Paragraph(text), *blocks))


def _table_of(title: str, rows: Rows, key: str) -> Table:
    names = [name for name in rows.columns if rows.columns[name].count()]
    numbers = {name for name in names if rows.columns[name].dtype.kind in "iuf"}
    order = list(range(len(rows)))
    if key in rows.columns:
        sizes = rows.bits(key)
        order = sorted(order, key=lambda number: -sizes[number])
    shown = [rows.row(number) for number in order[:_MOST_ROWS]]
    cells = tuple(
        tuple(_cell(name, row[name], is_number=name in numbers) for name in names) for row in shown
    )
    bare = [name.removesuffix("_bits").removesuffix("_ratio") for name in names]
    heads = tuple(name.replace("_", " ") for name in bare)
    caption = f"{title}, {show_count(len(shown))} of {show_count(len(rows))} ({KIND})"
    return Table(caption, heads, cells)


def _cell(name: str, value: object, *, is_number: bool) -> Cell:
    if value is None:
        return Cell("", is_number=is_number)
    if name.endswith("_ratio"):
        return number_cell(f"{_WHOLE_PERCENT * float(str(value)):.3g} %")
    if is_number:
        number = int(str(value))
        is_size = name == "bits" or name.endswith("_bits")
        return number_cell(show_bits(number) if is_size else show_count(number))
    return text_cell(str(value))


def _method() -> Section:
    rows = tuple((text_cell(word), text_cell(meaning)) for word, meaning in _MEANINGS)
    table = Table("What the words mean; docs/working-set.md", ("word", "meaning"), rows)
    return Section(f"{_IDENTITY}-method", "Method and limits", (table,))


def _quantities(run: str, one: ProgramAnswer) -> list[Quantity]:
    """Name the figures of a program for derived.json; None: unbounded."""
    live, bounded = one.live, one.bounded
    values = {
        "live_min": live.min if live else None,
        "live_median": live.median if live else None,
        "live_max": live.max if live else None,
        "resident": one.resident_bits,
    }
    if one.unbounded and bounded is not None:
        values |= {
            "bounded_min": bounded.min,
            "bounded_median": bounded.median,
            "bounded_max": bounded.max,
        }
    return [
        Quantity(
            name=f"{name}_{one.program}",
            value=value,
            unit="bit",
            n=one.instructions or 0,
            kind=KIND,
            run=run,
            note="unbounded" if value is None else None,
        )
        for name, value in values.items()
    ]
