# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Any bytes as compile_commands.json: sources and their words, or a ConfigError."""

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["laxity", "shlex"]):
    from laxity.errors import ConfigError
    from laxity.workingset.compile_commands import read_compile_commands

DIRECTORY = tempfile.TemporaryDirectory(prefix="laxity-fuzz-")
PLACE = Path(DIRECTORY.name) / "compile_commands.json"


def test_one_input(data: bytes) -> None:
    """Feed one input to the reader of compilation databases."""
    PLACE.write_bytes(data)
    try:
        commands = read_compile_commands(PLACE)
    except ConfigError as error:
        assert str(error)
        return
    assert commands
    assert all(one.source.is_absolute() for one in commands)


atheris.Setup(sys.argv, test_one_input)
atheris.Fuzz()
