# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Streams of a made-up run as CSV, JSON and Parquet, read again."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from tests.report.run_builder import Made, jobs_table, write_run

from laxity.core.streams import STREAMS, Status, absent_value
from laxity.export import parquet, tables
from laxity.export.parquet import write_parquet
from laxity.export.tables import stream_names, write_csv, write_json
from laxity.store.run_directory import Run, open_run

NAMES = [
    (7, 7, 0, 'a "name", odd', 10, 20),
    (8, 7, absent_value("u2"), "worker", 15, absent_value("i8")),
]
SAMPLES = [(5, 0, 1, 42, 1.5), (6, 0, 1, absent_value("i8"), np.nan)]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    rows = jobs_table(3)
    rows["status"] = Status.SKIPPED
    directory = write_run(tmp_path / "run", Made(rows, deadline_ns=None))
    for name, fields, values in (
        ("threads", STREAMS["threads"], NAMES),
        ("counters", [one for one in STREAMS["counters"] if one.is_required], SAMPLES),
        ("probe", STREAMS["probe"], []),
    ):
        kinds = [(field.name, field.kind) for field in fields]
        np.save(directory / f"{name}.npy", np.array(values, dtype=kinds))
    return open_run(directory)


def read_csv(run: Run, name: str) -> list[dict[str, str]]:
    file = io.BytesIO()
    write_csv(run, name, file)
    return list(csv.DictReader(io.StringIO(file.getvalue().decode(), newline="")))


def read_parquet(run: Run, name: str, path: Path) -> list[dict[str, Any]]:
    with path.open("wb") as file:
        write_parquet(run, name, file)
    found = duckdb.read_parquet(str(path))
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


# What both rows of threads.npy and of counters.npy say, absent values as None.
THREAD_ROWS: list[dict[str, Any]] = [
    {"tid": 7, "pid": 7, "task": 0, "comm": 'a "name", odd', "from_ns": 10, "to_ns": 20},
    {"tid": 8, "pid": 7, "task": None, "comm": "worker", "from_ns": 15, "to_ns": None},
]
SAMPLE_ROWS: list[dict[str, Any]] = [
    {"time_ns": 5, "task": 0, "event": 1, "value": 42, "scale_ratio": 1.5},
    {"time_ns": 6, "task": 0, "event": 1, "value": None, "scale_ratio": None},
]


def as_text(rows: list[dict[str, Any]]) -> list[dict[str, str]]:
    return [{k: "" if v is None else str(v) for k, v in row.items()} for row in rows]


def test_csv_has_names_with_units_and_leaves_what_is_absent_empty(run: Run):
    assert read_csv(run, "threads") == as_text(THREAD_ROWS)
    assert read_csv(run, "counters") == as_text(SAMPLE_ROWS)
    assert [row["finish_ns"] for row in read_csv(run, "jobs")] == ["", "", ""]


def test_csv_of_an_empty_stream_is_its_names(run: Run):
    file = io.BytesIO()
    write_csv(run, "probe", file)
    assert file.getvalue() == b"time_ns,task,probe,value,kind,tid\r\n"


def test_json_holds_the_manifest_and_every_stream(run: Run):
    file = io.BytesIO()
    write_json(run, stream_names(run), file)
    document = json.loads(file.getvalue())
    assert document["manifest"]["name"] == "control"
    streams = document["streams"]
    assert list(streams) == ["jobs", "histogram", "threads", "counters", "probe"]
    assert streams["threads"] == THREAD_ROWS
    assert streams["counters"] == SAMPLE_ROWS
    assert streams["probe"] == []
    assert [row["status"] for row in streams["jobs"]] == [2, 2, 2]


def test_parquet_has_the_types_of_the_stream_and_null_for_what_is_absent(run: Run, tmp_path: Path):
    path = tmp_path / "it's.parquet"
    assert read_parquet(run, "threads", tmp_path / "threads.parquet") == THREAD_ROWS
    assert read_parquet(run, "counters", tmp_path / "counters.parquet") == SAMPLE_ROWS
    with path.open("wb") as file:
        write_parquet(run, "probe", file)
    described = duckdb.read_parquet(str(path))
    assert dict(zip(described.columns, map(str, described.types), strict=True)) == {
        "time_ns": "BIGINT",
        "task": "USMALLINT",
        "probe": "UINTEGER",
        "value": "BIGINT",
        "kind": "UTINYINT",
        "tid": "INTEGER",
    }
    assert described.fetchall() == []


def test_parts_join_without_a_seam(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tables, "PART_ROWS", 1)
    monkeypatch.setattr(parquet, "_PART_ROWS", 1)
    assert read_csv(run, "threads") == as_text(THREAD_ROWS)
    assert read_parquet(run, "threads", tmp_path / "threads.parquet") == THREAD_ROWS
