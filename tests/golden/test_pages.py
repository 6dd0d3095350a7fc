# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Report pages of the stored runs: each shows what its sections hold, and all of it.

What the sections hold is another question: the documents of test_documents.py.
"""

import math
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.golden.page_text import (
    Built,
    block_lines,
    section_lines,
    without_words_of_drawings,
)
from tests.golden.stored_runs import RUNS

from laxity.core.streams import Status
from laxity.page.blocks import (
    Figures,
    Quantity,
    Table,
    show_bound,
    show_count,
    show_duration,
    show_ratio,
)
from laxity.store.run_directory import read_manifest

# How a page shows a figure of this unit; a bound is never rounded down.
SHOWN: dict[str, tuple[Callable[[Any], str], ...]] = {
    "ns": (show_duration, show_bound),
    "releases": (show_count,),
    "faults": (show_count,),
    "jobs": (show_count,),
    "count": (show_count,),
    "ratio": (show_ratio,),
    "1": (show_ratio,),
}
# Figures that are drawn, are shown in more digits, or are in derived.json alone.
NOT_SHOWN = re.compile(
    r"mean_start_to_finish|trace_(waited|entered)_(mean|max)|thread_\d+_period|near_worst_static_.*"
)
# A page of a suite shows of each program the times from start to finish.
OF_PROGRAMS = re.compile(r"(response_time|release_latency)_(min|median|max)")


@pytest.fixture(params=RUNS)
def built(request: pytest.FixtureRequest, build: Callable[[str], Built]) -> Built:
    return build(request.param)


def test_each_section_stands_on_the_page_with_all_its_blocks_in_order(built: Built):
    lines = section_lines(built.html)
    # Stored runs hold no groups with a title; tests/report/test_composite_page.py has some.
    assert not any(group.title or group.lead for group in built.page.groups)
    assert list(lines) == ["", "verdict", *(section.identity for section in built.sections)]
    for section in built.sections:
        expected = [section.title, *(one for block in section.blocks for one in block_lines(block))]
        assert [without_words_of_drawings(one) for one in lines[section.identity]] == expected


def test_contents_name_each_section(built: Built):
    (contents,) = built.html.all("nav")
    named = [one.text() for one in contents.all("li")]
    assert named == [f"<#{section.identity}> {section.title}" for section in built.sections]


def test_links_within_the_page_lead_to_an_id_that_occurs_once(built: Built):
    ids = Counter(one.attributes["id"] for one in built.html.all() if "id" in one.attributes)
    assert set(ids.values()) == {1}
    links = [one.attributes["href"] for one in built.html.all("a")]
    assert {one.removeprefix("#") for one in links if one.startswith("#")} <= set(ids)


def test_verdict_says_all_of_its_card(built: Built):
    card = built.page.card
    lines = section_lines(built.html)["verdict"]
    assert card.title in lines
    assert all(" ".join(sentence.split()) in lines for sentence in card.sentences)
    notes = [f"[{note.tone}] {note.text}" for note in card.notes]
    assert [one for one in lines if one in notes] == notes
    for tile in card.tiles:
        count = f"{tile.kind}, {tile.count}" if tile.count else ""
        assert " | ".join(filter(None, (tile.label, tile.value, tile.remark, count))) in lines
    assert any(line.endswith(f"| machine | {card.machine}") for line in lines)


def test_cells_of_numbers_are_set_right_and_states_have_their_colour(built: Built):
    tables = [one for one in built.blocks() if isinstance(one, Table)]
    cells = [cell for table in tables for row in table.rows for cell in row]
    # The table of the verdict, where it has one, belongs to no section.
    found = [
        cell.attributes.get("class", "")
        for section in built.html.all("section", "details")
        if section.attributes.get("id") in {one.identity for one in built.sections}
        for body in section.all("tbody")
        for cell in body.all("th", "td")
    ]
    assert found == [f"{'number' if cell.is_number else ''}{cell.mark}" for cell in cells]


def test_each_table_has_a_name_and_as_many_cells_in_each_row(built: Built):
    for table in (one for one in built.blocks() if isinstance(one, Table)):
        assert table.caption
        assert {len(row) for row in table.rows} <= {len(table.head)}, table.caption


def test_each_drawing_is_drawn_and_has_words_and_a_caption(built: Built):
    groups = [one for one in built.blocks() if isinstance(one, Figures)]
    figures = [figure for group in groups for figure in group.figures]
    drawn = list(built.html.all("figure"))
    assert [one.attributes["id"] for one in drawn] == [one.identity for one in figures]
    for figure in drawn:
        parts = Counter(one.tag for one in figure.all())
        assert parts["path"] + parts["use"] > 0
        assert parts["text"] > 0
        assert parts["figcaption"] == 1


def test_derived_figures_are_those_of_the_sections(built: Built):
    quantities = [one for section in built.sections for one in section.quantities]
    assert built.derived.quantities == quantities
    assert all(one.unit and one.run for one in quantities)
    # Without a value there is a reason.
    assert not [one.name for one in quantities if one.value is None and not one.note]


def test_derived_times_and_counts_stand_in_their_section(built: Built):
    lines = section_lines(built.html)
    is_suite = built.page.data.manifest.kind == "suite"
    for section in built.sections:
        text = "\n".join(lines[section.identity])
        missing = [one.name for one in section.quantities if not _is_in(one, text)]
        assert not [
            name
            for name in missing
            if not NOT_SHOWN.fullmatch(name) and not (is_suite and OF_PROGRAMS.fullmatch(name))
        ]


def _is_in(quantity: Quantity, text: str) -> bool:
    if quantity.value is None:
        return True
    # Lines have no narrow space between thousands: they are split at white space.
    shown = [show(quantity.value) for show in SHOWN.get(quantity.unit, ())]
    return not shown or any(" ".join(one.split()) in text for one in shown)


def nearest_rank(samples: "np.ndarray[Any, Any]", ratio: float) -> int:
    """The ceil(q * n)-th smallest sample."""
    return int(np.sort(samples)[math.ceil(ratio * len(samples)) - 1])


@pytest.mark.parametrize("run", ["alone", "interfered", "observed", "program", "taskset"])
def test_derived_figures_of_jobs_are_those_of_their_rows(run: str, build: Callable[[str], Built]):
    derived, path = build(run).derived, build(run).path
    values = {(one.task, one.name): (one.value, one.n) for one in derived.quantities}
    rows = np.load(path / "jobs.npy")
    for index, task in enumerate(read_manifest(path).tasks):
        own = rows[rows["task"] == index]
        done = own[np.isin(own["status"], [Status.DONE, Status.MISSED])]
        times = {
            "response_time": done["finish_ns"] - done["release_ns"],
            "release_latency": done["start_ns"] - done["release_ns"],
        }
        for name, samples in times.items():
            n = len(samples)
            assert values[task.name, f"{name}_min"] == (samples.min(), n)
            assert values[task.name, f"{name}_median"] == (nearest_rank(samples, 0.5), n)
            assert values[task.name, f"{name}_max"] == (samples.max(), n)
            # An interval of 95 % of a p99 needs 368 samples: 0.99^367 = 0.02501, ^368 = 0.02476.
            assert values[task.name, f"{name}_p99"] == (None, n)
        for status in Status:
            count = int(np.count_nonzero(own["status"] == status))
            assert values[task.name, f"releases_{status.name.lower()}"] == (count, len(own))
