# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What is said of the lines that the jobs of simulated programs touch."""

from collections.abc import Iterator

from laxity.core.units import format_size_bytes
from laxity.page.blocks import (
    Block,
    Paragraph,
    Quantity,
    Table,
    count_noun,
    number_cell,
    show_count,
    text_cell,
)
from laxity.profile.document import Profile
from laxity.profile.lines import LinesRecord, Touched

LINES_METHOD = (
    "Lines touched (simulated): how many distinct lines of the platform's caches, and pages of "
    "4 KiB, the jobs of a program read or write, whatever the caches then hold. What is executed "
    "is read. Heap is what was asked of brk and mmap; stack is all that is neither that nor in the "
    "executable. A line that two kinds of memory share counts for both, and once of all. What "
    "init, teardown and the kernel touch is left out. These are other quantities than those of "
    "memory-need on a machine, and never added to them. What of a program is live before each of "
    "its instructions is another quantity, too, of another build: laxity workingset."
)


def lines_sentence(asked: Profile, target: int, name: str) -> str:
    """Say of a program what a job touches."""
    record = _record(asked, target)
    if record is None:
        return f"{name}: no lines were counted; it did not come to its end, or was not recorded."
    most, together = record.storage[-1].largest, record.storage[-1].together
    size = format_size_bytes(most.lines * record.line_bytes)
    return (
        f"{name} touches {show_count(most.lines)} lines of {record.line_bytes} B in a job at most "
        f"({size}, {count_noun(most.pages, 'page')}), {show_count(together.lines)} in all; "
        f"n = {count_noun(record.jobs, 'job')}, {asked.kind}."
    )


def lines_blocks(asked: Profile, target: int, name: str) -> Iterator[Block]:
    """Show what the jobs of a program touch, by kind of memory."""
    record = _record(asked, target)
    if record is None:
        yield Paragraph(
            f"No lines of {name} were counted: it did not come to its end, or was not recorded.",
            "warning",
        )
        return
    head = ("memory", "lines read", "lines written", "lines", "pages")
    parts = (
        ("largest of a job, each number by itself", [one.largest for one in record.storage]),
        ("all jobs together, each line once", [one.together for one in record.storage]),
    )
    for what, counts in parts:
        rows = tuple(
            (
                text_cell(one.storage),
                *(number_cell(show_count(value)) for _, value, _ in _numbers(touched)),
            )
            for one, touched in zip(record.storage, counts, strict=True)
        )
        caption = (
            f"Lines touched (simulated) by {name}, of {record.line_bytes} B: {what} "
            f"(n = {count_noun(record.jobs, 'job')})"
        )
        yield Table(caption, head, rows)
    if asked.targets[target].isolation is not None:
        yield Paragraph(
            "Among them is the call that catches how the job of a suite's program ends: some "
            "dozens of lines, those of a program that does nothing.",
            "note",
        )


def lines_quantities(asked: Profile, run: str, target: int, name: str) -> Iterator[Quantity]:
    """Give the figures of a program."""
    record = _record(asked, target)
    for one in () if record is None else record.storage:
        for of, touched in (("job", one.largest), ("all_jobs", one.together)):
            for what, value, unit in _numbers(touched):
                yield Quantity(
                    name=f"{one.storage}_{what}_{of}",
                    value=value,
                    unit=unit,
                    n=0 if record is None else record.jobs,
                    kind=asked.kind,
                    run=run,
                    task=name,
                )


def _numbers(touched: Touched) -> tuple[tuple[str, int, str], ...]:
    return (
        ("read_lines", touched.read_lines, "lines"),
        ("written_lines", touched.written_lines, "lines"),
        ("lines", touched.lines, "lines"),
        ("pages", touched.pages, "pages"),
    )


def _record(asked: Profile, target: int) -> LinesRecord | None:
    return next((one for one in asked.lines if one.target == target), None)
