# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Source pages beside a report: each line with the most that is live at its instructions."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from laxity.store.run_directory import path_part
from laxity.workingset.data import SourceLines
from laxity.workingset.words import show_bits, show_part

DIRECTORY = "annotated"
_WHOLE_PERCENT = 100


@dataclass(frozen=True, slots=True)
class AnnotatedLine:
    """One line: its number and text, how large its working set is in words and of the largest.

    `objects`: the largest that are live where most is, in words.
    """

    number: int
    text: str
    size: str
    percent: int
    instructions: int
    objects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnnotatedFile:
    """One file of a program."""

    name: str
    lines: tuple[AnnotatedLine, ...]


def page_name(program: str) -> str:
    """Name the page of a program, relative to the run."""
    return f"{DIRECTORY}/{path_part(program)}.html"


def annotated_files(sources: Sequence[SourceLines]) -> tuple[AnnotatedFile, ...]:
    """Annotate the sources of one program; those whose text is not there are left out."""
    sizes = [size.bounded_bits for one in sources for size in one.lines.values()]
    most = max((size for size in sizes if size is not None), default=0)
    return tuple(
        AnnotatedFile(Path(one.file).name, _lines(one, most))
        for one in sources
        if one.text is not None
    )


def _lines(source: SourceLines, most: int) -> tuple[AnnotatedLine, ...]:
    lines = []
    # As clang counts lines: a form feed or another separator within one ends none.
    for number, text in enumerate((source.text or "").removesuffix("\n").split("\n"), start=1):
        size = source.lines.get(number)
        if size is None:
            lines.append(AnnotatedLine(number, text, "", 0, 0))
            continue
        percent = _WHOLE_PERCENT
        if size.bounded_bits is not None and most:
            percent = round(_WHOLE_PERCENT * size.bounded_bits / most)
        words = show_part(size.most_bits, size.bounded_bits)
        objects = tuple(_object_words(one) for one in size.objects)
        lines.append(AnnotatedLine(number, text, words, percent, size.instructions, objects))
    return tuple(lines)


def _object_words(one: str) -> str:
    """Name an object and how much of it is live, from `name:bits`."""
    name, _, bits = one.rpartition(":")
    return f"{name}: {show_bits(int(bits))}" if bits else f"{name}: size not known"
