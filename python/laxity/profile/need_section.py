# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What is said of the memory that programs need."""

from collections.abc import Iterator

from laxity.core.spec import Isolation
from laxity.core.units import format_size_bytes
from laxity.page.blocks import (
    NOT_MEASURED,
    Block,
    Cell,
    Paragraph,
    Quantity,
    Table,
    Tone,
    count_noun,
    number_cell,
    show_count,
    text_cell,
)
from laxity.profile.document import Profile
from laxity.profile.lines_section import LINES_METHOD
from laxity.profile.need import QUANTITIES, NeedRecord, Share

_MEANINGS = {
    "requested": "of malloc and its kin, to the byte",
    "mapped": "may be accessed, in pages",
    "touched": "pages that were there",
    "written": "of these, not only read",
}
_CONFIRMED = {
    True: "Confirmed in processes of their own: a limit of the bytes requested at once was kept, "
    "one of a byte less was crossed.",
    False: "Not confirmed: other processes requested another number of bytes; what is requested "
    "varies between processes.",
    None: "Not confirmed: no process with a limit came to its end.",
}
_METHOD = (
    "Three quantities that say different things and are never added: what is requested of the "
    "heap, what is mapped (of the stack what was reached, no space that is only kept free), what "
    "is touched. From before its init to after its teardown, beyond what a workload that does "
    "nothing needs in the same harness; nothing was locked or prefaulted, no huge pages. “In all”: "
    "everything that was ever added, given back or not."
)


def need_sentence(asked: Profile, target: int, name: str) -> str:
    """Say of a program what it needs at once."""
    record = _record(asked, target)
    if record is None:
        return f"{name}: no process has measured its need of memory."
    told = ", ".join(
        f"{quantity} {format_size_bytes(share.peak_bytes)}"
        for quantity in QUANTITIES[:3]
        if (share := _share(record, quantity)) is not None
    )
    processes = count_noun(record.processes, "process")
    return f"{name} needs at once: {told}; n = {processes}, {asked.kind}."


def need_blocks(asked: Profile, target: int, name: str) -> Iterator[Block]:
    """Show all quantities of a program."""
    record = _record(asked, target)
    if record is None:
        yield Paragraph(f"No process of {name} has measured its need of memory.", "warning")
        return
    rows = tuple(
        (text_cell(quantity, _MEANINGS[quantity]), *_cells(_share(record, quantity)))
        for quantity in QUANTITIES
    )
    static = (
        text_cell("static", "mapped before its init, can be written"),
        _size_cell(record.static_bytes),
        number_cell(""),
        number_cell(""),
    )
    processes = count_noun(record.processes, "process")
    caption = f"Memory need of {name} ({asked.kind}, n = {processes}, pages by {record.method})"
    head = ("quantity", "at most at once", "in all", "least of a process")
    remarks = ("meaning", "exactly", "exactly", "exactly")
    yield Table(caption, head, (*rows, static), remarks=remarks)
    if record.requested.peak_bytes > 0:
        tone: Tone = "plain" if record.is_confirmed else "warning"
        yield Paragraph(_CONFIRMED[record.is_confirmed], tone)
    if asked.targets[target].isolation == Isolation.RESTORE:
        yield Paragraph(
            f"{name} ran one job a process: a second one would need what the first has left to be "
            "taken back (mode restore), which is not done while need is measured.",
            "note",
        )
    if record.written is None:
        yield Paragraph(
            "What is written cannot be told: of shared memory that is not watched, and on kernels "
            "without PAGEMAP_SCAN, a page that was read looks as one that was written.",
            "note",
        )


def need_overview(asked: Profile) -> tuple[Block, ...]:
    """Say what the words mean."""
    method = LINES_METHOD if asked.kind == "simulated" else _METHOD
    return (Paragraph(method, is_explanation=True),)


def need_quantities(asked: Profile, run: str, target: int, name: str) -> Iterator[Quantity]:
    """Give the figures of a program."""
    record = _record(asked, target)
    for quantity in QUANTITIES:
        share = None if record is None else _share(record, quantity)
        if record is None or share is None:
            continue
        for what, value in (("at_once", share.peak_bytes), ("in_all", share.total_bytes)):
            yield Quantity(
                name=f"{quantity}_{what}",
                value=value,
                unit="B",
                n=record.processes,
                kind=asked.kind,
                run=run,
                task=name,
            )


def _record(asked: Profile, target: int) -> NeedRecord | None:
    return next((one for one in asked.needs if one.target == target), None)


def _share(record: NeedRecord, quantity: str) -> Share | None:
    found: Share | None = getattr(record, quantity)
    return found


def _cells(share: Share | None) -> tuple[Cell, Cell, Cell]:
    if share is None:
        missing = number_cell(NOT_MEASURED)
        return (missing, missing, missing)
    return (
        _size_cell(share.peak_bytes),
        _size_cell(share.total_bytes),
        number_cell("the same")
        if share.least_peak_bytes == share.peak_bytes
        else _size_cell(share.least_peak_bytes),
    )


def _size_cell(size_bytes: int) -> Cell:
    return number_cell(format_size_bytes(size_bytes), f"{show_count(size_bytes)} B")
