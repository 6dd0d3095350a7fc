# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A vetting: verdicts, what each job of every mode did, what was rejected, what found no place."""

import re
from collections import Counter
from itertools import groupby

from laxity.page.blocks import (
    Block,
    Cell,
    Folded,
    Paragraph,
    Quantity,
    Section,
    Table,
    as_sentence,
    count_noun,
    number_cell,
    show_count,
    text_cell,
)
from laxity.page.small import bars
from laxity.suites.jobs import INSTRUCTIONS
from laxity.suites.result import VettedDetail, VettedJob, VettedMode, VettingDocument
from laxity.suites.sanitize import TOLD
from laxity.suites.work import Work, is_as_much

# More bars in a cell are lines, more numbers a paragraph.
_MOST_BARS = 40
_MOST_NUMBERS = 6
_NO_CLASS = "no class"
_MODES = ("none", "reinit", "restore", "fork", "exec")
_METHOD = (
    ("golden result", "what fresh processes have in common: end, check, output, files"),
    ("right", "every job has the golden result, leaves the state that the first one left, is as "
     "many instructions, and leaves nothing that grows; the cheapest right mode is chosen"),
    ("state", "hash of the program's whole writable memory after the job; addresses of heap and "
     "stack count as one value; compared within one session"),
    ("instructions", "of one job by callgrind, in a session of its own; as many: within 1 % or 64 "
     "of a job with fresh state, those of libraries within 1 % or 4096; the first job of a process "
     "also warms the C library up"),
    ("fork, exec", "a child begins as a fresh process does: its instructions are not counted, and "
     "exec is not tried, since it is what fresh means"),
)  # fmt: skip


def build(document: VettingDocument) -> Section:
    """Build the verdicts: a row per program, and how many have which mode."""
    rows = tuple(_verdict_row(number, one) for number, one in enumerate(document.programs))
    blocks: list[Block] = [_modes(document)]
    caption = f"Verdicts; n = {document.jobs_per_mode} jobs in each mode that was tried"
    blocks.append(Table(caption, ("program", "mode", "classes", "evidence"), rows))
    blocks += _found_by_sanitizers(document)
    quantities = tuple(
        Quantity(
            name="job_instructions",
            value=one.reference_instructions,
            unit="instructions",
            n=0 if one.reference_instructions is None else 1,
            kind="measured",
            run="vet",
            task=one.program,
            note=None if one.reference_instructions is not None else "not counted",
        )
        for one in document.programs
    )
    return Section("verdicts", "Verdicts", tuple(blocks), quantities)


def _found_by_sanitizers(document: VettingDocument) -> list[Block]:
    """List every place that a sanitizer named."""
    rows = tuple(
        (text_cell(one.program), text_cell(words))
        for one in document.programs
        for words in one.evidence
        if words.startswith(TOLD)
    )
    return [Table("Found by sanitizers", ("program", "what"), rows)] if rows else []


def _modes(document: VettingDocument) -> Table:
    counted = Counter(one.mode for one in document.programs)
    head = ("", *_MODES, "rejected")
    cells = [number_cell(show_count(counted[mode])) for mode in (*_MODES, None)]
    return Table(
        f"Cheapest right mode, programs of {show_count(len(document.programs))}",
        head,
        ((text_cell("programs"), *cells),),
    )


def _verdict_row(number: int, one: VettedDetail) -> tuple[Cell, ...]:
    evidence = one.verdict if one.mode is None else "; ".join(_proofs(one))
    mode = Cell("rejected", mark="state-bad") if one.mode is None else text_cell(one.mode)
    return (
        Cell(one.program, href=f"#{_identity(number, one)}"),
        mode,
        text_cell(", ".join(one.classes) or _NO_CLASS),
        text_cell(evidence),
    )


def _proofs(one: VettedDetail) -> list[str]:
    """Return the evidence for its classes; there is more, for modes above all."""
    return [text for text in one.evidence if text.partition(":")[0] in one.classes]


def _identity(number: int, one: VettedDetail) -> str:
    return f"p{number}-{re.sub(r'[^A-Za-z0-9-]+', '-', one.program)}"


def build_details(document: VettingDocument) -> Section:
    """Build what each program did, folded: per mode the result, state and work of its jobs."""
    intro = Paragraph(
        "Each program's modes with what their jobs did. A bar is the instructions of one job, from "
        "zero; the dashed line is a job with fresh state. A bar of another colour differs from it."
    )
    folded = tuple(_folded(number, one) for number, one in enumerate(document.programs))
    return Section("details", "What each program did", (intro, *folded))


