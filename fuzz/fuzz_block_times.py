# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Any bytes as a table of times of blocks: times that are numbers, or a ConfigError."""

import math
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["laxity", "csv"]):
    from laxity.errors import ConfigError
    from laxity.workingset.times import read_block_times

DIRECTORY = tempfile.TemporaryDirectory(prefix="laxity-fuzz-")
PLACE = Path(DIRECTORY.name) / "times.csv"


def test_one_input(data: bytes) -> None:
    """Feed one input to the reader of times."""
    PLACE.write_bytes(data)
    try:
        times = read_block_times(PLACE)
    except ConfigError as error:
        assert str(error)
        return
    assert all(math.isfinite(time) and time >= 0 for time in times.times.values())


atheris.Setup(sys.argv, test_one_input)
atheris.Fuzz()
