# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""One declaration of columns, written for a terminal, a page, JSON and CSV."""

from laxity.page.columns import (
    Column,
    csv_text,
    document_of,
    figures_of,
    provenance,
    table_block,
    table_text,
)

ROWS = [
    {"cpus": [1, 2], "took": 1_500_000, "lost": 123_456},
    {"cpus": [3], "took": None, "lost": 0},
]
COLUMNS = (
    Column("cpus", "CPUs", lambda row: row["cpus"], is_text=True),
    Column("took_ns", "took", lambda row: row["took"], "simulated", n=3),
    Column("lost_ppm", "lost", lambda row: row["lost"], "modelled", n=35),
    Column("jobs", "", lambda row: len(row["cpus"]), "simulated", n=1, is_detail=True),
)


def test_terminal_shows_units_that_fit_and_leaves_out_details():
    assert table_text(COLUMNS, ROWS) == (
        "CPUs     took     lost\n"
        "1,2   1.50 ms  12.35 %\n"
        "3           -   0.00 %\n"
    )  # fmt: skip


def test_page_has_the_same_texts():
    block = table_block("Caption", COLUMNS, ROWS)
    assert block.head == ("CPUs", "took", "lost")
    assert [[cell.text for cell in row] for row in block.rows] == [
        ["1,2", "1.50 ms", "12.35 %"],
        ["3", "-", "0.00 %"],
    ]
    assert [cell.is_number for cell in block.rows[0]] == [False, True, True]


def test_programs_get_unit_kind_and_n_of_each_column():
    document = document_of(COLUMNS, ROWS)
    assert [list(column.values()) for column in document["columns"]] == [
        ["cpus", "", None, None],
        ["took_ns", "ns", "simulated", 3],
        ["lost_ppm", "ppm", "modelled", 35],
        ["jobs", "count", "simulated", 1],
    ]
    assert document["rows"][1] == {"cpus": [3], "took_ns": None, "lost_ppm": 0, "jobs": 1}


def test_n_of_a_single_row_may_be_counted_in_it():
    column = Column("took_ns", "took", lambda row: row["took"], "simulated", n=len)
    (figure,) = figures_of([column], ROWS[0])
    # The row has three entries.
    assert figure == {
        "name": "took_ns",
        "value": 1_500_000,
        "unit": "ns",
        "kind": "simulated",
        "n": 3,
    }


def test_csv_names_carry_units_and_nothing_is_empty():
    assert csv_text(COLUMNS, ROWS) == (
        "cpus,took_ns,lost_ppm,jobs\r\n1 2,1500000,123456,2\r\n3,,0,1\r\n"
    )


def test_column_of_a_part_takes_rows_that_have_one():
    column = COLUMNS[1].of(lambda row: row["part"])
    assert column.text({"part": ROWS[0]}) == "1.50 ms"


def test_provenance_is_said_once_for_columns_that_share_it():
    columns = (*COLUMNS, Column("late_ns", "late", lambda _: 0, "simulated", n=3))
    assert (
        provenance(columns) == "took and late: simulated, n = 3 jobs; lost: modelled, n = 35 jobs"
    )
