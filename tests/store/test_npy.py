# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The reader of streams: closed, unclosed, torn, foreign and made-up files."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laxity.core.streams import STREAMS, absent_value
from laxity.errors import RecordError
from laxity.store.npy import read_header, read_stream

DTYPE = np.dtype([("time_ns", "<i8"), ("n", "<u2"), ("x", "<f4")])
HEADER_BYTES = 512


def header(rows: int | str, descr: object = None, version: int = 1, size: int = HEADER_BYTES):
    """Write a header as native/base/npy.c does: padded, row count to be patched."""
    descr = DTYPE.descr if descr is None else descr
    text = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': ({rows},), }}"
    n_length = 2 if version == 1 else 4
    padded = text.ljust(size - 8 - n_length - 1) + "\n"
    return (
        b"\x93NUMPY"
        + bytes([version, 0])
        + len(padded).to_bytes(n_length, "little")
        + padded.encode()
    )


def rows_of(count: int, dtype: np.dtype[Any] = DTYPE):
    rows = np.zeros(count, dtype)
    rows["time_ns"] = np.arange(count)
    return rows


def write(tmp_path: Path, data: bytes, name: str = "made.npy"):
    path = tmp_path / name
    path.write_bytes(data)
    return path


def test_closed_stream_is_read_whole(tmp_path: Path):
    path = write(tmp_path, header(3) + rows_of(3).tobytes())
    assert read_stream(path)["time_ns"].tolist() == [0, 1, 2]
    found = read_header(path)
    assert (found.stated_rows, found.rows, found.torn_bytes) == (3, 3, 0)


def test_stream_that_was_never_closed_is_read_by_its_size(tmp_path: Path):
    # np.load sees no row here: the header still says 0.
    path = write(tmp_path, header(0) + rows_of(5).tobytes())
    assert len(np.load(path)) == 0
    assert read_stream(path)["time_ns"].tolist() == [0, 1, 2, 3, 4]
    found = read_header(path)
    assert (found.stated_rows, found.rows) == (0, 5)


def test_torn_last_row_is_left_out_and_its_bytes_counted(tmp_path: Path):
    # A row has 8 + 2 + 4 = 14 bytes; 2 rows and 13 bytes of a third.
    path = write(tmp_path, header(1) + rows_of(3).tobytes()[:-1])
    found = read_header(path)
    assert (found.row_bytes, found.stated_rows, found.rows, found.torn_bytes) == (14, 1, 2, 13)
    assert read_stream(path)["time_ns"].tolist() == [0, 1]


def test_stream_cut_short_is_read_as_far_as_it_goes(tmp_path: Path):
    path = write(tmp_path, header(9) + rows_of(2).tobytes())
    assert len(read_stream(path)) == 2
    found = read_header(path)
    assert (found.stated_rows, found.rows) == (9, 2)


def test_stream_without_rows_is_empty(tmp_path: Path):
    rows = read_stream(write(tmp_path, header(0)))
    assert rows.shape == (0,)
    assert rows["n"].dtype == np.dtype("u2")


@pytest.mark.parametrize("version", [1, 2, 3])
def test_every_format_version_is_read(tmp_path: Path, version: int):
    path = write(tmp_path, header(2, version=version) + rows_of(2).tobytes())
    assert len(read_stream(path)) == 2


def test_file_written_by_numpy_is_read(tmp_path: Path):
    path = tmp_path / "made.npy"
    np.save(path, rows_of(4))
    assert read_stream(path)["time_ns"].tolist() == [0, 1, 2, 3]


def test_other_byte_order_is_turned_into_ours(tmp_path: Path):
    big = np.dtype([("time_ns", ">i8"), ("n", ">u2"), ("s", "|S3")])
    rows = np.array([(1, 2, b"abc")], big)
    found = read_stream(write(tmp_path, header(1, big.descr) + rows.tobytes()))
    assert found.dtype == np.dtype([("time_ns", "i8"), ("n", "u2"), ("s", "S3")])
    assert found.tolist() == [(1, 2, b"abc")]


def test_absent_values_are_masked_and_their_neighbours_are_not(tmp_path: Path):
    rows = rows_of(3)
    rows["time_ns"] = [-(2**63), -(2**63) + 1, 0]
    rows["n"] = [65_535, 65_534, 0]
    rows["x"] = [np.nan, np.inf, 0]
    found = read_stream(write(tmp_path, header(3) + rows.tobytes()))
    for name in ("time_ns", "n", "x"):
        assert np.ma.getmaskarray(found[name]).tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a NumPy file"),
        (b"\x93NUMP", "not a NumPy file"),
        (b"PK\x03\x04" + b"\0" * 100, "not a NumPy file"),
        (b"\x93NUMPY\x04\x00" + b"\0" * 100, "NumPy format 4.0 is unknown"),
        (b"\x93NUMPY\x01\x01" + b"\0" * 100, "NumPy format 1.1 is unknown"),
        (b"\x93NUMPY\x01\x00\x10", "header of 16 bytes"),
        (b"\x93NUMPY\x01\x00\x10\x27" + b" " * 10_000, "not a table of named columns"),
        (b"\x93NUMPY\x01\x00\x11\x27" + b" " * 10_001, "header of 10001 bytes"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff", "header of 4294967295 bytes"),
        (header(1)[:-1], "ends within its header"),
        (b"\x93NUMPY\x01\x00\x02\x00\xff\xfe", "header is no text"),
        (header(1, "<f8"), "not a table of named columns"),
        (header(1, "[]"), "not a table of named columns"),
        (header(1, [("a", "<i8", (3,))]), "not a table of named columns"),
        (header(1, [("a", "|O")]), "not a table of named columns"),
        (header(1, [("a", "<i3")]), "unknown type <i3"),
        (header(1, [("a", "|i8")]), r"unknown type \|i8"),
        (header(1, [("a", "|S0")]), r"unknown type \|S0"),
        (header(1, [("a", "<i8"), ("a", "<i8")]), "two columns have the same name"),
        (header("-1"), "not a table of named columns"),
        (header("__import__('os').abort()"), "not a table of named columns"),
    ],
)
def test_file_that_is_no_stream_is_refused_with_its_path(tmp_path: Path, data: bytes, message: str):
    path = write(tmp_path, data)
    with pytest.raises(RecordError, match=rf"made.npy: .*{message}"):
        read_stream(path)


