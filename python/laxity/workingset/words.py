# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Sizes of working sets and what they are of, in words."""

import re
from collections.abc import Sequence

from laxity.core.units import exact_size, format_duration_ns, upper_size
from laxity.page.blocks import Kind, count_noun, join_words, name_some
from laxity.workingset.document import (
    BITS_PER_BYTE,
    Place,
    ProgramAnswer,
    Sizes,
    TracedRun,
    Violation,
    Weight,
    WorkingSetAnswer,
)
from laxity.workingset.occurrence import share_of_highest

# Bounds that the analysis proves, whatever the input.
KIND: Kind = "proven"
UNBOUNDED = "unbounded"
_MOST_NAMED = 10


def show_bits(bits: int | None) -> str:
    """Show a size in bytes, rounded up, less than a byte in bits; None is unbounded."""
    if bits is None:
        return UNBOUNDED
    if 0 < bits < BITS_PER_BYTE:
        return "1 bit" if bits == 1 else f"{bits} bits"
    return upper_size(-(-bits // BITS_PER_BYTE))


def show_part(bits: int | None, bounded_bits: int | None) -> str:
    """Show a size; where it has no bound, what of it has one."""
    if bits is None and bounded_bits is not None:
        return f"{show_bits(bounded_bits)} + {UNBOUNDED}"
    return show_bits(bits)


def size_words(one: ProgramAnswer) -> tuple[str, str, str, str]:
    """Show the smallest, median and largest live set of a program, and what is resident."""
    live = one.live or Sizes(min=None, median=None, max=None)
    bounded = one.bounded or live
    return (
        show_part(live.min, bounded.min),
        show_part(live.median, bounded.median),
        show_part(live.max, bounded.max),
        show_part(one.resident_bits, one.resident_bounded_bits),
    )


def row_name(one: ProgramAnswer) -> str:
    """Name a program where it is drawn; what has no bound cannot be."""
    return f"{one.program} (bounded part)" if one.unbounded else one.program


def violation_words(one: Violation) -> str:
    """Show what is live where a limit is exceeded."""
    return show_part(None if one.is_partial else one.live_bits, one.live_bits)


def limit_words(answer: WorkingSetAnswer) -> list[str]:
    """Say whether a limit is kept, and where nobody knows; nothing if none was asked for."""
    limit = answer.limit
    if limit is None:
        return []
    # Neither side of a limit is rounded.
    most = re.sub(r"(?<=\d)(?=[A-Z])", " ", exact_size(limit.limit_bits // BITS_PER_BYTE))
    found = []
    if limit.instructions:
        found.append(
            f"More than {most} is live at {count_noun(limit.instructions, 'instruction')}."
        )
    elif not limit.undecided:
        analysed = [one for one in answer.programs if one.live is not None]
        if len(analysed) == len(answer.programs) and not answer.left_out:
            found.append(f"At no instruction of any program is more than {most} live.")
        elif analysed:
            those = count_noun(len(analysed), "program")
            found.append(
                f"At no instruction of {those} that could be analysed is more than {most} live."
            )
        else:
            found.append(f"Nobody tells whether more than {most} is live: nothing was analysed.")
    if limit.undecided:
        found.append(
            f"No verdict at {count_noun(limit.undecided, 'instruction')} of "
            f"{name_some(limit.undecided_programs, _MOST_NAMED)}: something live there has no "
            "bound; --annotations says how much it is."
        )
    return found


def place_words(place: Place) -> str:
    """Name an instruction: file:line:column, or where it is in its function."""
    inside = f"{place.function}, block {place.block}, instruction {place.index} ({place.opcode})"
    if place.file is None or place.line is None:
        return inside
    column = f":{place.column}" if place.column else ""
    return f"{place.file}:{place.line}{column}: {inside}"


def setting_words(answer: WorkingSetAnswer) -> tuple[str, ...]:
    """Say of what the figures are: form, triple, data layout, mode, and what they took."""
    triples = dict.fromkeys(one.triple for one in answer.programs if one.triple)
    layouts = dict.fromkeys(one.data_layout for one in answer.programs if one.data_layout)
    modes = dict.fromkeys(_mode(one) for one in answer.programs)
    lines = [
        f"form {answer.form}",
        f"triple {', '.join(triples) or 'not known'}",
        f"data layout {', '.join(layouts) or 'not known'}",
        *modes,
    ]
    if answer.analysis_ns is not None:
        compiled = "" if answer.compile_ns is None else format_duration_ns(answer.compile_ns)
        told = f" after {compiled} of clang, llvm-link and opt" if compiled else ""
        took = format_duration_ns(answer.analysis_ns)
        lines.append(f"analysed in {took}{told} (measured, n = 1)")
    return tuple(lines)


def change_words(old: int | None, new: int | None) -> str:
    """Say how a size has changed; None is unbounded."""
    if old == new:
        return f"{show_bits(new)} as before"
    if old is None or new is None or not old:
        return f"{show_bits(old)} to {show_bits(new)}"
    return f"{show_bits(old)} to {show_bits(new)} ({100 * (new - old) / old:+.1f} %)"


def part_change_words(
    old: int | None, old_bounded: int | None, new: int | None, new_bounded: int | None
) -> str:
    """Say how a size has changed; where neither has a bound, how that of the rest has."""
    if old is None and new is None and old_bounded is not None and new_bounded is not None:
        return f"{change_words(old_bounded, new_bounded)}, + {UNBOUNDED}"
    return change_words(old, new)


def program_change_words(old: ProgramAnswer, new: ProgramAnswer) -> tuple[str, str, str]:
    """Say how median, largest and resident size of a program that has both have changed."""
    nothing = Sizes(min=None, median=None, max=None)
    was, now = old.live or nothing, new.live or nothing
    was_bounded, now_bounded = old.bounded or nothing, new.bounded or nothing
    return (
        part_change_words(was.median, was_bounded.median, now.median, now_bounded.median),
        part_change_words(was.max, was_bounded.max, now.max, now_bounded.max),
        part_change_words(
            old.resident_bits,
            old.resident_bounded_bits,
            new.resident_bits,
            new.resident_bounded_bits,
        ),
    )


def share_words(one: ProgramAnswer, weight: Weight) -> str:
    """Say how much of a program's occurrences lies in the two highest tenths of its range."""
    counts = next((found.counts for found in one.occurrences if found.weight == weight), None)
    share = None if counts is None else share_of_highest(counts)
    return "no verdict" if share is None else f"{100 * share:.1f} %"


def run_words(one: TracedRun) -> str:
    """Say what was run, and how it ended."""
    stdin = "empty standard input" if one.stdin is None else f"standard input {one.stdin}"
    arguments = f"arguments {' '.join(one.arguments)}" if one.arguments else "no arguments"
    return f"{arguments}, {stdin}; exit code {one.exit_code}"


def remarks_of(programs: Sequence[ProgramAnswer]) -> list[str]:
    """List what a reader of the figures must know; what holds for several programs is said once."""
    about: dict[str, list[str]] = {}
    for one in programs:
        for text in _remarks(one):
            about.setdefault(text, []).append(one.program)
    return [f"{_whom(names, len(programs))}: {text}" for text, names in about.items()]


def _remarks(one: ProgramAnswer) -> list[str]:
    remarks = list(one.assumptions)
    if one.unbounded:
        remarks.append(
            f"at {one.unbounded} of {one.instructions} instructions something has no bound; sizes "
            "with + unbounded, and what is drawn, are of the rest"
        )
    return remarks


def _whom(names: Sequence[str], n_all: int) -> str:
    if len(names) == n_all and n_all > 1:
        return "all programs"
    return join_words(names)


def _mode(one: ProgramAnswer) -> str:
    if one.mode == "job":
        return f"job {one.job or 'benchmark_execution'}: what the next job reads is live at the end"
    return "whole program: nothing is live after its end"
