# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The report page of a run of `laxity workingset`."""

from collections.abc import Iterator
from functools import partial

from laxity.jobs.card import Badge, Card, Tile
from laxity.jobs.page import Beside, Page, page_of_one, whole
from laxity.jobs.sections import files, reproduce
from laxity.page.blocks import count_noun, join_words, show_count
from laxity.store.run_directory import Run
from laxity.workingset import section as working_set
from laxity.workingset.annotated import annotated_files, page_name
from laxity.workingset.data import WorkingSetData, read_working_set
from laxity.workingset.document import ProgramAnswer, WorkingSetAnswer
from laxity.workingset.words import KIND, limit_words, setting_words, show_bits, size_words

_MOST_NAMED = 5


def page_of(run: Run, _exceedance: float | None) -> Page:
    """Build the page, and the annotated sources of each program beside it.

    Raises:
        RecordError: The answer is missing or damaged.
    """
    data = read_working_set(run)
    page = page_of_one(run)
    sections = (*working_set.sections(page, data), files.build(page), reproduce.build(page))
    return Page(page, _card(run, data), whole(sections), beside=partial(_beside, data))


def _beside(data: WorkingSetData) -> Iterator[Beside]:
    for program in dict.fromkeys(one.program for one in data.sources):
        annotated = annotated_files([one for one in data.sources if one.program == program])
        if annotated:
            content = {
                "program": program,
                "setting": setting_words(data.answer),
                "files": annotated,
            }
            yield Beside(page_name(program), "annotated.html.j2", content)


def _card(run: Run, data: WorkingSetData) -> Card:
    """Build the verdict card."""
    answer = data.answer
    return Card(
        title=run.manifest.name,
        status=_badge(answer),
        asked=(
            "what must move if a task migrates, at every instruction",
            *setting_words(answer),
        ),
        sentences=sentences_of(answer),
        message=run.manifest.message,
        tiles=_tiles(answer),
        machine=_machine(answer),
    )


def _badge(answer: WorkingSetAnswer) -> Badge:
    if answer.limit is not None and answer.limit.instructions:
        return Badge("limit violated", "bad")
    if answer.limit is not None and answer.limit.undecided:
        return Badge("limit: no verdict", "attention")
    if answer.left_out or not answer.programs:
        return Badge("not all analysed", "attention")
    if any(one.unbounded or one.status != "exact" for one in answer.programs):
        return Badge("bounded from above", "attention")
    return Badge("exact per calling context", "good")


def sentences_of(answer: WorkingSetAnswer) -> tuple[str, ...]:
    """Say how much is live, and whether a limit is kept."""
    found = [one for one in answer.programs if one.live is not None]
    sentences = []
    if len(found) > 1:
        bounded = [one for one in found if _max_of(one) is not None]
        n_unbounded = len(found) - len(bounded)
        some = f"{n_unbounded} of them unbounded" if n_unbounded else "all bounded"
        sentences.append(f"{count_noun(len(found), 'program')}, {some}.")
        if bounded:
            largest = max(bounded, key=lambda one: _max_of(one) or 0)
            whose = " of the others" if n_unbounded else ""
            sentences.append(
                f"The largest live working set{whose} is that of {largest.program}, "
                f"{show_bits(_max_of(largest))}."
            )
        sentences += [f"{one.program} has {size_words(one)[2]}." for one in found
                      if _max_of(one) is None][:_MOST_NAMED]  # fmt: skip
    elif found:
        (one,) = found
        where = "" if one.largest is None else f" in {one.largest.function}"
        line = (
            "" if one.largest is None or one.largest.line is None else f", line {one.largest.line}"
        )
        sentences.append(
            f"At most {size_words(one)[2]} must move, where most is live{where}{line}."
        )
    sentences += limit_words(answer)
    if answer.left_out:
        names = [one.path for one in answer.left_out[:_MOST_NAMED]]
        more = "" if len(answer.left_out) <= _MOST_NAMED else " and others"
        sentences.append(f"Not analysed: {join_words(names)}{more}.")
    return tuple(sentences)


def _tiles(answer: WorkingSetAnswer) -> tuple[Tile, ...]:
    found = [one for one in answer.programs if one.live is not None]
    if len(found) != 1:
        return ()
    (one,) = found
    least, median, most, resident = size_words(one)
    count = f"n = {show_count(one.instructions or 0)} instructions"
    return (
        Tile("smallest live working set", least, count, KIND),
        Tile("median", median, count, KIND),
        Tile("largest", most, count, KIND),
        Tile("resident", resident, "all that is allocated", KIND),
        Tile("status", one.status, count, KIND),
    )


def _machine(answer: WorkingSetAnswer) -> str:
    if any(one.run is not None for one in answer.programs):
        return "of no account: sizes are computed, and what ran was counted, not timed"
    return "none: nothing ran, the code was analysed"


def _max_of(one: ProgramAnswer) -> int | None:
    return None if one.live is None else one.live.max
