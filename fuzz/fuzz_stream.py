# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Any bytes as a stream, and as readings of a regulator: rows, or a RecordError."""

import sys
import tempfile
from pathlib import Path

import atheris
import numpy as np

with atheris.instrument_imports(include=["laxity"]):
    from laxity.contention.regulated import read_readings, shares
    from laxity.errors import RecordError
    from laxity.store.npy import read_header, read_stream

DIRECTORY = tempfile.TemporaryDirectory(prefix="laxity-fuzz-")
STREAM = Path(DIRECTORY.name) / "jobs.npy"
READINGS = Path(DIRECTORY.name) / "regulation.npy"
JOBS = np.array([(0, 1 << 40)], [("start_ns", "i8"), ("finish_ns", "i8")])


def share_readings(data: bytes) -> None:
    """Feed one input to the reader of readings, and what it accepts to their share of a job."""
    READINGS.write_bytes(data)
    try:
        readings = read_readings(READINGS.parent)
    except RecordError as error:
        assert str(error)
        return
    part, stops = shares(JOBS, readings)
    assert part is not None
    assert 0 <= part <= 1
    assert 0 <= stops <= len(readings)


def test_one_input(data: bytes) -> None:
    """Feed one input to the reader of streams."""
    share_readings(data)
    STREAM.write_bytes(data)
    try:
        header = read_header(STREAM)
        rows = read_stream(STREAM)
    except RecordError as error:
        assert str(error)
        return
    assert len(rows) == header.rows
    assert header.data_offset + header.rows * header.row_bytes + header.torn_bytes == len(data)
    assert isinstance(rows, np.ma.MaskedArray)


atheris.Setup(sys.argv, test_one_input)
atheris.Fuzz()
