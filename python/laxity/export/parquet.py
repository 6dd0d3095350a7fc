# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The streams of a run as Parquet, by DuckDB: columns and types as stored, absent values null."""

import shutil
import tempfile
from pathlib import Path
from typing import Any, BinaryIO

import duckdb
import numpy as np

from laxity.core.streams import absent_value
from laxity.errors import PlatformError
from laxity.store.npy import read_stream_parts
from laxity.store.run_directory import Run

# A group of rows of the file, as DuckDB makes them.
_PART_ROWS = 122_880
_COMPRESSION = "zstd"


def write_parquet(run: Run, name: str, file: BinaryIO) -> None:
    """Write one stream.

    DuckDB writes to paths only, so it goes through a file in $TMPDIR.

    Args:
        run: The run.
        name: The stream.
        file: Where to.

    Raises:
        RecordError: The stream is damaged.
        PlatformError: $TMPDIR is full.
        OSError: The output cannot be written.
    """
    with tempfile.TemporaryDirectory(prefix="laxity-parquet-") as directory:
        whole = Path(directory, "whole.parquet")
        try:
            _write_whole(run, name, Path(directory), whole)
        except duckdb.IOException as error:
            reason = str(error).partition("\n")[0]
            msg = f"{directory}: {name}.parquet cannot be written ({reason}); free space in $TMPDIR"
            raise PlatformError(msg) from error
        with whole.open("rb") as written:
            shutil.copyfileobj(written, file)


def _write_whole(run: Run, name: str, directory: Path, whole: Path) -> None:
    with duckdb.connect(directory / "rows.duckdb") as database:
        database.execute("SET enable_progress_bar = false")
        # What it has not got it is not to fetch.
        database.execute("SET autoinstall_known_extensions = false")
        verb = "CREATE TABLE rows AS"
        for rows in read_stream_parts(run.path / f"{name}.npy", _PART_ROWS):
            database.register("part", _columns(rows))
            database.execute(f"{verb} {_selection(rows.dtype)}")
            database.unregister("part")
            verb = "INSERT INTO rows"
        target = str(whole).replace("'", "''")
        database.execute(f"COPY rows TO '{target}' (FORMAT parquet, COMPRESSION {_COMPRESSION})")


def _columns(rows: "np.ma.MaskedArray[Any, Any]") -> dict[str, "np.ndarray[Any, Any]"]:
    data = np.ma.getdata(rows)
    return {name: _column(np.ascontiguousarray(data[name])) for name in data.dtype.names}


def _column(values: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    if values.dtype.kind != "S":
        return values
    return np.array([one.decode("utf-8", errors="replace") for one in values], dtype=str)


def _selection(dtype: "np.dtype[Any]") -> str:
    """Select every column of `part`, absent values as null."""
    columns = [_present(name, dtype[name]) for name in dtype.names or ()]
    return f"SELECT {', '.join(columns)} FROM part"  # noqa: S608 - quoted names of columns


def _present(name: str, dtype: "np.dtype[Any]") -> str:
    column = _quoted(name)
    if dtype.kind == "S":
        return f"{column}::VARCHAR AS {column}"  # DuckDB takes short texts for an ENUM
    if dtype.kind == "f":
        return f"CASE WHEN isnan({column}) THEN NULL ELSE {column} END AS {column}"
    absent = absent_value(f"{dtype.kind}{dtype.itemsize}")
    if absent is None:
        return column
    return f"CASE WHEN {column} = {absent} THEN NULL ELSE {column} END AS {column}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
