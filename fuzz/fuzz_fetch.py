# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Any bytes as the tar stream of a board: files of known names, or an error of tarfile."""

import io
import sys
import tarfile
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["laxity", "tarfile"]):
    from laxity.platform.fetch import unpack_streams

DIRECTORY = tempfile.TemporaryDirectory(prefix="laxity-fuzz-")
TAKEN = Path(DIRECTORY.name)


def test_one_input(data: bytes) -> None:
    """Feed one input to the reader of tar streams."""
    try:
        names = unpack_streams(io.BytesIO(data), TAKEN)
    except tarfile.TarError:
        return
    assert {path.name for path in TAKEN.iterdir()} == {f"{name}.part" for name in names}


atheris.Setup(sys.argv, test_one_input)
atheris.Fuzz()