def test_missing_file_is_refused_with_its_path(tmp_path: Path):
    with pytest.raises(RecordError, match=r"made.npy: cannot be read .No such file"):
        read_stream(tmp_path / "made.npy")


def test_directory_in_place_of_a_stream_is_refused(tmp_path: Path):
    with pytest.raises(RecordError, match=r"cannot be read .Is a directory"):
        read_header(tmp_path)


def jobs_file(tmp_path: Path, fields: list[tuple[str, str]], name: str = "jobs.npy"):
    dtype = np.dtype([(field, "<" + kind) for field, kind in fields])
    return write(tmp_path, header(1, dtype.descr, size=2048) + np.zeros(1, dtype).tobytes(), name)


REQUIRED = [(field.name, field.kind) for field in STREAMS["jobs"] if field.is_required]


def test_jobs_with_only_the_required_columns_are_read(tmp_path: Path):
    assert len(read_stream(jobs_file(tmp_path, REQUIRED))) == 1


@pytest.mark.parametrize("missing", [name for name, _ in REQUIRED])
def test_jobs_without_a_required_column_are_refused(tmp_path: Path, missing: str):
    fields = [(name, kind) for name, kind in REQUIRED if name != missing]
    with pytest.raises(RecordError, match=rf"column {missing} is missing"):
        read_stream(jobs_file(tmp_path, fields))


def test_jobs_with_a_column_of_another_type_are_refused(tmp_path: Path):
    fields = [(name, "u8" if name == "task" else kind) for name, kind in REQUIRED]
    with pytest.raises(RecordError, match=r"column task is u8, not u2"):
        read_stream(jobs_file(tmp_path, fields))


def test_jobs_take_extra_columns_of_a_workload_and_no_others(tmp_path: Path):
    assert "ratio" in read_stream(jobs_file(tmp_path, [*REQUIRED, ("ratio", "f4")])).dtype.names
    with pytest.raises(RecordError, match=r"column ratio is unknown"):
        read_stream(jobs_file(tmp_path, [*REQUIRED, ("ratio", "i8")]))


def test_histogram_takes_no_extra_columns(tmp_path: Path):
    fields = [("task", "u2"), ("quantity", "u1"), ("lower_ns", "i8"), ("upper_ns", "i8")]
    fields += [("count", "u8"), ("ratio", "f4")]
    with pytest.raises(RecordError, match=r"column ratio is unknown"):
        read_stream(jobs_file(tmp_path, fields, "histogram.npy"))


@given(st.binary(max_size=400))
def test_any_bytes_are_a_stream_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes):
    check_any(tmp_path_factory, data)


@given(st.text(max_size=300), st.binary(max_size=60), st.sampled_from([1, 2, 3]))
def test_any_header_text_is_a_stream_or_refused(
    tmp_path_factory: pytest.TempPathFactory, text: str, rows: bytes, version: int
):
    encoded = text.encode("utf-8", errors="replace")
    n_length = 2 if version == 1 else 4
    start = b"\x93NUMPY" + bytes([version, 0]) + len(encoded).to_bytes(n_length, "little")
    check_any(tmp_path_factory, start + encoded + rows)


@given(st.data())
def test_any_damage_to_a_stream_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
):
    whole = bytearray(header(3, size=192) + rows_of(3).tobytes())
    for _ in range(data.draw(st.integers(1, 5))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    check_any(tmp_path_factory, bytes(whole[: data.draw(st.integers(0, len(whole)))]))


def check_any(tmp_path_factory: pytest.TempPathFactory, data: bytes):
    path = write(tmp_path_factory.getbasetemp(), data, "any.npy")
    with suppress(RecordError):
        rows = read_stream(path)
        assert rows.ndim == 1
        assert rows.nbytes <= len(data)


def test_absent_value_of_every_integer_kind_survives_the_reader(tmp_path: Path):
    kinds = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
    dtype = np.dtype([(f"c_{kind}", "<" + kind) for kind in kinds])
    rows = np.array([tuple(absent_value(kind) for kind in kinds)], dtype)
    found = read_stream(write(tmp_path, header(1, dtype.descr) + rows.tobytes()))
    assert all(np.ma.getmaskarray(found[name]).all() for name in found.dtype.names)
