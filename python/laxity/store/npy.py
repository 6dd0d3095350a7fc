# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The only reader of streams.

A stream may have been left by a writer that was killed: its header then counts fewer rows than the
file holds, and its last row may be torn. The size of the file is what counts (the writer never
extends a file beyond written rows). NumPy's own reader would see no rows at all.

The header is matched against the one form that is written, never evaluated: any file either reads
or raises RecordError.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from laxity.core.streams import (
    EXTRA_COLUMN_KINDS,
    RATIO_SUFFIX,
    STREAMS,
    STREAMS_WITH_EXTRA_COLUMNS,
    absent_value,
)
from laxity.errors import RecordError, cannot_read

if TYPE_CHECKING:
    import numpy as np

_MAGIC = b"\x93NUMPY"
# Bytes of the header's length by format version.
_LENGTH_BYTES = {1: 2, 2: 4, 3: 4}
# NumPy refuses longer headers too; ours are shorter by contract (design.md section 4).
_MAX_HEADER_BYTES = 10_000
_MAX_FIELDS = 500
_FIELD = r"\(\s*'([^'\\\n]{1,200})'\s*,\s*'([<>|])([uifS])([0-9]{1,3})'\s*\)"
_HEADER = re.compile(
    r"\{\s*'descr'\s*:\s*\[\s*(?P<fields>" + _FIELD + r"(?:\s*,\s*" + _FIELD + r")*)\s*,?\s*\]\s*,"
    r"\s*'fortran_order'\s*:\s*False\s*,\s*'shape'\s*:\s*\(\s*(?P<rows>[0-9]{1,19})\s*,\s*\)\s*,?"
    r"\s*\}\s*"
)
_ONE_FIELD = re.compile(_FIELD)
_NUMBER_BYTES = {"u": (1, 2, 4, 8), "i": (1, 2, 4, 8), "f": (4, 8)}


@dataclass(frozen=True, slots=True)
class Header:
    """What the head of a stream says, and what its size says.

    Attributes:
        columns: (name, byte order `<`, `>` or `|`, kind such as `i8`), in file order.
        data_offset: Bytes before the first row.
        row_bytes: Size of one row.
        stated_rows: Rows the header counts; stale in an unclosed stream.
        rows: Complete rows in the file.
        torn_bytes: Bytes of an incomplete last row.
    """

    columns: tuple[tuple[str, str, str], ...]
    data_offset: int
    row_bytes: int
    stated_rows: int
    rows: int
    torn_bytes: int


def read_header(path: Path) -> Header:
    """Read the head of a stream.

    Raises:
        RecordError: Not a file, or not a stream.
    """
    try:
        with path.open("rb") as file:
            return _read_header(file, path)
    except OSError as error:
        raise cannot_read(path, error) from error


def read_stream(path: Path) -> "np.ma.MaskedArray[Any, Any]":
    """Read a stream whole.

    Args:
        path: The file; a name known to `laxity.core.streams` is also checked against its fields.

    Returns:
        Structured array in this machine's byte order, absent values masked; shape (row,).

    Raises:
        RecordError: Not a file, not a stream, or not the stream that its name says.
    """
    # NumPy takes longer to load than most commands take to run.
    import numpy as np  # noqa: PLC0415

    try:
        with path.open("rb") as file:
            header = _read_header(file, path)
            check_columns(header, path)
            dtype = np.dtype([(name, order + kind) for name, order, kind in header.columns])
            rows = np.fromfile(file, dtype=dtype, count=header.rows)
    except OSError as error:
        raise cannot_read(path, error) from error
    except MemoryError as error:
        msg = f"{path}: {header.rows} rows do not fit into memory; read it on a larger machine"
        raise RecordError(msg) from error
    return _mask_absent(rows.astype(dtype.newbyteorder("="), copy=False))


def read_stream_parts(path: Path, part_rows: int) -> "Iterator[np.ma.MaskedArray[Any, Any]]":
    """Read a stream part by part, for one that need not fit into memory.

    Args:
        path: As `read_stream`.
        part_rows: Rows of each part; the last one may have fewer.

    Yields:
        As `read_stream`, in the order of the file; of an empty stream one part without rows.

    Raises:
        RecordError: As `read_stream`.
    """
    import numpy as np  # noqa: PLC0415 - as in read_stream

    try:
        with path.open("rb") as file:
            header = _read_header(file, path)
            check_columns(header, path)
            dtype = np.dtype([(name, order + kind) for name, order, kind in header.columns])
            for first in range(0, max(header.rows, 1), part_rows):
                rows = np.fromfile(file, dtype=dtype, count=min(part_rows, header.rows - first))
                yield _mask_absent(rows.astype(dtype.newbyteorder("="), copy=False))
    except OSError as error:
        raise cannot_read(path, error) from error


