# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Sections of the report as a terminal gets them."""

from laxity.page.blocks import (
    Cell,
    FigureBlock,
    Figures,
    Folded,
    Paragraph,
    Table,
    duration_cell,
    number_cell,
    show_count,
    text_cell,
)
from laxity.page.terminal import text_of


def _drawn() -> str:
    raise AssertionError


def test_sentences_and_figures_are_written_and_nothing_is_drawn():
    rows = (
        (text_cell("4 KiB"), number_cell(show_count(12345)), text_cell("ok")),
        (text_cell(""), duration_cell(-60), text_cell("no verdict", "too few")),
    )
    table = Table("Gamma (measured)", ("size", "n", "verdict"), rows)
    blocks = (
        Paragraph("Gamma is 3 µs."),
        Paragraph("What gamma is.", is_explanation=True),
        Paragraph("Gamma is 3 µs."),
        Figures((FigureBlock("a", _drawn, "caption"),)),
        Folded("details", (Paragraph("Only for readers."),)),
        Folded("all", (table,), is_figures=True),
        Paragraph("Disturbed.", "warning"),
    )
    # No thin space within numbers and no other minus: both would break what reads them.
    assert text_of(blocks) == (
        "Gamma is 3 µs.\n"
        "\n"
        "Gamma (measured):\n"
        "size        n  verdict\n"
        "4 KiB   12345  ok\n"
        "-      -60 ns  no verdict (too few)\n"
        "\n"
        "Disturbed.\n"
    )


def test_remark_that_has_a_name_has_a_column():
    rows = (
        (text_cell("median"), number_cell("3 µs", "n = 60"), text_cell("longer", "why")),
        (text_cell("max"), number_cell("40 µs"), text_cell("none")),
    )
    table = Table("Figures", ("figure", "BASE", "verdict"), rows, remarks=("", "samples"))
    assert text_of([table]) == (
        "Figures:\n"
        "figure   BASE  samples  verdict\n"
        "median   3 µs   n = 60  longer (why)\n"
        "max     40 µs        -  none\n"
    )


def test_list_has_no_line_of_names():
    assert text_of([Table("Missing", ("",), ((text_cell("delta"),),))]) == "Missing:\ndelta\n"


def test_a_column_without_a_word_is_left_out():
    rows = (
        (text_cell("a"), Cell("", svg="<svg/>"), number_cell("", "not stated"), number_cell("1")),
        (
            text_cell("b"),
            Cell("", svg="<svg/>", remark="1-2"),
            number_cell("2"),
            number_cell(""),
        ),
    )
    table = Table("Jobs", ("program", "distribution", "p99", "max"), rows)
    assert text_of([table]) == "Jobs:\nprogram  p99  max\na          -    1\nb          2    -\n"
    assert text_of([Table("None", ("program",), ())]) == ""


def test_of_a_ranking_the_first_rows_are_shown_and_the_rest_is_counted():
    rows = tuple((text_cell(f"p{number}"), number_cell(str(number))) for number in range(12))
    shown = text_of([Table("Largest", ("point", "n"), rows, is_ranking=True)]).splitlines()
    assert shown[-2:] == ["p9     9", "2 more in the report"]
    assert len(text_of([Table("All", ("point", "n"), rows)]).splitlines()) == 2 + 12
    some = text_of([Table("Ten", ("point", "n"), rows[:10], is_ranking=True)])
    assert "more" not in some
