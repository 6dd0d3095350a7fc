# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The streams of a run as CSV or JSON: columns as stored, absent values empty or null."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

import msgspec

from laxity.core.streams import STREAMS
from laxity.costs.model import decode_costs
from laxity.store.npy import read_header, read_stream_parts
from laxity.store.run_directory import COSTS, Run

# Python's numbers take 32 bytes each: some 20 MB of them at a time.
PART_ROWS = 32_768


def stream_names(run: Run) -> list[str]:
    """List the streams that a run holds, in the order of `laxity schema`."""
    return [name for name in STREAMS if run.has_stream(name)]


def column_names(run: Run, name: str) -> list[str]:
    """List the columns of a stream, which carry their units.

    Raises:
        RecordError: The stream is damaged.
    """
    return [column for column, _, _ in read_header(run.path / f"{name}.npy").columns]


def write_csv(run: Run, name: str, file: BinaryIO) -> None:
    """Write one stream as CSV (RFC 4180) with a line of names; absent values are empty.

    Raises:
        RecordError: The stream is damaged.
        OSError: The output cannot be written.
    """
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text)
    writer.writerow(column_names(run, name))
    for columns in _parts(run, name):
        writer.writerows(zip(*columns, strict=True))
    text.detach()


def write_json(run: Run, names: Sequence[str], file: BinaryIO) -> None:
    """Write the manifest, costs and streams as one JSON document; absent values are null.

    Args:
        run: The run.
        names: Streams to be written, each a list of objects.
        file: Where to; written as it comes, a line per row.

    Raises:
        RecordError: A stream is damaged.
        OSError: The output cannot be written.
    """
    file.write(b'{"manifest":' + msgspec.json.encode(run.manifest) + b',\n"streams":{')
    for index, name in enumerate(names):
        file.write(b"," if index else b"")
        file.write(b"\n" + msgspec.json.encode(name) + b":[")
        _write_rows(run, name, file)
        file.write(b"]")
    file.write(b"}")
    if (run.path / COSTS).is_file():
        costs = decode_costs((run.path / COSTS).read_bytes(), str(run.path / COSTS))
        file.write(b',\n"costs":' + msgspec.json.encode(costs))
    file.write(b"}\n")


def _write_rows(run: Run, name: str, file: BinaryIO) -> None:
    columns = column_names(run, name)
    between = b"\n"
    for part in _parts(run, name):
        for row in zip(*part, strict=True):
            file.write(between + msgspec.json.encode(dict(zip(columns, row, strict=True))))
            between = b",\n"


def _parts(run: Run, name: str) -> Iterator[list[list[Any]]]:
    """Return the columns of a stream part by part, as Python's values; absent ones are None."""
    for rows in read_stream_parts(run.path / f"{name}.npy", PART_ROWS):
        columns = [rows[column].tolist() for column in rows.dtype.names]
        yield [
            [_text(value) for value in column] if rows.dtype[index].kind == "S" else column
            for index, column in enumerate(columns)
        ]


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode("utf-8", errors="replace")