def check_columns(header: Header, path: Path) -> None:
    """Check a stream that has a known name against the fields of that stream.

    Raises:
        RecordError: A required field is missing, one has another type, or an unknown one is there.
    """
    fields = STREAMS.get(path.name.removesuffix(".npy"))
    if fields is None:
        return
    kinds = {name: kind for name, _, kind in header.columns}
    known = {field.name: field.kind for field in fields}
    for field in fields:
        if field.name not in kinds:
            if field.is_required:
                msg = f"{path}: column {field.name} is missing; the stream is damaged"
                raise RecordError(msg)
        elif kinds[field.name] != field.kind:
            msg = f"{path}: column {field.name} is {kinds[field.name]}, not {field.kind}"
            raise RecordError(msg)
    has_extra = path.name.removesuffix(".npy") in STREAMS_WITH_EXTRA_COLUMNS
    for name in kinds.keys() - known.keys():
        is_count = kinds[name] == "i8"
        is_alone = is_count and kinds.get(name + RATIO_SUFFIX) != "f4"
        if not has_extra or kinds[name] not in EXTRA_COLUMN_KINDS or is_alone:
            msg = f"{path}: column {name} is unknown; the stream is of another version"
            raise RecordError(msg)


def _read_header(file: IO[bytes], path: Path) -> Header:
    """Read up to the first row; the file is left there."""
    text, data_offset = _read_header_text(file, path)
    match = _HEADER.fullmatch(text)
    if match is None:
        msg = f"{path}: not a table of named columns; the stream is damaged"
        raise RecordError(msg)
    columns = _columns(match["fields"], path)
    row_bytes = sum(int(kind[1:]) for _, _, kind in columns)
    size_bytes = file.seek(0, 2)
    file.seek(data_offset)
    rows, torn_bytes = divmod(size_bytes - data_offset, row_bytes)
    return Header(columns, data_offset, row_bytes, int(match["rows"]), rows, torn_bytes)


def _read_header_text(file: IO[bytes], path: Path) -> tuple[str, int]:
    start = file.read(len(_MAGIC) + 2)
    if len(start) < len(_MAGIC) + 2 or not start.startswith(_MAGIC):
        msg = f"{path}: not a NumPy file; the stream is damaged"
        raise RecordError(msg)
    n_length = _LENGTH_BYTES.get(start[-2])
    if n_length is None or start[-1] != 0:
        msg = f"{path}: NumPy format {start[-2]}.{start[-1]} is unknown; this build reads 1 to 3"
        raise RecordError(msg)
    length = file.read(n_length)
    n_text = int.from_bytes(length, "little")
    if len(length) < n_length or n_text > _MAX_HEADER_BYTES:
        msg = f"{path}: header of {n_text} bytes; the stream is damaged"
        raise RecordError(msg)
    data = file.read(n_text)
    if len(data) < n_text:
        msg = f"{path}: ends within its header; the stream is damaged"
        raise RecordError(msg)
    try:
        return data.decode("utf-8"), len(start) + n_length + n_text
    except UnicodeDecodeError as error:
        msg = f"{path}: header is no text; the stream is damaged"
        raise RecordError(msg) from error


def _columns(text: str, path: Path) -> tuple[tuple[str, str, str], ...]:
    columns: list[tuple[str, str, str]] = []
    for name, order, letter, size in _ONE_FIELD.findall(text):
        n_bytes = int(size)
        valid = _NUMBER_BYTES.get(letter)
        is_valid = n_bytes in valid if valid else n_bytes > 0
        is_ordered = order != "|" or letter == "S" or n_bytes == 1
        if not is_valid or not is_ordered or size.startswith("0"):
            msg = f"{path}: column {name} has the unknown type {order}{letter}{size}"
            raise RecordError(msg)
        columns.append((name, order, f"{letter}{size}"))
    _check_names([name for name, _, _ in columns], path)
    return tuple(columns)


def _check_names(names: Sequence[str], path: Path) -> None:
    if len(names) > _MAX_FIELDS:
        msg = f"{path}: {len(names)} columns; the stream is damaged"
        raise RecordError(msg)
    if len(set(names)) < len(names):
        msg = f"{path}: two columns have the same name; the stream is damaged"
        raise RecordError(msg)


def _mask_absent(rows: "np.ndarray[Any, Any]") -> "np.ma.MaskedArray[Any, Any]":
    import numpy as np  # noqa: PLC0415

    masked = np.ma.MaskedArray(rows, mask=np.zeros(rows.shape, np.ma.make_mask_descr(rows.dtype)))
    mask = np.ma.getmaskarray(masked)
    for name in rows.dtype.names or ():
        column = rows[name]
        if column.dtype.kind == "f":
            mask[name] = np.isnan(column)
        else:
            absent = absent_value(f"{column.dtype.kind}{column.dtype.itemsize}")
            if absent is not None:
                mask[name] = column == absent
    return np.ma.MaskedArray(rows, mask=mask)
