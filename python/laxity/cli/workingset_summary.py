# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What `laxity workingset` prints: one row per program, what limits it, what has changed."""

import shutil
import sys
from pathlib import Path

from laxity.cli.tables import print_json
from laxity.cli.workingset_points_text import points_text
from laxity.core.text_table import format_table
from laxity.core.units import format_duration_ns
from laxity.page.blocks import join_words
from laxity.workingset.changes import Change, changes_of, differences_of
from laxity.workingset.document import Against, Limit, Place, ProgramAnswer, WorkingSetAnswer
from laxity.workingset.tables import INSTRUCTIONS
from laxity.workingset.words import (
    KIND,
    change_words,
    program_change_words,
    remarks_of,
    setting_words,
    share_words,
    show_bits,
    size_words,
    violation_words,
)

_MOST_TOLD = 10
_HEADERS = ("program", "instructions", "min", "median", "max", "resident", "status", "process")


def print_answer(answer: WorkingSetAnswer, output_format: str, run_dir: Path | None) -> None:
    """Write the answer to stdout; csv is the table of all instructions."""
    if output_format == "json":
        print_json(answer)
    elif output_format == "csv" and run_dir is not None and (run_dir / INSTRUCTIONS).is_file():
        with (run_dir / INSTRUCTIONS).open(encoding="utf-8") as file:
            shutil.copyfileobj(file, sys.stdout)
    else:
        sys.stdout.write(answer_text(answer))


def answer_text(answer: WorkingSetAnswer) -> str:
    """Write an answer as tables."""
    analysed = [one for one in answer.programs if one.live is not None]
    parts = [f"{'; '.join(setting_words(answer))}\n"]
    if analysed:
        rows = [_row(one) for one in analysed]
        parts.append("\n" + format_table(_HEADERS, rows, right=(1, 2, 3, 4, 5, 7)))
        parts.append(
            "min, median, max: over the instructions, of the most that is live in any calling "
            f"context; n = all instructions that can be reached, kind {KIND}\n"
        )
    parts += [f"{text}\n" for text in remarks_of(analysed)]
    parts += [points_text(one) for one in analysed]
    if answer.left_out:
        left = [(one.path, one.reason) for one in answer.left_out]
        parts.append("\n" + format_table(("not analysed", "why"), left))
    shares = _shares_text(answer)
    if shares:
        parts.append("\n" + shares)
    if answer.limit is not None:
        parts.append("\n" + _limit_text(answer.limit))
    if answer.against is not None:
        parts.append("\n" + _change_text(answer, answer.against))
    return "".join(parts)


def place_words(place: Place) -> str:
    """Name an instruction: file:line:column, or where it is in its function."""
    where = f"{place.function}, block {place.block}, instruction {place.index} ({place.opcode})"
    if place.file is None or place.line is None:
        return where
    column = f":{place.column}" if place.column else ""
    return f"{place.file}:{place.line}{column}: {where}"


def _change_text(answer: WorkingSetAnswer, old: Against) -> str:
    lines = [f"differs in {what}: {was}, here {is_now}\n" for what, was, is_now in
             differences_of(old, answer)]  # fmt: skip
    rows = [_change_row(one) for one in changes_of(old, answer)]
    table = format_table(("program", "median", "max", "resident"), rows, right=(1, 2, 3))
    lines.append(f"against run {old.run} ({old.path}):\n{table}")
    if old.functions:
        n = len(old.functions)
        some = "" if n <= _MOST_TOLD else f", the {_MOST_TOLD} largest changes"
        lines.append(f"{n} functions differ in their largest live working set{some}:\n")
        functions = [
            (one.program, one.function, change_words(one.old_bits, one.new_bits))
            for one in old.functions[:_MOST_TOLD]
        ]
        lines.append(format_table(("program", "function", "max"), functions, right=(2,)))
    return "".join(lines)


def _change_row(one: Change) -> tuple[str, ...]:
    if one.old is None or one.new is None:
        there = "only here" if one.old is None else "only there"
        return (one.program, there, there, there)
    if one.old.live is None or one.new.live is None:
        return (one.program, *(("no answer on both sides",) * 3))
    return (one.program, *program_change_words(one.old, one.new))


def _shares_text(answer: WorkingSetAnswer) -> str:
    """Say for each weight how much lies near the worst case; nothing where only one was asked."""
    weights = list(dict.fromkeys(("static", *answer.weights)))
    rows = [
        (one.program, *(share_words(one, weight) for weight in weights))
        for one in answer.programs
        if one.occurrences
    ]
    if len(weights) == 1 or not rows:
        return ""
    columns = tuple(range(1, len(weights) + 1))
    table = format_table(("program", *weights), rows, right=columns)
    return f"share in the two highest tenths of its range, by weight:\n{table}"


def _row(one: ProgramAnswer) -> tuple[str, ...]:
    return (
        one.program,
        str(one.instructions),
        *size_words(one),
        one.status,
        "-" if one.process_ns is None else format_duration_ns(one.process_ns),
    )


def _limit_text(limit: Limit) -> str:
    most = show_bits(limit.limit_bits)
    if not limit.instructions:
        return _undecided_text(limit) or f"nowhere is more than {most} live\n"
    where = "instruction" if limit.instructions == 1 else "instructions"
    lines = [f"more than {most} is live at {limit.instructions} {where}:\n"]
    lines += [
        f"  {one.program}: {place_words(one.place)}: {violation_words(one)}\n"
        for one in limit.violations[:_MOST_TOLD]
    ]
    more = len(limit.violations) - _MOST_TOLD
    if more > 0:
        others = "1 more line" if more == 1 else f"{more} more lines"
        lines.append(f"  and on {others}; workingset.json names them\n")
    return "".join(lines) + _undecided_text(limit)


def _undecided_text(limit: Limit) -> str:
    if not limit.undecided:
        return ""
    where = "1 instruction" if limit.undecided == 1 else f"{limit.undecided} instructions"
    names = join_words(limit.undecided_programs[:_MOST_TOLD])
    others = len(limit.undecided_programs) - _MOST_TOLD
    more = f" and {others} more" if others > 0 else ""
    return (
        f"no verdict at {where} of {names}{more}: something live there has no bound "
        "(workingset.json lists it; --annotations says how much it is)\n"
    )
