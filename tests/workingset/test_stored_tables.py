# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Tables of the tools: what their columns hold, whatever is in them."""

from pathlib import Path

import duckdb
import pytest

from laxity.errors import RecordError
from laxity.workingset.tables import INSTRUCTIONS, PARQUET, join_tables, read_table


def table(path: Path, *lines: str) -> Path:
    """Write a table."""
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_names_are_texts_and_sizes_are_numbers_whatever_they_look_like(tmp_path: Path):
    path = table(tmp_path / "t.csv", "function,block,index,level_bits", '7,"1,2",3,', "x,,4,8")
    found = read_table(path)
    assert found.texts("function") == ["7", "x"]
    assert found.texts("block") == ["1,2", ""]
    assert found.integers("index").tolist() == [3, 4]
    assert found.optional_integers("level_bits") == [None, 8]


@pytest.mark.parametrize("rows", [(), ("f,",)])
def test_a_column_without_any_value_has_its_type_all_the_same(
    tmp_path: Path, rows: tuple[str, ...]
):
    found = read_table(table(tmp_path / "t.csv", "function,level_bits", *rows))
    assert found.columns["level_bits"].dtype.kind == "i"
    assert not found.has("level_bits")


def test_columns_that_are_not_ours_hold_what_is_in_them(tmp_path: Path):
    found = read_table(table(tmp_path / "t.csv", "function,mine", "f,1.5", "g,2"))
    assert found.columns["mine"].tolist() == [1.5, 2.0]


def test_a_text_where_a_number_belongs_is_refused(tmp_path: Path):
    path = table(tmp_path / "t.csv", "function,index", "f,first")
    with pytest.raises(RecordError, match="cannot be read"):
        read_table(path)


def test_a_joined_column_is_of_numbers_though_one_program_has_none(tmp_path: Path):
    header = "function,line,column,level_bits"
    table(tmp_path / "a" / INSTRUCTIONS, header, "f,1,0,")
    table(tmp_path / "b" / INSTRUCTIONS, header, "g,0,2,96")
    parts = {"a": tmp_path / "a", "b": tmp_path / "b"}
    assert join_tables(parts, INSTRUCTIONS, tmp_path) == 2
    # LLVM's 0 is no line and no column; nothing was run.
    assert (tmp_path / INSTRUCTIONS).read_text().splitlines() == [
        f"program,{header},executions",
        "a,f,1,,,",
        "b,g,,2,96,",
    ]
    with duckdb.connect() as database:
        joined = database.read_parquet(str(tmp_path / PARQUET))
        assert joined.aggregate("sum(level_bits)").fetchall() == [(96,)]
