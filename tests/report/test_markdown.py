# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Sections as a Markdown page with pictures."""

from pathlib import Path
from xml.etree import ElementTree

from laxity.page.blocks import (
    FigureBlock,
    Figures,
    Paragraph,
    Section,
    Table,
    number_cell,
    text_cell,
)
from laxity.page.svg import INK, drawing, to_svg
from laxity.report.markdown import write_markdown


def draw() -> str:
    with drawing() as (figure, axes):
        axes.plot([0, 1], [0, 1], color=INK["alone"])
        return to_svg(figure, "a", "A line.")


def test_remarks_have_a_column_at_the_end_and_a_number_keeps_its_unit(tmp_path: Path):
    rows = ((text_cell("a|b", "of <x>"), number_cell("3 µs")), (text_cell("c"), number_cell("4")))
    section = Section(
        "s", "Title_", (Table("Values", ("what", "ours"), rows), Paragraph("Said *so*."))
    )
    path = write_markdown("Page", (section,), "page", tmp_path / "new")
    assert path == tmp_path / "new" / "page.md"
    assert path.read_text() == (
        "# Page\n\n"
        "## Title\\_\n\n"
        "Values:\n\n"
        "| what | ours | why they differ |\n"
        "|---|--:|---|\n"
        "| a\\|b | 3\N{NO-BREAK SPACE}µs | of \\<x\\> |\n"
        "| c | 4 |  |\n\n"
        "Said \\*so\\*.\n"
    )


def test_picture_is_whole_by_itself(tmp_path: Path):
    section = Section("s", "", (Figures((FigureBlock("one", draw, "A line."),)),))
    path = write_markdown("Page", (section,), "page", tmp_path)
    assert "![A line.](page-one.svg)\n\n*A line.*" in path.read_text()
    text = (tmp_path / "page-one.svg").read_text()
    root = ElementTree.fromstring(text)  # noqa: S314 - we have made it
    assert {"width", "height", "viewBox"} <= root.attrib.keys()
    # Its colours come from a page that it is no part of any more; light and dark.
    assert "var(--fig-alone)" in text
    assert text.count("--fig-alone: ") == 2
    assert "prefers-color-scheme: dark" in text
