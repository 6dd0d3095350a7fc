# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What all pages of papers have in common, and the table of what all papers report."""

import re

import pytest
from tests.papers.pages import FOLDER, cells_of, sections_of

from laxity.papers.paper import NAMES, paper_of


@pytest.mark.parametrize("name", NAMES)
def test_page_of_the_documentation_has_every_row_that_is_declared(name: str):
    sections = sections_of((FOLDER / f"{name}.md").read_text())
    for exhibit in paper_of(name).exhibits:
        if exhibit.needs_suite or exhibit.is_of_machine:
            assert exhibit.title not in sections
            continue
        for row in exhibit.rows:
            what = row.what.replace("_", "\\_")
            (line,) = (
                one
                for one in sections[exhibit.title].splitlines()
                if one.startswith(f"| {what} | ")
            )
            cells = cells_of(line)
            assert cells[4:6] == ["-" if row.paper is None else row.basis, row.kind]
            if row.paper is None:
                assert cells[1] == (row.said or "no value")
                assert (cells[3] == "-") == (row.agrees is None)
            else:
                # Written with as many decimals as its unit has.
                assert float(cells[1].split()[0]) == pytest.approx(row.paper, rel=0.011)


@pytest.mark.parametrize("name", NAMES)
def test_pictures_of_a_page_are_beside_it_and_no_others(name: str):
    page = (FOLDER / f"{name}.md").read_text()
    shown = set(re.findall(rf"\(({name}-[^)]*\.svg)\)", page))
    assert shown == {path.name for path in FOLDER.glob(f"{name}-*.svg")}


def test_table_of_all_papers_names_every_figure_that_a_command_makes_and_no_other():
    table = (FOLDER / "figures.md").read_text()
    named = set(re.findall(r"`laxity reproduce ([a-z-]+) ([a-z]+(?:-[0-9.]+)?)", table))
    made = {(name, one.name) for name in NAMES for one in paper_of(name).exhibits}
    assert named == made


def test_each_row_of_the_table_of_all_papers_says_how_or_why_not():
    rows = [
        cells_of(line)
        for line in (FOLDER / "figures.md").read_text().splitlines()
        if line.startswith("| ") and not line.startswith("| what ")
    ]
    # Of Sebek, Raffeck et al., RT-Bench, Blin et al.
    assert len(rows) == 16 + 14 + 7 + 10
    for row in rows:
        assert len(row) == len(("what", "paper", "how", "ours", "why"))
        assert all(row)
