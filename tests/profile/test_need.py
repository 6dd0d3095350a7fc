# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What is made of the memory that processes needed."""

from dataclasses import dataclass

import pytest

from laxity.page.blocks import Paragraph, Table
from laxity.profile.document import Profile, ScenarioRecord, Target
from laxity.profile.need import NeedRecord, is_confirmed, need_records
from laxity.profile.need_section import need_blocks, need_quantities, need_sentence
from laxity.store.manifest import MemoryNeed, Need

PAGE = 4096


@dataclass(frozen=True)
class Made:
    """A process, made up: bytes at once; in all it is twice as much."""

    requested: int = 0
    mapped: int = 0
    touched: int = 0
    written: int | None = 0
    stack: int = 0
    static: int = 0
    is_crossed: bool | None = None

    def need(self) -> MemoryNeed:
        return MemoryNeed(
            requested=_twice(self.requested),
            mapped=_twice(self.mapped),
            touched=_twice(self.touched),
            written=None if self.written is None else _twice(self.written),
            stack_bytes=self.stack,
            static_bytes=self.static,
            calls=3,
            method="PAGEMAP_SCAN" if self.written is not None else "pagemap",
            limit_is_crossed=self.is_crossed,
        )


def _twice(size_bytes: int) -> Need:
    return Need(peak_bytes=size_bytes, total_bytes=2 * size_bytes)


# Two pages of stack, which the harness needs.
HARNESS = Made(mapped=2 * PAGE, touched=2 * PAGE, written=2 * PAGE, stack=2 * PAGE, static=PAGE)


def record(*processes: Made, harness: Made = HARNESS, **limited: Made) -> NeedRecord:
    runs = [f"p-{at:02}" for at in range(len(processes))]
    measured = {run: one.need() for run, one in zip(runs, processes, strict=True)}
    measured |= {f"p-{what}": one.need() for what, one in limited.items()}
    measured["harness"] = harness.need()
    (found,) = need_records({0: runs}, measured)
    return found


def test_harness_is_taken_off_and_the_largest_process_counts():
    small = Made(1000, 5 * PAGE, 4 * PAGE, 3 * PAGE, 2 * PAGE, 3 * PAGE)
    large = Made(1001, 6 * PAGE, 5 * PAGE, 4 * PAGE, 2 * PAGE, 3 * PAGE)
    found = record(small, large)
    requested, mapped, touched, written = (
        found.requested,
        found.mapped,
        found.touched,
        found.written,
    )
    assert (requested.peak_bytes, requested.least_peak_bytes) == (1001, 1000)
    # 6 - 2 pages; in all 12 - 4; the smaller one 5 - 2.
    assert (mapped.peak_bytes, mapped.total_bytes) == (4 * PAGE, 8 * PAGE)
    assert mapped.least_peak_bytes == 3 * PAGE
    assert touched.peak_bytes == 3 * PAGE
    assert written is not None
    assert written.peak_bytes == 2 * PAGE
    # 3 - 1.
    assert found.static_bytes == 2 * PAGE


@pytest.mark.parametrize(("stack", "pages"), [(2, 8), (3, 10)])
def test_stack_that_goes_deeper_than_the_harness_is_the_programs_alone(stack: int, pages: int):
    # Of 10 pages the harness's two are taken off only where nothing of them is the program's.
    found = record(Made(0, 10 * PAGE, 10 * PAGE, 10 * PAGE, stack * PAGE))
    assert found.mapped.peak_bytes == found.touched.peak_bytes == pages * PAGE


def test_program_that_needs_less_than_the_harness_needs_nothing():
    found = record(Made(0, PAGE, PAGE, PAGE, PAGE))
    assert (found.mapped.peak_bytes, found.mapped.total_bytes) == (0, 0)


@pytest.mark.parametrize(
    ("kept", "crossed", "expected"),
    [
        (False, True, True),
        (False, None, True),  # one byte was requested, and no limit is below it
        (True, True, False),
        (False, False, False),
        (None, None, None),
    ],
)
def test_request_is_confirmed_by_one_limit_that_is_kept_and_one_that_is_crossed(
    *, kept: bool | None, crossed: bool | None, expected: bool | None
):
    limited = [None if one is None else Made(is_crossed=one).need() for one in (kept, crossed)]
    assert is_confirmed(*limited) is expected


def test_program_without_a_process_that_ended_well_has_no_record():
    assert not list(need_records({0: ["p-00"]}, {"harness": HARNESS.need()}))
    assert not list(need_records({0: ["p-00"]}, {"p-00": HARNESS.need()}))


def asked(*needs: NeedRecord) -> Profile:
    return Profile(
        analyses=["memory-need"],
        kind="measured",
        targets=[Target(workload="p", args=[])],
        scenarios=[ScenarioRecord(name="alone", interfere=[])],
        units=[],
        needs=list(needs),
    )


def test_answer_names_what_cannot_be_told_and_what_varies():
    kept, crossed = Made(is_crossed=True), Made(is_crossed=True)
    one = record(Made(1536, 3 * PAGE, 3 * PAGE, None), kept=kept, crossed=crossed)
    table, doubt, note = need_blocks(asked(one), 0, "p")
    assert isinstance(table, Table)
    assert "pages by pagemap" in table.caption
    rows = {row[0].text: [cell.text for cell in row[1:]] for row in table.rows}
    assert rows["requested"] == ["1.50 KiB", "3 KiB", "the same"]
    assert rows["written"] == ["not measured"] * 3
    assert isinstance(doubt, Paragraph)
    assert (doubt.tone, doubt.text[:13]) == ("warning", "Not confirmed")
    assert isinstance(note, Paragraph)
    assert "cannot be told" in note.text
    # 3 - 2 pages.
    said = "p needs at once: requested 1.50 KiB, mapped 4 KiB, touched 4 KiB; n = 1 process"
    assert need_sentence(asked(one), 0, "p") == f"{said}, measured."
    assert {one.name for one in need_quantities(asked(one), "run", 0, "p")} == {
        f"{quantity}_{what}"
        for quantity in ("requested", "mapped", "touched")
        for what in ("at_once", "in_all")
    }


def test_program_that_was_not_measured_is_said_to_be_so():
    (warning,) = need_blocks(asked(), 0, "p")
    assert isinstance(warning, Paragraph)
    assert warning.tone == "warning"
    assert need_sentence(asked(), 0, "p") == "p: no process has measured its need of memory."
