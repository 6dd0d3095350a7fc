# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What is said of a reproduction: a table per exhibit, the paper's value beside ours, and why."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from laxity.page.blocks import (
    Block,
    Cell,
    FigureBlock,
    Figures,
    Paragraph,
    Section,
    Table,
    count_noun,
    number_cell,
    text_cell,
)
from laxity.papers.paper import Drawing, Exhibit, experiments_of, paper_of
from laxity.papers.result import ReproducedRow, Reproduction, read_reproduction
from laxity.store.run_directory import Run

_HEAD = ("what", "paper", "ours", "difference", "paper's is", "ours is")
_VERDICTS = {None: "-", True: "as it says", False: "not as it says"}
_NO_VALUE = "no value"
_PERCENT = "%"
_CLOSE = 0.05
# A word of the paper's value, and what the paper did.
_BASES = {"measured": "the paper measured", "reasoned": "it has by reasoning"}
_DECIMALS = {
    **dict.fromkeys(("lines", "migrations", "programs", "clusters", "cycles", "peaks", "MB/s"), 0),
    **dict.fromkeys(("phases", "jobs"), 0),
    **dict.fromkeys(("ms", "us", "times", "misses", "% of instructions"), 2),
}
# A number of those that there are: "of 5".
_COUNTED = "of "
_KINDS = (
    "A value is “input” if the platform file has it, from the paper or another source. A value is "
    "“fitted” if a value of the platform file, or the size of a task, was chosen for it, or if it "
    "is a sum with such a part. Only “predicted” values say something of the model, and most where "
    "the paper measured; “reasoned” values it has by a formula or takes for granted."
)


def sections(run: Run) -> tuple[Section, ...]:
    """Build a section for each exhibit whose runs are whole.

    Raises:
        RecordError: reproduction.json or a run within is missing or damaged.
    """
    document = read_reproduction(run.path)
    paper = paper_of(document.paper, document.preset)
    found = paper.read({child.path.name: child for child in run.children})
    return tuple(
        Section(exhibit.name, exhibit.title, tuple(_blocks(exhibit, rows, found)))
        for exhibit in paper.named(document.figures)
        if (rows := [row for row in document.rows if row.figure == exhibit.name])
    )


def sentences(document: Reproduction) -> tuple[str, ...]:
    """Say how near the predicted values are to the paper's."""
    if not document.rows:
        return ("No experiment came to its end.",)
    predicted = [row for row in document.rows if row.kind == "predicted" and row.paper is not None]
    told = [
        f"{len(of_basis)} of what {words} ({sum(map(_is_near, of_basis))} of them within "
        f"{100 * _CLOSE:.0f} %)"
        for basis, words in _BASES.items()
        if (of_basis := [row for row in predicted if row.basis == basis])
    ]
    kinds = _kinds(paper_of(document.paper, document.preset).named(document.figures))
    n_all = f"{count_noun(len(document.rows), 'value')} ({kinds})"
    first = (
        f"Of {n_all} these are predictions: {' and '.join(told)}."
        if told
        else f"Of {n_all} none is a prediction that the paper has a value for."
    )
    return (first, *_of_words(document))


def _of_words(document: Reproduction) -> tuple[str, ...]:
    """Say how many predictions are as the paper says where it has words alone."""
    judged = [row for row in document.rows if row.kind == "predicted" and row.agrees is not None]
    if not judged:
        return ()
    n_agree = sum(row.agrees is True for row in judged)
    n_all = count_noun(len(judged), "prediction")
    return (f"Of {n_all} where the paper has words alone {n_agree} are as it says.",)


def _kinds(exhibits: Sequence[Exhibit]) -> str:
    """Say of which kinds our figures are."""
    return ", ".join(dict.fromkeys(one.kind for one in experiments_of(tuple(exhibits))))


def _is_near(row: ReproducedRow) -> bool:
    """Of percentages the difference is in points."""
    if row.paper is None:
        return False
    apart = abs(row.ours - row.paper)
    return apart <= (100 * _CLOSE if row.unit == _PERCENT else _CLOSE * row.paper)


def _blocks(exhibit: Exhibit, rows: Sequence[ReproducedRow], found: object) -> Iterator[Block]:
    where = "; ".join(dict.fromkeys(one.where for one in exhibit.experiments))
    name = exhibit.title.partition(":")[0]
    yield Table(f"{name} ({_kinds([exhibit])}: {where})", _HEAD, tuple(map(_row, rows)))
    for note in exhibit.notes:
        yield Paragraph(note, is_explanation=True)
    if exhibit.drawings:
        yield Figures(tuple(_figure(one, found) for one in exhibit.drawings))


def _figure(one: Drawing, found: object) -> FigureBlock:
    draw: Callable[[], str] = partial(one.draw, found, one.identity, one.caption)
    return FigureBlock(one.identity, draw, one.caption)


def _row(row: ReproducedRow) -> tuple[Cell, ...]:
    return (
        text_cell(row.what, row.reason),
        _paper_cell(row),
        number_cell(_value(row.ours, row.unit)),
        number_cell(_difference(row)),
        text_cell("-" if row.paper is None else row.basis),
        text_cell(row.kind),
    )


def _paper_cell(row: ReproducedRow) -> Cell:
    if row.paper is None:
        return text_cell(row.said) if row.said else number_cell(_NO_VALUE)
    return number_cell(_value(row.paper, row.unit))


def _value(value: float, unit: str) -> str:
    decimals = 0 if unit.startswith(_COUNTED) else _DECIMALS.get(unit, 1)
    return f"{value:.{decimals}f} {unit}"


def _difference(row: ReproducedRow) -> str:
    if row.paper is None:
        return _VERDICTS[row.agrees]
    if row.unit.startswith(_PERCENT):
        return _signed(row.ours - row.paper, _DECIMALS.get(row.unit, 1), "points")
    return _signed(100 * (row.ours - row.paper) / row.paper, 1, _PERCENT)


def _signed(value: float, decimals: int, unit: str) -> str:
    text = f"{value:+.{decimals}f} {unit}"
    # What rounds to nothing has no sign.
    return text[1:] if not float(f"{value:.{decimals}f}") else text.replace("-", "\N{MINUS SIGN}")


def overview(document: Reproduction) -> tuple[Block, ...]:
    """Say what a reproduction is of, and what its words mean; before the tables."""
    paper = paper_of(document.paper, document.preset)
    return (
        Paragraph(f"{paper.reference} {paper.summary}", is_explanation=True),
        *(Paragraph(sentence) for sentence in sentences(document)),
        Paragraph(_KINDS, is_explanation=True),
        Paragraph(paper.missing, is_explanation=True),
        Paragraph(f"“{paper.command}” makes all of this.", is_explanation=True),
    )
