# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Any bytes as a stream: rows, or a RecordError."""

import sys
import tempfile
from pathlib import Path

import atheris
import numpy as np

with atheris.instrument_imports(include=["laxity"]):
    from laxity.errors import RecordError
    from laxity.store.npy import read_header, read_stream

DIRECTORY = tempfile.TemporaryDirectory(prefix="laxity-fuzz-")
STREAM = Path(DIRECTORY.name) / "jobs.npy"


def test_one_input(data: bytes) -> None:
    """Feed one input to the reader of streams."""
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