def _folded(number: int, one: VettedDetail) -> Folded:
    classes = ", ".join(one.classes) or _NO_CLASS
    verdict = one.verdict if one.mode is None else f"mode {one.mode}"
    blocks: list[Block] = [Paragraph(f"Convention {one.convention}; {one.verdict}.")]
    if one.golden is not None:
        work = one.reference_instructions
        counted = "" if work is None else f"; a job is {show_count(work)} instructions"
        blocks.append(Paragraph(f"A fresh process: {one.golden}{counted}."))
    # Why modes are wrong stands in the table.
    told = [text for text in one.evidence if not text.startswith("mode ")]
    blocks += [Paragraph(as_sentence(text)) for text in told]
    if one.modes:
        blocks.append(_mode_table(one))
    return Folded(
        f"{one.program}: {verdict} ({classes})", tuple(blocks), identity=_identity(number, one)
    )


def _mode_table(one: VettedDetail) -> Table:
    head = ("mode", "like fresh", "same state", "instructions per job", "left", "verdict")
    n = max((len(mode.jobs) for mode in one.modes), default=0)
    caption = f"Jobs of {one.program} in each mode, n = {show_count(n)} jobs a mode, measured"
    return Table(caption, head, tuple(_mode_row(one, mode) for mode in one.modes))


def _mode_row(one: VettedDetail, mode: VettedMode) -> tuple[Cell, ...]:
    jobs = mode.jobs
    n_right = sum(job.is_right for job in jobs)
    n_state = sum(job.is_state_first for job in jobs)
    is_right = not mode.deviations
    verdict = Cell("right", mark="state-ok") if is_right else Cell("wrong", mark="state-bad")
    return (
        text_cell(mode.mode),
        number_cell(f"{show_count(n_right)} of {show_count(len(jobs))}"),
        number_cell(f"{show_count(n_state)} of {show_count(len(jobs))}"),
        _work(one, jobs),
        text_cell(_left(jobs)),
        Cell(verdict.text, mark=verdict.mark, remark="; ".join(mode.deviations)),
    )


def _work(one: VettedDetail, jobs: list[VettedJob]) -> Cell:
    counted = [job.instructions for job in jobs if job.instructions is not None]
    if not counted or len(counted) < len(jobs):
        return text_cell("not counted")
    reference = one.reference_instructions
    shown = counted[:_MOST_BARS]
    # The first job also warms the C library up.
    marks = [
        place > 0 and not _is_as_much(one, jobs[place], value) for place, value in enumerate(shown)
    ]
    numbers = _run_lengths(counted)
    alt = f"Instructions of {count_noun(len(shown), 'job')} of {one.program}: {numbers}"
    return Cell("", svg=bars(shown, marks, reference, alt), remark=numbers)


def _is_as_much(one: VettedDetail, job: VettedJob, instructions: int) -> bool:
    if one.reference_instructions is None:
        return True
    reference = Work(one.reference_instructions, one.reference_library_instructions)
    work = Work(instructions, job.library_instructions)
    return is_as_much(work, reference, INSTRUCTIONS, has_threads=one.starts_threads)


def _run_lengths(values: list[int]) -> str:
    """Write equal neighbours once: 1235, 72372 × 4."""
    groups = [(value, sum(1 for _ in same)) for value, same in groupby(values)]
    told = [
        show_count(value) if n == 1 else f"{show_count(value)} × {n}"
        for value, n in groups[:_MOST_NUMBERS]
    ]
    return ", ".join(told) + (", …" if len(groups) > _MOST_NUMBERS else "")


def _left(jobs: list[VettedJob]) -> str:
    """Say what is more after the last job than before the first."""
    if not jobs:
        return "no job ended"
    last = jobs[-1]
    parts = []
    if last.heap_bytes is None:
        parts.append("heap not counted")
    if last.heap_bytes:
        parts.append(f"{show_count(last.heap_bytes)} B of heap")
    for count, noun in (
        (last.descriptors, "descriptor"),
        (last.threads, "thread"),
        (last.handlers, "signal handler"),
    ):
        if count:
            parts.append(count_noun(count, noun))
    return ", ".join(parts) or "nothing"


def build_rejected(document: VettingDocument) -> Section | None:
    """Build what has no right mode, and why; None if everything has one."""
    rows = tuple(
        (
            Cell(one.program, href=f"#{_identity(number, one)}"),
            text_cell(", ".join(one.classes) or _NO_CLASS),
            text_cell(one.verdict.removeprefix("rejected: "), "; ".join(one.evidence)),
        )
        for number, one in enumerate(document.programs)
        if one.mode is None
    )
    if not rows:
        return None
    return Section(
        "rejected", "Rejected", (Table("No mode is right", ("program", "classes", "why"), rows),)
    )


def build_unplaced(document: VettingDocument) -> Section | None:
    """Build what discovery left out; None if it placed all."""
    rows = tuple((text_cell(one.path), text_cell(one.reason)) for one in document.unplaced)
    if not rows:
        return None
    table = Table("What is no program, or cannot be had", ("path", "why"), rows)
    return Section("unplaced", "Not placed", (table,))


def build_method() -> Section:
    """Build the section that says how it was judged."""
    rows = tuple((text_cell(word), text_cell(meaning)) for word, meaning in _METHOD)
    return Section("method", "How it was judged", (Table("Terms", ("", ""), rows),))
