# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Any text as a preprocessed source: bounds of its loops."""

import sys

import atheris

with atheris.instrument_imports(include=["laxity"]):
    from laxity.workingset.loop_bounds import read_bounds


def test_one_input(data: bytes) -> None:
    """Feed one input to the reader of loop bounds."""
    for one in read_bounds(data.decode("utf-8", errors="replace")):
        assert one.least >= 0
        assert one.most >= 0


atheris.Setup(sys.argv, test_one_input)
atheris.Fuzz()
